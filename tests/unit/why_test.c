/* Why something is granted or not: reasons are computed, whatever the order of a ceiling's items. */
#include "../../core/why.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char root[] = "/srv/case", home[] = "/home/ana";

static struct why_answer ask(const char *ceiling, const char *permission)
{
    struct why_answers answers = {0};
    struct err err = {0};
    struct why_answer answer;

    if (why_judge(ceiling, permission, root, home, &answers, &err) < 0)
        fail_msg("%s under %s: %s", permission, ceiling, err.text);
    assert_int_equal(answers.count, 1);
    answer = answers.list[0];
    free(answers.list);
    return answer;
}

static void done(struct why_answer answer)
{
    free(answer.permission);
    free(answer.rule);
    free(answer.why);
    free(answer.fix);
}

static bool granted(const char *ceiling, const char *permission)
{
    struct why_answer answer = ask(ceiling, permission);
    bool yes = answer.granted;

    done(answer);
    return yes;
}

/* ---- a ceiling's items, in every order and every subset ---------------------------------------------------------- */

enum { ITEMS = 5, TEXT_BYTES = 512 };
static const char *const items[ITEMS] = {"stdout", "file.read=./data/*", "file.read=./notes.txt",
                                         "file.read=./more/a.csv", "time"};

/* Calls `each` with every arrangement of every subset: `chosen` says which items are used up. */
static void permute(char *text, unsigned chosen, void (*each)(const char *ceiling, unsigned chosen))
{
    size_t len = strlen(text);

    if (len)
        each(text, chosen);
    for (unsigned i = 0; i < ITEMS; i++) {
        if (chosen & (1u << i))
            continue;
        snprintf(text + len, TEXT_BYTES - len, "%s%s", len ? "," : "", items[i]);
        permute(text, chosen | (1u << i), each);
        text[len] = '\0';
    }
}

static void has_the_covering_rule(const char *ceiling, unsigned chosen)
{
    struct why_answer answer = ask(ceiling, "file.read=./data/sales.csv");

    if (chosen & 2u) {
        assert_true(answer.granted);
        assert_string_equal(answer.rule, "file.read=./data/*");
        assert_null(answer.fix);
    } else {
        assert_false(answer.granted);
        assert_string_equal(answer.fix, "file.read=./data/sales.csv");
    }
    assert_non_null(answer.why);
    done(answer);
}

static void a_covered_read_names_its_rule_in_any_order(void **state)
{
    char text[TEXT_BYTES] = "";

    (void)state;
    permute(text, 0, has_the_covering_rule);
}

static void has_the_nearest_item(const char *ceiling, unsigned chosen)
{
    struct why_answer answer = ask(ceiling, "file.read=./more/b.csv");

    assert_false(answer.granted);
    if (chosen & 8u)
        assert_string_equal(answer.rule, "file.read=./more/a.csv");
    else if (chosen & 6u)
        assert_non_null(strstr(answer.rule, "file.read="));
    assert_string_equal(answer.fix, "file.read=./more/b.csv");
    done(answer);
}

static void a_refused_read_names_the_nearest_item_in_any_order(void **state)
{
    char text[TEXT_BYTES] = "";

    (void)state;
    permute(text, 0, has_the_nearest_item);
}

static const char *const wishes[] = {
    "file.read=./.env",
    "file.read=./more/b.csv",
    "file.read=./data/x/y.csv",
    "file.read=/etc/passwd",
    "file.read=~/.ssh/id_rsa",
    "file.read=\"./a,b.csv\"",
    "stdout",
    "random",
};
enum { WISHES = sizeof(wishes) / sizeof(wishes[0]) };

static void a_fix_mends_that_wish_alone(const char *ceiling, unsigned chosen)
{
    char wider[2 * TEXT_BYTES];

    (void)chosen;
    for (size_t i = 0; i < WISHES; i++) {
        struct why_answer answer = ask(ceiling, wishes[i]);
        if (!answer.granted) {
            assert_non_null(answer.fix);
            snprintf(wider, sizeof(wider), "%s,%s", ceiling, answer.fix);
            assert_true(granted(wider, wishes[i]));
            for (size_t j = 0; j < WISHES; j++)
                if (j != i)
                    assert_int_equal(granted(wider, wishes[j]), granted(ceiling, wishes[j]));
        }
        done(answer);
    }
}

static void the_pasted_fix_makes_that_denial_vanish_and_no_other(void **state)
{
    char text[TEXT_BYTES] = "";

    (void)state;
    permute(text, 0, a_fix_mends_that_wish_alone);
}

/* ---- limits, and texts that are no permission -------------------------------------------------------------------- */

static void a_limit_is_within_or_above_the_ceilings(void **state)
{
    struct why_answer answer;

    (void)state;
    assert_true(granted("stdout,memory=2G", "memory=2G"));
    assert_true(granted("stdout", "wall=20s"));
    answer = ask("stdout,memory=512M", "memory=1G");
    assert_false(answer.granted);
    assert_string_equal(answer.rule, "memory=512M");
    assert_string_equal(answer.fix, "memory=1G");
    done(answer);
    assert_false(granted("stdout", "wall=21s"));
}

static void several_items_are_judged_one_by_one(void **state)
{
    struct why_answers answers;

    (void)state;
    assert_int_equal(why_judge("stdout", "stdout,net=a.example:443,wall=1s", root, home, &answers, NULL), 0);
    assert_int_equal(answers.count, 3);
    assert_true(answers.list[0].granted);
    assert_false(answers.list[1].granted);
    assert_true(answers.list[2].granted);
    why_answers_done(&answers);
}

static void what_does_not_parse_is_an_error_with_a_caret(void **state)
{
    struct why_answers answers;
    struct err err = {0};

    (void)state;
    assert_true(why_judge("stdout", "file.raed=./x", root, home, &answers, &err) < 0);
    assert_non_null(strstr(err.text, "file.read"));
    assert_non_null(strchr(err.text, '^'));
    assert_true(why_judge("stdout,,", "stdout", root, home, &answers, &err) < 0);
    assert_true(why_judge("stdout", "none", root, home, &answers, &err) < 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_covered_read_names_its_rule_in_any_order),
        cmocka_unit_test(a_refused_read_names_the_nearest_item_in_any_order),
        cmocka_unit_test(the_pasted_fix_makes_that_denial_vanish_and_no_other),
        cmocka_unit_test(a_limit_is_within_or_above_the_ceilings),
        cmocka_unit_test(several_items_are_judged_one_by_one),
        cmocka_unit_test(what_does_not_parse_is_an_error_with_a_caret),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
