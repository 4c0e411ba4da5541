/* Who descends from a process, as /proc tells it. */
#ifndef TECHO_SANDBOX_FAMILY_INTERNAL_H
#define TECHO_SANDBOX_FAMILY_INTERNAL_H

#include <sys/types.h>

enum { FAMILY_MAX = 4096 };

/* Adds the children of every thread of `pid`, while there is room for FAMILY_MAX. Returns the new count. */
size_t family_add_children(pid_t pid, pid_t *list, size_t count);
/*
 * Stops every descendant of the caller, and what they have made meanwhile: once a look finds only stopped ones, there
 * is nobody left to make more. `list` has room for FAMILY_MAX; returns how many it holds.
 */
size_t family_stop(pid_t *list);

#endif
