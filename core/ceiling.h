/* Which ceiling holds when nobody named one. */
#ifndef TECHO_CORE_CEILING_H
#define TECHO_CORE_CEILING_H

#include "../sandbox/policy.h"
#include "case.h"
#include "event.h"

/*
 * A case's own; for a person's own folder (`folder`, absolute) the data types
 * found there, never dot files; else (both NULL) "sandbox". The texts are
 * added to buffers that the caller owns: the policy, and what to name as its
 * source ("case.json:7", "data found in the folder", "default").
 */
int ceiling_default(const struct case_info *kase, const char *folder, struct buf *ret_policy, struct buf *ret_source);
/* The event that says which ceiling holds from now on: the `number`-th of its session, 1 ... */
struct event *ceiling_event(const struct policy *ceiling, unsigned number, const char *source);

#endif
