/*
 * Levels, each really met: a filter of the test's own, or a mount, makes the calls fail that a lower level lacks. Every
 * run is a whole one (supervisor, cell), in `observe`, so that the kernel alone refuses; what it reported is kept as
 * lines of text.
 */
#include "../../sandbox/supervisor_internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../sandbox/cell_internal.h"

enum { NOBODY = 65534, TEXT_MAX = 65536 };

/* What this machine is made to lack. */
enum lack {
    NO_USERNS = 1,
    NO_LANDLOCK = 2,
    NO_LISTENER = 4, /* another one is there already */
    MASKED_PROC = 8,
    APPARMOR = 16, /* says that it is why there are no user namespaces */
};

struct trial {
    unsigned lack;
    bool root; /* else as a user */
    const char *policy, *script;
    uint32_t without; /* asked for where there is no decoy */
};

static char folder[64]; /* data/a.txt, .env */

static void line(int to, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void line(int to, const char *format, ...)
{
    char text[8192];
    va_list args;

    va_start(args, format);
    int len = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    ssize_t wrote = write(to, text, len < (int)sizeof text ? (size_t)len : sizeof text - 1);
    (void)wrote;
}

static void take(void *context, struct report *report)
{
    int to = *(int *)context;

    if (report->kind == REPORT_CELL) {
        line(to, "level %s\n%s", report->cell.level, report->cell.off);
        for (int i = 0; i < _LAYER_MAX; i++) {
            if (report->cell.layers & 1u << i) {
                line(to, "+%s\n", sandbox_layer_name((enum sandbox_layer)i));
            }
        }
    } else if (report->kind == REPORT_OUTPUT) {
        line(to, "%.*s", (int)report->output.len, report->output.bytes);
    } else if (report->kind == REPORT_ACCESS && report->access.verdict == ACCESS_DENIED && report->access.count == 1) {
        line(to, "denied %s by %s\n", report->access.resolved, sandbox_layer_name(report->access.layer));
    } else if (report->kind == REPORT_EXIT) {
        line(to, "end %s, %u survivors: %s\n", sandbox_status_name(report->exit.status), report->exit.survivors,
             report->exit.message);
    }
}

/* ---- making the machine poorer ----------------------------------------------------------------------------------- */

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define FAIL(error) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (error))
#define PASS BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static int load(struct sock_filter *filter, size_t count, unsigned flags)
{
    struct sock_fprog program = {(unsigned short)count, filter};

    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
}

static bool refuse_userns(void)
{
    struct sock_filter filter[] = {LOAD(nr),      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_unshare, 0, 3),
                                   LOAD(args[0]), BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_NEWUSER, 0, 1),
                                   FAIL(EPERM),   PASS};

    return load(filter, 6, 0) == 0;
}

static bool refuse_landlock(void)
{
    struct sock_filter filter[] = {LOAD(nr), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_landlock_create_ruleset, 0, 1),
                                   FAIL(ENOSYS), PASS};

    return load(filter, 4, 0) == 0;
}

static bool take_listener(void)
{
    struct sock_filter filter[] = {PASS};

    return load(filter, 1, SECCOMP_FILTER_FLAG_NEW_LISTENER) >= 0;
}

static bool cover(const char *at, const char *name, const char *text)
{
    char path[128];

    if (mount("test", at, "tmpfs", 0, "mode=755")) {
        return false;
    }
    snprintf(path, sizeof path, "%s/%s", at, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    bool written = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    close(fd);
    return written;
}

static bool change_mounts(unsigned lack)
{
    if (!(lack & (MASKED_PROC | APPARMOR))) {
        return true;
    }
    return !unshare(CLONE_NEWNS) && !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
           (!(lack & MASKED_PROC) || cover("/proc/sys", "masked", "")) &&
           (!(lack & APPARMOR) || cover("/proc/sys/kernel", "apparmor_restrict_unprivileged_userns", "1\n"));
}

static bool impoverish(const struct trial *trial)
{
    return change_mounts(trial->lack) &&
           (trial->root || geteuid() != 0 ||
            (!setresgid(NOBODY, NOBODY, NOBODY) && !setresuid(NOBODY, NOBODY, NOBODY))) &&
           !prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) && !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
           (!(trial->lack & NO_USERNS) || refuse_userns()) && (!(trial->lack & NO_LANDLOCK) || refuse_landlock()) &&
           (!(trial->lack & NO_LISTENER) || take_listener());
}

