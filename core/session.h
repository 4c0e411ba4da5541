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
    const char *path;  /* the log; NULL: none is written; must not exist. Its name without .jsonl is the id */
    const char *title; /* what this session is about; NULL */
    const char *root, *case_id, *case_title, *model;
    uint64_t attempts;
    unsigned columns, rows;
    session_listener listener; /* hears the header too; NULL: none */
    void *listener_context;    /* borrowed */
    /* Tests only: a clock that gives t; NULL is CLOCK_MONOTONIC. */
    int64_t (*clock)(void *context);
    void *clock_context;
};

struct session;

/*
 * Opens the log (mode 0600) and emits `session`. -EEXIST when the path exists.
 * The process must ignore SIGXFSZ, else a file size limit ends it.
 */
int session_new(const struct session_options *options, struct session **ret_session, struct err *err) MUST_USE;
/* Emits `end` with the status "closed" when that has not happened, closes the log. */
void session_free(struct session *session);
int session_listen(struct session *session, session_listener listener, void *context);
const struct state *session_state(const struct session *session);
const char *session_path(const struct session *session); /* NULL when nothing is written */
/*
 * Takes the event (NULL: nothing happens). Returns its seq, or 0 without
 * memory. A `question` event belongs to itself: its `question` is its seq. A log that cannot be
 * written (a full disk) stops there: an `error` event says so to the listeners,
 * the session goes on.
 */
uint64_t session_emit(struct session *session, struct event *event);
/* Takes totals: an object whose members stand beside the status. Once; later calls do nothing. */
void session_end(struct session *session, const char *status, cJSON *totals);

/*
 * A text that must not be in any event, such as a key. It is replaced by
 * "[secret]" before an event is written, applied or told, in encoded bytes too;
 * one that is cut across two events is not found. Texts under SECRET_MIN bytes
 * are too short to be secrets, and ignored.
 */
enum { SECRET_MIN = 8 };
int session_add_secret(struct session *session, const char *text) MUST_USE;

/* $XDG_STATE_HOME/techo/sessions, or ~/.local/state/techo/sessions; added to `to`. It may not be there yet. */
int session_folder(struct buf *to, struct err *err) MUST_USE;
/* That folder (made, 0700) + a name that sorts by time. */
int session_default_path(struct buf *to, struct err *err) MUST_USE;

/*
 * A saved session, read whole (at most 1 GiB). -EBADMSG with one line for what
 * is no session, -EPROTO for a newer version; a torn last line is left out.
 */
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
