/* techo replay, as lines or JSON: shows a saved session. Nothing runs, nothing is asked. */
#include "commands.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "artifacts.h"
#include "exits.h"
#include "lines.h"
#include "loop.h"
#include "print.h"
#include "saved.h"

enum { TEXT_BYTES = 64 << 20, PATH_BYTES = 64 * 1024 };

/* "   0.031 openat ./.env ...", further lines under the first */
static void print_lines_of(const struct event *event, const struct state *state)
{
    struct buf text;
    char time[32];

    buf_init(&text, TEXT_BYTES);
    snprintf(time, sizeof(time), "%9.3f", (double)event->t / 1e6);
    if (line_of_event(event, state, &text)) {
        char *at = text.data;
        for (char *line; (line = strsep(&at, "\n"));) {
            print_row("%9s %s", time, line);
            time[0] = '\0';
        }
    }
    buf_done(&text);
}

/* False when a signal came while waiting for the event's time. */
static bool keep_pace(const struct event *event, int64_t *last_t, double speed)
{
    int64_t wait = speed > 0 ? (int64_t)((double)(event->t - *last_t) / speed) : 0;

    *last_t = event->t;
    return wait <= 0 || loop_sleep_us(wait);
}

/* 0, -EINTR for a signal, -ENOMEM. */
static int show(struct replay *replay, uint64_t to, double speed, struct artifacts *artifacts)
{
    int64_t last_t = 0;

    for (size_t i = 0; i < replay_count(replay) && replay_event(replay, i)->seq <= to; i++) {
        const struct event *event = replay_event(replay, i);
        if (!keep_pace(event, &last_t, speed))
            return -EINTR;
        if (replay_seek(replay, i + 1) < 0)
            return -ENOMEM;
        print_event(event);
        if (artifacts->dir)
            artifacts_take(artifacts, event, replay_state(replay));
        if (!print_is_json())
            print_lines_of(event, replay_state(replay));
    }
    return 0;
}

int command_replay(const struct arguments *arguments)
{
    struct replay *replay = NULL;
    struct artifacts artifacts = {.folder = -1};
    struct buf path;
    struct err err = {0};
    int status = EXIT_USAGE, code;

    buf_init(&path, PATH_BYTES);
    if (saved_find(arguments->words[0], &path, &err) < 0 || replay_new(path.data, &replay, &err) < 0 ||
        artifacts_open(arguments, &artifacts, &err) < 0) {
        print_failure(&err);
    } else {
        code = show(replay, arguments_count(arguments, OPTION_TO, UINT64_MAX),
                    arguments_factor(arguments, OPTION_SPEED, 0), &artifacts);
        if (!artifacts_write(&artifacts) && code == 0)
            code = -EIO;
        status = code == -EINTR ? EXIT_CANCELLED : code < 0 ? EXIT_USAGE : EXIT_DONE;
        if (code == -ENOMEM)
            print_person("techo: out of memory");
        if (replay_torn(replay))
            print_person("techo: the last line of %s is torn, and left out", path.data);
    }
    artifacts_done(&artifacts);
    replay_free(replay);
    buf_done(&path);
    return status;
}
