/* Asks: what a person can be asked for, what waits, and the bounds. */
#include "../../sandbox/ask_internal.h"

#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char root[PATH_MAX];
static struct asks asks;
static const char *own[2];
static struct policy granted;

static const char *at(const char *name)
{
    static char paths[4][2 * PATH_MAX];
    static int turn;
    char *path = paths[turn++ % 4];

    snprintf(path, sizeof paths[0], "%s/%s", root, name);
    return path;
}

static void put(const char *name)
{
    int fd = open(at(name), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, "12345", 5), 5);
    close(fd);
}

static int make(void **state)
{
    static char own_folder[2 * PATH_MAX];
    char name[] = "/tmp/techo-ask-XXXXXX";

    assert_non_null(mkdtemp(name));
    assert_non_null(realpath(name, root));
    put("file");
    assert_int_equal(mkdir(at("folder"), 0755), 0);
    assert_int_equal(mkdir(at("own"), 0755), 0);
    put("own/key");
    assert_int_equal(mkfifo(at("pipe"), 0644), 0);
    assert_int_equal(symlink("file", at("link")), 0);
    assert_int_equal(symlink("own/key", at("key-link")), 0);
    snprintf(own_folder, sizeof own_folder, "%s/own", root);
    own[0] = own_folder;
    assert_int_equal(policy_parse("file.read=?,net=?", &granted, NULL), 0);
    asks_init(&asks, &granted, own);
    (void)state;
    return 0;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *where)
{
    (void)status, (void)type, (void)where;
    return remove(path);
}

