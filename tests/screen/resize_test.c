/* A storm of sizes, down to one cell; afterwards the picture is exact. */
#include "harness.h"
#include "live_child.h"
#include "replay_child.h"

#include <stdlib.h>

static struct replay_child sample = {"tests/data/sample-session.jsonl", UINT64_MAX};

/* The same sizes in every run. */
static unsigned next_number(unsigned *seed)
{
    *seed = *seed * 1103515245u + 12345u;
    return *seed >> 16 & 0x7fff;
}

static void storm(struct screen *screen, bool wait_each)
{
    unsigned seed = 42;
    for (int i = 0; i < 200; i++) {
        int rows = 1 + (int)(next_number(&seed) % 60), columns = 1 + (int)(next_number(&seed) % 200);
        screen_resize(screen, rows, columns);
        if (wait_each) {
            screen_wait(screen);
        }
    }
    screen_resize(screen, 1, 1);
    screen_wait(screen);
    screen_resize(screen, 24, 80);
    screen_wait(screen);
}

static void after_a_storm_the_picture_is_exact(void **state)
{
    (void)state;
    struct screen *screen = screen_start(&(struct screen_options){0}, replay_child, &sample);
    screen_wait(screen);
    storm(screen, true);
    screen_golden(screen, "session-80x24");
    storm(screen, false);
    screen_golden(screen, "session-80x24");
    screen_free(screen);
}

static void overlays_and_zoom_live_through_it(void **state)
{
    (void)state;
    static const char *const keys[] = {"?", "w", "l", "2z", ":", "/"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        struct screen *screen = screen_start(&(struct screen_options){0}, replay_child, &sample);
        screen_wait(screen);
        screen_type(screen, keys[i]);
        char *before = screen_text(screen);
        storm(screen, true);
        char *after = screen_text(screen);
        assert_string_equal(after, before);
        free(before);
        free(after);
        screen_free(screen);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(after_a_storm_the_picture_is_exact),
        cmocka_unit_test(overlays_and_zoom_live_through_it),
    };
    return cmocka_run_group_tests_name("resize", tests, NULL, NULL);
}
