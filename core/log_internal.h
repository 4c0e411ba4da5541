/* The file of a session: lines are appended, and never changed. */
#ifndef TECHO_CORE_LOG_INTERNAL_H
#define TECHO_CORE_LOG_INTERNAL_H

#include "../sandbox/base.h"

#include <sha2.h>

enum { LOG_HASH_TEXT = 65 };

struct log {
    int fd;          /* -1: nothing is written (any more) */
    uint64_t offset; /* bytes written: whole lines */
    SHA2_CTX hash;   /* of these bytes */
};

/* Makes the file (0600), which must not exist. */
int log_open(struct log *log, const char *path, struct err *err) MUST_USE;
void log_close(struct log *log);
/*
 * Writes the line and a newline. When that fails, what was written of it is
 * taken back where the file allows it, the log is closed for good, and -errno
 * is returned.
 */
int log_write(struct log *log, const char *line, size_t len) MUST_USE;
/* SHA-256 of all that was written, in hexadecimal. */
void log_hash(const struct log *log, char ret_text[LOG_HASH_TEXT]);

#endif
