/*
 * How a program of each language runs inside a cell: the files that its
 * interpreter needs (its base), its arguments and environment, and what its
 * harness says on descriptor 3.
 */
#ifndef TECHO_CORE_RUNNER_H
#define TECHO_CORE_RUNNER_H

#include "../../sandbox/sandbox.h"

#include <cjson/cJSON.h>

struct executor;

/* A request with all that it points to. */
struct runner_cell {
    struct sandbox_request request;
    void *memory;    /* owned; what the request borrows */
    cJSON *versions; /* owned; {"python": "3.11", "pandas": "2.2.3"}; NULL: not known */
};
void runner_cell_done(struct runner_cell *cell);

struct runner_program {
    const struct executor *executor;
    const char *root;     /* absolute and real */
    const char *granted;  /* policy text, absolute scopes */
    const char *preamble; /* NULL: none; put before the program, line numbers stay the program's own */
    const char *text;
    size_t len;
    enum sandbox_notify notify;
};
/* -ENOENT with a line that says what is missing and what to type, when there is no interpreter. */
int runner_prepare(const struct runner_program *program, struct runner_cell *ret_cell, struct err *err) MUST_USE;
/* One of our own scripts of libexec/techo (inspect_python.py), with nothing granted but stdout; `input` is injected as
 * /input. */
int runner_prepare_tool(const char *script, const void *input, size_t len, struct runner_cell *ret_cell,
                        struct err *err) MUST_USE;
/* Any command, as `techo exec` shows the world: /usr and what it needs of /etc. */
int runner_prepare_command(const char *root, const char *granted, const char *const *argv, enum sandbox_notify notify,
                           struct runner_cell *ret_cell, struct err *err) MUST_USE;

/*
 * What harnesses say (REPORT_SAID), one per line:
 *   @N              the next accesses come from the program's line N (read by the supervisor, not passed on)
 *   {"kind": "exception", "type": "...", "message": "...", "frames": [{"line": 3, "function": "f", "text": "..."}],
 *    "errno": 13, "filename": ".env"}
 *   {"kind": "result", "columns": [...], "types": [...], "rows": [[...]], "total": 12}
 */

#endif
