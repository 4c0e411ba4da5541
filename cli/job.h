/*
 * What a command that works needs: a case or a folder, the ceiling, a session
 * with its log, and an engine. Opened from the command line, in one place.
 */
#ifndef TECHO_CLI_JOB_H
#define TECHO_CLI_JOB_H

#include "../core/core.h"
#include "options.h"

enum job_flags {
    JOB_LOG = 1,                  /* the session is written to a file */
    JOB_SPAWNER = 2,              /* something will run */
    JOB_ENGINE = 4 | JOB_SPAWNER, /* ... by an engine of this job */
    JOB_QUIET = 8,                /* events are not told to people as they come */
    JOB_SCREEN = 16,              /* the screen tells: no listener at all */
    JOB_OWN_FOLDER = 32,          /* without -c and case, the ceiling is the data of the folder; else `sandbox` */
};

struct job {
    struct case_info *kase; /* owned; NULL: none */
    struct buf root;        /* absolute and real */
    struct buf ceiling, ceiling_source;
    struct buf preamble; /* empty: the case's, or none */
    struct session *session;
    struct engine *engine;
    uint64_t told; /* lines that people got */
};

/* `case_word`: the case when --case is not given; NULL: none. On failure nothing is left open. */
int job_open(struct job *job, const struct arguments *arguments, const char *case_word, unsigned flags,
             struct err *err) MUST_USE;
/* Ends the session with this status, or with the last run's when NULL; takes totals (NULL: none). */
void job_end(struct job *job, const char *status, cJSON *totals);
void job_done(struct job *job);

/* Root, case and ceiling alone: for commands that neither log nor run. */
int job_locate(struct job *job, const struct arguments *arguments, const char *case_word, unsigned flags,
               struct err *err) MUST_USE;
/* The real home of the user, or NULL. */
const char *job_home(void);
/* The executor that -x or -l names, or `fallback`; NULL fills err with what there is. */
const struct executor *job_executor(const struct arguments *arguments, const struct executor *fallback,
                                    struct err *err);
/* The names of a list with commas as an owned, NULL-terminated array, each a known executor; NULL fills err. */
const char **job_executors(const char *list, struct err *err);
enum sandbox_notify job_notify(const struct arguments *arguments);

#endif
