/*
 * One poll loop that never blocks on the program or the application. The
 * program's ways out are read here, its accesses judged here, its limits of
 * time and output kept here; everything else is the kernel's.
 */
#include "supervisor_internal.h"

#include "artifact_internal.h"
#include "outcome_internal.h"
#include "supervisor_state_internal.h"
#include "wire_internal.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    SAMPLE_US = 50000,        /* the longest gap between two samples */
    SAMPLE_MEMORY_US = 10000, /* where no control group counts the memory */
    USAGE_US = 200000,
    USAGE_BEHIND_US = 1000000,
    OUTPUT_FACTOR = 16, /* times what is kept: written over both streams, it kills */
    DELIVER_MS = 1000, /* for what a program sent that has ended */
    HIT_PERCENT = 90,   /* of a limit that answers with an errno: it was hit */
};

void supervisor_report(void *context, struct report *to_send)
{
    struct supervisor *supervisor = context;

    if (supervisor->options->client >= 0) {
        outbox_add(&supervisor->outbox, to_send);
    } else {
        supervisor->options->report(supervisor->options->context, to_send);
    }
}

/* ---- while it runs ---------------------------------------------------------------------------------------------- */

static void drain_said(void *context)
{
    struct supervisor *supervisor = context;

    if (supervisor->said.fd >= 0) {
        said_read(&supervisor->said, supervisor_report, supervisor);
        supervisor->watch.line = supervisor->said.at;
    }
}

static void kill_for(struct supervisor *supervisor, enum limit limit)
{
    if (supervisor->killed_for < 0) {
        supervisor->killed_for = (int)limit;
    }
}

static void check_output(struct supervisor *supervisor)
{
    uint64_t most = supervisor_limit(supervisor, LIMIT_OUTPUT) * OUTPUT_FACTOR;

    if (supervisor->options->request->terminal) {
        return; /* the streams are the caller's */
    }
    if (supervisor->streams[0].total + supervisor->streams[1].total > most || supervisor->said.total > most) {
        kill_for(supervisor, LIMIT_OUTPUT);
    }
}

static void report_usage(struct supervisor *supervisor, int64_t now, bool at_end)
{
    struct report usage = {.kind = REPORT_USAGE, .usage = supervisor->meter.usage};

    usage.usage.wall_us = now - supervisor->started_us - asks_held_us(&supervisor->watch.asks, now);
    usage.usage.output[1] = supervisor->streams[0].total;
    usage.usage.output[2] = supervisor->streams[1].total;
    supervisor_report(supervisor, &usage);
    accesses_flush(&supervisor->watch.accesses, at_end, supervisor_report, supervisor);
    supervisor->usage_us = now;
}

static void sample(struct supervisor *supervisor, int64_t now)
{
    struct meter *meter = &supervisor->meter;
    uint64_t memory;
    int64_t longest = supervisor->cell.memory_sampled ? SAMPLE_MEMORY_US : SAMPLE_US;

    meter_sample(meter);
    memory = meter->memory_resident > meter->memory_buffers ? meter->memory_resident : meter->memory_buffers;
    supervisor->sample_us = now + supervisor->sample_gap_us;
    supervisor->sample_gap_us = supervisor->sample_gap_us * 2 < longest ? supervisor->sample_gap_us * 2 : longest;
    if (meter->usage.cpu_us >= (int64_t)supervisor_limit(supervisor, LIMIT_CPU)) {
        kill_for(supervisor, LIMIT_CPU);
    } else if (supervisor->cell.memory_sampled && memory > supervisor_limit(supervisor, LIMIT_MEMORY)) {
        kill_for(supervisor, LIMIT_MEMORY);
    } else if (meter->tasks > supervisor_limit(supervisor, LIMIT_PROCESSES)) {
        kill_for(supervisor, LIMIT_PROCESSES);
    }
}

