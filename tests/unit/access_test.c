/* Rows of accesses, what was used, and the table of watched calls. */
#include "../../sandbox/access_internal.h"
#include "../../sandbox/call_internal.h"
#include "../../sandbox/lookup_internal.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

#include <cmocka.h>

struct seen {
    size_t rows, used;
    struct report_access last;
    struct report_used items[4];
};

static void take(void *context, struct report *report)
{
    struct seen *seen = context;

    if (report->kind == REPORT_ACCESS) {
        seen->rows++;
        seen->last = report->access;
    } else {
        seen->items[seen->used++] = report->used;
    }
}

static char call_name[] = "open";

static struct report_access try(const char *path, enum access_want want, enum access_verdict verdict)
{
    return (struct report_access){.call = call_name,
                                  .given = (char *)(uintptr_t)path,
                                  .resolved = (char *)(uintptr_t)path,
                                  .want = want,
                                  .verdict = verdict};
}

static void equal_accesses_are_one_row(void **state)
{
    struct report_access read = try("/x", WANT_READ, ACCESS_DENIED), write = try("/x", WANT_WRITE, ACCESS_DENIED);
    struct accesses accesses;
    struct seen seen = {0};

    (void)state;
    assert_int_equal(accesses_init(&accesses, 0), 0);
    for (int i = 0; i < 5; i++) {
        accesses_add(&accesses, &read, take, &seen);
    }
    accesses_add(&accesses, &write, take, &seen);
    assert_int_equal(seen.rows, 2);
    accesses_flush(&accesses, false, take, &seen);
    assert_int_equal(seen.rows, 3);
    assert_int_equal(seen.last.number, 1);
    assert_int_equal(seen.last.count, 5);
    accesses_flush(&accesses, true, take, &seen); /* nothing grew */
    assert_int_equal(seen.rows, 3);
    for (int i = 0; i < 4; i++) {
        accesses_add(&accesses, &read, take, &seen);
    }
    accesses_flush(&accesses, false, take, &seen); /* it has not doubled */
    assert_int_equal(seen.rows, 3);
    accesses_flush(&accesses, true, take, &seen);
    assert_int_equal(seen.rows, 4);
    assert_int_equal(seen.last.count, 9);
    accesses_done(&accesses);
}

static void the_last_refusal_is_known(void **state)
{
    struct report_access first = try("/a", WANT_READ, ACCESS_DENIED), second = try("/b", WANT_READ, ACCESS_DENIED),
                         fine = try("/c", WANT_READ, ACCESS_ALLOWED);
    struct accesses accesses;
    struct seen seen = {0};

    (void)state;
    assert_int_equal(accesses_init(&accesses, 0), 0);
    assert_null(accesses_last_denied(&accesses));
    accesses_add(&accesses, &first, take, &seen);
    accesses_add(&accesses, &second, take, &seen);
    accesses_add(&accesses, &fine, take, &seen);
    assert_string_equal(accesses_last_denied(&accesses)->resolved, "/b");
    accesses_add(&accesses, &first, take, &seen);
    assert_string_equal(accesses_last_denied(&accesses)->resolved, "/a");
    accesses_done(&accesses);
}

static void rows_are_bounded(void **state)
{
    struct accesses accesses;
    struct seen seen = {0};

    (void)state;
    assert_int_equal(accesses_init(&accesses, 0), 0);
    for (int i = 0; i < ACCESS_ROWS_MAX + 7; i++) {
        char path[32];
        snprintf(path, sizeof path, "/%d", i);
        struct report_access access = try(path, WANT_READ, ACCESS_DENIED);
        accesses_add(&accesses, &access, take, &seen);
    }
    assert_int_equal(seen.rows, ACCESS_ROWS_MAX);
    assert_int_equal(accesses.beyond, 7);
    assert_int_equal(accesses.beyond_denied, 7);
    assert_string_equal(accesses_last_denied(&accesses)->resolved, "/1006"); /* though it has no row */
    accesses_done(&accesses);
}

