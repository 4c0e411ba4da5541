/* Loading cases and escapes: what is read, and the one line said about each kind of broken file. */
#include "../../core/case.h"

#include <errno.h>
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

static const char CASE[] = "{\n  \"title\": \"Shop\",\n  \"ceiling\": \"stdout,file.read=./data/*\"\n}\n";
static const char QUESTIONS[] = "[{\"id\": \"q01\", \"text\": \"How many?\", \"answer\": 7}]";

static char home[PATH_MAX];

static void write_file(const char *relative, const char *text)
{
    char path[PATH_MAX * 2];
    snprintf(path, sizeof path, "%s/%s", home, relative);
    for (char *slash = strchr(path + strlen(home) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static int make_home(void **state)
{
    (void)state;
    snprintf(home, sizeof home, "/tmp/techo-case-XXXXXX");
    return mkdtemp(home) && setenv("TECHO_HOME", home, 1) == 0 ? 0 : -1;
}

static int remove_home(void **state)
{
    (void)state;
    char command[PATH_MAX + 16];
    snprintf(command, sizeof command, "rm -rf '%s'", home);
    unsetenv("TECHO_HOME");
    return system(command);
}

static struct case_info *load(const char *name_or_dir)
{
    struct case_info *kase = NULL;
    struct err err = {0};
    if (case_load(name_or_dir, &kase, &err) < 0) {
        fail_msg("%s", err.text);
    }
    return kase;
}

static void a_shipped_case_by_name_or_folder(void **state)
{
    (void)state;
    write_file("cases/shop/case.json", CASE);
    write_file(
        "cases/shop/questions.json",
        "[{\"id\": \"q01\", \"text\": \"How many?\", \"answer\": 7},"
        " {\"id\": \"q02\", \"text\": \"¿Cuál?\", \"language\": \"es\", \"answer\": {\"a\": [1]}, \"also\": {\"n\": 2},"
        "  \"tolerance\": 0.001, \"ordered\": true},"
        " {\"id\": \"q03\", \"text\": \"Who knows?\"}]");
    char folder[PATH_MAX * 2];
    snprintf(folder, sizeof folder, "%s/cases/shop", home);
    const char *const names[] = {"shop", folder};
    for (size_t i = 0; i < 2; i++) {
        struct case_info *kase = load(names[i]);
        assert_string_equal(kase->dir, folder);
        assert_string_equal(kase->id, "shop");
        assert_string_equal(kase->title, "Shop");
        assert_string_equal(kase->ceiling, "stdout,file.read=./data/*");
        assert_string_equal(kase->ceiling_source, "case.json:3");
        assert_null(kase->preamble);
        assert_int_equal(kase->question_count, 3);
        const struct case_question *question = case_find(kase, "q02");
        assert_string_equal(question->text, "¿Cuál?");
        assert_string_equal(question->language, "es");
        assert_true(question->ordered && question->tolerance > 0.0009 && question->also && question->answer);
        assert_string_equal(case_find(kase, "q01")->language, "en");
        assert_false(case_find(kase, "q01")->ordered);
        assert_null(case_find(kase, "q03")->answer);
        assert_null(case_find(kase, "q04"));
        case_free(kase);
    }
}

static void broken_files_are_named_with_the_place(void **state)
{
    (void)state;
    static const struct {
        const char *kase, *questions, *says;
    } broken[] = {
        {"{\n  \"title\": \"x\",\n  oops\n}", QUESTIONS, "/case.json:3: not JSON"},
        {"", QUESTIONS, "/case.json:1: not JSON"},
        {"{} {}", QUESTIONS, "not JSON"},
        {"[]", QUESTIONS, "case.json: not an object"},
        {"{\"title\": \"x\"}", QUESTIONS, "case.json: \"ceiling\" is missing"},
        {"{\"ceiling\": 7}", QUESTIONS, "case.json: \"ceiling\" is not a text"},
        {CASE, "{}", "questions.json: not a list of questions"},
        {CASE, "[]", "questions.json: not a list of questions"},
        {CASE, "[7]", "questions.json: question 1 is not an object"},
        {CASE, "[{\"text\": \"x\"}]", "questions.json: question 1: \"id\" is missing"},
        {CASE, "[{\"id\": \"a\"}]", "questions.json: question 1: \"text\" is missing"},
        {CASE, "[{\"id\": \"a\", \"text\": \"x\"}, {\"id\": \"a\", \"text\": \"y\"}]",
         "two questions are called \"a\""},
        {CASE, "[{\"id\": \"a\", \"text\": \"x\", \"tolerance\": -1}]", "\"tolerance\" is not a number from 0"},
        {CASE, "[{\"id\": \"a\", \"text\": \"x\", \"ordered\": 1}]", "\"ordered\" is neither true nor false"},
        {CASE, "[{\"id\": \"a\", \"text\": \"x\", \"also\": []}]", "\"also\" is not an object"},
    };
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        write_file("cases/broken/case.json", broken[i].kase);
        write_file("cases/broken/questions.json", broken[i].questions);
        struct case_info *kase = NULL;
        struct err err = {0};
        assert_int_equal(case_load("broken", &kase, &err), -EINVAL);
        assert_null(kase);
        if (!strstr(err.text, broken[i].says)) {
            fail_msg("it says \"%s\", not \"%s\"", err.text, broken[i].says);
        }
    }
}

static void a_case_that_is_not_there(void **state)
{
    (void)state;
    static const char *const names[] = {"nowhere", "./nowhere", "", "/", "../shop"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct case_info *kase = NULL;
        struct err err = {0};
        assert_int_equal(case_load(names[i], &kase, &err), -ENOENT);
        assert_non_null(strstr(err.text, "no case of this name"));
    }
}

static void a_pipe_in_place_of_a_file_does_not_hang(void **state)
{
    (void)state;
    write_file("cases/pipe/questions.json", QUESTIONS);
    char path[PATH_MAX * 2];
    snprintf(path, sizeof path, "%s/cases/pipe/case.json", home);
    assert_int_equal(mkfifo(path, 0600), 0);
    struct case_info *kase = NULL;
    struct err err = {0};
    assert_int_equal(case_load("pipe", &kase, &err), -EINVAL);
    assert_non_null(strstr(err.text, "not a regular file"));
}

static void escapes_are_sorted_and_whole(void **state)
{
    (void)state;
    write_file("cases/escapes/README.md", "about\n");
    write_file(
        "cases/escapes/b/escape.json",
        "{\"title\": \"B\", \"story\": \"b.\", \"programs\": {\"python\": \"attack.py\"}, \"ceiling\": \"wall=1s\","
        " \"expected\": {\"python@sandbox\": \"contained\"}, \"effects\": [\"data\"]}");
    write_file("cases/escapes/a/escape.json",
               "{\"title\": \"A\", \"story\": \"a.\", \"programs\": {}, \"controls\": {\"python\": \"control.py\"},"
               " \"expected\": {}, \"effects\": []}");
    struct escape_info *escapes = NULL;
    size_t count = 0;
    struct err err = {0};
    assert_int_equal(escapes_load(&escapes, &count, &err), 0);
    assert_int_equal(count, 2);
    assert_string_equal(escapes[0].id, "a");
    assert_null(escapes[0].ceiling);
    assert_non_null(escapes[0].controls);
    assert_string_equal(escapes[1].title, "B");
    assert_string_equal(escapes[1].ceiling, "wall=1s");
    assert_string_equal(cJSON_GetObjectItem(escapes[1].programs, "python")->valuestring, "attack.py");
    escapes_free(escapes, count);
}

static void a_broken_escape_is_named(void **state)
{
    (void)state;
    write_file("cases/escapes/a/escape.json", "{\"title\": \"A\", \"story\": \"a.\"}");
    struct escape_info *escapes = NULL;
    size_t count = 0;
    struct err err = {0};
    assert_int_equal(escapes_load(&escapes, &count, &err), -EINVAL);
    assert_non_null(strstr(err.text, "a/escape.json: \"programs\""));
    assert_null(escapes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_shipped_case_by_name_or_folder, make_home, remove_home),
        cmocka_unit_test_setup_teardown(broken_files_are_named_with_the_place, make_home, remove_home),
        cmocka_unit_test_setup_teardown(a_case_that_is_not_there, make_home, remove_home),
        cmocka_unit_test_setup_teardown(a_pipe_in_place_of_a_file_does_not_hang, make_home, remove_home),
        cmocka_unit_test_setup_teardown(escapes_are_sorted_and_whole, make_home, remove_home),
        cmocka_unit_test_setup_teardown(a_broken_escape_is_named, make_home, remove_home),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
