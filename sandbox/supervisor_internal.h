/*
 * Carries out one run: makes its cell, watches it, kills it, says how it
 * ended. In a process of its own, forked by the spawner; `techo exec` is one
 * in place.
 */
#ifndef TECHO_SANDBOX_SUPERVISOR_INTERNAL_H
#define TECHO_SANDBOX_SUPERVISOR_INTERNAL_H

#include "access_internal.h"

struct supervisor_options {
    const struct sandbox_request *request; /* borrowed */
    int stdio[3];     /* borrowed; terminal: what becomes 0, 1, 2; else only [0] counts; -1: empty */
    int client;       /* borrowed; the application's socket, to which reports go; -1: `report` is called */
    int signals;      /* borrowed; a signalfd: whatever arrives cancels the run; -1: none */
    report_fn report; /* without client */
    void *context;
    bool decoy;       /* this process is in a decoy cell */
    bool allow_asked; /* without client: the answer to everything that a person would be asked */
    const char *bare; /* borrowed; see struct cell_options */
};

/* Reports everything, the exit last. */
void supervisor_run(const struct supervisor_options *options);

#endif
