/* How a run ended: one status from what was observed. */
#include "../../sandbox/outcome_internal.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))

enum { EXIT_1 = 1 << 8 };

static struct limits standard;

static int set_up(void **state)
{
    (void)state;
    limits_default(&standard);
    return 0;
}

static struct outcome_facts ended(int status)
{
    return (struct outcome_facts){.killed_for = -1, .ended = true, .end = {.status = status}, .limits = &standard};
}

static void check(const struct outcome_facts *facts, enum sandbox_status status, const char *message)
{
    struct report_exit exit;

    outcome_decide(facts, &exit);
    if (exit.status != status || (message && strcmp(exit.message, message) != 0)) {
        fail_msg("%s: %s", sandbox_status_name(exit.status), exit.message);
    }
    free(exit.message);
}

static void a_program_ends_by_itself(void **state)
{
    struct outcome_facts ok = ended(0), error = ended(EXIT_1), signal = ended(SIGSEGV), none = ended(EXIT_1);

    (void)state;
    check(&ok, STATUS_OK, "exit 0");
    check(&error, STATUS_ERROR, "exit 1");
    check(&signal, STATUS_SIGNAL, "ended by signal 11 (Segmentation fault)");
    none.end.exec_errno = ENOENT;
    none.command = "/usr/bin/nosuch";
    check(&none, STATUS_SETUP, "/usr/bin/nosuch: No such file or directory");
}

static void each_limit_names_the_item_that_raises_it(void **state)
{
    static const struct {
        enum limit limit;
        enum sandbox_status status;
        const char *message;
    } trials[] = {
        {LIMIT_WALL, STATUS_WALL, "wall: 20s are over; raise it with wall=40s"},
        {LIMIT_CPU, STATUS_CPU, "cpu: 20s of processor time are used; raise it with cpu=40s"},
        {LIMIT_MEMORY, STATUS_MEMORY, "memory: 1G are used; raise it with memory=2G"},
        {LIMIT_PROCESSES, STATUS_PROCESSES, "processes: 64 ran at once; raise it with processes=128"},
        {LIMIT_OUTPUT, STATUS_OUTPUT, "output: 16M were written; raise it with output=2M"},
        {LIMIT_DISK, STATUS_DISK, "disk: 64M are full; raise it with disk=128M"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(trials); i++) {
        struct outcome_facts facts = {.killed_for = (int)trials[i].limit, .limits = &standard};
        check(&facts, trials[i].status, trials[i].message);
    }
}

static void an_errno_limit_counts_only_when_the_program_then_failed(void **state)
{
    static const enum limit limits[] = {LIMIT_MEMORY, LIMIT_PROCESSES, LIMIT_DISK};
    static const enum sandbox_status statuses[] = {STATUS_MEMORY, STATUS_PROCESSES, STATUS_DISK};

    (void)state;
    for (size_t i = 0; i < COUNT(limits); i++) {
        struct outcome_facts failed = ended(EXIT_1), fine = ended(0), other = ended(EXIT_1);
        failed.hit[limits[i]] = fine.hit[limits[i]] = true;
        check(&failed, statuses[i], NULL);
        check(&fine, STATUS_OK, NULL);
        check(&other, STATUS_ERROR, NULL);
    }
}

static void kills_by_the_kernel_are_told_by_what_was_hit(void **state)
{
    struct outcome_facts memory = ended(SIGKILL), cpu = ended(SIGXCPU), disk = ended(SIGXFSZ), plain = ended(SIGKILL);
    struct outcome_facts init = {.killed_for = -1, .limits = &standard};

    (void)state;
    memory.hit[LIMIT_MEMORY] = init.hit[LIMIT_MEMORY] = true;
    check(&memory, STATUS_MEMORY, NULL);
    check(&init, STATUS_MEMORY, NULL);
    check(&cpu, STATUS_CPU, NULL);
    check(&disk, STATUS_DISK, NULL);
    check(&plain, STATUS_SIGNAL, NULL);
}

static void denied_means_that_the_refusal_is_the_error(void **state)
{
    const struct report_access env = {.given = (char[]){".env"},
                                      .resolved = (char[]){"/r/.env"},
                                      .error = EACCES,
                                      .want = WANT_READ,
                                      .missing = PERMISSION_FILE_READ};
    const struct report_access hidden = {.given = (char[]){".env"}, .resolved = (char[]){"/r/.env"}, .error = ENOENT};
    static const char named[] = "cat: .env: gone", generic[] = "OSError: Permission denied", other[] = "ValueError: 3",
                      missing[] = "x.csv: No such file or directory";
    struct outcome_facts facts = ended(EXIT_1);

    (void)state;
    facts.denied = &env;
    facts.errors = named;
    facts.errors_len = sizeof named - 1;
    check(&facts, STATUS_DENIED, "denied: read /r/.env (file.read)");
    facts.errors = generic;
    facts.errors_len = sizeof generic - 1;
    check(&facts, STATUS_DENIED, NULL);
    facts.end.status = 0; /* it caught the refusal */
    check(&facts, STATUS_OK, NULL);
    facts.end.status = EXIT_1;
    facts.errors = other;
    facts.errors_len = sizeof other - 1;
    check(&facts, STATUS_ERROR, NULL);
    facts.denied = &hidden; /* a missing file is a common error: only its name counts */
    facts.errors = missing;
    facts.errors_len = sizeof missing - 1;
    check(&facts, STATUS_ERROR, NULL);
}

static void a_short_path_is_named_only_as_a_word(void **state)
{
    const struct report_access short_one = {
        .given = (char[]){"x"}, .resolved = (char[]){"/r/x"}, .error = ENOENT, .missing = PERMISSION_FILE_READ};
    static const struct {
        const char *errors;
        enum sandbox_status status;
    } cases[] = {
        {"FileNotFoundError: 'x'", STATUS_DENIED}, {"cat: x: gone", STATUS_DENIED}, {"x", STATUS_DENIED},
        {"max() of text: exit", STATUS_ERROR},     {"open y/x.csv", STATUS_ERROR},  {"x-ray", STATUS_ERROR},
        {"no /r/x here", STATUS_DENIED},           {"no /r/x/y here", STATUS_ERROR},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct outcome_facts facts = ended(EXIT_1);
        facts.denied = &short_one;
        facts.errors = cases[i].errors;
        facts.errors_len = strlen(cases[i].errors);
        check(&facts, cases[i].status, NULL);
    }
}

static void who_cancels_wins(void **state)
{
    struct outcome_facts facts = {.cancelled = true, .killed_for = LIMIT_WALL, .limits = &standard};

    (void)state;
    check(&facts, STATUS_CANCELLED, "cancelled");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_ends_by_itself),
        cmocka_unit_test(each_limit_names_the_item_that_raises_it),
        cmocka_unit_test(an_errno_limit_counts_only_when_the_program_then_failed),
        cmocka_unit_test(kills_by_the_kernel_are_told_by_what_was_hit),
        cmocka_unit_test(denied_means_that_the_refusal_is_the_error),
        cmocka_unit_test(a_short_path_is_named_only_as_a_word),
        cmocka_unit_test(who_cancels_wins),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
