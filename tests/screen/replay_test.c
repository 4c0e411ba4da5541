/* The session screen, drawn from a recording, at the sizes that the design names. */
#include "harness.h"
#include "replay_child.h"

static struct replay_child sample = {"tests/data/sample-session.jsonl", UINT64_MAX};

static struct screen *start(int rows, int columns)
{
    return screen_start(&(struct screen_options){.rows = rows, .columns = columns}, replay_child, &sample);
}

static void the_session_screen_is_drawn_at(int rows, int columns, const char *name)
{
    struct screen *screen = start(rows, columns);
    screen_wait(screen);
    screen_golden(screen, name);
    screen_free(screen);
}

static void the_screen_at_80x24(void **state)
{
    (void)state;
    the_session_screen_is_drawn_at(24, 80, "session-80x24");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_screen_at_80x24)};
    return cmocka_run_group_tests_name("session screen", tests, NULL, NULL);
}
