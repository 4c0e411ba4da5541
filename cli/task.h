/*
 * What a command that works needs: a case or a folder, the ceiling, a session
 * with its log, and an engine. Opened from the command line, in one place.
 */
#ifndef TECHO_CLI_TASK_H
#define TECHO_CLI_TASK_H

#include "../core/core.h"
#include "artifacts.h"
#include "options.h"

enum task_flags {
    TASK_LOG = 1,                   /* the session is written to a file */
    TASK_SPAWNER = 2,               /* something will run */
    TASK_ENGINE = 4 | TASK_SPAWNER, /* ... by an engine of this task */
    TASK_QUIET = 8,                 /* events are not told to people as they come */
    TASK_SCREEN = 16,               /* the screen tells: no listener at all */
    TASK_STDIN = 64,                /* standard input is the program's, where the ceiling grants it */
    TASK_OWN_FOLDER = 32,           /* without -c and case, the ceiling is the data of the folder; else `sandbox` */
};

struct task {
    struct case_info *kase; /* owned; NULL: none */
    struct buf root;        /* absolute and real */
    struct buf ceiling, ceiling_source;
    struct buf preamble; /* empty: the case's, or none */
    struct session *session;
    struct engine *engine;
    bool unsafe;         /* in a decoy cell, around `throwaway` or a copy of the command's own */
    uint32_t without;    /* layers that are off there */
    char *throwaway;     /* owned; the copy that is the root then; NULL */
    struct artifacts artifacts;
    uint64_t told; /* lines that people got */
};

/* `case_word`: the case when --case is not given; NULL: none. On failure nothing is left open. */
int task_open(struct task *task, const struct arguments *arguments, const char *case_word, unsigned flags,
              struct err *err) MUST_USE;
/*
 * Ends the session with this status, or with the last run's when NULL; takes totals (NULL: none). What --out asks for
 * is written then; false when something of it could not be.
 */
bool task_end(struct task *task, const char *status, cJSON *totals);
void task_done(struct task *task);

/* Root, case and ceiling alone: for commands that neither log nor run. */
int task_locate(struct task *task, const struct arguments *arguments, const char *case_word, unsigned flags,
                struct err *err) MUST_USE;
/* The real home of the user, or NULL. */
const char *task_home(void);
/* The executor that -x or -l names, or `fallback`; NULL fills err with what there is. */
const struct executor *task_executor(const struct arguments *arguments, const struct executor *fallback,
                                     struct err *err);
/* The names of a list with commas as an owned, NULL-terminated array, each a known executor; NULL fills err. */
const char **task_executors(const char *list, struct err *err);
/* What --unsafe and --without say. -EINVAL for a layer that there is not, or --without alone. */
int task_unsafe(const struct arguments *arguments, bool *ret_unsafe, uint32_t *ret_without, struct err *err) MUST_USE;
/* A session_listener: the program's own output goes where a program's output goes. */
void task_pass_output(void *context, const struct event *event, const struct state *state);
enum sandbox_notify task_notify(const struct arguments *arguments);

#endif
