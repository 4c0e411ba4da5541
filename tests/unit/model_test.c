/* Recorded answers, and the prompt that they stand in for an answer to. */
#include "../../core/model/model_internal.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../core/prompt_internal.h"

static char path[] = "/tmp/techo-answers-XXXXXX";

#define HEADER                                                                                                         \
    "{\"seq\":1,\"t\":0,\"kind\":\"session\",\"format\":\"techo-session\",\"version\":1,\"id\":\"x\","                 \
    "\"start\":\"2025-01-01T00:00:00Z\"}\n"

static const char recording[] =
    HEADER "{\"seq\":2,\"t\":5000000,\"kind\":\"question\",\"id\":\"q1\",\"text\":\"one\"}\n"
           "{\"seq\":3,\"t\":6000000,\"kind\":\"delta\",\"question\":2,\"attempt\":1,\"channel\":\"prose\",\"text\":"
           "\"Here\"}\n"
           "{\"seq\":4,\"t\":6000000,\"kind\":\"question\",\"id\":\"q2\",\"text\":\"two\"}\n"
           "{\"seq\":5,\"t\":9000000,\"kind\":\"delta\",\"question\":2,\"attempt\":1,\"channel\":\"program\",\"text\":"
           "\"print(1)\"}\n"
           "{\"seq\":6,\"t\":9000000,\"kind\":\"response\",\"question\":2,\"attempt\":1,\"finish\":\"complete\",\"ttft_"
           "us\":2000000}\n"
           "{\"seq\":7,\"t\":9100000,\"kind\":\"delta\",\"question\":2,\"attempt\":2,\"channel\":\"program\",\"text\":"
           "\"print(2)\"}\n"
           "{\"seq\":8,\"t\":9200000,\"kind\":\"response\",\"question\":2,\"attempt\":2,\"finish\":\"truncated\"}\n"
           "{\"seq\":9,\"t\":9300000,\"kind\":\"delta\",\"question\":4,\"attempt\":1,\"channel\":\"prose\",\"text\":"
           "\"cut off\"}\n";

static int write_recording(void **unused)
{
    (void)unused;
    memcpy(strrchr(path, '-') + 1, "XXXXXX", 6);
    int fd = mkstemp(path);
    bool ok = fd >= 0 && write(fd, recording, sizeof recording - 1) == sizeof recording - 1;
    close(fd);
    return ok ? 0 : -1;
}

static int remove_recording(void **unused)
{
    (void)unused;
    return unlink(path);
}

static struct model *open_model(bool instant)
{
    char name[64];
    struct model *model = NULL;
    struct err err;
    snprintf(name, sizeof name, "recorded:%s", path);
    const struct model_options options = {.name = name, .instant = instant};
    assert_int_equal(model_new(&options, &model, &err), 0);
    return model;
}

static int ask(struct model *model, const char *id, unsigned attempt, struct err *err)
{
    const struct model_question question = {.id = id, .language = "python", .attempt = attempt};
    return model_ask(model, &question, err);
}

static void expect_piece(struct model *model, enum model_piece_kind kind, const char *text)
{
    struct model_piece piece;
    assert_true(model_next(model, &piece));
    assert_int_equal(piece.kind, kind);
    if (text) {
        assert_string_equal(piece.text, text);
    }
}

static void an_answer_is_found_by_question_and_attempt(void **unused)
{
    (void)unused;
    struct model *model = open_model(true);
    struct err err;
    struct model_piece piece;
    assert_int_equal(ask(model, "q1", 1, &err), 0);
    expect_piece(model, MODEL_TEXT, "Here");
    expect_piece(model, MODEL_PART, "print(1)");
    expect_piece(model, MODEL_END, NULL);
    assert_false(model_next(model, &piece));
    assert_int_equal(model_deadline(model), -1);
    assert_int_equal(ask(model, "q1", 2, &err), 0);
    expect_piece(model, MODEL_PART, "print(2)");
    assert_true(model_next(model, &piece));
    assert_int_equal(piece.kind, MODEL_END);
    assert_true(piece.cut);
    model_free(model);
}

static void what_is_not_recorded_is_said_with_what_to_do(void **unused)
{
    (void)unused;
    static const struct {
        const char *id;
        unsigned attempt;
        const char *said;
    } cases[] = {
        {"q9", 1, "q9"}, {"q1", 3, "attempt 3"}, {NULL, 1, "one's own"}, {"q2", 1, "q2"}, /* q2 has no response */
    };
    struct model *model = open_model(true);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct err err;
        assert_int_equal(ask(model, cases[i].id, cases[i].attempt, &err), -ENOENT);
        assert_non_null(strstr(err.text, cases[i].said));
        assert_non_null(strstr(err.text, "`techo run FILE` runs a program of your own"));
        assert_null(strchr(err.text, '\n'));
        assert_int_equal(model_deadline(model), -1);
    }
    model_free(model);
}

