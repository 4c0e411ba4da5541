/*
 * The network that a cell sees: names that all resolve, to handles that lead
 * nowhere, so that a refused connection has a host and a port.
 */
#ifndef TECHO_SANDBOX_NET_INTERNAL_H
#define TECHO_SANDBOX_NET_INTERNAL_H

#include "verdict_internal.h"

#include <sys/socket.h>

enum { NET_NAMES_MAX = 4096, NET_NAME_MAX = 253, NET_TEXT_MAX = 320, DNS_PACKET_MAX = 512 };

struct net {
    char **names; /* owned; handle 127.1.x.y is names[(x << 8 | y) - 1] */
    size_t count;
};

void net_done(struct net *net);
/* Answers what waits on the stub's socket. */
void net_serve(struct net *net, int dns);
/* One query to one answer; returns the answer's length, or 0 when the query deserves none. */
size_t net_answer(struct net *net, const uint8_t *query, size_t len, uint8_t ret_answer[DNS_PACKET_MAX + 16]);

/* What an address means. `text` becomes "host:port"; for a socket with a path: that path, and *ret_path is true. */
enum address_kind net_describe(const struct net *net, const struct sockaddr_storage *address, size_t len,
                               char ret_text[NET_TEXT_MAX], bool *ret_path, bool *ret_row);

/* A host and a port that an address means, whatever way it is written. */
struct net_target {
    char host[NET_NAME_MAX + 1]; /* a name in lower case, or a canonical address */
    bool is_address;
    unsigned port;
    struct sockaddr_storage at; /* where the cell's kernel will look for it: no IPv4 within IPv6, no "any" address */
    socklen_t at_len;
};

/* False when the address is none of IPv4 or IPv6. */
bool net_find_target(const struct net *net, const struct sockaddr_storage *address, size_t len,
                     struct net_target *ret_target);

#endif