/* Elapsed time stands still while a person is asked. */
static int64_t wall_end(const struct supervisor *supervisor, int64_t now)
{
    return supervisor->started_us + (int64_t)supervisor_limit(supervisor, LIMIT_WALL) +
           asks_held_us(&supervisor->watch.asks, now);
}

static void check_time(struct supervisor *supervisor)
{
    int64_t now = monotonic_us();

    watch_decide_late(&supervisor->watch, now);
    if (now >= wall_end(supervisor, now)) {
        kill_for(supervisor, LIMIT_WALL);
    }
    if (now >= supervisor->sample_us) {
        sample(supervisor, now);
    }
    /* less often while the application does not keep up, as in a flood of output */
    if (now - supervisor->usage_us >= (supervisor->outbox.bytes == 0 ? USAGE_US : USAGE_BEHIND_US)) {
        report_usage(supervisor, now, false);
    }
}

static int milliseconds_left(const struct supervisor *supervisor)
{
    int64_t now = monotonic_us();
    int64_t wall = wall_end(supervisor, now) - now;
    int64_t sample = supervisor->sample_us - now;
    int64_t left = wall < sample ? wall : sample;

    return left <= 0 ? 0 : (int)((left + 999) / 1000);
}

enum {
    POLL_LISTENER,
    POLL_DNS,
    POLL_RELAY,
    POLL_INPUT,
    POLL_OUT,
    POLL_ERR,
    POLL_SAID,
    POLL_CONTROL,
    POLL_INIT,
    POLL_CLIENT,
    POLL_SIGNALS,
    POLL_COUNT
};

static void prepare_poll(const struct supervisor *supervisor, struct pollfd list[POLL_COUNT])
{
    const struct cell *cell = &supervisor->cell;
    short input_events;
    int input = feed_waits(&supervisor->input, &input_events);
    bool slow = supervisor->outbox.bytes >= OUTBOX_FULL; /* then the program waits for the application */
    const int fds[POLL_COUNT] = {
        [POLL_LISTENER] = cell->listener,
        [POLL_DNS] = cell->dns,
        [POLL_RELAY] = supervisor->watch.relay.epoll,
        [POLL_INPUT] = input,
        [POLL_OUT] = slow ? -1 : supervisor->streams[0].fd,
        [POLL_ERR] = slow ? -1 : supervisor->streams[1].fd,
        [POLL_SAID] = slow ? -1 : supervisor->said.fd,
        [POLL_CONTROL] = cell->control,
        [POLL_INIT] = cell->init_pidfd,
        [POLL_CLIENT] = supervisor->options->client,
        [POLL_SIGNALS] = supervisor->options->signals,
    };

    for (int i = 0; i < POLL_COUNT; i++) {
        list[i] = (struct pollfd){fds[i], POLLIN, 0};
    }
    list[POLL_INPUT].events = input_events;
    if (supervisor->outbox.first) {
        list[POLL_CLIENT].events |= POLLOUT;
    }
}

static void hear_client(struct supervisor *supervisor, short events)
{
    struct run_answer said;

    if (events & POLLOUT) {
        outbox_flush(&supervisor->outbox);
    }
    if (events & POLLIN) {
        ssize_t len = wire_receive(supervisor->options->client, &said, sizeof said, NULL, 0, NULL, false);
        supervisor->cancelled = supervisor->cancelled || (len == 1 && said.what == RUN_CANCEL);
        if (len == sizeof said && said.what == RUN_ANSWER) {
            watch_decide(&supervisor->watch, said.number, said.allow);
        }
        supervisor->gone = supervisor->gone || (len <= 0 && len != -EAGAIN);
    } else if (events & (POLLHUP | POLLERR)) {
        supervisor->gone = true;
    }
    supervisor->gone = supervisor->gone || supervisor->outbox.gone;
}

