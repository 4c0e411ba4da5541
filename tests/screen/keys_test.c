/* What keys do: in a replay, in the panes, in the overlays. All of them come from one table. */
#include "frames.h"
#include "replay_child.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../tui/input.h"

static struct replay_child at_the_start = {"tests/data/sample-session.jsonl", 0};
static struct replay_child at_the_end = {"tests/data/sample-session.jsonl", UINT64_MAX};

static struct screen *start(struct replay_child *child)
{
    struct screen *screen = screen_start(&(struct screen_options){0}, replay_child, child);
    screen_wait(screen);
    return screen;
}

static unsigned long long seq(struct screen *screen)
{
    return screen_ack(screen).seq;
}

static void dots_and_commas_step(void **state)
{
    (void)state;
    struct screen *screen = start(&at_the_start);
    assert_int_equal(seq(screen), 0);
    screen_type(screen, "...");
    assert_int_equal(seq(screen), 3);
    assert_shows(screen, "3/88");
    screen_type(screen, ",");
    assert_int_equal(seq(screen), 2);
    screen_type(screen, ",,,");
    assert_int_equal(seq(screen), 0);
    assert_shows(screen, "this is the start");
    screen_free(screen);
}

static void a_step_back_shows_what_was_shown_there(void **state)
{
    (void)state;
    struct screen *screen = start(&at_the_start);
    char *forward[89];
    for (int i = 0; i <= 88; i++) {
        forward[i] = screen_text(screen);
        screen_type(screen, ".");
    }
    screen_type(screen, ","); /* clears the message of the last step, which led nowhere */
    for (int i = 87; i >= 0; i--) {
        char *back = screen_text(screen);
        assert_string_equal(back, forward[i]);
        free(back);
        screen_type(screen, ",");
    }
    for (int i = 0; i <= 88; i++) {
        free(forward[i]);
    }
    screen_free(screen);
}

static void brackets_braces_and_bang_find_steps_permissions_and_denials(void **state)
{
    (void)state;
    struct screen *screen = start(&at_the_start);
    screen_type(screen, "]");
    assert_int_equal(seq(screen), 4); /* the question */
    screen_type(screen, "]");
    assert_int_equal(seq(screen), 6); /* the model begins */
    screen_type(screen, "[");
    assert_int_equal(seq(screen), 4);
    screen_type(screen, "}");
    unsigned long long permission = seq(screen);
    assert_true(permission > 4);
    screen_type(screen, "!");
    assert_shows(screen, "DENIED");
    unsigned long long denial = seq(screen);
    assert_true(denial > permission);
    screen_type(screen, "!"); /* the second attempt's */
    assert_true(seq(screen) > denial);
    denial = seq(screen);
    screen_type(screen, "!");
    assert_int_equal(seq(screen), denial);
    assert_shows(screen, "no further denial");
    screen_type(screen, "{");
    assert_true(seq(screen) < denial);
    screen_free(screen);
}

static void g_and_G_go_to_the_ends(void **state)
{
    (void)state;
    struct screen *screen = start(&at_the_start);
    screen_type(screen, "G");
    assert_int_equal(seq(screen), 88);
    screen_type(screen, "g");
    assert_int_equal(seq(screen), 0);
    screen_free(screen);
}

static void positions_are_events_percents_and_times(void **state)
{
    (void)state;
    struct screen *screen = start(&at_the_start);
    screen_type(screen, ":12\r");
    assert_int_equal(seq(screen), 12);
    screen_type(screen, ":50%\r");
    assert_int_equal(seq(screen), 44);
    screen_type(screen, ":00:01\r");
    assert_int_equal(seq(screen), 3); /* the question came 2.1 ms later */
    assert_int_equal(screen_ack(screen).now, 1000000);
    screen_type(screen, ":0:01.0021\r");
    assert_int_equal(seq(screen), 4);
    screen_type(screen, ":99:99\r");
    assert_int_equal(seq(screen), 88);
    screen_type(screen, ":nowhere\r");
    assert_shows(screen, "no action and no position: nowhere");
    assert_int_equal(seq(screen), 88);
    screen_free(screen);
}

static void space_plays_to_the_end_at_any_speed(void **state)
{
    (void)state;
    struct screen *screen = start(&at_the_start);
    screen_type(screen, "++++++++");
    assert_shows(screen, "×16"); /* not faster */
    screen_type(screen, "-=");
    assert_shows(screen, "×1");
    screen_type(screen, "++++ "); /* screen_type() waits until nothing plays */
    assert_int_equal(seq(screen), 88);
    assert_false(screen_has(screen, "REPLAY >"));
    screen_free(screen);
}

