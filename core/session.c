/* The one way in for events: number and time, log, state, listeners. */
#include "session.h"

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "log_internal.h"
#include "redact_internal.h"
#include "session_internal.h"
#include "shape_internal.h"

enum { KEYFRAME_EVERY = 2000 };

struct listener {
    session_listener call;
    void *context; /* borrowed */
};

struct session {
    struct state *state;
    struct log log;
    char *path; /* NULL when nothing is written */
    struct listener *listeners;
    size_t listener_count;
    struct secrets secrets;
    int64_t (*clock)(void *context);
    void *clock_context; /* borrowed */
    int64_t begin;
    uint64_t seq;
    int64_t t;
    uint64_t keyframe_offset; /* of the last keyframe; 0: there is none */
    bool ended;
};

static int64_t clock_now(const struct session *session)
{
    return session->clock ? session->clock(session->clock_context) : monotonic_us();
}

/* ---- the header -------------------------------------------------------------------------------------------------- */

/* An object that could not be made is a lack of memory. */
static void set_object(struct event *event, const char *field, cJSON *object)
{
    if (event) {
        event->failed |= !object;
    }
    event_set_json(event, field, object);
}

/* {name: text, ...}; texts that are NULL are left out. NULL without memory. */
static cJSON *text_object(const char *name1, const char *text1, const char *name2, const char *text2)
{
    cJSON *object = cJSON_CreateObject();
    if ((text1 && !cJSON_AddStringToObject(object, name1, text1)) ||
        (text2 && !cJSON_AddStringToObject(object, name2, text2))) {
        cJSON_Delete(object);
        return NULL;
    }
    return object;
}

static cJSON *size_object(unsigned columns, unsigned rows)
{
    cJSON *object = cJSON_CreateObject();
    if (!cJSON_AddNumberToObject(object, "columns", columns) || !cJSON_AddNumberToObject(object, "rows", rows)) {
        cJSON_Delete(object);
        return NULL;
    }
    return object;
}

static struct event *header_event(const struct session_options *options)
{
    struct event *event = event_new(EVENT_SESSION);
    if (!event) {
        return NULL;
    }
    char id[SESSION_ID_MAX], start[64];
    time_t now = time(NULL);
    struct tm utc = {0};
    gmtime_r(&now, &utc);
    strftime(start, sizeof(start), "%Y-%m-%dT%H:%M:%SZ", &utc);
    if (!options->path || !session_id_of_path(options->path, id)) {
        session_make_id(now, id);
    }
    event_set_text(event, "format", SESSION_FORMAT);
    event_set_int(event, "version", SESSION_FORMAT_VERSION);
    event_set_text(event, "id", id);
    event_set_text(event, "start", start);
    event_set_text(event, "title", options->title);
    if (options->columns && options->rows) {
        set_object(event, "size", size_object(options->columns, options->rows));
    }
    event_set_text(event, "locale", setlocale(LC_CTYPE, NULL));
    event_set_text(event, "root", options->root);
    if (options->case_id) {
        set_object(event, "case", text_object("id", options->case_id, "title", options->case_title));
    }
    if (options->attempts) {
        event_set_int(event, "attempts", (int64_t)options->attempts);
    }
    event_set_text(event, "model", options->model);
    set_object(event, "versions", text_object("techo", TECHO_VERSION, "", NULL));
    return event;
}

/* ---- emitting ---------------------------------------------------------------------------------------------------- */

/* Writes the event's line. *ret_stopped: the log failed at it. -ENOMEM: nothing happened. */
static int write_event(struct session *session, const struct event *event, int *ret_stopped)
{
    if (session->log.fd < 0) {
        return 0;
    }
    struct buf line;
    buf_init(&line, SIZE_MAX / 2);
    int r = event_format(event, &line);
    if (r == 0) {
        *ret_stopped = log_write(&session->log, line.data, line.len);
    }
    buf_done(&line);
    return r;
}

static void tell(const struct session *session, const struct event *event)
{
    for (size_t i = 0; i < session->listener_count; i++) {
        session->listeners[i].call(session->listeners[i].context, event, session->state);
    }
}

/* Number and time; a question belongs to itself. */
static void stamp(struct session *session, struct event *event)
{
    int64_t t = clock_now(session) - session->begin;
    session->t = t > session->t ? t : session->t;
    event->seq = ++session->seq;
    event->t = session->t;
    if (event->kind == EVENT_QUESTION && event->question == 0) {
        event->question = event->seq;
    }
}

/* Everything about one event; takes it. 0 without memory. */
static uint64_t deliver(struct session *session, struct event *event, int *ret_stopped)
{
    if (!event || event->failed || secrets_redact(&session->secrets, event) < 0) {
        event_free(event);
        return 0;
    }
    stamp(session, event);
    uint64_t seq = event->seq;
    if (write_event(session, event, ret_stopped) < 0) {
        session->seq--;
        event_free(event);
        return 0;
    }
    if (state_apply(session->state, event) < 0) {
        seq = 0;
    } else {
        tell(session, event);
    }
    event_free(event);
    return seq;
}

