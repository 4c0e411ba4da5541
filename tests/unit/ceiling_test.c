/* The ceiling when nobody named one, and the data files that it and the profile are made of. */
#include "../../core/ceiling.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../core/event.h"
#include "../../core/profile_internal.h"
#include "../../core/tree_internal.h"

static char folder[] = "/tmp/techo-ceiling-XXXXXX";

static int make_folder(void **unused)
{
    (void)unused;
    memcpy(strrchr(folder, '-') + 1, "XXXXXX", 6);
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **unused)
{
    (void)unused;
    tree_remove(folder);
    return 0;
}

static void put(const char *name, const char *text)
{
    char path[512];
    for (const char *slash = strchr(name, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(path, sizeof path, "%s/%.*s", folder, (int)(slash - name), name);
        mkdir(path, 0755);
    }
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void expect(const struct case_info *kase, const char *own, const char *policy, const char *source)
{
    struct buf text, from;
    buf_init(&text, 1 << 16);
    buf_init(&from, 1 << 16);
    assert_int_equal(ceiling_default(kase, own, &text, &from), 0);
    assert_string_equal(text.data, policy);
    assert_string_equal(from.data, source);
    buf_done(&text);
    buf_done(&from);
}

static void a_case_has_its_own(void **unused)
{
    (void)unused;
    const struct case_info kase = {.ceiling = (char *)"stdout,file.read=./data/*",
                                   .ceiling_source = (char *)"case.json:7"};
    expect(&kase, NULL, "stdout,file.read=./data/*", "case.json:7");
}

static void else_it_is_sandbox(void **unused)
{
    (void)unused;
    expect(NULL, NULL, "sandbox", "default");
}

static void an_own_folder_gives_the_data_types_found_there(void **unused)
{
    (void)unused;
    put("a.csv", "x");
    put("deep/er/b.JSONL", "x");
    put("notes.txt", "x");
    put("main.py", "x");
    expect(NULL, folder, "stdout,time,random,file.read=./*.csv,file.read=./*.jsonl", "data found in the folder");
}

static void dot_files_are_never_data(void **unused)
{
    (void)unused;
    put(".env", "x");
    put(".hidden.csv", "x");
    put(".git/x.csv", "x");
    expect(NULL, folder, "stdout,time,random", "data found in the folder");
}

static void many_files_are_named_by_their_folders(void **unused)
{
    (void)unused;
    char name[64];
    for (int i = 0; i < 300; i++) {
        snprintf(name, sizeof name, "sales/%d.csv", i);
        put(name, "x");
    }
    put("odd, name/x.json", "x");
    put("top.csv", "x");
    expect(NULL, folder, "stdout,time,random,file.read=\"./odd, name/*\",file.read=./sales/*,file.read=./top.csv",
           "data found in the folder");
}

static void links_are_not_followed(void **unused)
{
    (void)unused;
    char path[512];
    snprintf(path, sizeof path, "%s/etc", folder);
    assert_int_equal(symlink("/usr/share", path), 0);
    snprintf(path, sizeof path, "%s/link.csv", folder);
    assert_int_equal(symlink("/etc/passwd", path), 0);
    expect(NULL, folder, "stdout,time,random", "data found in the folder");
}

static void a_profile_has_path_size_and_hash_of_all_below_data(void **unused)
{
    (void)unused;
    struct data_files files;
    put("data/a.csv", "abc");
    put("data/more/b.txt", "");
    put("outside.csv", "x");
    assert_int_equal(profile_find(folder, &files), 0);
    struct event *event = profile_event(folder, &files);
    struct buf line;
    buf_init(&line, 1 << 16);
    assert_int_equal(event_format(event, &line), 0);
    assert_non_null(strstr(line.data, "{\"path\":\"data/a.csv\",\"size\":3,\"hash\":"
                                      "\"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\"}"));
    assert_non_null(strstr(line.data, "\"path\":\"data/more/b.txt\",\"size\":0,\"hash\":\"e3b0c442"));
    assert_null(strstr(line.data, "outside"));
    buf_done(&line);
    event_free(event);
    data_files_done(&files);
}

static void a_folder_without_data_has_no_profile(void **unused)
{
    (void)unused;
    struct data_files files;
    put("notes.txt", "x");
    assert_int_equal(profile_find(folder, &files), 0);
    assert_int_equal(files.count, 0);
    assert_null(profile_event(folder, &files));
    data_files_done(&files);
}

int main(void)
{
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_case_has_its_own),
        cmocka_unit_test(else_it_is_sandbox),
        IN_FOLDER(an_own_folder_gives_the_data_types_found_there),
        IN_FOLDER(dot_files_are_never_data),
        IN_FOLDER(many_files_are_named_by_their_folders),
        IN_FOLDER(links_are_not_followed),
        IN_FOLDER(a_profile_has_path_size_and_hash_of_all_below_data),
        IN_FOLDER(a_folder_without_data_has_no_profile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
