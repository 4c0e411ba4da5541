/* More memory, processor time, files, disk and output than the limits allow. */
#include "attack.h"

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>

enum { MIB = 1 << 20 };
static const size_t plenty = 640UL * MIB; /* ten times what these cases are allowed */

static void *map(size_t len, int protection, int flags)
{
    void *result = mmap(NULL, len, protection, flags | MAP_ANONYMOUS, -1, 0);
    return result == MAP_FAILED ? NULL : result;
}

static long touch(char *bytes, size_t len)
{
    for (size_t i = 0; bytes && i < len; i += 4096) {
        bytes[i] = 1;
    }
    return bytes ? 0 : -1;
}

static void memory(void)
{
    control("some", touch(malloc(8 * MIB), 8 * MIB));
    control("reserve", map(1UL << 40, PROT_NONE, MAP_PRIVATE | MAP_NORESERVE) ? 0 : -1); /* costs nothing */
    try("malloc", touch(malloc(plenty), plenty));
    try("map", touch(map(plenty, PROT_READ | PROT_WRITE, MAP_PRIVATE), plenty));
    try("sparse", map(1UL << 40, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE) ? 0 : -1);
    try("brk", sbrk((intptr_t)plenty) == (void *)-1 ? -1 : 0);
    try("locked", mlockall(MCL_CURRENT | MCL_FUTURE));
}

/* Shared pages, dropped from the page tables after they were touched, belong to no process's resident size. */
static void hidden_memory(void)
{
    size_t held = 0;

    control("some", touch(malloc(MIB), MIB));
    for (; held < plenty; held += 16 * MIB) {
        char *bytes = map(16 * MIB, PROT_READ | PROT_WRITE, MAP_SHARED);
        if (touch(bytes, 16 * MIB) < 0) {
            try("shared", -1);
            return;
        }
        madvise(bytes, 16 * MIB, MADV_DONTNEED);
    }
    try("shared", 0);
}

static void memory_files(void)
{
    control("some", touch(malloc(MIB), MIB));
    for (size_t held = 0; held < plenty; held += 8 * MIB) {
        int fd = memfd_create("x", MFD_CLOEXEC | 8U);
        if (fd < 0 || posix_fallocate(fd, 0, 8 * MIB)) {
            try("memfd", -1);
            return;
        }
    }
    try("memfd", 0);
}

static int recurse(int depth)
{
    volatile char room[65536];

    for (size_t i = 0; i < sizeof room; i += 4096) {
        room[i] = 1;
    }
    return depth ? recurse(depth - 1) + room[0] : 0;
}

static void recursion(void)
{
    control("some", recurse(8) == 8 ? 0 : -1);
    try_word("deep", recurse(100000) ? "through" : "stopped");
}

/* Sums over everything that the cell may write. */
static void disk(void)
{
    static const char *const places[] = {"out/x", "/tmp/x", "/dev/shm/x", "/home/user/x"};
    static char bytes[MIB];
    size_t total = 0;

    signal(SIGXFSZ, SIG_IGN);
    control("some", write_file("out/small", O_CREAT));
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        int fd = open(places[i], O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        ssize_t wrote = 0;
        while (total < plenty && (wrote = write(fd, bytes, sizeof bytes)) > 0) {
            total += (size_t)wrote;
        }
        try("write", wrote > 0 ? 0 : -1);
        try("fallocate", fallocate(fd, 0, 0, (off_t)plenty));
        close(fd);
    }
    try_word("total", total <= 16 * MIB ? "bounded" : "through");
}

static void inodes(void)
{
    char name[64];
    int made = 0;

    control("some", write_file("out/small", O_CREAT));
    while (made < 200000) {
        snprintf(name, sizeof name, "/tmp/f%d", made);
        if (mknod(name, S_IFREG | 0600, 0)) {
            break;
        }
        made++;
    }
    try("files", made < 200000 ? -1 : 0);
}

static volatile unsigned long spun;

static void *spin(void *nothing)
{
    for (;;) {
        spun++;
    }
    return nothing;
}

static void processor(void)
{
    pthread_t thread;

    control("pid", getpid());
    for (int number = 1; number < NSIG; number++) {
        signal(number, SIG_IGN); /* SIGXCPU, SIGALRM too */
    }
    for (int i = 0; i < 4; i++) {
        pthread_create(&thread, NULL, spin, NULL);
    }
    spin(NULL);
}

