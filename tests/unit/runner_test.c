/* What a run of each language is made of: its base, arguments and environment; and where our own files are. */
#include "../../core/runner/runner.h"

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

#include "../../core/case.h"
#include "../../core/engine.h"
#include "../../core/tree_internal.h"

static char home[] = "/tmp/techo-home-XXXXXX";

/* A home of ours with what a runner reads of it, so that the test needs no built program. */
static int make_home(void **unused)
{
    (void)unused;
    struct err err;
    char path[PATH_MAX];
    memcpy(strrchr(home, '-') + 1, "XXXXXX", 6);
    if (!mkdtemp(home)) {
        return -1;
    }
    snprintf(path, sizeof path, "%s/libexec", home);
    mkdir(path, 0755);
    snprintf(path, sizeof path, "%s/libexec/techo", home);
    setenv("TECHO_HOME", home, 1);
    setenv("TECHO_PYTHON", "/usr/bin/python3", 1);
    return tree_copy("core/runner", path, &err);
}

static int remove_home(void **unused)
{
    (void)unused;
    tree_remove(home);
    unsetenv("TECHO_HOME");
    unsetenv("TECHO_PYTHON");
    return 0;
}

static struct runner_cell prepare(const char *preamble)
{
    struct runner_cell cell;
    struct err err;
    const struct runner_program program = {
        .executor = executor_find("python@sandbox"),
        .root = "/tmp",
        .granted = "stdout,wall=20s",
        .preamble = preamble,
        .text = "print(1)",
        .len = 8,
        .notify = NOTIFY_OBSERVE,
    };
    if (runner_prepare(&program, &cell, &err) < 0) {
        fail_msg("%s", err.text);
    }
    return cell;
}

static bool in_base(const struct runner_cell *cell, const char *path)
{
    for (size_t i = 0; i < cell->request.base_count; i++) {
        if (strcmp(cell->request.base[i].path, path) == 0) {
            return true;
        }
    }
    return false;
}

static bool in_list(const char *const *list, const char *text)
{
    for (size_t i = 0; list[i]; i++) {
        if (strcmp(list[i], text) == 0) {
            return true;
        }
    }
    return false;
}

static void the_base_has_the_interpreter_and_what_it_needs(void **unused)
{
    (void)unused;
    struct runner_cell cell = prepare(NULL);
    char real[PATH_MAX];
    assert_non_null(realpath("/usr/bin/python3", real));
    assert_true(in_base(&cell, "/usr/bin/python3"));
    assert_true(in_base(&cell, real));
    assert_true(in_base(&cell, "/usr/share/zoneinfo"));
    assert_true(in_base(&cell, "/etc/ld.so.cache"));
    runner_cell_done(&cell);
}

static void the_base_has_no_folder_of_programs_or_users(void **unused)
{
    (void)unused;
    static const char *const never[] = {"/",         "/usr",       "/usr/bin",       "/bin",  "/sbin",
                                        "/usr/sbin", "/usr/local", "/usr/local/bin", "/home", "/root",
                                        "/etc",      "/tmp",       "/var",           "/lib",  "/usr/lib"};
    struct runner_cell cell = prepare(NULL);
    for (size_t i = 0; i < sizeof never / sizeof *never; i++) {
        assert_false(in_base(&cell, never[i]));
    }
    runner_cell_done(&cell);
}

static void each_symlink_on_the_way_is_listed(void **unused)
{
    (void)unused;
    char venv[128], bin[160], python[192], python3[192], config[192];
    snprintf(venv, sizeof venv, "%.64s/.venv", home);
    snprintf(bin, sizeof bin, "%s/bin", venv);
    snprintf(python, sizeof python, "%s/python", bin);
    snprintf(python3, sizeof python3, "%s/python3", bin);
    snprintf(config, sizeof config, "%s/pyvenv.cfg", venv);
    mkdir(venv, 0755);
    mkdir(bin, 0755);
    assert_int_equal(symlink("python3", python), 0);
    assert_int_equal(symlink("/usr/bin/python3", python3), 0);
    FILE *file = fopen(config, "w");
    fputs("home = /usr/bin\nversion = 3\n", file);
    fclose(file);
    unsetenv("TECHO_PYTHON");
    struct runner_cell cell = prepare(NULL);
    assert_string_equal(cell.request.argv[0], python);
    assert_true(in_base(&cell, python));
    assert_true(in_base(&cell, python3));
    assert_true(in_base(&cell, "/usr/bin/python3"));
    assert_true(in_base(&cell, config));
    assert_false(in_base(&cell, bin));
    runner_cell_done(&cell);
    setenv("TECHO_PYTHON", "/usr/bin/python3", 1);
}

