/*
 * What waits for a person's word: `file.read=?`, `net=?`. Each file and each
 * host is a row of its own that is held until somebody decides: a person, the option --answer, what was
 * said for the whole session before, or nobody in time, which means no.
 */
#include "engine_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 64 << 10, REMEMBERED_MAX = 1000 };

static const char *const choices[] = {
    [CHOICE_DENY] = "deny", [CHOICE_ONCE] = "once", [CHOICE_SESSION] = "session", [CHOICE_NEVER] = "never"};

const char *engine_choice_name(enum engine_choice choice)
{
    return choices[choice];
}

static bool allows(enum engine_choice choice)
{
    return choice == CHOICE_ONCE || choice == CHOICE_SESSION;
}

/* ---- what was said for the whole session --------------------------------------------------------------------------
 */

static const struct engine_remembered *find_remembered(const struct engine *engine, const char *real)
{
    for (size_t i = 0; i < engine->remembered_count; i++) {
        if (strcmp(engine->remembered[i].real, real) == 0) {
            return &engine->remembered[i];
        }
    }
    return NULL;
}

static void remember(struct engine *engine, const char *real, enum engine_choice choice)
{
    struct engine_remembered *list;
    if (engine->remembered_count == REMEMBERED_MAX || find_remembered(engine, real)) {
        return;
    }
    list = realloc(engine->remembered, (engine->remembered_count + 1) * sizeof *list);
    if (!list) {
        return;
    }
    engine->remembered = list;
    list[engine->remembered_count] = (struct engine_remembered){.real = strdup(real), .choice = choice};
    engine->remembered_count += list[engine->remembered_count].real != NULL;
}

void engine_forget(struct engine *engine)
{
    for (size_t i = 0; i < engine->remembered_count; i++) {
        free(engine->remembered[i].real);
    }
    free(engine->remembered);
    engine->remembered = NULL;
    engine->remembered_count = 0;
}

/* ---- events -------------------------------------------------------------------------------------------------------
 */

static void say_row(struct engine *engine, const struct engine_held *held, const char *state, const char *why)
{
    struct event *event = engine_event(engine, EVENT_PERMISSION);
    event_set_text(event, "id", held->row);
    event_set_text(event, "name", permission_name(held->permission));
    event_set_text(event, "scope", held->scope);
    event_set_text(event, "state", state);
    event_set_text(event, "origin", "tried");
    if (held->line) {
        event_set_int(event, "line", held->line);
    }
    event_set_text(event, "rule", held->permission == PERMISSION_NET ? "net=?" : "file.read=?");
    event_set_text(event, "why", why);
    engine_emit(engine, event);
}

static void say_decision(struct engine *engine, const struct engine_held *held, enum engine_choice choice,
                         const char *by)
{
    struct event *event = engine_event(engine, EVENT_DECISION);
    event_set_text(event, "of", held->row);
    event_set_text(event, "choice", choices[choice]);
    event_set_text(event, "by", by);
    event_set_int(event, "after_us", monotonic_us() - held->since_us);
    engine_emit(engine, event);
}

/* ---- deciding -----------------------------------------------------------------------------------------------------
 */

static void held_done(struct engine_held *held)
{
    free(held->scope);
    free(held->real);
    *held = (struct engine_held){0};
}

static void settle(struct engine *engine, struct engine_held *held, enum engine_choice choice, const char *by)
{
    struct engine_attempt *attempt = &engine->attempt;
    bool allowed = allows(choice);
    if (attempt->fd < 0 || sandbox_answer(attempt->fd, held->number, allowed) < 0) {
        allowed = false; /* the run is over */
    }
    say_decision(engine, held, choice, by);
    say_row(engine, held, allowed ? "granted" : "denied", allowed ? "a person allowed it" : "it was not allowed");
    if (allowed) {
        rows_use(&attempt->rows, held->row);
    }
    if (choice == CHOICE_SESSION || choice == CHOICE_NEVER) {
        remember(engine, held->real, choice);
    }
    held_done(held);
}

