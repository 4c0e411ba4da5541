/* Reports on their way to the application: sent without blocking, kept in order while it is slow. */
#ifndef TECHO_SANDBOX_OUTBOX_INTERNAL_H
#define TECHO_SANDBOX_OUTBOX_INTERNAL_H

#include "sandbox.h"

enum { OUTBOX_FULL = 1 << 20 }; /* bytes that wait, from which on the program's output is no longer read */

struct outbox_packet {
    struct outbox_packet *next;
    int fd; /* owned; sent along, or -1 */
    size_t len;
    char bytes[];
};

struct outbox {
    int socket; /* borrowed */
    struct outbox_packet *first, *last;
    size_t bytes; /* that wait */
    bool gone;    /* the application has closed its end, or memory ran out */
};

void outbox_init(struct outbox *outbox, int socket);
void outbox_done(struct outbox *outbox);
/* Takes an artifact's descriptor out of the report. */
void outbox_add(struct outbox *outbox, struct report *report);
/* Sends what can be sent now. */
void outbox_flush(struct outbox *outbox);
/* Waits until all is sent, or the application is gone. */
void outbox_drain(struct outbox *outbox);

#endif
