/*
 * What a run gets: ambient, declared within the ceiling, trimmed; and whether
 * the reason and the item to paste are right, over many ceilings.
 */
#include "../../sandbox/grant.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))
enum { REQUESTS_MAX = 16 };
static const char root[] = "/nowhere/case", home[] = "/nowhere/home";

static struct policy parse(const char *text)
{
    struct policy policy;
    struct err err;
    if (policy_parse(text, &policy, &err) < 0) {
        fail_msg("%s", err.text);
    }
    return policy;
}

/* "name=scope origin state" of each row, in order, then what the run is started with. */
static char *grant_text(const char *ceiling_text, const char *requests_text, enum grant_ambient ambient,
                        bool default_is_ceiling)
{
    static const char *const origins[] = {"line", "preamble", "ambient", "default"};
    static const char *const states[] = {"granted", "trimmed", "held", "unserved"};
    struct policy ceiling = parse(ceiling_text), asked = {0};
    struct grant_request requests[REQUESTS_MAX];
    struct grant_input input = {.root = root,
                                .home = home,
                                .ceiling = &ceiling,
                                .requests = requests,
                                .default_is_ceiling = default_is_ceiling,
                                .ambient = ambient};
    if (requests_text) {
        asked = parse(requests_text);
        for (size_t i = 0; i < asked.count; i++) {
            requests[i] =
                (struct grant_request){.item = &asked.items[i], .origin = GRANT_LINE, .line = (unsigned)i + 1};
        }
        requests[asked.count] = (struct grant_request){.limits = &asked.limits, .origin = GRANT_LINE};
        input.request_count = asked.count + 1;
    }
    struct grant grant;
    struct err err;
    struct buf out;
    buf_init(&out, 100000);
    if (grant_compute(&input, &grant, &err) < 0) {
        buf_addf(&out, "refused: %s", err.text);
    } else {
        for (size_t i = 0; i < grant.count; i++) {
            const struct grant_row *row = &grant.rows[i];
            assert_true(row->why && *row->why && !strchr(row->why, '\n'));
            buf_addf(&out, "%s%s%s %s %s; ", row->name, row->scope ? "=" : "", row->scope ? row->scope : "",
                     origins[row->origin], states[row->state]);
        }
        grant_format(&grant, &out);
        grant_done(&grant);
    }
    policy_done(&ceiling);
    policy_done(&asked);
    return buf_steal(&out);
}

#define NATIVE AMBIENT_NATIVE, false
#define WHOLE AMBIENT_WHOLE_CEILING, false
#define SYNSEMA AMBIENT_SYNSEMA, true
#define LIMITS ",wall=20s,cpu=20s,memory=1G,processes=64,output=1M,disk=64M"

