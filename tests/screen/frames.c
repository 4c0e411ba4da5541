/* Live frames against replayed ones. */
#include "frames.h"

#include "replay_child.h"

#include <stdlib.h>
#include <string.h>

void assert_shows(struct screen *screen, const char *text)
{
    if (!screen_has(screen, text)) {
        char *rows = screen_text(screen);
        fprintf(stderr, "%s", rows);
        free(rows);
        fail_msg("not on the screen: %s", text);
    }
}

/* Everything but the bottom line, which belongs to the viewer. */
static char *picture(struct screen *screen)
{
    char *text = screen_text(screen);
    *strrchr(text, '\n') = '\0';
    *strrchr(text, '\n') = '\0';
    return text;
}

void frames_keep(void *context, struct screen *screen)
{
    struct frames *frames = context;
    struct ack ack = screen_ack(screen);
    bool asked = !strstr(screen_row(screen, 1), "nothing was asked yet");
    if (!ack.covered && asked && ack.seq > 0 && ack.seq < FRAMES_MAX) {
        frames->count += frames->picture[ack.seq] == NULL;
        free(frames->picture[ack.seq]);
        frames->picture[ack.seq] = picture(screen);
        frames->now[ack.seq] = ack.now;
    }
}

void frames_compare(struct frames *frames, const char *recording)
{
    struct replay_child child = {recording, 0};
    struct screen *replay = screen_start(&(struct screen_options){0}, replay_child, &child);
    int compared = 0;
    screen_wait(replay);
    for (unsigned long long seq = 1; seq < FRAMES_MAX && compared < frames->count; seq++) {
        screen_type(replay, ".");
        assert_int_equal(screen_ack(replay).seq, seq);
        if (!frames->picture[seq]) {
            continue;
        }
        if (screen_ack(replay).now != frames->now[seq]) { /* a silent step went on: the same event at that time */
            char command[64];
            snprintf(command, sizeof command, ":0:%.6f\r", (double)frames->now[seq] / 1e6);
            screen_type(replay, command);
            assert_int_equal(screen_ack(replay).seq, seq);
        }
        char *now = picture(replay);
        if (strcmp(now, frames->picture[seq]) != 0) {
            fprintf(stderr, "event %llu, live:\n%s\nreplayed:\n%s\n", seq, frames->picture[seq], now);
        }
        assert_string_equal(now, frames->picture[seq]);
        free(now);
        free(frames->picture[seq]);
        compared++;
    }
    assert_int_equal(compared, frames->count);
    screen_free(replay);
}
