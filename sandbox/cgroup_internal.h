/*
 * Control groups of one run: version 1 as root, version 2 where it is delegated.
 */
#ifndef TECHO_SANDBOX_CGROUP_INTERNAL_H
#define TECHO_SANDBOX_CGROUP_INTERNAL_H

#include "policy.h"

#include <sys/types.h>

/* Where a limit is counted. With version 2 both are the same folder. */
struct cgroup {
    char *memory_path, *pids_path; /* owned; NULL when there is none */
    int memory, pids;              /* owned; the folders, or -1 */
    int enter[2];                  /* owned; version 1: the new process writes "0" to each to enter; -1 */
    int clone_into;                /* borrowed from `memory`; version 2: for CLONE_INTO_CGROUP; -1 */
};

/* Groups are named after their maker, for cgroup_sweep(): this process, if its number here is not the host's. */
void cgroup_set_maker(pid_t maker);
/* Makes what can be made; what cannot is said in `why`, one phrase. Never fails otherwise. */
void cgroup_make(const struct limits *limits, struct cgroup *ret_cgroup, struct buf *why);
/* In the program's process (with version 2, init is in it by its birth). 0 or -errno. */
int cgroup_enter(const struct cgroup *cgroup);
/* Closes the descriptors that only the start needs. */
void cgroup_entered(struct cgroup *cgroup);
/* Removes a group's folder; while it is not empty, tries for `patience_ms`. Is it gone? */
bool cgroup_remove(const char *path, int patience_ms);
/* Removes what killed makers left behind: their groups, where nothing lives, or dies within `patience_ms` each. */
void cgroup_sweep(int patience_ms);
/* Removes the groups and frees everything. */
void cgroup_done(struct cgroup *cgroup);

#endif
