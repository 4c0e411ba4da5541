/* The session's data files as a `profile` event: path, size, hash. */
#ifndef TECHO_CORE_PROFILE_INTERNAL_H
#define TECHO_CORE_PROFILE_INTERNAL_H

#include "data_files_internal.h"
#include "event.h"

/* Every file below root/data when there is such a folder; else the data types found below root. */
int profile_find(const char *root, struct data_files *ret_files);
/* NULL when there are no files. Hashes are bounded: what is beyond the bound has no hash. */
struct event *profile_event(const char *root, const struct data_files *files);

#endif
