/* The engine's inspection: the language's own parser reads the program in a cell of its own, before it runs. */
#include "engine_internal.h"

#include <stdlib.h>
#include <string.h>

#include "inspect/inspect.h"

/* Does what inspection finds, or cannot look for, keep the program from running? */
static bool blocks(const struct engine *engine)
{
    return engine->inspect == INSPECT_BLOCK && !engine->job.force && !engine->job.escape;
}

static void go_on(struct engine *engine)
{
    if (engine->job.task == TASK_CHECK) {
        engine_finish(engine, "ok");
    } else {
        engine_run_program(engine);
    }
}

/* A machine that cannot inspect a program that was to be inspected runs it no more than one that was found wanting. */
static void stop_uninspected(struct engine *engine, enum sandbox_status status, const char *why)
{
    struct buf text;
    buf_init(&text, 4096);
    buf_addf(&text, "the program was not inspected: %.1000s", why);
    if (engine->job.task == TASK_CHECK) {
        engine_note(engine, text.data);
        engine_phase_end(engine, "failed", NULL);
        engine_finish(engine, "failed");
    } else if (blocks(engine)) {
        engine_give_up(engine, status, text.data);
    } else {
        engine_note(engine, text.data);
        engine_phase_end(engine, "failed", NULL);
        go_on(engine);
    }
    buf_done(&text);
}

void engine_inspect_lost(struct engine *engine, const char *why)
{
    runner_cell_done(&engine->attempt.cell);
    stop_uninspected(engine, STATUS_SETUP, why);
}

void engine_inspect(struct engine *engine)
{
    struct err err;
    const char *tool = inspect_tool(engine->job.executor->language);
    bool wanted = engine->inspect != INSPECT_OFF || engine->job.task == TASK_CHECK;
    if (!tool || !wanted) {
        go_on(engine);
        return;
    }
    struct engine_attempt *attempt = &engine->attempt;
    engine_phase(engine, "inspect");
    int result = runner_prepare_tool(tool, attempt->program, attempt->program_len, &attempt->cell, &err);
    if (result == 0) {
        result = sandbox_start(engine->spawner_fd, &attempt->cell.request, &attempt->fd, &err);
    }
    if (result < 0) {
        runner_cell_done(&attempt->cell);
        stop_uninspected(engine, STATUS_SETUP, err.text);
        return;
    }
    engine->step = STEP_INSPECT;
}

/* ---- findings -----------------------------------------------------------------------------------------------------
 */

static void emit_finding(struct engine *engine, const struct inspect_finding *finding)
{
    struct event *event = engine_event(engine, EVENT_FINDING);
    cJSON *span = cJSON_CreateObject();
    cJSON_AddNumberToObject(span, "line", finding->line);
    cJSON_AddNumberToObject(span, "column", finding->column);
    cJSON_AddNumberToObject(span, "end_line", finding->end_line);
    cJSON_AddNumberToObject(span, "end_column", finding->end_column);
    event_set_text(event, "rule", finding->rule);
    event_set_text(event, "severity", finding->severity);
    event_set_text(event, "text", finding->text);
    event_set_text(event, "permission", finding->permission);
    event_set_json(event, "span", span);
    event_set_bool(event, "blocked", strcmp(finding->severity, "block") == 0 && blocks(engine));
    engine_emit(engine, event);
}

static size_t count_severity(const struct inspection *inspection, const char *severity)
{
    size_t count = 0;
    for (size_t i = 0; i < inspection->count; i++) {
        count += strcmp(inspection->findings[i].severity, severity) == 0;
    }
    return count;
}

static void add_told(const struct inspection *inspection, struct buf *to)
{
    buf_add_text(to, "The program was not run. It does what the permissions do not cover:\n");
    for (size_t i = 0; i < inspection->count; i++) {
        const struct inspect_finding *finding = &inspection->findings[i];
        if (strcmp(finding->severity, "block") == 0) {
            buf_addf(to, "- line %u: %.300s\n", finding->line, finding->text ? finding->text : finding->rule);
        }
    }
}

