/* The screen while things happen: it draws what a replay draws, keys stay live, and what is asked is asked. */
#include "frames.h"
#include "live_child.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char question[] = "Which region had the highest net revenue in 2024, returns taken off?";

static void a_replay_draws_the_frames_that_were_live(void **state)
{
    (void)state;
    char folder[] = "/tmp/techo-live-XXXXXX", log[64];
    assert_non_null(mkdtemp(folder));
    snprintf(log, sizeof log, "%s/session.jsonl", folder);
    struct live_child child = {.recording = "tests/data/sample-session.jsonl", .log = log};
    struct frames frames = {0};
    struct screen *live = screen_start(&(struct screen_options){0}, live_child, &child);
    screen_wait(live);
    screen_on_frame(live, frames_keep, &frames);
    screen_type(live, "a");
    screen_type(live, question);
    screen_send(live, "\r");
    screen_wait_text(live, "answer Norte 18234.5");
    screen_wait(live);
    screen_send(live, "q");
    assert_int_equal(screen_finish(live), 0);
    screen_free(live);
    assert_true(frames.count >= 2);
    frames_compare(&frames, log);
    unlink(log);
    rmdir(folder);
}

static void a_live_session_gives_its_files_out_of_its_log(void **state)
{
    (void)state;
    char folder[] = "/tmp/techo-live-XXXXXX", log[64], typed[128], path[128];
    assert_non_null(mkdtemp(folder));
    snprintf(log, sizeof log, "%s/session.jsonl", folder);
    snprintf(typed, sizeof typed, "o\r\025%s\r", folder);
    snprintf(path, sizeof path, "%s/net-by-region.csv", folder);
    struct live_child child = {.recording = "tests/data/sample-session.jsonl"};
    for (int saved = 0; saved <= 1; saved++) {
        child.log = saved ? log : NULL;
        struct screen *screen = screen_start(&(struct screen_options){0}, live_child, &child);
        screen_wait(screen);
        screen_type(screen, "a");
        screen_type(screen, question);
        screen_type(screen, "\r");
        screen_type(screen, typed);
        assert_shows(screen, saved ? "saved in /tmp/techo-live-" : "not saved: this session is not saved");
        screen_free(screen);
    }
    assert_int_equal(unlink(path), 0);
    unlink(log);
    rmdir(folder);
}

static void keys_are_answered_while_output_pours(void **state)
{
    (void)state;
    char *lines = malloc(65536);
    memset(lines, 'x', 65535);
    for (int i = 79; i < 65535; i += 80) {
        lines[i] = '\n';
    }
    lines[65535] = '\0';
    struct live_child child = {.output = lines};
    struct screen *screen = screen_start(&(struct screen_options){0}, live_child, &child);
    screen_wait(screen);
    screen_type(screen, "a");
    screen_send(screen, "pour\r");
    screen_wait_text(screen, "xxxx");
    for (int i = 0; i < 20; i++) {
        screen_send(screen, "?");
        screen_wait_keys(screen);
        assert_shows(screen, "Keys: Esc closes");
        assert_int_equal(screen_ack(screen).jobs, 1); /* it still pours */
        screen_send(screen, "?");
        screen_wait_keys(screen);
        assert_false(screen_has(screen, "Keys: Esc closes"));
    }
    screen_send(screen, "q"); /* asks only while something runs */
    screen_wait_keys(screen);
    assert_shows(screen, "a program still runs");
    screen_send(screen, "n");
    screen_wait_keys(screen);
    screen_send(screen, "\003"); /* Ctrl-C stops it, and does not quit */
    screen_wait(screen);
    assert_int_equal(screen_ack(screen).jobs, 0);
    screen_type(screen, "\003");
    assert_shows(screen, "nothing runs; q quits");
    screen_send(screen, "q");
    assert_int_equal(screen_finish(screen), 0);
    screen_free(screen);
    free(lines);
}

static void y_ends_what_runs_and_quits(void **state)
{
    (void)state;
    struct live_child child = {.output = "again\n"};
    struct screen *screen = screen_start(&(struct screen_options){0}, live_child, &child);
    screen_wait(screen);
    screen_type(screen, "a");
    screen_send(screen, "pour\rq");
    screen_wait_text(screen, "a program still runs");
    screen_send(screen, "y");
    assert_int_equal(screen_finish(screen), 0);
    screen_free(screen);
}

static struct screen *start_idle(void)
{
    static struct live_child child = {.recording = "tests/data/sample-session.jsonl"};
    struct screen *screen = screen_start(&(struct screen_options){0}, live_child, &child);
    screen_wait(screen);
    return screen;
}

static void the_bar_shows_actions_and_empty_panes_what_to_press(void **state)
{
    (void)state;
    struct screen *screen = start_idle();
    screen_golden(screen, "live-empty");
    screen_type(screen, "?");
    screen_golden(screen, "keys-live");
    screen_free(screen);
}

static void a_case_begins_with_its_questions(void **state)
{
    (void)state;
    struct live_child child = {.recording = "tests/data/sample-session.jsonl", .case_name = "analytics"};
    struct screen *screen = screen_start(&(struct screen_options){0}, live_child, &child);
    screen_wait(screen);
    assert_shows(screen, "Questions");
    assert_shows(screen, "▸   q01");
    screen_key(screen, VTERM_KEY_DOWN);
    assert_shows(screen, "▸   q02");
    screen_type(screen, "\r"); /* Enter asks it */
    assert_shows(screen, "answer Norte 18234.5");
    screen_free(screen);
}

