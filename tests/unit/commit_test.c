/*
 * Commit, without a cell: an upper layer that the test makes by hand, with all
 * that a hostile program could leave in it, and a host folder that was changed
 * meanwhile.
 */
#include "../../sandbox/commit_internal.h"

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
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cmocka.h>

enum { DISK = 1 << 20 };

/* base/host is the host's folder, base/w/0/upper the layer of the only grant. */
static char base[PATH_MAX];
static char told[4096];
static struct timespec started;

static const char *at(const char *name)
{
    static char paths[8][2 * PATH_MAX];
    static int turn;
    char *path = paths[turn++ % 8];

    snprintf(path, sizeof paths[0], "%s/%s", base, name);
    return path;
}

static void put(const char *name, const char *text)
{
    int fd = open(at(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
}

static void make_folder(const char *name)
{
    assert_int_equal(mkdir(at(name), 0755), 0);
}

static void has(const char *name, const char *text)
{
    char bytes[256] = "";
    int fd = open(at(name), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);

    if (!text) {
        assert_int_equal(fd, -1);
        return;
    }
    assert_true(fd >= 0);
    assert_int_equal(read(fd, bytes, sizeof bytes - 1), (ssize_t)strlen(text));
    close(fd);
    assert_string_equal(bytes, text);
}

static int make(void **state)
{
    char name[] = "/tmp/techo-commit-XXXXXX";

    assert_non_null(mkdtemp(name));
    assert_non_null(realpath(name, base));
    make_folder("host");
    make_folder("elsewhere");
    make_folder("w");
    make_folder("w/0");
    make_folder("w/0/upper");
    put("host/old", "old");
    put("elsewhere/secret", "secret");
    clock_gettime(CLOCK_REALTIME, &started);
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
    return nftw(base, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void tell(void *context, struct report *report)
{
    size_t len = strlen(told), root = strlen(base) + strlen("/host/");

    (void)context;
    assert_int_equal(report->kind, REPORT_EFFECT);
    snprintf(told + len, sizeof told - len, "%s%s %s", len ? "; " : "", effect_kind_name(report->effect.kind),
             strlen(report->effect.path) >= root ? report->effect.path + root : "");
}

/* Commits the layer to base/host, or to one file of it. */
static struct commit_result commit_to(const char *name, bool exists)
{
    static char path[3 * PATH_MAX], folder[2 * PATH_MAX];
    struct write_pin pin = {.path = path, .folder = folder, .name = NULL, .exists = exists};
    struct pins pins = {.writes = &pin, .write_count = 1};
    struct commit_result result;

    told[0] = '\0';
    snprintf(folder, sizeof folder, "%s", at("host"));
    snprintf(path, sizeof path, "%s%s%s", folder, name ? "/" : "", name ? name : "");
    pin.name = name ? strrchr(path, '/') + 1 : NULL;
    pin.missing = folder + strlen(folder);
    pin.fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    const struct commit_options options = {.pins = &pins,
                                           .writes_dir = open(at("w"), O_RDONLY | O_DIRECTORY | O_CLOEXEC),
                                           .root = "/nowhere",
                                           .bytes_max = DISK,
                                           .started = started,
                                           .report = tell};
    commit_writes(&options, &result);
    close(pin.fd);
    close(options.writes_dir);
    return result;
}

static void commits(const char *expected, uint64_t refused, bool failed)
{
    struct commit_result result = commit_to(NULL, true);

    assert_string_equal(told, expected);
    assert_int_equal(result.refused, refused);
    assert_int_equal(result.failed, failed);
    commit_result_done(&result);
}

static void files_and_folders_are_carried_over(void **state)
{
    put("w/0/upper/new", "new");
    put("w/0/upper/old", "changed");
    make_folder("w/0/upper/a");
    make_folder("w/0/upper/a/b");
    put("w/0/upper/a/b/c", "deep");
    commits("folder a; folder a/b; created a/b/c; created new; changed old", 0, false);
    has("host/new", "new");
    has("host/old", "changed");
    has("host/a/b/c", "deep");
    (void)state;
}

static void an_empty_layer_changes_nothing(void **state)
{
    commits("", 0, false);
    has("host/old", "old");
    (void)state;
}

static void what_is_no_plain_file_stays_behind(void **state)
{
    assert_int_equal(symlink(at("elsewhere/secret"), at("w/0/upper/link")), 0);
    assert_int_equal(mkfifo(at("w/0/upper/pipe"), 0644), 0);
    put("w/0/upper/one", "x");
    assert_int_equal(link(at("w/0/upper/one"), at("w/0/upper/two")), 0);
    commits("refused link; refused one; refused pipe; refused two", 4, false);
    assert_int_equal(access(at("host/link"), F_OK), -1);
    (void)state;
}

static void a_sparse_giant_is_not_copied(void **state)
{
    put("w/0/upper/giant", "");
    assert_int_equal(truncate(at("w/0/upper/giant"), (off_t)1 << 40), 0);
    commits("refused giant", 1, false);
    (void)state;
}

static void a_link_on_the_host_is_never_followed(void **state)
{
    assert_int_equal(symlink("../elsewhere", at("host/folder")), 0);
    assert_int_equal(symlink("../elsewhere/secret", at("host/file")), 0);
    make_folder("w/0/upper/folder");
    put("w/0/upper/folder/secret", "evil");
    put("w/0/upper/file", "evil");
    commits("refused file; refused folder", 2, false);
    has("elsewhere/secret", "secret");
    (void)state;
}

static void what_lies_in_a_files_place_stays(void **state)
{
    make_folder("host/x");
    assert_int_equal(mkfifo(at("host/y"), 0644), 0);
    put("host/z", "file");
    put("w/0/upper/x", "evil");
    put("w/0/upper/y", "evil");
    make_folder("w/0/upper/z");
    commits("refused x; refused y; refused z", 3, false);
    has("host/z", "file");
    (void)state;
}

static void a_file_that_changed_meanwhile_is_left_alone(void **state)
{
    started.tv_sec -= 10; /* the host's file is newer than the run */
    put("w/0/upper/old", "mine");
    put("w/0/upper/new", "mine");
    put("host/new", "theirs");
    commits("refused new; refused old", 2, false);
    has("host/new", "theirs");
    has("host/old", "old");
    (void)state;
}

static void another_name_keeps_the_old_content_and_no_privilege_passes(void **state)
{
    struct stat info;

    assert_int_equal(link(at("host/old"), at("elsewhere/other")), 0);
    assert_int_equal(chmod(at("host/old"), 06751), 0);
    put("w/0/upper/old", "changed");
    assert_int_equal(chmod(at("w/0/upper/old"), 0600), 0);
    clock_gettime(CLOCK_REALTIME, &started);
    commits("changed old", 0, false);
    has("elsewhere/other", "old");
    assert_int_equal(stat(at("host/old"), &info), 0);
    assert_int_equal(info.st_mode & 07777, 0751);
    (void)state;
}

static void a_new_file_gets_its_mode_without_privileges(void **state)
{
    struct stat info;

    put("w/0/upper/new", "x");
    assert_int_equal(chmod(at("w/0/upper/new"), 06755), 0);
    commits("created new", 0, false);
    assert_int_equal(stat(at("host/new"), &info), 0);
    assert_int_equal(info.st_mode & 07777, 0755);
    (void)state;
}

/* Removals are overlayfs's own marks; only root may make them by hand. */
static void a_removal_removes_but_nothing_protected(void **state)
{
    if (geteuid() != 0) {
        skip();
    }
    make_folder("host/gone");
    put("host/gone/x", "x");
    make_folder("host/kept");
    make_folder("host/kept/.git");
    put("host/kept/.git/config", "mine");
    clock_gettime(CLOCK_REALTIME, &started);
    assert_int_equal(mknod(at("w/0/upper/old"), S_IFCHR, makedev(0, 0)), 0);
    assert_int_equal(mknod(at("w/0/upper/gone"), S_IFCHR, makedev(0, 0)), 0);
    assert_int_equal(mknod(at("w/0/upper/kept"), S_IFCHR, makedev(0, 0)), 0);
    assert_int_equal(mknod(at("w/0/upper/null"), S_IFCHR, makedev(1, 3)), 0);
    commits("removed gone; refused kept; refused null; removed old", 2, false);
    has("host/old", NULL);
    has("host/gone", NULL);
    has("host/kept/.git/config", "mine");
    (void)state;
}

static void protected_names_are_left_out_at_any_depth(void **state)
{
    put("w/0/upper/.bashrc", "evil");
    put("w/0/upper/x.pth", "evil");
    make_folder("w/0/upper/sub");
    make_folder("w/0/upper/sub/.git");
    put("w/0/upper/sub/.git/config", "evil");
    put("w/0/upper/sub/fine", "fine");
    commits("refused .bashrc; folder sub; refused sub/.git; created sub/fine; refused x.pth", 3, false);
    has("host/.bashrc", NULL);
    assert_int_equal(access(at("host/sub/.git"), F_OK), -1);
    (void)state;
}

static void one_file_that_nobody_touched_is_not_made(void **state)
{
    const struct timespec never[2] = {{0}};
    struct commit_result result;

    put("w/0/upper/report", "");
    assert_int_equal(utimensat(AT_FDCWD, at("w/0/upper/report"), never, 0), 0);
    result = commit_to("report", false);
    assert_string_equal(told, "");
    commit_result_done(&result);
    has("host/report", NULL);
    put("w/0/upper/report", ""); /* opened, and closed again: it is there now, if empty */
    result = commit_to("report", false);
    assert_string_equal(told, "created report");
    commit_result_done(&result);
    has("host/report", "");
    (void)state;
}

static void no_temporary_file_is_left(void **state)
{
    put("w/0/upper/a", "a");
    put("w/0/upper/old", "b");
    commits("created a; changed old", 0, false);
    assert_int_equal(unlink(at("host/a")) | unlink(at("host/old")), 0);
    assert_int_equal(rmdir(at("host")), 0);
    make_folder("host");
    (void)state;
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, make, clear)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(files_and_folders_are_carried_over),
        CASE(an_empty_layer_changes_nothing),
        CASE(what_is_no_plain_file_stays_behind),
        CASE(a_sparse_giant_is_not_copied),
        CASE(a_link_on_the_host_is_never_followed),
        CASE(what_lies_in_a_files_place_stays),
        CASE(a_file_that_changed_meanwhile_is_left_alone),
        CASE(another_name_keeps_the_old_content_and_no_privilege_passes),
        CASE(a_new_file_gets_its_mode_without_privileges),
        CASE(a_removal_removes_but_nothing_protected),
        CASE(protected_names_are_left_out_at_any_depth),
        CASE(one_file_that_nobody_touched_is_not_made),
        CASE(no_temporary_file_is_left),
    };
    return cmocka_run_group_tests_name("commit", tests, NULL, NULL);
}
