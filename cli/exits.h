/* Exit statuses, as `techo help run` has them. */
#ifndef TECHO_CLI_EXITS_H
#define TECHO_CLI_EXITS_H

#include "../core/core.h"

enum {
    EXIT_DONE = 0,
    EXIT_CHECK_FAILED = 1, /* also: no accepted answer, not granted */
    EXIT_USAGE = 2,        /* run and exec: 125 */
    EXIT_TOO_MUCH = 123,   /* output, processes, disk */
    EXIT_TIME = 124,       /* wall, cpu */
    EXIT_OWN_FAILURE = 125,
    EXIT_STOPPED = 126, /* refused or blocked */
    EXIT_NOT_FOUND = 127,
    EXIT_SIGNAL = 128, /* + the signal */
    EXIT_CANCELLED = 130,
    EXIT_MEMORY = 137,
};

/* Of `run` and `exec`, from how the last attempt ended; EXIT_OWN_FAILURE when nothing ran. */
int exit_of_state(const struct state *state);

#endif
