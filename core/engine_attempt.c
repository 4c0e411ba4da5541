/* The engine's attempts: a model is asked, its answer becomes a program, an error goes back to it. */
#include "engine_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hash_internal.h"
#include "text_internal.h"
#include "throwaway.h"

/* ---- making and freeing -------------------------------------------------------------------------------------------
 */

void engine_job_done(struct engine_job *job)
{
    for (size_t i = 0; i < job->turn_count; i++) {
        free(job->turns[i].program);
        free(job->turns[i].told);
    }
    free(job->turns);
    free(job->id);
    free(job->text);
    *job = (struct engine_job){0};
}

void engine_attempt_init(struct engine_attempt *attempt)
{
    *attempt = (struct engine_attempt){.fd = -1};
    buf_init(&attempt->tool_output, 8 << 20);
}

void engine_attempt_done(struct engine_attempt *attempt)
{
    close_descriptor(&attempt->fd);
    if (attempt->extracting) {
        extract_done(&attempt->extract);
    }
    for (size_t i = 0; i < attempt->require_count; i++) {
        policy_done(&attempt->requires[i].policy);
    }
    if (attempt->granted) {
        rows_done(&attempt->rows);
        grant_done(&attempt->grant);
    }
    if (attempt->client_ready) {
        cell_client_done(&attempt->client);
    }
    for (size_t i = 0; i < attempt->held_count; i++) {
        free(attempt->held[i].scope);
        free(attempt->held[i].real);
    }
    runner_cell_done(&attempt->cell);
    throwaway_free(attempt->throwaway);
    buf_done(&attempt->tool_output);
    free(attempt->requires);
    free(attempt->program);
    free(attempt->by);
    *attempt = (struct engine_attempt){.fd = -1};
}

void engine_last_done(struct engine_last *last)
{
    free(last->program);
    free(last->by);
    *last = (struct engine_last){0};
}

void engine_next_attempt(struct engine *engine, const char *by)
{
    unsigned number = engine->attempt.number + 1;
    char *copy = strdup(by);
    engine_attempt_done(&engine->attempt);
    engine_attempt_init(&engine->attempt);
    engine->attempt.number = number;
    engine->attempt.by = copy;
}

/* ---- the model ----------------------------------------------------------------------------------------------------
 */

static void emit_prompt(struct engine *engine)
{
    const struct prompt_input input = {
        .executor = engine->job.executor,
        .question = engine->job.text,
        .files = &engine->files,
        .ceiling = &engine->ceiling,
        .preamble = engine->preamble,
        .turns = engine->job.turns,
        .turn_count = engine->job.turn_count,
    };
    char hash[HASH_TEXT_SIZE];
    cJSON *body = prompt_body(&input);
    char *text = cJSON_PrintUnformatted(body);
    struct event *event = engine_event(engine, EVENT_PROMPT);
    event_set_json(event, "body", body);
    if (text) {
        hash_bytes(text, strlen(text), hash);
        event_set_text(event, "hash", hash);
    }
    engine_emit(engine, event);
    cJSON_free(text);
}

static void on_piece(void *context, bool program, const char *text, size_t len)
{
    struct engine *engine = context;
    struct event *event = engine_event(engine, EVENT_DELTA);
    char *copy = strndup(text, len);
    event_set_text(event, "text", copy ? copy : "");
    event_set_text(event, "channel", program ? "program" : "prose");
    engine_emit(engine, event);
    free(copy);
}

void engine_ask_model(struct engine *engine)
{
    struct err err;
    const struct model_question question = {
        .id = engine->job.id,
        .language = engine->job.executor->language,
        .attempt = engine->attempt.number,
    };
    engine_phase(engine, "model");
    emit_prompt(engine);
    if (model_ask(engine->model, &question, &err) < 0) {
        engine_note(engine, err.text);
        engine_phase_end(engine, "failed", NULL);
        engine_finish(engine, "failed");
        return;
    }
    extract_init(&engine->attempt.extract, engine->job.executor->language, on_piece, engine);
    engine->attempt.extracting = true;
    engine->step = STEP_MODEL;
}

/* A part that came under its own channel; the program's is taken as it is. */
static void take_part(struct engine *engine, const struct model_piece *piece)
{
    if (strcmp(piece->channel, "program") == 0) {
        buf_add_text(&engine->attempt.extract.program, piece->text);
        on_piece(engine, true, piece->text, strlen(piece->text));
        return;
    }
    struct event *event = engine_event(engine, EVENT_DELTA);
    event_set_text(event, "text", piece->text);
    event_set_text(event, "channel", piece->channel);
    engine_emit(engine, event);
}

static void emit_response(struct engine *engine, const struct model_piece *end, enum extract_finish finish)
{
    static const char *const copied[] = {"ttft_us", "total_us", "tokens_in", "tokens_out"};
    struct event *event = engine_event(engine, EVENT_RESPONSE);
    event_set_text(event, "finish", extract_finish_name(finish));
    if (end->response) {
        event_set_text(event, "finish_raw", event_text(end->response, "finish_raw", NULL));
        event_set_text(event, "model", event_text(end->response, "model", NULL));
        for (size_t i = 0; i < sizeof copied / sizeof *copied; i++) {
            if (event_json(end->response, copied[i])) {
                event_set_int(event, copied[i], event_int(end->response, copied[i], 0));
            }
        }
    }
    engine_emit(engine, event);
}

