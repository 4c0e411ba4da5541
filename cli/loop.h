/* The one place where a command waits: descriptors of the engine, its deadline, and signals. */
#ifndef TECHO_CLI_LOOP_H
#define TECHO_CLI_LOOP_H

#include "../core/core.h"

/* What is waited for: an engine, a bench over one, or a run of escapes. All functions get `context`. */
struct loop_work {
    void *context;
    size_t (*poll_fds)(void *context, struct pollfd *fds, size_t max);
    int64_t (*deadline)(void *context);
    void (*dispatch)(void *context, const struct pollfd *fds, size_t count);
    bool (*busy)(void *context);
    void (*cancel)(void *context);
};

/* SIGINT, SIGTERM and SIGHUP wake the loop from here on. */
int loop_init(struct err *err) MUST_USE;
/*
 * Until the work is no longer busy. The first signal cancels it and waits for its last words; the second leaves at
 * once. Returns 0, or -EINTR when it was cancelled.
 */
int loop_run(const struct loop_work *work);
/* An engine as work. */
int loop_engine(struct engine *engine);
/* Waits; false when a signal came. */
bool loop_sleep_us(int64_t us);

#endif
