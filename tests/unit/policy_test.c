/* The policy language: what parses, to what, and what each mistake is told. */
#include "../../sandbox/policy.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))

/* ---- a memory that runs out: the linker sends the library's calls here ------------------------------------------ */

static long allocations_left = -1; /* -1: as many as it likes */
void *__real_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size)
{
    if (allocations_left == 0) {
        return NULL;
    }
    allocations_left -= allocations_left > 0;
    return __real_realloc(old, size);
}

/* ---- helpers ----------------------------------------------------------------------------------------------------- */

static char *canonical(const char *text)
{
    struct policy policy;
    struct err err;
    struct buf out;
    if (policy_parse(text, &policy, &err) < 0) {
        fail_msg("\"%s\" does not parse: %s", text, err.text);
    }
    buf_init(&out, 100000);
    assert_int_equal(policy_format(&policy, &out), 0);
    policy_done(&policy);
    return buf_steal(&out);
}

static void policies_have_a_canonical_form(void **state)
{
    (void)state;
    static const struct {
        const char *text, *form;
    } trials[] = {
        {"stdout", "stdout"},
        {" stdout ,\ttime\n", "stdout,time"},
        {"none", "none"},
        {"none,wall=3s", "none,wall=3s"},
        {"wall=3s,none", "none,wall=3s"},
        {"wall=3s", "none,wall=3s"},
        {"sandbox", "stdout,time"},
        {"sandbox,stdout", "stdout,time"},
        {"sandbox,random", "stdout,time,random"},
        {"file_read=./a,file_write=./b", "file.read=./a,file.write=./b"},
        {"file.read=./a,file.read=./b,file.read=./a", "file.read=./a,file.read=./b"},
        {"stdin,env=LANG,secret=x,file=./x,net=a.test:443,exec=ls,db,llm,sandbox_run",
         "stdin,env=LANG,secret=x,file=./x,net=a.test:443,exec=ls,db,llm,sandbox_run"},
        {"judge,serve,reveal,sign,wallet=x,spend,attest", "judge,serve,reveal,sign,wallet=x,spend,attest"},
        {"file.read=./with blank", "file.read=./with blank"},
        {"file.read=./año/ñ*.csv", "file.read=./año/ñ*.csv"},
        {"file.read=a=b", "file.read=a=b"},
        {"file.read=./a\"b", "file.read=./a\"b"},
        {"file.read=./a\\b", "file.read=./a\\b"},
        {"file.read=\"./plain\"", "file.read=./plain"},
        {"file.read=\"./a,b\"", "file.read=\"./a,b\""},
        {"file.read=\"./a,b\" , stdout", "file.read=\"./a,b\",stdout"},
        {"file.read=\" x \"", "file.read=\" x \""},
        {"file.read=\"a\\\"b\\\\c,\"", "file.read=\"a\\\"b\\\\c,\""},
        {"file.read=\"\\\"x\"", "file.read=\"\\\"x\""},
        {"net=?", "net=?"},
        {"net=\\?", "net=\\?"},
        {"net=\"?\"", "net=\\?"},
        {"net=\"\\\\?\"", "net=\"\\\\?\""},
        {"net=??", "net=??"},
        {"timeout=500ms", "none,wall=500ms"},
        {"wall=5s,timeout=3s,wall=9s", "none,wall=3s"},
        {"memory=512M,processes=3,output=1K,disk=2T,cpu=1.5s",
         "none,cpu=1.5s,memory=512M,processes=3,output=1K,disk=2T"},
    };
    for (size_t i = 0; i < COUNT(trials); i++) {
        char *form = canonical(trials[i].text), *again = canonical(form);
        assert_string_equal(form, trials[i].form);
        assert_string_equal(again, form);
        free(form);
        free(again);
    }
}

static void items_say_what_they_are_and_where(void **state)
{
    (void)state;
    struct policy policy;
    struct err err;
    assert_int_equal(policy_parse(" stdout , file_read=\"a,b\" ,net=?,wallet,net=\\?", &policy, &err), 0);
    assert_int_equal(policy.count, 5);
    const struct policy_item *read = &policy.items[1], *ask = &policy.items[2], *other = &policy.items[3];
    assert_int_equal(read->permission, PERMISSION_FILE_READ);
    assert_string_equal(read->name, "file.read");
    assert_string_equal(read->scope, "a,b");
    assert_string_equal(read->text, "file.read=\"a,b\"");
    assert_int_equal(read->start, 10);
    assert_int_equal(read->end, 25);
    assert_true(ask->ask);
    assert_null(ask->scope);
    assert_int_equal(other->permission, PERMISSION_OTHER);
    assert_string_equal(other->name, "wallet");
    assert_false(policy.items[4].ask);
    assert_string_equal(policy.items[4].scope, "?");
    policy_done(&policy);
}

