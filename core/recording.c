/* Reading a saved session whole. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "session.h"
#include "shape_internal.h"

enum { RECORDING_MAX = 1 << 30 };

static int read_file(const char *path, struct buf *text, struct err *err)
{
    CLEANUP(close_descriptor) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat info;
    if (fd < 0 || fstat(fd, &info) < 0) {
        return err_errno(err, -errno, "cannot read %s", path);
    }
    if (!S_ISREG(info.st_mode)) {
        return err_set(err, -EBADMSG, "%s is no file", path);
    }
    char part[65536];
    ssize_t n;
    while ((n = read(fd, part, sizeof(part))) != 0) {
        if (n < 0 && errno != EINTR) {
            return err_errno(err, -errno, "cannot read %s", path);
        }
        if (n > 0 && buf_add(text, part, (size_t)n) < 0) {
            return text->failed == -EFBIG ? err_set(err, -EFBIG, "%s is longer than 1 GiB", path)
                                          : err_errno(err, text->failed, "cannot read %s", path);
        }
    }
    return 0;
}

/* The version that a header line claims, read leniently: a newer one may look different otherwise. 0: no header. */
static int64_t header_version(const char *line, size_t len)
{
    cJSON *root = cJSON_ParseWithLength(line, len);
    const char *format = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(root, "format"));
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(root, "version");
    bool ours = format && strcmp(format, SESSION_FORMAT) == 0 && cJSON_IsNumber(item);
    int64_t version = ours && item->valuedouble >= 1 && item->valuedouble < 1e9 ? (int64_t)item->valuedouble : 0;
    cJSON_Delete(root);
    return version;
}

static int check_header(const char *path, const char *line, size_t len, struct err *err)
{
    int64_t version = header_version(line, len);
    if (version == 0) {
        return err_set(err, -EBADMSG, "%s is no techo session", path);
    }
    if (version > SESSION_FORMAT_VERSION) {
        return err_set(err, -EPROTO, "%s was written by a newer techo: session format %lld, this one reads %d", path,
                       (long long)version, SESSION_FORMAT_VERSION);
    }
    return 0;
}

/* Takes event. */
static int add_event(struct recording *recording, struct event *event)
{
    struct event **place = array_grow(&recording->events, recording->count, sizeof(*place));
    if (!place) {
        event_free(event);
        return -ENOMEM;
    }
    *place = event;
    recording->count++;
    return 0;
}

static int add_line(struct recording *recording, const char *line, size_t len, struct err *err)
{
    struct event *event = NULL;
    int r = event_parse(line, len, &event, err);
    if (r < 0) {
        return r;
    }
    uint64_t last = recording->count ? recording->events[recording->count - 1]->seq : 0;
    if (event->seq <= last || (event->kind == EVENT_SESSION) != (recording->count == 0)) {
        r = event->seq <= last ? err_set(err, -EINVAL, "seq does not rise")
                               : err_set(err, -EINVAL, "%s", recording->count ? "a second header" : "no header");
        event_free(event);
        return r;
    }
    r = add_event(recording, event);
    return r < 0 ? err_errno(err, r, "an event") : 0;
}

static int read_lines(const char *path, const struct buf *text, struct recording *recording, struct err *err)
{
    const char *end = text->data + text->len;
    size_t number = 0;
    for (const char *line = text->data; line < end && !recording->torn; number++) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        size_t len = (size_t)((newline ? newline : end) - line);
        struct err why = {0};
        int r = number == 0 ? check_header(path, line, len, err) : 0;
        if (r < 0) {
            return r;
        }
        r = strspn(line, " \t\r") >= len ? 0 : add_line(recording, line, len, &why);
        if (r == -ENOMEM) {
            return err_errno(err, r, "cannot read %s", path);
        }
        if (r < 0 && newline) {
            return err_set(err, -EBADMSG, "%s:%zu: no event of a session: %s", path, number + 1, why.text);
        }
        recording->torn = r < 0; /* the last line, and its end is missing */
        line += len + 1;
    }
    return recording->count ? 0 : err_set(err, -EBADMSG, "%s is no techo session", path);
}

int recording_read(const char *path, struct recording *ret_recording, struct err *err)
{
    struct buf text;
    buf_init(&text, RECORDING_MAX);
    struct recording recording = {0};
    int r = read_file(path, &text, err);
    if (r == 0 && text.len == 0) {
        r = err_set(err, -EBADMSG, "%s is empty", path);
    }
    if (r == 0) {
        r = read_lines(path, &text, &recording, err);
    }
    buf_done(&text);
    if (r < 0) {
        recording_done(&recording);
        return r;
    }
    *ret_recording = recording;
    return 0;
}

void recording_done(struct recording *recording)
{
    for (size_t i = 0; i < recording->count; i++) {
        event_free(recording->events[i]);
    }
    free(recording->events);
    *recording = (struct recording){0};
}
