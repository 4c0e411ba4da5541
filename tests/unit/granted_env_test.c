/* The environment of a run: made anew, with what env=NAME grants of this process's own. */
#include "../../core/runner/runner.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The value of the variable that a command would get, under this grant; NULL: it has none. */
static char *value_under(const char *granted, const char *name)
{
    static const char *const argv[] = {"true", NULL};
    struct runner_cell cell;
    struct err err;
    char *value = NULL;
    size_t len = strlen(name), times = 0;
    if (runner_prepare_command("/tmp", granted, argv, NOTIFY_ANSWER, &cell, &err) < 0) {
        fail_msg("%s", err.text);
    }
    for (const char *const *at = cell.request.env; *at; at++) {
        if (strncmp(*at, name, len) == 0 && (*at)[len] == '=') {
            free(value);
            value = strdup(*at + len + 1);
            times++;
        }
    }
    assert_true(times <= 1);
    runner_cell_done(&cell);
    return value;
}

static void nothing_is_inherited_but_what_is_granted(void **state)
{
    (void)state;
    setenv("TECHO_TEST_ONE", "first", 1);
    setenv("TECHO_TEST_TWO", "a=b, c", 1);
    unsetenv("TECHO_TEST_NONE");
    assert_null(value_under("stdout", "TECHO_TEST_ONE"));
    assert_null(value_under("stdout,env=TECHO_TEST_TWO", "TECHO_TEST_ONE"));
    assert_null(value_under("stdout,env=TECHO_TEST_NONE", "TECHO_TEST_NONE"));
    char *value = value_under("stdout,env=TECHO_TEST_ONE,env=TECHO_TEST_TWO", "TECHO_TEST_TWO");
    assert_string_equal(value, "a=b, c");
    free(value);
}

static void a_granted_variable_takes_the_place_of_the_cells_own(void **state)
{
    (void)state;
    setenv("LANG", "es_ES.UTF-8", 1);
    char *own = value_under("stdout", "LANG"), *granted = value_under("stdout,env=LANG", "LANG");
    assert_non_null(own);
    assert_string_not_equal(own, "es_ES.UTF-8");
    assert_string_equal(granted, "es_ES.UTF-8");
    free(own);
    free(granted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_inherited_but_what_is_granted),
        cmocka_unit_test(a_granted_variable_takes_the_place_of_the_cells_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
