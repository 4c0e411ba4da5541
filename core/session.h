/*
 * A session is the one way in for events: session_emit() gives an event its
 * number and time, appends it to the log, applies it to the state and tells
 * the listeners (a screen, or a command that prints lines or JSON).
 */
#ifndef TECHO_CORE_SESSION_H
#define TECHO_CORE_SESSION_H

#include "state.h"

typedef void (*session_listener)(void *context, const struct event *event, const struct state *state);

struct session_options {
    const char *path; /* the log; NULL: none is written; must not exist */
    const char *root, *case_id, *case_title, *model;
    uint64_t attempts;
    unsigned columns, rows;
    /* Tests only: a clock that gives t; NULL is CLOCK_MONOTONIC. */
    int64_t (*clock)(void *context);
    void *clock_context;
};

struct session;

/* Opens the log (mode 0600) and emits `session`. */
int session_new(const struct session_options *options, struct session **ret_session, struct err *err) MUST_USE;
/* Emits `end` when that has not happened, closes the log. */
void session_free(struct session *session);
int session_listen(struct session *session, session_listener listener, void *context);
const struct state *session_state(const struct session *session);
const char *session_path(const struct session *session); /* NULL when nothing is written */
/*
 * Takes the event. Returns its seq, or 0 without memory. A log that cannot be
 * written (a full disk) stops there: an `error` event says so to the listeners,
 * the session goes on.
 */
uint64_t session_emit(struct session *session, struct event *event);
void session_end(struct session *session, const char *status, cJSON *totals); /* takes totals; once; later calls do nothing */

/* $XDG_STATE_HOME/techo/sessions/ (made, 0700) + a name that sorts by time. */
int session_default_path(struct buf *to, struct err *err) MUST_USE;

/* A saved session, read whole. Garbage or a newer version is an error; a torn last line is tolerated. */
struct recording {
    struct event **events; /* owned */
    size_t count;
    bool torn; /* the last line was torn, and left out */
};
int recording_read(const char *path, struct recording *ret_recording, struct err *err) MUST_USE;
void recording_done(struct recording *recording);

/* A position in a recording with the state at it. */
struct replay;
int replay_new(const char *path, struct replay **ret_replay, struct err *err) MUST_USE;
void replay_free(struct replay *replay);
size_t replay_count(const struct replay *replay);
size_t replay_position(const struct replay *replay); /* events applied: 0 ... count */
const struct event *replay_event(const struct replay *replay, size_t index); /* 0-based; borrowed */
const struct state *replay_state(const struct replay *replay);
/* Goes to any position, forth or back (from the nearest snapshot kept in memory). */
int replay_seek(struct replay *replay, size_t position) MUST_USE;
bool replay_torn(const struct replay *replay);

#endif
