/* What the program tried, one row for equal accesses, and what it used of the granted items. */
#ifndef TECHO_SANDBOX_ACCESS_INTERNAL_H
#define TECHO_SANDBOX_ACCESS_INTERNAL_H

#include "sandbox.h"

#include <sys/types.h>

enum {
    ACCESS_ROWS_MAX = 1000,
    ACCESS_OTHERS_MAX = 750, /* rows that are no refusals: a flood of them does not hide a refusal */
};

/* Takes a report to where it goes. An artifact's descriptor is taken over by setting it to -1. */
typedef void (*report_fn)(void *context, struct report *report);

struct access_row {
    uint64_t hash;
    struct report_access access; /* texts owned */
    uint64_t reported;           /* the count that was reported last */
};

struct used_file {
    int item; /* -1: a free place */
    dev_t device;
    ino_t inode;
};

struct accesses {
    struct access_row *rows; /* owned */
    size_t count;
    size_t others;            /* rows that are no refusals */
    uint64_t beyond;          /* accesses without a row, because there were too many */
    uint64_t beyond_denied;   /* of them refused */
    struct access_row hidden; /* the last of those: the program's end may be about it */
    const struct access_row *last_denied; /* the last refused access, in rows or hidden; NULL: none */
    struct report_used *used; /* owned; one for each granted item */
    size_t used_count;
    struct used_file *files; /* owned; a hash set */
    size_t file_count, file_room;
};

int accesses_init(struct accesses *accesses, size_t item_count);
void accesses_done(struct accesses *accesses);
/* Adds it, or counts it with its equals. Texts are copied. A new row is reported at once. */
void accesses_add(struct accesses *accesses, const struct report_access *access, report_fn report, void *context);
/* Reports counts that have doubled, so that nobody can fill a log with them; at the end, `all` that grew. */
void accesses_flush(struct accesses *accesses, bool all, report_fn report, void *context);
/* An open of a file that `item` grants. */
void accesses_use(struct accesses *accesses, int item, dev_t device, ino_t inode, uint64_t size);
/* Bytes that went to and from a host, and, unless `host` is NULL, one more connection to it. */
void accesses_use_host(struct accesses *accesses, int item, const char *host, uint64_t bytes);
void accesses_report_used(const struct accesses *accesses, report_fn report, void *context);
/* The last refused access, or NULL. */
const struct report_access *accesses_last_denied(const struct accesses *accesses);

#endif
