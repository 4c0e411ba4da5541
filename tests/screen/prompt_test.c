/* The prompt line: UTF-8, pastes, Esc, editing while the terminal changes. */
#include "harness.h"
#include "live_child.h"

#include <stdlib.h>
#include <string.h>

static struct screen *start(void)
{
    static struct live_child child = {.recording = "tests/data/sample-session.jsonl"};
    struct screen *screen = screen_start(&(struct screen_options){0}, live_child, &child);
    screen_wait(screen);
    return screen;
}

static void assert_last_row(struct screen *screen, const char *text)
{
    assert_string_equal(screen_row(screen, screen_ack(screen).rows - 1), text);
}

static void utf8_is_edited_by_characters(void **state)
{
    (void)state;
    struct screen *screen = start();
    screen_type(screen, "a¿Qué región? 中文");
    assert_last_row(screen, " Ask: ¿Qué región? 中文");
    assert_true(screen_cursor_visible(screen));
    assert_int_equal(screen_cursor_column(screen), 23);
    screen_type(screen, "\177\177\177");
    assert_last_row(screen, " Ask: ¿Qué región?");
    screen_key(screen, VTERM_KEY_HOME);
    assert_int_equal(screen_cursor_column(screen), 6);
    screen_key(screen, VTERM_KEY_RIGHT);
    screen_key(screen, VTERM_KEY_DEL);
    assert_last_row(screen, " Ask: ¿ué región?");
    screen_type(screen, "\013ok\r"); /* Ctrl-K */
    assert_string_equal(screen_row(screen, 1), " Question  ¿ok");
    assert_false(screen_cursor_visible(screen));
    screen_free(screen);
}

static void a_paste_with_newlines_is_one_text_and_submits_nothing(void **state)
{
    (void)state;
    struct screen *screen = start();
    unsigned long long before = screen_ack(screen).seq;
    screen_type(screen, "a");
    screen_paste(screen, "first\rsecond\nthird");
    assert_int_equal(screen_ack(screen).seq, before);
    assert_true(screen_has(screen, "first\\nsecond\\nthird"));
    screen_type(screen, "\r");
    assert_int_equal(screen_ack(screen).seq, before + 2); /* one question, one note */
    screen_free(screen);
}

static void a_paste_outside_of_the_prompt_presses_no_keys(void **state)
{
    (void)state;
    struct screen *screen = start();
    screen_golden(screen, "live-empty");
    screen_paste(screen, "q?azl");
    screen_golden(screen, "live-empty");
    screen_free(screen);
}

static void escapes_in_a_paste_are_shown_not_obeyed(void **state)
{
    (void)state;
    struct screen *screen = start();
    screen_type(screen, "a");
    screen_paste(screen, "x\033]0;owned\007\033[2Jy");
    assert_last_row(screen, " Ask: x\\x1b]0;owned\\x07\\x1b[2Jy");
    assert_int_equal(screen_surprises(screen), 0);
    screen_free(screen);
}

static void a_huge_paste_is_bounded(void **state)
{
    (void)state;
    struct screen *screen = start();
    size_t size = 1 << 20;
    char *text = malloc(size + 1);
    memset(text, 'x', size);
    text[size] = '\0';
    screen_type(screen, "a");
    screen_paste(screen, text);
    screen_type(screen, "\033");
    assert_false(screen_cursor_visible(screen));
    screen_type(screen, "?");
    assert_true(screen_has(screen, "Keys: Esc closes"));
    free(text);
    screen_free(screen);
}

static void esc_and_ctrl_c_give_up(void **state)
{
    (void)state;
    struct screen *screen = start();
    unsigned long long before = screen_ack(screen).seq;
    screen_type(screen, "adraft");
    screen_type(screen, "\033");
    screen_golden(screen, "live-empty");
    screen_type(screen, "adraft");
    screen_type(screen, "\003");
    screen_golden(screen, "live-empty");
    screen_type(screen, "a\004"); /* Ctrl-D on an empty line */
    screen_golden(screen, "live-empty");
    assert_int_equal(screen_ack(screen).seq, before);
    screen_free(screen);
}

static void history_and_its_search_know_what_was_asked(void **state)
{
    (void)state;
    struct screen *screen = start();
    screen_type(screen, "awhat is größer?\r");
    screen_type(screen, "asecond\r");
    screen_type(screen, "a");
    screen_key(screen, VTERM_KEY_UP);
    screen_key(screen, VTERM_KEY_UP);
    assert_last_row(screen, " Ask: what is größer?");
    screen_type(screen, "\033");
    screen_type(screen, "a\022grö"); /* Ctrl-R */
    assert_true(screen_has(screen, "`grö'"));
    assert_true(screen_has(screen, "what is größer?"));
    screen_free(screen);
}

static void alt_enter_makes_a_second_line(void **state)
{
    (void)state;
    struct screen *screen = start();
    unsigned long long before = screen_ack(screen).seq;
    screen_type(screen, "aone\033\rtwo");
    assert_int_equal(screen_ack(screen).seq, before);
    assert_true(screen_has(screen, "one\\ntwo"));
    screen_free(screen);
}

static void a_long_line_scrolls_with_the_cursor(void **state)
{
    (void)state;
    struct screen *screen = start();
    screen_type(screen, "a");
    for (int i = 0; i < 12; i++) {
        screen_type(screen, "0123456789");
    }
    assert_true(screen_cursor_column(screen) <= 79);
    assert_true(screen_has(screen, "0123456789"));
    screen_key(screen, VTERM_KEY_HOME);
    assert_int_equal(screen_cursor_column(screen), 6);
    screen_free(screen);
}

static void resizing_keeps_the_draft(void **state)
{
    (void)state;
    struct screen *screen = start();
    screen_type(screen, "ahalf a question");
    screen_resize(screen, 10, 40);
    screen_wait(screen);
    assert_last_row(screen, " Ask: half a question");
    screen_resize(screen, 3, 3); /* too small for anything: keys do nothing but q */
    screen_wait(screen);
    screen_type(screen, "xyz");
    screen_resize(screen, 30, 100);
    screen_wait(screen);
    screen_type(screen, ", and the rest");
    assert_last_row(screen, " Ask: half a question, and the rest");
    screen_free(screen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(utf8_is_edited_by_characters),
        cmocka_unit_test(a_paste_with_newlines_is_one_text_and_submits_nothing),
        cmocka_unit_test(a_paste_outside_of_the_prompt_presses_no_keys),
        cmocka_unit_test(escapes_in_a_paste_are_shown_not_obeyed),
        cmocka_unit_test(a_huge_paste_is_bounded),
        cmocka_unit_test(esc_and_ctrl_c_give_up),
        cmocka_unit_test(history_and_its_search_know_what_was_asked),
        cmocka_unit_test(alt_enter_makes_a_second_line),
        cmocka_unit_test(a_long_line_scrolls_with_the_cursor),
        cmocka_unit_test(resizing_keeps_the_draft),
    };
    return cmocka_run_group_tests_name("prompt line", tests, NULL, NULL);
}
