/*
 * Errors and byte buffers, shared by every part of techo.
 *
 * Functions return 0, or -errno and fill `struct err` once, at the place where
 * the failure is understood. Output parameters named ret_* are set on success
 * only.
 */
#ifndef TECHO_SANDBOX_BASE_H
#define TECHO_SANDBOX_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))
#define MUST_USE __attribute__((warn_unused_result))

enum { ERR_TEXT_MAX = 1024 };

/* What went wrong, in words that a person can act on. */
struct err {
    int code;                /* -errno */
    char text[ERR_TEXT_MAX]; /* one line; a policy error adds two more: the text and a caret */
};

/* Fills *err (which may be NULL) and returns `code`, a negative errno. */
int err_set(struct err *err, int code, const char *format, ...) PRINTF_LIKE(3, 4);
/* The same, with ": " and strerror(-code) appended. */
int err_errno(struct err *err, int code, const char *format, ...) PRINTF_LIKE(3, 4);

/*
 * Bytes that grow up to a mandatory maximum. Always NUL-terminated once
 * something was added. After a failure (too big, no memory) `failed` stays
 * set, later additions do nothing and return the same error, so that a caller
 * may add many parts and check once.
 */
struct buf {
    char *data; /* owned; NULL while empty */
    size_t len, cap, max;
    int failed; /* 0, -EFBIG or -ENOMEM */
};

void buf_init(struct buf *buf, size_t max);
void buf_done(struct buf *buf);
void buf_clear(struct buf *buf); /* empties, keeps the memory, resets `failed` */
int buf_add(struct buf *buf, const void *bytes, size_t len);
int buf_add_text(struct buf *buf, const char *text);
int buf_add_char(struct buf *buf, char c);
int buf_addf(struct buf *buf, const char *format, ...) PRINTF_LIKE(2, 3);
int buf_vaddf(struct buf *buf, const char *format, va_list args) PRINTF_LIKE(2, 0);
void buf_drop_front(struct buf *buf, size_t len); /* forgets the first `len` bytes */
/* The bytes as an owned, NUL-terminated string; `buf` is empty afterwards. NULL when it failed. */
char *buf_steal(struct buf *buf);

/* `static inline` helpers for _cleanup_-style attributes */
#define CLEANUP(function) __attribute__((cleanup(function)))
void free_pointer(void *pointer_to_pointer); /* free(*p); p is a T** */
void close_descriptor(int *fd);              /* close(*fd) when *fd >= 0, then -1 */

/* Microseconds of CLOCK_MONOTONIC. */
int64_t monotonic_us(void);

#endif
