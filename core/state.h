/*
 * The state of a session: what a screen shows, made from events alone.
 * state_apply() is a reducer: the same events give the same state, live or
 * replayed. Nothing here knows how it is drawn; focus and scroll are the
 * viewer's. All texts are untrusted unless said otherwise, and go through
 * sanitize.h on their way to a terminal. All pointers are owned by the state
 * unless said otherwise.
 *
 * What an event changes, where its table does not say it:
 * - An event that names a question and an attempt makes that attempt when it is
 *   the first to do so. A `question` event opens a question; `phase` with the
 *   name "question" and the step "end", or `end`, closes it.
 * - `delta` on the channel "program" makes the program grow, on any other the
 *   prose; `program` replaces the text.
 * - `phase` begins a step or ends the last one of its name; it belongs to the
 *   attempt, the question or the session, whichever the event names.
 * - `permission` and `access` with an id or number that is known change that
 *   row: the fields that are given replace the old ones.
 * - A denied access counts on the permission row that explains it: the row that
 *   `permission` names, else the one whose name and scope are `missing`. The
 *   row may come before or after the access.
 */
#ifndef TECHO_CORE_STATE_H
#define TECHO_CORE_STATE_H

#include "event.h"

enum { STATE_OUTPUT_MAX = 1 << 20 };

struct state_item { /* of a ceiling */
    char *id, *text;
};

struct state_ceiling {
    uint64_t seq;
    char *id;
    char *source; /* "case.json:7", "-c", "person" */
    char *text;   /* the items joined by commas */
    struct state_item *items;
    size_t item_count;
};

struct state_file {
    char *path, *hash;
    uint64_t size;
};

struct state_phase { /* a step of the pipeline line: profile, model, inspect, grant, run, answer */
    char *name, *detail; /* detail: "warn:1", "2/3", "ok 84ms" */
    int64_t begin, end;  /* t; end is -1 while it runs */
    char *status;        /* "ok", "failed", ... */
};

struct state_finding {
    uint64_t seq;
    char *rule, *severity, *permission, *text;
    unsigned line, column, end_line, end_column; /* 1-based, the program's own numbering */
    bool blocked;
};

/* One row of the permissions pane. */
struct state_permission {
    uint64_t seq;
    char *id, *name, *scope; /* scope: NULL when unscoped; as people write it */
    char *state;             /* declared found granted trimmed held denied */
    char *origin;            /* "line", "preamble", "ambient", "default", "found", "tried" */
    unsigned line;           /* where it was declared or tried; 0 unknown */
    char *rule, *why;        /* the ceiling's item that covers it, or the nearest; one sentence */
    char *fix;               /* the shortest item that would have allowed it; NULL when granted */
    char *layers;            /* "mounts, landlock": what enforces it; NULL */
    char *unenforceable;     /* why it cannot be enforced here; NULL */
    bool used_known;
    uint64_t opens, files, bytes; /* successful use */
    uint64_t denied;              /* refused accesses that this row explains */
    char *denied_layer;           /* that stopped the last of them */
};

struct state_access {
    uint64_t seq, number;
    int64_t t; /* microseconds since the program started */
    char *call, *given, *resolved, *want, *verdict, *error, *layer;
    bool answered;
    char *item;       /* id of the permission row that grants it; NULL */
    char *missing;    /* the item that is missing: file.read=./.env; NULL */
    char *permission; /* id of the row that explains a denial, where `missing` does not name it; NULL */
    char *nearest, *why;
    unsigned line;
    char *source; /* the program's line; NULL */
    uint64_t count;
};

struct state_output {
    struct buf bytes; /* the last STATE_OUTPUT_MAX at most */
    uint64_t total;   /* bytes that the program wrote, dropped ones too */
    uint64_t dropped; /* beyond the limit, not kept */
    uint64_t neutralised;
};

struct state_usage {
    int64_t wall_us, cpu_us;
    uint64_t memory, memory_peak, processes, processes_peak, output, disk; /* output: bytes on both streams */
};

struct state_artifact {
    uint64_t seq;
    char *name, *hash, *problem;
    uint64_t size;
};

struct state_exit {
    bool done;
    char *status, *message, *limit;
    int code, signal;
    int64_t setup_us, run_us;
    uint64_t survivors;
    uint64_t unlisted, unlisted_denied; /* accesses without a row; the refused ones are among the denials */
    bool unkillable;                    /* something did not die */
};

