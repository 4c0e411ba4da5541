/* Output streams with a bounded memory, and the harness's lines. */
#include "stream_internal.h"

#include "wire_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char chunk[WIRE_OUTPUT_MAX]; /* a supervisor has one thread */

/* One read: the bytes in `chunk`, 0 when there is nothing now. At the end of file *fd is closed. */
static size_t read_chunk(int *fd)
{
    ssize_t got;

    if (*fd < 0) {
        return 0;
    }
    do {
        got = read(*fd, chunk, sizeof chunk);
    } while (got < 0 && errno == EINTR);
    if (got == 0 || (got < 0 && errno != EAGAIN)) {
        close_descriptor(fd);
    }
    return got > 0 ? (size_t)got : 0;
}

void stream_init(struct stream *stream, int fd, int number, uint64_t kept, bool dropped_whole)
{
    *stream = (struct stream){.fd = fd, .number = number, .dropped_whole = dropped_whole};
    if (!dropped_whole) {
        stream->tail_room = (size_t)(kept / 2);
        stream->head_room = kept - kept / 2;
    }
}

void stream_done(struct stream *stream)
{
    close_descriptor(&stream->fd);
    free(stream->tail);
    stream->tail = NULL;
}

static void keep_recent(struct stream *stream, const char *bytes, size_t len)
{
    if (len >= STREAM_RECENT) {
        memcpy(stream->recent, bytes + len - STREAM_RECENT, STREAM_RECENT);
        stream->recent_len = STREAM_RECENT;
        return;
    }
    size_t old = stream->recent_len < STREAM_RECENT - len ? stream->recent_len : STREAM_RECENT - len;
    memmove(stream->recent, stream->recent + stream->recent_len - old, old);
    memcpy(stream->recent + old, bytes, len);
    stream->recent_len = old + len;
}

static void keep_tail(struct stream *stream, const char *bytes, size_t len)
{
    if (!stream->tail && stream->tail_room > 0) {
        stream->tail = malloc(stream->tail_room);
    }
    if (!stream->tail) {
        return;
    }
    if (len > stream->tail_room) {
        bytes += len - stream->tail_room;
        len = stream->tail_room;
    }
    while (len > 0) {
        size_t part = stream->tail_room - stream->tail_at;
        part = part < len ? part : len;
        memcpy(stream->tail + stream->tail_at, bytes, part);
        stream->tail_at = (stream->tail_at + part) % stream->tail_room;
        stream->tail_len += part;
        bytes += part;
        len -= part;
    }
    stream->tail_len = stream->tail_len < stream->tail_room ? stream->tail_len : stream->tail_room;
}

static void pass_on(struct stream *stream, char *bytes, size_t len, uint64_t dropped, report_fn report, void *context)
{
    struct report output = {
        .kind = REPORT_OUTPUT,
        .output = {.stream = stream->number, .bytes = bytes, .len = len, .dropped = dropped},
    };

    report(context, &output);
}

bool stream_read(struct stream *stream, report_fn report, void *context)
{
    size_t len = read_chunk(&stream->fd);
    uint64_t room = stream->head_room - stream->head;
    size_t head = len < room ? len : (size_t)room;

    if (len == 0) {
        return false;
    }
    stream->total += len;
    keep_recent(stream, chunk, len);
    if (head > 0) {
        stream->head += head;
        pass_on(stream, chunk, head, 0, report, context);
    }
    if (head < len) {
        keep_tail(stream, chunk + head, len - head);
    }
    return true;
}

void stream_finish(struct stream *stream, report_fn report, void *context)
{
    uint64_t dropped = stream->total - stream->head - stream->tail_len;
    size_t start = stream->tail_len == stream->tail_room ? stream->tail_at : 0;
    size_t done = 0;

    if (stream->tail_len == 0 && dropped > 0) {
        pass_on(stream, chunk, 0, dropped, report, context);
    }
    while (done < stream->tail_len) {
        size_t at = (start + done) % stream->tail_room;
        size_t part = stream->tail_room - at;
        part = part < stream->tail_len - done ? part : stream->tail_len - done;
        part = part < WIRE_OUTPUT_MAX ? part : WIRE_OUTPUT_MAX;
        pass_on(stream, stream->tail + at, part, dropped, report, context);
        done += part;
    }
}

/* ---- what a harness says ---------------------------------------------------------------------------------------- */

void said_init(struct said *said, int fd)
{
    *said = (struct said){.fd = fd};
    buf_init(&said->line, WIRE_LINE_MAX);
    buf_init(&said->ready, WIRE_LINE_MAX + 1);
}

void said_done(struct said *said)
{
    close_descriptor(&said->fd);
    buf_done(&said->line);
    buf_done(&said->ready);
}

static void pass_on_ready(struct said *said, report_fn report, void *context)
{
    struct report lines = {
        .kind = REPORT_SAID,
        .said = {.stream = 3, .bytes = said->ready.data, .len = said->ready.len, .dropped = said->dropped},
    };

    if (said->ready.len > 0) {
        report(context, &lines);
        buf_clear(&said->ready);
    }
}

/* "@12": the program's line. */
static bool is_position(const struct buf *line, unsigned *ret_at)
{
    unsigned at = 0;

    if (line->len < 2 || line->len > 9 || line->data[0] != '@') {
        return false;
    }
    for (size_t i = 1; i < line->len; i++) {
        if (line->data[i] < '0' || line->data[i] > '9') {
            return false;
        }
        at = at * 10 + (unsigned)(line->data[i] - '0');
    }
    *ret_at = at;
    return true;
}

static void end_line(struct said *said, report_fn report, void *context)
{
    if (said->too_long || said->line.failed) {
        said->dropped += said->line.len;
    } else if (!is_position(&said->line, &said->at)) {
        if (said->ready.len + said->line.len + 1 > WIRE_LINE_MAX) {
            pass_on_ready(said, report, context);
        }
        buf_add(&said->ready, said->line.data, said->line.len);
        buf_add_char(&said->ready, '\n');
    }
    said->too_long = false;
    buf_clear(&said->line);
}

static void take_said(struct said *said, const char *bytes, size_t len, report_fn report, void *context)
{
    while (len > 0) {
        const char *end = memchr(bytes, '\n', len);
        size_t part = end ? (size_t)(end - bytes) : len;
        if (said->line.len + part >= WIRE_LINE_MAX) {
            said->too_long = true;
        }
        if (said->too_long) {
            said->dropped += part;
        } else {
            buf_add(&said->line, bytes, part);
        }
        if (end) {
            end_line(said, report, context);
            part++;
        }
        bytes += part;
        len -= part;
    }
}

void said_read(struct said *said, report_fn report, void *context)
{
    size_t len;

    while ((len = read_chunk(&said->fd)) > 0) {
        said->total += len;
        take_said(said, chunk, len, report, context);
        if (len < sizeof chunk) {
            break;
        }
    }
    pass_on_ready(said, report, context);
}
