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
        print_row("%-14s %-17s %-14s expected %-14s %-10s%s", row->escape, row->executor,
                  row->outcome ? row->outcome : "?", row->expected ? row->expected : "?",
                  row->status ? row->status : "-", row->as_expected ? "" : " UNEXPECTED");
        if (row->denial)
            print_row("               denied: %s", row->denial);
        if (row->effects)
            print_row("               effects: %s", row->effects);
    }
}

/* ---- the matrix --------------------------------------------------------------------------------------------------- */

/* A cell: what is not as expected has a mark. */
static void print_cell(const struct escape_row *row, struct buf *line)
{
    struct buf cell;

    buf_init(&cell, 64);
    buf_addf(&cell, "%s%s", strcmp(row->outcome ? row->outcome : "?", "escaped") == 0 ? "ESCAPED" : row->outcome,
             row->as_expected ? "" : " !");
    buf_addf(line, " %-15s", cell.data ? cell.data : "?");
    buf_done(&cell);
}

static void print_heads(const struct escape_row *rows, size_t executors)
{
    struct buf line;

    buf_init(&line, 4096);
    buf_addf(&line, "%-14s", "attack");
    for (size_t i = 0; i < executors; i++)
        buf_addf(&line, " %-15s", executor_find(rows[i].executor)->short_name);
    print_row("%s", line.data);
    buf_done(&line);
}

/* Attacks by executors; which of those stand in decoy cells is said below. Rows come attack by attack. */
static void print_matrix(const struct escape_row *rows, size_t count)
{
    size_t executors = 1;
    struct buf line;

    while (executors < count && strcmp(rows[executors].escape, rows[0].escape) == 0)
        executors++;
    if (executors == 1 || count % executors)
        return;
    buf_init(&line, 64 << 10);
    print_heads(rows, executors);
    for (size_t i = 0; i < count; i++) {
        if (i % executors == 0)
            buf_addf(&line, "%-14s", rows[i].escape);
        print_cell(&rows[i], &line);
        if ((i + 1) % executors == 0) {
            print_row("%s", line.data);
            buf_clear(&line);
        }
    }
    for (size_t i = 0; i < executors; i++) {
        const struct executor *executor = executor_find(rows[i].executor);
        if (executor->decoy)
            buf_addf(&line, "%s%s", line.len ? ", " : "", executor->short_name);
    }
    if (line.len)
        print_row("in decoy cells: %s; what escaped there reached a throw-away copy and a listener of the decoy's own",
                  line.data);
    buf_done(&line);
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
    print_matrix(rows, count);
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

/* Without -x: all executors; with layers switched off, the first alone. */
static const char **choose_executors(const struct arguments *arguments, struct err *err)
{
    const char *list = arguments->value[OPTION_EXECUTOR];
    const struct executor *each;
    struct buf names;
    const char **chosen;

    buf_init(&names, 4096);
    for (size_t i = 0; !list && (each = executor_at(i)) && (i == 0 || !arguments_has(arguments, OPTION_UNSAFE)); i++)
        buf_addf(&names, "%s%s", i ? "," : "", each->name);
    chosen = task_executors(list ? list : names.data, err);
    buf_done(&names);
    return chosen;
}

int command_escapes(const struct arguments *arguments)
{
    const char **executors;
    struct task task;
    struct err err = {0};
    int status = EXIT_USAGE;

    executors = choose_executors(arguments, &err);
    if (!executors || task_open(&task, arguments, NULL, TASK_LOG | TASK_SPAWNER | TASK_QUIET, &err) < 0) {
        print_failure(&err);
    } else {
        status = run_escapes(&task, arguments, executors);
        task_done(&task);
    }
    free(executors);
    return status;
}
