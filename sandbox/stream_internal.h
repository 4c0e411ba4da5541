/*
 * What comes out of a cell: standard output and error, of which the head is
 * passed on at once and the tail at the end; and the lines that a harness
 * says on descriptor 3.
 */
#ifndef TECHO_SANDBOX_STREAM_INTERNAL_H
#define TECHO_SANDBOX_STREAM_INTERNAL_H

#include "access_internal.h"

enum { STREAM_RECENT = 4096 };

struct stream {
    int fd;                   /* owned; the read end of a pipe, not blocking; -1 at its end */
    int number;               /* 1 or 2 */
    bool dropped_whole;       /* the program has no permission for it: read, counted, dropped */
    uint64_t total;           /* bytes so far */
    uint64_t head, head_room; /* bytes passed on at once, and how many may be */
    char *tail;               /* owned; a ring of the last bytes after the head */
    size_t tail_room, tail_len, tail_at;
    char recent[STREAM_RECENT]; /* the very last bytes, for reading what the program reported */
    size_t recent_len;
};

/* `kept`: bytes kept of it, half of them of its end. Takes fd. */
void stream_init(struct stream *stream, int fd, int number, uint64_t kept, bool dropped_whole);
void stream_done(struct stream *stream);
/* Reads once; false when nothing is there now. */
bool stream_read(struct stream *stream, report_fn report, void *context);
/* Passes on the tail, and how much was dropped. */
void stream_finish(struct stream *stream, report_fn report, void *context);

struct said {
    int fd;           /* owned; the read end; -1: none */
    struct buf line;  /* owned; a line that is not whole yet */
    struct buf ready; /* owned; whole lines to pass on */
    bool too_long;    /* the line is longer than a line may be, and is dropped */
    uint64_t total, dropped;
    unsigned at; /* the program's line, by the last @N */
};

void said_init(struct said *said, int fd);
void said_done(struct said *said);
/* Reads what is there. */
void said_read(struct said *said, report_fn report, void *context);

#endif
