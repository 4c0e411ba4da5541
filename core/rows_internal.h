/*
 * The permission rows of one attempt: what was asked for and what came of it,
 * what was tried beyond that, and what the granted ones were used for. Each
 * row is a `permission` event; accesses and use name rows by their ids.
 */
#ifndef TECHO_CORE_ROWS_INTERNAL_H
#define TECHO_CORE_ROWS_INTERNAL_H

#include "../sandbox/grant.h"
#include "session.h"

enum { ROW_ID_SIZE = 16, ROWS_MAX = 500 };

struct row {
    char id[ROW_ID_SIZE]; /* "p1" */
    bool granted;
    enum permission permission;
    char *text;            /* owned; the policy item as people write it */
    struct policy as_rule; /* that item, to judge accesses by */
    uint64_t opens, files, bytes;
};

/* Where events go: which session, question and attempt. */
struct place {
    struct session *session; /* borrowed */
    uint64_t question, attempt;
};
/* NULL without memory, as event_new(). */
struct event *place_event(const struct place *place, enum event_kind kind);
uint64_t place_emit(const struct place *place, struct event *event);

struct rows {
    struct row *list; /* owned */
    size_t count;
    size_t *items; /* owned; index of a granted item -> index into `list` */
    size_t item_count;
    struct policy granted; /* the granted items as people write them */
    char *request;         /* owned; policy text with absolute scopes and the limits, for the sandbox */
};

/* "file.read=./a" with quotes where the grammar wants them. `scope` may be NULL. */
int item_format(const char *name, const char *scope, struct buf *to);

struct rows_input {
    const struct place *place;
    const struct grant *grant;
    const struct policy *ceiling;
    const char *root, *home;
    bool command; /* any command, which sees /usr, as against a language's program */
};
/* Emits one event per row. */
int rows_from_grant(const struct rows_input *input, struct rows *ret_rows, struct err *err) MUST_USE;
void rows_done(struct rows *rows);

/* The row, not granted, that explains the refusal of this access; NULL: none does. */
const struct row *rows_explain(const struct rows *rows, const char *root, const char *home, enum permission missing,
                               const char *scope);
/* A row for something that was tried and is in none. The caller emits it. NULL beyond ROWS_MAX. */
const struct row *rows_add_tried(struct rows *rows, enum permission permission, const char *scope);

/* A tried row was allowed after all, and used. */
void rows_use(struct rows *rows, const char *id);

/*
 * The least ceiling for this run: the granted items that were used. Emits
 * `least`; the text is added to `to`.
 */
int rows_least(const struct rows *rows, const struct place *place, struct buf *to);

#endif
