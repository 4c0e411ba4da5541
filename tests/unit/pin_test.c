/* Pins: which files a granted scope opens, and which it refuses. */
#include "../../sandbox/pin_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char root[PATH_MAX];

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
    close(fd);
}

static int make(void **state)
{
    char name[] = "/tmp/techo-pin-XXXXXX";

    assert_non_null(mkdtemp(name));
    assert_non_null(realpath(name, root));
    assert_int_equal(mkdir(at("data"), 0755), 0);
    assert_int_equal(mkdir(at("data/deep"), 0755), 0);
    assert_int_equal(mkdir(at("out"), 0755), 0);
    put("data/a.csv");
    put("data/b.csv");
    put("data/deep/c.csv");
    put("data/notes.txt");
    put("out/old.csv");
    put("secret");
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
    return nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* Opens the pins of one item whose scope lies in the root. */
static int pin(const char *permission, const char *scope, struct pins *pins, struct err *err)
{
    struct policy policy;
    char text[2 * PATH_MAX];

    snprintf(text, sizeof text, "%s=%s", permission, at(scope));
    assert_int_equal(policy_parse(text, &policy, err), 0);
    int result = pins_open(&policy, root, pins, err);
    policy_done(&policy);
    return result;
}

static void opens(const char *scope, size_t count, const char *const *names)
{
    struct pins pins;
    struct err err;

    if (pin("file.read", scope, &pins, &err)) {
        fail_msg("%s", err.text);
    }
    assert_int_equal(pins.count, count);
    for (size_t i = 0; i < count; i++) {
        struct stat status;
        assert_string_equal(pins.list[i].path, names[i][0] ? at(names[i]) : root);
        assert_int_equal(stat(pins.list[i].path, &status), 0);
        assert_int_equal(pins.list[i].device, status.st_dev);
        assert_int_equal(pins.list[i].inode, status.st_ino);
        assert_int_equal(pins.list[i].folder, S_ISDIR(status.st_mode));
    }
    pins_done(&pins);
}

#define OPENS(scope, ...)                                                                                              \
    opens(scope, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *), (const char *const[]){__VA_ARGS__})

static void refuses(const char *scope, int code, const char *words)
{
    struct pins pins = {0};
    struct err err = {.text = ""};

    assert_int_equal(pin("file.read", scope, &pins, &err), code);
    if (!strstr(err.text, words)) {
        fail_msg("\"%s\" is missing in: %s", words, err.text);
    }
    assert_null(strchr(err.text, '\n'));
}

static void a_file_a_folder_and_what_is_missing(void **state)
{
    OPENS("data/a.csv", "data/a.csv");
    OPENS("data", "data");
    OPENS("data/*", "data");
    opens("data/none.csv", 0, NULL);
    opens("none/*", 0, NULL);
    opens("data/a.csv/*", 0, NULL);
    (void)state;
}

static void a_pattern_is_the_files_that_match_now_shortest_first(void **state)
{
    OPENS("data/*.csv", "data/a.csv", "data/b.csv", "data/deep/c.csv");
    OPENS("*.csv", "data/a.csv", "data/b.csv", "data/deep/c.csv"); /* not what the private ./out hides */
    opens("*.parquet", 0, NULL);
    (void)state;
}

static void a_link_may_lead_to_what_its_scope_covers_and_nowhere_else(void **state)
{
    assert_int_equal(symlink("a.csv", at("data/link.csv")), 0);
    assert_int_equal(symlink("../secret", at("data/bad.csv")), 0);
    refuses("data/link.csv", -ELOOP, "leads out of it");
    refuses("data/bad.csv", -ELOOP, "secret");
    refuses("data/*.csv", -ELOOP, "bad.csv leads out of it");
    assert_int_equal(unlink(at("data/bad.csv")), 0);
    OPENS("data/*.csv", "data/a.csv", "data/b.csv", "data/link.csv", "data/deep/c.csv");
    assert_int_equal(symlink("data", at("door")), 0);
    refuses("door", -ELOOP, "leads out of it");
    refuses("door/a.csv", -ELOOP, "leads out of it");
    (void)state;
}

static void links_that_go_in_circles_end(void **state)
{
    assert_int_equal(symlink("two", at("data/one")), 0);
    assert_int_equal(symlink("one", at("data/two")), 0);
    refuses("data/one", -ELOOP, "cannot open");
    (void)state;
}

static void a_pattern_has_its_bound(void **state)
{
    char name[64];

    for (int i = 0; i <= PIN_GLOB_MAX; i++) {
        snprintf(name, sizeof name, "data/deep/many-%03d.log", i);
        put(name);
    }
    refuses("*.log", -E2BIG, "more than 256 files");
    assert_int_equal(unlink(at("data/deep/many-000.log")), 0);
    struct pins pins;
    struct err err;
    assert_int_equal(pin("file.read", "*.log", &pins, &err), 0);
    assert_int_equal(pins.count, PIN_GLOB_MAX);
    pins_done(&pins);
    (void)state;
}