static void q_quits_on_the_list_as_the_bottom_line_says(void **state)
{
    (void)state;
    struct live_child child = {.recording = "tests/data/sample-session.jsonl", .case_name = "analytics"};
    struct screen *screen = screen_start(&(struct screen_options){0}, live_child, &child);
    int y, x;
    screen_wait(screen);
    assert_shows(screen, "▸   q01");
    assert_shows(screen, "Esc close  q quit");
    assert_true(screen_find(screen, "┌ Questions ─", &y, &x));
    assert_int_equal(x, 0); /* no frame of a pane shows beside the list's */
    screen_send(screen, "q");
    assert_int_equal(screen_finish(screen), 0);
    screen_free(screen);
}

static void that_something_runs_is_said_no_longer_than_it_runs(void **state)
{
    (void)state;
    struct live_child child = {.output = "xxxx\n"};
    struct screen *screen = screen_start(&(struct screen_options){0}, live_child, &child);
    screen_wait(screen);
    screen_send(screen, "apour\r");
    screen_wait_text(screen, "xxxx");
    screen_send(screen, "r");
    screen_wait_keys(screen);
    assert_shows(screen, "a question is being answered");
    screen_signal(screen, SIGURG); /* the run ends, and no key is pressed */
    screen_wait(screen);
    assert_false(screen_has(screen, "a question is being answered"));
    screen_free(screen);
}

static void a_question_without_an_answer_says_so(void **state)
{
    (void)state;
    struct screen *screen = start_idle();
    screen_type(screen, "awhat else?\r");
    assert_shows(screen, "no recorded answer for this question");
    assert_shows(screen, "Question  what else?");
    screen_free(screen);
}

static void a_ceiling_that_does_not_parse_keeps_the_prompt_and_shows_where(void **state)
{
    (void)state;
    struct screen *screen = start_idle();
    screen_type(screen, "c");
    assert_shows(screen, "Ceiling: stdout,time,file.read=./data/*");
    screen_type(screen, ",fil.read=./x\r");
    assert_shows(screen, "Ceiling: stdout,time,file.read=./data/*,fil.read=./x");
    int fault_y, fault_x, caret_y, caret_x;
    assert_true(screen_find(screen, "^", &caret_y, &caret_x));
    assert_true(screen_find(screen, "fil.read=./x", &fault_y, &fault_x));
    assert_int_equal(caret_y, fault_y + 1);
    assert_int_equal(caret_x, fault_x);
    screen_golden(screen, "ceiling-error");
    screen_type(screen, "\033");
    assert_false(screen_cursor_visible(screen)); /* Esc gives up */
    screen_type(screen, "c,net=x.test\r");
    assert_shows(screen, "the ceiling holds from the next run on");
    screen_type(screen, "c");
    assert_shows(screen, "file.read=./data/*,net=x.test");
    screen_free(screen);
}

static void secrets_and_foreign_files_need_the_word_typed(void **state)
{
    (void)state;
    static const char *const grave[] = {",file.read=./.env", ",file.read=/etc/passwd", ",file.read=../other",
                                        ",secret"};
    struct screen *screen = start_idle();
    for (size_t i = 0; i < sizeof grave / sizeof *grave; i++) {
        screen_type(screen, "c");
        screen_type(screen, grave[i]);
        screen_type(screen, "\r");
        assert_shows(screen, "Type \"allow\" to let programs have");
        screen_type(screen, i % 2 ? "y\r" : "\r");
        assert_shows(screen, "the ceiling stays as it was");
    }
    screen_type(screen, "c,file.read=./.env\rallow\r");
    assert_shows(screen, "the ceiling holds from the next run on");
    screen_type(screen, "c"); /* what is there already is not asked for again */
    assert_shows(screen, "file.read=./.env");
    screen_type(screen, ",file.read=./more/*\r");
    assert_shows(screen, "the ceiling holds from the next run on");
    screen_free(screen);
}

static void r_runs_again_and_says_when_nothing_ran(void **state)
{
    (void)state;
    struct screen *screen = start_idle();
    screen_type(screen, "r");
    assert_shows(screen, "nothing ran yet");
    screen_type(screen, "a");
    screen_type(screen, question);
    screen_type(screen, "\r");
    assert_shows(screen, "✓ right");
    unsigned long long before = screen_ack(screen).seq;
    screen_type(screen, "r");
    assert_true(screen_ack(screen).seq > before);
    screen_free(screen);
}

static void the_executor_is_chosen_from_those_there_are(void **state)
{
    (void)state;
    struct screen *screen = start_idle();
    screen_type(screen, "x");
    assert_shows(screen, "python@sandbox");
    screen_type(screen, "\r");
    assert_shows(screen, "the next question runs on python@sandbox");
    screen_free(screen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_replay_draws_the_frames_that_were_live),
        cmocka_unit_test(a_live_session_gives_its_files_out_of_its_log),
        cmocka_unit_test(keys_are_answered_while_output_pours),
        cmocka_unit_test(y_ends_what_runs_and_quits),
        cmocka_unit_test(the_bar_shows_actions_and_empty_panes_what_to_press),
        cmocka_unit_test(a_case_begins_with_its_questions),
        cmocka_unit_test(q_quits_on_the_list_as_the_bottom_line_says),
        cmocka_unit_test(that_something_runs_is_said_no_longer_than_it_runs),
        cmocka_unit_test(a_question_without_an_answer_says_so),
        cmocka_unit_test(a_ceiling_that_does_not_parse_keeps_the_prompt_and_shows_where),
        cmocka_unit_test(secrets_and_foreign_files_need_the_word_typed),
        cmocka_unit_test(r_runs_again_and_says_when_nothing_ran),
        cmocka_unit_test(the_executor_is_chosen_from_those_there_are),
    };
    return cmocka_run_group_tests_name("live", tests, NULL, NULL);
}
