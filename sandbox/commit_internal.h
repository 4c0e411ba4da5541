/*
 * Commit: what a run wrote to its upper layers is carried over to the host,
 * file by file, once nothing of the run lives any more. The layers are the
 * program's work and the host's folders are anybody's meanwhile: both are
 * walked by descriptor, and no symbolic link of either is ever followed.
 */
#ifndef TECHO_SANDBOX_COMMIT_INTERNAL_H
#define TECHO_SANDBOX_COMMIT_INTERNAL_H

#include "access_internal.h"
#include "pin_internal.h"

#include <time.h>

struct commit_options {
    const struct pins *pins; /* borrowed */
    int writes_dir;          /* borrowed; the cell's */
    const char *root;        /* its ./out is no grant's */
    const char *const *own;  /* the application's folders; see protect_is() */
    uint64_t bytes_max;      /* more than this cannot be in the layers */
    struct timespec started; /* a host file that changed since is left alone */
    report_fn report;        /* one REPORT_EFFECT per path */
    void *context;
};

struct commit_result {
    uint64_t done, refused; /* paths */
    bool failed;            /* the host refused one of them */
    struct buf first;       /* "PATH: why", of the first that was not written */
};

/* The result is filled in any case; give it to commit_result_done(). */
void commit_writes(const struct commit_options *options, struct commit_result *ret_result);
void commit_result_done(struct commit_result *result);

#endif
