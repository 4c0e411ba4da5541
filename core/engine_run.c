/* The engine's grant and run: what the program asked for, what it gets, and the run under that. */
#include "engine_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "throwaway.h"

/* ---- requires -----------------------------------------------------------------------------------------------------
 */

struct reading {
    struct engine *engine;
    enum grant_origin origin;
    bool failed;
};

static void note_broken(const struct reading *reading, unsigned line, const struct err *err)
{
    struct buf text;
    buf_init(&text, 4096);
    buf_addf(&text, "%s line %u: this require is not understood, and grants nothing: %.*s",
             reading->origin == GRANT_PREAMBLE ? "preamble" : "program", line, (int)strcspn(err->text, "\n"),
             err->text);
    engine_note(reading->engine, text.data);
    buf_done(&text);
}

static void on_require(void *context, unsigned line, const struct policy_item *item, const struct limits *limits,
                       const struct err *err)
{
    struct reading *reading = context;
    struct engine_attempt *attempt = &reading->engine->attempt;
    struct require require = {.origin = reading->origin, .line = line};
    if (item) {
        reading->failed |= policy_parse(item->text, &require.policy, NULL) < 0;
    } else if (limits) {
        require.limits = true;
        require.policy.limits = *limits;
    } else {
        require.broken = true;
        note_broken(reading, line, err);
    }
    struct require *list = realloc(attempt->requires, (attempt->require_count + 1) * sizeof *list);
    if (!list) {
        reading->failed = true;
        policy_done(&require.policy);
        return;
    }
    attempt->requires = list;
    list[attempt->require_count++] = require;
}

int engine_read_requires(struct engine *engine, struct err *err)
{
    const char *comment = engine->job.executor->comment;
    struct reading reading = {.engine = engine, .origin = GRANT_PREAMBLE};
    int result = engine->preamble ? policy_read_requires(engine->preamble, comment, on_require, &reading) : 0;
    reading.origin = GRANT_LINE;
    if (result == 0) {
        result = policy_read_requires(engine->attempt.program, comment, on_require, &reading);
    }
    return result < 0 || reading.failed ? err_set(err, -ENOMEM, "out of memory") : 0;
}

struct grant_request *engine_requests(const struct engine *engine)
{
    const struct engine_attempt *attempt = &engine->attempt;
    struct grant_request *list = calloc(attempt->require_count + 1, sizeof *list);
    for (size_t i = 0; list && i < attempt->require_count; i++) {
        const struct require *require = &attempt->requires[i];
        list[i] = (struct grant_request){
            .item = require->policy.count ? &require->policy.items[0] : NULL,
            .limits = require->limits ? &require->policy.limits : NULL,
            .origin = require->origin,
            .line = require->line,
        };
    }
    return list;
}

/* A require that cannot be read is still one: such a program must not get the whole ceiling by default. */
static bool declares(const struct engine *engine)
{
    for (size_t i = 0; i < engine->attempt.require_count; i++) {
        if (!engine->attempt.requires[i].limits) {
            return true;
        }
    }
    return false;
}

/* ---- grant --------------------------------------------------------------------------------------------------------
 */

/* The ceiling has something that this build cannot serve: nothing runs under a policy that is not what it says. */
static const struct grant_row *find_unserved(const struct grant *grant)
{
    for (size_t i = 0; i < grant->count; i++) {
        if (grant->rows[i].state == GRANT_UNSERVED) {
            return &grant->rows[i];
        }
    }
    return NULL;
}

static int compute(struct engine *engine, bool command, struct err *err)
{
    struct engine_attempt *attempt = &engine->attempt;
    struct grant_request *requests = engine_requests(engine);
    if (!requests) {
        return err_set(err, -ENOMEM, "out of memory");
    }
    const struct grant_input input = {
        .root = engine->root,
        .home = engine->home,
        .ceiling = &engine->ceiling,
        .requests = requests,
        .request_count = attempt->require_count,
        .default_is_ceiling = !declares(engine),
        .ambient = command ? AMBIENT_WHOLE_CEILING : AMBIENT_NATIVE,
    };
    int result = grant_compute(&input, &attempt->grant, err);
    free(requests);
    if (result < 0) {
        return result;
    }
    const struct place place = engine_place(engine);
    const struct rows_input rows = {
        .place = &place,
        .grant = &attempt->grant,
        .ceiling = &engine->ceiling,
        .root = engine->root,
        .home = engine->home,
        .command = command,
    };
    result = rows_from_grant(&rows, &attempt->rows, err);
    if (result < 0) {
        grant_done(&attempt->grant);
        return result;
    }
    attempt->granted = true;
    return 0;
}

