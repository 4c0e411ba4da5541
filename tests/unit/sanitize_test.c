/* The door from untrusted text to a screen: the attacks 74-77 and 80 of the catalogue, and ordinary text unharmed. */
#include "../../core/sanitize.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct example {
    const char *bytes;
    size_t len;
    unsigned flags;
    const char *shown;
    size_t neutralised;
};
#define TEXT(bytes, shown, count)                                                                                      \
    {                                                                                                                  \
        bytes, sizeof(bytes) - 1, 0, shown, count                                                                      \
    }
#define LINES(bytes, shown, count)                                                                                     \
    {                                                                                                                  \
        bytes, sizeof(bytes) - 1, SANITIZE_LINES, shown, count                                                         \
    }
#define ASCII(bytes, shown, count)                                                                                     \
    {                                                                                                                  \
        bytes, sizeof(bytes) - 1, SANITIZE_ASCII, shown, count                                                         \
    }

static void check(const struct example *examples, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct example *example = &examples[i];
        struct buf shown;
        buf_init(&shown, 1 << 20);
        buf_add_text(&shown, "");
        size_t neutralised = sanitize_text(untrusted_bytes(example->bytes, example->len), example->flags, &shown);
        assert_string_equal(shown.data, example->shown);
        assert_int_equal(neutralised, example->neutralised);
        buf_done(&shown);
    }
}
#define CHECK(examples) check(examples, sizeof(examples) / sizeof((examples)[0]))

static void ordinary_text_stays_as_it_is(void **state)
{
    (void)state;
    static const struct example examples[] = {
        TEXT("", "", 0),
        TEXT("print(\"a\\x1b\")", "print(\"a\\x1b\")", 0),
        TEXT("¿Qué región?", "¿Qué región?", 0),
        TEXT("e\u0301", "e\u0301", 0), /* decomposed */
        TEXT("日本語 한국어", "日本語 한국어", 0),
        TEXT("\u1112\u1161\u11ab", "\u1112\u1161\u11ab", 0), /* conjoining jamo */
        TEXT("हिन्दी", "हिन्दी", 0),
        TEXT("क्\u200dष", "क्\u200dष", 0), /* a joiner that is spelling */
        TEXT("می\u200cخواهم", "می\u200cخواهم", 0),
        TEXT("🙂 ✓ ▕▌", "🙂 ✓ ▕▌", 0),
        TEXT("⚠\ufe0f!", "⚠!", 0), /* how to draw it is for the screen to say */
        LINES("a\nb\n", "a\nb\n", 0),
        LINES("a\tb\n\tc", "a       b\n        c", 0),
        TEXT("12345678\tx", "12345678        x", 0),
    };
    CHECK(examples);
}

static void escape_sequences_are_shown_and_not_sent(void **state)
{
    (void)state;
    static const struct example examples[] = {
        TEXT("\x1b[2J\x1b[1;1H", "\\x1b[2J\\x1b[1;1H", 2), /* clear, home */
        TEXT("\x1b]0;title\x07", "\\x1b]0;title\\x07", 2),
        TEXT("\x1b]52;c;aGk=\x1b\\", "\\x1b]52;c;aGk=\\x1b\\", 2),     /* clipboard */
        TEXT("\x1b]8;;http://x\x1b\\", "\\x1b]8;;http://x\\x1b\\", 2), /* hyperlink */
        TEXT("\x1bPq#0\x1b\\", "\\x1bPq#0\\x1b\\", 2),                 /* sixel */
        TEXT("\x1b[?1049h", "\\x1b[?1049h", 1),                        /* alternate screen */
        TEXT("\x1b[6n", "\\x1b[6n", 1),                                /* makes a terminal answer */
        TEXT("\xc2\x9b" "31m", "<U+009B>31m", 1),                           /* C1 as UTF-8 */
        TEXT("\x9b"
             "31m",
             "\\x9b31m", 1), /* C1 as a byte */
        TEXT("\x0e\x0f\x08\x7f", "\\x0e\\x0f\\x08\\x7f", 4),
        LINES("50%\r100%\n", "50%\\r100%\n", 1), /* overprinting */
        TEXT("a\nb", "a\\nb", 1),                /* a second line where there is but one */
        {"a\0b", 3, 0, "a\\x00b", 1},
    };
    CHECK(examples);
}

static void direction_and_invisible_characters_are_spelled_out(void **state)
{
    (void)state;
    static const struct example examples[] = {
        TEXT("a\u202egpj.exe", "a<U+202E>gpj.exe", 1),
        TEXT("\u2066x\u2069\u200f\u061c", "<U+2066>x<U+2069><U+200F><U+061C>", 4),
        TEXT("a\u200bb\u2060c\ufeffd\u00ade", "a<U+200B>b<U+2060>c<U+FEFF>d<U+00AD>e", 4),
        TEXT("a\u200db", "a<U+200D>b", 1),                  /* a joiner that joins nothing */
        TEXT("👩\u200d👧", "👩<U+200D>👧", 1),                  /* widths of such a sequence differ */
        TEXT("a\ufe0f\U000e0100", "a<U+FE0F><U+E0100>", 2), /* selectors that carry hidden data */
        TEXT("☀\ufe0f\ufe0f", "☀<U+FE0F>", 1),
        TEXT("\U000e0041\U000e007f", "<U+E0041><U+E007F>", 2),     /* tags */
        TEXT("\u115f\u3164\uffa0", "<U+115F><U+3164><U+FFA0>", 3), /* fillers */
        TEXT("\u2028\u2029", "<U+2028><U+2029>", 2),
        TEXT("\ue000\U000f0000", "<U+E000><U+F0000>", 2), /* private */
        TEXT("\uffff\u0378", "<U+FFFF><U+0378>", 2),      /* no characters */
    };
    CHECK(examples);
}