static void limits_have_units(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum limit limit;
        uint64_t value;
        const char *shown;
    } trials[] = {
        {"wall=20s", LIMIT_WALL, 20000000, "20s"},       {"wall=500ms", LIMIT_WALL, 500000, "500ms"},
        {"wall=1.5s", LIMIT_WALL, 1500000, "1.5s"},      {"wall=0.25s", LIMIT_WALL, 250000, "250ms"},
        {"wall=1500ms", LIMIT_WALL, 1500000, "1.5s"},    {"wall=1.000001s", LIMIT_WALL, 1000001, "1.000001s"},
        {"wall=0.5ms", LIMIT_WALL, 500, "500us"},        {"wall=2m", LIMIT_WALL, 120000000, "120s"},
        {"cpu=1h", LIMIT_CPU, 3600000000, "3600s"},      {"memory=1G", LIMIT_MEMORY, 1 << 30, "1G"},
        {"memory=1.5G", LIMIT_MEMORY, 3 << 29, "1536M"}, {"memory=512m", LIMIT_MEMORY, 512 << 20, "512M"},
        {"output=1000B", LIMIT_OUTPUT, 1000, "1000B"},   {"disk=64M", LIMIT_DISK, 64 << 20, "64M"},
        {"processes=64", LIMIT_PROCESSES, 64, "64"},
    };
    for (size_t i = 0; i < COUNT(trials); i++) {
        struct policy policy;
        struct buf shown;
        assert_int_equal(policy_parse(trials[i].text, &policy, NULL), 0);
        assert_true(policy.limits.given[trials[i].limit]);
        assert_int_equal(policy.limits.value[trials[i].limit], trials[i].value);
        buf_init(&shown, 100);
        limit_format(trials[i].limit, trials[i].value, &shown);
        assert_string_equal(shown.data, trials[i].shown);
        buf_done(&shown);
        policy_done(&policy);
    }
}

static void a_ceilings_limit_replaces_the_default_and_a_program_only_lowers(void **state)
{
    (void)state;
    struct policy ceiling, program;
    assert_int_equal(policy_parse("wall=60s", &ceiling, NULL), 0);
    assert_int_equal(policy_parse("wall=40s,cpu=30s,processes=2", &program, NULL), 0);
    assert_int_equal(ceiling.limits.value[LIMIT_WALL], 60000000);
    assert_int_equal(ceiling.limits.value[LIMIT_CPU], 20000000);
    limits_narrow(&ceiling.limits, &program.limits);
    assert_int_equal(ceiling.limits.value[LIMIT_WALL], 40000000);
    assert_int_equal(ceiling.limits.value[LIMIT_CPU], 20000000);
    assert_int_equal(ceiling.limits.value[LIMIT_PROCESSES], 2);
    assert_int_equal(ceiling.limits.value[LIMIT_MEMORY], 1 << 30);
    policy_done(&ceiling);
    policy_done(&program);
}

