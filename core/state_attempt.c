/* The reducer: what happens to an attempt, from the model's first word to the verdict. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "state_internal.h"
#include "text_internal.h"

void reduce_delta(struct change *change)
{
    bool program = strcmp(event_text(change->event, "channel", ""), "program") == 0;
    const char *text = event_text(change->event, "text", "");
    if (program && change->attempt->complete) {
        change->odd = true; /* the program is known already */
        return;
    }
    change->no_memory |= buf_add_text(program ? &change->attempt->text : &change->attempt->prose, text) < 0;
}

void reduce_response(struct change *change)
{
    struct state_response *response = &change->attempt->response;
    take_text(change, &response->finish, "finish");
    take_int(change, &response->ttft_us, "ttft_us");
    take_int(change, &response->total_us, "total_us");
    take_count(change, &response->tokens_in, "tokens_in");
    take_count(change, &response->tokens_out, "tokens_out");
    take_count(change, &response->retries, "retries");
}

/* An attempt whose program has this hash and is known; NULL. */
static const struct state_attempt *find_program(const struct state *state, const char *hash)
{
    for (size_t i = 0; i < state->question_count; i++) {
        const struct state_question *question = state->questions[i];
        for (size_t j = 0; j < question->attempt_count; j++) {
            const struct state_attempt *attempt = question->attempts[j];
            if (attempt->complete && attempt->hash && strcmp(attempt->hash, hash) == 0) {
                return attempt;
            }
        }
    }
    return NULL;
}

/* Replaces the program by the event's text, or by that of the program with the event's hash. */
static void take_program_text(struct change *change)
{
    struct buf *text = &change->attempt->text;
    struct buf fresh;
    buf_init(&fresh, text->max);
    int r = 0;
    if (event_json(change->event, "text")) {
        r = event_bytes(change->event, "text", &fresh);
    } else {
        const struct state_attempt *same = find_program(change->state, event_text(change->event, "hash", ""));
        change->odd |= !same;
        r = same && same->text.len ? buf_add(&fresh, same->text.data, same->text.len) : 0;
    }
    change->no_memory |= fresh.failed;
    change->odd |= r < 0;
    buf_done(text);
    *text = fresh;
}

static void take_preamble(struct change *change)
{
    if (!event_json(change->event, "preamble")) {
        return;
    }
    struct buf text;
    buf_init(&text, SIZE_MAX / 2);
    change->odd |= event_bytes(change->event, "preamble", &text) < 0;
    change->no_memory |= text.failed;
    put_text(change, &change->attempt->preamble, text.data);
    buf_done(&text);
}

void reduce_program(struct change *change)
{
    struct state_attempt *attempt = change->attempt;
    take_text(change, &attempt->by, "by");
    take_text(change, &attempt->language, "language");
    take_program_text(change);
    take_text(change, &attempt->hash, "hash");
    take_unsigned(change, &attempt->preamble_lines, "preamble_lines");
    take_preamble(change);
    attempt->complete = true;
}

void reduce_finding(struct change *change)
{
    struct state_attempt *attempt = change->attempt;
    struct state_finding *finding =
        append(change, &attempt->findings, &attempt->finding_count, sizeof(*attempt->findings));
    if (!finding) {
        return;
    }
    finding->seq = change->event->seq;
    take_text(change, &finding->rule, "rule");
    take_text(change, &finding->severity, "severity");
    take_text(change, &finding->permission, "permission");
    take_text(change, &finding->text, "text");
    const cJSON *span = event_json(change->event, "span");
    finding->line = (unsigned)json_count(span, "line", 0);
    finding->column = (unsigned)json_count(span, "column", 0);
    finding->end_line = (unsigned)json_count(span, "end_line", finding->line);
    finding->end_column = (unsigned)json_count(span, "end_column", finding->column);
    finding->blocked = event_bool(change->event, "blocked", false);
}

static void append_text(struct change *change, char ***texts, size_t *count, const char *text)
{
    char **place = append(change, texts, count, sizeof(*place));
    if (place) {
        put_text(change, place, text);
        *count -= *place ? 0 : 1;
    }
}

/* "cgroup: not delegated" */
static void append_off(struct change *change, const cJSON *layer)
{
    const char *name = json_text(layer, "layer"), *why = json_text(layer, "why");
    struct buf text;
    buf_init(&text, SIZE_MAX / 2);
    buf_addf(&text, "%s%s%s", name ? name : "?", why ? ": " : "", why ? why : "");
    change->no_memory |= text.failed;
    if (text.data) {
        append_text(change, &change->attempt->off, &change->attempt->off_count, text.data);
    }
    buf_done(&text);
}

static void clear_texts(char **texts, size_t *count)
{
    for (size_t i = 0; i < *count; i++) {
        free(texts[i]);
    }
    free(texts);
    *count = 0;
}

void reduce_run(struct change *change)
{
    struct state_attempt *attempt = change->attempt;
    const cJSON *layer;
    attempt->run_begin = change->event->t;
    take_text(change, &attempt->executor, "executor");
    take_text(change, &attempt->level, "level");
    attempt->decoy = event_bool(change->event, "decoy", false);
    take_json(change, &attempt->limits, "limits");
    clear_texts(attempt->layers, &attempt->layer_count);
    attempt->layers = NULL;
    clear_texts(attempt->off, &attempt->off_count);
    attempt->off = NULL;
    cJSON_ArrayForEach(layer, event_json(change->event, "layers"))
    {
        if (cJSON_IsString(layer)) {
            append_text(change, &attempt->layers, &attempt->layer_count, layer->valuestring);
        }
    }
    cJSON_ArrayForEach(layer, event_json(change->event, "off"))
    {
        append_off(change, layer);
    }
}