static void start_client(struct engine *engine)
{
    struct engine_attempt *attempt = &engine->attempt;
    attempt->client = (struct cell_client){
        .place = engine_place(engine),
        .executor = engine->job.executor,
        .request = &attempt->cell.request,
        .versions = attempt->cell.versions,
        .ceiling = &engine->ceiling,
        .root = engine->root,
        .home = engine->home,
        .program = attempt->program,
        .declared = declares(engine),
        .needle = engine->needle,
        .rows = &attempt->rows,
    };
    cell_client_init(&attempt->client);
    attempt->client_ready = true;
}

static void after_run(struct engine *engine)
{
    if (engine->job.task == TASK_EXEC || engine->job.escape) {
        engine_finish(engine, sandbox_status_name(engine->attempt.client.status));
    } else {
        engine_answer(engine);
    }
}

void engine_give_up(struct engine *engine, enum sandbox_status status, const char *why)
{
    const char *line_end = strchr(why, '\n');
    struct buf line;
    buf_init(&line, ERR_TEXT_MAX);
    buf_add(&line, why, line_end ? (size_t)(line_end - why) : strlen(why));
    engine_phase_end(engine, sandbox_status_name(status), NULL);
    if (!engine->attempt.client_ready) {
        start_client(engine);
    }
    cell_client_end(&engine->attempt.client, status, line.data);
    buf_done(&line);
    after_run(engine);
}

/* Grants; false when that ended the question. */
static bool grant(struct engine *engine, bool command)
{
    struct err err;
    struct buf detail;
    struct engine_attempt *attempt = &engine->attempt;
    engine_phase(engine, "grant");
    if (compute(engine, command, &err) < 0) {
        engine_give_up(engine, err.code == -ENOMEM ? STATUS_SETUP : STATUS_REFUSED, err.text);
        return false;
    }
    buf_init(&detail, 4096);
    const struct grant_row *unserved = find_unserved(&attempt->grant);
    if (unserved) {
        buf_addf(&detail, "%s%s%s in the ceiling: %s", unserved->name, unserved->scope ? "=" : "",
                 unserved->scope ? unserved->scope : "", unserved->why);
        engine_give_up(engine, STATUS_REFUSED, detail.data);
    } else {
        buf_addf(&detail, "%zu/%zu", attempt->rows.item_count, attempt->rows.count);
        engine_phase_end(engine, "ok", detail.data);
    }
    buf_done(&detail);
    return !unserved;
}

/* ---- decoy executors ----------------------------------------------------------------------------------------------
 */

/* What holds nothing: the limits stay as caps, and the supervisor as what ends the run. */
enum {
    DECOY_WITHOUT = 1u << LAYER_NAMESPACES | 1u << LAYER_MOUNTS | 1u << LAYER_LANDLOCK | 1u << LAYER_SECCOMP |
                    1u << LAYER_NOTIFY
};

static bool is_decoy(const struct engine *engine)
{
    return engine->job.executor && engine->job.executor->decoy;
}

/* No path of the host is granted: in the decoy there is none. */
static int decoy_grant(const struct engine *engine, struct buf *to)
{
    struct policy granted;
    int result = policy_parse(engine->attempt.rows.request, &granted, NULL);
    if (result < 0) {
        return result;
    }
    buf_add_text(to, "stdout,time,random");
    for (int i = 0; i < _LIMIT_MAX; i++) {
        buf_addf(to, ",%s=", limit_name((enum limit)i));
        limit_format((enum limit)i, granted.limits.value[i], to);
    }
    policy_done(&granted);
    return to->failed;
}

/* Where the program works: the root, or for a decoy executor the throw-away folder; NULL: it cannot be made. */
static const char *find_place(struct engine *engine, struct err *err)
{
    struct engine_attempt *attempt = &engine->attempt;
    if (!is_decoy(engine) || engine->decoy) {
        return engine->root;
    }
    return throwaway_make(engine->root, &attempt->throwaway, err) < 0 ? NULL : attempt->throwaway;
}

