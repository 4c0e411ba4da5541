/* Recordings whose every text is an attack on the terminal: none of it acts, whatever it poses as. */
#include "frames.h"
#include "replay_child.h"

#include "../../core/core.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char payload[] =
    "\033]0;owned\007\033]52;c;ZXZpbA==\007\033]8;;http://x.test\033\\\033[2J\033[H\033[?1000h\033[31m"
    "\033P1$qm\033\\\033_x\033\\\a\b\r\x7f\xc2\x9b"
    "2J\xe2\x80\xae\xe2\x80\x8b%n%s ";

/* Words that decide how a record is read; the rest is free text. */
static bool structural(const char *field)
{
    static const char *const fields[] = {"format", "step", "state", "verdict", "channel", "origin", "status", "name"};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (strcmp(fields[i], field) == 0) {
            return true;
        }
    }
    return false;
}

static void poison(cJSON *value, bool all)
{
    for (cJSON *child = value ? value->child : NULL; child; child = child->next) {
        bool keep = child->string && (strcmp(child->string, "format") == 0 || (!all && structural(child->string)));
        if (cJSON_IsString(child) && !keep) {
            char text[4096];
            snprintf(text, sizeof text, "%s%s", payload, child->valuestring);
            assert_non_null(cJSON_SetValuestring(child, text));
        } else {
            poison(child, all);
        }
    }
}

static void write_poisoned(const char *path, bool all)
{
    struct recording recording;
    struct err err;
    assert_int_equal(recording_read("tests/data/sample-session.jsonl", &recording, &err), 0);
    FILE *to = fopen(path, "we");
    assert_non_null(to);
    for (size_t i = 0; i < recording.count; i++) {
        struct buf line;
        buf_init(&line, 1 << 20);
        poison(recording.events[i]->body, all);
        assert_int_equal(event_format(recording.events[i], &line), 0);
        fprintf(to, "%s\n", line.data);
        buf_done(&line);
    }
    fclose(to);
    recording_done(&recording);
}

static void assert_frame_stands(struct screen *screen, const char *corner)
{
    assert_int_equal(screen_surprises(screen), 0);
    assert_true(strncmp(screen_row(screen, 3), corner, strlen(corner)) == 0);
    assert_true(strncmp(screen_row(screen, 0), " techo", 6) == 0);
    assert_false(screen_has(screen, "http://x.test\033"));
}

static void replay_poisoned(bool all, const char *locale, const char *corner)
{
    char path[] = "/tmp/techo-hostile-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    write_poisoned(path, all);
    struct replay_child child = {path, 1};
    struct screen_options options = {.locale = locale, .term = "screen-256color"};
    struct screen *screen = screen_start(&options, replay_child, &child);
    screen_wait(screen);
    for (int i = 0; i < 88; i++) {
        screen_type(screen, ".");
        assert_frame_stands(screen, corner);
    }
    static const char *const keys[] = {"w", "\033", "l", "\033", "4\r", "2z", "\033", "?", "\033"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        screen_type(screen, keys[i]);
        assert_int_equal(screen_surprises(screen), 0);
    }
    assert_shows(screen, "\\x1b]0;owned"); /* it is there, and seen for what it is */
    screen_free(screen);
    unlink(path);
}

static void free_text_never_acts(void **state)
{
    (void)state;
    replay_poisoned(false, NULL, "┌1 Permissions");
    replay_poisoned(false, "C", "+1 Permissions");
}

static void words_of_the_format_never_act_either(void **state)
{
    (void)state;
    replay_poisoned(true, NULL, "┌1 Permissions");
}

static int print_payload(void *context)
{
    (void)context;
    printf("%s", payload);
    printf("\033]7777;0;0;1;0;0;0;24;80\a");
    return 0;
}

/* The tests above would see it. */
static void printed_as_it_is_the_text_does_act(void **state)
{
    (void)state;
    struct screen *screen = screen_start(&(struct screen_options){0}, print_payload, NULL);
    screen_finish(screen);
    assert_true(screen_surprises(screen) > 0);
    screen_free(screen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_text_never_acts),
        cmocka_unit_test(words_of_the_format_never_act_either),
        cmocka_unit_test(printed_as_it_is_the_text_does_act),
    };
    return cmocka_run_group_tests_name("hostile text", tests, NULL, NULL);
}
