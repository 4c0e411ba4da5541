/* One connection of the relay, and how its descriptors are watched. */
#ifndef TECHO_SANDBOX_CONNECTION_INTERNAL_H
#define TECHO_SANDBOX_CONNECTION_INTERNAL_H

#include "relay_internal.h"

/* What an event of epoll is about. */
enum relay_about { ABOUT_LISTENER, ABOUT_CELL, ABOUT_HOST, ABOUT_RESOLVER, ABOUT_TIMER };

/* epoll_ctl() for the relay; `index` says which listener or connection. 0 or -errno. */
int relay_watch(const struct relay *relay, int operation, int fd, uint32_t events, enum relay_about about,
                size_t index);

/* Takes over `fd`, which `listener` accepted. */
void connection_begin(struct relay *relay, struct connection *connection, const struct listener *listener, int fd);
/* Goes on when the name's addresses are known. */
void connection_resolve(struct relay *relay, struct connection *connection);
/* Of ABOUT_CELL or ABOUT_HOST. */
void connection_serve(struct relay *relay, struct connection *connection, enum relay_about about, uint32_t events);
void connection_done(struct connection *connection);

#endif