static void stop_blocked(struct engine *engine, const struct inspection *inspection)
{
    struct buf told, message;
    const struct inspect_finding *first = inspection->findings;
    while (strcmp(first->severity, "block") != 0) {
        first++;
    }
    buf_init(&told, 64 << 10);
    buf_init(&message, 4096);
    add_told(inspection, &told);
    buf_addf(&message, "inspection stopped the program at line %u: %.1000s", first->line,
             first->text ? first->text : first->rule);
    struct event *event = engine_event(engine, EVENT_EXIT);
    event_set_text(event, "status", sandbox_status_name(STATUS_BLOCKED));
    event_set_text(event, "message", message.data);
    engine_emit(engine, event);
    engine_attempt_failed(engine, told.data);
    buf_done(&told);
    buf_done(&message);
}

static void decide(struct engine *engine, const struct inspection *inspection)
{
    size_t block = count_severity(inspection, "block"), warn = count_severity(inspection, "warn");
    struct buf detail;
    for (size_t i = 0; i < inspection->count; i++) {
        emit_finding(engine, &inspection->findings[i]);
    }
    bool stop = block && blocks(engine) && engine->job.task != TASK_CHECK;
    buf_init(&detail, 256);
    if (block) {
        buf_addf(&detail, "block:%zu ", block);
    }
    if (warn) {
        buf_addf(&detail, "warn:%zu ", warn);
    }
    buf_addf(&detail, "%s", detail.len ? "" : "clean ");
    detail.data[--detail.len] = '\0';
    engine_phase_end(engine, stop ? "blocked" : "ok", detail.data);
    buf_done(&detail);
    if (stop) {
        stop_blocked(engine, inspection);
    } else {
        go_on(engine);
    }
}

/* The program broke its inspection, perhaps on purpose: that is a finding like any other, and blocks. */
static void decide_uninspected(struct engine *engine, const char *why)
{
    struct buf text;
    buf_init(&text, ERR_TEXT_MAX + 64);
    buf_addf(&text, "the program could not be inspected: %s", why);
    struct inspect_finding finding = {.rule = (char *)"uninspected",
                                      .severity = (char *)"block",
                                      .text = text.data,
                                      .line = 1,
                                      .column = 1,
                                      .end_line = 1,
                                      .end_column = 1};
    const struct inspection inspection = {.findings = &finding, .count = 1};
    decide(engine, &inspection);
    buf_done(&text);
}

static void judge(struct engine *engine)
{
    struct err err;
    struct inspection inspection;
    struct grant_request *requests = engine_requests(engine);
    const struct inspect_input input = {
        .output = engine->attempt.tool_output.data ? engine->attempt.tool_output.data : "",
        .len = engine->attempt.tool_output.len,
        .root = engine->root,
        .home = engine->home,
        .ceiling = &engine->ceiling,
        .declared = requests,
        .declared_count = engine->attempt.require_count,
    };
    int result = inspect_judge(&input, &inspection, &err);
    free(requests);
    if (result < 0) {
        decide_uninspected(engine, err.text);
        return;
    }
    decide(engine, &inspection);
    inspection_done(&inspection);
}

void engine_inspect_report(struct engine *engine, const struct report *report)
{
    struct engine_attempt *attempt = &engine->attempt;
    if (report->kind == REPORT_OUTPUT && report->output.stream == 1) {
        buf_add(&attempt->tool_output, report->output.bytes, report->output.len);
    }
    if (report->kind != REPORT_EXIT) {
        return;
    }
    close_descriptor(&attempt->fd);
    runner_cell_done(&attempt->cell);
    const char *message = report->exit.message ? report->exit.message : sandbox_status_name(report->exit.status);
    if (report->exit.status == STATUS_OK) {
        judge(engine);
    } else if (report->exit.status == STATUS_SETUP || report->exit.status == STATUS_REFUSED) {
        stop_uninspected(engine, report->exit.status, message);
    } else {
        decide_uninspected(engine, message);
    }
}