static void broken_utf8_is_shown_byte_by_byte(void **state)
{
    (void)state;
    static const struct example examples[] = {
        TEXT("\xff\xfe", "\\xff\\xfe", 2),          TEXT("\xc0\xaf", "\\xc0\\xaf", 2),
        TEXT("\xed\xa0\x80", "\\xed\\xa0\\x80", 3), TEXT("\xe2\x82", "\\xe2\\x82", 2),
        TEXT("\xe2\x82z", "\\xe2\\x82z", 2),        TEXT("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80", 4),
        TEXT("\xe9t\xe9", "\\xe9t\\xe9", 2), /* Latin-1 */
    };
    CHECK(examples);
}

static void floods_of_marks_do_not_pile_up(void **state)
{
    (void)state;
    static const struct example examples[] = {
        TEXT("\u0301a", "<U+0301>a", 1), /* with nothing to stand on */
        TEXT("\n\u0301", "\\n<U+0301>", 2),
        LINES("a\n\u0301", "a\n<U+0301>", 1), /* does not reach into the row above */
        TEXT("\x1b\u0301", "\\x1b<U+0301>", 2),
        TEXT("a\u0301\u0302\u0303\u0304\u0305\u0306", "a\u0301\u0302\u0303\u0304<U+0305><U+0306>", 2),
    };
    CHECK(examples);
}

static void a_screen_without_utf8_gets_ascii_alone(void **state)
{
    (void)state;
    static const struct example examples[] = {
        ASCII("Qué", "Qu<U+00E9>", 1),
        ASCII("e\u0301🙂", "e<U+0301><U+1F642>", 2),
        ASCII("\x1b\xff", "\\x1b\\xff", 2),
    };
    CHECK(examples);
}

static void widths_count_columns(void **state)
{
    (void)state;
    assert_int_equal(sanitize_width(untrusted_text("abc"), 0), 3);
    assert_int_equal(sanitize_width(untrusted_text("日本"), 0), 4);
    assert_int_equal(sanitize_width(untrusted_text("e\u0301"), 0), 1);
    assert_int_equal(sanitize_width(untrusted_text("\u1112\u1161\u11ab"), 0), 2);
    assert_int_equal(sanitize_width(untrusted_text("हि"), 0), 2);
    assert_int_equal(sanitize_width(untrusted_text("\x1b"), 0), 4);
    assert_int_equal(sanitize_width(untrusted_text("🙂"), SANITIZE_ASCII), 9);
    assert_int_equal(sanitize_width(untrusted_text("日\tx"), 0), 9);
    assert_int_equal(sanitize_width(untrusted_text(NULL), 0), 0);
}

struct seen {
    size_t cells, neutralised, rows, stop_after;
};

static bool see(void *context, const struct cell *cell, bool row_end)
{
    struct seen *seen = context;
    assert_true(row_end == !cell);
    seen->rows += row_end;
    if (cell) {
        assert_in_range(cell->width, 1, 2);
        assert_in_range(strlen(cell->text), 1, CELL_BYTES_MAX - 1);
        seen->cells++;
        seen->neutralised += cell->neutralised;
    }
    return seen->cells != seen->stop_after;
}

static void cells_say_what_stands_for_something_else(void **state)
{
    (void)state;
    struct seen seen = {0};
    size_t neutralised = sanitize_cells(untrusted_text("\\x1b\x1b\n日"), SANITIZE_LINES, see, &seen);
    assert_int_equal(neutralised, 1);
    assert_int_equal(seen.cells, 9);
    assert_int_equal(seen.neutralised, 4); /* of the eight that look alike, the four that were one byte */
    assert_int_equal(seen.rows, 1);
}

static void a_reader_may_stop_anywhere(void **state)
{
    (void)state;
    for (size_t stop = 1; stop < 12; stop++) {
        struct seen seen = {.stop_after = stop};
        sanitize_cells(untrusted_text("a\t\x1b\u202e日x"), 0, see, &seen);
        assert_int_equal(seen.cells, stop);
    }
}

static void a_line_of_ten_megabytes_passes(void **state)
{
    (void)state;
    size_t len = 10 << 20;
    char *text = malloc(len);
    struct seen seen = {0};
    assert_non_null(text);
    memset(text, 'x', len);
    text[len / 2] = '\x1b';
    assert_int_equal(sanitize_cells(untrusted_bytes(text, len), SANITIZE_LINES, see, &seen), 1);
    assert_int_equal(seen.cells, len + 3);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ordinary_text_stays_as_it_is),
        cmocka_unit_test(escape_sequences_are_shown_and_not_sent),
        cmocka_unit_test(direction_and_invisible_characters_are_spelled_out),
        cmocka_unit_test(broken_utf8_is_shown_byte_by_byte),
        cmocka_unit_test(floods_of_marks_do_not_pile_up),
        cmocka_unit_test(a_screen_without_utf8_gets_ascii_alone),
        cmocka_unit_test(widths_count_columns),
        cmocka_unit_test(cells_say_what_stands_for_something_else),
        cmocka_unit_test(a_reader_may_stop_anywhere),
        cmocka_unit_test(a_line_of_ten_megabytes_passes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
