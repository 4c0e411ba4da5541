/* Turns what the supervisor reports of one run into events, and keeps what the engine decides by. */
#ifndef TECHO_CORE_CELL_CLIENT_INTERNAL_H
#define TECHO_CORE_CELL_CLIENT_INTERNAL_H

#include "../rows_internal.h"
#include "runner.h"

enum { CLIENT_OUTPUT_MAX = 4 << 20, CLIENT_ERRORS_MAX = 4096, CLIENT_MISSING_MAX = 20, CLIENT_SAID_MAX = 100 };

/* The beginning of a character that a pipe has cut. */
struct client_cut {
    char bytes[4];
    size_t len;
};

struct cell_client {
    struct place place;
    const struct executor *executor;       /* borrowed; NULL: a command */
    const struct sandbox_request *request; /* borrowed */
    const cJSON *versions;                 /* borrowed; of the interpreter and its libraries; NULL */
    const struct policy *ceiling;          /* borrowed */
    const char *root, *home, *program;     /* borrowed; program: NULL for a command */
    bool declared;                         /* the program declared permissions, so it gets no others */
    const char *needle;                    /* borrowed; NULL: nothing is looked for in artifacts */
    struct rows *rows;                     /* borrowed */
    /* kept */
    struct client_cut cut[3]; /* by stream: the beginning of a character whose rest is to come */
    uint64_t dropped[3]; /* of each stream, as far as it was told */
    struct buf output;        /* what it printed */
    struct buf errors;        /* the last of what it said on standard error */
    struct buf missing;       /* refused permissions, for the model: one policy item per line */
    struct buf exception;     /* "KeyError: 'x' (line 3)" */
    unsigned missing_count, said_count;
    bool leaked; /* the needle is in an artifact */
    bool exited;
    enum sandbox_status status;
    int code;
    int64_t run_us;
    char *message; /* owned; NULL */
};

/* The caller sets the borrowed fields. */
void cell_client_init(struct cell_client *client);
void cell_client_done(struct cell_client *client);
/* Takes a report; emits what it means. The report stays the caller's. */
void cell_client_report(struct cell_client *client, const struct report *report);
/* The run ended without a word of its supervisor, or never began: emits the `exit` that is missing. */
void cell_client_end(struct cell_client *client, enum sandbox_status status, const char *message);

#endif