/* Each process below the limit, the sum of them above. */
static void processor_by_children(void)
{
    control("pid", getpid());
    for (;;) {
        pid_t child = fork();
        if (child == 0) {
            clock_t end = clock() + CLOCKS_PER_SEC / 5;
            while (clock() < end) {
                spun++;
            }
            _exit(0);
        }
        while (child > 0 && kill(child, 0) == 0) {
            struct timespec pause_ms = {0, 10000000};
            nanosleep(&pause_ms, NULL);
            signal(SIGCHLD, SIG_IGN);
        }
    }
}

static void sleeps(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    char byte;

    control("end-of-input", read(0, &byte, 1)); /* at its end, not waiting */
    pthread_mutex_lock(&lock);
    pthread_mutex_lock(&lock);
}

static void descriptors(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_NONE};
    int made = 0, pair[2];
    timer_t timer;

    control("some", eventfd(0, 0));
    while (made < 100000 && timer_create(CLOCK_MONOTONIC, &event, &timer) == 0) {
        made++;
    }
    try("timers", made < 100000 ? -1 : 0);
    for (made = 0; made < 100000 && dup(1) >= 0; made++) {
    }
    try("dup", made < 100000 ? -1 : 0);
    try("epoll", epoll_create1(0));
    try("eventfd", eventfd(0, 0));
    try("timerfd", timerfd_create(CLOCK_MONOTONIC, 0));
    try("pipe", pipe(pair));
    try("inotify", syscall(SYS_inotify_init));
    try("queue", syscall(SYS_mq_open, "/x", O_CREAT | O_RDWR, 0600, NULL));
    try("shared", syscall(SYS_shmget, 0, 4096, 01600));
    try("raise", setrlimit(RLIMIT_NOFILE, &(struct rlimit){1 << 20, 1 << 20}));
    close(5);
    control("after", dup(1));
}

/* Bytes in pipes and sockets are the kernel's memory. */
static void buffers(void)
{
    static char bytes[MIB];
    size_t held = 0;
    int pair[2], count = 0;

    control("some", socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
    while (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair) == 0) {
        int size = 64 * MIB;
        setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
        for (ssize_t wrote; (wrote = write(pair[0], bytes, sizeof bytes)) > 0;) {
            held += (size_t)wrote;
        }
        count++;
    }
    while (pipe2(pair, O_NONBLOCK) == 0) {
        fcntl(pair[1], F_SETPIPE_SZ, MIB);
        for (ssize_t wrote; (wrote = write(pair[1], bytes, 65536)) > 0;) {
            held += (size_t)wrote;
        }
    }
    try_word("held", held < plenty && count < 1024 ? "bounded" : "through");
}

/* A raised limit would be a way round all of these. */
static void raises(void)
{
    static const struct {
        const char *name;
        int resource;
    } limits[] = {{"cpu", RLIMIT_CPU},       {"processes", RLIMIT_NPROC}, {"file", RLIMIT_FSIZE},   {"data", RLIMIT_DATA},
                  {"files", RLIMIT_NOFILE}, {"stack", RLIMIT_STACK},     {"lock", RLIMIT_MEMLOCK}, {"core", RLIMIT_CORE},
                  {"queue", RLIMIT_MSGQUEUE}, {"nice", RLIMIT_NICE},     {"real-time", RLIMIT_RTPRIO}};
    struct rlimit none = {RLIM_INFINITY, RLIM_INFINITY}, have;

    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        try(limits[i].name, setrlimit((__rlimit_resource_t)limits[i].resource, &none));
    }
    control("get", getrlimit(RLIMIT_DATA, &have));
    have.rlim_cur = have.rlim_max = have.rlim_max / 2;
    control("lower", setrlimit(RLIMIT_DATA, &have));
}

/* ---- output ------------------------------------------------------------------------------------------------------ */

static void flood(void)
{
    static char bytes[65536];

    control("pid", getpid());
    memset(bytes, 'x', sizeof bytes);
    for (int i = 0;; i++) {
        if (write(1 + i % 2, bytes, sizeof bytes) < 0) {
            _exit(1);
        }
    }
}

static void odd_streams(void)
{
    control("pid", getpid());
    fcntl(1, F_SETFL, O_NONBLOCK);
    for (int i = 0; i < 2000; i++) {
        write(1, ".", 1);
    }
    write(1, "\n", 1);
    dup2(2, 1);
    close(2);
    close(1);
    close(0);
}

ATTACKS({"memory", memory}, {"hidden-memory", hidden_memory}, {"memory-files", memory_files}, {"recursion", recursion},
        {"disk", disk}, {"inodes", inodes}, {"processor", processor},
        {"processor-by-children", processor_by_children}, {"sleeps", sleeps}, {"descriptors", descriptors},
        {"buffers", buffers}, {"raises", raises}, {"flood", flood}, {"odd-streams", odd_streams})
