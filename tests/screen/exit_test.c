/* The terminal is given back on every way out. */
#include "harness.h"
#include "live_child.h"
#include "replay_child.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static struct replay_child sample = {"tests/data/sample-session.jsonl", UINT64_MAX};

static struct screen *start(void)
{
    struct screen *screen = screen_start(&(struct screen_options){0}, replay_child, &sample);
    screen_wait(screen);
    assert_true(screen_alternate(screen));
    assert_true(screen_pastes_bracketed(screen));
    assert_false(screen_cursor_visible(screen));
    struct termios before, now;
    screen_settings(screen, &before, &now);
    assert_false(now.c_lflag & (ICANON | ECHO | ISIG)); /* it was taken over, so that giving back means something */
    return screen;
}

static void assert_given_back(struct screen *screen)
{
    struct termios before, now;
    screen_settings(screen, &before, &now);
    assert_int_equal(now.c_iflag, before.c_iflag);
    assert_int_equal(now.c_oflag, before.c_oflag);
    assert_int_equal(now.c_cflag, before.c_cflag);
    assert_int_equal(now.c_lflag, before.c_lflag);
    assert_memory_equal(now.c_cc, before.c_cc, sizeof now.c_cc);
    assert_false(screen_alternate(screen));
    assert_true(screen_cursor_visible(screen));
    assert_false(screen_pastes_bracketed(screen));
}

static void q(void **state)
{
    (void)state;
    struct screen *screen = start();
    screen_send(screen, "q");
    int status = screen_finish(screen);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_given_back(screen);
    screen_free(screen);
}

static void signals_that_ask_to_leave(void **state)
{
    (void)state;
    static const int signals[] = {SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGALRM, SIGPWR};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct screen *screen = start();
        screen_signal(screen, signals[i]);
        int status = screen_finish(screen);
        assert_true(WIFEXITED(status)); /* in order: the session's log ends well */
        assert_int_equal(WEXITSTATUS(status), 128 + signals[i]);
        assert_given_back(screen);
        screen_free(screen);
    }
}

static void crashes(void **state)
{
    (void)state;
    static const int signals[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct screen *screen = start();
        screen_signal(screen, signals[i]);
        int status = screen_finish(screen);
        assert_true(WIFSIGNALED(status)); /* it goes on dying of the same */
        assert_int_equal(WTERMSIG(status), signals[i]);
        assert_given_back(screen);
        screen_free(screen);
    }
}

static void a_terminal_that_vanishes_ends_it(void **state)
{
    (void)state;
    struct screen *screen = start();
    screen_close_terminal(screen);
    int status = screen_finish(screen); /* it does not spin, nor hang */
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 128 + SIGHUP);
    screen_free(screen);
}

static void ctrl_z_gives_it_back_and_fg_takes_it_again(void **state)
{
    (void)state;
    struct screen *screen = start();
    char *before = screen_text(screen);
    for (int i = 0; i < 2; i++) {
        screen_send(screen, "\032");
        assert_true(screen_wait_stopped(screen));
        assert_given_back(screen);
        screen_continue(screen);
        screen_wait(screen);
        char *after = screen_text(screen);
        assert_string_equal(after, before);
        free(after);
        assert_true(screen_alternate(screen));
        assert_true(screen_pastes_bracketed(screen));
    }
    screen_signal(screen, SIGTSTP); /* from outside the same */
    assert_true(screen_wait_stopped(screen));
    assert_given_back(screen);
    screen_continue(screen);
    screen_wait(screen);
    free(before);
    screen_send(screen, "q");
    assert_int_equal(screen_finish(screen), 0);
    assert_given_back(screen);
    screen_free(screen);
}

static void after_a_stop_from_outside_the_terminal_is_taken_again(void **state)
{
    (void)state;
    struct screen *screen = start();
    struct termios before, now;
    screen_signal(screen, SIGSTOP);
    assert_true(screen_wait_stopped(screen));
    screen_settings(screen, &before, &now);
    screen_set_settings(screen, &before); /* as a shell does */
    screen_continue(screen);
    screen_wait(screen);
    screen_settings(screen, &before, &now);
    assert_false(now.c_lflag & (ICANON | ECHO | ISIG));
    screen_send(screen, "q");
    assert_int_equal(screen_finish(screen), 0);
    assert_given_back(screen);
    screen_free(screen);
}

static void what_libraries_write_on_stderr_comes_after_the_picture(void **state)
{
    (void)state;
    struct live_child child = {.complain = "libfoo: careful \033[31m!\n"};
    struct screen *screen = screen_start(&(struct screen_options){0}, live_child, &child);
    screen_wait(screen);
    screen_type(screen, "acomplain\r");
    assert_false(screen_has(screen, "libfoo"));
    screen_send(screen, "q");
    assert_int_equal(screen_finish(screen), 0);
    assert_true(screen_has(screen, "libfoo: careful \\x1b[31m!"));
    assert_given_back(screen);
    screen_free(screen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(q),
        cmocka_unit_test(signals_that_ask_to_leave),
        cmocka_unit_test(crashes),
        cmocka_unit_test(a_terminal_that_vanishes_ends_it),
        cmocka_unit_test(ctrl_z_gives_it_back_and_fg_takes_it_again),
        cmocka_unit_test(after_a_stop_from_outside_the_terminal_is_taken_again),
        cmocka_unit_test(what_libraries_write_on_stderr_comes_after_the_picture),
    };
    return cmocka_run_group_tests_name("every way out", tests, NULL, NULL);
}
