/* The judge: which answers count as the right one, and what is said about those that do not. */
#include "../../core/case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct trial {
    const char *right, *answer; /* JSON; the answer as printed */
    bool is_right;
    const char *why; /* part of what is said when it is not right */
    double tolerance;
    bool ordered;
    const char *also;
};

static void judge(const struct trial *trial)
{
    struct case_question question = {.tolerance = trial->tolerance, .ordered = trial->ordered};
    question.answer = cJSON_Parse(trial->right);
    question.also = trial->also ? cJSON_Parse(trial->also) : NULL;
    assert_non_null(question.answer);
    cJSON *answer = judge_parse(trial->answer, strlen(trial->answer));
    struct buf why;
    buf_init(&why, 10000);
    bool is_right = judge_answer(&question, answer, &why);
    if (is_right != trial->is_right) {
        fail_msg("%s against %s: %s", trial->answer, trial->right, is_right ? "right" : why.data);
    }
    if (trial->why && !strstr(why.data, trial->why)) {
        fail_msg("%s against %s: it says \"%s\", not \"%s\"", trial->answer, trial->right, why.data, trial->why);
    }
    assert_int_equal(is_right, why.len == 0);
    buf_done(&why);
    cJSON_Delete(answer);
    cJSON_Delete(question.answer);
    cJSON_Delete(question.also);
}

static void judge_all(const struct trial *trials, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        judge(&trials[i]);
    }
}
#define JUDGE(trials) judge_all(trials, sizeof(trials) / sizeof *(trials))

static void numbers_within_the_tolerance(void **state)
{
    (void)state;
    static const struct trial trials[] = {
        {.right = "18234.5", .answer = "18234.5\n", .is_right = true},
        {.right = "18234.5", .answer = "18234.50000001", .is_right = true, .tolerance = 1e-6},
        {.right = "18234.5", .answer = "18234.6", .why = "expected 18234.5, got 18234.6", .tolerance = 1e-6},
        {.right = "18234.5", .answer = "18234.6", .is_right = true, .tolerance = 1e-5},
        {.right = "-2", .answer = "2", .tolerance = 0.01},
        {.right = "0", .answer = "0.0", .is_right = true},
        {.right = "0", .answer = "0.001", .tolerance = 0.01},
        {.right = "7", .answer = "7.0", .is_right = true},
        {.right = "7", .answer = "\"7\"", .is_right = true},
        {.right = "7", .answer = "1e999", .tolerance = 0.01},
        {.right = "7", .answer = "NaN", .tolerance = 0.01},
        {.right = "7", .answer = "null"},
        {.right = "7", .answer = "seven", .why = "expected 7, got \"seven\""},
    };
    JUDGE(trials);
}

static void texts_after_trimming(void **state)
{
    (void)state;
    static const struct trial trials[] = {
        {.right = "\"Norte\"", .answer = "Norte\n", .is_right = true},
        {.right = "\"Norte\"", .answer = "\"  Norte \"", .is_right = true},
        {.right = "\"Norte\"", .answer = "norte", .why = "expected \"Norte\", got \"norte\""},
        {.right = "\"7\"", .answer = "7", .why = "expected \"7\", got 7"},
        {.right = "true", .answer = "true", .is_right = true},
        {.right = "true", .answer = "false"},
        {.right = "null", .answer = "null", .is_right = true},
        {.right = "null", .answer = "0"},
    };
    JUDGE(trials);
}

