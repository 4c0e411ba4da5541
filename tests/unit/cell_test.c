/*
 * Real cells: what a program in one can see, write and reach, and what is left
 * afterwards. As root, and again as an ordinary user. Nothing answers for the
 * kernel here: every notified call is let through, so each refusal is one of a
 * layer below.
 */
#include "../../sandbox/cell_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { NOBODY = 65534, PATIENCE_MS = 20000, OUTPUT_MAX = 65536 };

static char root[64]; /* a case: data/a.txt, data/b.txt, .env, out/secret */

/* What a test says of its run; the rest is the same for all. */
struct setup {
    const char *policy;              /* "@" in it is the root */
    const char *script;              /* for /bin/sh */
    const char *const *argv;         /* instead */
    const struct sandbox_base *base; /* instead of all of /usr */
    size_t base_count;
    const struct sandbox_inject *inject; /* one */
    int said;                            /* a descriptor, + 1 */
};

struct run {
    struct cell cell;
    struct policy granted;
    struct pins pins;
    int output;
};

struct outcome {
    int status;
    struct cell_end end;
    char text[OUTPUT_MAX];
    size_t len;
};

static const struct sandbox_base system_base[] = {{"/usr"}, {"/bin"}, {"/lib"}, {"/lib64"}, {"/etc/ld.so.cache"}};
static const char *const environment[] = {"PATH=/usr/bin:/bin", "HOME=/home/user", "LANG=C", NULL};

static void put_root(const char *from, char *to, size_t size)
{
    const char *at = strchr(from, '@');

    snprintf(to, size, "%.*s%s%s", (int)(at ? at - from : (long)strlen(from)), from, at ? root : "", at ? at + 1 : "");
}

static void start(const struct setup *setup, struct run *ret)
{
    const char *const shell[] = {"/bin/sh", "-c", setup->script, NULL};
    struct sandbox_request request = {.root = root,
                                      .base = setup->base ? setup->base : system_base,
                                      .base_count = setup->base ? setup->base_count : 5,
                                      .inject = setup->inject,
                                      .inject_count = setup->inject ? 1 : 0,
                                      .argv = setup->argv ? setup->argv : shell,
                                      .env = environment};
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC), pipes[2];
    char policy[512];
    struct err err = {.text = ""};

    *ret = (struct run){0};
    put_root(setup->policy ? setup->policy : "none", policy, sizeof policy);
    assert_int_equal(policy_parse(policy, &ret->granted, &err), 0);
    if (pins_open(&ret->granted, root, &ret->pins, &err)) {
        fail_msg("%s", err.text);
    }
    assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
    struct cell_options options = {.request = &request,
                                   .granted = &ret->granted,
                                   .pins = &ret->pins,
                                   .stdio = {null, pipes[1], pipes[1]},
                                   .said = setup->said - 1};
    if (cell_start(&options, &ret->cell, &err)) {
        fail_msg("%s", err.text);
    }
    ret->output = pipes[0];
    close(pipes[1]);
    close(null);
}

static void go(struct run *run)
{
    struct err err;

    ioctl(run->cell.listener, _IOW('!', 4, uint64_t), 1UL); /* SECCOMP_IOCTL_NOTIF_SET_FLAGS, SYNC_WAKE_UP */
    assert_int_equal(cell_go(&run->cell, &err), 0);
}

static void let_through(int listener)
{
    struct seccomp_notif asked;
    struct seccomp_notif_resp answer = {.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};

    memset(&asked, 0, sizeof asked);
    if (!ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &asked)) {
        answer.id = asked.id;
        ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
    }
}