/* What a reader's own state must show at this place. */
static cJSON *counts_object(const struct state *state)
{
    uint64_t attempts = 0, accesses = 0, denials = 0;
    for (size_t i = 0; i < state->question_count; i++) {
        const struct state_question *question = state->questions[i];
        attempts += question->attempt_count;
        for (size_t j = 0; j < question->attempt_count; j++) {
            accesses += question->attempts[j]->access_count;
            denials += question->attempts[j]->denials;
        }
    }
    cJSON *counts = cJSON_CreateObject();
    if (!cJSON_AddNumberToObject(counts, "questions", (double)state->question_count) ||
        !cJSON_AddNumberToObject(counts, "attempts", (double)attempts) ||
        !cJSON_AddNumberToObject(counts, "accesses", (double)accesses) ||
        !cJSON_AddNumberToObject(counts, "denials", (double)denials)) {
        cJSON_Delete(counts);
        return NULL;
    }
    return counts;
}

static struct event *keyframe_event(struct session *session)
{
    struct event *event = event_new(EVENT_KEYFRAME);
    char hash[LOG_HASH_TEXT];
    log_hash(&session->log, hash);
    event_set_int(event, "previous", (int64_t)session->keyframe_offset);
    event_set_int(event, "offset", (int64_t)session->log.offset);
    event_set_text(event, "sha256", hash);
    set_object(event, "state", counts_object(session->state));
    session->keyframe_offset = session->log.offset;
    return event;
}

/* Says that the log ends here. It is closed by now, so that this cannot fail again. */
static void say_stopped(struct session *session, int code)
{
    char text[ERR_TEXT_MAX + 256];
    snprintf(text, sizeof(text), "the session file %s ends here: %s; the session goes on without it", session->path,
             strerror(-code));
    struct event *event = event_new(EVENT_ERROR);
    event_set_text(event, "text", text);
    int ignored = 0;
    deliver(session, event, &ignored);
}

uint64_t session_emit(struct session *session, struct event *event)
{
    int stopped = 0;
    uint64_t seq = deliver(session, event, &stopped);
    if (seq && stopped == 0 && session->log.fd >= 0 && !session->ended && session->seq % KEYFRAME_EVERY == 0) {
        deliver(session, keyframe_event(session), &stopped);
    }
    if (stopped < 0) {
        say_stopped(session, stopped);
    }
    return seq;
}

void session_end(struct session *session, const char *status, cJSON *totals)
{
    struct event *event = session->ended ? NULL : event_new(EVENT_END);
    if (event) {
        session->ended = true;
        event_set_text(event, "status", status);
        while (totals && totals->child) { /* beside the status, where readers of --json look for them */
            cJSON *item = cJSON_DetachItemViaPointer(totals, totals->child);
            event_set_json(event, item->string, item);
        }
        session_emit(session, event);
    }
    cJSON_Delete(totals);
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

int session_new(const struct session_options *options, struct session **ret_session, struct err *err)
{
    struct session *session = calloc(1, sizeof(*session));
    if (!session) {
        return err_errno(err, -ENOMEM, "a session");
    }
    session->log.fd = -1;
    session->clock = options->clock;
    session->clock_context = options->clock_context;
    session->begin = clock_now(session);
    session->state = state_new();
    session->path = options->path ? strdup(options->path) : NULL;
    int r = !session->state || (options->path && !session->path) ? err_errno(err, -ENOMEM, "a session") : 0;
    if (r == 0 && options->path) {
        r = log_open(&session->log, options->path, err);
    }
    if (r == 0 && options->listener && session_listen(session, options->listener, options->listener_context) < 0) {
        r = err_errno(err, -ENOMEM, "a session");
    }
    if (r == 0 && !session_emit(session, header_event(options))) {
        r = err_errno(err, -ENOMEM, "a session");
    }
    if (r < 0) {
        session->ended = true;
        session_free(session);
        return r;
    }
    *ret_session = session;
    return 0;
}

void session_free(struct session *session)
{
    if (!session) {
        return;
    }
    session_end(session, "closed", NULL);
    log_close(&session->log);
    state_free(session->state);
    secrets_done(&session->secrets);
    free(session->listeners);
    free(session->path);
    free(session);
}

int session_listen(struct session *session, session_listener listener, void *context)
{
    struct listener *place = array_grow(&session->listeners, session->listener_count, sizeof(*place));
    if (!place) {
        return -ENOMEM;
    }
    *place = (struct listener){listener, context};
    session->listener_count++;
    return 0;
}

int session_add_secret(struct session *session, const char *text)
{
    return text && strlen(text) >= SECRET_MIN ? secrets_add(&session->secrets, text) : 0;
}

const struct state *session_state(const struct session *session)
{
    return session->state;
}

const char *session_path(const struct session *session)
{
    return session->path;
}