static void take_answer(struct engine *engine, const struct model_piece *end)
{
    static const char *const told[] = {
        [EXTRACT_TRUNCATED] = "The answer was cut off before the program was complete. Answer again, shorter.",
        [EXTRACT_REFUSED] = "The answer holds no program. Answer with one fenced code block.",
        [EXTRACT_EMPTY] = "The answer is empty. Answer with one fenced code block.",
    };
    struct engine_attempt *attempt = &engine->attempt;
    enum extract_finish finish = extract_end(&attempt->extract, end->cut);
    emit_response(engine, end, finish);
    bool usable = finish == EXTRACT_COMPLETE || finish == EXTRACT_SEVERAL;
    engine_phase_end(engine, usable ? "ok" : "failed", usable ? NULL : extract_finish_name(finish));
    if (!usable) {
        engine_attempt_failed(engine, told[finish]);
        return;
    }
    struct err err;
    const struct buf *program = &attempt->extract.program;
    if (program->failed || engine_check_program(program->data, program->len, &err) < 0) {
        engine_note(engine, program->failed ? "the model's program is too big" : err.text);
        engine_attempt_failed(engine, program->failed ? "The program is too big." : err.text);
        return;
    }
    engine_take_program(engine, program->data, program->len, 0);
}

void engine_model_pieces(struct engine *engine)
{
    struct model_piece piece;
    while (engine->step == STEP_MODEL && model_next(engine->model, &piece)) {
        if (piece.kind == MODEL_TEXT) {
            extract_feed(&engine->attempt.extract, piece.text, strlen(piece.text));
        } else if (piece.kind == MODEL_PART) {
            take_part(engine, &piece);
        } else {
            take_answer(engine, &piece);
            return;
        }
    }
}

/* ---- the program --------------------------------------------------------------------------------------------------
 */

int engine_check_program(const char *text, size_t len, struct err *err)
{
    size_t blanks = 0;
    if (len > PROGRAM_MAX) {
        return err_set(err, -EINVAL, "the program has %zu bytes; more than 1 MiB is not run", len);
    }
    if (memchr(text, '\0', len)) {
        return err_set(err, -EINVAL, "the program holds a NUL byte (offset %zu): it is no text",
                       (size_t)((const char *)memchr(text, '\0', len) - text));
    }
    if (!text_is_utf8(text, len)) {
        return err_set(err, -EINVAL, "the program is not UTF-8 text");
    }
    while (blanks < len && strchr(" \t\r\n\f", text[blanks])) {
        blanks++;
    }
    return blanks == len ? err_set(err, -EINVAL, "the program is empty") : 0;
}

static unsigned count_lines(const char *text)
{
    unsigned lines = 0;
    for (; text && *text; lines++) {
        size_t length = strcspn(text, "\n");
        text += length + (text[length] == '\n');
    }
    return lines;
}

static void remember_program(struct engine *engine, const char *text, size_t len, uint64_t seq)
{
    struct engine_last last = {.program = strndup(text, len), .by = strdup(engine->attempt.by), .len = len, .seq = seq};
    engine_last_done(&engine->last);
    engine->last = last;
}

void engine_take_program(struct engine *engine, const char *text, size_t len, uint64_t parent)
{
    char hash[HASH_TEXT_SIZE];
    struct engine_attempt *attempt = &engine->attempt;
    struct event *event = engine_event(engine, EVENT_PROGRAM);
    attempt->program = strndup(text, len);
    attempt->program_len = len;
    hash_bytes(text, len, hash);
    event_set_text(event, "by", attempt->by);
    event_set_text(event, "language", engine->job.executor->language);
    event_set_bytes(event, "text", text, len);
    event_set_text(event, "hash", hash);
    if (engine->preamble) {
        event_set_bytes(event, "preamble", engine->preamble, strlen(engine->preamble));
        event_set_int(event, "preamble_lines", count_lines(engine->preamble));
    }
    if (parent) {
        event_set_int(event, "parent", (int64_t)parent);
    }
    remember_program(engine, text, len, engine_emit(engine, event));
    struct err err;
    int result = attempt->program ? engine_read_requires(engine, &err) : err_set(&err, -ENOMEM, "out of memory");
    if (result < 0) {
        engine_note(engine, err.text);
        engine_finish(engine, "failed");
        return;
    }
    engine_inspect(engine);
}

/* ---- what did not do ----------------------------------------------------------------------------------------------
 */

static bool remember_turn(struct engine *engine, const char *told)
{
    struct engine_job *job = &engine->job;
    struct prompt_turn *turns = realloc(job->turns, (job->turn_count + 1) * sizeof *turns);
    if (!turns) {
        return false;
    }
    job->turns = turns;
    turns[job->turn_count] = (struct prompt_turn){.program = engine->attempt.program, .told = strdup(told)};
    if (!turns[job->turn_count].told) {
        return false;
    }
    engine->attempt.program = NULL;
    job->turn_count++;
    return true;
}

void engine_attempt_failed(struct engine *engine, const char *told)
{
    bool more = engine->job.task == TASK_ASK && engine->attempt.number < engine->attempts && !engine->cancelled;
    if (!more || !remember_turn(engine, told)) {
        engine_finish(engine, engine->cancelled ? "cancelled" : "failed");
        return;
    }
    engine_next_attempt(engine, model_by(engine->model));
    engine_ask_model(engine);
}
