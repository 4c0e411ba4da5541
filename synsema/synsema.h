/*
 * Synsema: an engine for the analytics core of the Synsema language. One
 * struct synsema runs one program: make it, run a source, read what came of
 * it, free it. Engines share nothing but the C library; one thread per engine.
 */
#ifndef TECHO_SYNSEMA_SYNSEMA_H
#define TECHO_SYNSEMA_SYNSEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum synsema_stream { SYNSEMA_STDOUT = 1, SYNSEMA_STDERR = 2 };

/* Called with each line that the program prints, its line end included. Non-zero ends the run as cancelled. */
typedef int (*synsema_output_fn)(void *context, enum synsema_stream stream, const char *bytes, size_t length);

/* Zeroed members mean the default. Strings and arrays must outlive the engine. */
struct synsema_options {
    const char *filename;    /* as error locations show it; default "<program>" */
    const char *directory;   /* where `use` looks for modules; default: the filename's folder */
    const char *ceiling;     /* §11's text ("stdout,time"); NULL: no ceiling */
    const char *ambient;     /* granted without a require; NULL: "stdout,time,llm" */
    const char *const *args; /* what args() gives */
    size_t arg_count;
    synsema_output_fn output; /* NULL: descriptors 1 and 2 */
    void *context;            /* the callback's */
    uint64_t memory_limit;    /* bytes of values; 0: none */
    uint64_t step_limit;      /* calls and loop turns; 0: none */
    unsigned depth_limit;     /* nested calls; 0: 3000 */
    bool pure;                /* profile "pure": no files, no processes */
    bool tests;               /* run the test blocks, as `synsema test` does */
    bool no_language_checks;  /* the language grants everything: only for tests of what stands behind it */
    const char *self;         /* this program's path, for run_program; NULL: /proc/self/exe */
    uint64_t fail_allocation; /* for tests: the n-th allocation and all later ones fail; 0: none */
};

/* One check or grant (reference §10.5). Owned by the engine. */
struct synsema_audit {
    const char *capability;
    bool granted;
    const char *source;
    const char *reason;
    const char *origin;
};

struct synsema_result {
    bool ok;
    int exit;          /* what the process should exit with */
    const char *error; /* owned by the engine; NULL when ok; "Runtime error: f:1:2: …" */
    const char *message; /* the error without its kind and location */
    unsigned line;     /* of the error, 1-based; 0 when it has none */
    unsigned column;
    uint64_t steps;
    unsigned tests_passed;
    unsigned tests_failed;
};

struct synsema;

/* NULL and a line in `ret_error` (at most `size` bytes) when the ceiling is wrong or memory is short. */
struct synsema *synsema_new(const struct synsema_options *options, char *ret_error, size_t size);
void synsema_free(struct synsema *engine);

/* Runs a source once. The result is the engine's, and stays until it is freed. */
const struct synsema_result *synsema_run(struct synsema *engine, const char *source, size_t length);
/* Lexes, parses and compiles only. */
const struct synsema_result *synsema_check(struct synsema *engine, const char *source, size_t length);

size_t synsema_audit_count(const struct synsema *engine);
struct synsema_audit synsema_audit_entry(const struct synsema *engine, size_t index);

/* Asks a running engine to stop at its next loop turn or call; may be called from a signal handler. */
void synsema_cancel(struct synsema *engine);

#endif
