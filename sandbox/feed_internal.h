/*
 * The program's standard input: bytes of a descriptor of the caller's, handed
 * on through a pipe. The program never holds the caller's descriptor: through
 * one for reading alone a file's mode, owner and times can still be changed,
 * and a terminal's can be written to.
 */
#ifndef TECHO_SANDBOX_FEED_INTERNAL_H
#define TECHO_SANDBOX_FEED_INTERNAL_H

#include "base.h"

enum { FEED_PIECE = 64 << 10 };

struct feed {
    int from; /* borrowed; -1 */
    int to;   /* owned; our end of the program's pipe, not blocking; -1: there is no more to hand on */
    bool waits_to_read; /* reading `from` may wait for ever, unless it is asked not to */
    size_t at, len;     /* of what was read and is not written yet */
    char bytes[FEED_PIECE];
};

/* Without a pipe: nothing is ever handed on. */
void feed_init(struct feed *feed);
/* Makes the pipe; *ret_read is owned by the caller, for the program. 0 or -errno. */
int feed_open(struct feed *feed, int from, int *ret_read) MUST_USE;
void feed_done(struct feed *feed);
/* The descriptor and the events that it waits for; -1 when nothing more is to be done. */
int feed_waits(const struct feed *feed, short *ret_events);
/* Moves what can be moved now. */
void feed_move(struct feed *feed);

#endif
