/* Reads a program from a file or standard input, with one clear line for each way in which it can be no program. */
#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include <utf8proc.h>

static size_t line_of(const char *text, size_t at)
{
    size_t line = 1;

    for (size_t i = 0; i < at; i++)
        line += text[i] == '\n';
    return line;
}

static int check(const char *name, const struct buf *text, struct err *err)
{
    const char *nul;

    if (!text->len)
        return err_set(err, -EINVAL, "%s is empty: there is no program in it", name);
    nul = memchr(text->data, '\0', text->len);
    if (nul)
        return err_set(err, -EINVAL, "%s holds a NUL byte in line %zu", name,
                       line_of(text->data, (size_t)(nul - text->data)));
    for (size_t at = 0; at < text->len;) {
        utf8proc_int32_t point;
        utf8proc_ssize_t step =
            utf8proc_iterate((const utf8proc_uint8_t *)text->data + at, (utf8proc_ssize_t)(text->len - at), &point);
        if (step <= 0)
            return err_set(err, -EINVAL, "%s is not UTF-8: byte 0x%02x in line %zu", name,
                           (unsigned char)text->data[at], line_of(text->data, at));
        at += (size_t)step;
    }
    return 0;
}

static int read_all(int fd, const char *name, struct buf *to, struct err *err)
{
    char bytes[16384];
    ssize_t got;

    while ((got = read(fd, bytes, sizeof(bytes))) != 0) {
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return err_errno(err, -errno, "cannot read %s", name);
        if (to->len + (size_t)got > PROGRAM_MAX)
            return err_set(err, -EINVAL, "%s is too big for a program: it is above %d MiB", name, PROGRAM_MAX >> 20);
        if (buf_add(to, bytes, (size_t)got) < 0)
            return err_set(err, to->failed, "out of memory for %s", name);
    }
    return 0;
}

int program_read(const char *name, struct buf *to, struct err *err)
{
    bool standard = strcmp(name, "-") == 0;
    int fd = standard ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
    const char *shown = standard ? "standard input" : name;
    int code;

    if (fd < 0)
        return err_errno(err, -errno, "cannot open %s", name);
    code = read_all(fd, shown, to, err);
    if (!standard)
        close(fd);
    return code < 0 ? code : check(shown, to, err);
}
