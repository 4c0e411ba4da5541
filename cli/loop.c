/* The poll loop of the headless commands: a self-pipe for signals, the work's descriptors, its deadline. */
#include "loop.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

enum { FDS_MAX = 64 };

static int signal_pipe[2] = {-1, -1}; /* a signal handler has no other way to reach it */

static void on_signal(int number)
{
    int saved = errno;
    char byte = (char)number;

    /* a full pipe already says that a signal came */
    if (write(signal_pipe[1], &byte, 1) < 0)
        errno = saved;
    errno = saved;
}

int loop_init(struct err *err)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};

    if (pipe2(signal_pipe, O_CLOEXEC | O_NONBLOCK) < 0)
        return err_errno(err, -errno, "cannot make a pipe");
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        struct sigaction before;
        /* what nohup ignores stays ignored */
        if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(numbers[i], &action, NULL);
    }
    return 0;
}

static unsigned take_signals(void)
{
    char bytes[16];
    ssize_t got = read(signal_pipe[0], bytes, sizeof(bytes));

    return got > 0 ? (unsigned)got : 0;
}

/* Milliseconds for poll(), rounded up so that the deadline has passed when it returns. */
static int until(int64_t deadline)
{
    int64_t left;

    if (deadline < 0)
        return -1;
    left = deadline - monotonic_us();
    if (left <= 0)
        return 0;
    return left > 60000000 ? 60000 : (int)((left + 999) / 1000);
}

int loop_run(const struct loop_work *work)
{
    struct pollfd fds[FDS_MAX];
    unsigned signals = 0;

    while (work->busy(work->context)) {
        size_t count = work->poll_fds(work->context, fds + 1, FDS_MAX - 1);

        fds[0] = (struct pollfd){.fd = signal_pipe[0], .events = POLLIN};
        if (poll(fds, count + 1, until(work->deadline(work->context))) < 0) {
            for (size_t i = 0; i <= count; i++)
                fds[i].revents = 0;
        }
        if (take_signals()) {
            if (signals++)
                return -EINTR;
            work->cancel(work->context);
        }
        work->dispatch(work->context, fds + 1, count);
    }
    return signals ? -EINTR : 0;
}

static size_t engine_fds(void *context, struct pollfd *fds, size_t max)
{
    return engine_poll_fds(context, fds, max);
}

static int64_t engine_until(void *context)
{
    return engine_deadline(context);
}

static void engine_step(void *context, const struct pollfd *fds, size_t count)
{
    engine_dispatch(context, fds, count);
}

static bool engine_works(void *context)
{
    return engine_busy(context);
}

static void engine_stop(void *context)
{
    engine_cancel(context);
}

int loop_engine(struct engine *engine)
{
    const struct loop_work work = {engine, engine_fds, engine_until, engine_step, engine_works, engine_stop};

    return loop_run(&work);
}

bool loop_sleep_us(int64_t us)
{
    struct pollfd fd = {.fd = signal_pipe[0], .events = POLLIN};
    int64_t deadline = monotonic_us() + us;

    while (monotonic_us() < deadline)
        if (poll(&fd, 1, until(deadline)) > 0)
            return false;
    return true;
}