static void lists_in_order_or_as_bags(void **state)
{
    (void)state;
    static const struct trial trials[] = {
        {.right = "[1, 2, 3]", .answer = "[3, 1, 2]", .is_right = true},
        {.right = "[1, 2, 3]", .answer = "[3, 1, 2]", .ordered = true, .why = "at [1]: expected 1, got 3"},
        {.right = "[1, 2, 3]", .answer = "[1, 2, 3]", .ordered = true, .is_right = true},
        {.right = "[1, 1, 2]", .answer = "[1, 2, 2]", .why = "1 is missing"},
        {.right = "[1, 2, 3]", .answer = "[1, 2]", .why = "expected 3 items, got 2"},
        {.right = "[1, 2, 3]", .answer = "[1, 2, 3, 4]", .ordered = true, .why = "expected 3 items, got 4"},
        {.right = "[]", .answer = "[]", .is_right = true},
        {.right = "[\"a\", \"b\"]", .answer = "a, b"},
    };
    JUDGE(trials);
}

static void objects_by_their_keys(void **state)
{
    (void)state;
    static const struct trial trials[] = {
        {.right = "{\"a\": 1, \"b\": 2}", .answer = "{\"b\": 2, \"a\": 1}", .is_right = true},
        {.right = "{\"a\": 1, \"b\": 2}", .answer = "{\"A\": 1, \"B\": 2}", .is_right = true},
        {.right = "{\"a\": 1, \"b\": 2}", .answer = "{\"a\": 1, \"b\": 2, \"note\": \"x\"}", .is_right = true},
        {.right = "{\"a\": 1, \"b\": 2}", .answer = "{\"a\": 1}", .why = "\"b\" is missing"},
        {.right = "{\"a\": 1, \"b\": 2}", .answer = "{\"a\": 1, \"b\": 3}", .why = "at b: expected 2, got 3"},
        {.right = "{\"a\": {\"b\": [1]}}", .answer = "{\"a\": {\"b\": [2]}}", .ordered = true, .why = "at a.b[1]: "},
        {.right = "{\"a\": 1, \"b\": 2}", .answer = "1"},
    };
    JUDGE(trials);
}

static void tables_in_every_usual_form(void **state)
{
    (void)state;
    static const char *const right = "[{\"sku\": \"A\", \"n\": 2}, {\"sku\": \"B\", \"n\": 1}]";
    const struct trial trials[] = {
        {.right = right,
         .answer = "[{\"n\": 2, \"sku\": \"A\"}, {\"sku\": \"B\", \"n\": 1}]",
         .is_right = true,
         .ordered = true},
        {.right = right, .answer = "[[\"A\", 2], [\"B\", 1]]", .is_right = true, .ordered = true},
        {.right = right,
         .answer = "{\"columns\": [\"sku\", \"n\"], \"rows\": [[\"A\", 2], [\"B\", 1]]}",
         .is_right = true},
        {.right = right, .answer = "[[\"B\", 1], [\"A\", 2]]", .is_right = true},
        {.right = right, .answer = "[[\"B\", 1], [\"A\", 2]]", .ordered = true, .why = "at [1].sku: expected \"A\""},
        {.right = right, .answer = "[[\"A\", 2], [\"B\", 2]]", .why = "{\"sku\":\"B\",\"n\":1} is missing"},
        {.right = right, .answer = "[[\"A\", 2, 0], [\"B\", 1, 0]]"},
    };
    JUDGE(trials);
}

static void a_value_alone_stands_for_what_holds_only_it(void **state)
{
    (void)state;
    static const struct trial trials[] = {
        {.right = "\"Norte\"", .answer = "{\"region\": \"Norte\"}", .is_right = true},
        {.right = "12.5", .answer = "[{\"share\": 12.5}]", .is_right = true},
        {.right = "{\"region\": \"Norte\"}", .answer = "Norte", .is_right = true},
        {.right = "{\"region\": \"Norte\"}", .answer = "[{\"region\": \"Norte\", \"net\": 3}]", .is_right = true},
        {.right = "\"Norte\"", .answer = "{\"region\": \"Norte\", \"net\": 3}"},
        {.right = "\"Norte\"", .answer = "[\"Norte\", \"Sur\"]"},
    };
    JUDGE(trials);
}

