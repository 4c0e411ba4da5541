/* techo replay, as lines or JSON: shows a saved session. Nothing runs, nothing is asked. */
#include "commands.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "exits.h"
#include "lines.h"
#include "loop.h"
#include "print.h"
#include "saved.h"

enum { TEXT_BYTES = 64 << 20, PATH_BYTES = 64 * 1024 };

/* "   0.031 openat ./.env ...", further lines under the first */
static void print_lines_of(const struct event *event)
{
    struct buf text;
    char time[32];

    buf_init(&text, TEXT_BYTES);
    snprintf(time, sizeof(time), "%9.3f", (double)event->t / 1e6);
    if (line_of_event(event, &text)) {
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

int command_replay(const struct arguments *arguments)
{
    const uint64_t to = arguments_count(arguments, OPTION_TO, UINT64_MAX);
    const double speed = arguments_factor(arguments, OPTION_SPEED, 0);
    struct recording recording = {0};
    struct buf path;
    struct err err = {0};
    int64_t last_t = 0;
    bool paced = true;

    buf_init(&path, PATH_BYTES);
    if (saved_find(arguments->words[0], &path, &err) < 0 || recording_read(path.data, &recording, &err) < 0) {
        print_failure(&err);
        buf_done(&path);
        return EXIT_USAGE;
    }
    for (size_t i = 0; i < recording.count && recording.events[i]->seq <= to && paced; i++) {
        paced = keep_pace(recording.events[i], &last_t, speed);
        print_event(recording.events[i]);
        if (!print_is_json() && paced)
            print_lines_of(recording.events[i]);
    }
    if (recording.torn && paced)
        print_person("techo: the last line of %s is torn, and left out", path.data);
    recording_done(&recording);
    buf_done(&path);
    return paced ? EXIT_DONE : EXIT_CANCELLED;
}