static int clear(void **state)
{
    (void)state;
    asks_done(&asks);
    policy_done(&granted);
    return nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static enum ask_result touch(const char *path, uint64_t id, const struct ask **ret_new)
{
    const struct ask *new;
    enum ask_result result = asks_touch(&asks, path, &(struct ask_waiter){.id = id, .call = "openat"}, &new);

    if (ret_new) {
        *ret_new = new;
    }
    return result;
}

static void a_regular_file_is_held_once_and_told_once(void **state)
{
    const struct ask *first, *again;

    assert_int_equal(touch(at("file"), 7, &first), ASK_HELD);
    assert_non_null(first);
    assert_string_equal(first->path, at("file"));
    assert_string_equal(first->real, at("file"));
    assert_int_equal(first->size, 5);
    assert_int_equal(touch(at("file"), 8, &again), ASK_HELD);
    assert_null(again);
    assert_int_equal(asks_find(&asks, first->number)->waiter_count, 2);
    assert_int_equal(asks_find(&asks, first->number)->waiters[1].id, 8);
    assert_null(asks_find(&asks, 0));
    assert_null(asks_find(&asks, 2));
    (void)state;
}

static void a_link_tells_where_it_leads(void **state)
{
    const struct ask *ask;

    assert_int_equal(touch(at("link"), 1, &ask), ASK_HELD);
    assert_string_equal(ask->path, at("link"));
    assert_string_equal(ask->real, at("file"));
    (void)state;
}

static void nobody_is_asked_for_what_is_no_file_or_ours(void **state)
{
    static const char *const names[] = {"nothing", "folder", "pipe", "own/key", "key-link"};
    static const char *const others[] = {"/dev/null", "/proc/self/environ", "/proc/1/environ", "/proc/cpuinfo",
                                         "/sys/kernel/uevent_seqnum"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_int_equal(touch(at(names[i]), 1, NULL), ASK_NONE);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_int_equal(touch(others[i], 1, NULL), ASK_NONE);
    }
    assert_int_equal(asks.count, 0);
    (void)state;
}

static void a_host_is_asked_for_by_its_name_and_port(void **state)
{
    const struct ask *first, *again, *other;
    const struct ask_waiter call = {.id = 1, .call = "connect"};

    assert_int_equal(asks_touch_host(&asks, "a.test:443", "abc", 4, &call, &first), ASK_HELD);
    assert_int_equal(first->permission, PERMISSION_NET);
    assert_string_equal(first->target, "abc");
    assert_int_equal(asks_touch_host(&asks, "a.test:443", "abc", 4, &call, &again), ASK_HELD);
    assert_null(again);
    assert_int_equal(asks_touch_host(&asks, "a.test:80", "abc", 4, &call, &other), ASK_HELD);
    assert_int_equal(asks.pending, 2);
    assert_int_equal(ask_find_item(&granted, PERMISSION_FILE_READ), 0);
    assert_int_equal(ask_find_item(&granted, PERMISSION_NET), 1);
    assert_int_equal(ask_find_item(&granted, PERMISSION_EXEC), -1);
    (void)state;
}

static void what_was_decided_is_not_asked_again(void **state)
{
    const struct ask *ask;

    touch(at("file"), 1, &ask);
    asks_settle(&asks, asks_find(&asks, ask->number), ASK_ALLOWED);
    assert_null(asks_find(&asks, ask->number));
    assert_int_equal(touch(at("file"), 2, NULL), ASK_SHOWN);
    touch(at("link"), 3, &ask);
    asks_settle(&asks, asks_find(&asks, ask->number), ASK_DENIED);
    assert_int_equal(touch(at("link"), 4, NULL), ASK_REFUSED);
    (void)state;
}

static void what_waits_is_bounded_in_number(void **state)
{
    for (int i = 0; i < 6; i++) {
        char name[16];
        snprintf(name, sizeof name, "f%d", i);
        put(name);
        assert_int_equal(touch(at(name), (uint64_t)i, NULL), i < 4 ? ASK_HELD : ASK_REFUSED);
    }
    for (int i = 0; i < 20; i++) {
        assert_int_equal(touch(at("f0"), 100 + (uint64_t)i, NULL), i < ASK_WAITERS_MAX - 1 ? ASK_HELD : ASK_REFUSED);
    }
    (void)state;
}

static void what_is_asked_is_bounded_in_rate(void **state)
{
    int held = 0;

    for (int i = 0; i < 20; i++) {
        const struct ask *ask;
        char name[16];
        snprintf(name, sizeof name, "f%d", i);
        put(name);
        if (touch(at(name), 1, &ask) == ASK_HELD) {
            asks_settle(&asks, asks_find(&asks, ask->number), ASK_DENIED);
            held++;
        }
    }
    assert_int_equal(held, 8);
    (void)state;
}

static void time_stands_still_only_while_something_waits(void **state)
{
    const struct ask *ask;
    int64_t now = monotonic_us();

    assert_int_equal(asks_held_us(&asks, now), 0);
    assert_int_equal(asks_deadline(&asks), -1);
    touch(at("file"), 1, &ask);
    assert_int_equal(asks_held_us(&asks, asks.held_since_us + 5000000), 5000000);
    assert_int_equal(asks_deadline(&asks), ask->deadline_us);
    assert_null(asks_find_late(&asks, ask->deadline_us - 1));
    assert_ptr_equal(asks_find_late(&asks, ask->deadline_us), ask);
    asks_settle(&asks, asks_find(&asks, ask->number), ASK_DENIED);
    assert_int_equal(asks_held_us(&asks, now), asks_held_us(&asks, now + 5000000));
    assert_null(asks_find_late(&asks, INT64_MAX));
    (void)state;
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, make, clear)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_regular_file_is_held_once_and_told_once),
        CASE(a_link_tells_where_it_leads),
        CASE(nobody_is_asked_for_what_is_no_file_or_ours),
        CASE(a_host_is_asked_for_by_its_name_and_port),
        CASE(what_was_decided_is_not_asked_again),
        CASE(what_waits_is_bounded_in_number),
        CASE(what_is_asked_is_bounded_in_rate),
        CASE(time_stands_still_only_while_something_waits),
    };
    return cmocka_run_group_tests_name("ask", tests, NULL, NULL);
}