static void a_mistake_is_pointed_at(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
        int caret; /* column of the caret, from 0 */
    } trials[] = {
        {"", "an empty policy; write none to allow nothing", 0},
        {"   ", "an empty policy", 3},
        {",", "an empty item", 0},
        {"stdout,", "an empty item", 7},
        {"stdout,,time", "an empty item", 7},
        {"stdout,  ,time", "an empty item", 9},
        {"stdout, fil.read=x", "unknown name \"fil.read\"; did you mean file.read?", 8},
        {"stdotu", "did you mean stdout?", 0},
        {"STDOUT", "did you mean stdout?", 0},
        {"tiem", "did you mean time?", 0},
        {"memroy=1G", "did you mean memory?", 0},
        {"ne=x", "did you mean net?", 0},
        {"snadbox", "did you mean sandbox?", 0},
        {"filewrite=x", "did you mean file.write?", 0},
        {"timeot=3s", "did you mean wall?", 0},
        {"bogusbogus", "unknown name \"bogusbogus\"; known are stdout stdin", 0},
        {"a-name-that-is-longer-than-any-known-one", "unknown name", 0},
        {"file.read =x", "did you mean file.read?", 0},
        {"=x", "unknown name \"\"", 0},
        {"file.read= x", "no blank stands after", 10},
        {"file.read=", "the scope after file.read= is empty", 10},
        {"file.read=\"\"", "the scope after file.read= is empty", 10},
        {"file.read=\"x", "never closed", 10},
        {"file.read=\"x\\\"", "never closed", 10},
        {"file.read=\"x\\n\"", "a backslash stands before", 12},
        {"file.read=\"x\"y", "a comma must follow the closing quote", 13},
        {"ñandú,stdout=x", "unknown name", 0},
        {"file.read=ñandú,stdout=x", "stdout takes no scope", 22},
        {"time=3s", "the limit on elapsed time is wall=20s", 4},
        {"none=x", "none takes no scope", 4},
        {"sandbox=?", "sandbox takes no scope", 7},
        {"none,stdout", "beside none only limits may stand", 5},
        {"stdout,none", "beside none only limits may stand", 7},
        {"wall", "wall is a limit and needs a value: wall=20s", 4},
        {"memory", "memory is a limit and needs a value: memory=1G", 6},
        {"wall=0", "wall=0 is 0", 5},
        {"wall=0s", "wall=0s is 0", 5},
        {"processes=0", "processes=0 is 0", 10},
        {"disk=0.0001B", "less than the smallest unit", 5},
        {"wall=20", "is no time; write a number and a unit", 5},
        {"wall=20 s", "is no time", 5},
        {"wall=1.s", "is no time", 5},
        {"wall=.5s", "is no time", 5},
        {"wall=-1s", "is no time", 5},
        {"wall=?", "is no time", 5},
        {"wall=1M", "is no time", 5},
        {"memory=512", "is no size; write a number and a unit", 7},
        {"memory=1s", "is no size", 7},
        {"processes=1.5", "is no count", 10},
        {"processes=4K", "is no count", 10},
        {"processes=99999999999", "is too large", 10},
        {"wall=99999999999999h", "is too large", 5},
        {"wall=2562047788h", "is too large", 5}, /* fits, but not beside the clock */
        {"output=1048576T", "is too large", 7},  /* fits, but not sixteen times */
        {"memory=99999999999999999999999G", "is no size", 7},
        {"file.read=a\tb", "a control character", 11},
        {"file.read=a\x1b[31m", "a control character", 11},
    };
    for (size_t i = 0; i < COUNT(trials); i++) {
        struct policy policy = {.count = 77};
        struct err err;
        assert_int_equal(policy_parse(trials[i].text, &policy, &err), -EINVAL);
        assert_int_equal(policy.count, 77); /* set on success only */
        char *text = strchr(err.text, '\n');
        assert_non_null(text);
        *text++ = '\0';
        char *caret = strchr(text, '\n');
        assert_non_null(caret);
        *caret++ = '\0';
        if (!strstr(err.text, trials[i].message)) {
            fail_msg("\"%s\": \"%s\" lacks \"%s\"", trials[i].text, err.text, trials[i].message);
        }
        assert_int_equal(strlen(text), strlen(trials[i].text));
        assert_null(strpbrk(text, "\t\x1b"));
        if (strspn(caret, " ") != (size_t)trials[i].caret) {
            fail_msg("\"%s\": the caret is at %zu, not %d", trials[i].text, strspn(caret, " "), trials[i].caret);
        }
        assert_string_equal(caret + strspn(caret, " "), "^");
    }
}

static void a_long_policys_fault_is_shown_in_an_excerpt(void **state)
{
    (void)state;
    enum { LEN = 3000 };
    char text[LEN + 1];
    struct policy policy;
    struct err err;
    memset(text, 'x', LEN);
    text[LEN] = '\0';
    memcpy(text, "stdout,file.read=", 17);
    memcpy(text + 1500, ",bogus,", 7);
    assert_int_equal(policy_parse(text, &policy, &err), -EINVAL);
    char *excerpt = strchr(err.text, '\n') + 1, *caret = strchr(excerpt, '\n') + 1;
    assert_true(caret - excerpt < 250);
    size_t column = strspn(caret, " ");
    assert_memory_equal(excerpt + column + 2, "bogus", 5); /* the sign for "cut" is three bytes and one column */
}

static void a_policy_has_a_largest_size(void **state)
{
    (void)state;
    size_t len = 64 * 1024;
    char *text = malloc(len + 2);
    struct policy policy;
    struct err err;
    memset(text, 'x', len + 1);
    memcpy(text, "exec=", 5);
    text[len + 1] = '\0';
    assert_int_equal(policy_parse(text, &policy, &err), -E2BIG);
    assert_null(strchr(err.text, '\n'));
    text[len] = '\0';
    assert_int_equal(policy_parse(text, &policy, &err), 0);
    policy_done(&policy);
    free(text);
}

static void no_memory_is_an_error_like_any_other(void **state)
{
    (void)state;
    static const char text[] = "sandbox,file.read=\"a,b\",net=?,net=\\?,wall=3s,env=A,env=B,env=C,env=D,env=E,env=F";
    int r = -ENOMEM;
    for (long limit = 0; r == -ENOMEM; limit++) {
        struct policy policy;
        struct err err;
        allocations_left = limit;
        r = policy_parse(text, &policy, &err);
        allocations_left = -1;
        assert_true(r == 0 || r == -ENOMEM);
        if (r == 0) {
            assert_true(limit > 20);
            assert_int_equal(policy.count, 11);
            policy_done(&policy);
        }
    }
}

