/*
 * The way out for granted hosts. The program connects to a socket that listens
 * inside its cell; what is accepted there is connected from the host's side,
 * and the bytes are carried both ways and counted. The cell owns no socket of
 * the host's. Everything hangs on one epoll descriptor, and nothing blocks.
 */
#ifndef TECHO_SANDBOX_RELAY_INTERNAL_H
#define TECHO_SANDBOX_RELAY_INTERNAL_H

#include "net_rules_internal.h"
#include "pipe_internal.h"
#include "resolver_internal.h"

enum {
    RELAY_LISTENERS = 256,
    RELAY_CONNECTIONS = 64, /* at once; more wait in the listening sockets' queues, */
    RELAY_RATE = 100,       /* as do more than this in a second */
};

/* What came of a connection that was accepted, or bytes that one carried. */
enum relay_event {
    RELAY_CONNECTED, /* to the host */
    RELAY_BYTES,
    RELAY_NO_NAME, /* no address is known for the name */
    RELAY_FAILED,  /* `error` says why */
    RELAY_REFUSED, /* the name leads to an address that only its own item opens */
};

struct relay_news {
    enum relay_event event;
    const char *asked;   /* host:port as the program asked for it */
    const char *address; /* address:port on the host's side */
    int items[2];        /* that grant it: the name's, and the address's where that is needed too; -1 */
    uint64_t bytes;
    int error; /* an errno */
};
typedef void (*relay_fn)(void *context, const struct relay_news *news);

struct listener {
    int fd; /* -1: a free place */
    struct net_target target;
    int item;
};

enum connection_state { CONNECTION_FREE, CONNECTION_RESOLVING, CONNECTION_CONNECTING, CONNECTION_OPEN };

struct connection {
    enum connection_state state;
    struct net_target target;
    int items[2];
    struct resolved addresses; /* not yet tried are those from `next` on */
    size_t next;
    int cell, host; /* -1 */
    struct pipe out, in;
    int cell_events, host_events; /* what epoll was told; -1: nothing */
    int error;                    /* of the last address that failed */
};

struct relay {
    int epoll; /* -1 when no item grants a host */
    int timer, inside; /* inside: borrowed, a socket in the cell's network */
    struct net_rules rules;
    struct resolver resolver;
    struct listener *listeners;     /* owned; RELAY_LISTENERS */
    struct connection *connections; /* owned; RELAY_CONNECTIONS */
    size_t next_listener;           /* is given up next */
    double tokens;                  /* connections that may be accepted now */
    int64_t tokens_us;
    bool paused, resolver_watched;
    relay_fn news;
    void *context;
};

/* Without an item that grants a host nothing is opened, and relay_find() finds nothing. 0 or -errno. */
int relay_init(struct relay *relay, const struct policy *granted, int inside, relay_fn news, void *context);
void relay_done(struct relay *relay);

/* The item that grants the target, or -1. */
int relay_find(const struct relay *relay, const struct net_target *target);
/* Sees to it that a connect to the target, which `item` grants, is accepted. 0 or -errno. */
int relay_open(struct relay *relay, const struct net_target *target, int item);
/* A person has allowed the target: `item`, a net=?, grants it from now on. 0 or -errno. */
int relay_allow(struct relay *relay, const struct net_target *target, int item);
/* Call when `epoll` is readable. */
void relay_serve(struct relay *relay);
/* The cell is dead: delivers what it had sent, for at most this long. */
void relay_finish(struct relay *relay, int milliseconds);

#endif
