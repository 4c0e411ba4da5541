/* The engine's answer: what was printed, judged; and what goes back to the model when it did not do. */
#include "engine_internal.h"

#include <string.h>

/* What one run came to. */
struct outcome {
    const char *verdict; /* right, wrong, no known answer, none */
    cJSON *answer;       /* owned by the caller of emit_verdict() */
    struct buf why;
};

static void emit_verdict(struct engine *engine, struct outcome *outcome)
{
    const struct case_question *known = engine->job.known;
    struct event *event = engine_event(engine, EVENT_VERDICT);
    event_set_text(event, "verdict", outcome->verdict);
    event_set_text(event, "by", "judge");
    if (known && known->answer) {
        event_set_json(event, "expected", cJSON_Duplicate(known->answer, true));
        event_set_real(event, "tolerance", known->tolerance);
    }
    event_set_text(event, "why", outcome->why.len ? outcome->why.data : NULL);
    event_set_json(event, "answer", outcome->answer);
    engine_emit(engine, event);
}

/* "Norte 18234.5": the answer in a few words, for the pipeline line. */
static void add_short(const cJSON *answer, struct buf *to)
{
    enum { SHORT_MAX = 40 };
    char *text = answer ? cJSON_PrintUnformatted(answer) : NULL;
    if (text) {
        size_t length = strlen(text), cut = length < SHORT_MAX ? length : SHORT_MAX;
        while (cut < length && cut > 0 && ((unsigned char)text[cut] & 0xC0) == 0x80) {
            cut--; /* not within a character */
        }
        buf_add(to, text, cut);
    }
    cJSON_free(text);
}

/* The right answer is a structure or a number, and what was printed is words. */
static bool wrong_shape(const struct case_question *known, const cJSON *answer)
{
    return known && known->answer && !cJSON_IsString(known->answer) && cJSON_IsString(answer);
}

static void judge(struct engine *engine, struct outcome *outcome)
{
    const struct cell_client *client = &engine->attempt.client;
    const struct case_question *known = engine->job.known;
    outcome->verdict = "none";
    if (client->status != STATUS_OK) {
        buf_add_text(&outcome->why, client->message ? client->message : sandbox_status_name(client->status));
        return;
    }
    outcome->answer = judge_parse(client->output.data ? client->output.data : "", client->output.len);
    if (!outcome->answer) {
        buf_add_text(&outcome->why, "it printed nothing");
    } else if (!known || !known->answer) {
        outcome->verdict = "no known answer";
    } else {
        outcome->verdict = judge_answer(known, outcome->answer, &outcome->why) ? "right" : "wrong";
    }
}

static void add_error(const struct cell_client *client, struct buf *to)
{
    if (client->status == STATUS_OK) {
        return;
    }
    buf_addf(to, "The program failed (%s). ", sandbox_status_name(client->status));
    if (client->message) {
        buf_addf(to, "%s\n", client->message);
    }
    if (client->exception.len) {
        buf_addf(to, "%s\n", client->exception.data);
    } else if (client->errors.len) {
        buf_addf(to, "The last that it said on standard error:\n%s\n", client->errors.data);
    }
}

/* Says which permissions were missing, never whether what they name exists. */
static void tell(struct engine *engine, const struct outcome *outcome, bool shape, struct buf *to)
{
    const struct cell_client *client = &engine->attempt.client;
    add_error(client, to);
    if (client->status == STATUS_OK && !outcome->answer) {
        buf_add_text(to, "The program ended well and printed nothing. It must print the answer.\n");
    } else if (shape) {
        buf_add_text(to, "The program printed text where one JSON value was asked for.\n");
    }
    if (client->missing.len) {
        buf_addf(to, "Permissions that were missing (they cannot be had):\n%s", client->missing.data);
    }
    buf_add_text(to, "Answer again with a whole program.");
}

void engine_answer(struct engine *engine)
{
    enum sandbox_status status = engine->attempt.client.status;
    struct outcome outcome = {0};
    struct buf text;
    buf_init(&outcome.why, 64 << 10);
    buf_init(&text, 256 << 10);
    engine_phase(engine, "answer");
    judge(engine, &outcome);
    bool accepted = strcmp(outcome.verdict, "none") != 0;
    bool shape = accepted && strcmp(outcome.verdict, "wrong") == 0 && wrong_shape(engine->job.known, outcome.answer);
    if (accepted && !shape) {
        add_short(outcome.answer, &text);
    }
    engine_phase_end(engine, accepted ? "ok" : "failed", text.len ? text.data : outcome.verdict);
    buf_clear(&text);
    tell(engine, &outcome, shape, &text);
    emit_verdict(engine, &outcome);
    bool model_can_help = status != STATUS_REFUSED && status != STATUS_SETUP && status != STATUS_CANCELLED;
    if (accepted && !shape) {
        engine_finish(engine, "ok");
    } else if (engine->job.task == TASK_ASK && model_can_help) {
        engine_attempt_failed(engine, text.data);
    } else {
        engine_finish(engine, status == STATUS_OK ? "failed" : sandbox_status_name(status));
    }
    buf_done(&text);
    buf_done(&outcome.why);
}
