/* techo escapes: attacks times executors; what came of each, and what stopped it. */
#include "commands.h"

#include <stdlib.h>
#include <string.h>

#include "exits.h"
#include "loop.h"
#include "print.h"
#include "task.h"

struct showing {
    struct escape_run *run; /* owned */
    size_t printed;
};

static void print_new(struct showing *showing)
{
    size_t count;
    const struct escape_row *rows = escape_run_rows(showing->run, &count);

    for (; showing->printed < count; showing->printed++) {
        const struct escape_row *row = &rows[showing->printed];
        print_row("%-14s %-16s %-14s expected %-14s %-10s%s", row->escape, row->executor,
                  row->outcome ? row->outcome : "?", row->expected ? row->expected : "?",
                  row->status ? row->status : "-", row->as_expected ? "" : " UNEXPECTED");
        if (row->denial)
            print_row("               denied: %s", row->denial);
        if (row->effects)
            print_row("               effects: %s", row->effects);
    }
}

static size_t poll_fds(void *context, struct pollfd *fds, size_t max)
{
    return escape_run_poll_fds(((struct showing *)context)->run, fds, max);
}

static int64_t deadline(void *context)
{
    return escape_run_deadline(((struct showing *)context)->run);
}

static void dispatch(void *context, const struct pollfd *fds, size_t count)
{
    struct showing *showing = context;

    escape_run_dispatch(showing->run, fds, count);
    print_new(showing);
}

static bool busy(void *context)
{
    return !escape_run_finished(((struct showing *)context)->run);
}

static void cancel(void *context)
{
    escape_run_cancel(((struct showing *)context)->run);
}

static size_t outcomes(const struct escape_row *rows, size_t count, const char *outcome)
{
    size_t found = 0;

    for (size_t i = 0; i < count; i++)
        found += rows[i].outcome && strcmp(rows[i].outcome, outcome) == 0;
    return found;
}

static int finish(struct task *task, const struct escape_run *run, int looped)
{
    size_t count, unexpected = 0;
    const struct escape_row *rows = escape_run_rows(run, &count);
    cJSON *totals = cJSON_CreateObject();
    bool good;

    for (size_t i = 0; i < count; i++)
        unexpected += !rows[i].as_expected;
    good = count > 0 && unexpected == 0;
    print_row("%zu of %zu contained, %zu escaped, %zu not applicable, %zu not as expected",
              outcomes(rows, count, "contained"), count, outcomes(rows, count, "escaped"),
              outcomes(rows, count, "not applicable"), unexpected);
    cJSON_AddNumberToObject(totals, "contained", (double)outcomes(rows, count, "contained"));
    cJSON_AddNumberToObject(totals, "escaped", (double)outcomes(rows, count, "escaped"));
    cJSON_AddNumberToObject(totals, "not_applicable", (double)outcomes(rows, count, "not applicable"));
    cJSON_AddNumberToObject(totals, "unexpected", (double)unexpected);
    cJSON_AddNumberToObject(totals, "total", (double)count);
    task_end(task, looped < 0 ? "cancelled" : good ? "ok" : "failed", totals);
    if (looped < 0)
        return EXIT_CANCELLED;
    return good ? EXIT_DONE : EXIT_CHECK_FAILED;
}

static int run_escapes(struct task *task, const struct arguments *arguments, const char **executors)
{
    struct showing showing = {0};
    struct err err = {0};
    const struct escape_options options = {
        .executors = executors,
        .ids = arguments->word_count ? arguments->words : NULL,
        .spawner_fd = SANDBOX_SPAWNER_FD,
        .notify = task_notify(arguments),
        .unsafe = task->unsafe,
        .without = task->without,
        .session = task->session,
    };
    const struct loop_work work = {&showing, poll_fds, deadline, dispatch, busy, cancel};
    int status;

    if (escape_run_new(&options, &showing.run, &err) < 0) {
        print_failure(&err);
        task_end(task, "failed", NULL);
        return EXIT_USAGE;
    }
    status = finish(task, showing.run, loop_run(&work));
    escape_run_free(showing.run);
    return status;
}

int command_escapes(const struct arguments *arguments)
{
    const char *list = arguments->value[OPTION_EXECUTOR];
    const char **executors;
    struct task task;
    struct err err = {0};
    int status = EXIT_USAGE;

    executors = task_executors(list ? list : executor_at(0)->name, &err);
    if (!executors || task_open(&task, arguments, NULL, TASK_LOG | TASK_SPAWNER | TASK_QUIET, &err) < 0) {
        print_failure(&err);
    } else {
        status = run_escapes(&task, arguments, executors);
        task_done(&task);
    }
    free(executors);
    return status;
}
