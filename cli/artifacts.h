/* --out DIR: what programs left in ./out, written to a folder of the host when the work is done. */
#ifndef TECHO_CLI_ARTIFACTS_H
#define TECHO_CLI_ARTIFACTS_H

#include "../core/core.h"
#include "options.h"

struct artifacts {
    const char *dir;     /* as given; NULL: no --out; borrowed */
    int folder;          /* descriptor of it, or -1 */
    struct event **list; /* owned; of the last attempt of each question */
    size_t count;
    bool failed; /* without memory some are missing */
};

/* Opens the folder that --out names, if it does. Before anything runs: a slip of the pen costs no run. */
int artifacts_open(const struct arguments *arguments, struct artifacts *ret_artifacts, struct err *err) MUST_USE;
/* A session_listener, with the artifacts as its context: keeps what a later attempt does not replace. */
void artifacts_take(void *context, const struct event *event, const struct state *state);
/* Writes what was kept and says where each went. False when one could not be written. */
bool artifacts_write(const struct artifacts *artifacts);
void artifacts_done(struct artifacts *artifacts);

#endif
