/* Ways to start a program that is not granted. */
#include "attack.h"

#include <linux/memfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

extern char **environ;
static const char *run_path, *run_argument;

static int failure[2]; /* closes itself when the program starts */

static int execute(void)
{
    char *const argv[] = {(char *)run_path, (char *)run_argument, NULL};

    execve(run_path, argv, environ);
    write(failure[1], &errno, sizeof errno);
    return errno;
}

/* Was it started? *ret_status: how it ended. */
static long start(const char *path, const char *argument, int *ret_status)
{
    int error = 0;

    run_path = path;
    run_argument = argument;
    if (pipe2(failure, O_CLOEXEC)) {
        return -1;
    }
    *ret_status = in_child(execute);
    close(failure[1]);
    ssize_t got = read(failure[0], &error, sizeof error);
    close(failure[0]);
    errno = error;
    return got == sizeof error ? -1 : 0;
}

static long try_execute(const char *path, const char *argument)
{
    int status;

    return start(path, argument, &status);
}

/* The loader itself may start: what counts is the program that it is given. */
static long try_load(const char *loader, const char *path)
{
    int status;

    if (start(loader, path, &status) == 0 && status == 127) {
        errno = ENOEXEC; /* the loader's own refusal */
        return -1;
    }
    return status == 127 ? -1 : 0;
}

static void forty_two(void)
{
    exit(42);
}

/* A copy of this program in a place that may be written. */
static int copy_self(const char *to)
{
    char bytes[65536];
    int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), fd = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0755);
    ssize_t got = -1;

    if (from < 0 || fd < 0) {
        return -1;
    }
    while ((got = read(from, bytes, sizeof bytes)) > 0) {
        if (write(fd, bytes, (size_t)got) != got) {
            return -1;
        }
    }
    close(fd);
    return (int)got;
}

static void written(void)
{
    static const char *const places[] = {"out/copy", "/tmp/copy", "/dev/shm/copy", "/home/user/copy"};

    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        control("copy", copy_self(places[i]));
        try("execute", try_execute(places[i], "forty-two"));
        int fd = open(places[i], O_RDONLY | O_CLOEXEC);
        void *map = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
        try("map", map == MAP_FAILED ? -1 : 0);
        close(fd);
    }
    int fd = open("out/script", O_WRONLY | O_CREAT | O_CLOEXEC, 0755);
    dprintf(fd, "#!%s forty-two\n", given("SELF"));
    close(fd);
    try("script", try_execute("out/script", "forty-two"));
    control("itself", try_execute(given("SELF"), "forty-two"));
}

/* The dynamic loader starts whatever it is given; what it maps must still be executable. */
static void by_loader(void)
{
    static const char loader[] = "/lib64/ld-linux-x86-64.so.2";

    control("loader", access(loader, X_OK));
    control("copy", copy_self("out/copy"));
    try("written", try_load(loader, "out/copy"));
    try("hidden", try_load(loader, "/usr/bin/true"));
    try("hidden-dots", try_load(loader, "/lib64/../usr/bin/id"));
    control("itself", try_execute(given("SELF"), "forty-two"));
}

static void from_memory(void)
{
    static char name[] = "copy", argument[] = "forty-two", path[64];
    char *const argv[] = {name, argument, NULL};
    static const struct {
        const char *name;
        unsigned flags;
    } ways[] = {{"plain", 0}, {"exec", 0x10U /* MFD_EXEC */}, {"sealed", 8U /* MFD_NOEXEC_SEAL */}};

    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        int fd = memfd_create("x", MFD_CLOEXEC | ways[i].flags);
        int error = errno;
        if (fd >= 0) {
            snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
            error = copy_self(path) == 0 && try_execute(path, "forty-two") == 0 ? 0 : errno;
        }
        errno = error;
        try(ways[i].name, error ? -1 : 0);
    }
    int fd = open(given("SELF"), O_RDONLY | O_CLOEXEC);
    try("empty-path", execveat(fd, "", argv, environ, AT_EMPTY_PATH));
    try("secret", syscall(SYS_memfd_secret, 0));
    control("itself", try_execute(given("SELF"), "forty-two"));
}

static void who_am_i(void)
{
    exit(geteuid() == getuid() ? 42 : 43);
}

/* With `exec` granted, so that what it writes may run: never as somebody else. */
static void set_user_id(void)
{
    control("copy", copy_self("out/copy"));
    control("mode", chmod("out/copy", 06755));
    int status = -1;
    try_word("written", start("out/copy", "who", &status) == 0 && status == 42 ? "same-user" : "through");
    try_word("su", start("/usr/bin/su", "--version", &status) == 0 && status > 1 ? "through" : "same-user");
    control("itself", try_execute(given("SELF"), "forty-two"));
}

static void forbidden(void)
{
    static const char *const programs[] = {"/usr/bin/curl", "/bin/bash", "/bin/sh", "/usr/bin/sudo", "/usr/bin/su",
                                           "/usr/bin/pkexec", "/usr/bin/python3", "/usr/bin/nothing-like-this"};

    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        try(strrchr(programs[i], '/') + 1, try_execute(programs[i], "forty-two"));
    }
    try("system", system("exit 0") == 0 ? 0 : (errno = EACCES, -1));
    control("itself", try_execute(given("SELF"), "forty-two"));
}

/* Its own program file, the base and the launcher behind it. */
static void own_image(void)
{
    try("exe-write", write_file("/proc/self/exe", 0));
    try("exe-truncate", write_file("/proc/self/exe", O_TRUNC));
    try("self-write", write_file(given("SELF"), 0));
    try("self-chmod", chmod(given("SELF"), 0777));
    try("self-unlink", unlink(given("SELF")));
    control("exe-read", read_file("/proc/self/exe"));
}

ATTACKS({"written", written}, {"by-loader", by_loader}, {"from-memory", from_memory}, {"set-user-id", set_user_id},
        {"forbidden", forbidden}, {"own-image", own_image}, {"forty-two", forty_two}, {"who", who_am_i})
