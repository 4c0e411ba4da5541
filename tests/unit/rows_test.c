/* Permission rows: what a grant looks like as events, what explains a refusal, and the least ceiling. */
#include "../../core/rows_internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ROOT "/case"

struct fixture {
    struct session *session;
    struct policy ceiling, asked;
    struct grant grant;
    struct rows rows;
    struct place place;
};

static struct fixture set(const char *ceiling, const char *asked)
{
    struct fixture fixture = {0};
    struct err err;
    struct grant_request requests[16];
    const struct session_options options = {.root = ROOT};
    assert_int_equal(session_new(&options, &fixture.session, &err), 0);
    fixture.place = (struct place){.session = fixture.session, .attempt = 1};
    struct event *question = event_new(EVENT_QUESTION);
    event_set_text(question, "text", "a question");
    fixture.place.question = session_emit(fixture.session, question);
    assert_int_equal(policy_parse(ceiling, &fixture.ceiling, &err), 0);
    assert_int_equal(policy_parse(asked ? asked : "none", &fixture.asked, &err), 0);
    for (size_t i = 0; i < fixture.asked.count; i++) {
        requests[i] =
            (struct grant_request){.item = &fixture.asked.items[i], .origin = GRANT_LINE, .line = (unsigned)i + 1};
    }
    const struct grant_input input = {.root = ROOT,
                                      .ceiling = &fixture.ceiling,
                                      .requests = requests,
                                      .request_count = fixture.asked.count,
                                      .default_is_ceiling = true,
                                      .ambient = AMBIENT_NATIVE};
    assert_int_equal(grant_compute(&input, &fixture.grant, &err), 0);
    const struct rows_input rows = {
        .place = &fixture.place, .grant = &fixture.grant, .ceiling = &fixture.ceiling, .root = ROOT};
    assert_int_equal(rows_from_grant(&rows, &fixture.rows, &err), 0);
    return fixture;
}

static void done(struct fixture *fixture)
{
    rows_done(&fixture->rows);
    grant_done(&fixture->grant);
    policy_done(&fixture->ceiling);
    policy_done(&fixture->asked);
    session_free(fixture->session);
}

static const struct state_attempt *attempt(const struct fixture *fixture)
{
    return state_last_attempt(session_state(fixture->session)->questions[0]);
}

static const struct state_permission *row(const struct fixture *fixture, const char *name, const char *scope)
{
    const struct state_attempt *shown = attempt(fixture);
    for (size_t i = 0; i < shown->permission_count; i++) {
        const struct state_permission *permission = &shown->permissions[i];
        if (strcmp(permission->name, name) == 0 &&
            (scope ? permission->scope && strcmp(permission->scope, scope) == 0 : !permission->scope)) {
            return permission;
        }
    }
    fail_msg("no row %s %s", name, scope ? scope : "");
    return NULL;
}

/* The case study's program: it declares a network host and the secret beside its data. */
static struct fixture case_study(void)
{
    return set("stdout,time,file.read=./data/*", "file.read=./data/*,net=api.evil.test:443,file.read=./.env");
}

static void what_the_ceiling_covers_is_granted_and_the_rest_trimmed(void **unused)
{
    (void)unused;
    struct fixture fixture = case_study();
    assert_string_equal(row(&fixture, "file.read", "./data/*")->state, "granted");
    assert_string_equal(row(&fixture, "file.read", "./data/*")->rule, "file.read=./data/*");
    assert_string_equal(row(&fixture, "file.read", "./data/*")->layers, "mounts, landlock");
    assert_string_equal(row(&fixture, "net", "api.evil.test:443")->state, "trimmed");
    assert_int_equal(row(&fixture, "net", "api.evil.test:443")->line, 2);
    assert_string_equal(row(&fixture, "net", "api.evil.test:443")->fix, "net=api.evil.test:443");
    assert_string_equal(row(&fixture, "file.read", "./.env")->state, "trimmed");
    assert_string_equal(row(&fixture, "file.read", "./.env")->fix, "file.read=./.env");
    assert_string_equal(row(&fixture, "stdout", NULL)->origin, "ambient");
    done(&fixture);
}

static void what_cannot_be_enforced_says_so(void **unused)
{
    (void)unused;
    struct fixture fixture = case_study();
    assert_null(row(&fixture, "time", NULL)->layers);
    assert_non_null(row(&fixture, "time", NULL)->unenforceable);
    assert_null(row(&fixture, "stdout", NULL)->unenforceable);
    done(&fixture);
}

