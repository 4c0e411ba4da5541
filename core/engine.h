/*
 * The engine: question -> model -> program -> inspection -> grant -> run ->
 * answer. It never blocks: it names descriptors and a deadline, its owner polls
 * and calls engine_dispatch(). All that it does it says as events.
 */
#ifndef TECHO_CORE_ENGINE_H
#define TECHO_CORE_ENGINE_H

#include "../sandbox/sandbox.h"
#include "case.h"
#include "session.h"

#include <poll.h>

enum inspect_mode { INSPECT_BLOCK, INSPECT_WARN, INSPECT_OFF };

/* What is said to a permission that the ceiling has as `?`, when the program first touches it. */
enum engine_choice {
    CHOICE_DENY,    /* not this time */
    CHOICE_ONCE,    /* for this run */
    CHOICE_SESSION, /* for this file, in every run of this session */
    CHOICE_NEVER,   /* not in this session, and do not ask again */
    CHOICE_PERSON,  /* a person says: engine_decide() */
};
const char *engine_choice_name(enum engine_choice choice);

struct engine_options {
    struct session *session;     /* borrowed */
    const struct case_info *kase; /* borrowed; NULL: no case */
    const char *root;            /* absolute and real */
    const char *ceiling;         /* policy text */
    const char *ceiling_source;  /* "case.json:7", "-c", "default" */
    const char *preamble;        /* NULL: the case's */
    const char *model;           /* "recorded" or "recorded:FILE" */
    int spawner_fd;
    enum sandbox_notify notify;
    enum engine_choice answer; /* to whatever is asked; CHOICE_PERSON: it waits */
    bool direct; /* what is granted to write is written at once */
    const char *decoy; /* NULL, or the throw-away folder (the root, or one that holds it) of a decoy cell */
    uint32_t without;  /* bit set of enum sandbox_layer that are off; in a decoy cell only */
    enum inspect_mode inspect;
    unsigned attempts; /* 1 ... */
    bool own_stdin;    /* this process's standard input is the program's, where stdin is granted; else that is empty */
    bool instant;      /* recorded answers without their recorded times */
};

struct engine;

/* Emits `ceiling` and, where there is data, `profile`. -EINVAL for a policy that does not parse. */
int engine_new(const struct engine_options *options, struct engine **ret_engine, struct err *err) MUST_USE;
void engine_free(struct engine *engine); /* kills what runs */

/* Poll. At most `max` entries are filled; returns how many there are. */
size_t engine_poll_fds(const struct engine *engine, struct pollfd *fds, size_t max);
/* Microseconds of CLOCK_MONOTONIC at which dispatch wants to be called, or -1. */
int64_t engine_deadline(const struct engine *engine);
void engine_dispatch(struct engine *engine, const struct pollfd *fds, size_t count);
bool engine_busy(const struct engine *engine);

/* All of these return at once; what comes of them are events. -EBUSY while something runs. */
struct engine_question {
    const char *id;   /* of the case's question, or NULL */
    const char *text; /* NULL: the case's */
    const char *executor; /* "python@sandbox" */
};
int engine_ask(struct engine *engine, const struct engine_question *question, struct err *err) MUST_USE;

struct engine_program {
    const char *executor;
    const char *text;
    size_t len;
    const char *by;          /* "person", "recorded" */
    const char *question_id; /* judged against the case's answer when not NULL */
    const char *title;       /* what the question line shows */
    bool escape;             /* an escape: always runs, inspection only reports */
};
int engine_run(struct engine *engine, const struct engine_program *program, struct err *err) MUST_USE;
/* Runs the last program again, with the ceiling as it is now; `force` lets a blocked one run. */
int engine_again(struct engine *engine, bool force, struct err *err) MUST_USE;
/* A command in the sandbox: the ceiling is the grant. For `exec --json`. */
int engine_exec(struct engine *engine, const char *const *argv, struct err *err) MUST_USE;
/* Inspection only. */
int engine_check(struct engine *engine, const struct engine_program *program, struct err *err) MUST_USE;

int engine_set_ceiling(struct engine *engine, const char *policy, const char *source, struct err *err) MUST_USE;
const char *engine_ceiling(const struct engine *engine);
/* Decides on a row whose state is held (with CHOICE_PERSON). -ENOENT when it waits no more. */
int engine_decide(struct engine *engine, const char *row, enum engine_choice choice, struct err *err) MUST_USE;
void engine_cancel(struct engine *engine);

/* The executors that there are. */
struct executor {
    const char *name;       /* "python@sandbox" */
    const char *short_name; /* "py" */
    const char *language;   /* "python" */
    const char *isolation;  /* "sandbox" */
    const char *suffix;     /* ".py" */
    const char *comment;    /* "#" */
    const char *about;      /* one phrase */
    bool decoy;             /* nothing holds its programs: they run in a decoy cell, on a throw-away copy, and only there */
};
const struct executor *executor_find(const char *name); /* NULL */
const struct executor *executor_for_language(const char *language);
const struct executor *executor_at(size_t index); /* NULL past the last */

#endif