static void matches_are_events_that_hold_the_text(void **state)
{
    (void)state;
    struct screen *screen = start(&at_the_start);
    screen_type(screen, ">");
    assert_shows(screen, "/ searches first");
    screen_type(screen, "/evil\r");
    assert_shows(screen, "not found in Permissions: evil"); /* nothing is requested yet; the events are searched by > */
    screen_type(screen, ">");
    assert_true(seq(screen) > 0);
    unsigned long long first = seq(screen);
    screen_type(screen, ">");
    assert_true(seq(screen) > first);
    screen_type(screen, "<");
    assert_int_equal(seq(screen), first);
    screen_free(screen);
}

static void numbers_and_tab_move_the_focus_and_z_zooms(void **state)
{
    (void)state;
    struct screen *screen = start(&at_the_end);
    screen_type(screen, "2z");
    assert_shows(screen, "18                    \"net\""); /* the whole program now */
    assert_false(screen_has(screen, "What happened"));
    screen_golden(screen, "zoom-program");
    screen_type(screen, "\t");
    assert_shows(screen, "3 Output");
    screen_type(screen, "z");
    assert_shows(screen, "What happened");
    screen_free(screen);
}

static void scrolling_shows_the_program_as_it_is(void **state)
{
    (void)state;
    struct screen *screen = start(&at_the_end);
    assert_shows(screen, "│  …");
    screen_type(screen, "2");
    screen_key(screen, VTERM_KEY_DOWN);
    assert_false(screen_has(screen, "│  …"));
    assert_shows(screen, "│  2  # require net");
    assert_shows(screen, "│ 10  by_region");
    screen_key(screen, VTERM_KEY_END);
    assert_shows(screen, "│ 18  ");
    screen_type(screen, "\033"); /* back to the view by itself */
    assert_shows(screen, "│  …");
    screen_free(screen);
}

static void search_scrolls_to_the_line(void **state)
{
    (void)state;
    struct screen *screen = start(&at_the_end);
    screen_type(screen, "2/GROUPBY\r");
    assert_shows(screen, "│ 10  by_region");
    screen_type(screen, "/no such thing\r");
    assert_shows(screen, "not found in Program: no such thing");
    screen_free(screen);
}

static void enter_in_what_happened_shows_all_accesses(void **state)
{
    (void)state;
    struct screen *screen = start(&at_the_end);
    assert_false(screen_has(screen, "allowed"));
    screen_type(screen, "4\r");
    screen_type(screen, "z");
    assert_shows(screen, "allowed");
    screen_type(screen, "\r");
    assert_false(screen_has(screen, "allowed"));
    screen_free(screen);
}

static void the_why_card_gives_the_reasons(void **state)
{
    (void)state;
    struct screen *screen = start(&at_the_end);
    screen_type(screen, "w");
    assert_shows(screen, "file.read ./.env  not granted");
    assert_shows(screen, "would allow it  file.read=./.env");
    assert_shows(screen, "stopped by      mounts");
    assert_shows(screen, "cgroup: no controller is delegated here");
    screen_golden(screen, "why-80x24");
    screen_key(screen, VTERM_KEY_UP);
    assert_shows(screen, "stdout");
    assert_false(screen_has(screen, "would allow it"));
    screen_type(screen, "\033");
    assert_false(screen_has(screen, "Why:"));
    screen_free(screen);
}

static void arrows_choose_the_attempt(void **state)
{
    (void)state;
    struct screen *screen = start(&at_the_end);
    screen_key(screen, VTERM_KEY_LEFT);
    assert_shows(screen, "attempt 1/3");
    assert_shows(screen, "‹1✗›");
    screen_golden(screen, "attempt-1");
    screen_key(screen, VTERM_KEY_LEFT);
    assert_shows(screen, "this is the first attempt");
    screen_key(screen, VTERM_KEY_RIGHT);
    assert_shows(screen, "attempt 2/3");
    screen_free(screen);
}

static void question_mark_lists_the_keys_that_act(void **state)
{
    (void)state;
    struct screen *screen = start(&at_the_end);
    screen_type(screen, "?");
    assert_shows(screen, "play, or pause");
    assert_false(screen_has(screen, "ask a question")); /* a replay executes nothing */
    screen_golden(screen, "keys-replay");
    screen_key(screen, VTERM_KEY_END);
    assert_shows(screen, "quit; asks only while something runs");
    screen_type(screen, "?");
    assert_shows(screen, "4 What happened");
    screen_free(screen);
}

static void the_palette_completes_names(void **state)
{
    (void)state;
    struct screen *screen = start(&at_the_end);
    screen_type(screen, ":");
    assert_shows(screen, ":denial");
    screen_type(screen, "zo");
    assert_false(screen_has(screen, ":denial"));
    assert_shows(screen, ":zoom");
    screen_type(screen, "\t\r");
    assert_false(screen_has(screen, "What happened"));
    screen_free(screen);
}

