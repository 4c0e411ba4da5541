/*
 * The spawner: one thread, an empty environment, one socket. A new process
 * image (not a mere fork of what the user started), so that no key of the
 * user's environment is in its memory, nor in that of any cell.
 */
#include "spawner_internal.h"

#include "cell_internal.h"
#include "decoy_internal.h"
#include "outbox_internal.h"
#include "outcome_internal.h"
#include "probe_internal.h"
#include "supervisor_internal.h"
#include "wire_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DYING_MS = 1000 }; /* a killed supervisor's cell is dying while we look */

int spawner_start(int *ret_socket, struct err *err)
{
    static char name[] = "techo", argument[] = SPAWNER_ARGUMENT;
    char *const argv[] = {name, argument, NULL};
    char *const env[] = {NULL};
    int pair[2];
    pid_t child;

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0) {
        return err_errno(err, -errno, "no socket for the spawner");
    }
    child = fork();
    if (child < 0) {
        int error = -errno;
        close(pair[0]);
        close(pair[1]);
        return err_errno(err, error, "the spawner cannot be started");
    }
    if (child == 0) {
        /* dup2 onto itself would leave close-on-exec set */
        int socket = fcntl(pair[1], F_DUPFD, SANDBOX_SPAWNER_FD + 1);
        if (dup2(socket, SANDBOX_SPAWNER_FD) == SANDBOX_SPAWNER_FD) {
            close_range(SANDBOX_SPAWNER_FD + 1, ~0U, 0);
            execve("/proc/self/exe", argv, env);
        }
        _exit(125);
    }
    close(pair[1]);
    *ret_socket = pair[0];
    return 0;
}

/* A run that could not even be read. */
static void refuse(int client, enum sandbox_status status, const char *why)
{
    struct report end = {.kind = REPORT_EXIT};
    struct outbox outbox;

    outbox_init(&outbox, client);
    outcome_refuse(status, -1, why, &end.exit);
    outbox_add(&outbox, &end);
    outbox_drain(&outbox);
    outbox_done(&outbox);
    free(end.exit.message);
}

static void supervise(const int *fds, size_t count, const struct err *outer)
{
    struct supervisor_options options = {.stdio = {-1, -1, -1}, .client = fds[RUN_FD_SOCKET], .signals = -1};
    struct request_copy copy;
    struct err err;

    if (outer->code < 0 && outer->code != -EPERM) {
        refuse(options.client, STATUS_REFUSED, outer->text);
        return;
    }
    options.bare = outer->code < 0 ? outer->text : NULL;
    if (request_open(fds[RUN_FD_REQUEST], &copy, &err) < 0) {
        refuse(options.client, STATUS_SETUP, err.text);
        return;
    }
    close(fds[RUN_FD_REQUEST]);
    copy.request.decoy_socket = copy.request.decoy_port && count > RUN_FD_STDIO ? fds[--count] : -1;
    for (size_t i = RUN_FD_STDIO; i < count; i++) {
        options.stdio[i - RUN_FD_STDIO] = fds[i];
    }
    options.request = &copy.request;
    options.decoy = copy.request.decoy != NULL;
    if (options.decoy && (options.bare || decoy_enter(&copy.request, &err) < 0)) {
        refuse(options.client, STATUS_REFUSED, options.bare ? options.bare : err.text);
    } else {
        supervisor_run(&options);
    }
    request_copy_done(&copy);
}

/* In a process of its own. */
static void serve(int socket, char what, const int *fds, size_t count, const struct err *outer)
{
    sigset_t none;

    close(socket);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (what == SPAWNER_RUN && count >= RUN_FD_STDIO) {
        supervise(fds, count, outer);
    } else if (what == SPAWNER_DOCTOR && count == 1) {
        probe_report(fds[0], outer);
    }
    _exit(0);
}

/* A descriptor that says when a supervisor has ended. */
static int open_children(void)
{
    sigset_t child;

    signal(SIGCHLD, SIG_DFL); /* what is ignored is told to nobody */
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_SETMASK, &child, NULL);
    return signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* The kernel ends the cell of a supervisor that was killed; its control groups are ours to remove. */
static void reap(int children, int flags)
{
    struct signalfd_siginfo info;
    bool killed = false;
    int status;

    (void)!read(children, &info, sizeof info);
    while (waitpid(-1, &status, flags) > 0) {
        killed = killed || WIFSIGNALED(status);
    }
    if (killed) {
        cell_sweep(DYING_MS);
    }
}

int spawner_main(int socket)
{
    struct pollfd list[2] = {{.fd = socket, .events = POLLIN}, {.fd = open_children(), .events = POLLIN}};
    int fds[RUN_FD_MOST];
    struct err outer = {0};
    size_t count;
    char what;

    prctl(PR_SET_NAME, "techo-spawner");
    (void)setsid(); /* Ctrl-C is the application's affair */
    signal(SIGPIPE, SIG_IGN);
    fcntl(socket, F_SETFD, FD_CLOEXEC);
    if (cell_enter_outer(&outer) == 0) {
        outer.code = 0; /* else each run is told why */
    }
    cell_sweep(0);
    for (;;) {
        if (poll(list, 2, -1) < 0) {
            continue;
        }
        if (list[1].revents) {
            reap(list[1].fd, WNOHANG);
        }
        if (!list[0].revents) {
            continue;
        }
        ssize_t len = wire_receive(socket, &what, 1, fds, sizeof fds / sizeof fds[0], &count, true);
        if (len <= 0 && len != -EBADMSG) {
            reap(list[1].fd, 0); /* supervisors end with the application; one that was killed may still be dying */
            return 0;
        }
        if (len == 1 && fork() == 0) {
            serve(socket, what, fds, count, &outer);
        }
        while (count > 0) {
            close(fds[--count]);
        }
    }
}
