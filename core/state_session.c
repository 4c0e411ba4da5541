/* The reducer: what happens to the session and to its questions. */
#include <stdlib.h>
#include <string.h>

#include "state_internal.h"

void reduce_session(struct change *change)
{
    struct state *state = change->state;
    const cJSON *size = event_json(change->event, "size"), *kase = event_json(change->event, "case");
    take_text(change, &state->id, "id");
    take_text(change, &state->title, "title");
    take_text(change, &state->root, "root");
    take_text(change, &state->model, "model");
    take_text(change, &state->locale, "locale");
    take_text(change, &state->start, "start");
    take_count(change, &state->attempts_max, "attempts");
    put_text(change, &state->version, json_text(event_json(change->event, "versions"), "techo"));
    put_text(change, &state->case_id, json_text(kase, "id"));
    put_text(change, &state->case_title, json_text(kase, "title"));
    state->columns = json_count(size, "columns", 0);
    state->rows = json_count(size, "rows", 0);
}

static void add_ceiling_item(struct change *change, const cJSON *item, struct buf *text)
{
    struct state_ceiling *ceiling = &change->state->ceiling;
    struct state_item *place = append(change, &ceiling->items, &ceiling->item_count, sizeof(*place));
    const char *words = json_text(item, "text"), *id = json_text(item, "id");
    if (place) {
        put_text(change, &place->id, id ? id : "");
        put_text(change, &place->text, words ? words : "");
        buf_add_text(text, text->len ? "," : "");
        buf_add_text(text, words ? words : "");
    }
}

void reduce_ceiling(struct change *change)
{
    struct state_ceiling *ceiling = &change->state->ceiling;
    const cJSON *item;
    for (size_t i = 0; i < ceiling->item_count; i++) {
        free(ceiling->items[i].id);
        free(ceiling->items[i].text);
    }
    free(ceiling->items);
    ceiling->items = NULL;
    ceiling->item_count = 0;
    ceiling->seq = change->event->seq;
    take_text(change, &ceiling->id, "id");
    take_text(change, &ceiling->source, "source");
    struct buf text;
    buf_init(&text, SIZE_MAX / 2);
    buf_add_text(&text, "");
    cJSON_ArrayForEach(item, event_json(change->event, "items"))
    {
        add_ceiling_item(change, item, &text);
    }
    change->no_memory |= text.failed;
    put_text(change, &ceiling->text, text.data);
    buf_done(&text);
}

void reduce_profile(struct change *change)
{
    struct state *state = change->state;
    const cJSON *item;
    for (size_t i = 0; i < state->file_count; i++) {
        free(state->files[i].path);
        free(state->files[i].hash);
    }
    free(state->files);
    state->files = NULL;
    state->file_count = 0;
    take_text(change, &state->shared, "shared");
    cJSON_ArrayForEach(item, event_json(change->event, "files"))
    {
        struct state_file *file = append(change, &state->files, &state->file_count, sizeof(*file));
        const cJSON *size = cJSON_GetObjectItemCaseSensitive(item, "size");
        if (file) {
            put_text(change, &file->path, json_text(item, "path"));
            put_text(change, &file->hash, json_text(item, "hash"));
            file->size = cJSON_IsNumber(size) && size->valuedouble > 0 && size->valuedouble < 0x1p53
                             ? (uint64_t)size->valuedouble
                             : 0;
        }
    }
}

void reduce_question(struct change *change)
{
    struct state *state = change->state;
    struct state_question **place = append(change, &state->questions, &state->question_count, sizeof(*place));
    if (!place) {
        return;
    }
    struct state_question *question = *place = calloc(1, sizeof(*question));
    if (!question) {
        state->question_count--;
        change->no_memory = true;
        return;
    }
    question->seq = change->event->seq;
    question->open = true;
    question->wait_until = -1;
    take_text(change, &question->id, "id");
    take_text(change, &question->text, "text");
    take_text(change, &question->language, "language");
    take_text(change, &question->executor, "executor");
    state->current = question;
}

void reduce_prompt(struct change *change)
{
    take_json(change, &change->question->prompt, "body");
}

static void begin_phase(struct change *change, struct state_phase **phases, size_t *count, const char *name)
{
    struct state_phase *phase = append(change, phases, count, sizeof(*phase));
    if (phase) {
        put_text(change, &phase->name, name);
        phase->begin = change->event->t;
        phase->end = -1;
    }
}

/* The last phase of that name which still runs. */
static struct state_phase *running_phase(struct state_phase *phases, size_t count, const char *name)
{
    for (size_t i = count; i > 0; i--) {
        if (phases[i - 1].end < 0 && phases[i - 1].name && strcmp(phases[i - 1].name, name) == 0) {
            return &phases[i - 1];
        }
    }
    return NULL;
}

static void reduce_phase_of(struct change *change, struct state_phase **phases, size_t *count)
{
    const char *name = event_text(change->event, "name", "");
    bool ends = strcmp(event_text(change->event, "step", ""), "end") == 0;
    struct state_phase *phase = running_phase(*phases, *count, name);
    if (!phase) { /* an end without a beginning took no time */
        begin_phase(change, phases, count, name);
        phase = change->no_memory ? NULL : &(*phases)[*count - 1];
    }
    if (phase) {
        phase->end = ends ? change->event->t : -1;
        take_text(change, &phase->status, "status");
        take_text(change, &phase->detail, "detail");
    }
}

void reduce_phase(struct change *change)
{
    struct state_question *question = change->question;
    const struct event *event = change->event;
    if (question && strcmp(event_text(event, "name", ""), "question") == 0) {
        question->open = strcmp(event_text(event, "step", ""), "end") != 0;
    } else if (change->attempt) {
        reduce_phase_of(change, &change->attempt->phases, &change->attempt->phase_count);
    } else if (question) {
        reduce_phase_of(change, &question->phases, &question->phase_count);
    } else {
        reduce_phase_of(change, &change->state->phases, &change->state->phase_count);
    }
}

/* "model: 429, retry 2/4" */
void reduce_wait(struct change *change)
{
    struct state_question *question = change->question;
    int64_t next = event_int(change->event, "try", 0), of = event_int(change->event, "of", 0);
    struct buf text;
    buf_init(&text, SIZE_MAX / 2);
    buf_add_text(&text, event_text(change->event, "on", ""));
    if (next > 0 && of > 0) {
        buf_addf(&text, ", retry %lld/%lld", (long long)next, (long long)of);
    }
    change->no_memory |= text.failed;
    put_text(change, &question->model_wait, text.data);
    question->wait_until = event_int(change->event, "until", -1);
    buf_done(&text);
}

void reduce_resize(struct change *change)
{
    take_count(change, &change->state->columns, "columns");
    take_count(change, &change->state->rows, "rows");
}

void reduce_note(struct change *change)
{
    take_text(change, &change->state->note, "text");
}

void reduce_end(struct change *change)
{
    struct state *state = change->state;
    state->ended = true;
    take_text(change, &state->end_status, "status");
    for (size_t i = 0; i < state->question_count; i++) {
        state->questions[i]->open = false;
    }
}
