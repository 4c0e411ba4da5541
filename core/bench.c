/* Questions x executors through the engine, one after another, scored and timed. */
#include "bench.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct bench {
    struct engine *engine;             /* borrowed */
    struct session *session;           /* borrowed */
    const struct case_info *kase;      /* borrowed */
    const struct executor **executors; /* owned array */
    size_t executor_count;
    struct bench_row *rows; /* owned; room for all */
    size_t done, total;
    bool asked; /* the engine works on rows[done] */
    int64_t start;
};

int bench_new(const struct bench_options *options, struct bench **ret_bench, struct err *err)
{
    size_t count = 0;
    while (options->executors[count]) {
        count++;
    }
    struct bench *bench = calloc(1, sizeof *bench);
    size_t total = count * options->kase->question_count;
    if (bench) {
        bench->executors = calloc(count + 1, sizeof *bench->executors);
        bench->rows = calloc(total + 1, sizeof *bench->rows);
    }
    if (!bench || !bench->executors || !bench->rows) {
        bench_free(bench);
        return err_set(err, -ENOMEM, "out of memory");
    }
    bench->engine = options->engine;
    bench->session = options->session;
    bench->kase = options->kase;
    bench->executor_count = count;
    bench->total = total;
    for (size_t i = 0; i < count; i++) {
        bench->executors[i] = executor_find(options->executors[i]);
        if (!bench->executors[i]) {
            bench_free(bench);
            return err_set(err, -EINVAL, "unknown executor %s", options->executors[i]);
        }
    }
    *ret_bench = bench;
    return 0;
}

void bench_free(struct bench *bench)
{
    if (!bench) {
        return;
    }
    for (size_t i = 0; bench->rows && i < bench->total; i++) {
        free(bench->rows[i].verdict);
        free(bench->rows[i].status);
        free(bench->rows[i].why);
        free(bench->rows[i].level);
        free(bench->rows[i].layers);
    }
    free(bench->rows);
    free(bench->executors);
    free(bench);
}

static char *copy(const char *text)
{
    return text ? strdup(text) : NULL;
}

static char *join(char *const *list, size_t count)
{
    struct buf text;
    buf_init(&text, 4096);
    for (size_t i = 0; i < count; i++) {
        buf_addf(&text, "%s%s", i ? ", " : "", list[i]);
    }
    char *result = text.len ? buf_steal(&text) : NULL;
    buf_done(&text);
    return result;
}

static void take_attempt(struct bench_row *row, const struct state_attempt *attempt)
{
    row->status = copy(attempt->exit.status);
    row->run_us = attempt->exit.run_us;
    row->setup_us = attempt->exit.setup_us;
    row->level = copy(attempt->level);
    row->layers = join(attempt->layers, attempt->layer_count);
    row->verdict = copy(attempt->verdict ? attempt->verdict : "none");
    if (!attempt->verdict || strcmp(attempt->verdict, "right") != 0) {
        row->why = copy(attempt->verdict_why ? attempt->verdict_why : attempt->exit.message);
    }
}

/* The question that the engine was asked last has ended: its row is what the state shows of it. */
static void take_result(struct bench *bench)
{
    struct bench_row *row = &bench->rows[bench->done++];
    const struct state *state = session_state(bench->session);
    const struct state_question *question = state->question_count ? state->questions[state->question_count - 1] : NULL;
    const struct state_attempt *attempt = question ? state_last_attempt(question) : NULL;
    row->total_us = monotonic_us() - bench->start;
    row->attempts = question ? (unsigned)question->attempt_count : 0;
    if (attempt) {
        take_attempt(row, attempt);
    }
    if (!row->verdict) {
        row->verdict = copy("none");
    }
    if (!row->status) {
        row->status = copy("failed");
        row->why = row->why ? row->why : copy(state->note);
    }
    bench->asked = false;
}

static void ask(struct bench *bench)
{
    struct err err;
    const struct case_question *question = &bench->kase->questions[bench->done / bench->executor_count];
    const struct executor *executor = bench->executors[bench->done % bench->executor_count];
    struct bench_row *row = &bench->rows[bench->done];
    const struct engine_question asked = {.id = question->id, .text = question->text, .executor = executor->name};
    row->question = question->id;
    row->executor = executor->name;
    bench->start = monotonic_us();
    if (engine_ask(bench->engine, &asked, &err) < 0) {
        row->verdict = copy("none");
        row->status = copy("failed");
        row->why = copy(err.text);
        bench->done++;
        return;
    }
    bench->asked = true;
}

void bench_advance(struct bench *bench)
{
    while (!engine_busy(bench->engine)) {
        if (bench->asked) {
            take_result(bench);
        }
        if (bench->done == bench->total) {
            return;
        }
        ask(bench);
    }
}

bool bench_finished(const struct bench *bench)
{
    return bench->done == bench->total;
}

const struct bench_row *bench_rows(const struct bench *bench, size_t *ret_count)
{
    *ret_count = bench->done;
    return bench->rows;
}

size_t bench_total(const struct bench *bench)
{
    return bench->total;
}
