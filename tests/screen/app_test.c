/* The whole program on the screen: real engine, real sandbox, a small case. Nothing here is played. */
#include "frames.h"

#include <ftw.h>
#include <glob.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char state_home[] = "/tmp/techo-app-XXXXXX";

/* build/MODE/tests/app_test stands beside build/MODE/bin; of the release mode the programs stand in the checkout. */
static const char *program_path(void)
{
    static char path[PATH_MAX];
    ssize_t len = readlink("/proc/self/exe", path, sizeof path - 32);
    path[len > 0 ? len : 0] = '\0';
    static const char beside[] = "/bin/techo";
    char *tests = strstr(path, "/tests/app_test");
    if (tests) {
        memcpy(tests, beside, sizeof beside); /* it is shorter */
    }
    return tests && access(path, X_OK) == 0 ? path : source_path("bin/techo");
}

static int run_techo(void *context)
{
    (void)context;
    char program[PATH_MAX], model[PATH_MAX], folder[PATH_MAX];
    snprintf(program, sizeof program, "%s", program_path());
    snprintf(model, sizeof model, "recorded:%s", source_path("tests/data/tiny/answers.jsonl"));
    snprintf(folder, sizeof folder, "%s", source_path("tests/data/tiny"));
    unsetenv("TECHO_HOME");
    setenv("XDG_STATE_HOME", state_home, 1);
    execl(program, "techo", "--case", folder, "--model", model, "--instant", (char *)NULL);
    return 127;
}

/* The one log that is there. */
static void find_log(char *to, size_t size)
{
    char pattern[PATH_MAX];
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s/techo/sessions/*.jsonl", state_home);
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    assert_int_equal(found.gl_pathc, 1);
    snprintf(to, size, "%s", found.gl_pathv[0]);
    globfree(&found);
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    (void)status, (void)type, (void)walk;
    return remove(path);
}

static int make_home(void **state)
{
    (void)state;
    memcpy(strrchr(state_home, '-') + 1, "XXXXXX", 6);
    return mkdtemp(state_home) ? 0 : -1;
}

static int remove_home(void **state)
{
    (void)state;
    return nftw(state_home, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static struct screen *start(void)
{
    struct screen *screen = screen_start(&(struct screen_options){0}, run_techo, NULL);
    screen_wait(screen);
    assert_shows(screen, "t1  What do the numbers sum up to?");
    return screen;
}

static void a_question_is_answered_for_real_and_its_replay_draws_the_same(void **state)
{
    (void)state;
    struct frames frames = {0};
    struct screen *screen = start();
    screen_on_frame(screen, frames_keep, &frames);
    screen_type(screen, "\r"); /* the first question: attempt 1 is refused .env and fails, attempt 2 is right */
    assert_shows(screen, "attempt 2/3   ✓ right");
    assert_shows(screen, "✗ DENIED");
    assert_shows(screen, "open ./.env read  DENIED");
    screen_key(screen, VTERM_KEY_LEFT);
    assert_shows(screen, "line 2       no        ✗ DENIED  1× mounts");
    screen_key(screen, VTERM_KEY_RIGHT);
    screen_on_frame(screen, NULL, NULL);
    screen_send(screen, "q");
    int status = screen_finish(screen);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    screen_free(screen);
    assert_true(frames.count >= 2);
    char log[PATH_MAX];
    find_log(log, sizeof log);
    frames_compare(&frames, log);
}

static void text_with_escapes_is_shown_not_obeyed(void **state)
{
    (void)state;
    struct screen *screen = start();
    screen_type(screen, "\033");
    screen_type(screen, "aHow often does it say hello?\r");
    assert_shows(screen, "\\x1b]0;owned\\x07\\x1b[2J hello");
    assert_int_equal(screen_surprises(screen), 0);
    screen_free(screen);
}

