/*
 * Errors, byte buffers and the small helpers of base.h.
 */
#include "base.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BUF_FIRST = 64 };

PRINTF_LIKE(4, 0)
static int err_fill(struct err *err, int code, const char *tail, const char *format, va_list args)
{
    if (!err) {
        return code;
    }
    err->code = code;
    int len = vsnprintf(err->text, sizeof err->text, format, args);
    if (len < 0) {
        err->text[0] = '\0';
        len = 0;
    }
    if (tail && (size_t)len < sizeof err->text) {
        int tail_len = snprintf(err->text + len, sizeof err->text - (size_t)len, ": %s", tail);
        (void)tail_len; /* a tail that is cut off still leaves a terminated text */
    }
    return code;
}

int err_set(struct err *err, int code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    err_fill(err, code, NULL, format, args);
    va_end(args);
    return code;
}

int err_errno(struct err *err, int code, const char *format, ...)
{
    char words[128];
    va_list args;
    va_start(args, format);
    err_fill(err, code, strerror_r(-code, words, sizeof words), format, args);
    va_end(args);
    return code;
}

void buf_init(struct buf *buf, size_t max)
{
    *buf = (struct buf){.max = max};
}

void buf_done(struct buf *buf)
{
    if (!buf) {
        return;
    }
    free(buf->data);
    *buf = (struct buf){.max = buf->max};
}

void buf_clear(struct buf *buf)
{
    buf->len = 0;
    buf->failed = 0;
    if (buf->data) {
        buf->data[0] = '\0';
    }
}

/* Makes room for `len` more bytes and a NUL. */
static int buf_reserve(struct buf *buf, size_t len)
{
    if (buf->failed) {
        return buf->failed;
    }
    if (buf->len > buf->max || len > buf->max - buf->len || len >= SIZE_MAX / 2 - buf->len) {
        return buf->failed = -EFBIG;
    }
    size_t need = buf->len + len + 1;
    if (need <= buf->cap) {
        return 0;
    }
    size_t cap = buf->cap ? buf->cap : BUF_FIRST;
    while (cap < need) {
        cap *= 2;
    }
    char *data = realloc(buf->data, cap);
    if (!data) {
        return buf->failed = -ENOMEM;
    }
    buf->data = data;
    buf->cap = cap;
    return 0;
}

int buf_add(struct buf *buf, const void *bytes, size_t len)
{
    int r = buf_reserve(buf, len);
    if (r < 0) {
        return r;
    }
    if (len > 0) {
        memcpy(buf->data + buf->len, bytes, len);
    }
    buf->len += len;
    buf->data[buf->len] = '\0';
    return 0;
}

int buf_add_text(struct buf *buf, const char *text)
{
    return buf_add(buf, text, strlen(text));
}

int buf_add_char(struct buf *buf, char c)
{
    return buf_add(buf, &c, 1);
}

int buf_addf(struct buf *buf, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int r = buf_vaddf(buf, format, args);
    va_end(args);
    return r;
}

int buf_vaddf(struct buf *buf, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int len = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (len < 0 && !buf->failed) {
        buf->failed = -EFBIG;
    }
    int r = buf_reserve(buf, len < 0 ? 0 : (size_t)len);
    if (r < 0) {
        return r;
    }
    vsnprintf(buf->data + buf->len, (size_t)len + 1, format, args);
    buf->len += (size_t)len;
    return 0;
}

void buf_drop_front(struct buf *buf, size_t len)
{
    if (len >= buf->len) {
        len = buf->len;
    }
    if (!buf->data || len == 0) {
        return;
    }
    buf->len -= len;
    memmove(buf->data, buf->data + len, buf->len + 1);
}

char *buf_steal(struct buf *buf)
{
    if (!buf->data) {
        buf_add(buf, "", 0);
    }
    char *data = buf->failed ? NULL : buf->data;
    if (data) {
        buf->data = NULL;
    }
    buf_done(buf);
    return data;
}

void free_pointer(void *pointer_to_pointer)
{
    void *pointer;
    memcpy(&pointer, pointer_to_pointer, sizeof pointer);
    free(pointer);
}

void close_descriptor(int *fd)
{
    if (*fd >= 0) {
        int saved = errno;
        close(*fd);
        errno = saved;
        *fd = -1;
    }
}

int64_t monotonic_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}
