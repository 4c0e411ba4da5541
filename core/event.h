/*
 * Everything that happens in a session is an event. This table holds every
 * kind and its fields once: the log, the JSON output, the reader's checks and
 * docs/session-format.md come from it.
 *
 * In a file an event is one JSON object on one line: the header's fields
 * (`seq`, `t`, `kind`, then `question`, `lane`, `attempt`, `cause` where they
 * are not 0) and the kind's own fields beside them.
 */
#ifndef TECHO_CORE_EVENT_H
#define TECHO_CORE_EVENT_H

#include "../sandbox/base.h"

#include <cjson/cJSON.h>

#define SESSION_FORMAT "techo-session"
enum { SESSION_FORMAT_VERSION = 1 };

#define EVENT_KINDS(KIND)                                                                                              \
    KIND(SESSION, session)                                                                                             \
    KIND(CEILING, ceiling)                                                                                             \
    KIND(PROFILE, profile)                                                                                             \
    KIND(QUESTION, question)                                                                                           \
    KIND(PROMPT, prompt)                                                                                               \
    KIND(DELTA, delta)                                                                                                 \
    KIND(RESPONSE, response)                                                                                           \
    KIND(PHASE, phase)                                                                                                 \
    KIND(WAIT, wait)                                                                                                   \
    KIND(PROGRAM, program)                                                                                             \
    KIND(FINDING, finding)                                                                                             \
    KIND(PERMISSION, permission)                                                                                       \
    KIND(RUN, run)                                                                                                     \
    KIND(OUTPUT, output)                                                                                               \
    KIND(ACCESS, access)                                                                                               \
    KIND(USAGE, usage)                                                                                                 \
    KIND(USED, used)                                                                                                   \
    KIND(LEAST, least)                                                                                                 \
    KIND(EXCEPTION, exception)                                                                                         \
    KIND(RESULT, result)                                                                                               \
    KIND(ARTIFACT, artifact)                                                                                           \
    KIND(EXIT, exit)                                                                                                   \
    KIND(EFFECT, effect)                                                                                               \
    KIND(VERDICT, verdict)                                                                                             \
    KIND(DECISION, decision)                                                                                           \
    KIND(PROBE, probe)                                                                                                 \
    KIND(KEYFRAME, keyframe)                                                                                           \
    KIND(MARKER, marker)                                                                                               \
    KIND(NOTE, note)                                                                                                   \
    KIND(RESIZE, resize)                                                                                               \
    KIND(ERROR, error)                                                                                                 \
    KIND(END, end)

enum event_kind {
#define KIND(upper, lower) EVENT_##upper,
    EVENT_KINDS(KIND)
#undef KIND
    _EVENT_MAX
};

enum field_type {
    FIELD_TEXT,
    FIELD_INT,
    FIELD_REAL,
    FIELD_BOOL,
    FIELD_BYTES, /* a string when it is UTF-8, else {"base64": "..."} */
    FIELD_LIST,
    FIELD_OBJECT,
    FIELD_ANY,
};

struct event_field {
    const char *name;
    enum field_type type;
    bool required;
    const char *meaning; /* one phrase, for the docs */
};

const char *event_kind_name(enum event_kind kind);
const char *event_kind_meaning(enum event_kind kind); /* one phrase, for the docs */
/* -1 for a name that is no kind. */
int event_kind_find(const char *name);
/* The kind's own fields; ends with a field whose name is NULL. */
const struct event_field *event_fields(enum event_kind kind);
/* NULL for a name that is none of the kind's own. */
const struct event_field *event_field_find(enum event_kind kind, const char *name);
const char *field_type_name(enum field_type type); /* as the docs say it */

struct event {
    uint64_t seq; /* 1, 2, ...; given by session_emit() */
    int64_t t;    /* microseconds since the session began; given by session_emit() */
    enum event_kind kind;
    uint64_t question; /* seq of the question it belongs to, or 0 */
    uint64_t lane;     /* column of a comparison; 0 is the only one there is */
    uint64_t attempt;  /* 1, 2, ... within the question and lane, or 0 */
    uint64_t cause;    /* seq of the event that made it happen, or 0 */
    cJSON *body;       /* owned; an object with the kind's own fields */
    bool failed;       /* a setter had no memory: session_emit() refuses the event */
};

struct event *event_new(enum event_kind kind); /* NULL only without memory */
struct event *event_copy(const struct event *event); /* NULL without memory */
void event_free(struct event *event);

/*
 * Setters: they do nothing on a NULL event, and replace what was set before. A
 * field that the kind lacks, or one of another type, is a bug (assert). Texts
 * that are not UTF-8 (a path may hold any byte) become UTF-8: a stray byte is
 * kept as the four characters \xNN.
 */
void event_set_text(struct event *event, const char *field, const char *text); /* NULL text: no field */
void event_set_bytes(struct event *event, const char *field, const void *bytes, size_t len);
void event_set_int(struct event *event, const char *field, int64_t value); /* within +-2^53, else cut to it */
void event_set_real(struct event *event, const char *field, double value); /* nan, inf: no field */
void event_set_bool(struct event *event, const char *field, bool value);
void event_set_json(struct event *event, const char *field, cJSON *value); /* takes value; NULL: no field */

/* Getters: the fallback when the field is missing. Texts are borrowed from the event. */
const char *event_text(const struct event *event, const char *field, const char *fallback);
int64_t event_int(const struct event *event, const char *field, int64_t fallback);
double event_real(const struct event *event, const char *field, double fallback);
bool event_bool(const struct event *event, const char *field, bool fallback);
const cJSON *event_json(const struct event *event, const char *field);
/* Adds the bytes of a FIELD_BYTES field to `to`; -EINVAL for bad base64. */
int event_bytes(const struct event *event, const char *field, struct buf *to);

/* One line, without the newline. 0, or what `to` failed with. */
int event_format(const struct event *event, struct buf *to);
/*
 * Reads one line (a newline at its end is allowed). Checks that it is UTF-8
 * and one JSON object, the kind, the header and the table's types; unknown
 * fields are kept. -EINVAL with one line that says what is wrong, or -ENOMEM.
 */
int event_parse(const char *line, size_t len, struct event **ret_event, struct err *err) MUST_USE;

#endif
