/*
 * The state of a session: what a screen shows, made from events alone.
 * state_apply() is a reducer: the same events give the same state, live or
 * replayed. Nothing here knows how it is drawn; focus and scroll are the
 * viewer's. All texts are untrusted unless said otherwise, and go through
 * sanitize.h on their way to a terminal.
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
    char *origin;            /* "line", "preamble", "ambient", "default", "tried" */
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
    char *item;    /* granting item; NULL */
    char *missing; /* the item that is missing: file.read=./.env; NULL */
    char *nearest, *why;
    unsigned line;
    char *source; /* the program's line; NULL */
    uint64_t count;
};

struct state_output {
    struct buf bytes; /* the last STATE_OUTPUT_MAX at most */
    uint64_t total, dropped, neutralised;
};

struct state_usage {
    int64_t wall_us, cpu_us;
    uint64_t memory, memory_peak, processes, processes_peak, disk;
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
};

struct state_attempt {
    uint64_t seq; /* of its first event */
    uint64_t number, lane;
    char *executor, *language;
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
    struct state_access *accesses;
    size_t access_count;
    uint64_t denials; /* refused accesses, repeats counted */
    char *level;      /* "L0" */
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
    struct state_artifact *artifacts;
    size_t artifact_count;
    cJSON *answer; /* what was printed, as JSON or a string; NULL */
    char *verdict; /* "right", "wrong", "no known answer", "none"; NULL while open */
    char *verdict_why;
    cJSON *expected;
    char *least; /* the least ceiling for this run; NULL */
};

struct state_question {
    uint64_t seq;
    char *id, *text, *language, *executor;
    struct state_attempt **attempts; /* in order of their first event */
    size_t attempt_count;
    char *model_wait; /* "model: 429, retry 2/4 in 12 s"; NULL */
    char *verdict;    /* of the last attempt */
    cJSON *prompt;    /* canonical body as sent; NULL */
    bool open;        /* it still runs */
};

struct state {
    uint64_t last_seq;
    int64_t last_t;
    /* session */
    char *id, *version, *root, *case_id, *case_title, *model, *locale, *start;
    uint64_t attempts_max, columns, rows;
    struct state_ceiling ceiling;
    struct state_file *files;
    size_t file_count;
    struct state_question **questions;
    size_t question_count;
    struct state_question *current; /* of the last event that had one; borrowed */
    char *note;       /* the last note or error, for the status line */
    uint64_t errors;
    bool ended;
    char *end_status;
};

struct state *state_new(void);
void state_free(struct state *state);
/* Never fails on odd input: an event that makes no sense is counted in `errors`. -ENOMEM alone. */
int state_apply(struct state *state, const struct event *event) MUST_USE;

struct state_question *state_question(const struct state *state, uint64_t seq);
struct state_attempt *state_attempt(const struct state_question *question, uint64_t lane, uint64_t number);
/* The last attempt of the question, or NULL. */
struct state_attempt *state_last_attempt(const struct state_question *question);
const struct state_permission *state_permission_find(const struct state_attempt *attempt, const char *id);

#endif