/* Does the held row hold this file or host? */
static bool row_covers(const struct engine *engine, const struct grant_row *row, const struct report_held *report)
{
    const char *scope = row->absolute ? row->absolute : row->scope;
    struct policy policy = {0};
    struct buf item;
    if (row->permission != report->permission || row->state != GRANT_HELD) {
        return false;
    }
    if (!scope || strcmp(scope, "?") == 0) {
        return true;
    }
    buf_init(&item, TEXT_MAX);
    item_format(row->name, scope, &item);
    bool covers = item.len && policy_parse(item.data, &policy, NULL) == 0 &&
                  grant_judge(&policy, engine->root, engine->home, report->permission, report->path, NULL, NULL, NULL);
    policy_done(&policy);
    buf_done(&item);
    return covers;
}

/* A program that declares what it needs is not asked about anything else. */
static bool was_declared(const struct engine *engine, const struct report_held *report)
{
    const struct grant *grant = &engine->attempt.grant;
    for (size_t i = 0; i < grant->count; i++) {
        if (row_covers(engine, &grant->rows[i], report)) {
            return true;
        }
    }
    return false;
}

static void describe(const struct report_held *report, struct buf *to)
{
    buf_addf(to, "touched by %s", report->call);
    if (report->line) {
        buf_addf(to, " in line %u", report->line);
    }
    if (report->permission == PERMISSION_FILE_READ) {
        buf_addf(to, "; %llu B", (unsigned long long)report->size);
    }
    if (strcmp(report->path, report->real) != 0) {
        buf_addf(to, "; it really is %s", report->real);
    }
}

static bool take(struct engine *engine, const struct report_held *report, struct engine_held *ret_held)
{
    struct buf scope;
    const struct row *row;
    buf_init(&scope, TEXT_MAX);
    if (report->permission == PERMISSION_FILE_READ) {
        scope_display(report->path, engine->root, engine->home, &scope);
    } else {
        buf_add_text(&scope, report->path);
    }
    row = scope.len ? rows_add_tried(&engine->attempt.rows, report->permission, scope.data) : NULL;
    *ret_held = (struct engine_held){.number = report->number,
                                     .permission = report->permission,
                                     .line = report->line,
                                     .since_us = monotonic_us(),
                                     .scope = buf_steal(&scope),
                                     .real = strdup(report->real)};
    buf_done(&scope);
    if (!row || !ret_held->scope || !ret_held->real) {
        held_done(ret_held);
        return false;
    }
    memcpy(ret_held->row, row->id, sizeof ret_held->row);
    return true;
}

void engine_hold(struct engine *engine, const struct report_held *report)
{
    struct engine_attempt *attempt = &engine->attempt;
    const struct engine_remembered *said = find_remembered(engine, report->real);
    struct engine_held held;
    struct buf why;
    if (!was_declared(engine, report) || attempt->held_count == ENGINE_HELD_MAX || !take(engine, report, &held)) {
        (void)sandbox_answer(attempt->fd, report->number, false); /* the refused access has its row */
        return;
    }
    buf_init(&why, TEXT_MAX);
    describe(report, &why);
    say_row(engine, &held, "held", why.data);
    buf_done(&why);
    if (said) {
        settle(engine, &held, said->choice, "session");
    } else if (engine->answer != CHOICE_PERSON) {
        settle(engine, &held, engine->answer, "--answer");
    } else {
        attempt->held[attempt->held_count++] = held;
    }
}

int engine_decide(struct engine *engine, const char *row, enum engine_choice choice, struct err *err)
{
    struct engine_attempt *attempt = &engine->attempt;
    for (size_t i = 0; i < attempt->held_count; i++) {
        if (strcmp(attempt->held[i].row, row) == 0) {
            struct engine_held held = attempt->held[i];
            attempt->held_count--;
            memmove(&attempt->held[i], &attempt->held[i + 1], (attempt->held_count - i) * sizeof held);
            settle(engine, &held, choice, "person");
            return 0;
        }
    }
    return err_set(err, -ENOENT, "nothing waits for that any more");
}

void engine_drop_held(struct engine *engine)
{
    struct engine_attempt *attempt = &engine->attempt;
    for (size_t i = 0; i < attempt->held_count; i++) {
        say_row(engine, &attempt->held[i], "denied", "the run ended before anybody decided");
        held_done(&attempt->held[i]);
    }
    attempt->held_count = 0;
}