struct state_response { /* of the model */
    char *finish; /* "complete", "truncated", "refused" ...; NULL while it is open */
    int64_t ttft_us, total_us;
    uint64_t tokens_in, tokens_out, retries;
};

struct state_effect { /* on the host; of an escape attempt: what was checked */
    char *what;
    char *path; /* NULL: of an escape attempt */
    int64_t size;
    char *problem; /* NULL, or why the path was not written */
    cJSON *before, *after;
};

struct state_attempt {
    size_t holders; /* states that share it: a copy of a state shares attempts until one of them changes */
    uint64_t seq; /* of its first event */
    uint64_t number, lane;
    char *executor, *language;
    struct state_response response;
    struct buf prose;                /* what the model said beside the program */
    char *hash;                      /* of the program; NULL */
    char *by;                        /* model, person, recorded */
    struct buf text;                 /* the program; grows while it is streamed */
    bool complete;                   /* the program event has come */
    unsigned preamble_lines;
    char *preamble;                  /* the text put before it; NULL */
    struct state_phase *phases;
    size_t phase_count;
    struct state_finding *findings;
    size_t finding_count;
    struct state_permission *permissions;
    size_t permission_count;
    struct state_access *accesses; /* by number */
    size_t access_count;
    uint64_t denials; /* refused accesses, repeats counted */
    char *level;      /* "L0" */
    bool decoy;       /* it ran in a decoy cell */
    char **layers;    /* in force */
    size_t layer_count;
    char **off; /* "cgroup: not delegated" */
    size_t off_count;
    cJSON *limits; /* {"wall": 20000000, ...} in the policy's base units; NULL before the run */
    int64_t run_begin; /* t of the run event; -1 */
    struct state_output output[3]; /* by stream number; [0] unused */
    struct state_usage usage;
    struct state_exit exit;
    char *exception_type, *exception_text;
    cJSON *exception_frames; /* [{line, text, function}] of the program alone; NULL */
    cJSON *result;           /* {columns, types, rows, total}; NULL */
    struct state_artifact *artifacts; /* their bytes stay in the events: see seq */
    size_t artifact_count;
    cJSON *answer; /* what was printed, as JSON or a string; NULL */
    char *verdict; /* "right", "wrong", "no known answer", "none", or an escape's outcome; NULL while open */
    char *verdict_why, *verdict_by;
    cJSON *expected;
    struct state_effect *effects;
    size_t effect_count;
    char *least; /* the least ceiling for this run; NULL */
};

struct state_question {
    uint64_t seq;
    char *id, *text, *language, *executor;
    struct state_attempt **attempts; /* in order of their first event */
    size_t attempt_count;
    struct state_phase *phases; /* that belong to no attempt */
    size_t phase_count;
    char *model_wait;   /* "model: 429, retry 2/4"; NULL */
    int64_t wait_until; /* the t at which it is tried again; -1 unknown */
    char *verdict;    /* of the last attempt */
    cJSON *prompt;    /* canonical body as sent; NULL */
    bool open;        /* it still runs */
};

struct state {
    uint64_t last_seq;
    int64_t last_t;
    /* session */
    char *id, *title, *version, *root, *case_id, *case_title, *model, *locale, *start;
    uint64_t attempts_max, columns, rows;
    struct state_ceiling ceiling;
    struct state_phase *phases; /* that belong to no question */
    size_t phase_count;
    char *shared; /* what of the data the model may see: "schema", "samples"; NULL */
    struct state_file *files;
    size_t file_count;
    struct state_question **questions;
    size_t question_count;
    struct state_question *current; /* of the last event that had one; borrowed */
    char *note;       /* the last note or error, for the status line */
    uint64_t errors;  /* events that made no sense */
    bool ended;
    char *end_status;
};

struct state *state_new(void);
void state_free(struct state *state);
struct state *state_copy(const struct state *state); /* NULL without memory */
/* All of it as JSON, for tests and for people who look for a fault; equal states give equal text. */
int state_format(const struct state *state, struct buf *to);
/*
 * Never fails on odd input: an event that makes no sense is counted in `errors`.
 * -ENOMEM alone; then the state may hold a part of the event, and can only be freed.
 */
int state_apply(struct state *state, const struct event *event) MUST_USE;

struct state_question *state_question(const struct state *state, uint64_t seq);
struct state_attempt *state_attempt(const struct state_question *question, uint64_t lane, uint64_t number);
/* The last attempt of the question, or NULL. */
struct state_attempt *state_last_attempt(const struct state_question *question);
const struct state_permission *state_permission_find(const struct state_attempt *attempt, const char *id);

#endif
