/* The work of a commit on one name of one host folder. */
#ifndef TECHO_SANDBOX_COMMIT_FILE_INTERNAL_H
#define TECHO_SANDBOX_COMMIT_FILE_INTERNAL_H

#include "sandbox.h"

#include <time.h>

/* What became of it. */
struct commit_step {
    enum effect_kind kind; /* EFFECT_NONE: there was nothing to do */
    uint64_t size;
    const char *problem; /* static; why it is not done: a rule of ours */
    int error;           /* -errno: the host refused it */
};

/*
 * Carries the regular file `name` of `upper` over into the folder `host`: into
 * a new file beside it, which then takes the name. Mode and owner of a file
 * that is there are kept; a new one belongs to whom the folder belongs.
 */
void commit_file(int upper, int host, const char *name, const struct timespec *started, uint64_t *bytes_left,
                 struct commit_step *ret_step);
/* Removes `name` (`path` on the host), a folder with all that it holds. */
void commit_remove(int host, const char *name, const char *path, const struct timespec *started, const char *const *own,
                   struct commit_step *ret_step);
/* The same whatever its name and whenever it was changed. */
void commit_discard(int host, const char *name, struct commit_step *ret_step);
/* Makes a folder and opens it: a descriptor or -errno. */
int commit_make_folder(int host, const char *name, mode_t mode);

#endif
