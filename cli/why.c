/* techo why: a permission under a ceiling, or each refusal of a recorded session. */
#include "../core/why.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../core/ceiling.h"
#include "commands.h"
#include "exits.h"
#include "lines.h"
#include "print.h"
#include "saved.h"
#include "task.h"

enum { PATH_BYTES = 64 * 1024 };

/* `item` is policy text; its name and scope become fields. */
static void set_item(struct event *event, const char *item)
{
    struct policy policy = {0};

    if (item && policy_parse(item, &policy, NULL) == 0 && policy.count == 1) {
        event_set_text(event, "name", policy.items[0].name);
        event_set_text(event, "scope", policy.items[0].scope);
    } else {
        event_set_text(event, "name", item ? item : "none");
    }
    policy_done(&policy);
}

/* ---- a permission ------------------------------------------------------------------------------------------------ */

static void emit_answer(struct task *task, const struct why_answer *answer)
{
    struct event *event = event_new(EVENT_PERMISSION);

    if (!event)
        return;
    event_set_text(event, "id", answer->permission);
    set_item(event, answer->permission);
    event_set_text(event, "state", answer->granted ? "granted" : "denied");
    event_set_text(event, answer->granted ? "rule" : "nearest", answer->rule);
    event_set_text(event, "why", answer->why);
    event_set_text(event, "fix", answer->fix);
    session_emit(task->session, event);
}

static void print_fix(const char *ceiling, const char *fix)
{
    struct buf line;

    buf_init(&line, PATH_BYTES);
    line_fix(ceiling, fix, &line);
    print_row("  fix: %s", line.data);
    buf_done(&line);
}

/* Which ceiling is judged by, and where it comes from: without -c, commands differ. */
static void say_ceiling(struct task *task)
{
    const char *source = task->ceiling_source.data;
    struct policy ceiling = {0};
    bool found = !task->kase && strcmp(source, "-c") != 0;

    print_row("ceiling: %s", task->ceiling.data);
    print_row("  from: %s%s", source, found ? ", as for `techo ask`; without -c `techo run` has sandbox" : "");
    if (policy_parse(task->ceiling.data, &ceiling, NULL) == 0)
        session_emit(task->session, ceiling_event(&ceiling, 1, source));
    policy_done(&ceiling);
}

static int why_permission(struct task *task, const char *permission)
{
    struct why_answers answers = {0};
    struct err err = {0};
    bool granted = true;

    if (why_judge(task->ceiling.data, permission, task->root.data, task_home(), &answers, &err) < 0) {
        print_failure(&err);
        task_end(task, "failed", NULL);
        return EXIT_USAGE;
    }
    say_ceiling(task);
    for (size_t i = 0; i < answers.count; i++) {
        const struct why_answer *answer = &answers.list[i];
        granted &= answer->granted;
        print_row("%s: %s", answer->permission, answer->granted ? "granted" : "not granted");
        if (answer->why)
            print_row("  why: %s", answer->why);
        if (answer->rule)
            print_row("  %s: %s", answer->granted ? "rule" : "nearest", answer->rule);
        if (answer->fix)
            print_fix(task->ceiling.data, answer->fix);
        emit_answer(task, answer);
    }
    why_answers_done(&answers);
    task_end(task, granted ? "granted" : "denied", NULL);
    return granted ? EXIT_DONE : EXIT_CHECK_FAILED;
}

/* ---- a recording ------------------------------------------------------------------------------------------------- */

static void emit_refusal(struct task *task, const struct why_refusal *refusal)
{
    struct event *event = event_new(EVENT_PERMISSION);
    struct buf id;

    buf_init(&id, PATH_BYTES);
    buf_addf(&id, "%" PRIu64, refusal->seq);
    if (event && !id.failed) {
        event->cause = refusal->seq;
        event->question = refusal->question;
        event->attempt = refusal->attempt;
        event_set_text(event, "id", id.data);
        set_item(event, refusal->permission);
        event_set_text(event, "state", refusal->judged && refusal->would ? "granted" : "denied");
        event_set_text(event, "origin",
                       refusal->kind == WHY_ACCESS    ? "tried"
                       : refusal->kind == WHY_REQUEST ? "line"
                                                      : "found");
        if (refusal->line)
            event_set_int(event, "line", refusal->line);
        event_set_text(event, "why", refusal->judged ? refusal->would_why : refusal->why);
        event_set_text(event, "fix", refusal->judged ? refusal->would_fix : refusal->fix);
        session_emit(task->session, event);
    } else {
        event_free(event);
    }
    buf_done(&id);
}