static void hear_cell(struct supervisor *supervisor, struct pollfd list[POLL_COUNT])
{
    if (list[POLL_LISTENER].revents & POLLIN) {
        watch_serve(&supervisor->watch, drain_said);
    } else if (list[POLL_LISTENER].revents) {
        close_descriptor(&supervisor->cell.listener); /* nobody is left who could ask */
    }
    if (list[POLL_DNS].revents) {
        net_serve(&supervisor->watch.net, supervisor->cell.dns);
    }
    if (list[POLL_RELAY].revents) {
        relay_serve(&supervisor->watch.relay);
    }
    if (list[POLL_INPUT].revents) {
        feed_move(&supervisor->input);
    }
    for (int i = 0; i < 2; i++) {
        if (list[POLL_OUT + i].revents) {
            stream_read(&supervisor->streams[i], supervisor_report, supervisor);
        }
    }
    if (list[POLL_SAID].revents) {
        drain_said(supervisor);
    }
    if (list[POLL_CONTROL].revents || list[POLL_INIT].revents || supervisor->cell.has_last_word) {
        int result = cell_read_end(&supervisor->cell, &supervisor->end);
        supervisor->ended = result == 1;
        supervisor->died = result < 0 || (result == 0 && list[POLL_INIT].revents);
    }
}

static void run(struct supervisor *supervisor)
{
    struct pollfd list[POLL_COUNT];

    while (!supervisor->ended && !supervisor->died && !supervisor->cancelled && !supervisor->gone &&
           supervisor->killed_for < 0) {
        prepare_poll(supervisor, list);
        int count = poll(list, POLL_COUNT, milliseconds_left(supervisor));
        if (count > 0) {
            hear_cell(supervisor, list);
            if (list[POLL_CLIENT].revents) {
                hear_client(supervisor, list[POLL_CLIENT].revents);
            }
            supervisor->cancelled = supervisor->cancelled || list[POLL_SIGNALS].revents;
            check_output(supervisor);
        }
        check_time(supervisor);
    }
    supervisor->stopped_us = monotonic_us();
}

/* ---- the end ---------------------------------------------------------------------------------------------------- */

static void read_rest(struct supervisor *supervisor)
{
    for (int i = 0; i < 2; i++) {
        while (stream_read(&supervisor->streams[i], supervisor_report, supervisor)) {
        }
        stream_finish(&supervisor->streams[i], supervisor_report, supervisor);
    }
    drain_said(supervisor);
}

static void decide(struct supervisor *supervisor, struct report_exit *ret_exit)
{
    const struct meter *meter = &supervisor->meter;
    const struct limits *limits = &supervisor->granted.limits;
    struct outcome_facts facts = {
        .cancelled = supervisor->cancelled || supervisor->gone,
        .killed_for = supervisor->killed_for,
        .ended = supervisor->ended,
        .end = supervisor->end,
        .limits = limits,
        .denied = accesses_last_denied(&supervisor->watch.accesses),
        .errors = supervisor->streams[1].recent,
        .errors_len = supervisor->streams[1].recent_len,
        .command = supervisor->cell.command,
    };

    facts.hit[LIMIT_MEMORY] =
        meter->memory_hit || meter->usage.memory_peak >= limits->value[LIMIT_MEMORY] / 100 * HIT_PERCENT;
    facts.hit[LIMIT_PROCESSES] =
        meter->processes_hit || meter->tasks_peak * UINT64_C(100) >= limits->value[LIMIT_PROCESSES] * HIT_PERCENT;
    facts.hit[LIMIT_CPU] = meter->usage.cpu_us >= (int64_t)limits->value[LIMIT_CPU];
    facts.hit[LIMIT_DISK] = meter->disk_full;
    outcome_decide(&facts, ret_exit);
}