/* ---- one run ----------------------------------------------------------------------------------------------------- */

static void supervise(const struct trial *trial, int to)
{
    static const struct sandbox_base base[] = {{"/usr"}, {"/bin"}, {"/lib"}, {"/lib64"}, {"/etc/ld.so.cache"}};
    const char *const argv[] = {"/bin/sh", "-c", trial->script, NULL};
    const char *const env[] = {"PATH=/usr/bin:/bin", "LANG=C", NULL};
    struct err err = {.text = ""};
    char policy[256];
    int outer;

    snprintf(policy, sizeof policy, "stdout,wall=10s,%s%s%s", trial->policy ? trial->policy : "file.read=", folder,
             trial->policy ? "" : "/data/*");
    const struct sandbox_request request = {.root = folder,
                                            .granted = policy,
                                            .base = base,
                                            .base_count = 5,
                                            .argv = argv,
                                            .env = env,
                                            .notify = NOTIFY_OBSERVE,
                                            .without = trial->without,
                                            .stdin_fd = -1};
    if (!impoverish(trial)) {
        line(to, "the test cannot make this machine poorer: %s\n", strerror(errno));
        return;
    }
    outer = cell_enter_outer(&err);
    if (outer < 0 && outer != -EPERM) {
        line(to, "end refused: %s\n", err.text);
        return;
    }
    const struct supervisor_options options = {.request = &request,
                                               .stdio = {-1, -1, -1},
                                               .client = -1,
                                               .signals = -1,
                                               .report = take,
                                               .context = &to,
                                               .bare = outer < 0 ? err.text : NULL};
    supervisor_run(&options);
}

/* In a process of its own, since there is no way back. What it reported, in static memory. */
static const char *run(const struct trial *trial)
{
    static char text[TEXT_MAX];
    size_t len = 0;
    ssize_t got;
    int pipes[2];

    assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
    fflush(stdout);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        supervise(trial, pipes[1]);
        _exit(0);
    }
    close(pipes[1]);
    while ((got = read(pipes[0], text + len, sizeof text - 1 - len)) > 0) {
        len += (size_t)got;
    }
    text[len] = '\0';
    close(pipes[0]);
    waitpid(child, NULL, 0);
    return text;
}

static void says(const char *text, const char *what)
{
    if (!strstr(text, what)) {
        fail_msg("\"%s\" is missing in: %s", what, text);
    }
}

static void says_not(const char *text, const char *what)
{
    if (strstr(text, what)) {
        fail_msg("\"%s\" must not be in: %s", what, text);
    }
}

/* Processes of this machine with this word among their arguments. */
static int count_processes(const char *word)
{
    DIR *list = opendir("/proc");
    struct dirent *entry;
    int count = 0;

    while (list && (entry = readdir(list))) {
        char path[300], text[4096];
        snprintf(path, sizeof path, "/proc/%s/cmdline", entry->d_name);
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        ssize_t len = fd < 0 ? -1 : read(fd, text, sizeof text);
        close(fd);
        count += len > 0 && memmem(text, (size_t)len, word, strlen(word)) != NULL;
    }
    closedir(list);
    return count;
}

static void needs_root(void)
{
    if (geteuid() != 0) {
        skip();
    }
}

/* ---- levels ------------------------------------------------------------------------------------------------------ */

static const char look[] = "cat data/a.txt .env; echo x >> data/a.txt; cat data/a.txt; id -u";

static void everything_is_l0(void **state)
{
    for (int root = geteuid() == 0; root >= 0; root--) {
        const char *text = run(&(struct trial){.root = root, .script = look});
        says(text, "level L0\n");
        says(text, "+namespaces\n+mounts\n+landlock\n+seccomp\n+rlimits\n");
        says(text, "+notify\n+supervisor\n");
        says(text, "alpha\n");
        says(text, "by mounts\n");
        says_not(text, "SECRET");
    }
    (void)state;
}

