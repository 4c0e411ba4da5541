/* Scopes: paths made absolute and shown again, patterns, hosts, commands, and which scope holds which. */
#include "../../sandbox/grant.h"
#include "../../sandbox/scope_internal.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))

static void paths_become_absolute(void **state)
{
    (void)state;
    static const struct {
        const char *scope, *path;
    } trials[] = {
        {"x", "/r/s/x"},
        {"./x", "/r/s/x"},
        {".", "/r/s"},
        {"", "/r/s"},
        {"./data//a/./b/", "/r/s/data/a/b"},
        {"data/../x", "/r/s/x"},
        {"../x", "/r/x"},
        {"../../../../x", "/x"},
        {"..", "/r"},
        {"../..", "/"},
        {"/", "/"},
        {"//etc//passwd", "/etc/passwd"},
        {"/etc/../../x", "/x"},
        {"./data/*", "/r/s/data/*"},
        {"~", "/home/u"},
        {"~/x", "/home/u/x"},
        {"~/../v", "/home/v"},
        {"~x", "/r/s/~x"},
        {"./~", "/r/s/~"},
        {"...", "/r/s/..."},
        {"a\\b", "/r/s/a\\b"},
    };
    for (size_t i = 0; i < COUNT(trials); i++) {
        struct buf path;
        buf_init(&path, 1000);
        assert_int_equal(scope_absolute(trials[i].scope, "/r/s/", "/home/u", &path), 0);
        assert_string_equal(path.data, trials[i].path);
        buf_done(&path);
    }
    struct buf path;
    buf_init(&path, 1000);
    assert_int_equal(scope_absolute("~/x", "/r", NULL, &path), -EINVAL);
    buf_add_text(&path, "before:"); /* it adds to what is there */
    assert_int_equal(scope_absolute("../../x", "/r", NULL, &path), 0);
    assert_string_equal(path.data, "before:/x");
    buf_done(&path);
}

static void paths_are_shown_as_people_write_them(void **state)
{
    (void)state;
    static const struct {
        const char *path, *root, *shown;
    } trials[] = {
        {"/home/u/case/data/x", "/home/u/case", "./data/x"}, {"/home/u/case", "/home/u/case", "."},
        {"/home/u/casement", "/home/u/case", "~/casement"},  {"/home/u", "/home/u/case", "~"},
        {"/etc/passwd", "/home/u/case", "/etc/passwd"},      {"/etc/passwd", "/", "/etc/passwd"},
        {"/home/u/case/~", "/home/u/case", "./~"},
    };
    for (size_t i = 0; i < COUNT(trials); i++) {
        struct buf shown, again;
        buf_init(&shown, 1000);
        buf_init(&again, 1000);
        scope_display(trials[i].path, trials[i].root, "/home/u", &shown);
        assert_string_equal(shown.data, trials[i].shown);
        scope_absolute(shown.data, trials[i].root, "/home/u", &again);
        assert_string_equal(again.data, trials[i].path);
        buf_done(&shown);
        buf_done(&again);
    }
}

static void patterns_match_the_whole_path(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *path;
        bool matches;
    } trials[] = {
        {"/r/data/*", "/r/data/a/b.csv", true},
        {"/r/data/*", "/r/data/", true},
        {"/r/data/*", "/r/data", false},
        {"/r/data/*", "/r/database", false},
        {"/r/*.csv", "/r/a/b.csv", true},
        {"/r/*.csv", "/r/a.csv.bak", false},
        {"/r/*a*b", "/r/xaxxbab", true},
        {"/r/*a*b", "/r/xaxx", false},
        {"/r/?.csv", "/r/a.csv", true},
        {"/r/?.csv", "/r/\xc3\xb1.csv", true},
        {"/r/?.csv", "/r/ab.csv", false},
        {"/r/?.csv", "/r/*.csv", true},
        {"/r/[ab]", "/r/a", false},
        {"/r/[ab]", "/r/[ab]", true},
        {"/r/A", "/r/a", false},
        {"", "", true},
        {"*", "", true},
        {"?", "", false},
        {"**", "/x", true},
    };
    for (size_t i = 0; i < COUNT(trials); i++) {
        if (scope_matches(trials[i].pattern, trials[i].path) != trials[i].matches) {
            fail_msg("%s against %s", trials[i].pattern, trials[i].path);
        }
    }
}