static void a_wider_ceiling_and_r_let_it_through(void **state)
{
    (void)state;
    struct screen *screen = start();
    screen_type(screen, "\r");
    assert_shows(screen, "open ./.env read  DENIED");
    screen_type(screen, "c,file.read=./.env\rallow\r");
    screen_type(screen, "r");
    assert_false(screen_has(screen, "open ./.env read  DENIED"));
    assert_shows(screen, "✓ right");
    screen_free(screen);
}

/* Asks for the first question under a ceiling that asks back; its first program touches ./.env. */
static struct screen *start_asking(void)
{
    struct screen *screen = start();
    screen_type(screen, "\033");
    screen_type(screen, "c,file.read=?\r");
    screen_send(screen, "l\r");
    screen_wait_text(screen, "The program asks");
    return screen;
}

static void a_person_decides_on_what_a_program_touches(void **state)
{
    (void)state;
    struct screen *screen = start_asking();
    screen_wait_text(screen, "Enter decides");
    assert_shows(screen, "May it read this file?");
    assert_shows(screen, "./.env");
    assert_shows(screen, "touched by openat in line 4");
    assert_shows(screen, "[deny]");
    screen_send(screen, "o");
    screen_wait_text(screen, "[once]");
    screen_send(screen, "\r"); /* attempt 1 reads it, prints nothing, and so fails; attempt 2 touches it, too */
    screen_wait_text(screen, "[deny]");
    screen_wait_text(screen, "Enter decides");
    screen_type(screen, "\r"); /* what stands is no */
    assert_shows(screen, "attempt 2/3   ✓ right");
    assert_shows(screen, "✗ DENIED");
    screen_key(screen, VTERM_KEY_LEFT);
    assert_false(screen_has(screen, "DENIED"));
    screen_free(screen);
}

static void what_was_typed_before_the_dialog_decides_nothing(void **state)
{
    (void)state;
    struct screen *screen = start_asking();
    screen_send(screen, "o\r\r\033s\r"); /* before keys count */
    screen_wait_keys(screen);
    screen_wait_text(screen, "Enter decides");
    assert_shows(screen, "[deny]");
    screen_send(screen, "\033[200~o\r\033[201~"); /* nor does a paste */
    screen_wait_keys(screen);
    assert_shows(screen, "[deny]");
    screen_free(screen);
}

static void a_whole_session_takes_a_word(void **state)
{
    (void)state;
    struct screen *screen = start_asking();
    screen_wait_text(screen, "Enter decides");
    screen_send(screen, "s\r");
    screen_wait_text(screen, "Type session:");
    screen_send(screen, "yes\r");
    screen_wait_text(screen, "nothing is decided yet");
    screen_send(screen, "\r");
    screen_wait_text(screen, "Type session:");
    screen_type(screen, "session\r"); /* attempt 2 is not asked any more */
    assert_shows(screen, "attempt 2/3   ✓ right");
    assert_false(screen_has(screen, "DENIED"));
    assert_false(screen_has(screen, "The program asks"));
    screen_free(screen);
}

static void a_stopped_run_asks_no_more(void **state)
{
    (void)state;
    struct screen *screen = start_asking();
    screen_type(screen, "\003"); /* Ctrl-C counts at once */
    assert_false(screen_has(screen, "The program asks"));
    screen_free(screen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_question_is_answered_for_real_and_its_replay_draws_the_same, make_home,
                                        remove_home),
        cmocka_unit_test_setup_teardown(text_with_escapes_is_shown_not_obeyed, make_home, remove_home),
        cmocka_unit_test_setup_teardown(a_wider_ceiling_and_r_let_it_through, make_home, remove_home),
        cmocka_unit_test_setup_teardown(a_person_decides_on_what_a_program_touches, make_home, remove_home),
        cmocka_unit_test_setup_teardown(what_was_typed_before_the_dialog_decides_nothing, make_home, remove_home),
        cmocka_unit_test_setup_teardown(a_whole_session_takes_a_word, make_home, remove_home),
        cmocka_unit_test_setup_teardown(a_stopped_run_asks_no_more, make_home, remove_home),
    };
    return cmocka_run_group_tests_name("the whole program", tests, NULL, NULL);
}
