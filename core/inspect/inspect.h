/*
 * Reads a program before it runs. The language's own parser does the reading,
 * in the sandbox with nothing granted; what it prints is judged here.
 */
#ifndef TECHO_CORE_INSPECT_H
#define TECHO_CORE_INSPECT_H

#include "../../sandbox/grant.h"

struct inspect_finding {
    char *rule;       /* "process", "dynamic-code", "network", "read", "write", "endless-loop", "invisible-text" ... */
    char *severity;   /* "block", "warn", "note" */
    char *permission; /* the item that would cover it: "file.read=./.env"; NULL */
    char *text;       /* one sentence */
    unsigned line, column, end_line, end_column; /* 1-based, the end included; columns in bytes */
};

struct inspection {
    struct inspect_finding *findings; /* sorted by line */
    size_t count;
    bool syntax_error; /* the language's parser refused it: the run will say so in its own words */
};

struct inspect_input {
    const char *output; /* what the tool printed: JSON */
    size_t len;
    const char *root, *home;
    const struct policy *ceiling;
    const struct grant_request *declared; /* what is also declared is trimmed: a warning only */
    size_t declared_count;
};

/* The script for runner_prepare_tool(): "inspect_python.py"; NULL: this language is not inspected. */
const char *inspect_tool(const char *language);
/* -EBADMSG when `output` is not what the tool prints: the program then counts as not inspected. */
int inspect_judge(const struct inspect_input *input, struct inspection *ret_inspection, struct err *err) MUST_USE;
void inspection_done(struct inspection *inspection);

#endif
