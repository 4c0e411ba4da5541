/* Listening sockets inside a cell's network, for the supervisor to accept on. */
#ifndef TECHO_SANDBOX_LISTEN_INTERNAL_H
#define TECHO_SANDBOX_LISTEN_INTERNAL_H

#include <sys/socket.h>

/*
 * Makes a TCP socket in the network namespace that the socket `inside` is of,
 * bound to `at` and listening, non-blocking. An address that is not the cell's own
 * becomes so first. Returns the descriptor, or -errno; -EADDRINUSE: the
 * program has one there itself.
 */
int cell_listen(int inside, const struct sockaddr *at, socklen_t at_len);

#endif