static void without_landlock_the_mounts_carry_the_files(void **state)
{
    for (int root = geteuid() == 0; root >= 0; root--) {
        const char *text = run(&(struct trial){.lack = NO_LANDLOCK, .root = root, .script = look});
        says(text, "level L3\n");
        says(text, "landlock: this kernel has none");
        says_not(text, "+landlock");
        says(text, "alpha\n");
        says(text, "/.env by mounts\n");
        says_not(text, "SECRET");
    }
    (void)state;
}

static void without_namespaces_landlock_carries_the_files(void **state)
{
    const char *text = run(&(struct trial){.lack = NO_USERNS, .script = look});

    says(text, "level L2\n");
    says(text, "namespaces: user namespaces are refused here");
    says(text, "mounts: user namespaces are refused here");
    says_not(text, "+namespaces");
    says_not(text, "+mounts");
    says(text, "+landlock\n+seccomp\n+rlimits\n");
    says(text, "alpha\n"); /* the control */
    says(text, "cat: .env: Permission denied");
    says(text, "/.env by landlock\n");
    says(text, "/data/a.txt by landlock\n");
    says_not(text, "SECRET");
    says_not(text, "x\n");
    (void)state;
}

static void l2_shows_names_and_no_content(void **state)
{
    const char *text = run(&(struct trial){
        .lack = NO_USERNS, .script = "stat -c %s .env; ls -a .; cat /etc/passwd; cat /proc/self/environ; ls data"});

    says(text, "7\n"); /* documented */
    says(text, "ls: cannot open directory '.'");
    says(text, "/etc/passwd: Permission denied");
    says(text, "environ: Permission denied");
    says(text, "a.txt\n");
    (void)state;
}

static void l2_changes_nothing_and_signals_nobody(void **state)
{
    const char *text = run(&(struct trial){
        .lack = NO_USERNS,
        .script = "chmod 600 data/a.txt; touch -h -d @0 data/a.txt; touch new; mkdir out; kill -0 $PPID; kill -0 $$;"
                  "sh -c 'exit 7'; echo child $?"});

    says(text, "changing permissions of 'data/a.txt': Operation not permitted");
    says(text, "setting times of 'data/a.txt': Operation not permitted");
    says(text, "cannot touch 'new': Permission denied");
    says(text, "cannot create directory");
    says(text, "kill: Operation not permitted");
    says(text, "child 7\n"); /* the control: it may make processes */
    (void)state;
}

static void l2_has_no_sockets(void **state)
{
    const char *text = run(&(struct trial){.lack = NO_USERNS,
                                           .script = "/usr/bin/python3 -I -c 'import socket as s\n"
                                                     "for f in s.AF_INET, s.AF_INET6, s.AF_UNIX:\n"
                                                     "    try: s.socket(f); print(\"MADE\")\n"
                                                     "    except OSError as e: print(f.name, e.strerror)\n"
                                                     "a, b = s.socketpair(); a.send(b\"pair\"); print(b.recv(4))'"});

    says(text, "AF_INET Permission denied\nAF_INET6 Permission denied\nAF_UNIX Permission denied\n");
    says(text, "b'pair'\n"); /* the control */
    says_not(text, "MADE");
    (void)state;
}

static void l2_leaves_nothing_running(void **state)
{
    const char *text = run(&(struct trial){
        .lack = NO_USERNS,
        .script = "trap '' TERM INT HUP; (setsid sh -c 'sleep 31337.5 & sleep 31337.5' &); sleep 31337.5 & echo left"});

    says(text, "left\n");
    says(text, "end ok, ");
    says_not(text, "end ok, 0 survivors");
    assert_int_equal(count_processes("31337.5"), 0);
    (void)state;
}

static void l2_refuses_what_it_cannot_keep(void **state)
{
    static const struct {
        const char *policy, *why;
    } refused[] = {{"file.write=", "needs level L0, and here is L2: nothing can be written"},
                   {"net=example.com,file.read=", "net=example.com needs level L0, and here is L2"}};

    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        const char *text = run(&(struct trial){.lack = NO_USERNS, .policy = refused[i].policy, .script = "echo ran"});
        says(text, "end refused");
        says(text, refused[i].why);
        says_not(text, "ran\n");
    }
    (void)state;
}

