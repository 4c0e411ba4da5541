/* The session screen, drawn from the recording of q04: at the sizes that the design names, and with few means. */
#include "harness.h"
#include "replay_child.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static struct replay_child sample = {"tests/data/sample-session.jsonl", UINT64_MAX};
static struct replay_child at_the_start = {"tests/data/sample-session.jsonl", 0};

static struct screen *start(const struct screen_options *options, struct replay_child *child)
{
    struct screen *screen = screen_start(options, replay_child, child);
    screen_wait(screen);
    return screen;
}

static void drawn_as(const struct screen_options *options, const char *golden)
{
    struct screen *screen = start(options, &sample);
    screen_golden(screen, golden);
    assert_int_equal(screen_surprises(screen), 0);
    screen_free(screen);
}

static void at_80x24_all_is_readable_without_a_key(void **state)
{
    (void)state;
    struct screen *screen = start(&(struct screen_options){0}, &sample);
    static const char *const needed[] = {
        "Which region had the highest net revenue in 2024", /* the question */
        "run ok 84ms",                                      /* the pipeline */
        "attempt 2/3   ✓ right",                            /* the verdict */
        "denials 1",                                        /* how many, */
        "open ./.env read  DENIED",                         /* the latest, */
        "mounts",                                           /* and its layer */
        "wall 0.1/20s",
        "memory 97M/1G",         /* limits */
        "\"region\": \"Norte\"", /* the first output lines */
        "least ceiling for this run: stdout,file.read=./data/*",
    };
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        if (!screen_has(screen, needed[i])) {
            fail_msg("not on the screen: %s", needed[i]);
        }
    }
    screen_golden(screen, "session-80x24");
    screen_free(screen);
}

static void from_160_columns_the_why_card_stands_under_the_permissions(void **state)
{
    (void)state;
    drawn_as(&(struct screen_options){.rows = 48, .columns = 160}, "session-160x48");
}

static void further_rows_go_to_program_and_what_happened(void **state)
{
    (void)state;
    drawn_as(&(struct screen_options){.rows = 40, .columns = 120}, "session-120x40");
}

static void the_smallest_full_form_is_60x16(void **state)
{
    (void)state;
    drawn_as(&(struct screen_options){.rows = 16, .columns = 60}, "session-60x16");
}

static void narrow_screens_have_tabs(void **state)
{
    (void)state;
    drawn_as(&(struct screen_options){.rows = 12, .columns = 40}, "session-40x12");
    drawn_as(&(struct screen_options){.rows = 5, .columns = 20}, "session-20x5");
}

static void under_20x5_there_is_one_line_and_only_q_acts(void **state)
{
    (void)state;
    struct screen *screen = start(&(struct screen_options){.rows = 3, .columns = 10}, &sample);
    screen_golden(screen, "session-10x3");
    screen_type(screen, "?:a/"); /* nothing of it opens anything */
    screen_golden(screen, "session-10x3");
    screen_resize(screen, 24, 80);
    screen_wait(screen);
    screen_golden(screen, "session-80x24");
    screen_resize(screen, 3, 10);
    screen_wait(screen);
    screen_send(screen, "q");
    assert_int_equal(screen_finish(screen), 0);
    screen_free(screen);
}

static void without_colour_nothing_is_lost(void **state)
{
    (void)state;
    drawn_as(&(struct screen_options){.no_color = true}, "session-no-color");
    drawn_as(&(struct screen_options){.term = "vt100"}, "session-vt100");
}

static void sixteen_colours_are_the_nearest(void **state)
{
    (void)state;
    drawn_as(&(struct screen_options){.term = "xterm-16color"}, "session-16-colours");
    drawn_as(&(struct screen_options){.term = "xterm"}, "session-8-colours");
}

