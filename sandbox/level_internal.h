/*
 * Levels: what this machine lets a cell be made of. L0: everything; L2: neither namespaces nor mounts, so Landlock, the
 * filter and the limits carry it; L3: no Landlock. L1 (only other programs may make user namespaces) and L4 (nothing
 * keeps the files apart) are refused. docs/security.md has the table.
 */
#ifndef TECHO_SANDBOX_LEVEL_INTERNAL_H
#define TECHO_SANDBOX_LEVEL_INTERNAL_H

#include "cell_internal.h"

/*
 * Before a cell is made. *ret_off gets the layers that are not to be made, *ret_bare: it is L2. -EOPNOTSUPP, with the
 * guarantee that falls, what failed, and what would mend it, when the policy cannot be kept here.
 */
int level_find(const struct cell_options *options, uint32_t *ret_off, bool *ret_bare, struct err *err) MUST_USE;

/* What came of it. */
struct level_facts {
    const struct cell_options *options;
    uint32_t off;
    bool bare, user_namespace, cgroup;
    int without_proc, no_landlock, unwatched; /* 0, or the errno that refused it */
};
/* Fills the cell's level, layers and, for each that is not in force, why. */
void level_describe(const struct level_facts *facts, struct cell *cell);

/* Tasks of this user on this machine: without a user namespace RLIMIT_NPROC counts them, too. */
uint64_t level_count_tasks(void);

#endif
