/* Processes: signalling others, living on, multiplying, dying in ways that confuse. */
#include "attack.h"

#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <sys/wait.h>

enum { MANY = 1000 };

static _Noreturn void wait_for_signal(void)
{
    for (;;) {
        pause();
    }
}

static void ignore_signals(void)
{
    for (int number = 1; number < NSIG; number++) {
        signal(number, SIG_IGN);
    }
}

/* By the number that the runner has outside: here it names nobody. */
static void signals(void)
{
    pid_t runner = (pid_t)atoi(given("RUNNER_PID"));
    union sigval value = {0};

    try("kill", kill(runner, SIGKILL));
    try("group", kill(-runner, SIGKILL));
    try("tgkill", syscall(SYS_tgkill, runner, runner, SIGKILL));
    try("tkill", syscall(SYS_tkill, runner, SIGKILL));
    try("sigqueue", sigqueue(runner, SIGKILL, value));
    try("pidfd", syscall(SYS_pidfd_open, runner, 0));
    try("owner", fcntl(1, F_SETOWN, runner));
    try("parent", kill(getppid() == 1 ? runner : getppid(), SIGKILL));
    kill(1, SIGKILL); /* refused by Landlock, or said to work and ignored: a first process cannot be killed from within */
    kill(1, SIGSTOP);
    try_word("first", access("/proc/1/stat", F_OK) == 0 ? "alive" : "through");
    pid_t child = fork();
    if (child == 0) {
        wait_for_signal();
    }
    control("own-child", kill(child, SIGKILL));
    control("reaped", waitpid(child, NULL, 0));
}

static void memory_of_others(void)
{
    char byte;
    struct iovec local = {&byte, 1}, remote = {(void *)8, 1};

    try("attach", ptrace(PTRACE_ATTACH, 1, 0, 0));
    try("seize", ptrace(PTRACE_SEIZE, 1, 0, 0));
    try("traceme", ptrace(PTRACE_TRACEME, 0, 0, 0));
    try("read", process_vm_readv(1, &local, 1, &remote, 1, 0));
    try("write", process_vm_writev(1, &local, 1, &remote, 1, 0));
    try("mem", read_file("/proc/1/mem"));
    try("mem-write", write_file("/proc/1/mem", 0));
    try("getfd", syscall(SYS_pidfd_getfd, syscall(SYS_pidfd_open, 1, 0), 0, 0));
    control("own", read_file("/proc/self/maps"));
}

/* A daemon that no signal ends: gone with the run. */
static void daemon_stays(void)
{
    int started[2];
    char byte;

    control("pipe", pipe(started));
    if (fork() == 0) {
        prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
        setsid();
        if (fork() == 0) {
            ignore_signals();
            prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0);
            write(started[1], "x", 1);
            wait_for_signal();
        }
        _exit(0);
    }
    wait(NULL);
    control("started", read(started[0], &byte, 1));
}

static void zombies(void)
{
    int made = 0;

    for (; made < MANY; made++) {
        pid_t child = fork();
        if (child == 0) {
            _exit(0);
        }
        if (child < 0) {
            break;
        }
    }
    try("fork", made < MANY ? -1 : 0);
    while (wait(NULL) > 0) {
    }
    int status = in_child(getpagesize);
    control("fork", status >= 0 ? 0 : -1);
}

static void stopped(void)
{
    control("pid", getpid());
    if (fork() == 0) {
        kill(getppid(), SIGSTOP);
        raise(SIGSTOP);
    }
    wait_for_signal();
}

static void fork_bomb(void)
{
    pid_t children[MANY];
    int made = 0;

    for (; made < MANY && (children[made] = fork()) >= 0; made++) {
        if (children[made] == 0) {
            wait_for_signal();
        }
    }
    try("fork", made < MANY ? -1 : 0);
    try("clone-parent", syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0));
    for (int i = 0; i < made; i++) {
        kill(children[i], SIGKILL);
        waitpid(children[i], NULL, 0);
    }
    control("made", made > 8 ? 0 : -1);
    control("after", in_child(getpagesize) >= 0 ? 0 : -1);
}

static void *sleep_for_ever(void *nothing)
{
    wait_for_signal();
    return nothing;
}

static void thread_bomb(void)
{
    pthread_attr_t small;
    pthread_t thread;
    int made = 0, result = 0;

    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, PTHREAD_STACK_MIN * 4);
    while (made < MANY && (result = pthread_create(&thread, &small, sleep_for_ever, NULL)) == 0) {
        made++;
    }
    errno = result;
    try("thread", result ? -1 : 0);
    control("made", made > 8 ? 0 : -1);
    exit(0);
}

/* Each child makes two more and never ends. */
static void tree_bomb(void)
{
    control("pid", getpid());
    ignore_signals();
    for (;;) {
        if (fork() < 0) {
            sched_yield();
        }
    }
}

static void core(void)
{
    struct rlimit limit;

    control("limit", getrlimit(RLIMIT_CORE, &limit));
    try_word("core", limit.rlim_max == 0 ? "none" : "through");
    try("raise", setrlimit(RLIMIT_CORE, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY}));
    abort();
}

static void dies(void)
{
    control("pid", getpid());
    kill(getpid(), SIGKILL);
}

static void filtered(void)
{
    control("pid", getpid());
    syscall(SYS_kexec_load, 0, 0, 0, 0);
}

static void exit_while_watched(void)
{
    control("pid", getpid());
    for (int i = 0; i < 8; i++) {
        if (fork() == 0) {
            for (;;) {
                read_file(".env");
            }
        }
    }
    for (int i = 0; i < 100; i++) {
        pid_t child = fork();
        if (child == 0) {
            for (;;) {
                read_file(".env");
            }
        }
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
    _exit(255);
}

ATTACKS({"signals", signals}, {"memory-of-others", memory_of_others}, {"daemon", daemon_stays}, {"zombies", zombies},
        {"stopped", stopped}, {"fork-bomb", fork_bomb}, {"thread-bomb", thread_bomb}, {"tree-bomb", tree_bomb},
        {"core", core}, {"dies", dies}, {"filtered", filtered}, {"exit-while-watched", exit_while_watched})