static void without_utf8_all_is_ascii(void **state)
{
    (void)state;
    /* A TERM without `rep`: libvterm 0.1.4 loses the cell after a repetition that ends in the last column but one. */
    struct screen *screen = start(&(struct screen_options){.locale = "C", .term = "screen-256color"}, &sample);
    for (int y = 0; y < 24; y++) {
        for (const char *c = screen_row(screen, y); *c; c++) {
            assert_true((unsigned char)*c < 0x80);
        }
    }
    screen_golden(screen, "session-ascii");
    screen_free(screen);
}

static void an_unknown_terminal_is_drawn_as_xterm_and_says_so(void **state)
{
    (void)state;
    struct screen *screen = start(&(struct screen_options){.term = "no-such-terminal"}, &sample);
    assert_true(screen_has(screen, "TERM is not known here"));
    assert_true(screen_has(screen, "✗ DENIED"));
    screen_type(screen, "w");
    assert_false(screen_has(screen, "TERM is not known here"));
    screen_free(screen);
}

static void a_dumb_terminal_gets_one_clear_line(void **state)
{
    (void)state;
    struct screen *screen = screen_start(&(struct screen_options){.term = "dumb"}, replay_child, &sample);
    int status = screen_finish(screen);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
    assert_true(screen_has(screen, "TERM=dumb cannot place text"));
    assert_false(screen_alternate(screen));
    screen_free(screen);
}

static void without_a_terminal_it_says_what_to_type(void **state)
{
    (void)state;
    struct screen *screen = screen_start(&(struct screen_options){.no_terminal = true}, replay_child, &sample);
    int status = screen_finish(screen);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 1);
    screen_free(screen);
}

static void empty_panes_say_what_to_press(void **state)
{
    (void)state;
    struct screen *screen = start(&(struct screen_options){0}, &at_the_start);
    assert_true(screen_has(screen, "no program yet: Space plays, . steps"));
    screen_golden(screen, "session-empty");
    screen_free(screen);
}

static void the_picture_for_the_readme(void **state)
{
    (void)state;
    const char *generate = getenv("GENERATE");
    struct screen *screen = start(&(struct screen_options){0}, &sample);
    char *svg = NULL;
    size_t size;
    FILE *to = open_memstream(&svg, &size);
    screen_svg(screen, to);
    fclose(to);
    if (generate && strcmp(generate, "1") == 0) {
        to = fopen(source_path("docs/screen.svg"), "we");
        assert_non_null(to);
        fputs(svg, to);
        fclose(to);
    }
    FILE *from = fopen(source_path("docs/screen.svg"), "re");
    assert_non_null(from);
    char *kept = calloc(1, size + 2);
    size_t got = fread(kept, 1, size + 1, from);
    fclose(from);
    assert_int_equal(got, size); /* the documentation shows the screen as it is */
    assert_memory_equal(kept, svg, size);
    free(kept);
    free(svg);
    screen_free(screen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_80x24_all_is_readable_without_a_key),
        cmocka_unit_test(from_160_columns_the_why_card_stands_under_the_permissions),
        cmocka_unit_test(further_rows_go_to_program_and_what_happened),
        cmocka_unit_test(the_smallest_full_form_is_60x16),
        cmocka_unit_test(narrow_screens_have_tabs),
        cmocka_unit_test(under_20x5_there_is_one_line_and_only_q_acts),
        cmocka_unit_test(without_colour_nothing_is_lost),
        cmocka_unit_test(sixteen_colours_are_the_nearest),
        cmocka_unit_test(without_utf8_all_is_ascii),
        cmocka_unit_test(an_unknown_terminal_is_drawn_as_xterm_and_says_so),
        cmocka_unit_test(a_dumb_terminal_gets_one_clear_line),
        cmocka_unit_test(without_a_terminal_it_says_what_to_type),
        cmocka_unit_test(empty_panes_say_what_to_press),
        cmocka_unit_test(the_picture_for_the_readme),
    };
    return cmocka_run_group_tests_name("session screen", tests, NULL, NULL);
}