static void nothing_below_a_host_out_can_be_granted(void **state)
{
    refuses("out/old.csv", -EINVAL, "hidden by the program's own ./out");
    refuses("out/*", -EINVAL, "hidden");
    struct pins pins;
    struct err err;
    assert_int_equal(pin("file.write", "out/*", &pins, &err), 0); /* its own, which it has anyway */
    assert_int_equal(pins.count, 0);
    put("outer");
    OPENS("outer", "outer");
    (void)state;
}

static void a_fifo_does_not_hold_anybody_up(void **state)
{
    assert_int_equal(mkfifo(at("data/pipe"), 0644), 0);
    OPENS("data/pipe", "data/pipe");
    (void)state;
}

/* Opens the write pins of `scope`; says "path name|- missing exists" of each. */
static int pin_writes(const char *granted, char ret_told[PATH_MAX], struct err *err)
{
    struct policy policy;
    struct pins pins;
    size_t len = 0;

    ret_told[0] = '\0';
    assert_int_equal(policy_parse(granted, &policy, err), 0);
    int result = pins_open(&policy, root, &pins, err);
    for (size_t i = 0; result == 0 && i < pins.write_count; i++) {
        const struct write_pin *pin = &pins.writes[i];
        len += (size_t)snprintf(ret_told + len, PATH_MAX - len, "%s%s %s '%s' %s", len ? "; " : "",
                                pin->path + strlen(root), pin->name ? pin->name : "-", pin->missing,
                                pin->exists ? "there" : "new");
    }
    if (result == 0) {
        pins_done(&pins);
    }
    policy_done(&policy);
    return result;
}

static void what_may_be_written_is_a_file_or_a_folder_there_or_not(void **state)
{
    const struct {
        const char *scopes[3], *told;
    } cases[] = {
        {{"data/a.csv"}, "/data/a.csv a.csv '' there"},
        {{"data/new.csv"}, "/data/new.csv new.csv '' new"},
        {{"data"}, "/data - '' there"},
        {{"data/*"}, "/data - '' there"},
        {{"new/deep/*"}, "/new/deep - 'new/deep' new"},
        {{"new/deep/x"}, "/new/deep/x x 'new/deep' new"},
        {{"out/x"}, ""}, /* every run has it anyway */
        {{"data/a.csv", "data/*", "data/deep/*"}, "/data - '' there"},
        {{"data/a.csv", "data/a.csv"}, "/data/a.csv a.csv '' there"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[4 * PATH_MAX] = "", told[PATH_MAX];
        struct err err;
        for (size_t s = 0; s < 3 && cases[i].scopes[s]; s++) {
            size_t len = strlen(text);
            snprintf(text + len, sizeof text - len, "%sfile.write=%s", len ? "," : "", at(cases[i].scopes[s]));
        }
        assert_int_equal(pin_writes(text, told, &err), 0);
        assert_string_equal(told, cases[i].told);
    }
    (void)state;
}

static void nothing_is_written_through_a_link_or_to_what_is_no_file(void **state)
{
    const struct {
        const char *scope, *why;
        int result;
    } cases[] = {
        {"file-link", "is a symbolic link", -ELOOP},
        {"folder-link/x", "symbolic link", -ELOOP},
        {"folder-link/*", "symbolic link", -ELOOP},
        {"pipe", "is no regular file", -EINVAL},
        {"data/a.csv/*", "is no folder", -EINVAL},
        {"data/*.csv", "one file, or a folder", -EINVAL},
    };

    assert_int_equal(symlink("data/a.csv", at("file-link")), 0);
    assert_int_equal(symlink("data", at("folder-link")), 0);
    assert_int_equal(mkfifo(at("pipe"), 0644), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[2 * PATH_MAX], told[PATH_MAX];
        struct err err = {0};
        snprintf(text, sizeof text, "file.write=%s", at(cases[i].scope));
        assert_int_equal(pin_writes(text, told, &err), cases[i].result);
        assert_non_null(strstr(err.text, cases[i].why));
    }
    (void)state;
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, make, clear)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_file_a_folder_and_what_is_missing),
        CASE(a_pattern_is_the_files_that_match_now_shortest_first),
        CASE(a_link_may_lead_to_what_its_scope_covers_and_nowhere_else),
        CASE(links_that_go_in_circles_end),
        CASE(a_pattern_has_its_bound),
        CASE(nothing_below_a_host_out_can_be_granted),
        CASE(a_fifo_does_not_hold_anybody_up),
        CASE(what_may_be_written_is_a_file_or_a_folder_there_or_not),
        CASE(nothing_is_written_through_a_link_or_to_what_is_no_file),
    };
    return cmocka_run_group_tests_name("pin", tests, NULL, NULL);
}