static void granted_is_ambient_and_what_was_declared_within_the_ceiling(void **state)
{
    (void)state;
    static const struct {
        const char *ceiling, *requests, *rows;
        enum grant_ambient ambient;
        bool explicit_only;
    } trials[] = {
        /* nothing declared: the ceiling counts as declared */
        {"stdout,random,file.read=./data/*", NULL,
         "stdout ambient granted; random ambient granted; file.read=./data/* default granted; "
         "stdout,random,file.read=/nowhere/case/data/*" LIMITS,
         NATIVE},
        {"stdout,time,random,file.read=./data/*", NULL,
         "stdout ambient granted; time ambient granted; stdout,time" LIMITS, SYNSEMA},
        /* declared: the ambient and that */
        {"stdout,file.read=./data/*,file.read=./x", "file.read=./x",
         "file.read=./x line granted; stdout ambient granted; file.read=/nowhere/case/x,stdout" LIMITS, NATIVE},
        {"stdout,file.read=./data/*", "stdout", "stdout line granted; stdout" LIMITS, NATIVE},
        /* hosts */
        {"stdout,net=*.test", "net=API.test:443,net=evil.example",
         "net=API.test:443 line granted; net=evil.example line trimmed; stdout ambient granted; "
         "net=API.test:443,stdout" LIMITS,
         NATIVE},
        {"net=api.test:443,net=10.0.0.1:80", NULL,
         "net=api.test:443 default granted; net=10.0.0.1:80 default granted; net=api.test:443,net=10.0.0.1:80" LIMITS,
         NATIVE},
        /* above the ceiling: dropped whole, and the program still runs */
        {"stdout,file.read=./data/*", "file.read=./data/*,net=api.evil.test:443,file.read=./.env,file.read=*",
         "file.read=./data/* line granted; net=api.evil.test:443 line trimmed; file.read=./.env line trimmed; "
         "file.read=* line trimmed; stdout ambient granted; file.read=/nowhere/case/data/*,stdout" LIMITS,
         NATIVE},
        {"sandbox", "file=./x,file.write=./x,env=LANG,exec,llm,wallet,file.read,env=API_KEY,net=?",
         "file=./x line trimmed; file.write=./x line trimmed; env=LANG line trimmed; exec line trimmed; "
         "llm line trimmed; wallet line trimmed; file.read line trimmed; env=API_KEY line trimmed; net=? line trimmed; "
         "stdout ambient granted; time ambient granted; stdout,time" LIMITS,
         NATIVE},
        {"none", "stdout", "stdout line trimmed; none" LIMITS, NATIVE},
        {"none", NULL, "none" LIMITS, NATIVE},
        /* the same scope twice is one row */
        {"stdout,file.read=./data/*", "file.read=./data/x,file.read=data/x",
         "file.read=./data/x line granted; stdout ambient granted; file.read=/nowhere/case/data/x,stdout" LIMITS,
         NATIVE},
        /* ./out is everybody's */
        {"stdout,file.write=./out/*", "file.write=./out/a,file.read=./out/b", "stdout ambient granted; stdout" LIMITS,
         NATIVE},
        /* limits: the ceiling's replaces the default, the program lowers */
        {"stdout,wall=60s,memory=2G", "stdout,wall=40s,cpu=30s,processes=2",
         "stdout line granted; stdout,wall=40s,cpu=20s,memory=2G,processes=2,output=1M,disk=64M", NATIVE},
        {"stdout,file.read=./x", "wall=5s", /* a limit is no permission: the ceiling still counts as declared */
         "stdout ambient granted; file.read=./x default granted; "
         "stdout,file.read=/nowhere/case/x,wall=5s,cpu=20s,memory=1G,processes=64,output=1M,disk=64M",
         NATIVE},
        /* what this build does not serve */
        {"stdout,db=x", NULL, "stdout ambient granted; db=x default unserved; stdout" LIMITS, NATIVE},
        {"stdout,db=x", "stdout", "stdout line granted; db=x default unserved; stdout" LIMITS, NATIVE},
        {"stdout,db=x", "db=x", "db=x line unserved; stdout ambient granted; stdout" LIMITS, NATIVE},
        {"stdout,exec=?", NULL, "stdout ambient granted; exec=? default unserved; stdout" LIMITS, NATIVE},
        {"stdout,net=?", NULL, "stdout ambient granted; net=? default held; stdout,net=?" LIMITS, NATIVE},
        {"net=?", "net=api.test:443", "net=api.test:443 line held; net=?" LIMITS, NATIVE},
        /* a person is asked; what is granted anyway is not asked for */
        {"stdout,file.read=?", NULL, "stdout ambient granted; file.read=? default held; stdout,file.read=?" LIMITS,
         NATIVE},
        {"stdout,file.read=?,file.read=./y", "file.read=./x,file.read=./y",
         "file.read=./x line held; file.read=./y line granted; stdout ambient granted; "
         "file.read=?,file.read=/nowhere/case/y,stdout" LIMITS,
         NATIVE},
        {"stdout,file.read=?", "stdout,file.read=?", "stdout line granted; file.read=? line trimmed; stdout" LIMITS,
         NATIVE},
        /* both, or one of them */
        {"file.write=./x", NULL, "file.write=./x default granted; file.write=/nowhere/case/x" LIMITS, NATIVE},
        {"file=./x", "file.read=./x", "file.read=./x line granted; file.read=/nowhere/case/x" LIMITS, NATIVE},
        {"file.read=./x", "file=./x", "file=./x line trimmed; none" LIMITS, NATIVE},
        {"file.write=./d/*", "file.write=./d/x,file.write=./d/*.csv,file.write=./d/.git/hooks/x",
         "file.write=./d/x line granted; file.write=./d/*.csv line trimmed; file.write=./d/.git/hooks/x line trimmed; "
         "file.write=/nowhere/case/d/x" LIMITS,
         NATIVE},
        {"db,wallet", NULL, "db default unserved; wallet default unserved; none" LIMITS, NATIVE},
        /* exec and the unsafe executors: the ceiling is the grant */
        {"stdout,exec=ls,file.read=./x", "file.read=./y",
         "stdout ambient granted; exec=ls default granted; file.read=./x default granted; "
         "stdout,exec=ls,file.read=/nowhere/case/x" LIMITS,
         WHOLE},
        /* scopes that must be quoted stay so */
        {"file.read=\"./a,b\"", NULL, "file.read=./a,b default granted; file.read=\"/nowhere/case/a,b\"" LIMITS,
         NATIVE},
        /* no sense for native code */
        {"file.read", NULL, "refused: file.read would be every file", NATIVE},
        {"file", NULL, "refused: file would be every file", NATIVE},
        {"file.write", NULL, "refused: file.write would be every file", NATIVE},
        {"file.read=/", NULL, "refused: file.read=/ would be every file", NATIVE},
        {"file.read=/*", NULL, "refused: file.read=/* would be every file", NATIVE},
        {"file.read=../../..", NULL, "refused: file.read=../../.. would be every file", NATIVE},
        {"file.write=./*.csv", NULL, "refused: file.write=./*.csv is a pattern", NATIVE},
        {"file=./.bashrc", NULL, "refused: file=./.bashrc names what other programs trust", NATIVE},
        {"env=OPENAI_API_KEY", NULL, "refused: env=OPENAI_API_KEY looks like a key", NATIVE},
        {"env=pgpassword", NULL, "refused: env=pgpassword looks like a key", NATIVE},
        {"env=AWS_SECRET_ACCESS_KEY", NULL, "refused: env=AWS_SECRET_ACCESS_KEY looks like a key", NATIVE},
        {"env", NULL, "refused: env could be a key", NATIVE},
        {"env=*", NULL, "refused: env=* could be a key", NATIVE},
        {"exec=git*", NULL, "refused: exec=git* is a pattern", NATIVE},
        {"file.read=./out/x", NULL, "refused: file.read=./out/x cannot be read", NATIVE},
        {"env=MONKEY,env=TOKENIZERS", NULL,
         "env=MONKEY default granted; env=TOKENIZERS default granted; env=MONKEY,env=TOKENIZERS" LIMITS, NATIVE},
    };
    for (size_t i = 0; i < COUNT(trials); i++) {
        char *rows = grant_text(trials[i].ceiling, trials[i].requests, trials[i].ambient, !trials[i].explicit_only);
        if (strncmp(rows, trials[i].rows, strncmp(trials[i].rows, "refused", 7) ? 100000 : strlen(trials[i].rows))) {
            fail_msg("%s | %s\ngives: %s\nnot:   %s", trials[i].ceiling, trials[i].requests, rows, trials[i].rows);
        }
        free(rows);
    }
}