static void finish(struct supervisor *supervisor)
{
    struct report end = {.kind = REPORT_EXIT};
    bool dead;

    meter_read_counts(&supervisor->meter);
    if (!supervisor->ended && !supervisor->died) {
        /* it may have ended in this very moment; what it said counts, unless a limit came first */
        supervisor->ended = supervisor->killed_for < 0 && cell_read_end(&supervisor->cell, &supervisor->end) == 1;
    }
    dead = cell_kill(&supervisor->cell);
    if (supervisor->ended) {
        relay_finish(&supervisor->watch.relay, DELIVER_MS);
    }
    meter_finish(&supervisor->meter, supervisor->ended ? supervisor->end.survivors + 1 : 1);
    read_rest(supervisor);
    report_usage(supervisor, supervisor->stopped_us, true);
    accesses_report_used(&supervisor->watch.accesses, supervisor_report, supervisor);
    decide(supervisor, &end.exit);
    supervisor_commit(supervisor, &end.exit);
    end.exit.setup_us = supervisor->started_us - supervisor->asked_us;
    end.exit.run_us = supervisor->stopped_us - supervisor->started_us;
    end.exit.survivors = supervisor->ended ? supervisor->end.survivors : 0;
    end.exit.unkillable = !dead;
    end.exit.unlisted = supervisor->watch.accesses.beyond;
    end.exit.unlisted_denied = supervisor->watch.accesses.beyond_denied;
    if (!supervisor->options->request->terminal) {
        artifacts_report(supervisor->cell.out_dir, supervisor_report, supervisor);
    }
    supervisor_report(supervisor, &end);
    free(end.exit.message);
}

/* A signal for us has reached the cell's processes as well, which share our terminal, and ended them half made. */
static bool was_signalled(const struct supervisor *supervisor)
{
    struct pollfd signals = {.fd = supervisor->options->signals, .events = POLLIN};

    return poll(&signals, 1, 0) > 0;
}

static void refuse(struct supervisor *supervisor, const struct err *err)
{
    bool cannot = err->code == -EOPNOTSUPP || err->code == -EPERM;
    enum sandbox_status status = cannot ? STATUS_REFUSED : STATUS_SETUP;
    struct report end = {.kind = REPORT_EXIT};

    if (was_signalled(supervisor)) {
        outcome_refuse(STATUS_CANCELLED, -1, "cancelled", &end.exit);
    } else {
        outcome_refuse(status, err->code == -ENOENT ? 127 : -1, err->text, &end.exit);
    }
    end.exit.setup_us = monotonic_us() - supervisor->asked_us;
    supervisor_report(supervisor, &end);
    free(end.exit.message);
}

static void done(struct supervisor *supervisor)
{
    if (supervisor->has_cell) {
        cell_done(&supervisor->cell);
    }
    watch_done(&supervisor->watch);
    feed_done(&supervisor->input);
    stream_done(&supervisor->streams[0]);
    stream_done(&supervisor->streams[1]);
    said_done(&supervisor->said);
    pins_done(&supervisor->pins);
    policy_done(&supervisor->granted);
    outbox_drain(&supervisor->outbox);
    outbox_done(&supervisor->outbox);
}

void supervisor_run(const struct supervisor_options *options)
{
    static struct supervisor supervisor; /* big: the first run of a process finds it zeroed and untouched */
    struct err err = {0};

    if (supervisor.options) {
        memset(&supervisor, 0, sizeof supervisor);
    }
    supervisor.options = options;
    supervisor.asked_us = monotonic_us();
    supervisor.killed_for = -1;
    for (int i = 0; i < 2; i++) {
        supervisor.streams[i].fd = -1;
        supervisor.streams[i].number = i + 1;
    }
    feed_init(&supervisor.input);
    said_init(&supervisor.said, -1);
    outbox_init(&supervisor.outbox, options->client);
    if (supervisor_start(&supervisor, &err) == 0) {
        run(&supervisor);
        finish(&supervisor);
    } else {
        if (supervisor.has_cell) {
            (void)cell_kill(&supervisor.cell);
        }
        refuse(&supervisor, &err);
    }
    done(&supervisor);
}
