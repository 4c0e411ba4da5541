/* The refusals of a recorded session: which, why, what would help, and what another ceiling would have said. */
#include "../../core/why.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

struct recorded {
    char folder[64], path[96];
    struct session *session;
    struct replay *replay;
    uint64_t question, access_env, access_notes;
};

static struct event *of_attempt(const struct recorded *recorded, enum event_kind kind)
{
    struct event *event = event_new(kind);

    event->question = recorded->question;
    event->attempt = 1;
    return event;
}

static void add_row(struct recorded *recorded, const char *name, const char *scope, const char *state,
                    const char *origin, const char *fix)
{
    struct event *event = of_attempt(recorded, EVENT_PERMISSION);
    char id[128];

    snprintf(id, sizeof(id), "%s=%s", name, scope ? scope : "");
    event_set_text(event, "id", id);
    event_set_text(event, "name", name);
    event_set_text(event, "scope", scope);
    event_set_text(event, "state", state);
    event_set_text(event, "origin", origin);
    event_set_text(event, "fix", fix);
    event_set_int(event, "line", 2);
    session_emit(recorded->session, event);
}

static uint64_t add_denial(struct recorded *recorded, int64_t number, const char *path, const char *missing)
{
    struct event *event = of_attempt(recorded, EVENT_ACCESS);

    event_set_int(event, "number", number);
    event_set_text(event, "verdict", "denied");
    event_set_text(event, "call", "openat");
    event_set_text(event, "resolved", path);
    event_set_text(event, "missing", missing);
    event_set_text(event, "layer", "mounts");
    event_set_text(event, "why", "only ./data/x is granted");
    event_set_int(event, "line", 7);
    event_set_text(event, "source", "key = open('.env')");
    event_set_int(event, "count", number);
    return session_emit(recorded->session, event);
}

/* A program that declared data and net, and tried two files. */
static void record(struct recorded *recorded)
{
    struct event *event;
    struct err err;
    struct session_options options = {.root = "/srv/case"};

    *recorded = (struct recorded){.folder = "/tmp/techo-why-XXXXXX"};
    assert_non_null(mkdtemp(recorded->folder));
    snprintf(recorded->path, sizeof(recorded->path), "%s/s.jsonl", recorded->folder);
    options.path = recorded->path;
    assert_int_equal(session_new(&options, &recorded->session, &err), 0);
    event = event_new(EVENT_QUESTION);
    event_set_text(event, "text", "?");
    recorded->question = session_emit(recorded->session, event);
    add_row(recorded, "file.read", "./data/*", "granted", "line", NULL);
    add_row(recorded, "file.read", "./notes.txt", "trimmed", "line", "file.read=./notes.txt");
    recorded->access_env = add_denial(recorded, 1, "/srv/case/.env", "file.read=./.env");
    recorded->access_notes = add_denial(recorded, 2, "/srv/case/notes.txt", "file.read=./notes.txt");
    session_free(recorded->session);
    assert_int_equal(replay_new(recorded->path, &recorded->replay, &err), 0);
    assert_int_equal(replay_seek(recorded->replay, replay_count(recorded->replay)), 0);
}

static void forget(struct recorded *recorded)
{
    replay_free(recorded->replay);
    unlink(recorded->path);
    rmdir(recorded->folder);
}

static struct why_refusals why(const struct recorded *recorded, const char *ceiling, uint64_t seq)
{
    struct why_refusals refusals;
    struct err err = {0};

    if (why_recording(recorded->replay, ceiling, NULL, seq, &refusals, &err) < 0)
        fail_msg("%s", err.text);
    return refusals;
}

static void every_refusal_is_told_in_order_with_its_reason(void **state)
{
    struct recorded recorded;
    struct why_refusals refusals;

    (void)state;
    record(&recorded);
    refusals = why(&recorded, NULL, 0);
    assert_int_equal(refusals.count, 3);
    assert_int_equal(refusals.list[0].kind, WHY_REQUEST);
    assert_string_equal(refusals.list[0].fix, "file.read=./notes.txt");
    assert_int_equal(refusals.list[1].kind, WHY_ACCESS);
    assert_int_equal(refusals.list[1].seq, recorded.access_env);
    assert_string_equal(refusals.list[1].subject, "openat /srv/case/.env");
    assert_string_equal(refusals.list[1].permission, "file.read=./.env");
    assert_string_equal(refusals.list[1].layer, "mounts");
    assert_string_equal(refusals.list[1].source, "key = open('.env')");
    assert_int_equal(refusals.list[1].line, 7);
    assert_int_equal(refusals.list[2].count, 2);
    assert_false(refusals.list[1].judged);
    why_refusals_done(&refusals);
    forget(&recorded);
}

static void one_event_is_told_alone(void **state)
{
    struct recorded recorded;
    struct why_refusals refusals;

    (void)state;
    record(&recorded);
    refusals = why(&recorded, NULL, recorded.access_notes);
    assert_int_equal(refusals.count, 1);
    assert_int_equal(refusals.list[0].seq, recorded.access_notes);
    why_refusals_done(&refusals);
    refusals = why(&recorded, NULL, recorded.question);
    assert_int_equal(refusals.count, 0);
    why_refusals_done(&refusals);
    forget(&recorded);
}

static void another_ceiling_grants_only_what_the_program_declares(void **state)
{
    static const char *const ceilings[] = {"file.read=./notes.txt,file.read=./.env",
                                           "file.read=./.env,file.read=./notes.txt", "file.read=./*"};
    struct recorded recorded;

    (void)state;
    record(&recorded);
    for (size_t i = 0; i < sizeof(ceilings) / sizeof(ceilings[0]); i++) {
        struct why_refusals refusals = why(&recorded, ceilings[i], 0);
        assert_int_equal(refusals.count, 3);
        assert_true(refusals.list[0].would);
        assert_false(refusals.list[1].would); /* .env: never declared */
        assert_non_null(strstr(refusals.list[1].would_why, "does not declare"));
        assert_true(refusals.list[2].would);
        why_refusals_done(&refusals);
    }
    forget(&recorded);
}

static void a_narrow_ceiling_refuses_with_its_own_reason_and_fix(void **state)
{
    struct recorded recorded;
    struct why_refusals refusals;

    (void)state;
    record(&recorded);
    refusals = why(&recorded, "stdout", 0);
    for (size_t i = 0; i < refusals.count; i++) {
        assert_true(refusals.list[i].judged);
        assert_false(refusals.list[i].would);
        assert_non_null(refusals.list[i].would_why);
        assert_string_equal(refusals.list[i].would_fix, i == 1 ? "file.read=./.env" : "file.read=./notes.txt");
    }
    why_refusals_done(&refusals);
    forget(&recorded);
}

static void a_ceiling_that_does_not_parse_is_an_error(void **state)
{
    struct recorded recorded;
    struct why_refusals refusals;
    struct err err;

    (void)state;
    record(&recorded);
    assert_true(why_recording(recorded.replay, "stdout,,", NULL, 0, &refusals, &err) < 0);
    forget(&recorded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_refusal_is_told_in_order_with_its_reason),
        cmocka_unit_test(one_event_is_told_alone),
        cmocka_unit_test(another_ceiling_grants_only_what_the_program_declares),
        cmocka_unit_test(a_narrow_ceiling_refuses_with_its_own_reason_and_fix),
        cmocka_unit_test(a_ceiling_that_does_not_parse_is_an_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
