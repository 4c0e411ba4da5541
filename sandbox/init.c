/*
 * A cell's init: reaps, and sees to it that nothing outlives the program.
 * It holds no descriptor but the maker's, and no secret; and no capability,
 * unless a person may be asked: then the one of its own user namespace that
 * putting a file into the view takes.
 */
#include "inside_internal.h"

#include "family_internal.h"
#include "start_internal.h"
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

/* Reaps what has ended. Returns true when the program was among it. */
static bool reap(pid_t program, int *status)
{
    bool ended = false;
    int each;

    for (pid_t pid; (pid = waitpid(-1, &each, WNOHANG)) > 0;) {
        if (pid == program) {
            *status = each;
            ended = true;
        }
    }
    return ended;
}

/* Without a pid namespace there is no end of all at once: a program that multiplies faster than it is killed is stopped. */
uint32_t kill_children(void)
{
    static pid_t list[FAMILY_MAX];
    uint32_t count = 0;

    for (;;) {
        size_t found = family_stop(list);
        while (found) {
            kill(list[--found], SIGKILL);
        }
        pid_t pid = waitpid(-1, NULL, 0);
        if (pid < 0 && errno != EINTR) {
            return count;
        }
        for (; pid > 0; pid = waitpid(-1, NULL, WNOHANG)) {
            count++;
        }
    }
}

/* Kills whatever is left and waits for it; says how many there were. */
static uint32_t kill_rest(bool first)
{
    uint32_t count = 0;

    if (!first) {
        return kill_children();
    }
    for (;;) {
        kill(-1, SIGKILL);
        pid_t pid = waitpid(-1, NULL, 0);
        if (pid > 0) {
            count++;
        } else if (errno != EINTR) {
            return count;
        }
    }
}

/* The supervisor hands over a file to show; or it is gone, or wants no more: false. */
static bool serve(const struct init_options *options)
{
    struct inside_message shown = {.kind = INSIDE_SHOWN};
    char path[PATH_MAX];
    int tree = -1;
    size_t count = 0;
    ssize_t len = options->shows ? wire_receive(0, path, sizeof path, &tree, 1, &count, true) : 0;

    if (len <= 0) {
        return false;
    }
    shown.code = count == 1 && path[len - 1] == '\0' ? show_put(&options->places, path, tree) : -EPROTO;
    close_descriptor(&tree);
    return inside_send(0, &shown, NULL, 0) == 0;
}

_Noreturn void init_run(const struct init_options *options)
{
    struct inside_message message = {.kind = INSIDE_END};
    struct pollfd events[2];
    sigset_t child;

    start_forget_arguments("init");
    start_forget_environment();
    prctl(PR_SET_NAME, "init");
    /* keep the maker's socket, and nothing else */
    if (dup2(options->control, 0) < 0 || close_range(1, ~0U, 0)) {
        _exit(1);
    }
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, NULL);
    events[0] = (struct pollfd){.fd = 0, .events = POLLIN};
    events[1] = (struct pollfd){.fd = signalfd(-1, &child, SFD_CLOEXEC), .events = POLLIN};
    while (!reap(options->program, &message.end.status)) {
        struct signalfd_siginfo info;
        if (poll(events, 2, -1) < 0 && errno != EINTR) {
            _exit(1);
        }
        if (events[1].revents && read(events[1].fd, &info, sizeof info) < 0) {
            _exit(1);
        }
        if (events[0].revents && !serve(options)) {
            if (!options->first) {
                kill_children();
            }
            _exit(0); /* the kernel kills the rest with us */
        }
    }
    message.end.survivors = kill_rest(options->first);
    message.end.exec_errno = *options->exec_errno;
    _exit(inside_send(0, &message, NULL, 0) ? 1 : 0);
}
