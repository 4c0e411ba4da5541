/* One direction of a connection: bytes from one socket to another, through a pipe, without a copy. */
#ifndef TECHO_SANDBOX_PIPE_INTERNAL_H
#define TECHO_SANDBOX_PIPE_INTERNAL_H

#include "base.h"

struct pipe {
    int read, write; /* owned; -1 */
    size_t held;     /* bytes in the pipe */
    bool ended;      /* nothing more comes */
    bool shut;       /* and the other side was told */
};

int pipe_open(struct pipe *pipe);
void pipe_done(struct pipe *pipe);
/*
 * Moves what can be moved now, bounded, so that one connection does not take
 * all the time. Adds what arrived at `to` to *ret_moved. 0, or -errno when the
 * connection is broken.
 */
int pipe_pump(struct pipe *pipe, int from, int to, uint64_t *ret_moved);
/* Does it wait for bytes of `from`, for room at `to`? */
bool pipe_wants_input(const struct pipe *pipe);
bool pipe_wants_output(const struct pipe *pipe);

#endif