/* Serves the cell until its program has ended (true), or `other` is readable (false). */
static bool serve(struct run *run, struct outcome *outcome, int other)
{
    struct pollfd events[4] = {{.fd = run->cell.listener, .events = POLLIN},
                               {.fd = run->output, .events = POLLIN},
                               {.fd = run->cell.control, .events = POLLIN},
                               {.fd = other, .events = POLLIN}};
    for (;;) {
        int ready = poll(events, 4, PATIENCE_MS);
        assert_true(ready > 0);
        if (events[0].revents & POLLIN) {
            let_through(run->cell.listener);
        } else if (events[0].revents) {
            events[0].fd = -1;
        }
        if (events[1].revents & POLLIN) {
            ssize_t len = read(run->output, outcome->text + outcome->len, OUTPUT_MAX - 1 - outcome->len);
            assert_true(len >= 0);
            outcome->len += (size_t)len;
        } else if (events[1].revents) {
            events[1].fd = -1;
        }
        if (events[3].revents) {
            return false;
        }
        if (events[2].revents && !(events[1].revents & POLLIN)) {
            assert_int_equal(cell_read_end(&run->cell, &outcome->end), 1);
            outcome->status =
                WIFEXITED(outcome->end.status) ? WEXITSTATUS(outcome->end.status) : 128 + WTERMSIG(outcome->end.status);
            return true;
        }
    }
}

static void finish(struct run *run)
{
    assert_true(cell_kill(&run->cell));
    cell_done(&run->cell);
    pins_done(&run->pins);
    policy_done(&run->granted);
    close(run->output);
}

/* A whole run; what it wrote is in static memory. */
static const struct outcome *run_all(const struct setup *setup)
{
    static struct outcome outcome;
    struct run run;

    memset(&outcome, 0, sizeof outcome);
    start(setup, &run);
    go(&run);
    assert_true(serve(&run, &outcome, -1));
    finish(&run);
    return &outcome;
}

static const struct outcome *run_script(const char *policy, const char *script)
{
    return run_all(&(struct setup){.policy = policy, .script = script});
}

static void says(const struct outcome *outcome, const char *text)
{
    if (!strstr(outcome->text, text)) {
        fail_msg("\"%s\" is missing in: %s", text, outcome->text);
    }
}