static void enter_decoy(struct engine *engine)
{
    struct sandbox_request *request = &engine->attempt.cell.request;
    if (!is_decoy(engine)) {
        return;
    }
    request->without |= DECOY_WITHOUT;
    request->decoy = engine->decoy ? engine->decoy : engine->attempt.throwaway;
    request->decoy_port = engine->decoy_port;
    request->decoy_socket = engine->decoy_socket;
}

/* ---- run ----------------------------------------------------------------------------------------------------------
 */

static void start(struct engine *engine)
{
    struct err err;
    struct engine_attempt *attempt = &engine->attempt;
    attempt->cell.request.direct = engine->direct;
    attempt->cell.request.own = engine->own;
    attempt->cell.request.decoy = engine->decoy;
    attempt->cell.request.without = engine->without;
    enter_decoy(engine);
    start_client(engine);
    attempt->cell.request.stdin_fd = engine->own_stdin ? STDIN_FILENO : -1;
    if (sandbox_start(engine->spawner_fd, &attempt->cell.request, &attempt->fd, &err) < 0) {
        engine_give_up(engine, STATUS_SETUP, err.text);
        return;
    }
    engine->step = STEP_RUN;
}

void engine_run_program(struct engine *engine)
{
    struct err err;
    struct engine_attempt *attempt = &engine->attempt;
    struct buf limits;
    if (!grant(engine, is_decoy(engine))) {
        return;
    }
    engine_phase(engine, "run");
    const char *place = find_place(engine, &err);
    if (!place) {
        engine_give_up(engine, STATUS_SETUP, err.text);
        return;
    }
    buf_init(&limits, 4096);
    if (is_decoy(engine) && decoy_grant(engine, &limits) < 0) {
        buf_done(&limits);
        engine_give_up(engine, STATUS_SETUP, "out of memory");
        return;
    }
    const struct runner_program program = {
        .executor = engine->job.executor,
        .root = place,
        .granted = is_decoy(engine) ? limits.data : attempt->rows.request,
        .preamble = engine->preamble,
        .text = attempt->program,
        .len = attempt->program_len,
        .notify = engine->notify,
    };
    int result = runner_prepare(&program, &attempt->cell, &err);
    buf_done(&limits);
    if (result < 0) {
        engine_give_up(engine, STATUS_SETUP, err.text);
        return;
    }
    start(engine);
}

void engine_run_command(struct engine *engine, const char *const *argv)
{
    struct err err;
    struct engine_attempt *attempt = &engine->attempt;
    if (!grant(engine, true)) {
        return;
    }
    engine_phase(engine, "run");
    if (runner_prepare_command(engine->root, attempt->rows.request, argv, engine->notify, &attempt->cell, &err) < 0) {
        engine_give_up(engine, STATUS_SETUP, err.text);
        return;
    }
    start(engine);
}

static void end_run(struct engine *engine)
{
    struct engine_attempt *attempt = &engine->attempt;
    struct buf text;
    buf_init(&text, 64 << 10);
    close_descriptor(&attempt->fd);
    engine_drop_held(engine);
    attempt->cancel_deadline = 0;
    buf_addf(&text, "%s %lldms", sandbox_status_name(attempt->client.status), (long long)attempt->client.run_us / 1000);
    engine_phase_end(engine, sandbox_status_name(attempt->client.status), text.data);
    const struct place place = engine_place(engine);
    buf_clear(&text);
    if (!is_decoy(engine)) { /* there nothing is counted */
        rows_least(&attempt->rows, &place, &text);
    }
    buf_done(&text);
    if (attempt->client.status == STATUS_CANCELLED) {
        engine->cancelled = true;
    }
    after_run(engine);
}

void engine_run_report(struct engine *engine, const struct report *report)
{
    if (report->kind == REPORT_HELD) {
        engine_hold(engine, &report->held);
        return;
    }
    cell_client_report(&engine->attempt.client, report);
    if (engine->attempt.client.exited) {
        end_run(engine);
    }
}

void engine_run_lost(struct engine *engine, const char *why)
{
    cell_client_end(&engine->attempt.client, engine->cancelled ? STATUS_CANCELLED : STATUS_SETUP, why);
    end_run(engine);
}
