/* Artifacts taken out of a session: a name that a program chose reaches nothing but the folder, and replaces nothing. */
#include <errno.h>
#include <fcntl.h>
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

#include "../../core/artifact.h"

static char base[64];
static int folder;

static int make_folders(void **state)
{
    (void)state;
    struct err err;
    char inner[128];
    snprintf(base, sizeof(base), "/tmp/techo-artifact-XXXXXX");
    if (!mkdtemp(base)) {
        return -1;
    }
    snprintf(inner, sizeof(inner), "%s/out", base);
    return artifact_folder(inner, &folder, &err);
}

static int remove_folders(void **state)
{
    (void)state;
    char command[128];
    close(folder);
    snprintf(command, sizeof(command), "rm -rf '%s'", base);
    return system(command);
}

static int save_text(const char *name, const char *text, struct err *err)
{
    struct event *event = event_new(EVENT_ARTIFACT);
    event_set_text(event, "name", name);
    event_set_int(event, "size", (int64_t)strlen(text));
    event_set_bytes(event, "bytes", text, strlen(text));
    int code = artifact_save(folder, event, err);
    event_free(event);
    return code;
}

static int save(const char *name)
{
    struct err err;
    return save_text(name, "content", &err);
}

static void expect_content(const char *name, const char *content)
{
    char text[64] = "";
    int fd = openat(folder, name, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_true(read(fd, text, sizeof(text) - 1) >= 0);
    close(fd);
    assert_string_equal(text, content);
}

static bool is_outside(const char *name)
{
    char path[PATH_MAX];
    struct stat info;
    snprintf(path, sizeof(path), "%s/%s", base, name);
    return lstat(path, &info) == 0;
}

static void a_file_is_written_and_the_folders_of_its_name_are_made(void **state)
{
    (void)state;
    assert_int_equal(save("plot.svg"), 0);
    assert_int_equal(save("a/b/c.csv"), 0);
    assert_int_equal(save("a/b/d.csv"), 0);
    expect_content("plot.svg", "content");
    expect_content("a/b/c.csv", "content");
}

static void names_that_lead_out_are_refused(void **state)
{
    (void)state;
    static const char *const names[] = {"../evil",  "a/../../evil", "..", ".",      "",          "/evil", "/tmp/evil",
                                        "a//evil",  "a/",           "./x", ".bashrc", "a/.git/hooks/x"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        assert_int_equal(save(names[i]), -EINVAL);
    }
    assert_false(is_outside("evil"));
}

static void nothing_is_replaced_and_that_is_said(void **state)
{
    (void)state;
    struct err err;
    assert_int_equal(save_text("notes.txt", "mine", &err), 0);
    assert_int_equal(save_text("notes.txt", "theirs", &err), -EEXIST);
    assert_string_equal(err.text, "notes.txt is there already, and is not replaced");
    expect_content("notes.txt", "mine");
}

static void no_symlink_is_followed(void **state)
{
    (void)state;
    assert_int_equal(symlinkat("..", folder, "up"), 0);
    assert_int_equal(symlinkat("../made", folder, "made"), 0);
    assert_int_equal(save("up/evil"), -ENOTDIR);
    assert_int_equal(save("made"), -EEXIST);
    assert_int_equal(save("made/evil"), -ENOTDIR);
    assert_false(is_outside("evil"));
    assert_false(is_outside("made"));
}

static void what_the_session_does_not_hold_is_said(void **state)
{
    (void)state;
    struct err err;
    struct event *event = event_new(EVENT_ARTIFACT);
    event_set_text(event, "name", "big.bin");
    event_set_int(event, "size", 2 << 20);
    event_set_text(event, "hash", "5f3a");
    assert_int_equal(artifact_save(folder, event, &err), -ENODATA);
    assert_non_null(strstr(err.text, "above 1 MiB"));
    assert_non_null(strstr(err.text, "5f3a"));
    event_set_text(event, "problem", "a symlink");
    assert_int_equal(artifact_save(folder, event, &err), -ENODATA);
    assert_non_null(strstr(err.text, "a symlink"));
    event_free(event);
    assert_int_equal(faccessat(folder, "big.bin", F_OK, 0), -1);
}

static void an_empty_file_is_written_empty(void **state)
{
    (void)state;
    struct err err;
    struct event *event = event_new(EVENT_ARTIFACT);
    event_set_text(event, "name", "empty");
    event_set_int(event, "size", 0);
    assert_int_equal(artifact_save(folder, event, &err), 0);
    event_free(event);
    expect_content("empty", "");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folders, remove_folders)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_file_is_written_and_the_folders_of_its_name_are_made),
        TEST(names_that_lead_out_are_refused),
        TEST(nothing_is_replaced_and_that_is_said),
        TEST(no_symlink_is_followed),
        TEST(what_the_session_does_not_hold_is_said),
        TEST(an_empty_file_is_written_empty),
    };
    return cmocka_run_group_tests_name("artifacts", tests, NULL, NULL);
}