static void with_neither_nothing_runs(void **state)
{
    const char *text = run(&(struct trial){.lack = NO_USERNS | NO_LANDLOCK, .script = "echo ran"});

    says(text, "end refused");
    says(text, "files cannot be kept apart here (L4): Landlock has version 0 of 3 that are needed; user namespaces");
    says_not(text, "ran\n");
    (void)state;
}

static void where_apparmor_refuses_its_profile_is_named(void **state)
{
    needs_root();
    const char *text = run(&(struct trial){.lack = NO_USERNS | APPARMOR, .script = "echo ran"});

    says(text, "end refused: no sandbox here (L1): AppArmor refuses user namespaces here: `make setup` installs the "
               "profile");
    says_not(text, "ran\n");
    (void)state;
}

static void a_masked_proc_is_done_without(void **state)
{
    needs_root();
    const char *text = run(&(struct trial){.lack = MASKED_PROC, .script = "cat data/a.txt .env; ls /proc"});

    says(text, "level L0\n");
    says(text, "mounts: L0 without proc: parts of /proc are masked here");
    says(text, "alpha\n");
    says_not(text, "SECRET");
    says_not(text, "self");
    (void)state;
}

static void a_second_listener_only_ends_observation(void **state)
{
    for (int root = geteuid() == 0; root >= 0; root--) {
        const char *text = run(&(struct trial){.lack = NO_LISTENER, .root = root, .script = look});
        says(text, "level L0\n");
        says(text, "notify: observation off");
        says_not(text, "+notify");
        says(text, "+namespaces\n+mounts\n+landlock\n+seccomp\n");
        says(text, "alpha\n");
        says(text, ".env: No such file or directory"); /* enforced all the same */
        says_not(text, "denied /");                    /* and makes no row */
        says_not(text, "SECRET");
    }
    (void)state;
}

static void no_layer_is_left_out_outside_a_decoy(void **state)
{
    const char *text = run(&(struct trial){.without = 1u << LAYER_SECCOMP, .script = "echo ran"});

    says(text, "end refused");
    says(text, "in a decoy cell only");
    says_not(text, "ran\n");
    (void)state;
}

/* ------------------------------------------------------------------------------------------------------------------ */

static void write_file(const char *name, const char *text)
{
    char path[128];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
    assert_int_equal(chown(path, geteuid() ? geteuid() : NOBODY, (gid_t)-1), 0);
}

static int make_case(void **state)
{
    char path[128];

    snprintf(folder, sizeof folder, "/var/tmp/techo-level-XXXXXX");
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chmod(folder, 0755), 0);
    snprintf(path, sizeof path, "%s/data", folder);
    assert_int_equal(mkdir(path, 0755), 0);
    write_file("data/a.txt", "alpha\n");
    write_file(".env", "SECRET\n");
    if (geteuid() == 0) {
        assert_int_equal(chown(folder, NOBODY, NOBODY) | chown(path, NOBODY, NOBODY), 0);
    }
    (void)state;
    return 0;
}

static int remove_case(void **state)
{
    static const char *const names[] = {"/data/a.txt", "/data", "/.env", ""};
    char path[128];

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s%s", folder, names[i]);
        remove(path);
    }
    (void)state;
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_is_l0),
        cmocka_unit_test(without_landlock_the_mounts_carry_the_files),
        cmocka_unit_test(without_namespaces_landlock_carries_the_files),
        cmocka_unit_test(l2_shows_names_and_no_content),
        cmocka_unit_test(l2_changes_nothing_and_signals_nobody),
        cmocka_unit_test(l2_has_no_sockets),
        cmocka_unit_test(l2_leaves_nothing_running),
        cmocka_unit_test(l2_refuses_what_it_cannot_keep),
        cmocka_unit_test(with_neither_nothing_runs),
        cmocka_unit_test(where_apparmor_refuses_its_profile_is_named),
        cmocka_unit_test(a_masked_proc_is_done_without),
        cmocka_unit_test(a_second_listener_only_ends_observation),
        cmocka_unit_test(no_layer_is_left_out_outside_a_decoy),
    };

    return cmocka_run_group_tests_name("levels", tests, make_case, remove_case);
}
