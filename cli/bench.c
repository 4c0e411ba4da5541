/* techo bench: a case's questions through executors; a row for each as it ends, then the sum. */
#include "commands.h"

#include <stdlib.h>
#include <string.h>

#include "exits.h"
#include "lines.h"
#include "loop.h"
#include "print.h"
#include "task.h"

/* A bench as the loop sees it, and how much of it is printed. */
struct showing {
    struct task *task;   /* borrowed */
    struct bench *bench; /* owned */
    size_t printed;
    bool cancelled;
};

static const char *time_text(int64_t us, struct buf *text)
{
    buf_clear(text);
    line_time(us, text);
    return text->data ? text->data : "";
}

static void print_head(void)
{
    print_row("%-10s %-16s %-7s %-10s %8s %9s %9s %9s  %s", "question", "executor", "verdict", "status", "attempts",
              "total", "run", "isolation", "level");
}

static void print_result(const struct bench_row *row)
{
    struct buf total, run, setup;

    buf_init(&total, 64);
    buf_init(&run, 64);
    buf_init(&setup, 64);
    print_row("%-10s %-16s %-7s %-10s %8u %9s %9s %9s  %s", row->question, row->executor,
              row->verdict ? row->verdict : "none", row->status ? row->status : "-", row->attempts,
              time_text(row->total_us, &total), time_text(row->run_us, &run), time_text(row->setup_us, &setup),
              row->level ? row->level : "-");
    if (row->why)
        print_row("           %s", row->why);
    buf_done(&total);
    buf_done(&run);
    buf_done(&setup);
}

/* Layers are the same for most rows: said once for each set, and for how many rows. */
static void print_layers(const struct bench_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t same = 0;
        bool seen = false;
        const char *layers = rows[i].layers ? rows[i].layers : "none: nothing ran";
        const char *level = rows[i].level ? rows[i].level : "-";
        for (size_t j = 0; j < count; j++) {
            bool equal = strcmp(rows[j].layers ? rows[j].layers : "none: nothing ran", layers) == 0 &&
                         strcmp(rows[j].level ? rows[j].level : "-", level) == 0;
            seen |= equal && j < i;
            same += equal;
        }
        if (!seen)
            print_row("level %s, layers in force: %s (%zu of %zu)", level, layers, same, count);
    }
}

static void print_new(struct showing *showing)
{
    size_t count;
    const struct bench_row *rows = bench_rows(showing->bench, &count);

    for (; showing->printed < count; showing->printed++)
        print_result(&rows[showing->printed]);
}

static size_t poll_fds(void *context, struct pollfd *fds, size_t max)
{
    return engine_poll_fds(((struct showing *)context)->task->engine, fds, max);
}

static int64_t deadline(void *context)
{
    return engine_deadline(((struct showing *)context)->task->engine);
}

static void dispatch(void *context, const struct pollfd *fds, size_t count)
{
    struct showing *showing = context;

    engine_dispatch(showing->task->engine, fds, count);
    if (!showing->cancelled)
        bench_advance(showing->bench);
    print_new(showing);
}

static bool busy(void *context)
{
    struct showing *showing = context;

    if (showing->cancelled)
        return engine_busy(showing->task->engine);
    return !bench_finished(showing->bench);
}

static void cancel(void *context)
{
    struct showing *showing = context;

    showing->cancelled = true;
    engine_cancel(showing->task->engine);
}

/* Which of the executors hold nothing themselves. */
static void print_decoys(const struct bench_row *rows, size_t count)
{
    struct buf names;

    buf_init(&names, 4096);
    for (size_t i = 0; i < count && strcmp(rows[i].question, rows[0].question) == 0; i++) {
        const struct executor *executor = executor_find(rows[i].executor);
        if (executor && executor->decoy)
            buf_addf(&names, "%s%s", names.len ? ", " : "", executor->name);
    }
    if (names.len)
        print_row("in decoy cells, each on a throw-away copy: %s", names.data);
    buf_done(&names);
}

/* The sum: on the screen, in the `end` event, as exit status. */
static int finish(struct showing *showing, int looped)
{
    size_t count, right = 0, wrong = 0, total = bench_total(showing->bench);
    const struct bench_row *rows = bench_rows(showing->bench, &count);
    cJSON *totals = cJSON_CreateObject();

    for (size_t i = 0; i < count; i++) {
        const char *verdict = rows[i].verdict ? rows[i].verdict : "none";
        right += strcmp(verdict, "right") == 0;
        wrong += strcmp(verdict, "wrong") == 0;
    }
    print_layers(rows, count);
    print_decoys(rows, count);
    print_row("%zu of %zu right, %zu wrong, %zu without an answer", right, total, wrong, total - right - wrong);
    cJSON_AddNumberToObject(totals, "right", (double)right);
    cJSON_AddNumberToObject(totals, "wrong", (double)wrong);
    cJSON_AddNumberToObject(totals, "failed", (double)(total - right - wrong));
    cJSON_AddNumberToObject(totals, "total", (double)total);
    task_end(showing->task, looped < 0 ? "cancelled" : right == total ? "ok" : "failed", totals);
    if (looped < 0)
        return EXIT_CANCELLED;
    return right == total ? EXIT_DONE : EXIT_CHECK_FAILED;
}

static int run_bench(struct task *task, const char **executors, struct err *err)
{
    struct showing showing = {.task = task};
    const struct bench_options options = {task->engine, task->session, task->kase, executors};
    const struct loop_work work = {&showing, poll_fds, deadline, dispatch, busy, cancel};
    int status;

    if (bench_new(&options, &showing.bench, err) < 0) {
        print_failure(err);
        task_end(task, "failed", NULL);
        return EXIT_USAGE;
    }
    print_head();
    bench_advance(showing.bench);
    status = finish(&showing, loop_run(&work));
    bench_free(showing.bench);
    return status;
}

int command_bench(const struct arguments *arguments)
{
    const char *list = arguments->value[OPTION_EXECUTOR];
    const char **executors;
    struct task task;
    struct err err = {0};
    int status = EXIT_USAGE;

    executors = task_executors(list ? list : executor_at(0)->name, &err);
    if (!executors || task_open(&task, arguments, arguments->word_count ? arguments->words[0] : "analytics",
                                TASK_LOG | TASK_ENGINE | TASK_QUIET, &err) < 0) {
        print_failure(&err);
    } else {
        status = run_bench(&task, executors, &err);
        task_done(&task);
    }
    free(executors);
    return status;
}
