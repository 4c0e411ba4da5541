/* One child process with its input, output, errors and a deadline: all of it, or none of it is left. */
#include "child_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define READ_SIZE 65536

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int spawn(const struct child *child, int in, int out, int err, pid_t *ret_pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    sigemptyset(&none);
    if (posix_spawn_file_actions_init(&actions)) {
        return ENOMEM;
    }
    if (posix_spawnattr_init(&attributes)) {
        posix_spawn_file_actions_destroy(&actions);
        return ENOMEM;
    }
    int r = posix_spawn_file_actions_adddup2(&actions, in, 0);
    r = r ? r : posix_spawn_file_actions_adddup2(&actions, out, 1);
    r = r ? r : posix_spawn_file_actions_adddup2(&actions, err, 2);
    if (r == 0 && child->directory) {
        r = posix_spawn_file_actions_addchdir_np(&actions, child->directory);
    }
    r = r ? r : posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    r = r ? r : posix_spawnattr_setsigmask(&attributes, &none);
    r = r ? r : posix_spawn(ret_pid, child->argv[0], &actions, &attributes, child->argv, child->envp);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return r;
}

/* Reads what is there; false at the end. */
static bool drain(int fd, struct buffer *to)
{
    char *room = buffer_room(to, READ_SIZE);
    ssize_t n = room ? read(fd, room, READ_SIZE) : -1;
    if (n > 0) {
        to->length += (size_t)n;
    }
    return n > 0 || (n < 0 && room && (errno == EAGAIN || errno == EINTR));
}

/* Feeds and drains until both outputs are closed, and closes the input when it is fed. Says in the child what went
 * wrong. */
static void converse(struct child *child, int *in, int out, int err, int64_t deadline)
{
    size_t fed = 0;
    struct pollfd fds[3] = {
        {.fd = *in, .events = POLLOUT}, {.fd = out, .events = POLLIN}, {.fd = err, .events = POLLIN}};
    while (fds[1].fd >= 0 || fds[2].fd >= 0) {
        int64_t left = deadline - now_ms();
        if (left <= 0) {
            child->timed_out = true;
            return;
        }
        if (poll(fds, 3, left > INT32_MAX ? INT32_MAX : (int)left) < 0 && errno != EINTR) {
            return;
        }
        if (fds[0].fd >= 0 && fds[0].revents) {
            ssize_t n = write(*in, child->input + fed, child->input_length - fed);
            fed += n > 0 ? (size_t)n : 0;
            if (fed == child->input_length || (n < 0 && errno != EAGAIN && errno != EINTR)) {
                close(*in);
                *in = fds[0].fd = -1;
            }
        }
        for (int i = 1; i < 3; i++) {
            if (fds[i].fd >= 0 && fds[i].revents && !drain(fds[i].fd, i == 1 ? child->output : child->errors)) {
                fds[i].fd = -1;
            }
        }
        if (child->output->failed || child->errors->failed) {
            return;
        }
    }
}

static void close_all(int pipes[3][2])
{
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 2; k++) {
            if (pipes[i][k] >= 0) {
                close(pipes[i][k]);
            }
        }
    }
}

int child_run(struct child *child)
{
    int pipes[3][2] = {{-1, -1}, {-1, -1}, {-1, -1}};
    pid_t pid;
    for (int i = 0; i < 3; i++) {
        if (pipe2(pipes[i], O_CLOEXEC) < 0) {
            close_all(pipes);
            return errno;
        }
    }
    int r = spawn(child, pipes[0][0], pipes[1][1], pipes[2][1], &pid);
    if (r) {
        close_all(pipes);
        return r;
    }
    int theirs[3] = {pipes[0][0], pipes[1][1], pipes[2][1]};
    pipes[0][0] = pipes[1][1] = pipes[2][1] = -1;
    for (int i = 0; i < 3; i++) {
        close(theirs[i]);
    }
    fcntl(pipes[0][1], F_SETFL, O_NONBLOCK);
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    sigaction(SIGPIPE, &ignore, &before);
    converse(child, &pipes[0][1], pipes[1][0], pipes[2][0], now_ms() + child->timeout_ms);
    sigaction(SIGPIPE, &before, NULL);
    if (child->timed_out || child->output->failed || child->errors->failed) {
        kill(-pid, SIGKILL);
    }
    while (waitpid(pid, &child->status, 0) < 0 && errno == EINTR) {
    }
    kill(-pid, SIGKILL); /* what it left running */
    close_all(pipes);
    return 0;
}
