/* One direction of a relayed connection. */
#include "../../sandbox/pipe_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

/* far[0] talks to near[0], which is pumped to near[1], which far[1] reads. */
struct fixture {
    int far[2], near[2];
    struct pipe pipe;
};

static struct fixture begin(void)
{
    struct fixture fixture;
    for (int i = 0; i < 2; i++) {
        int ends[2];
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
        fixture.far[i] = ends[0];
        fixture.near[i] = ends[1];
    }
    assert_int_equal(pipe_open(&fixture.pipe), 0);
    return fixture;
}

static void end(struct fixture *fixture)
{
    pipe_done(&fixture->pipe);
    for (int i = 0; i < 2; i++) {
        close_descriptor(&fixture->far[i]);
        close_descriptor(&fixture->near[i]);
    }
}

static int pump(struct fixture *fixture, uint64_t *moved)
{
    return pipe_pump(&fixture->pipe, fixture->near[0], fixture->near[1], moved);
}

static void bytes_arrive_and_are_counted(void **state)
{
    (void)state;
    struct fixture fixture = begin();
    uint64_t moved = 0;
    char text[16];
    assert_int_equal(pump(&fixture, &moved), 0);
    assert_true(pipe_wants_input(&fixture.pipe) && !pipe_wants_output(&fixture.pipe));
    assert_int_equal(write(fixture.far[0], "hello", 5), 5);
    assert_int_equal(pump(&fixture, &moved), 0);
    assert_int_equal(moved, 5);
    assert_int_equal(read(fixture.far[1], text, sizeof text), 5);
    assert_memory_equal(text, "hello", 5);
    end(&fixture);
}

static void the_end_is_handed_on_after_the_last_byte(void **state)
{
    (void)state;
    struct fixture fixture = begin();
    uint64_t moved = 0;
    char text[16];
    assert_int_equal(write(fixture.far[0], "bye", 3), 3);
    shutdown(fixture.far[0], SHUT_WR);
    assert_int_equal(pump(&fixture, &moved), 0);
    assert_true(fixture.pipe.shut);
    assert_false(pipe_wants_input(&fixture.pipe));
    assert_int_equal(read(fixture.far[1], text, sizeof text), 3);
    assert_int_equal(read(fixture.far[1], text, sizeof text), 0);
    end(&fixture);
}

static void a_slow_reader_holds_the_writer(void **state)
{
    (void)state;
    struct fixture fixture = begin();
    static char block[64 << 10];
    uint64_t moved = 0, written = 0, got = 0;
    for (int still = 0; still < 3;) {
        ssize_t len = write(fixture.far[0], block, sizeof block);
        uint64_t before = moved;
        written += len > 0 ? (uint64_t)len : 0;
        assert_int_equal(pump(&fixture, &moved), 0);
        still = len < 0 && moved == before ? still + 1 : 0;
    }
    assert_true(pipe_wants_output(&fixture.pipe)); /* full everywhere: it waits for room, and takes no more */
    assert_false(pipe_wants_input(&fixture.pipe));
    shutdown(fixture.far[0], SHUT_WR);
    while (got < written) {
        ssize_t len = read(fixture.far[1], block, sizeof block);
        got += len > 0 ? (uint64_t)len : 0;
        assert_int_equal(pump(&fixture, &moved), 0);
    }
    assert_int_equal(moved, written);
    end(&fixture);
}

static void one_call_is_bounded(void **state)
{
    (void)state;
    struct fixture fixture = begin();
    int zero = open("/dev/zero", O_RDONLY), nothing = open("/dev/null", O_WRONLY);
    uint64_t moved = 0;
    assert_int_equal(pipe_pump(&fixture.pipe, zero, nothing, &moved), 0);
    assert_in_range(moved, 1, 1 << 20);
    close(zero);
    close(nothing);
    end(&fixture);
}

static void a_broken_side_is_an_error(void **state)
{
    (void)state;
    struct fixture fixture = begin();
    uint64_t moved = 0;
    assert_int_equal(write(fixture.far[0], "x", 1), 1);
    close_descriptor(&fixture.far[1]);
    assert_int_equal(pump(&fixture, &moved), -EPIPE);
    end(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_arrive_and_are_counted),
        cmocka_unit_test(the_end_is_handed_on_after_the_last_byte),
        cmocka_unit_test(a_slow_reader_holds_the_writer),
        cmocka_unit_test(one_call_is_bounded),
        cmocka_unit_test(a_broken_side_is_an_error),
    };
    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