static void the_question_list_jumps_there(void **state)
{
    (void)state;
    struct screen *screen = start(&at_the_end);
    screen_type(screen, "l");
    assert_shows(screen, "✓ q04");
    screen_type(screen, "\r");
    assert_int_equal(seq(screen), 4);
    screen_free(screen);
}

static void o_saves_a_file_that_the_program_left(void **state)
{
    (void)state;
    char folder[] = "/tmp/techo-keys-XXXXXX", typed[128], path[128], content[64] = "";
    assert_non_null(mkdtemp(folder));
    snprintf(typed, sizeof typed, "\025%s\r", folder); /* Ctrl-U: not in the current folder */
    snprintf(path, sizeof path, "%s/net-by-region.csv", folder);
    struct screen *screen = start(&at_the_end);
    screen_type(screen, "o");
    assert_shows(screen, "net-by-region.csv  6B");
    screen_type(screen, "\r");
    assert_shows(screen, "Save in the folder: .");
    screen_type(screen, typed);
    assert_shows(screen, "saved in /tmp/techo-keys-");
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    assert_true(fread(content, 1, sizeof content - 1, file) > 0);
    fclose(file);
    assert_string_equal(content, "a,b\n1\n");
    screen_type(screen, "o\r");
    screen_type(screen, typed);
    assert_shows(screen, "net-by-region.csv is there already, and is not replaced");
    assert_shows(screen, "Save in the folder: /tmp/techo-keys-"); /* another may be typed */
    screen_free(screen);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0);
}

static void an_attempt_that_left_no_file_says_so(void **state)
{
    (void)state;
    struct screen *screen = start(&at_the_start);
    screen_type(screen, "o");
    assert_shows(screen, "it left none");
    screen_type(screen, "\r\033");
    assert_false(screen_has(screen, "it left none"));
    screen_free(screen);
}

static void unknown_sequences_and_broken_bytes_do_nothing(void **state)
{
    (void)state;
    struct screen *screen = start(&at_the_end);
    screen_golden(screen, "session-80x24");
    screen_type(screen, "\033[1;2P\033[15~\033[<0;3;4M\033O\033[");
    screen_type(screen, "\xc3\x28\xff\x80\xe2\x82\x01");
    screen_golden(screen, "session-80x24");
    screen_send(screen, "q");
    int status = screen_finish(screen);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    screen_free(screen);
}

static void a_paste_that_breaks_off_is_over_after_a_second(void **state)
{
    (void)state;
    struct input input;
    struct key key;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    input_init(&input);
    assert_int_equal(write(ends[1], "\033[200~text", 10), 10);
    assert_int_equal(input_read(&input, ends[0]), 0);
    assert_false(input_next(&input, input.since + INPUT_PASTE_US - 1, &key));
    assert_int_equal(input_deadline(&input), input.since + INPUT_PASTE_US);
    assert_true(input_next(&input, input.since + INPUT_PASTE_US, &key));
    assert_int_equal(key.type, INPUT_PASTE);
    assert_memory_equal(input.paste.data, "text", 4);
    assert_int_equal(write(ends[1], "\003", 1), 1);
    assert_int_equal(input_read(&input, ends[0]), 0);
    assert_true(input_next(&input, input.since, &key));
    assert_string_equal(key.name, "^C");
    input_done(&input);
    close(ends[0]);
    close(ends[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dots_and_commas_step),
        cmocka_unit_test(a_step_back_shows_what_was_shown_there),
        cmocka_unit_test(brackets_braces_and_bang_find_steps_permissions_and_denials),
        cmocka_unit_test(g_and_G_go_to_the_ends),
        cmocka_unit_test(positions_are_events_percents_and_times),
        cmocka_unit_test(space_plays_to_the_end_at_any_speed),
        cmocka_unit_test(matches_are_events_that_hold_the_text),
        cmocka_unit_test(numbers_and_tab_move_the_focus_and_z_zooms),
        cmocka_unit_test(scrolling_shows_the_program_as_it_is),
        cmocka_unit_test(search_scrolls_to_the_line),
        cmocka_unit_test(enter_in_what_happened_shows_all_accesses),
        cmocka_unit_test(the_why_card_gives_the_reasons),
        cmocka_unit_test(arrows_choose_the_attempt),
        cmocka_unit_test(question_mark_lists_the_keys_that_act),
        cmocka_unit_test(the_palette_completes_names),
        cmocka_unit_test(the_question_list_jumps_there),
        cmocka_unit_test(o_saves_a_file_that_the_program_left),
        cmocka_unit_test(an_attempt_that_left_no_file_says_so),
        cmocka_unit_test(unknown_sequences_and_broken_bytes_do_nothing),
        cmocka_unit_test(a_paste_that_breaks_off_is_over_after_a_second),
    };
    return cmocka_run_group_tests_name("keys", tests, NULL, NULL);
}
