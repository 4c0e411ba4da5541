/* How a run ended, as an exit status. */
#include "exits.h"

#include <string.h>

static const struct {
    const char *status;
    int exit; /* -1: the program's own */
} exits[] = {
    {"ok", EXIT_DONE},
    {"error", -1},
    {"denied", -1},
    {"signal", EXIT_SIGNAL},
    {"wall", EXIT_TIME},
    {"cpu", EXIT_TIME},
    {"memory", EXIT_MEMORY},
    {"output", EXIT_TOO_MUCH},
    {"processes", EXIT_TOO_MUCH},
    {"disk", EXIT_TOO_MUCH},
    {"blocked", EXIT_STOPPED},
    {"refused", EXIT_STOPPED},
    {"setup", EXIT_OWN_FAILURE},
    {"cancelled", EXIT_CANCELLED},
};

static int exit_of_run(const struct state_exit *end)
{
    for (size_t i = 0; i < sizeof(exits) / sizeof(exits[0]); i++) {
        if (!end->status || strcmp(exits[i].status, end->status) != 0)
            continue;
        if (exits[i].exit == -1)
            return end->code > 0 ? end->code : EXIT_CHECK_FAILED;
        if (exits[i].exit == EXIT_SIGNAL)
            return EXIT_SIGNAL + end->signal;
        if (exits[i].exit == EXIT_OWN_FAILURE && end->code == EXIT_NOT_FOUND)
            return EXIT_NOT_FOUND;
        return exits[i].exit;
    }
    return EXIT_OWN_FAILURE;
}

int exit_of_state(const struct state *state)
{
    const struct state_attempt *attempt = state->current ? state_last_attempt(state->current) : NULL;

    return attempt && attempt->exit.done ? exit_of_run(&attempt->exit) : EXIT_OWN_FAILURE;
}
