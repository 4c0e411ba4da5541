/* Requests and reports as bytes: what is written is read again, and what is hostile is refused. */
#include "../../sandbox/wire_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))

static const struct sandbox_base base[] = {{"/usr"}, {"/lib64"}};
static const struct sandbox_inject inject[] = {{"/program.py", "print(1)\0x", 10}, {"/empty", "", 0}};
static const char *const argv[] = {"/usr/bin/python3", "", "a b", NULL};
static const char *const env[] = {"HOME=/home/user", NULL};
static const struct sandbox_request request = {
    .root = "/srv/case",
    .granted = "stdout,file.read=/srv/case/data",
    .base = base,
    .base_count = COUNT(base),
    .inject = inject,
    .inject_count = COUNT(inject),
    .argv = argv,
    .env = env,
    .notify = NOTIFY_OBSERVE,
    .said = true,
    .stdin_fd = 7,
};

static void write_request(const struct sandbox_request *from, struct buf *to)
{
    buf_init(to, WIRE_REQUEST_MAX);
    assert_int_equal(request_write(from, to, NULL), 0);
}

static void check_request(const struct request_copy *copy)
{
    const struct sandbox_request *read = &copy->request;

    assert_string_equal(read->root, request.root);
    assert_string_equal(read->granted, request.granted);
    assert_int_equal(read->base_count, 2);
    assert_string_equal(read->base[1].path, "/lib64");
    assert_int_equal(read->inject_count, 2);
    assert_int_equal(read->inject[0].len, 10);
    assert_memory_equal(read->inject[0].data, "print(1)\0x", 10);
    assert_int_equal(read->inject[1].len, 0);
    assert_string_equal(read->argv[1], "");
    assert_string_equal(read->argv[2], "a b");
    assert_null(read->argv[3]);
    assert_string_equal(read->env[0], "HOME=/home/user");
    assert_null(read->env[1]);
    assert_int_equal(read->notify, NOTIFY_OBSERVE);
    assert_true(read->said);
    assert_false(read->terminal);
    assert_int_equal(read->stdin_fd, -1); /* a descriptor is no part of the bytes */
}

static void a_request_is_read_as_it_was_written(void **state)
{
    struct request_copy copy;
    struct buf bytes;

    (void)state;
    write_request(&request, &bytes);
    assert_int_equal(request_read(bytes.data, bytes.len, &copy, NULL), 0);
    check_request(&copy);
    request_copy_done(&copy);
    buf_done(&bytes);
}

static void a_request_comes_in_a_sealed_memfd_only(void **state)
{
    struct request_copy copy;
    struct buf bytes;
    int sealed, open;

    (void)state;
    write_request(&request, &bytes);
    sealed = wire_seal("test", bytes.data, bytes.len);
    assert_true(sealed >= 0);
    assert_int_equal(write(sealed, "x", 1), -1);
    assert_int_equal(request_open(sealed, &copy, NULL), 0);
    close(sealed);
    check_request(&copy);
    request_copy_done(&copy);

    open = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    assert_int_equal(write(open, bytes.data, bytes.len), bytes.len);
    assert_int_equal(request_open(open, &copy, NULL), -EBADMSG);
    close(open);
    buf_done(&bytes);
}

static void a_torn_request_is_refused(void **state)
{
    struct request_copy copy;
    struct buf bytes;

    (void)state;
    write_request(&request, &bytes);
    for (size_t len = 0; len < bytes.len; len++) {
        char *exact = malloc(len + 1); /* so that a sanitiser sees a read beyond it */
        memcpy(exact, bytes.data, len);
        if (request_read(exact, len, &copy, NULL) == 0) {
            request_copy_done(&copy); /* cut between two fields: a shorter request */
        }
        free(exact);
    }
    buf_done(&bytes);
}

static void changed_bytes_never_crash(void **state)
{
    struct request_copy copy;
    struct report report;
    struct buf bytes;
    unsigned random = 1;

    (void)state;
    write_request(&request, &bytes);
    for (int round = 0; round < 20000; round++) {
        random = random * 1103515245 + 12345;
        size_t at = random / 65536 % bytes.len;
        char kept = bytes.data[at];
        bytes.data[at] = (char)(random >> 8);
        if (request_read(bytes.data, bytes.len, &copy, NULL) == 0) {
            request_copy_done(&copy);
        }
        if (report_read(bytes.data + at, bytes.len - at, &report) == 0) {
            report_done(&report);
        }
        bytes.data[at] = kept;
    }
    buf_done(&bytes);
}

static void requests_that_make_no_sense_are_refused(void **state)
{
    struct sandbox_request bad[4] = {request, request, request, request};
    static const struct sandbox_base relative[] = {{"usr"}};
    static const char *const nothing[] = {NULL};

    (void)state;
    bad[0].root = "srv"; /* not absolute */
    bad[1].base = relative;
    bad[1].base_count = 1;
    bad[2].argv = nothing;
    bad[3].granted = NULL;
    for (size_t i = 0; i < COUNT(bad); i++) {
        struct request_copy copy;
        struct buf bytes;
        struct err err;
        write_request(&bad[i], &bytes);
        assert_int_equal(request_read(bytes.data, bytes.len, &copy, &err), -EBADMSG);
        buf_done(&bytes);
    }
}

/* ---- reports ---------------------------------------------------------------------------------------------------- */

static struct report pass(const struct report *report)
{
    struct report read;
    struct buf bytes;

    buf_init(&bytes, WIRE_REPORT_MAX);
    assert_int_equal(report_write(report, &bytes), 0);
    assert_int_equal(report_read(bytes.data, bytes.len, &read), 0);
    assert_int_equal(read.kind, report->kind);
    buf_done(&bytes);
    return read;
}

