/*
 * One status. What killed it counts first. A limit that answers with an errno
 * leaves the program running, so it counts only when the program then failed;
 * a denial only when it is the error that the program reported.
 */
#include "outcome_internal.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { MESSAGE_MAX = 16 << 10, OUTPUT_FACTOR = 16, NO_SUCH_COMMAND = 127 };

static const struct {
    enum sandbox_status status;
    const char *words; /* after the value */
} limits[_LIMIT_MAX] = {
    [LIMIT_WALL] = {STATUS_WALL, "are over"},         [LIMIT_CPU] = {STATUS_CPU, "of processor time are used"},
    [LIMIT_MEMORY] = {STATUS_MEMORY, "are used"},     [LIMIT_PROCESSES] = {STATUS_PROCESSES, "ran at once"},
    [LIMIT_OUTPUT] = {STATUS_OUTPUT, "were written"}, [LIMIT_DISK] = {STATUS_DISK, "are full"},
};

static void say_limit(enum limit limit, uint64_t value, struct report_exit *exit, struct buf *message)
{
    uint64_t reached = limit == LIMIT_OUTPUT ? value * OUTPUT_FACTOR : value;

    exit->status = limits[limit].status;
    exit->limit = (int)limit;
    exit->limit_value = value;
    buf_addf(message, "%s: ", limit_name(limit));
    limit_format(limit, reached, message);
    buf_addf(message, " %s; raise it with %s=", limits[limit].words, limit_name(limit));
    limit_format(limit, value * 2, message);
}

/* Does `needle` stand in the bytes? */
static bool mentions(const struct outcome_facts *facts, const char *needle)
{
    size_t len = strlen(needle);

    return len > 0 && facts->errors_len > 0 && memmem(facts->errors, facts->errors_len, needle, len);
}

static bool in_name(char c)
{
    return isalnum((unsigned char)c) || (unsigned char)c >= 0x80 || (c && strchr("._-/", c));
}

/* The same, as a word of its own: the path "x" is not named by "exit". */
static bool names(const struct outcome_facts *facts, const char *path)
{
    const char *end = facts->errors + facts->errors_len, *at = facts->errors;
    size_t len = strlen(path);

    while (len > 0 && at && (at = memmem(at, (size_t)(end - at), path, len))) {
        if ((at == facts->errors || !in_name(at[-1])) && (at + len == end || !in_name(at[len]))) {
            return true;
        }
        at++;
    }
    return false;
}

/* The last refused access is what the program complained of: it names it, or the errno that it got. */
static bool is_reported(const struct outcome_facts *facts)
{
    const struct report_access *denied = facts->denied;

    if (!denied || facts->errors_len == 0) {
        return false;
    }
    if (names(facts, denied->given) || names(facts, denied->resolved)) {
        return true;
    }
    return denied->error != ENOENT && mentions(facts, strerror(denied->error));
}

/* A limit that ended the program by a signal; -1. */
static int find_killing_limit(const struct outcome_facts *facts)
{
    int signal = WIFSIGNALED(facts->end.status) ? WTERMSIG(facts->end.status) : 0;

    if (signal == SIGXCPU || (signal == SIGKILL && facts->hit[LIMIT_CPU])) {
        return LIMIT_CPU;
    }
    if (signal == SIGKILL && facts->hit[LIMIT_MEMORY]) {
        return LIMIT_MEMORY;
    }
    return signal == SIGXFSZ ? LIMIT_DISK : -1;
}

/* Refused threads are gone when they could be counted, unless a control group did: CPython's own words tell of them. */
static bool is_hit(const struct outcome_facts *facts, enum limit limit)
{
    return facts->hit[limit] || (limit == LIMIT_PROCESSES && mentions(facts, "can't start new thread"));
}

/* A limit that a program which failed had run into; -1. */
static int find_hit_limit(const struct outcome_facts *facts)
{
    static const enum limit order[] = {LIMIT_MEMORY, LIMIT_PROCESSES, LIMIT_DISK};

    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        if (is_hit(facts, order[i])) {
            return (int)order[i];
        }
    }
    return -1;
}

static void say_end(const struct outcome_facts *facts, struct report_exit *exit, struct buf *message)
{
    if (WIFSIGNALED(facts->end.status)) {
        exit->status = STATUS_SIGNAL;
        exit->signal = WTERMSIG(facts->end.status);
        buf_addf(message, "ended by signal %d (%s)", exit->signal, strsignal(exit->signal));
        return;
    }
    exit->code = WEXITSTATUS(facts->end.status);
    exit->status = exit->code == 0 ? STATUS_OK : STATUS_ERROR;
    buf_addf(message, "exit %d", exit->code);
}

static void decide_end(const struct outcome_facts *facts, struct report_exit *exit, struct buf *message)
{
    int limit = find_killing_limit(facts);

    say_end(facts, exit, message);
    if (exit->status == STATUS_OK) {
        return;
    }
    if (limit < 0 && is_reported(facts)) {
        exit->status = STATUS_DENIED;
        buf_clear(message);
        buf_addf(message, "denied: %s %s (%s)", access_want_name(facts->denied->want), facts->denied->resolved,
                 permission_name(facts->denied->missing));
        return;
    }
    limit = limit < 0 ? find_hit_limit(facts) : limit;
    if (limit >= 0) {
        buf_clear(message);
        say_limit((enum limit)limit, facts->limits->value[limit], exit, message);
    }
}

void outcome_decide(const struct outcome_facts *facts, struct report_exit *ret_exit)
{
    struct report_exit exit = {.status = STATUS_ERROR, .code = -1, .limit = -1};
    struct buf message;

    buf_init(&message, MESSAGE_MAX);
    if (facts->cancelled) {
        exit.status = STATUS_CANCELLED;
        buf_add_text(&message, "cancelled");
    } else if (facts->killed_for >= 0) {
        say_limit((enum limit)facts->killed_for, facts->limits->value[facts->killed_for], &exit, &message);
    } else if (!facts->ended && facts->hit[LIMIT_MEMORY]) {
        say_limit(LIMIT_MEMORY, facts->limits->value[LIMIT_MEMORY], &exit, &message);
    } else if (!facts->ended) {
        exit.status = STATUS_SETUP;
        buf_add_text(&message, "the cell's first process died");
    } else if (facts->end.exec_errno) {
        exit.status = STATUS_SETUP;
        exit.code = facts->end.exec_errno == ENOENT ? NO_SUCH_COMMAND : -1;
        buf_addf(&message, "%s: %s", facts->command, strerror(facts->end.exec_errno));
    } else {
        decide_end(facts, &exit, &message);
    }
    exit.message = buf_steal(&message);
    *ret_exit = exit;
}

void outcome_refuse(enum sandbox_status status, int code, const char *why, struct report_exit *ret_exit)
{
    *ret_exit = (struct report_exit){.status = status, .code = code, .limit = -1, .message = strdup(why)};
}
