/* Bytes between two sockets. It reads only what it has written out before, so that it never holds more than a pipe. */
#include "pipe_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PIECE = 64 << 10, ROUNDS = 8 };

int pipe_open(struct pipe *pipe)
{
    int ends[2];

    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0) {
        return -errno;
    }
    *pipe = (struct pipe){.read = ends[0], .write = ends[1]};
    return 0;
}

void pipe_done(struct pipe *pipe)
{
    close_descriptor(&pipe->read);
    close_descriptor(&pipe->write);
}

bool pipe_wants_input(const struct pipe *pipe)
{
    return !pipe->ended && pipe->held == 0;
}

bool pipe_wants_output(const struct pipe *pipe)
{
    return pipe->held > 0;
}

/* 1: something moved; 0: not now; -errno. */
static int fill(struct pipe *pipe, int from)
{
    ssize_t len = splice(from, NULL, pipe->write, NULL, PIECE, SPLICE_F_NONBLOCK | SPLICE_F_MOVE);

    if (len < 0) {
        return errno == EAGAIN || errno == EINTR ? 0 : -errno;
    }
    pipe->held = (size_t)len;
    pipe->ended = len == 0;
    return 1;
}

static int drain(struct pipe *pipe, int to, uint64_t *ret_moved)
{
    ssize_t len = splice(pipe->read, NULL, to, NULL, pipe->held, SPLICE_F_NONBLOCK | SPLICE_F_MOVE);

    if (len < 0) {
        return errno == EAGAIN || errno == EINTR ? 0 : -errno;
    }
    pipe->held -= (size_t)len;
    *ret_moved += (size_t)len;
    return len > 0;
}

int pipe_pump(struct pipe *pipe, int from, int to, uint64_t *ret_moved)
{
    int result = 1;

    for (int round = 0; round < 2 * ROUNDS && result > 0 && !pipe->shut; round++) {
        if (pipe->held > 0) {
            result = drain(pipe, to, ret_moved);
        } else if (pipe->ended) {
            (void)shutdown(to, SHUT_WR); /* it may be gone already */
            pipe->shut = true;
        } else {
            result = fill(pipe, from);
        }
    }
    return result < 0 ? result : 0;
}