static void a_flood_of_what_is_allowed_hides_no_refusal(void **state)
{
    struct report_access denied = try("/secret", WANT_READ, ACCESS_DENIED);
    struct accesses accesses;
    struct seen seen = {0};

    (void)state;
    assert_int_equal(accesses_init(&accesses, 0), 0);
    for (int i = 0; i < 2 * ACCESS_ROWS_MAX; i++) {
        char path[32];
        snprintf(path, sizeof path, "/%d", i);
        struct report_access access = try(path, WANT_READ, i % 2 ? ACCESS_ALLOWED : ACCESS_ABSENT);
        accesses_add(&accesses, &access, take, &seen);
    }
    accesses_add(&accesses, &denied, take, &seen);
    assert_int_equal(seen.rows, ACCESS_OTHERS_MAX + 1);
    assert_string_equal(seen.last.resolved, "/secret");
    assert_int_equal(accesses.beyond, 2 * ACCESS_ROWS_MAX - ACCESS_OTHERS_MAX);
    assert_int_equal(accesses.beyond_denied, 0);
    accesses_done(&accesses);
}

static void used_counts_opens_files_and_bytes_by_item(void **state)
{
    struct accesses accesses;
    struct seen seen = {0};

    (void)state;
    assert_int_equal(accesses_init(&accesses, 3), 0);
    for (ino_t inode = 1; inode <= 1000; inode++) {
        accesses_use(&accesses, 1, 7, inode, 10);
        accesses_use(&accesses, 1, 7, inode, 99); /* its size at first open counts */
    }
    accesses_use(&accesses, 2, 7, 1, 5); /* the same file by another item */
    accesses_use(&accesses, 2, 8, 1, 5); /* the same number on another device */
    accesses_use(&accesses, -1, 7, 1, 5);
    accesses_use(&accesses, 3, 7, 1, 5);
    accesses_report_used(&accesses, take, &seen);
    assert_int_equal(seen.used, 2);
    assert_int_equal(seen.items[0].item, 1);
    assert_int_equal(seen.items[0].opens, 2000);
    assert_int_equal(seen.items[0].files, 1000);
    assert_int_equal(seen.items[0].bytes, 10000);
    assert_int_equal(seen.items[1].files, 2);
    accesses_done(&accesses);
}

static void calls_say_what_they_want(void **state)
{
    static const struct {
        int flags;
        enum access_want want;
    } opens[] = {
        {O_RDONLY, WANT_READ},
        {O_RDONLY | O_CLOEXEC, WANT_READ},
        {O_RDONLY | O_DIRECTORY, WANT_LIST},
        {O_PATH | O_DIRECTORY, WANT_LIST},
        {O_PATH, WANT_READ},
        {O_WRONLY, WANT_WRITE},
        {O_RDWR, WANT_WRITE},
        {O_RDONLY | O_TRUNC, WANT_WRITE},
        {O_RDONLY | O_CREAT, WANT_WRITE},
        {O_TMPFILE | O_RDWR, WANT_WRITE},
    };

    (void)state;
    for (size_t i = 0; i < sizeof opens / sizeof *opens; i++) {
        assert_int_equal(call_open_want((uint64_t)opens[i].flags), opens[i].want);
    }
    assert_string_equal(call_find(SYS_openat)->name, "openat");
    assert_int_equal(call_find(SYS_renameat2)->path_count, 2);
    assert_null(call_find(SYS_read));
    assert_null(call_find(-1));
    assert_null(call_find(100000));
}

static void paths_are_normalised(void **state)
{
    static const char *const trials[][2] = {
        {"/", "/"},      {"//", "/"},           {"/a/../..", "/"}, {"/a/./b//c/", "/a/b/c"},
        {"/../a", "/a"}, {"/a/b/../c", "/a/c"}, {"/...", "/..."},  {"/a/..b", "/a/..b"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof trials / sizeof *trials; i++) {
        char path[64];
        snprintf(path, sizeof path, "%s", trials[i][0]);
        lookup_normalise(path);
        assert_string_equal(path, trials[i][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_accesses_are_one_row), cmocka_unit_test(the_last_refusal_is_known),
        cmocka_unit_test(rows_are_bounded),
        cmocka_unit_test(a_flood_of_what_is_allowed_hides_no_refusal),           cmocka_unit_test(used_counts_opens_files_and_bytes_by_item),
        cmocka_unit_test(calls_say_what_they_want),   cmocka_unit_test(paths_are_normalised),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
