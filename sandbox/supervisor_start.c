/* How a run starts: what is granted is checked and opened, the program's ways out are made, then its cell. */
#include "supervisor_state_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { SAMPLE_FIRST_US = 2000 }; /* the gaps grow from this */

/* What this build cannot enforce is never run as if it could. */
static int refuse_unserved(const struct supervisor *supervisor, struct err *err)
{
    for (size_t i = 0; i < supervisor->granted.count; i++) {
        const struct policy_item *item = &supervisor->granted.items[i];
        if (item->ask && item->permission != PERMISSION_FILE_READ && item->permission != PERMISSION_NET) {
            return err_set(err, -EOPNOTSUPP, "%s is not served by this build", item->text);
        }
    }
    return 0;
}

static int open_pipe(int *ret_read, int *ret_write)
{
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) < 0) {
        return -errno;
    }
    fcntl(ends[0], F_SETFL, O_NONBLOCK); /* of our end alone */
    *ret_read = ends[0];
    *ret_write = ends[1];
    return 0;
}

/*
 * A stream of the caller's, as it is. But a terminal is one thing in both directions: what is open for reading, too, is
 * the keyboard, whatever the policy says of standard input. Where it cannot be opened for writing alone (it is another
 * user's, after su), a pipe stands in its place, and what comes out is written here.
 */
static int pass_stream(struct supervisor *supervisor, int number, int *ret_fd, bool *ret_given)
{
    int fd = supervisor->options->stdio[number], reader = -1, result = 0;
    char path[32];

    *ret_fd = fd;
    if (policy_has(&supervisor->granted, PERMISSION_STDIN) || !isatty(fd) ||
        (fcntl(fd, F_GETFL) & O_ACCMODE) == O_WRONLY) {
        return 0;
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    *ret_fd = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
    if (*ret_fd < 0) {
        result = open_pipe(&reader, ret_fd);
        stream_init(&supervisor->streams[number - 1], reader, number, INT64_MAX, false);
    }
    *ret_given = result == 0;
    return result;
}

/* The descriptors that the program gets; `given` says which of them are ours to close. */
static int open_stdio(struct supervisor *supervisor, struct cell_options *cell, int nothing, bool given[4])
{
    const struct supervisor_options *options = supervisor->options;
    bool output = policy_has(&supervisor->granted, PERMISSION_STDOUT);
    int result = 0, reader = -1;

    cell->stdio[0] = nothing;
    if (options->stdio[0] >= 0 && policy_has(&supervisor->granted, PERMISSION_STDIN)) {
        if (options->request->terminal && isatty(options->stdio[0])) {
            cell->stdio[0] = options->stdio[0]; /* the command talks to it, as in a shell */
        } else {
            result = feed_open(&supervisor->input, options->stdio[0], &cell->stdio[0]);
            given[0] = result == 0;
        }
    }
    if (result == 0 && options->request->terminal) {
        cell->stdio[1] = nothing;
        result = output ? pass_stream(supervisor, 1, &cell->stdio[1], &given[1]) : 0;
        return result ? result : pass_stream(supervisor, 2, &cell->stdio[2], &given[2]);
    }
    for (int i = 0; i < 2 && result == 0; i++) {
        result = open_pipe(&reader, &cell->stdio[i + 1]);
        if (result == 0) {
            given[i + 1] = true;
            stream_init(&supervisor->streams[i], reader, i + 1, supervisor_limit(supervisor, LIMIT_OUTPUT),
                        i == 0 && !output);
        }
    }
    if (result == 0 && options->request->said) {
        result = open_pipe(&reader, &cell->said);
        if (result == 0) {
            given[3] = true;
            supervisor->said.fd = reader;
        }
    }
    return result;
}

static int make_cell(struct supervisor *supervisor, struct err *err)
{
    struct cell_options cell = {
        .request = supervisor->options->request,
        .granted = &supervisor->granted,
        .pins = &supervisor->pins,
        .decoy = supervisor->options->decoy,
        .bare = supervisor->options->bare,
        .stdio = {-1, -1, -1},
        .said = -1,
    };
    bool given[4] = {false};
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    int result = nothing < 0 ? -errno : open_stdio(supervisor, &cell, nothing, given);

    if (result < 0) {
        err_errno(err, result, "no pipes for the program");
    } else {
        result = cell_start(&cell, &supervisor->cell, err);
        supervisor->has_cell = result == 0;
    }
    for (int i = 0; i < 4; i++) {
        if (given[i]) {
            close(i < 3 ? cell.stdio[i] : cell.said);
        }
    }
    close_descriptor(&nothing);
    return result;
}

static void report_cell(struct supervisor *supervisor)
{
    struct cell *cell = &supervisor->cell;
    struct report made = {
        .kind = REPORT_CELL,
        .cell = {.level = cell->level,
                 .layers = cell->layers,
                 .off = cell->off.data ? cell->off.data : (char[]){""},
                 .setup_us = supervisor->started_us - supervisor->asked_us,
                 .resolved_command = cell->command,
                 .memory_sampled = cell->memory_sampled},
    };

    supervisor_report(supervisor, &made);
}

int supervisor_start(struct supervisor *supervisor, struct err *err)
{
    const struct sandbox_request *request = supervisor->options->request;
    clock_gettime(CLOCK_REALTIME, &supervisor->wall_started);
    int result = policy_parse(request->granted, &supervisor->granted, err);

    if (result == 0) {
        result = refuse_unserved(supervisor, err);
    }
    if (result == 0) {
        result = pins_open(&supervisor->granted, request->root, &supervisor->pins, err);
    }
    if (result == 0 && request->direct) {
        result = pins_guard(&supervisor->pins, request->root, request->own, err);
    }
    if (result == 0) {
        result = make_cell(supervisor, err);
    }
    if (result < 0) {
        return result;
    }
    const struct view view = {.root = request->root,
                              .granted = &supervisor->granted,
                              .cell = &supervisor->cell,
                              .base = request->base,
                              .base_count = request->base_count,
                              .own = request->own,
                              .guarded = request->notify == NOTIFY_ANSWER};
    result = watch_init(&supervisor->watch, &view, request->notify, supervisor_report, supervisor);
    if (result < 0) {
        return err_errno(err, result, "no memory for the rows");
    }
    supervisor->watch.asks.at_once = supervisor->options->client < 0;
    supervisor->watch.asks.allow = supervisor->options->allow_asked;
    meter_init(&supervisor->meter, &supervisor->cell);
    watch_prepare(supervisor->cell.listener);
    supervisor->started_us = supervisor->usage_us = monotonic_us();
    supervisor->sample_gap_us = SAMPLE_FIRST_US;
    supervisor->sample_us = supervisor->started_us + SAMPLE_FIRST_US;
    supervisor->watch.started_us = supervisor->started_us;
    report_cell(supervisor);
    return cell_go(&supervisor->cell, err);
}