static void a_home_that_is_not_known_is_said(void **state)
{
    (void)state;
    struct policy ceiling = parse("file.read=~/x"), asked = parse("file.read=~/y"), plain = parse("stdout");
    struct grant_request request = {.item = &asked.items[0], .line = 1};
    struct grant_input input = {.root = root, .ceiling = &ceiling};
    struct grant grant;
    struct err err;
    assert_int_equal(grant_compute(&input, &grant, &err), -EINVAL);
    assert_string_equal(err.text, "file.read=~/x: there is no home folder that ~ could mean");
    input = (struct grant_input){.root = root, .ceiling = &plain, .requests = &request, .request_count = 1};
    assert_int_equal(grant_compute(&input, &grant, &err), 0);
    assert_int_equal(grant.rows[0].state, GRANT_TRIMMED);
    assert_string_equal(grant.rows[0].why,
                        err.text[0] ? "file.read=~/y: there is no home folder that ~ could mean" : "");
    grant_done(&grant);
    policy_done(&ceiling);
    policy_done(&asked);
    policy_done(&plain);
}

/* ---- reasons over permuted ceilings ------------------------------------------------------------------------------ */

static const char *const items[] = {
    "file.read=./data/*",
    "file.read=./docs/a.txt",
    "file.read=~/notes/*",
    "file.read=./data/2024/*.csv",
    "stdout",
    "exec=ls",
    "env=LANG",
    "file.read=./data/x.csv",
};
enum { ITEMS = sizeof items / sizeof *items };

