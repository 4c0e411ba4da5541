/*
 * Recorded answers: found in a session file by the question's id and the number
 * of the attempt, played at their recorded pace or at once. The programs run
 * for real.
 */
#include "model_internal.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../case.h"
#include "../session.h"

struct model {
    char *file;     /* owned; named by the user; NULL: what ships */
    char *case_id;  /* owned; NULL */
    char *language; /* owned; of the recording that is read now */
    bool instant;
    bool loaded;
    struct recording recording;
    /* the answer that is played */
    uint64_t question, attempt; /* seq and number in the recording; question 0: none */
    size_t next;                /* index of the next event to look at */
    int64_t base, start;        /* t of the recorded beginning; when it was asked */
};

int model_new(const struct model_options *options, struct model **ret_model, struct err *err)
{
    static const char prefix[] = "recorded:";
    bool named = strncmp(options->name, prefix, sizeof prefix - 1) == 0;
    if (!named && strcmp(options->name, "recorded") != 0) {
        return err_set(err, -EINVAL, "unknown model %s: this build has \"recorded\" and \"recorded:FILE\"",
                       options->name);
    }
    struct model *model = calloc(1, sizeof *model);
    if (!model) {
        return err_set(err, -ENOMEM, "out of memory");
    }
    model->instant = options->instant;
    model->file = named ? strdup(options->name + sizeof prefix - 1) : NULL;
    model->case_id = options->case_id ? strdup(options->case_id) : NULL;
    *ret_model = model;
    return 0;
}

void model_free(struct model *model)
{
    if (!model) {
        return;
    }
    if (model->loaded) {
        recording_done(&model->recording);
    }
    free(model->file);
    free(model->case_id);
    free(model->language);
    free(model);
}

const char *model_by(const struct model *model)
{
    (void)model;
    return "recorded";
}

/* ---- finding ------------------------------------------------------------------------------------------------------
 */

/* The recorded question of this id, and whether the attempt has an answer there. */
static bool find_answer(struct model *model, const struct model_question *question)
{
    for (size_t i = model->recording.count; i-- > 0;) {
        const struct event *asked = model->recording.events[i];
        if (asked->kind != EVENT_QUESTION || strcmp(event_text(asked, "id", ""), question->id) != 0) {
            continue;
        }
        int64_t first = -1;
        for (size_t j = i + 1; j < model->recording.count; j++) {
            const struct event *event = model->recording.events[j];
            bool ours = event->question == asked->seq && (event->attempt ? event->attempt : 1) == question->attempt;
            if (!ours || event->lane) {
                continue;
            }
            if (first < 0) {
                model->next = j;
                first = event->t;
            }
            if (event->kind == EVENT_RESPONSE) {
                model->base = first - event_int(event, "ttft_us", 0);
                model->question = asked->seq;
                model->attempt = question->attempt;
                return true;
            }
        }
    }
    return false;
}

static int read_recording(struct model *model, const char *path, struct err *err)
{
    if (model->loaded) {
        recording_done(&model->recording);
        model->loaded = false;
    }
    int result = recording_read(path, &model->recording, err);
    model->loaded = result == 0;
    return result;
}

/* sessions/CASE-LANGUAGE.jsonl first, then any other recording of that language. */
static int find_shipped(struct model *model, const struct model_question *question, struct err *err)
{
    struct buf folder, name;
    struct dirent **entries = NULL;
    int found = 0, count = 0;
    buf_init(&folder, 4096);
    buf_init(&name, 8192);
    if (home_path("sessions", &folder) == 0) {
        buf_addf(&name, "%s/%s-%s.jsonl", folder.data, model->case_id ? model->case_id : "analytics",
                 question->language);
        found = read_recording(model, name.data, NULL) == 0 && find_answer(model, question);
        count = found ? 0 : scandir(folder.data, &entries, NULL, alphasort);
    }
    for (int i = 0; i < count; i++) {
        struct buf tail;
        buf_init(&tail, 256);
        buf_addf(&tail, "-%s.jsonl", question->language);
        size_t length = strlen(entries[i]->d_name);
        if (!found && !tail.failed && length > tail.len &&
            strcmp(entries[i]->d_name + length - tail.len, tail.data) == 0) {
            buf_clear(&name);
            buf_addf(&name, "%s/%s", folder.data, entries[i]->d_name);
            found = read_recording(model, name.data, NULL) == 0 && find_answer(model, question);
        }
        buf_done(&tail);
        free(entries[i]);
    }
    free(entries);
    buf_done(&folder);
    buf_done(&name);
    return found ? 0 : err_set(err, -ENOENT, "out of answers");
}

int model_ask(struct model *model, const struct model_question *question, struct err *err)
{
    static const char advice[] = "only the questions of a case have one; `techo run FILE` runs a program of your own";
    model_stop(model);
    if (!question->id) {
        return err_set(err, -ENOENT, "There is no recorded answer to a question of one's own: %s.", advice);
    }
    bool found = model->loaded &&
                 (model->file || (model->language && strcmp(model->language, question->language) == 0)) &&
                 find_answer(model, question);
    if (!found && model->file && !model->loaded) {
        int result = read_recording(model, model->file, err);
        if (result < 0) {
            return result;
        }
        found = find_answer(model, question);
    } else if (!found && !model->file) {
        found = find_shipped(model, question, NULL) == 0;
        free(model->language);
        model->language = found ? strdup(question->language) : NULL;
    }
    if (!found && question->attempt > 1) {
        return err_set(err, -ENOENT, "There is no recorded answer for attempt %u: %s.", question->attempt, advice);
    }
    if (!found) {
        return err_set(err, -ENOENT, "There is no recorded answer to %s in %s: %s.", question->id, question->language,
                       advice);
    }
    model->start = monotonic_us();
    return 0;
}

/* ---- playing ------------------------------------------------------------------------------------------------------
 */

static bool is_piece(const struct model *model, const struct event *event)
{
    return event->question == model->question && event->lane == 0 &&
           (event->attempt ? event->attempt : 1) == model->attempt &&
           (event->kind == EVENT_DELTA || event->kind == EVENT_RESPONSE);
}

int64_t model_deadline(const struct model *model)
{
    if (!model->question) {
        return -1;
    }
    for (size_t i = model->next; i < model->recording.count; i++) {
        const struct event *event = model->recording.events[i];
        if (is_piece(model, event)) {
            return model->instant ? model->start : model->start + (event->t - model->base);
        }
    }
    return model->start;
}

bool model_next(struct model *model, struct model_piece *ret_piece)
{
    int64_t due = model_deadline(model);
    if (due < 0 || due > monotonic_us()) {
        return false;
    }
    while (!is_piece(model, model->recording.events[model->next])) {
        model->next++; /* find_answer() has seen a response ahead */
    }
    const struct event *event = model->recording.events[model->next++];
    if (event->kind == EVENT_RESPONSE) {
        *ret_piece = (struct model_piece){
            .kind = MODEL_END, .response = event, .cut = strcmp(event_text(event, "finish", ""), "truncated") == 0};
        model_stop(model);
        return true;
    }
    const char *channel = event_text(event, "channel", "prose");
    *ret_piece = (struct model_piece){.kind = strcmp(channel, "prose") == 0 ? MODEL_TEXT : MODEL_PART,
                                      .channel = channel,
                                      .text = event_text(event, "text", "")};
    return true;
}

void model_stop(struct model *model)
{
    model->question = 0;
}