static void print_refusal(const struct why_refusal *refusal)
{
    static const char *const kinds[] = {"denied", "trimmed", "blocked"};
    char line[32] = "", count[32] = "";

    if (refusal->line)
        snprintf(line, sizeof(line), ", line %u", refusal->line);
    if (refusal->count > 1)
        snprintf(count, sizeof(count), ", %" PRIu64 " times", refusal->count);
    print_row("%" PRIu64 " at %.3f s, attempt %" PRIu64 ": %s %s%s%s%s%s", refusal->seq, (double)refusal->t / 1e6,
              refusal->attempt, kinds[refusal->kind], refusal->subject, line, refusal->source ? ": " : "",
              refusal->source ? refusal->source : "", count);
    if (refusal->permission && refusal->kind != WHY_REQUEST)
        print_row("  missing: %s", refusal->permission);
    if (refusal->layer)
        print_row("  stopped by: %s", refusal->layer);
    if (refusal->why)
        print_row("  why: %s", refusal->why);
    if (refusal->fix)
        print_row("  fix: %s", refusal->fix);
    if (refusal->judged) {
        print_row("  with that ceiling: %s%s%s", refusal->would ? "granted" : "not granted",
                  refusal->would_why ? ", " : "", refusal->would_why ? refusal->would_why : "");
        if (refusal->would_fix)
            print_row("  then fix: %s", refusal->would_fix);
    }
}

static int report_refusals(struct task *task, const struct why_refusals *refusals, bool judged, uint64_t seq)
{
    bool granted = true;

    for (size_t i = 0; i < refusals->count; i++) {
        print_refusal(&refusals->list[i]);
        emit_refusal(task, &refusals->list[i]);
        granted &= judged && refusals->list[i].would;
    }
    if (seq && !refusals->count)
        print_row("event %" PRIu64 " is no refusal", seq);
    else if (!refusals->count)
        print_row("nothing was refused");
    else if (judged)
        print_row("What came later might differ: the program did not run under that ceiling.");
    task_end(task, granted ? "granted" : "denied", NULL);
    return granted ? EXIT_DONE : EXIT_CHECK_FAILED;
}

static int why_session(struct task *task, const struct arguments *arguments, const char *path, uint64_t seq)
{
    const char *ceiling = arguments->value[OPTION_CEILING];
    struct why_refusals refusals = {0};
    struct replay *replay = NULL;
    struct err err = {0};
    int code = replay_new(path, &replay, &err), status = EXIT_USAGE;

    if (code == 0 && replay_seek(replay, replay_count(replay)) < 0)
        code = err_set(&err, -ENOMEM, "out of memory");
    if (code == 0)
        code = why_recording(replay, ceiling, task_home(), seq, &refusals, &err);
    if (code == 0) {
        status = report_refusals(task, &refusals, ceiling != NULL, seq);
    } else {
        print_failure(&err);
        task_end(task, "failed", NULL);
    }
    why_refusals_done(&refusals);
    replay_free(replay);
    return status;
}

/* ---- which of the two -------------------------------------------------------------------------------------------- */

/* FILE:SEQ, when FILE alone is no file; *ret_seq is 0 for all of it. False: the word is a permission. */
static bool names_session(const char *word, struct buf *path, uint64_t *ret_seq)
{
    const char *colon = strrchr(word, ':');
    char *end = NULL, *name;
    bool found;

    *ret_seq = 0;
    if (saved_find(word, path, NULL) == 0 && access(path->data, F_OK) == 0)
        return true;
    if (!colon || strtoull(colon + 1, &end, 10) == 0 || *end)
        return false;
    name = strndup(word, (size_t)(colon - word));
    buf_clear(path);
    found = name && saved_find(name, path, NULL) == 0 && access(path->data, F_OK) == 0;
    if (found)
        *ret_seq = strtoull(colon + 1, NULL, 10);
    free(name);
    return found;
}

int command_why(const struct arguments *arguments)
{
    const char *word = arguments->words[0];
    struct buf path;
    struct task task;
    struct err err = {0};
    uint64_t seq;
    int status = EXIT_USAGE;
    bool session;

    buf_init(&path, PATH_BYTES);
    session = names_session(word, &path, &seq);
    if (!session && strstr(word, ".jsonl") && !strchr(word, '=')) {
        err_set(&err, -ENOENT, "no such session: %s", word);
        print_failure(&err);
    } else if (task_open(&task, arguments, NULL, TASK_QUIET | TASK_OWN_FOLDER, &err) < 0) {
        print_failure(&err);
    } else {
        status = session ? why_session(&task, arguments, path.data, seq) : why_permission(&task, word);
        task_done(&task);
    }
    buf_done(&path);
    return status;
}
