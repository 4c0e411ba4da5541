/* What is kept of output, and what a harness says. */
#include "../../sandbox/stream_internal.h"
#include "../../sandbox/wire_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

struct seen {
    struct buf bytes;
    uint64_t dropped;
};

static void take(void *context, struct report *report)
{
    struct seen *seen = context;
    const struct report_output *output = report->kind == REPORT_SAID ? &report->said : &report->output;

    buf_add(&seen->bytes, output->bytes, output->len);
    seen->dropped = output->dropped;
}

static void open_pipe(int pipe_ends[2])
{
    assert_int_equal(pipe2(pipe_ends, O_CLOEXEC | O_NONBLOCK), 0);
}

/* Writes `total` digits and returns what a stream that keeps `kept` passes on. */
static struct seen pass(uint64_t kept, size_t total, bool dropped_whole)
{
    struct seen seen = {.dropped = 0};
    struct stream stream;
    int ends[2];

    open_pipe(ends);
    buf_init(&seen.bytes, 1 << 20);
    stream_init(&stream, ends[0], 1, kept, dropped_whole);
    for (size_t i = 0; i < total; i++) {
        char digit = (char)('0' + i % 10);
        assert_int_equal(write(ends[1], &digit, 1), 1);
        if (i % 7 == 0) { /* reads of uneven length */
            while (stream_read(&stream, take, &seen)) {
            }
        }
    }
    close(ends[1]);
    while (stream_read(&stream, take, &seen)) {
    }
    assert_int_equal(stream.fd, -1);
    stream_finish(&stream, take, &seen);
    assert_int_equal(stream.total, total);
    stream_done(&stream);
    return seen;
}

static void check(uint64_t kept, size_t total, const char *expected, uint64_t dropped)
{
    struct seen seen = pass(kept, total, false);

    assert_int_equal(seen.bytes.len, strlen(expected));
    assert_memory_equal(seen.bytes.data, expected, seen.bytes.len);
    assert_int_equal(seen.dropped, dropped);
    buf_done(&seen.bytes);
}

static void head_and_tail_are_kept(void **state)
{
    (void)state;
    check(10, 5, "01234", 0);
    check(10, 10, "0123456789", 0);
    check(10, 11, "0123467890", 1);
    check(10, 1003, "0123489012", 993);
    check(9, 20, "012346789", 11); /* an odd one keeps more of the head */
    check(1, 20, "0", 19);
}

static void output_without_permission_is_counted_and_dropped(void **state)
{
    struct seen seen = pass(10, 25, true);

    (void)state;
    assert_int_equal(seen.bytes.len, 0);
    assert_int_equal(seen.dropped, 25);
    buf_done(&seen.bytes);
}

static void whole_lines_are_passed_on_and_positions_kept(void **state)
{
    static const char text[] = "{\"a\"}\n@12\n{\"b\"}\n@x\n@\n@123456789012\nhalf";
    struct seen seen = {.dropped = 0};
    struct said said;
    int ends[2];

    (void)state;
    open_pipe(ends);
    buf_init(&seen.bytes, 1 << 20);
    said_init(&said, ends[0]);
    for (size_t i = 0; i < sizeof text - 1; i++) {
        assert_int_equal(write(ends[1], text + i, 1), 1);
        said_read(&said, take, &seen);
    }
    assert_int_equal(said.at, 12);
    assert_string_equal(seen.bytes.data, "{\"a\"}\n{\"b\"}\n@x\n@\n@123456789012\n");
    close(ends[1]);
    said_done(&said);
    buf_done(&seen.bytes);
}

static void a_line_without_end_is_dropped(void **state)
{
    static char part[4096];
    struct seen seen = {.dropped = 0};
    struct said said;
    int ends[2];

    (void)state;
    open_pipe(ends);
    buf_init(&seen.bytes, 1 << 20);
    said_init(&said, ends[0]);
    memset(part, 'x', sizeof part);
    for (size_t written = 0; written < 2 * (size_t)WIRE_LINE_MAX; written += sizeof part) {
        assert_int_equal(write(ends[1], part, sizeof part), sizeof part);
        said_read(&said, take, &seen);
    }
    assert_int_equal(write(ends[1], "\nshort\n", 7), 7);
    said_read(&said, take, &seen);
    assert_string_equal(seen.bytes.data, "short\n");
    assert_int_equal(said.dropped, 2 * (size_t)WIRE_LINE_MAX);
    close(ends[1]);
    said_done(&said);
    buf_done(&seen.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(head_and_tail_are_kept),
        cmocka_unit_test(output_without_permission_is_counted_and_dropped),
        cmocka_unit_test(whole_lines_are_passed_on_and_positions_kept),
        cmocka_unit_test(a_line_without_end_is_dropped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
