/* Questions x executors through the engine, scored and timed. */
#ifndef TECHO_CORE_BENCH_H
#define TECHO_CORE_BENCH_H

#include "engine.h"

struct bench_row {
    const char *question; /* id; borrowed from the case */
    const char *executor;
    char *verdict; /* right, wrong, none; owned */
    char *status;  /* of the last attempt; owned */
    char *why;     /* when it is not right; owned; NULL */
    char *level, *layers; /* of the last attempt; owned; NULL */
    unsigned attempts;
    int64_t total_us, run_us, setup_us; /* whole question; last run; its isolation's share */
};

struct bench_options {
    struct engine *engine;   /* borrowed */
    struct session *session; /* borrowed */
    const struct case_info *kase;
    const char *const *executors; /* NULL-terminated */
};

struct bench;
int bench_new(const struct bench_options *options, struct bench **ret_bench, struct err *err) MUST_USE;
void bench_free(struct bench *bench);
/* Call it once, and after each engine_dispatch(): takes the result when a question has ended, asks the next. */
void bench_advance(struct bench *bench);
bool bench_finished(const struct bench *bench);
/* Rows done so far. */
const struct bench_row *bench_rows(const struct bench *bench, size_t *ret_count);
size_t bench_total(const struct bench *bench);

#endif
