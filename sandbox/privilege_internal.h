/*
 * Who this process is, and what it gives up.
 */
#ifndef TECHO_SANDBOX_PRIVILEGE_INTERNAL_H
#define TECHO_SANDBOX_PRIVILEGE_INTERNAL_H

#include "base.h"

#include <sys/types.h>

enum { NOBODY = 65534 };

/* The user and group that a cell's program has, as seen by the cell's maker and by itself. */
struct privilege_ids {
    bool root; /* the maker is root over many ids: the program becomes NOBODY */
    uid_t outer_uid, inner_uid;
    gid_t outer_gid, inner_gid;
};

void privilege_ids_find(struct privilege_ids *ret_ids);
/* Does this process hold the capability in effect? */
bool privilege_has(int capability);
/* Nothing that is executed from now on can gain a capability. Needs CAP_SETPCAP. 0 or -errno. */
int privilege_drop_bounding(void);
/* Gives up every capability that this process has, and verifies it. 0 or -errno. */
int privilege_drop(void);
/* The same but for one, which stays in effect. */
int privilege_drop_but(int capability);
/* Writes the maps "inner outer 1" of a process's new user namespace; `pid` 0 is oneself. 0 or -errno. */
int privilege_map(pid_t pid, const struct privilege_ids *ids, bool deny_setgroups);
/* One line that says why user namespaces are refused here, and what would mend it. */
const char *privilege_userns_advice(void);

#endif
