/* Verdicts computed from what a cell shows; no cell is needed. */
#include "../../sandbox/verdict_internal.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))

static struct cell_place places[] = {
    {.path = (char[]){"/tmp"}, .kind = PLACE_PRIVATE, .folder = true, .write = true, .item = -1},
    {.path = (char[]){"/usr"}, .kind = PLACE_BASE, .folder = true, .execute = true, .item = -1},
    {.path = (char[]){"/proc"}, .kind = PLACE_SYSTEM, .folder = true, .item = -1},
    {.path = (char[]){"/dev/null"}, .kind = PLACE_SYSTEM, .write = true, .item = -1},
    {.path = (char[]){"/r/out"}, .kind = PLACE_PRIVATE, .folder = true, .write = true, .item = -1},
    {.path = (char[]){"/r/data"}, .kind = PLACE_GRANT, .folder = true, .item = 1},
    {.path = (char[]){"/program"}, .kind = PLACE_INJECTED, .item = -1},
};
static struct policy_item items[] = {
    {.permission = PERMISSION_STDOUT},
    {.permission = PERMISSION_FILE_READ, .scope = (char[]){"/r/data"}},
    {.permission = PERMISSION_FILE_READ, .scope = (char[]){"/r/one.csv"}},
};
static const struct policy granted = {.items = items, .count = COUNT(items)};
static struct cell cell = {
    .places = places, .place_count = COUNT(places), .layers = (1u << _LAYER_MAX) - 1};
static const struct sandbox_base base[] = {{"/usr"}, {"/etc/absent"}};
static const struct view view = {
    .root = "/r", .granted = &granted, .cell = &cell, .base = base, .base_count = COUNT(base)};

struct trial {
    const char *path;
    enum lookup_state state;
    mode_t mode;
    bool read_only;
    enum access_want want;
    enum access_verdict verdict;
    int error;
    bool row;
    int item;
};

static struct verdict judge(const struct trial *trial, bool creates)
{
    struct lookup lookup = {.state = trial->state, .mode = trial->mode, .read_only = trial->read_only};

    snprintf(lookup.path, sizeof lookup.path, "%s", trial->path);
    return verdict_of_path(&view, &lookup, trial->want, creates);
}

static void check(const struct trial *trials, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct verdict verdict = judge(&trials[i], false);
        if (verdict.verdict != trials[i].verdict || verdict.error != trials[i].error || verdict.row != trials[i].row ||
            verdict.item != trials[i].item) {
            fail_msg("%s: verdict %d, error %d, row %d, item %d", trials[i].path, verdict.verdict, verdict.error,
                     verdict.row, verdict.item);
        }
    }
}

#define FILE_ LOOKUP_FOUND, S_IFREG
#define NONE LOOKUP_MISSING, 0

static void what_is_shown_may_be_read(void **state)
{
    static const struct trial trials[] = {
        {"/r/data/a.csv", FILE_, true, WANT_READ, ACCESS_ALLOWED, 0, true, 1},
        {"/usr/lib/x.so", FILE_, true, WANT_READ, ACCESS_ALLOWED, 0, false, -1},
        {"/program", FILE_, true, WANT_READ, ACCESS_ALLOWED, 0, false, -1},
        {"/tmp/x", FILE_, false, WANT_READ, ACCESS_ALLOWED, 0, false, -1},
        {"/r", LOOKUP_FOUND, S_IFDIR, true, WANT_LIST, ACCESS_ALLOWED, 0, false, -1},
        {"/proc/2/status", FILE_, true, WANT_READ, ACCESS_ALLOWED, 0, false, -1},
    };
    (void)state;
    check(trials, COUNT(trials));
}

static void what_is_missing_is_a_gap_or_lies_outside(void **state)
{
    static const struct trial trials[] = {
        /* a gap in what is granted is told, in the base it is not */
        {"/r/data/none.csv", NONE, true, WANT_READ, ACCESS_ABSENT, ENOENT, true, 1},
        {"/r/one.csv", NONE, true, WANT_READ, ACCESS_ABSENT, ENOENT, true, 2},
        {"/usr/lib/none", NONE, true, WANT_READ, ACCESS_ABSENT, ENOENT, false, -1},
        {"/etc/absent", NONE, true, WANT_READ, ACCESS_ABSENT, ENOENT, false, -1},
        {"/tmp/none", NONE, false, WANT_READ, ACCESS_ABSENT, ENOENT, false, -1},
        {"/proc/stat", NONE, true, WANT_READ, ACCESS_ABSENT, ENOENT, false, -1},
        /* the rest is outside, whether the host has it or not */
        {"/r/.env", NONE, true, WANT_READ, ACCESS_DENIED, ENOENT, true, -1},
        {"/etc/shadow", NONE, true, WANT_READ, ACCESS_DENIED, ENOENT, true, -1},
        {"/no/such/file", NONE, true, WANT_READ, ACCESS_DENIED, ENOENT, true, -1},
        {"/proc/kcore", NONE, true, WANT_READ, ACCESS_DENIED, ENOENT, true, -1},
        {"/r/database", NONE, true, WANT_READ, ACCESS_DENIED, ENOENT, true, -1},
        /* a folder of /tmp that only leads to the root is not private */
        {"/tmp/root/.env", NONE, true, WANT_READ, ACCESS_DENIED, ENOENT, true, -1},
        {"/proc/7/root/etc", LOOKUP_FOREIGN, 0, true, WANT_READ, ACCESS_DENIED, EACCES, true, -1},
        {"/proc/1/environ", FILE_, true, WANT_READ, ACCESS_DENIED, EACCES, true, -1},
    };
    (void)state;
    check(trials, COUNT(trials));
}