static void hostile_patterns_end(void **state)
{
    (void)state;
    char path[4000], pattern[401];
    memset(path, 'a', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    for (size_t i = 0; i < sizeof pattern - 1; i++) {
        pattern[i] = i % 2 ? '*' : 'a';
    }
    memcpy(pattern + sizeof pattern - 3, "b", 2);
    assert_false(scope_matches(pattern, path));
}

/* What the ceiling's item `grant` holds, beside one item of a request. */
static bool covers(const char *grant, const char *request, const char *root)
{
    struct policy policy;
    struct scope a, b;
    struct buf text;
    buf_init(&text, 1000);
    buf_addf(&text, "%s,%s", grant, request);
    struct err err;
    if (policy_parse(text.data, &policy, &err) < 0) {
        fail_msg("%s", err.text);
    }
    const struct policy_item *first = &policy.items[0], *second = &policy.items[policy.count - 1];
    assert_int_equal(scope_read(first->permission, first->name, first->scope, root, "/home/u", &a, NULL), 0);
    assert_int_equal(scope_read(second->permission, second->name, second->scope, root, "/home/u", &b, NULL), 0);
    bool covered = scope_covers(&a, &b);
    scope_done(&a);
    scope_done(&b);
    policy_done(&policy);
    buf_done(&text);
    return covered;
}

struct cover {
    const char *grant, *request;
    bool covered;
};

static void check_covers(const struct cover *trials, size_t count, const char *root)
{
    for (size_t i = 0; i < count; i++) {
        if (covers(trials[i].grant, trials[i].request, root) != trials[i].covered) {
            fail_msg("%s against %s", trials[i].grant, trials[i].request);
        }
    }
}

static void permissions_hold_their_own_kind(void **state)
{
    (void)state;
    static const struct cover trials[] = {
        {"stdout", "stdout", true},
        {"stdout", "stdin", false},
        {"file=./x", "file.read=./x", true},
        {"file=./x", "file.write=./x", true},
        {"file.read=./x", "file=./x", false},
        {"file.read=./x", "file.write=./x", false},
        {"file.read", "file.read=./x", true},
        {"file.read=*", "file.read", false},
        {"net", "net=x", true},
        {"net=*", "net", true}, /* without a scope: every name */
        {"net", "net=10.0.0.1", false},
        {"exec", "exec=sh", true},
        {"env=LANG", "env=LANG", true},
        {"env=LANG", "env=LANGUAGE", false},
        {"judge", "judge", true},
        {"judge", "wallet", false},
    };
    check_covers(trials, COUNT(trials), "/nowhere");
}

static void files_are_held_by_path_pattern_and_folder(void **state)
{
    (void)state;
    char root[] = "/tmp/techo-scope-XXXXXX";
    assert_non_null(mkdtemp(root));
    assert_int_equal(chdir(root), 0);
    assert_int_equal(mkdir("data", 0700), 0);
    static const struct cover trials[] = {
        {"file.read=./x", "file.read=x", true},
        {"file.read=./x", "file.read=./a/../x", true},
        {"file.read=./x", "file.read=/x", false},
        {"file.read=./data", "file.read=./data", true},
        {"file.read=./data", "file.read=./data/a/b", true},
        {"file.read=./data", "file.read=./data/*", true},
        {"file.read=./data", "file.read=./data*", false},
        {"file.read=./data", "file.read=./database", false},
        {"file.read=./data", "file.read=./data/../.env", false},
        {"file.read=./data/*", "file.read=./data", true},  /* there: the folder and all below */
        {"file.read=./gone", "file.read=./gone/x", false}, /* not there: that one path */
        {"file.read=./gone/*", "file.read=./gone", false},
        {"file.read=./gone/*", "file.read=./gone/", true}, /* said to be a folder */
        {"file.read=./gone/", "file.read=./gone/x", true},
        {"file.read=./data/*.csv", "file.read=./data/a.csv", true},
        {"file.read=./data/*.csv", "file.read=./data/*.csv", true},
        {"file.read=./data/*.csv", "file.read=./data/2024/*.csv", true},
        {"file.read=./data/*.csv", "file.read=./data", false},
        {"file.read=./data/*.csv", "file.read=./data/*", false},
        {"file.read=./data/?", "file.read=./data/x", true},
        {"file.read=./data/?", "file.read=./data/?", true},
        {"file.read=./data/?", "file.read=./data/*", false}, /* a star is more than one character */
        {"file.read=./data/*", "file.read=*", false},
        {"file.read=.", "file.read=*", true},
        {"file.read=~/notes/*", "file.read=/home/u/notes/n", true},
    };
    check_covers(trials, COUNT(trials), root);
    assert_int_equal(rmdir("data"), 0);
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(rmdir(root), 0);
}

static void hosts_are_held_by_name_and_port(void **state)
{
    (void)state;
    static const struct cover trials[] = {
        {"net=api.test", "net=api.test", true},
        {"net=api.test", "net=API.test.", true},
        {"net=api.test", "net=https://user:pw@api.test:443/path?q#f", true},
        {"net=api.test", "net=https://api.test@evil.test/", false},
        {"net=api.test", "net=https://evil.test/@api.test", false},
        {"net=api.test", "net=api.test:443", true},
        {"net=api.test:443", "net=api.test:443", true},
        {"net=api.test:443", "net=api.test:80", false},
        {"net=api.test:443", "net=api.test", false},
        {"net=*.test", "net=api.test", true},
        {"net=*.test", "net=test", false},
        {"net=*.test", "net=api.test.evil", false},
        {"net=*", "net=10.0.0.1", false},
        {"net=*", "net=2130706433", false}, /* 127.0.0.1 in another dress */
        {"net=1*", "net=127.0.0.1", false},
        {"net=10.0.0.1", "net=0xa000001", true},
        {"net=10.0.0.1", "net=0x0a.0.0.1:80", true},
        {"net=10.0.0.1", "net=012.0.0.01", true},
        {"net=10.0.0.1", "net=167772161", true},
        {"net=10.0.0.1", "net=10.1", true},
        {"net=10.0.0.1", "net=10.0.0.1.", true},
        {"net=10.0.0.1", "net=[::FFFF:A00:1]:80", true},
        {"net=10.0.0.1", "net=10.0.0.2", false},
        {"net=10.0.0.1", "net=10.0.0.1.test", false},
        {"net=127.0.0.1:80", "net=0.0.0.0:80", true}, /* which is where connect() goes */
        {"net=[::1]:80", "net=[::]:80", true},
        {"net=api.test:443", "net=api.test:0443", true},
        {"net=*:443", "net=api.test:443", true},
        {"net=*:443", "net=api.test:80", false},
        {"net=10.0.0.1", "net=10.0.0.1:80", true},
        {"net=127.0.0.1", "net=127.1", true},
        {"net=127.0.0.1", "net=[::ffff:127.0.0.1]:80", true},
        {"net=[::1]:80", "net=[::1]:80", true},
        {"net=[::1]:80", "net=[::1]:81", false},
        {"net=::1", "net=[0:0::1]:81", true},
    };
    check_covers(trials, COUNT(trials), "/nowhere");
}

static void commands_are_held_by_name_or_path(void **state)
{
    (void)state;
    static const struct cover trials[] = {
        {"exec=ls", "exec=/usr/bin/ls", true},      {"exec=ls", "exec=/bin/ls", true},
        {"exec=ls", "exec=/tmp/ls", false},         {"exec=ls", "exec=./ls", false},
        {"exec=ls", "exec=/usr/bin/sub/ls", false}, {"exec=./tool", "exec=/nowhere/tool", true},
        {"exec=/usr/bin/ls", "exec=ls", false},     {"exec=git*", "exec=git-upload-pack", true},
        {"exec=git*", "exec=/opt/git-x", false},
    };
    check_covers(trials, COUNT(trials), "/nowhere");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_become_absolute),           cmocka_unit_test(paths_are_shown_as_people_write_them),
        cmocka_unit_test(patterns_match_the_whole_path),   cmocka_unit_test(hostile_patterns_end),
        cmocka_unit_test(permissions_hold_their_own_kind), cmocka_unit_test(files_are_held_by_path_pattern_and_folder),
        cmocka_unit_test(hosts_are_held_by_name_and_port), cmocka_unit_test(commands_are_held_by_name_or_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
