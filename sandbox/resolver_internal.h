/*
 * Names to addresses, by libexec/techo/resolve: a process of its own, started
 * at the first name, so that no name server ever holds up this one.
 */
#ifndef TECHO_SANDBOX_RESOLVER_INTERNAL_H
#define TECHO_SANDBOX_RESOLVER_INTERNAL_H

#include "net_internal.h"

#include <sys/types.h>

enum { RESOLVER_ADDRESSES = 8, RESOLVER_NAMES = 64, RESOLVER_LINE = 1024 };

struct resolved {
    char name[NET_NAME_MAX + 1];
    struct sockaddr_storage list[RESOLVER_ADDRESSES]; /* without a port */
    size_t count;
    bool waiting;       /* the answer is not there yet */
    int64_t asked_us, known_us; /* by monotonic_us(); 0: never */
};

struct resolver {
    pid_t helper; /* 0: not started */
    int to, from; /* its standard input and output; non-blocking; -1 */
    char line[RESOLVER_LINE];
    size_t line_len;
    struct resolved *names; /* owned; RESOLVER_NAMES */
};

void resolver_init(struct resolver *resolver);
/* Ends the helper. */
void resolver_done(struct resolver *resolver);
/*
 * What a name means: NULL while it is not known (ask again when `from` was
 * readable); with `count` 0 it means nothing. Borrowed, until the next call. An
 * answer is kept for a minute, a failure for a second.
 */
const struct resolved *resolver_find(struct resolver *resolver, const char *name);
/* Call when `from` is readable. */
void resolver_read(struct resolver *resolver);

#endif
