/* What a command says: results on standard output, people's lines on standard error, events as JSON. */
#include "print.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LINE_MAX_BYTES = 1 << 20, EVENT_MAX_BYTES = 64 << 20 };

/* There is one standard output and one standard error in a process. */
static struct {
    bool json, ended, terminal[3];
    unsigned flags[3];   /* of the sanitiser, by descriptor */
    int output_error;    /* 0, or the errno of the first write to standard output that failed */
    bool partial_stderr; /* the program's last byte there was no newline */
} out;

/* A log or a socket must not become descriptor 1 by chance. */
static void fill_standard_descriptors(void)
{
    for (int fd = 0; fd < 3; fd++) {
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF) {
            /* the lowest free number is `fd` itself */
            int null = open("/dev/null", fd == 0 ? O_RDONLY : O_WRONLY);
            if (fd == 1 && null >= 0)
                out.output_error = EBADF;
        }
    }
}

void print_init(bool json)
{
    bool utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;

    fill_standard_descriptors();
    out.json = json;
    for (int fd = 1; fd < 3; fd++) {
        out.terminal[fd] = isatty(fd) == 1;
        out.flags[fd] = out.terminal[fd] && !utf8 ? SANITIZE_ASCII : 0;
    }
}

bool print_is_json(void)
{
    return out.json;
}

static void write_all(int fd, const char *bytes, size_t len)
{
    if (fd == STDOUT_FILENO && out.output_error)
        return;
    while (len) {
        ssize_t written = write(fd, bytes, len);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0) {
            if (fd == STDOUT_FILENO)
                out.output_error = errno;
            return;
        }
        bytes += written;
        len -= (size_t)written;
    }
}

static void PRINTF_LIKE(3, 0) write_line(int fd, unsigned flags, const char *format, va_list args)
{
    struct buf raw, clean;

    buf_init(&raw, LINE_MAX_BYTES);
    buf_init(&clean, 8 * LINE_MAX_BYTES);
    buf_vaddf(&raw, format, args);
    if (raw.len)
        sanitize_text(untrusted_bytes(raw.data, raw.len), out.flags[fd] | flags, &clean);
    buf_add_char(&clean, '\n');
    if (!clean.failed)
        write_all(fd, clean.data, clean.len);
    buf_done(&raw);
    buf_done(&clean);
}

/* People's lines begin at the left, whatever the program left behind. */
static void begin_line(void)
{
    if (out.partial_stderr)
        write_all(STDERR_FILENO, "\n", 1);
    out.partial_stderr = false;
}

void print_person(const char *format, ...)
{
    va_list args;

    begin_line();
    va_start(args, format);
    write_line(STDERR_FILENO, 0, format, args);
    va_end(args);
}

static void print_lines(const char *format, ...) PRINTF_LIKE(1, 2);
static void print_lines(const char *format, ...)
{
    va_list args;

    begin_line();
    va_start(args, format);
    write_line(STDERR_FILENO, SANITIZE_LINES, format, args);
    va_end(args);
}

void print_failure(const struct err *err)
{
    struct event *event = out.json ? event_new(EVENT_ERROR) : NULL;

    print_lines("techo: %s", err->text);
    event_set_text(event, "text", err->text);
    if (event)
        print_event(event);
    event_free(event);
}

void print_row(const char *format, ...)
{
    va_list args;

    if (out.json)
        return;
    va_start(args, format);
    write_line(STDOUT_FILENO, 0, format, args);
    va_end(args);
}

void print_bytes(int stream, const char *bytes, size_t len)
{
    struct buf clean;

    if (out.json || !len || stream < 1 || stream > 2)
        return;
    if (stream == 2 || (out.terminal[1] && out.terminal[2]))
        out.partial_stderr = bytes[len - 1] != '\n';
    if (!out.terminal[stream]) {
        write_all(stream, bytes, len);
        return;
    }
    buf_init(&clean, 32 * len + 64);
    sanitize_text(untrusted_bytes(bytes, len), out.flags[stream] | SANITIZE_LINES, &clean);
    if (!clean.failed && clean.len)
        write_all(stream, clean.data, clean.len);
    buf_done(&clean);
}

void print_event(const struct event *event)
{
    struct buf line;

    if (!out.json || out.ended)
        return;
    buf_init(&line, EVENT_MAX_BYTES);
    event_format(event, &line);
    buf_add_char(&line, '\n');
    if (!line.failed)
        write_all(STDOUT_FILENO, line.data, line.len);
    out.ended = event->kind == EVENT_END;
    buf_done(&line);
}

int print_finish(const char *end_status, int status, int failure)
{
    if (out.json && !out.ended) {
        struct event *end = event_new(EVENT_END);
        event_set_text(end, "status", end_status);
        if (end)
            print_event(end);
        event_free(end);
    }
    /* a reader that went away has seen enough; any other loss is ours to report */
    if (!out.output_error || out.output_error == EPIPE || out.output_error == EBADF)
        return status;
    print_person("techo: cannot write to standard output: %s", strerror(out.output_error));
    return status ? status : failure;
}