static void only_private_folders_may_be_changed(void **state)
{
    static const struct trial trials[] = {
        {"/r/out/new", NONE, false, WANT_WRITE, ACCESS_ALLOWED, 0, false, -1},
        {"/r/out/old", FILE_, false, WANT_CHANGE, ACCESS_ALLOWED, 0, false, -1},
        {"/dev/null", LOOKUP_FOUND, S_IFCHR, true, WANT_WRITE, ACCESS_ALLOWED, 0, false, -1},
        {"/r/data/a.csv", FILE_, true, WANT_WRITE, ACCESS_DENIED, EROFS, true, -1},
        {"/r/data/new", NONE, true, WANT_WRITE, ACCESS_DENIED, EROFS, true, -1},
        {"/r/new", NONE, true, WANT_CHANGE, ACCESS_DENIED, EROFS, true, -1},
        {"/etc/passwd", FILE_, true, WANT_CHANGE, ACCESS_DENIED, EROFS, true, -1},
        {"/usr/bin/python3", FILE_, true, WANT_WRITE, ACCESS_DENIED, EROFS, true, -1},
    };
    (void)state;
    check(trials, COUNT(trials));
}

static void the_layer_and_the_missing_permission_are_named(void **state)
{
    const struct trial shadow = {"/etc/shadow", NONE, true, WANT_READ, ACCESS_DENIED, ENOENT, true, -1};
    const struct trial change = {"/r/data/a", FILE_, true, WANT_CHANGE, ACCESS_DENIED, EROFS, true, -1};
    const struct trial locked = {"/proc/2/mem", FILE_, false, WANT_WRITE, ACCESS_DENIED, EACCES, true, -1};
    const struct trial exec = {"/r/data/tool", FILE_, true, WANT_EXEC, ACCESS_DENIED, EACCES, true, -1};

    (void)state;
    assert_int_equal(judge(&shadow, false).layer, LAYER_MOUNTS);
    assert_int_equal(judge(&shadow, false).missing, PERMISSION_FILE_READ);
    assert_true(judge(&shadow, false).outside_root);
    assert_int_equal(judge(&change, false).layer, LAYER_MOUNTS);
    assert_int_equal(judge(&change, false).missing, PERMISSION_FILE_WRITE);
    assert_false(judge(&change, false).outside_root);
    assert_int_equal(judge(&locked, false).layer, LAYER_LANDLOCK); /* its mount would allow it */
    assert_int_equal(judge(&exec, false).missing, PERMISSION_EXEC);
}

static void making_what_exists_is_no_denial(void **state)
{
    const struct trial folder = {"/usr/lib", LOOKUP_FOUND, S_IFDIR, true, WANT_CHANGE, ACCESS_ALLOWED, 0, false, -1};
    const struct trial new_folder = {"/usr/new", NONE, true, WANT_CHANGE, ACCESS_DENIED, EROFS, true, -1};

    (void)state;
    assert_int_equal(judge(&folder, true).verdict, ACCESS_ALLOWED); /* the kernel says EEXIST */
    assert_int_equal(judge(&new_folder, true).verdict, ACCESS_DENIED);
}

static void only_opens_of_granted_files_are_counted(void **state)
{
    const struct trial file = {"/r/data/a", FILE_, true, WANT_READ, ACCESS_ALLOWED, 0, true, 1};
    const struct trial folder = {"/r/data", LOOKUP_FOUND, S_IFDIR, true, WANT_LIST, ACCESS_ALLOWED, 0, true, 1};
    const struct trial library = {"/usr/lib/x.so", FILE_, true, WANT_READ, ACCESS_ALLOWED, 0, false, -1};

    (void)state;
    assert_true(judge(&file, false).count);
    assert_false(judge(&folder, false).count);
    assert_false(judge(&library, false).count);
    assert_true(judge(&library, false).base);
}

static void addresses_outside_are_refused_by_the_namespace(void **state)
{
    struct verdict verdict = verdict_of_address(&view, ADDRESS_HANDLE, WANT_CONNECT);

    (void)state;
    assert_int_equal(verdict.verdict, ACCESS_DENIED);
    assert_int_equal(verdict.error, ECONNREFUSED);
    assert_int_equal(verdict.layer, LAYER_NAMESPACES);
    assert_int_equal(verdict.missing, PERMISSION_NET);
    assert_int_equal(verdict_of_address(&view, ADDRESS_OTHER, WANT_SEND).error, ENETUNREACH);
    assert_int_equal(verdict_of_address(&view, ADDRESS_OWN, WANT_CONNECT).verdict, ACCESS_ALLOWED);
    assert_int_equal(verdict_of_address(&view, ADDRESS_OTHER, WANT_BIND).verdict, ACCESS_ALLOWED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_shown_may_be_read),
        cmocka_unit_test(what_is_missing_is_a_gap_or_lies_outside),
        cmocka_unit_test(only_private_folders_may_be_changed),
        cmocka_unit_test(the_layer_and_the_missing_permission_are_named),
        cmocka_unit_test(making_what_exists_is_no_denial),
        cmocka_unit_test(only_opens_of_granted_files_are_counted),
        cmocka_unit_test(addresses_outside_are_refused_by_the_namespace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