/* How each item stands to each request, by hand: 'y' holds it, '.' is of another kind, 0-9 how near it is. */
static const struct {
    const char *request;
    const char *fix;
    const char stands[ITEMS + 1];
} requests[] = {
    {"file.read=./data/x.csv", "file.read=./data/x.csv", "y416...y"},
    {"file.read=./data/2024/jan.csv", "file.read=./data/2024/jan.csv", "y21y...4"},
    {"file.read=./docs/a.txt", "file.read=./docs/a.txt", "3y13...3"},
    {"file.read=./docs/b.txt", "file.read=./docs/b.txt", "3413...3"},
    {"file.read=~/notes/n", "file.read=~/notes/n", "11y1...1"},
    {"file.read=./.env", "file.read=./.env", "3313...3"},
    {"file.read=/nowhere/case/.env2", "file.read=./.env2", "3313...3"},
    {"file.read=/etc/passwd", "file.read=/etc/passwd", "1111...1"},
    {"stdout", "stdout", "....y..."},
    {"stdin", "stdin", "........"},
    {"exec=/usr/bin/ls", "exec=ls", ".....y.."},
    {"exec=/opt/tool", "exec=/opt/tool", ".....1.."},
    {"env=LANG", "env=LANG", "......y."},
    {"env=TZ", "env=TZ", "......1."},
};
enum { REQUESTS = sizeof requests / sizeof *requests };

static const char *stand_of(size_t request, size_t item)
{
    return &requests[request].stands[item];
}

static bool judge(const char *ceiling_text, size_t request, char **ret_rule, char **ret_why, char **ret_fix)
{
    struct policy ceiling = parse(ceiling_text), asked = parse(requests[request].request);
    const struct policy_item *rule;
    struct buf why, fix;
    buf_init(&why, 1000);
    buf_init(&fix, 1000);
    bool granted = grant_judge(&ceiling, root, home, asked.items[0].permission, asked.items[0].scope, &rule,
                               ret_why ? &why : NULL, ret_fix ? &fix : NULL);
    if (ret_rule) {
        *ret_rule = rule ? strdup(rule->text) : NULL;
    }
    if (ret_why) {
        *ret_why = buf_steal(&why);
    }
    if (ret_fix) {
        *ret_fix = buf_steal(&fix);
    }
    buf_done(&why);
    buf_done(&fix);
    policy_done(&ceiling);
    policy_done(&asked);
    return granted;
}

/* The pasted fix grants this request, and changes no other verdict. */
static void check_fix(const char *ceiling, size_t request, const char *fix)
{
    struct buf wider;
    buf_init(&wider, 1000);
    if (strcmp(ceiling, "none") != 0) {
        buf_addf(&wider, "%s,", ceiling);
    }
    buf_add_text(&wider, fix);
    for (size_t other = 0; other < REQUESTS; other++) {
        bool before = judge(ceiling, other, NULL, NULL, NULL), after = judge(wider.data, other, NULL, NULL, NULL);
        if (after != (before || other == request)) {
            fail_msg("%s changes the verdict on %s", wider.data, requests[other].request);
        }
    }
    buf_done(&wider);
}

static void check_request(const char *ceiling, const size_t *order, size_t count, size_t request)
{
    const char *rule = NULL;
    int nearest = -1;
    bool granted = false;
    for (size_t i = 0; i < count && !granted; i++) {
        int stand = *stand_of(request, order[i]);
        granted = stand == 'y';
        if (granted || (stand != '.' && stand > nearest)) { /* of two that are as near, the first */
            nearest = stand;
            rule = items[order[i]];
        }
    }
    char *found, *why, *fix;
    assert_int_equal(judge(ceiling, request, &found, &why, &fix), granted);
    if ((found == NULL) != (rule == NULL) || (rule && strcmp(found, rule) != 0)) {
        fail_msg("%s under %s: the rule is %s, not %s", requests[request].request, ceiling, found, rule);
    }
    const char *scope = rule && strchr(rule, '=') ? strchr(rule, '=') + 1 : rule;
    assert_true(rule ? strstr(why, scope) != NULL : strstr(why, "granted") != NULL);
    assert_true(strncmp(why, "covered by ", 11) == 0 ? granted : !granted);
    assert_string_equal(fix, granted ? "" : requests[request].fix);
    if (!granted) {
        check_fix(ceiling, request, fix);
    }
    free(found);
    free(why);
    free(fix);
}