static void the_program_is_injected_and_the_harness_runs_it(void **unused)
{
    (void)unused;
    struct runner_cell cell = prepare("X = 1\n");
    const struct sandbox_request *request = &cell.request;
    assert_true(request->said);
    assert_int_equal(request->notify, NOTIFY_OBSERVE);
    assert_string_equal(request->argv[1], "/techo/python_harness.py");
    assert_string_equal(request->argv[2], "/techo/program.py");
    assert_string_equal(request->argv[3], "/techo/preamble.py");
    assert_null(request->argv[4]);
    assert_int_equal(request->inject_count, 3);
    assert_string_equal(request->inject[1].path, "/techo/program.py");
    assert_int_equal(request->inject[1].len, 8);
    assert_memory_equal(request->inject[1].data, "print(1)", 8);
    runner_cell_done(&cell);
}

static void nothing_of_our_environment_gets_in_but_what_is_granted(void **unused)
{
    (void)unused;
    setenv("TECHO_TEST_PLAIN", "x", 1);
    setenv("OPENAI_API_KEY", "secret", 1);
    struct runner_cell cell = prepare(NULL);
    assert_true(in_list(cell.request.env, "LANG=C.UTF-8"));
    assert_true(in_list(cell.request.env, "TZ=UTC"));
    assert_true(in_list(cell.request.env, "OMP_NUM_THREADS=1"));
    assert_true(in_list(cell.request.env, "PYTHONHASHSEED=0"));
    for (size_t i = 0; cell.request.env[i]; i++) {
        assert_null(strstr(cell.request.env[i], "TECHO"));
        assert_null(strstr(cell.request.env[i], "OPENAI"));
        assert_null(strstr(cell.request.env[i], "secret"));
    }
    runner_cell_done(&cell);
}

static void a_missing_interpreter_is_named_with_what_to_do(void **unused)
{
    (void)unused;
    struct runner_cell cell;
    struct err err;
    const struct runner_program program = {
        .executor = executor_find("py"), .root = "/tmp", .granted = "none", .text = "", .len = 0};
    setenv("TECHO_PYTHON", "/nowhere/python3", 1);
    assert_int_equal(runner_prepare(&program, &cell, &err), -ENOENT);
    assert_non_null(strstr(err.text, "TECHO_PYTHON=/nowhere/python3"));
    assert_null(strchr(err.text, '\n'));
    setenv("TECHO_PYTHON", "/usr/bin/python3", 1);
}

static void a_missing_harness_is_said(void **unused)
{
    (void)unused;
    struct runner_cell cell;
    struct err err;
    char path[PATH_MAX];
    const struct runner_program program = {
        .executor = executor_find("py"), .root = "/tmp", .granted = "none", .text = "", .len = 0};
    snprintf(path, sizeof path, "%s/libexec/techo/python_harness.py", home);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(runner_prepare(&program, &cell, &err), -ENOENT);
    assert_non_null(strstr(err.text, "python_harness.py"));
}

static void a_command_sees_the_system_but_no_home(void **unused)
{
    (void)unused;
    struct runner_cell cell;
    struct err err;
    const char *const argv[] = {"ls", "-l", NULL};
    assert_int_equal(runner_prepare_command("/tmp", "stdout", argv, NOTIFY_ANSWER, &cell, &err), 0);
    assert_true(in_base(&cell, "/usr"));
    assert_false(in_base(&cell, "/etc"));
    assert_false(in_base(&cell, "/home"));
    assert_string_equal(cell.request.argv[1], "-l");
    assert_false(cell.request.said);
    runner_cell_done(&cell);
}

static void executors_are_found_by_name_short_name_and_language(void **unused)
{
    (void)unused;
    const struct executor *python = executor_at(0);
    assert_ptr_equal(executor_find("python@sandbox"), python);
    assert_ptr_equal(executor_find("py"), python);
    assert_ptr_equal(executor_for_language("python"), python);
    assert_null(executor_find("python@nowhere"));
    assert_null(executor_for_language("cobol"));
}

int main(void)
{
#define AT_HOME(test) cmocka_unit_test_setup_teardown(test, make_home, remove_home)
    const struct CMUnitTest tests[] = {
        AT_HOME(the_base_has_the_interpreter_and_what_it_needs),
        AT_HOME(the_base_has_no_folder_of_programs_or_users),
        AT_HOME(each_symlink_on_the_way_is_listed),
        AT_HOME(the_program_is_injected_and_the_harness_runs_it),
        AT_HOME(nothing_of_our_environment_gets_in_but_what_is_granted),
        AT_HOME(a_missing_interpreter_is_named_with_what_to_do),
        AT_HOME(a_missing_harness_is_said),
        AT_HOME(a_command_sees_the_system_but_no_home),
        cmocka_unit_test(executors_are_found_by_name_short_name_and_language),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
