/* One run's state, shared by supervisor.c and supervisor_start.c. */
#ifndef TECHO_SANDBOX_SUPERVISOR_STATE_INTERNAL_H
#define TECHO_SANDBOX_SUPERVISOR_STATE_INTERNAL_H

#include "cell_internal.h"
#include "feed_internal.h"
#include "meter_internal.h"
#include "outbox_internal.h"
#include "stream_internal.h"
#include "supervisor_internal.h"
#include "watch_internal.h"

#include <time.h>

struct supervisor {
    const struct supervisor_options *options;
    struct policy granted;
    struct pins pins;
    struct cell cell;
    struct feed input;
    struct stream streams[2];
    struct said said;
    struct watch watch;
    struct meter meter;
    struct outbox outbox;
    struct cell_end end;
    struct timespec wall_started; /* by the clock that files are stamped with */
    int64_t asked_us, started_us, stopped_us, usage_us;
    int64_t sample_us, sample_gap_us; /* when the next sample is due, and how long after it the one after it */
    int killed_for;                   /* enum limit, or -1 */
    bool has_cell, ended, died, cancelled, gone;
};

/* A report on its way: `context` is the supervisor. */
void supervisor_report(void *context, struct report *to_send);
/* Policy, pins, pipes and cell; then the program starts. On failure what was made stays, for the caller to undo. */
int supervisor_start(struct supervisor *supervisor, struct err *err) MUST_USE;

/* Carries over what a run that ended well has written. What was not is said in `exit`. */
void supervisor_commit(struct supervisor *supervisor, struct report_exit *exit);

static inline uint64_t supervisor_limit(const struct supervisor *supervisor, enum limit limit)
{
    return supervisor->granted.limits.value[limit];
}

#endif
