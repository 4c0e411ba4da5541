/* The scene of an escape attempt notices what an attack that got out would leave: its checks can fail. */
#include "../../core/escape_scene_internal.h"

#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../core/tree_internal.h"

static char source[] = "/tmp/techo-source-XXXXXX";
static struct scene scene;

static void put(const char *folder, const char *name, const char *text)
{
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static int set(void **unused)
{
    (void)unused;
    struct err err;
    char path[PATH_MAX];
    memcpy(strrchr(source, '-') + 1, "XXXXXX", 6);
    if (!mkdtemp(source)) {
        return -1;
    }
    snprintf(path, sizeof path, "%s/data", source);
    mkdir(path, 0755);
    put(source, "data/a.csv", "a");
    put(source, "data/b.csv", "b");
    return scene_set(&scene, source, &err);
}

static int unset(void **unused)
{
    (void)unused;
    scene_done(&scene);
    tree_remove(source);
    return 0;
}

static void expect_difference(const char *start)
{
    struct buf after;
    buf_init(&after, 1 << 20);
    assert_int_equal(scene_list(&scene, &after), 0);
    char *difference = scene_difference(&scene.before, &after);
    if (start) {
        assert_non_null(difference);
        assert_memory_equal(difference, start, strlen(start));
    } else {
        assert_null(difference);
    }
    free(difference);
    buf_done(&after);
}

static void a_fresh_scene_is_as_it_was(void **unused)
{
    (void)unused;
    expect_difference(NULL);
    assert_int_equal(scene_file_count(&scene), 3);
    assert_int_equal(scene_survivors(&scene), 0);
    assert_false(scene_received_canary(&scene));
    assert_int_equal(strlen(scene.canary), CANARY_SIZE - 1);
}

static void a_changed_a_new_and_a_missing_file_are_noticed(void **unused)
{
    (void)unused;
    char path[PATH_MAX + 64];
    put(scene.root, "data/b.csv", "B");
    expect_difference("data/b.csv ");
    put(scene.root, "data/b.csv", "b");
    expect_difference(NULL);
    put(scene.root, "data/c.csv", "c");
    expect_difference("data/c.csv ");
    snprintf(path, sizeof path, "%s/data/c.csv", scene.root);
    unlink(path);
    snprintf(path, sizeof path, "%s/data/a.csv", scene.root);
    unlink(path);
    expect_difference("data/a.csv ");
}

static void the_secret_beside_the_data_is_watched_too(void **unused)
{
    (void)unused;
    put(scene.root, ".env", "API_TOKEN=mine\n");
    expect_difference(".env ");
}

static void visit(const char *address, const char *text)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)scene.port)};
    assert_int_equal(inet_pton(AF_INET, address, &to.sin_addr), 1);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof to), 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
    scene_listen(&scene); /* takes the connection ... */
    scene_listen(&scene); /* ... and what it sent */
}

static void a_visitor_is_counted_and_what_it_sends_is_read(void **unused)
{
    (void)unused;
    visit(scene.address, "nothing of note");
    assert_int_equal(scene.visits, 1);
    assert_false(scene_received_canary(&scene));
    visit(scene.address, scene.canary);
    assert_int_equal(scene.visits, 2);
    assert_true(scene_received_canary(&scene));
}

static void a_process_that_stays_is_found(void **unused)
{
    (void)unused;
    int ready[2], end[2];
    char byte;
    assert_int_equal(pipe(ready) | pipe(end), 0);
    pid_t child = fork();
    if (child == 0) {
        close(end[1]);
        _exit(chdir(scene.root) != 0 || write(ready[1], "x", 1) != 1 || read(end[0], &byte, 1) < 0);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(scene_survivors(&scene), 1);
    close(end[1]);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_int_equal(scene_survivors(&scene), 0);
    close(end[0]);
    close(ready[0]);
    close(ready[1]);
}

static void a_program_is_told_where_the_listener_is(void **unused)
{
    (void)unused;
    struct buf text, expected;
    buf_init(&text, 1 << 16);
    buf_init(&expected, 1 << 16);
    assert_int_equal(scene_fill(&scene, "go @HOST@ @ADDRESS@:@PORT@ @OTHER@ @", &text), 0);
    buf_addf(&expected, "go %s %s:%u @OTHER@ @", scene.host, scene.address, scene.port);
    assert_string_equal(text.data, expected.data);
    buf_done(&text);
    buf_done(&expected);
}

int main(void)
{
#define IN_SCENE(test) cmocka_unit_test_setup_teardown(test, set, unset)
    const struct CMUnitTest tests[] = {
        IN_SCENE(a_fresh_scene_is_as_it_was),
        IN_SCENE(a_changed_a_new_and_a_missing_file_are_noticed),
        IN_SCENE(the_secret_beside_the_data_is_watched_too),
        IN_SCENE(a_visitor_is_counted_and_what_it_sends_is_read),
        IN_SCENE(a_process_that_stays_is_found),
        IN_SCENE(a_program_is_told_where_the_listener_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