static void what_is_said_besides_must_be_right_too(void **state)
{
    (void)state;
    static const char *const right = "{\"region\": \"Norte\"}", *const also = "{\"net\": 18234.5}";
    const struct trial trials[] = {
        {.right = right, .also = also, .answer = "Norte", .is_right = true},
        {.right = right, .also = also, .answer = "{\"region\": \"Norte\", \"net\": 18234.5}", .is_right = true},
        {.right = right,
         .also = also,
         .answer = "{\"region\": \"Norte\", \"net\": 1}",
         .why = "at net: expected 18234.5"},
        {.right = right, .also = also, .answer = "[{\"region\": \"Norte\", \"net\": 1}]", .why = "at net: "},
    };
    JUDGE(trials);
}

static void an_unknown_or_missing_answer_is_not_right(void **state)
{
    (void)state;
    struct case_question question = {0};
    cJSON *value = cJSON_CreateNumber(1);
    struct buf why;
    buf_init(&why, 1000);
    assert_false(judge_answer(&question, value, &why));
    assert_string_equal(why.data, "no right answer is known");
    buf_clear(&why);
    question.answer = value;
    assert_false(judge_answer(&question, NULL, &why));
    assert_string_equal(why.data, "nothing was printed");
    buf_done(&why);
    cJSON_Delete(value);
}

static void long_values_are_quoted_short_and_whole_characters(void **state)
{
    (void)state;
    char answer[2000] = "\"";
    for (size_t i = 1; i + 4 < sizeof answer; i += 2) {
        memcpy(answer + i, "ñ", 3);
    }
    strncat(answer, "\"", 2);
    struct case_question question = {.answer = cJSON_CreateString("n")};
    cJSON *value = judge_parse(answer, strlen(answer));
    struct buf why;
    buf_init(&why, 10000);
    assert_false(judge_answer(&question, value, &why));
    assert_true(why.len < 200);
    cJSON *again = judge_parse(why.data, why.len);
    assert_null(strstr(again->valuestring, "\xEF\xBF\xBD"));
    cJSON_Delete(again);
    buf_done(&why);
    cJSON_Delete(value);
    cJSON_Delete(question.answer);
}

static void parsed(const char *bytes, size_t len, const char *want)
{
    cJSON *value = judge_parse(bytes, len);
    char *text = value ? cJSON_PrintUnformatted(value) : NULL;
    assert_string_equal(text ? text : "(nothing)", want);
    cJSON_free(text);
    cJSON_Delete(value);
}

static void output_is_json_or_text(void **state)
{
    (void)state;
    parsed("", 0, "(nothing)");
    parsed(" \n\t\r\n", 5, "(nothing)");
    parsed(" {\"a\": 1}\n", 10, "{\"a\":1}");
    parsed("42", 2, "42");
    parsed("423", 2, "42"); /* nothing past the end is looked at */
    parsed("2024-03-01", 10, "\"2024-03-01\"");
    parsed("{\"a\": 1} and more", 17, "\"{\\\"a\\\": 1} and more\"");
    parsed("two\nlines\n", 10, "\"two\\nlines\"");
    parsed("a\0b", 3,
           "\"a\xEF\xBF\xBD"
           "b\"");
    parsed("caf\xE9", 4, "\"caf\xEF\xBF\xBD\"");
    parsed("\"caf\xE9\"", 6, "\"\\\"caf\xEF\xBF\xBD\\\"\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_within_the_tolerance),
        cmocka_unit_test(texts_after_trimming),
        cmocka_unit_test(lists_in_order_or_as_bags),
        cmocka_unit_test(objects_by_their_keys),
        cmocka_unit_test(tables_in_every_usual_form),
        cmocka_unit_test(a_value_alone_stands_for_what_holds_only_it),
        cmocka_unit_test(what_is_said_besides_must_be_right_too),
        cmocka_unit_test(an_unknown_or_missing_answer_is_not_right),
        cmocka_unit_test(long_values_are_quoted_short_and_whole_characters),
        cmocka_unit_test(output_is_json_or_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
