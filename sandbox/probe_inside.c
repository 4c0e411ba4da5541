/*
 * The doctor's attempts, made by the program in the cell. Each has a positive
 * control: something alike that must work, so that a refusal means something.
 */
#include "probe_internal.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

struct host {
    int port;  /* where a server of the host listens */
    pid_t pid; /* a process of the host */
    const char *self;
    bool bare; /* level L2: nothing may be written, no socket made, no signal sent */
};

static bool opens(const char *path, int flags)
{
    int fd = open(path, flags | O_CLOEXEC, 0600);

    if (fd >= 0) {
        close(fd);
    }
    return fd >= 0;
}

static int try_files(const struct host *host)
{
    static const char *const outside[] = {"/etc/shadow",     "/etc/machine-id",         "/root/.bashrc",
                                          "/proc/1/environ", "/proc/1/root/etc/passwd", "/var/log/dpkg.log"};

    if (!opens(host->self, O_RDONLY) || (!host->bare && !opens("out/control", O_WRONLY | O_CREAT))) {
        return PROBE_NO_CONTROL;
    }
    for (size_t i = 0; i < sizeof outside / sizeof outside[0]; i++) {
        if (opens(outside[i], O_RDONLY)) {
            return PROBE_BROKEN;
        }
    }
    return opens(host->self, O_RDWR) || opens("made", O_WRONLY | O_CREAT) ? PROBE_BROKEN : PROBE_HELD;
}

static int try_connect(uint32_t address, int port)
{
    struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(address)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int result = fd < 0 ? -1 : connect(fd, (struct sockaddr *)&to, sizeof to);

    close_descriptor(&fd);
    return result;
}

static int try_network(const struct host *host)
{
    struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof own;
    int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), pair[2];

    if (host->bare) {
        bool unix_socket = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0) >= 0;
        return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) ? PROBE_NO_CONTROL
               : server >= 0 || unix_socket                              ? PROBE_BROKEN
                                                                         : PROBE_HELD;
    }
    if (bind(server, (struct sockaddr *)&own, sizeof own) < 0 || listen(server, 1) < 0 ||
        getsockname(server, (struct sockaddr *)&own, &len) < 0 ||
        try_connect(INADDR_LOOPBACK, ntohs(own.sin_port)) < 0) {
        return PROBE_NO_CONTROL;
    }
    bool out = try_connect(INADDR_LOOPBACK, host->port) == 0 || try_connect(0x01010101, 53) == 0 ||
               try_connect(0xa9fea9fe, 80) == 0; /* the host, a public address, a cloud's metadata */
    return out ? PROBE_BROKEN : PROBE_HELD;
}

/* Leaves a process behind that ignores every signal: the supervisor must find and kill it. */
static int try_processes(const struct host *host)
{
    pid_t child;

    if (!host->bare && kill(getpid(), 0) < 0) {
        return PROBE_NO_CONTROL;
    }
    if (kill(host->pid, 0) == 0 || kill(getppid(), SIGKILL) == 0) {
        return PROBE_BROKEN;
    }
    child = fork();
    if (child == 0) {
        for (int i = 1; i < 32; i++) {
            signal(i, SIG_IGN);
        }
        setsid();
        for (;;) {
            pause();
        }
    }
    return child > 0 ? PROBE_HELD : PROBE_NO_CONTROL;
}

/* With a pointer that leads nowhere: EFAULT would mean that the call got through to the kernel's own code. */
static int try_kernel(const struct host *host)
{
    static const long calls[] = {
        SYS_mount,   SYS_umount2,     SYS_bpf,   SYS_ptrace,     SYS_perf_event_open,   SYS_io_uring_setup, SYS_keyctl,
        SYS_add_key, SYS_userfaultfd, SYS_setns, SYS_pivot_root, SYS_open_by_handle_at, SYS_fsopen,         SYS_clone3};
    void *nowhere = (void *)8;

    (void)host;
    if (syscall(SYS_openat, AT_FDCWD, nowhere, O_RDONLY) == 0 || errno != EFAULT) {
        return PROBE_NO_CONTROL;
    }
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        long result = syscall(calls[i], nowhere, nowhere, nowhere, nowhere, nowhere);
        if (result >= 0 || (errno != EPERM && errno != ENOSYS && errno != EACCES)) {
            return PROBE_BROKEN;
        }
    }
    return unshare(CLONE_NEWUSER) == 0 ? PROBE_BROKEN : PROBE_HELD;
}

static int try_secrets(const struct host *host)
{
    (void)host;
    if (!getenv("PROBE")) {
        return PROBE_NO_CONTROL;
    }
    for (int fd = 3; fd < 1024; fd++) {
        if (fcntl(fd, F_GETFD) >= 0) {
            return PROBE_BROKEN;
        }
    }
    return environ[1] || opens("/proc/1/environ", O_RDONLY) || getuid() == 0 ? PROBE_BROKEN : PROBE_HELD;
}

static int try_memory(const struct host *host)
{
    enum { PART = 8 << 20, PARTS = 64 };

    (void)host;
    for (int i = 0; i < PARTS; i++) {
        char *part = mmap(NULL, PART, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (part == MAP_FAILED) {
            return i > 0 ? PROBE_HELD : PROBE_NO_CONTROL;
        }
        memset(part, 1, PART);
    }
    return PROBE_BROKEN;
}

static int try_cpu(const struct host *host)
{
    (void)host;
    for (volatile uint64_t i = 0; i < UINT64_MAX; i++) {
    }
    return PROBE_BROKEN;
}

static int try_wall(const struct host *host)
{
    (void)host;
    while (pause() < 0) {
    }
    return PROBE_BROKEN;
}

static int try_output(const struct host *host)
{
    static const char line[4096] = {'\n'};

    (void)host;
    for (int i = 0; i < 4096; i++) {
        if (write(STDOUT_FILENO, line, sizeof line) < 0) {
            return PROBE_NO_CONTROL;
        }
    }
    return PROBE_BROKEN;
}

static int try_disk(const struct host *host)
{
    static const char part[65536];
    int fd = open("/tmp/full", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

    if (host->bare) {
        return fd < 0 ? PROBE_HELD : PROBE_BROKEN;
    }
    for (int i = 0; fd >= 0 && i < 4096; i++) {
        if (write(fd, part, sizeof part) < (ssize_t)sizeof part) {
            return i > 0 ? PROBE_HELD : PROBE_NO_CONTROL;
        }
    }
    return fd < 0 ? PROBE_NO_CONTROL : PROBE_BROKEN;
}

static const struct {
    const char *name;
    int (*attempt)(const struct host *host);
} attempts[] = {
    {"files", try_files},
    {"network", try_network},
    {"processes", try_processes},
    {"kernel surface", try_kernel},
    {"secrets", try_secrets},
    {"memory", try_memory},
    {"cpu", try_cpu},
    {"wall", try_wall},
    {"output", try_output},
    {"disk", try_disk},
};

int probe_inside(int argc, char **argv)
{
    if (argc != 6) {
        return PROBE_NO_CONTROL;
    }
    const struct host host = {.port = atoi(argv[3]), .pid = atoi(argv[4]), .self = argv[0], .bare = *argv[5]};

    for (size_t i = 0; i < sizeof attempts / sizeof attempts[0]; i++) {
        if (strcmp(argv[2], attempts[i].name) == 0) {
            return attempts[i].attempt(&host);
        }
    }
    return PROBE_NO_CONTROL;
}