static void recorded_times_are_kept_from_the_first_token_on(void **unused)
{
    (void)unused;
    struct model *model = open_model(false);
    struct err err;
    struct model_piece piece;
    int64_t before = monotonic_us();
    assert_int_equal(ask(model, "q1", 1, &err), 0);
    assert_false(model_next(model, &piece)); /* the first token took two seconds */
    int64_t due = model_deadline(model);
    assert_true(due >= before + 2000000 && due <= monotonic_us() + 2000000);
    model_stop(model);
    assert_int_equal(model_deadline(model), -1);
    model_free(model);
}

static void an_unknown_model_is_refused(void **unused)
{
    (void)unused;
    struct model *model = NULL;
    struct err err;
    const struct model_options options = {.name = "recording"};
    assert_int_equal(model_new(&options, &model, &err), -EINVAL);
    assert_non_null(strstr(err.text, "recording"));
}

static void a_missing_file_is_said(void **unused)
{
    (void)unused;
    struct model *model = NULL;
    struct err err;
    const struct model_options options = {.name = "recorded:/nowhere/x.jsonl"};
    assert_int_equal(model_new(&options, &model, &err), 0);
    assert_true(ask(model, "q1", 1, &err) < 0);
    assert_non_null(strstr(err.text, "/nowhere/x.jsonl"));
    model_free(model);
}

/* ---- prompt ---- */

static char *prompt(const struct prompt_turn *turns, size_t count, const char *question)
{
    struct policy ceiling;
    struct err err;
    struct data_file file = {.path = (char *)"data/a \"b\"\n.csv", .size = 12};
    const struct data_files files = {.list = &file, .count = 1};
    assert_int_equal(policy_parse("stdout,file.read=./data/*,wall=5s", &ceiling, &err), 0);
    const struct prompt_input input = {.executor = executor_at(0),
                                       .question = question,
                                       .files = &files,
                                       .ceiling = &ceiling,
                                       .preamble = "LIMIT = 7",
                                       .turns = turns,
                                       .turn_count = count};
    cJSON *body = prompt_body(&input);
    char *text = cJSON_PrintUnformatted(body);
    cJSON_Delete(body);
    policy_done(&ceiling);
    assert_non_null(text);
    return text;
}

static void a_prompt_says_question_data_ceiling_and_preamble(void **unused)
{
    (void)unused;
    char *text = prompt(NULL, 0, "¿Cuánto?");
    assert_non_null(strstr(text, "¿Cuánto?"));
    assert_non_null(strstr(text, "- read files: ./data/*"));
    assert_non_null(strstr(text, "wall 5s"));
    assert_non_null(strstr(text, "LIMIT = 7"));
    assert_non_null(strstr(text, "./out"));
    cJSON_free(text);
}

static void names_of_files_are_quoted(void **unused)
{
    (void)unused;
    char *text = prompt(NULL, 0, "?");
    /* quoted once for the model, once more as a part of the body */
    assert_non_null(strstr(text, "\\\"data/a \\\\\\\"b\\\\\\\"\\\\n.csv\\\" 12"));
    cJSON_free(text);
}

static void the_same_question_has_the_same_body(void **unused)
{
    (void)unused;
    char *first = prompt(NULL, 0, "?"), *second = prompt(NULL, 0, "?");
    assert_string_equal(first, second);
    cJSON_free(first);
    cJSON_free(second);
}

static void earlier_attempts_follow_in_order(void **unused)
{
    (void)unused;
    const struct prompt_turn turns[] = {{(char *)"print(1)", (char *)"it failed"}, {NULL, (char *)"no program"}};
    char *text = prompt(turns, 2, "?");
    const char *program = strstr(text, "print(1)"), *told = strstr(text, "it failed"),
               *last = strstr(text, "no program");
    assert_true(program && told && last && program < told && told < last);
    cJSON_free(text);
}

int main(void)
{
#define RECORDED(test) cmocka_unit_test_setup_teardown(test, write_recording, remove_recording)
    const struct CMUnitTest tests[] = {
        RECORDED(an_answer_is_found_by_question_and_attempt),
        RECORDED(what_is_not_recorded_is_said_with_what_to_do),
        RECORDED(recorded_times_are_kept_from_the_first_token_on),
        cmocka_unit_test(an_unknown_model_is_refused),
        cmocka_unit_test(a_missing_file_is_said),
        cmocka_unit_test(a_prompt_says_question_data_ceiling_and_preamble),
        cmocka_unit_test(names_of_files_are_quoted),
        cmocka_unit_test(the_same_question_has_the_same_body),
        cmocka_unit_test(earlier_attempts_follow_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
