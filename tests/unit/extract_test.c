/* The program in a model's answer: found while it grows, and what an answer can be besides. */
#include "../../core/extract_internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PYTHON "```python\nprint(1)\n```\n"

struct answer {
    struct extract extract;
    struct buf given; /* program pieces as they were called back */
    enum extract_finish finish;
};

static void on_piece(void *context, bool program, const char *text, size_t len)
{
    struct answer *answer = context;
    if (program) {
        buf_add(&answer->given, text, len);
    }
}

/* Fed in pieces of `step` bytes, as a stream may be cut anywhere. */
static struct answer take(const char *text, size_t step, bool cut)
{
    static struct answer answer;
    extract_init(&answer.extract, "python", on_piece, &answer);
    buf_init(&answer.given, 1 << 16);
    for (size_t at = 0; at < strlen(text); at += step) {
        size_t left = strlen(text) - at;
        extract_feed(&answer.extract, text + at, left < step ? left : step);
    }
    answer.finish = extract_end(&answer.extract, cut);
    return answer;
}

static void expect(const char *text, bool cut, enum extract_finish finish, const char *program)
{
    for (size_t step = 1; step < 20; step += 6) {
        struct answer answer = take(text, step, cut);
        assert_string_equal(extract_finish_name(answer.finish), extract_finish_name(finish));
        assert_string_equal(answer.extract.program.len ? answer.extract.program.data : "", program);
        assert_string_equal(answer.given.len ? answer.given.data : "", program);
        extract_done(&answer.extract);
        buf_done(&answer.given);
    }
}

static void the_block_is_taken_out_of_the_prose(void **unused)
{
    (void)unused;
    expect("Here you are:\n" PYTHON "That prints one.", false, EXTRACT_COMPLETE, "print(1)\n");
    expect("```py\nprint(1)\n```", false, EXTRACT_COMPLETE, "print(1)\n");
    expect("```\nprint(1)\n```", false, EXTRACT_COMPLETE, "print(1)\n");
    expect("  ~~~ python\nprint(1)\n  ~~~\n", false, EXTRACT_COMPLETE, "print(1)\n");
}

static void a_longer_fence_holds_shorter_ones(void **unused)
{
    (void)unused;
    expect("````python\nprint('''\n```\n''')\n````\n", false, EXTRACT_COMPLETE, "print('''\n```\n''')\n");
}

static void other_languages_are_passed_over(void **unused)
{
    (void)unused;
    expect("```bash\npip install x\n```\n" PYTHON, false, EXTRACT_COMPLETE, "print(1)\n");
    expect("```bash\npip install x\n```\n", false, EXTRACT_REFUSED, "");
}

static void the_first_of_several_blocks_is_taken_and_said(void **unused)
{
    (void)unused;
    expect(PYTHON "or\n```python\nprint(2)\n```\n", false, EXTRACT_SEVERAL, "print(1)\n");
    expect(PYTHON "which prints\n```\n1\n```\n", false, EXTRACT_COMPLETE, "print(1)\n");
}

static void code_without_a_fence_is_a_program(void **unused)
{
    (void)unused;
    expect("import os\nprint(1)\n", false, EXTRACT_COMPLETE, "import os\nprint(1)\n");
    expect("# require file.read(\"./x\")\nprint(1)", false, EXTRACT_COMPLETE, "# require file.read(\"./x\")\nprint(1)");
}

static void cut_refused_and_empty_answers_are_told_apart(void **unused)
{
    (void)unused;
    expect("```python\nprint(1)\n", false, EXTRACT_TRUNCATED, "print(1)\n");
    expect(PYTHON, true, EXTRACT_TRUNCATED, "print(1)\n");
    expect("I cannot help with that.", false, EXTRACT_REFUSED, "");
    expect("", false, EXTRACT_EMPTY, "");
    expect(" \n\n", false, EXTRACT_EMPTY, "");
    expect("```python\n```\n", false, EXTRACT_EMPTY, "");
    expect("I would", true, EXTRACT_TRUNCATED, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_block_is_taken_out_of_the_prose),
        cmocka_unit_test(a_longer_fence_holds_shorter_ones),
        cmocka_unit_test(other_languages_are_passed_over),
        cmocka_unit_test(the_first_of_several_blocks_is_taken_and_said),
        cmocka_unit_test(code_without_a_fence_is_a_program),
        cmocka_unit_test(cut_refused_and_empty_answers_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