/* ---- requires ---------------------------------------------------------------------------------------------------- */

static void note_require(void *context, unsigned line, const struct policy_item *item, const struct limits *limits,
                         const struct err *err)
{
    struct buf *out = context;
    assert_int_equal((item != NULL) + (limits != NULL) + (err != NULL), 1);
    int message = err ? (int)strcspn(err->text, "\n") : 0;
    buf_addf(out, "%u:%s%.*s ", line, item ? item->text : limits ? "limits" : "!", message, err ? err->text : "");
}

static void requires_stand_at_the_head(void **state)
{
    (void)state;
    static const struct {
        const char *comment, *source, *found;
    } trials[] = {
        {"#", "# require file.read=./a\nprint(1)\n", "1:file.read=./a "},
        {"#", "# require file.read(\"./data/*\")\n", "1:file.read=./data/* "},
        {"#", "#require net \"x.test:443\"", "1:net=x.test:443 "},
        {"#", "#!/usr/bin/python3\r\n\r\n  # require stdout\r\n", "3:stdout "},
        {"#", "\xef\xbb\xbf# require stdout", "1:stdout "},
        {"#", "# require file_read('./a')  # the data\n", "1:file.read=./a "},
        {"#", "# require file.read( `./a` )\n", "1:file.read=./a "},
        {"#", "# require file.read(\"a \\\"b\\\", \\\\c\\d\")", "1:file.read=\"a \\\"b\\\", \\\\c\\\\d\" "},
        {"#", "# require file.read(\"?\")", "1:file.read=\\? "},
        {"#", "# require stdout, file.read=./a\n# require random", "1:stdout 1:file.read=./a 2:random "},
        {"#", "# require wall=3s", "1:limits "},
        {"#", "# require wall(\"3s\")", "1:limits "},
        {"#", "# required: pandas\n# requires stdout\n# Require stdout", ""},
        {"#", "import os\n# require stdout", ""},
        {"#", "\"\"\"doc\"\"\"\n# require stdout", ""},
        {"#", "-- require stdout", ""},
        {"--", "-- require file.read(\"./a\") -- why\nSELECT 1", "1:file.read=./a "},
        {"--", "SELECT 1 -- require stdout", ""},
        {"//", "// require stdout\n", "1:stdout "},
        {"#", "# require fil.read(\"x\")", "1:!unknown name \"fil.read\"; did you mean file.read? "},
        {"#", "# require file.read(x)", "1:!unknown name \"file.read(x)\"; did you mean file.read? "},
        {"#", "# require file.read(\"x\") and more", "1:!unknown name "},
        {"#", "# require memory", "1:!memory is a limit and needs a value: memory=1G "},
        {"#", "# require none", "1:!a program cannot require none; without a permission it writes no require "},
        {"#", "# require ", "1:!an empty policy; write none to allow nothing "},
        {"#", "", ""},
    };
    for (size_t i = 0; i < COUNT(trials); i++) {
        struct buf out;
        buf_init(&out, 100000);
        buf_add_text(&out, "");
        assert_int_equal(policy_read_requires(trials[i].source, trials[i].comment, note_require, &out), 0);
        if (strncmp(out.data, trials[i].found, strlen(trials[i].found)) != 0 || (!*trials[i].found && out.len)) {
            fail_msg("%s\nfound: %s\nnot:   %s", trials[i].source, out.data, trials[i].found);
        }
        buf_done(&out);
    }
}

static void a_head_of_any_size_is_read(void **state)
{
    (void)state;
    struct buf source, out;
    buf_init(&source, 1 << 20);
    buf_init(&out, 1000);
    buf_add_text(&source, "# require stdout\n# ");
    while (source.len < 200 * 1024) {
        buf_add_char(&source, 'x');
    }
    buf_add_text(&source, "\n# require time\n");
    assert_int_equal(policy_read_requires(source.data, "#", note_require, &out), 0);
    assert_string_equal(out.data, "1:stdout "); /* a line of 200 KB is no comment that a person wrote: the head ends */
    buf_done(&out);
    buf_done(&source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(policies_have_a_canonical_form),
        cmocka_unit_test(items_say_what_they_are_and_where),
        cmocka_unit_test(limits_have_units),
        cmocka_unit_test(a_ceilings_limit_replaces_the_default_and_a_program_only_lowers),
        cmocka_unit_test(a_mistake_is_pointed_at),
        cmocka_unit_test(a_long_policys_fault_is_shown_in_an_excerpt),
        cmocka_unit_test(a_policy_has_a_largest_size),
        cmocka_unit_test(no_memory_is_an_error_like_any_other),
        cmocka_unit_test(requires_stand_at_the_head),
        cmocka_unit_test(a_head_of_any_size_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
