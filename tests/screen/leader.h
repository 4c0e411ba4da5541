/*
 * The job-control parent of an application under test, as a shell would be: a
 * session leader that starts it in the foreground, says when it stops or ends,
 * and continues it when told.
 */
#ifndef TECHO_TESTS_SCREEN_LEADER_H
#define TECHO_TESTS_SCREEN_LEADER_H

#include "harness.h"

struct message {
    char kind; /* P: pid, S: stopped, E: ended; to the parent C: continue */
    int value;
};

/* Never returns. `control` is a SEQPACKET socket for messages. */
_Noreturn void leader_run(int slave, int control, const struct screen_options *options, int (*run)(void *context),
                          void *context);

#endif
