/*
 * Escape attempts: each runs in a fresh copy of the analytics case, with
 * canaries made for the run. The outcome is read from effects (a canary in
 * what came out, hashes, a listener, processes), never from a program's words.
 */
#ifndef TECHO_CORE_ESCAPE_H
#define TECHO_CORE_ESCAPE_H

#include "engine.h"

struct escape_row {
    const char *escape, *executor; /* borrowed */
    char *outcome;  /* "contained", "escaped", "not applicable", "failed": it did not get as far as the attack */
    char *expected; /* "contained" */
    char *status;   /* of the run */
    char *denial;   /* the denial that stopped it: path or address, permission, layer, program line; NULL */
    char *effects;  /* what was checked afterwards: "canary unread, 10 files unchanged, listener silent" */
    bool as_expected;
};

struct escape_options {
    const char *const *executors; /* NULL-terminated */
    const char *const *ids;       /* NULL-terminated; NULL: all */
    int spawner_fd;
    enum sandbox_notify notify;
    bool unsafe;      /* in decoy cells, around the copy of each attempt */
    uint32_t without; /* layers that are off there */
    struct session *session; /* borrowed; all runs are logged there */
};

struct escape_run;
int escape_run_new(const struct escape_options *options, struct escape_run **ret_run, struct err *err) MUST_USE;
void escape_run_free(struct escape_run *run);
/* Poll-driven as the engine is; it owns an engine for the attack that runs. */
size_t escape_run_poll_fds(const struct escape_run *run, struct pollfd *fds, size_t max);
int64_t escape_run_deadline(const struct escape_run *run);
void escape_run_dispatch(struct escape_run *run, const struct pollfd *fds, size_t count);
bool escape_run_finished(const struct escape_run *run);
void escape_run_cancel(struct escape_run *run);
const struct escape_row *escape_run_rows(const struct escape_run *run, size_t *ret_count);

#endif
