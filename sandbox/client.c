/* The application's side: hands requests to the spawner and reads what supervisors report. */
#include "wire_internal.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

enum { DOCTOR_MS = 10000, PROBES_MAX = 64 };

/* Asks the spawner; `fds` go along, fds[0] being the other end of *ret_fd. */
static int ask(int spawner_fd, char what, int *fds, size_t fd_count, int *ret_fd, struct err *err)
{
    int pair[2];
    int result;

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0) {
        return err_errno(err, -errno, "no socket for the run");
    }
    fds[RUN_FD_SOCKET] = pair[1];
    result = wire_send(spawner_fd, &what, 1, fds, fd_count, true);
    close(pair[1]);
    if (result < 0) {
        close(pair[0]);
        return err_errno(err, result, "the spawner does not answer");
    }
    *ret_fd = pair[0];
    return 0;
}

int sandbox_start(int spawner_fd, const struct sandbox_request *request, int *ret_fd, struct err *err)
{
    int fds[RUN_FD_MOST] = {-1, -1, -1, -1, -1, -1};
    size_t count = RUN_FD_STDIO;
    struct buf bytes;
    int result;

    buf_init(&bytes, WIRE_REQUEST_MAX);
    result = request_write(request, &bytes, err);
    if (result == 0) {
        fds[RUN_FD_REQUEST] = wire_seal("techo-request", bytes.data, bytes.len);
        if (fds[RUN_FD_REQUEST] < 0) {
            result = err_errno(err, fds[RUN_FD_REQUEST], "no memory for the request");
        }
    }
    buf_done(&bytes);
    if (result < 0) {
        return result;
    }
    if (request->terminal) {
        for (int i = 0; i < 3; i++) {
            fds[count++] = i;
        }
    } else if (request->stdin_fd >= 0) {
        fds[count++] = request->stdin_fd;
    }
    if (request->decoy_port) {
        fds[count++] = request->decoy_socket; /* the last */
    }
    result = ask(spawner_fd, SPAWNER_RUN, fds, count, ret_fd, err);
    close(fds[RUN_FD_REQUEST]);
    return result;
}

/* The bytes of a report that came in a memfd. */
static int read_mapped(int memfd, struct report *ret_report)
{
    void *bytes;
    size_t len;
    int result = wire_map(memfd, WIRE_REPORT_MAX, &bytes, &len);

    if (result == 0) {
        result = report_read(bytes, len, ret_report);
        munmap(bytes, len);
    }
    return result;
}

int sandbox_receive(int fd, struct report *ret_report, struct err *err)
{
    static char bytes[WIRE_INLINE_MAX]; /* the application has one thread */
    struct report report;
    int passed = -1, result;
    size_t count = 0;
    ssize_t len = wire_receive(fd, bytes, sizeof bytes, &passed, 1, &count, false);

    if (len == -EAGAIN) {
        return 0;
    }
    if (len == 0 || len == -ECONNRESET) {
        return err_set(err, -ECONNRESET, "the supervisor of the run is gone");
    }
    if (len < 0) {
        return err_errno(err, (int)len, "a report cannot be received");
    }
    /* one byte alone says that the report lies in the memfd beside it */
    result = len == 1 && count == 1 ? read_mapped(passed, &report) : report_read(bytes, (size_t)len, &report);
    if (result == 0 && report.kind == REPORT_ARTIFACT && count == 1) {
        report.artifact.fd = passed;
        passed = -1;
    }
    close_descriptor(&passed);
    if (result < 0) {
        return err_errno(err, result, "a report cannot be read");
    }
    *ret_report = report;
    return 1;
}

int sandbox_cancel(int fd)
{
    char what = RUN_CANCEL;

    return wire_send(fd, &what, 1, NULL, 0, false);
}

int sandbox_answer(int fd, uint64_t number, bool allow)
{
    struct run_answer answer;

    memset(&answer, 0, sizeof answer); /* its padding, too, goes out */
    answer.what = RUN_ANSWER;
    answer.allow = allow;
    answer.number = number;
    return wire_send(fd, &answer, sizeof answer, NULL, 0, false);
}

/* Reads probes until the spawner's child closes the socket. */
static int collect_probes(int fd, struct sandbox_probe *probes, size_t *count, struct err *err)
{
    static char bytes[WIRE_INLINE_MAX];
    int64_t deadline = monotonic_us() + DOCTOR_MS * INT64_C(1000);

    for (;;) {
        struct pollfd poller = {fd, POLLIN, 0};
        int64_t left = (deadline - monotonic_us()) / 1000;
        if (left <= 0 || (poll(&poller, 1, (int)left) == 0)) {
            return err_set(err, -ETIMEDOUT, "the probes do not end");
        }
        ssize_t len = wire_receive(fd, bytes, sizeof bytes, NULL, 0, NULL, false);
        if (len == -EAGAIN) {
            continue;
        }
        if (len <= 0) {
            return *count > 0 ? 0 : err_set(err, -ECONNRESET, "the probes could not be run");
        }
        if (*count == PROBES_MAX || probe_read(bytes, (size_t)len, &probes[*count]) < 0) {
            return err_set(err, -EBADMSG, "a probe's result cannot be read");
        }
        ++*count;
    }
}

int sandbox_doctor(int spawner_fd, struct sandbox_probe **ret_probes, size_t *ret_count, struct err *err)
{
    struct sandbox_probe *probes = calloc(PROBES_MAX, sizeof *probes);
    size_t count = 0;
    int fds[1], fd = -1, result;

    if (!probes) {
        return err_set(err, -ENOMEM, "no memory");
    }
    result = ask(spawner_fd, SPAWNER_DOCTOR, fds, 1, &fd, err);
    if (result == 0) {
        result = collect_probes(fd, probes, &count, err);
        close(fd);
    }
    if (result < 0) {
        sandbox_probes_free(probes, count);
        return result;
    }
    *ret_probes = probes;
    *ret_count = count;
    return 0;
}