static void says_not(const struct outcome *outcome, const char *text)
{
    if (strstr(outcome->text, text)) {
        fail_msg("\"%s\" must not be in: %s", text, outcome->text);
    }
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

static void a_granted_file_is_read_and_no_other_is_there(void **state)
{
    const struct outcome *outcome =
        run_script("file.read=@/data/a.txt", "cat data/a.txt; cat data/b.txt; cat .env; ls -A . data");

    says(outcome, "alpha\n");
    says(outcome, "data/b.txt: No such file or directory");
    says(outcome, ".env: No such file or directory");
    says(outcome, ".:\ndata\nout\n\ndata:\na.txt\n");
    says_not(outcome, "beta");
    says_not(outcome, "SECRET");
    (void)state;
}

static void a_granted_folder_is_read_and_not_changed(void **state)
{
    const struct outcome *outcome = run_script(
        "file.read=@/data/*", "cat data/a.txt data/b.txt; echo x > data/a.txt; rm data/a.txt; touch data/new;"
                              "chmod 777 data/a.txt; mv data/a.txt data/c.txt; ln data/a.txt out/a; cat data/a.txt");

    says(outcome, "alpha\nbeta\n");
    says(outcome, "cannot create data/a.txt");
    says(outcome, "cannot remove 'data/a.txt'");
    says(outcome, "cannot touch 'data/new'");
    says(outcome, "changing permissions of 'data/a.txt'");
    says(outcome, "cannot move 'data/a.txt'");
    says(outcome, "failed to create hard link");
    assert_string_equal(outcome->text + outcome->len - 6, "alpha\n");
    (void)state;
}

static void an_owner_may_read_what_others_may_not(void **state)
{
    char path[128];

    snprintf(path, sizeof path, "%s/data/a.txt", root);
    assert_int_equal(chmod(path, 0600), 0);
    says(run_script("file.read=@/data/a.txt", "cat data/a.txt"), "alpha\n");
    assert_int_equal(chmod(path, 0644), 0);
    (void)state;
}

static void out_is_private_and_empty_and_handed_back(void **state)
{
    struct outcome outcome = {0};
    struct run run;
    char text[16] = "";

    start(&(struct setup){.script = "ls -A out; echo kept > out/result; exit 0"}, &run);
    go(&run);
    assert_true(serve(&run, &outcome, -1));
    assert_int_equal(outcome.status, 0);
    says_not(&outcome, "secret");
    int fd = openat(run.cell.out_dir, "result", O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(read(fd, text, sizeof text), 5);
    assert_string_equal(text, "kept\n");
    close(fd);
    finish(&run);
    (void)state;
}

static void the_whole_root_may_be_granted_and_out_stays_private(void **state)
{
    const struct outcome *outcome =
        run_script("file.read=@/*", "cat data/a.txt .env; ls -A out; echo y > out/y && cat out/y; touch new; pwd");

    says(outcome, "alpha\nSECRET\n");
    says(outcome, "y\n");
    says(outcome, "cannot touch 'new'");
    says(outcome, root);
    says_not(outcome, "secret");
    (void)state;
}

static void what_may_be_written_is_bounded_together(void **state)
{
    const char *script = "head -c 600K /dev/urandom > /tmp/a && echo first;"
                         "head -c 600K /dev/urandom > out/b && echo second";
    const struct outcome *outcome = run_script("disk=1M", script);

    says(outcome, "first\n");
    says(outcome, "No space left on device");
    says_not(outcome, "second\n");
    says(run_script("disk=2M", script), "second\n");
    (void)state;
}

static void what_was_written_is_not_executed(void **state)
{
    const char *script = "cp /usr/bin/true out/t && ./out/t && echo ran";

    says(run_script(NULL, script), "Permission denied");
    says(run_script("exec", script), "ran\n");
    (void)state;
}

static void the_system_is_not_there(void **state)
{
    const struct outcome *outcome = run_script(
        NULL, "for p in /root /home/*/.ssh /etc/shadow /etc/machine-id /run /var /sys /boot /dev/kmsg /dev/tty"
              " /dev/pts /proc/kcore /proc/sys /proc/sysrq-trigger; do [ -e $p ] && echo there $p; done;"
              "[ -e /etc/passwd ] && echo passwd; echo x > /dev/null && echo null; ls / | tr '\\n' ' '");

    says_not(outcome, "there ");
    says(outcome, "passwd\nnull\n");
    says(outcome, "bin dev etc home lib lib64 proc tmp usr");
    (void)state;
}

static void a_base_shows_just_what_it_names(void **state)
{
    static const struct sandbox_base base[] = {
        {"/bin/sh"}, {"/lib/x86_64-linux-gnu"}, {"/lib64/ld-linux-x86-64.so.2"}, {"/nothing/of/the/kind"}};
    const struct outcome *outcome = run_all(
        &(struct setup){.script = "echo /usr/bin/*; [ -e /usr/bin/id ] && echo id", .base = base, .base_count = 4});

    assert_int_equal(outcome->end.exec_errno, 0);
    says(outcome, "/usr/bin/dash /usr/bin/sh\n");
    says_not(outcome, "id\n");
    (void)state;
}

static void an_injected_file_is_read_and_not_changed(void **state)
{
    const struct sandbox_inject inject = {.path = "/techo/program.sh", .data = "echo injected\n", .len = 14};
    const struct outcome *outcome = run_all(
        &(struct setup){.script = ". /techo/program.sh; echo x >> /techo/program.sh; ls /techo", .inject = &inject});

    says(outcome, "injected\n");
    says(outcome, "cannot create /techo/program.sh");
    says(outcome, "program.sh\n");
    (void)state;
}

/* ---- processes --------------------------------------------------------------------------------------------------- */

static void a_program_has_no_privileges(void **state)
{
    const struct outcome *outcome = run_script(NULL, "cat /proc/self/status; uname -n; id -un");

    says(outcome, "CapInh:\t0000000000000000\nCapPrm:\t0000000000000000\nCapEff:\t0000000000000000\n"
                  "CapBnd:\t0000000000000000\nCapAmb:\t0000000000000000\nNoNewPrivs:\t1\nSeccomp:\t2\n");
    says(outcome, "\nsandbox\nuser\n");
    (void)state;
}

static void a_program_is_not_root_on_the_host(void **state)
{
    struct outcome outcome = {0};
    struct run run;
    struct stat status;
    char path[64];

    start(&(struct setup){.script = "exit 7"}, &run);
    snprintf(path, sizeof path, "/proc/%d", (int)run.cell.program);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_uid, NOBODY);
    assert_string_equal(run.cell.level, "L0");
    go(&run);
    assert_true(serve(&run, &outcome, -1));
    assert_int_equal(outcome.status, 7);
    finish(&run);
    (void)state;
}

static void a_program_inherits_three_descriptors_and_one_to_say_things_on(void **state)
{
    const char *script =
        "for i in 0 1 2 3 4 5 6 7 8 9; do eval \"true <&$i\" 2>/dev/null && printf '%d ' $i; done; exit 0";
    int leaked = open("/etc/passwd", O_RDONLY); /* not close-on-exec */
    int said = open("/dev/null", O_WRONLY | O_CLOEXEC);

    assert_true(leaked >= 0 && said >= 0);
    assert_string_equal(run_script(NULL, script)->text, "0 1 2 ");
    assert_string_equal(run_all(&(struct setup){.script = script, .said = said + 1})->text, "0 1 2 3 ");
    close(leaked);
    close(said);
    (void)state;
}

static void init_is_out_of_reach(void **state)
{
    const struct outcome *outcome =
        run_script(NULL, "kill -9 1; ls /proc/1/root /proc/1/fd; cat /proc/1/environ; echo still here");

    says(outcome, "Operation not permitted");
    says(outcome, "'/proc/1/root'");
    says(outcome, "'/proc/1/fd'");
    says(outcome, "still here\n");
    says_not(outcome, "PATH=");
    (void)state;
}

static void what_outlives_the_program_is_killed_and_counted(void **state)
{
    const struct outcome *outcome =
        run_script(NULL, "setsid sleep 1000 & (trap '' TERM HUP; exec sleep 1000) & exit 3");

    assert_int_equal(outcome->status, 3);
    assert_int_equal(outcome->end.survivors, 2);
    outcome = run_script(NULL, "true & wait; exit 3");
    assert_int_equal(outcome->status, 3);
    assert_int_equal(outcome->end.survivors, 0);
    (void)state;
}

static void killing_a_cell_leaves_nothing(void **state)
{
    struct outcome outcome = {0};
    struct run run;
    char groups[2][256] = {"", ""};

    start(&(struct setup){.script = "sleep 1000 & echo up; sleep 1000"}, &run);
    go(&run);
    while (!strstr(outcome.text, "up\n")) {
        struct pollfd output = {.fd = run.output, .events = POLLIN};
        assert_false(serve(&run, &outcome, run.output));
        if (poll(&output, 1, 0) == 1) {
            outcome.len += (size_t)read(run.output, outcome.text + outcome.len, OUTPUT_MAX - 1 - outcome.len);
        }
    }
    for (int i = 0; i < 2; i++) {
        snprintf(groups[i], sizeof groups[i], "%s", run.cell.cgroups[i] ? run.cell.cgroups[i] : "");
        assert_true(!groups[i][0] || !access(groups[i], F_OK));
    }
    pid_t program = run.cell.program, init = run.cell.init;
    assert_int_equal(kill(init, 0), 0);
    assert_int_equal(kill(program, 0), 0);
    assert_int_equal(pidfd_send_signal(run.cell.init_pidfd, SIGKILL, NULL, 0), 0);
    finish(&run);
    assert_int_equal(kill(init, 0), -1);
    assert_int_equal(kill(program, 0), -1);
    assert_true(!groups[0][0] || access(groups[0], F_OK));
    assert_true(!groups[1][0] || access(groups[1], F_OK));
    (void)state;
}

static void a_cell_dies_with_its_maker(void **state)
{
    int pipes[2], status;
    pid_t program = 0;

    assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
    pid_t maker = fork();
    assert_true(maker >= 0);
    if (maker == 0) {
        static struct outcome outcome;
        struct run run;
        start(&(struct setup){.script = "sleep 1000 & sleep 1000"}, &run);
        go(&run);
        if (write(pipes[1], &run.cell.program, sizeof run.cell.program) == sizeof run.cell.program) {
            serve(&run, &outcome, -1);
        }
        _exit(1);
    }
    assert_int_equal(read(pipes[0], &program, sizeof program), sizeof program);
    int pidfd = pidfd_open(program, 0);
    assert_true(pidfd >= 0);
    struct pollfd ended = {.fd = pidfd, .events = POLLIN};
    assert_int_equal(poll(&ended, 1, 0), 0);
    assert_int_equal(kill(maker, SIGKILL), 0);
    assert_int_equal(waitpid(maker, &status, 0), maker);
    assert_int_equal(poll(&ended, 1, PATIENCE_MS), 1);
    close(pidfd);
    close(pipes[0]);
    close(pipes[1]);
    cell_sweep(0);
    (void)state;
}

static void memory_is_bounded(void **state)
{
    const char *script = "head -c 90M /dev/urandom | tail -c 80M | wc -c"; /* tail keeps what it may have to show */

    says(run_script("memory=1G", script), "83886080\n");
    says_not(run_script("memory=48M", script), "83886080");
    (void)state;
}

static void processes_are_bounded(void **state)
{
    const char *script = "for i in 1 2 3 4 5 6 7 8 9 10 11 12; do sleep 1000 & done; echo all";

    says(run_script("processes=64", script), "all\n");
    const struct outcome *outcome = run_script("processes=8", script);
    says_not(outcome, "all\n");
    says(outcome, "ork"); /* "Cannot fork", "fork: Resource temporarily unavailable" */
    (void)state;
}

static void a_missing_command_is_said(void **state)
{
    const char *const argv[] = {"/no/such/command", NULL};

    assert_int_equal(run_all(&(struct setup){.argv = argv})->end.exec_errno, ENOENT);
    assert_int_equal(run_all(&(struct setup){.argv = (const char *const[]){"true", NULL}})->end.exec_errno, 0);
    (void)state;
}

/* ---- network ----------------------------------------------------------------------------------------------------- */

static void there_is_one_device_and_it_is_up(void **state)
{
    const struct outcome *outcome = run_script(NULL, "cat /proc/self/net/dev");
    const char *first = strchr(outcome->text, ':');

    assert_non_null(first);
    says(outcome, " lo:");
    assert_null(strchr(first + 1, ':'));
    (void)state;
}

static void names_are_asked_of_the_supervisor(void **state)
{
    struct outcome outcome = {0};
    struct run run;
    char packet[512] = "";

    start(&(struct setup){.script = "getent ahostsv4 api.evil.test"}, &run);
    go(&run);
    assert_false(serve(&run, &outcome, run.cell.dns));
    ssize_t len = recv(run.cell.dns, packet, sizeof packet, 0);
    assert_true(len > 0);
    assert_non_null(memmem(packet, (size_t)len, "\003api\004evil\004test", 14));
    finish(&run);
    (void)state;
}

/* ---- places ------------------------------------------------------------------------------------------------------ */

static void a_cell_knows_what_it_shows(void **state)
{
    char path[128];
    struct run run;
    const struct cell_place *place;

    start(&(struct setup){.policy = "file.read=@/data/*", .script = "exit 0"}, &run);
    snprintf(path, sizeof path, "%s/data/a.txt", root);
    place = cell_find_place(&run.cell, path);
    assert_non_null(place);
    assert_int_equal(place->kind, PLACE_GRANT);
    assert_int_equal(place->item, 0);
    snprintf(path, sizeof path, "%s/out/x", root);
    place = cell_find_place(&run.cell, path);
    assert_non_null(place);
    assert_int_equal(place->kind, PLACE_PRIVATE);
    assert_true(place->write);
    assert_int_equal(cell_find_place(&run.cell, "/usr/bin/id")->kind, PLACE_BASE);
    assert_int_equal(cell_find_place(&run.cell, "/dev/null")->kind, PLACE_SYSTEM);
    assert_null(cell_find_place(&run.cell, "/root/.ssh"));
    assert_true(cell_leads_to_place(&run.cell, "/home"));
    assert_false(cell_leads_to_place(&run.cell, "/root"));
    finish(&run);
    (void)state;
}

/* ------------------------------------------------------------------------------------------------------------------ */

static void write_file(const char *name, const char *text)
{
    char path[128];

    snprintf(path, sizeof path, "%s/%s", root, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

static int make_case(void **state)
{
    char path[128];

    strncpy(root, "/tmp/techo-cell-XXXXXX", sizeof root - 1);
    assert_non_null(mkdtemp(root));
    snprintf(path, sizeof path, "%s/data", root);
    assert_int_equal(mkdir(path, 0755), 0);
    snprintf(path, sizeof path, "%s/out", root);
    assert_int_equal(mkdir(path, 0755), 0);
    write_file("data/a.txt", "alpha\n");
    write_file("data/b.txt", "beta\n");
    write_file(".env", "SECRET\n");
    write_file("out/secret", "secret\n");
    (void)state;
    return 0;
}

static int remove_case(void **state)
{
    static const char *const names[] = {"data/a.txt", "data/b.txt", ".env", "out/secret", "data", "out", "."};
    char path[128];

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", root, names[i]);
        remove(names[i][0] == '.' && !names[i][1] ? root : path);
    }
    (void)state;
    return 0;
}

static int run_group(const char *name)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_granted_file_is_read_and_no_other_is_there),
        cmocka_unit_test(a_granted_folder_is_read_and_not_changed),
        cmocka_unit_test(an_owner_may_read_what_others_may_not),
        cmocka_unit_test(out_is_private_and_empty_and_handed_back),
        cmocka_unit_test(the_whole_root_may_be_granted_and_out_stays_private),
        cmocka_unit_test(what_may_be_written_is_bounded_together),
        cmocka_unit_test(what_was_written_is_not_executed),
        cmocka_unit_test(the_system_is_not_there),
        cmocka_unit_test(a_base_shows_just_what_it_names),
        cmocka_unit_test(an_injected_file_is_read_and_not_changed),
        cmocka_unit_test(a_program_has_no_privileges),
        cmocka_unit_test(a_program_is_not_root_on_the_host),
        cmocka_unit_test(a_program_inherits_three_descriptors_and_one_to_say_things_on),
        cmocka_unit_test(init_is_out_of_reach),
        cmocka_unit_test(what_outlives_the_program_is_killed_and_counted),
        cmocka_unit_test(killing_a_cell_leaves_nothing),
        cmocka_unit_test(a_cell_dies_with_its_maker),
        cmocka_unit_test(memory_is_bounded),
        cmocka_unit_test(processes_are_bounded),
        cmocka_unit_test(a_missing_command_is_said),
        cmocka_unit_test(there_is_one_device_and_it_is_up),
        cmocka_unit_test(names_are_asked_of_the_supervisor),
        cmocka_unit_test(a_cell_knows_what_it_shows),
    };
    struct err err;

    if (cell_enter_outer(&err)) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    return cmocka_run_group_tests_name(name, tests, make_case, remove_case);
}

/* What an ordinary user enters there is no way back from: root's turn is first, the user's in a child. */
int main(void)
{
    int failed, status;

    if (geteuid() != 0) {
        return run_group("cell, as a user");
    }
    failed = run_group("cell, as root");
    fflush(stdout);
    pid_t user = fork();
    if (user == 0) {
        if (setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, NOBODY) ||
            prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)) {
            return 1;
        }
        return run_group("cell, as a user");
    }
    return user < 0 || waitpid(user, &status, 0) != user || failed || !WIFEXITED(status) || WEXITSTATUS(status);
}
