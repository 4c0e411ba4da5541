/* The job-control parent, and what the child finds. */
#include "leader.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utmp.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

const char *source_path(const char *relative)
{
    static char path[4096], root[2048];
    if (!root[0] && !getcwd(root, sizeof root)) {
        abort();
    }
    snprintf(path, sizeof path, "%s/%s", root, relative);
    return path;
}

static void set_environment(const struct screen_options *options)
{
    static const char *const unwanted[] = {"LINES", "COLUMNS", "TMUX", "NO_COLOR", "COLORTERM", "LANG", "LANGUAGE"};
    for (size_t i = 0; i < sizeof unwanted / sizeof *unwanted; i++) {
        unsetenv(unwanted[i]);
    }
    setenv("TERM", options->term ? options->term : "xterm-256color", 1);
    setenv("LC_ALL", options->locale ? options->locale : "C.UTF-8", 1);
    setenv("INPUTRC", "/dev/null", 1);
    setenv("TECHO_TEST_ACK", "1", 1);
    setenv("TECHO_HOME", source_path("."), 1);
    if (options->no_color) {
        setenv("NO_COLOR", "1", 1);
    }
}

static _Noreturn void run_child(const struct screen_options *options, int (*run)(void *context), void *context)
{
    static const int defaults[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGTSTP, SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL};
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++) {
        signal(defaults[i], SIG_DFL); /* the test framework has its own */
    }
    set_environment(options);
    int status = run(context);
    fflush(NULL);
#ifdef __SANITIZE_ADDRESS__
    if (__lsan_do_recoverable_leak_check()) {
        _exit(99);
    }
#endif
    _exit(status);
}

static void say(int slave, int control, char kind, int value)
{
    static const char mark[] = "\033]7777;\a"; /* behind all that the child wrote: a terminal hands bytes on in order */
    struct message message = {kind, value};
    (void)!write(slave, mark, sizeof mark - 1);
    (void)!write(control, &message, sizeof message);
}

_Noreturn void leader_run(int slave, int control, const struct screen_options *options, int (*run)(void *context),
                          void *context)
{
    if (options->no_terminal) {
        setsid();
    } else {
        int tty = slave;
        slave = dup(slave);
        login_tty(tty);
    }
    signal(SIGTTOU, SIG_IGN);
    signal(SIGHUP, SIG_IGN); /* it outlives the terminal, to say how the child ended */
    pid_t child = fork();
    if (child == 0) {
        close(control);
        setpgid(0, 0);
        if (!options->no_terminal) {
            tcsetpgrp(STDIN_FILENO, getpid());
        }
        signal(SIGTTOU, SIG_DFL);
        run_child(options, run, context);
    }
    struct message message = {'P', child};
    (void)!write(control, &message, sizeof message);
    for (;;) {
        int status;
        if (waitpid(child, &status, WUNTRACED) < 0) {
            _exit(1);
        }
        if (WIFSTOPPED(status)) {
            tcsetpgrp(STDIN_FILENO, getpgrp());
        }
        say(slave, control, WIFSTOPPED(status) ? 'S' : 'E', status);
        if (!WIFSTOPPED(status) || read(control, &message, sizeof message) <= 0) {
            _exit(0);
        }
        tcsetpgrp(STDIN_FILENO, child);
        kill(-child, SIGCONT);
    }
}