static void check_ceiling(const size_t *order, size_t count)
{
    struct buf ceiling;
    buf_init(&ceiling, 1000);
    for (size_t i = 0; i < count; i++) {
        buf_addf(&ceiling, "%s%s", i ? "," : "", items[order[i]]);
    }
    if (count == 0) {
        buf_add_text(&ceiling, "none");
    }
    for (size_t request = 0; request < REQUESTS; request++) {
        check_request(ceiling.data, order, count, request);
    }
    buf_done(&ceiling);
}

static void reasons_and_fixes_are_right_over_every_order_of_ceiling(void **state)
{
    (void)state;
    size_t order[3] = {0};
    check_ceiling(order, 0);
    for (order[0] = 0; order[0] < ITEMS; order[0]++) {
        check_ceiling(order, 1);
        for (order[1] = 0; order[1] < ITEMS; order[1]++) {
            if (order[1] == order[0]) {
                continue;
            }
            check_ceiling(order, 2);
            for (order[2] = 0; order[2] < ITEMS; order[2]++) {
                if (order[2] != order[0] && order[2] != order[1]) {
                    check_ceiling(order, 3);
                }
            }
        }
    }
}

static void what_cannot_be_given_has_no_fix(void **state)
{
    (void)state;
    static const struct {
        const char *ceiling;
        enum permission permission;
        const char *scope, *why;
    } trials[] = {
        {"stdout", PERMISSION_DB, "x", "no db is granted; db is not served in this build"},
        {"db=x", PERMISSION_DB, "x", "db=x is in the ceiling, but db is not served in this build"},
        {"stdout", PERMISSION_NET, "m\xc3\xbcnchen.test",
         "net is not as the network writes it: give the name's xn-- form"},
        {"stdout", PERMISSION_NET, "api.test:https", "net has no port: a port is a number from 1 to 65535"},
        {"file.read=?", PERMISSION_FILE_READ, "./x",
         "file.read=?: a person is asked when it is touched"},
        {"file.write=./x/*", PERMISSION_FILE_WRITE, "./x/.git/config",
         "file.write names what other programs trust, and no run writes it"},
        {"stdout", PERMISSION_FILE_READ, NULL,
         "file.read would be every file of this machine; name a folder: file.read=./data"},
        {"stdout", PERMISSION_FILE_READ, "/",
         "file.read would be every file of this machine; name a folder: file.read=./data"},
        {"stdout", PERMISSION_ENV, "GITHUB_TOKEN", "env looks like a key, and no program gets one"},
        {"stdout", PERMISSION_FILE_READ, "./a\nb", "no file.read is granted"},
    };
    for (size_t i = 0; i < COUNT(trials); i++) {
        struct policy ceiling = parse(trials[i].ceiling);
        struct buf why, fix;
        buf_init(&why, 1000);
        buf_init(&fix, 1000);
        assert_false(grant_judge(&ceiling, root, home, trials[i].permission, trials[i].scope, NULL, &why, &fix));
        assert_string_equal(why.data, trials[i].why);
        assert_int_equal(fix.len, 0);
        buf_done(&why);
        buf_done(&fix);
        policy_done(&ceiling);
    }
}

static void the_own_folder_needs_no_permission(void **state)
{
    (void)state;
    struct policy ceiling = parse("none");
    static const char *const scopes[] = {"./out", "./out/x", "/nowhere/case/out/a/b", "./data/../out/x"};
    for (size_t i = 0; i < COUNT(scopes); i++) {
        assert_true(grant_judge(&ceiling, root, home, PERMISSION_FILE_WRITE, scopes[i], NULL, NULL, NULL));
        assert_true(grant_judge(&ceiling, root, home, PERMISSION_FILE_READ, scopes[i], NULL, NULL, NULL));
    }
    assert_false(grant_judge(&ceiling, root, home, PERMISSION_FILE_READ, "./outer", NULL, NULL, NULL));
    assert_false(grant_judge(&ceiling, root, home, PERMISSION_FILE_READ, "./out/../x", NULL, NULL, NULL));
    policy_done(&ceiling);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(granted_is_ambient_and_what_was_declared_within_the_ceiling),
        cmocka_unit_test(a_home_that_is_not_known_is_said),
        cmocka_unit_test(reasons_and_fixes_are_right_over_every_order_of_ceiling),
        cmocka_unit_test(what_cannot_be_given_has_no_fix),
        cmocka_unit_test(the_own_folder_needs_no_permission),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