static void the_sandbox_gets_absolute_scopes_in_the_order_of_the_rows(void **unused)
{
    (void)unused;
    struct fixture fixture = case_study();
    struct policy policy;
    struct err err;
    assert_int_equal(policy_parse(fixture.rows.request, &policy, &err), 0);
    assert_int_equal(policy.count, fixture.rows.item_count);
    assert_string_equal(policy.items[0].text, "file.read=" ROOT "/data/*");
    for (size_t i = 0; i < policy.count; i++) {
        assert_int_equal(policy.items[i].permission, fixture.rows.list[fixture.rows.items[i]].permission);
    }
    policy_done(&policy);
    done(&fixture);
}

static void a_trimmed_row_explains_the_refusal_of_what_it_asked_for(void **unused)
{
    (void)unused;
    struct fixture fixture = case_study();
    const struct row *found = rows_explain(&fixture.rows, ROOT, NULL, PERMISSION_FILE_READ, ROOT "/.env");
    assert_non_null(found);
    assert_string_equal(found->text, "file.read=./.env");
    found = rows_explain(&fixture.rows, ROOT, NULL, PERMISSION_NET, "api.evil.test:443");
    assert_non_null(found);
    assert_string_equal(found->text, "net=api.evil.test:443");
    done(&fixture);
}

static void no_row_explains_what_nobody_asked_for(void **unused)
{
    (void)unused;
    struct fixture fixture = case_study();
    assert_null(rows_explain(&fixture.rows, ROOT, NULL, PERMISSION_FILE_READ, "/etc/shadow"));
    assert_null(rows_explain(&fixture.rows, ROOT, NULL, PERMISSION_FILE_WRITE, ROOT "/.env"));
    assert_null(rows_explain(&fixture.rows, ROOT, NULL, PERMISSION_NET, "api.evil.test:80"));
    /* ... until it was tried: then there is one, once */
    assert_non_null(rows_add_tried(&fixture.rows, PERMISSION_FILE_READ, "/etc/shadow"));
    assert_non_null(rows_explain(&fixture.rows, ROOT, NULL, PERMISSION_FILE_READ, "/etc/shadow"));
    assert_null(rows_explain(&fixture.rows, ROOT, NULL, PERMISSION_FILE_READ, "/etc/passwd"));
    done(&fixture);
}

static void expect_least(struct fixture *fixture, const char *text)
{
    struct buf least;
    buf_init(&least, 1 << 16);
    assert_int_equal(rows_least(&fixture->rows, &fixture->place, &least), 0);
    assert_string_equal(least.data, text);
    assert_string_equal(attempt(fixture)->least, text);
    buf_done(&least);
}

static void the_least_ceiling_is_what_was_used(void **unused)
{
    (void)unused;
    struct fixture fixture = set("stdout,time,file.read=./data/*,file.read=./data/a.csv,file.read=./other/*", NULL);
    expect_least(&fixture, "none");
    for (size_t i = 0; i < fixture.rows.count; i++) {
        struct row *used = &fixture.rows.list[i];
        used->opens = strcmp(used->text, "file.read=./data/a.csv") == 0 || used->permission == PERMISSION_STDOUT;
    }
    expect_least(&fixture, "stdout,file.read=./data/a.csv");
    done(&fixture);
}

static void a_least_ceiling_can_be_pasted(void **unused)
{
    (void)unused;
    struct fixture fixture = set("file.read=\"./a, b/*\",file.read=./other/*", NULL);
    fixture.rows.list[0].opens = 3;
    struct buf least;
    buf_init(&least, 1 << 16);
    assert_int_equal(rows_least(&fixture.rows, &fixture.place, &least), 0);
    struct fixture again = set(least.data, NULL);
    assert_int_equal(again.rows.count, 1);
    assert_string_equal(again.rows.list[0].text, fixture.rows.list[0].text);
    buf_done(&least);
    done(&again);
    done(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_the_ceiling_covers_is_granted_and_the_rest_trimmed),
        cmocka_unit_test(what_cannot_be_enforced_says_so),
        cmocka_unit_test(the_sandbox_gets_absolute_scopes_in_the_order_of_the_rows),
        cmocka_unit_test(a_trimmed_row_explains_the_refusal_of_what_it_asked_for),
        cmocka_unit_test(no_row_explains_what_nobody_asked_for),
        cmocka_unit_test(the_least_ceiling_is_what_was_used),
        cmocka_unit_test(a_least_ceiling_can_be_pasted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