static void reports_are_read_as_they_were_written(void **state)
{
    const struct report access = {.kind = REPORT_ACCESS,
                                  .access = {.number = 3,
                                             .t_us = 12,
                                             .call = (char[]){"openat"},
                                             .given = (char[]){".env"},
                                             .resolved = (char[]){"/srv/.env"},
                                             .want = WANT_LIST,
                                             .verdict = ACCESS_DENIED,
                                             .error = EACCES,
                                             .layer = LAYER_MOUNTS,
                                             .answered = true,
                                             .item = -1,
                                             .missing = PERMISSION_FILE_READ,
                                             .line = 14,
                                             .count = UINT64_MAX}};
    const struct report output = {.kind = REPORT_OUTPUT,
                                  .output = {.stream = 2, .bytes = (char[]){"a\0b"}, .len = 3, .dropped = 9}};
    const struct report exit = {
        .kind = REPORT_EXIT,
        .exit = {.status = STATUS_WALL, .code = -1, .limit = LIMIT_WALL, .message = (char[]){"wall"}, .run_us = -5}};
    struct report read;

    (void)state;
    read = pass(&access);
    assert_string_equal(read.access.resolved, "/srv/.env");
    assert_int_equal(read.access.want, WANT_LIST);
    assert_int_equal(read.access.item, -1);
    assert_int_equal(read.access.missing, PERMISSION_FILE_READ);
    assert_int_equal(read.access.count, UINT64_MAX);
    assert_true(read.access.answered);
    report_done(&read);
    read = pass(&output);
    assert_int_equal(read.output.len, 3);
    assert_memory_equal(read.output.bytes, "a\0b", 3);
    assert_int_equal(read.output.dropped, 9);
    report_done(&read);
    read = pass(&exit);
    assert_int_equal(read.exit.status, STATUS_WALL);
    assert_int_equal(read.exit.code, -1);
    assert_int_equal(read.exit.run_us, -5);
    report_done(&read);
}

static void reports_out_of_range_are_refused(void **state)
{
    const struct report bad[] = {
        {.kind = REPORT_OUTPUT, .output = {.stream = 5, .bytes = (char[]){"x"}, .len = 1}},
        {.kind = REPORT_SAID, .said = {.stream = 1, .bytes = (char[]){"x"}, .len = 1}},
        {.kind = REPORT_EXIT, .exit = {.status = _STATUS_MAX, .message = (char[]){""}}},
        {.kind = REPORT_EXIT, .exit = {.limit = _LIMIT_MAX, .message = (char[]){""}}},
        {.kind = REPORT_EXIT, .exit = {.message = NULL}},
        {.kind = REPORT_ACCESS, .access = {.call = (char[]){"x"}, .given = (char[]){"x"}}},
        {.kind = REPORT_ARTIFACT, .artifact = {.name = NULL}},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(bad); i++) {
        struct report read;
        struct buf bytes;
        buf_init(&bytes, WIRE_REPORT_MAX);
        assert_int_equal(report_write(&bad[i], &bytes), 0);
        assert_int_equal(report_read(bytes.data, bytes.len, &read), -EBADMSG);
        buf_done(&bytes);
    }
    struct report read;
    assert_int_equal(report_read("", 0, &read), -EBADMSG);
    assert_int_equal(report_read("\x7f", 1, &read), -EBADMSG);
}

static void a_text_said_twice_is_refused_and_not_leaked(void **state)
{
    struct report read;
    struct buf bytes;

    (void)state;
    buf_init(&bytes, WIRE_REPORT_MAX);
    buf_add_char(&bytes, REPORT_ARTIFACT);
    wire_add_text(&bytes, 1, "name");
    wire_add_text(&bytes, 1, "again");
    assert_int_equal(report_read(bytes.data, bytes.len, &read), -EBADMSG);
    buf_done(&bytes);
}

static void descriptors_beyond_the_expected_are_closed(void **state)
{
    int pair[2], fds[3] = {0, 1, 2}, taken[1];
    size_t count;
    char byte;

    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
    assert_int_equal(wire_send(pair[0], "x", 1, fds, 3, false), 0);
    assert_int_equal(wire_receive(pair[1], &byte, 1, taken, 1, &count, false), 1);
    assert_int_equal(count, 1);
    assert_int_equal(fcntl(taken[0] + 1, F_GETFD), -1);
    close(taken[0]);
    assert_int_equal(wire_receive(pair[1], &byte, 1, taken, 1, &count, false), -EAGAIN);
    assert_int_equal(wire_send(pair[0], "long", 4, NULL, 0, false), 0);
    assert_int_equal(wire_receive(pair[1], &byte, 1, taken, 1, &count, false), -EBADMSG);
    close(pair[0]);
    assert_int_equal(wire_receive(pair[1], &byte, 1, taken, 1, &count, false), 0);
    close(pair[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_is_read_as_it_was_written),
        cmocka_unit_test(a_request_comes_in_a_sealed_memfd_only),
        cmocka_unit_test(a_torn_request_is_refused),
        cmocka_unit_test(changed_bytes_never_crash),
        cmocka_unit_test(requests_that_make_no_sense_are_refused),
        cmocka_unit_test(reports_are_read_as_they_were_written),
        cmocka_unit_test(reports_out_of_range_are_refused),
        cmocka_unit_test(a_text_said_twice_is_refused_and_not_leaked),
        cmocka_unit_test(descriptors_beyond_the_expected_are_closed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
