/*
 * How processes of techo talk: fields of tag, length and bytes, and the two
 * messages made of them. A request travels in a sealed memfd, a report in one
 * datagram. Both ends treat what they read as untrusted.
 */
#ifndef TECHO_SANDBOX_WIRE_INTERNAL_H
#define TECHO_SANDBOX_WIRE_INTERNAL_H

#include "sandbox.h"

enum {
    WIRE_FDS_MAX = 8,
    WIRE_INLINE_MAX = 64 << 10,   /* a longer report travels in a memfd beside the datagram */
    WIRE_REPORT_MAX = 2 << 20,    /* an encoded report */
    WIRE_REQUEST_MAX = 128 << 20, /* an encoded request */
    WIRE_LIST_MAX = 64 << 10,     /* entries of a request's list: arguments, base paths, ... */
    WIRE_OUTPUT_MAX = 32 << 10,   /* bytes of output in one report */
    WIRE_LINE_MAX = 1 << 20,      /* a line said on descriptor 3 */
};

/* One field. `bytes` points into what is read. */
struct wire_field {
    unsigned tag;
    const char *bytes;
    size_t len;
};

struct wire_reader {
    const char *at;
    size_t left;
};

/* Failures stay in buf->failed, so that many fields may be added and checked once. */
void wire_add(struct buf *to, unsigned tag, const void *bytes, size_t len);
void wire_add_number(struct buf *to, unsigned tag, uint64_t value);
void wire_add_text(struct buf *to, unsigned tag, const char *text); /* with its NUL; nothing when NULL */

/* 1 and the next field, 0 at the end, -EBADMSG when the bytes make no sense. */
int wire_next(struct wire_reader *reader, struct wire_field *ret_field);
int wire_number(const struct wire_field *field, uint64_t max, uint64_t *ret_value);
/* The text itself, which lies NUL-terminated in the bytes that are read. */
int wire_text(const struct wire_field *field, size_t max, const char **ret_text);

/* A struct's members as a table, so that writing and reading cannot differ. The tag is the index + 1. */
enum wire_type { WIRE_TEXT, WIRE_BYTES, WIRE_U64, WIRE_U32, WIRE_INT, WIRE_BOOL, WIRE_ENUM };
struct wire_member {
    enum wire_type type;
    size_t offset;
    uint64_t max;         /* of a text or bytes: the longest; of an enum: the number of its values */
    size_t length_offset; /* of bytes: where their length stands */
};
void wire_add_members(struct buf *to, const struct wire_member *members, size_t count, const void *object);
/* Fills `object`, which must be zeroed; texts and bytes become owned, also when it fails. */
int wire_read_members(const char *bytes, size_t len, const struct wire_member *members, size_t count, void *object);
void wire_free_members(const struct wire_member *members, size_t count, void *object);

/* One datagram with descriptors. Returns 0 or -errno (-EAGAIN when it would block and `wait` is false). */
int wire_send(int socket, const void *bytes, size_t len, const int *fds, size_t fd_count, bool wait);
/* Returns the length, 0 at the end of file, -EAGAIN. Descriptors beyond `max_fds` are closed. */
ssize_t wire_receive(int socket, void *bytes, size_t len, int *fds, size_t max_fds, size_t *ret_fds, bool wait);

/* A sealed memfd that holds the bytes, or -errno. */
int wire_seal(const char *name, const void *bytes, size_t len);
/* Maps a sealed memfd; -EBADMSG when it is not one, is unsealed, or is longer than max. munmap() it. */
int wire_map(int fd, size_t max, void **ret_bytes, size_t *ret_len);

/* A request that was read: what it borrows lies in the mapped memfd and in the lists here. */
struct request_copy {
    struct sandbox_request request;
    void *mapped; /* owned */
    size_t mapped_len;
    struct sandbox_base *base;     /* owned */
    struct sandbox_inject *inject; /* owned */
    const char **argv, **env, **own; /* owned */
};
int request_write(const struct sandbox_request *request, struct buf *to, struct err *err) MUST_USE;
/* `bytes` must live as long as the copy; stdin_fd becomes -1. */
int request_read(const char *bytes, size_t len, struct request_copy *ret_copy, struct err *err) MUST_USE;
/* The same from a sealed memfd, which the copy then keeps mapped. */
int request_open(int memfd, struct request_copy *ret_copy, struct err *err) MUST_USE;
void request_copy_done(struct request_copy *copy);

/* An artifact's descriptor is no part of the bytes. */
int report_write(const struct report *report, struct buf *to);
int report_read(const char *bytes, size_t len, struct report *ret_report);

/* What the spawner is asked, as the first byte of a datagram. */
enum { SPAWNER_RUN = 'r', SPAWNER_DOCTOR = 'd' };
/* Descriptors of SPAWNER_RUN: the run's socket, the request, then stdin (request: stdin) or 0, 1, 2 (terminal). */
enum { RUN_FD_SOCKET, RUN_FD_REQUEST, RUN_FD_STDIO, RUN_FD_MOST = RUN_FD_STDIO + 4 };
/* What the application says on a run's socket. */
enum { RUN_CANCEL = 'c', RUN_ANSWER = 'a' };
struct run_answer {
    char what; /* RUN_ANSWER */
    bool allow;
    uint64_t number;
};

int probe_write(const struct sandbox_probe *probe, struct buf *to);
/* ret_probe's guarantee, layer and text are owned by it (see sandbox_probes_free). */
int probe_read(const char *bytes, size_t len, struct sandbox_probe *ret_probe);

#endif
