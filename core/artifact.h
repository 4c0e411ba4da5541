/*
 * What a program left in ./out, taken out of a session into a folder of the
 * host. Names come from the program: nothing outside of the folder is reached
 * through them, no symlink is followed, and nothing is replaced.
 */
#ifndef TECHO_CORE_ARTIFACT_H
#define TECHO_CORE_ARTIFACT_H

#include "event.h"

/* Opens the folder, and makes it (but none above it) when it is not there. The descriptor is the caller's. */
int artifact_folder(const char *path, int *ret_fd, struct err *err) MUST_USE;

/*
 * Writes the content of an `artifact` event below `folder`, under its own name, folders of it made. -EEXIST when
 * something of that name is there; -EINVAL for a name with an empty part or one that begins with a dot; -ENODATA for
 * content that the session does not hold (above 1 MiB, or never taken over). err says it with the name.
 */
int artifact_save(int folder, const struct event *artifact, struct err *err) MUST_USE;

#endif