/* Keeps the end; forgets a quarter more than it must, so that this is rare. */
static void keep_end(struct buf *bytes, size_t coming)
{
    if (bytes->len + coming > STATE_OUTPUT_MAX) {
        size_t keep = coming > STATE_OUTPUT_MAX * 3 / 4 ? 0 : STATE_OUTPUT_MAX * 3 / 4 - coming;
        buf_drop_front(bytes, bytes->len > keep ? bytes->len - keep : 0);
    }
}

void reduce_output(struct change *change)
{
    int64_t stream = event_int(change->event, "stream", 0);
    if (stream != 1 && stream != 2) {
        change->odd = true;
        return;
    }
    struct state_output *output = &change->attempt->output[stream];
    struct buf bytes;
    buf_init(&bytes, SIZE_MAX / 2);
    change->odd |= event_bytes(change->event, "bytes", &bytes) < 0;
    uint64_t dropped = output->dropped, neutralised = 0;
    take_count(change, &output->dropped, "dropped");
    if (output->dropped != dropped && (output->bytes.len || bytes.len)) {
        text_add_gap(&output->bytes, output->dropped - dropped);
    }
    size_t skip = bytes.len > STATE_OUTPUT_MAX ? bytes.len - STATE_OUTPUT_MAX : 0;
    keep_end(&output->bytes, bytes.len - skip);
    if (bytes.len) {
        change->no_memory |= buf_add(&output->bytes, bytes.data + skip, bytes.len - skip) < 0;
    }
    take_count(change, &neutralised, "neutralised");
    output->total += bytes.len + (output->dropped - dropped);
    output->neutralised += neutralised;
    change->no_memory |= bytes.failed == -ENOMEM;
    buf_done(&bytes);
}

void reduce_usage(struct change *change)
{
    struct state_usage *usage = &change->attempt->usage;
    take_int(change, &usage->wall_us, "wall_us");
    take_int(change, &usage->cpu_us, "cpu_us");
    take_count(change, &usage->memory, "memory");
    take_count(change, &usage->memory_peak, "memory_peak");
    take_count(change, &usage->processes, "processes");
    take_count(change, &usage->processes_peak, "processes_peak");
    take_count(change, &usage->output, "output");
    take_count(change, &usage->disk, "disk");
}

void reduce_least(struct change *change)
{
    take_text(change, &change->attempt->least, "text");
}

void reduce_exception(struct change *change)
{
    struct state_attempt *attempt = change->attempt;
    take_text(change, &attempt->exception_type, "type");
    take_text(change, &attempt->exception_text, "message");
    take_json(change, &attempt->exception_frames, "frames");
}

void reduce_result(struct change *change)
{
    cJSON *result = cJSON_Duplicate(change->event->body, true);
    if (!result) {
        change->no_memory = true;
        return;
    }
    cJSON_Delete(change->attempt->result);
    change->attempt->result = result;
}

void reduce_artifact(struct change *change)
{
    struct state_attempt *attempt = change->attempt;
    struct state_artifact *artifact =
        append(change, &attempt->artifacts, &attempt->artifact_count, sizeof(*attempt->artifacts));
    if (artifact) {
        artifact->seq = change->event->seq;
        take_text(change, &artifact->name, "name");
        take_text(change, &artifact->hash, "hash");
        take_text(change, &artifact->problem, "problem");
        take_count(change, &artifact->size, "size");
    }
}

void reduce_exit(struct change *change)
{
    struct state_exit *end = &change->attempt->exit;
    end->done = true;
    take_text(change, &end->status, "status");
    take_text(change, &end->message, "message");
    take_text(change, &end->limit, "limit");
    end->code = (int)event_int(change->event, "code", -1);
    end->signal = (int)event_int(change->event, "signal", 0);
    take_int(change, &end->setup_us, "setup_us");
    take_int(change, &end->run_us, "run_us");
    take_count(change, &end->survivors, "survivors");
    take_count(change, &end->unlisted, "unlisted");
    take_count(change, &end->unlisted_denied, "unlisted_denied");
    change->attempt->denials += end->unlisted_denied;
    end->unkillable = event_bool(change->event, "unkillable", false);
}

void reduce_effect(struct change *change)
{
    struct state_attempt *attempt = change->attempt;
    struct state_effect *effect = append(change, &attempt->effects, &attempt->effect_count, sizeof(*attempt->effects));
    if (effect) {
        take_text(change, &effect->what, "what");
        take_text(change, &effect->path, "path");
        take_int(change, &effect->size, "size");
        take_text(change, &effect->problem, "problem");
        take_json(change, &effect->before, "before");
        take_json(change, &effect->after, "after");
    }
}

void reduce_verdict(struct change *change)
{
    struct state_attempt *attempt = change->attempt;
    take_text(change, &attempt->verdict, "verdict");
    take_text(change, &attempt->verdict_why, "why");
    take_text(change, &attempt->verdict_by, "by");
    take_json(change, &attempt->answer, "answer");
    take_json(change, &attempt->expected, "expected");
    put_text(change, &change->question->verdict, attempt->verdict);
}
