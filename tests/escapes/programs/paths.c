/* Ways to name a file that is not granted, to be read. */
#include "attack.h"

#include <dirent.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <sys/xattr.h>

static char path[PATH_MAX];

static const char *outside(const char *name)
{
    snprintf(path, sizeof path, "%s/%s", given("OUTSIDE"), name);
    return path;
}

static void secrets(void)
{
    try("shadow", read_file("/etc/shadow"));
    try("host-passwd", access("/etc/passwd-", F_OK));
    try("root-key", read_file("/root/.ssh/id_rsa"));
    try("cloud", read_file("/root/.aws/credentials"));
    try("outside", read_file(outside("secret")));
    try("beside", read_file("secret.txt"));
    try("env", read_file(".env"));
    control("data", read_file("data/a.txt"));
    control("below", read_file("data/sub/c.txt"));
}

/* No granted name leads there, however it is spelled. */
static void spellings(void)
{
    static const char *const ways[] = {"data/../.env",  "data/sub/../../.env",      "./data/./../.env", "data//..//.env",
                                       "data/../.env/", "/proc/self/cwd/.env",      "//etc//shadow",    "/../etc/shadow",
                                       "/etc/./shadow", "/proc/self/root/etc/shadow", "data/../../outside/secret"};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        char name[16];
        snprintf(name, sizeof name, "way%zu", i);
        try(name, read_file(ways[i]));
    }
    control("dots", read_file("data/sub/../a.txt"));
    control("cwd", read_file("/proc/self/cwd/data/a.txt"));
    control("slashes", read_file("data//sub/.//c.txt"));
}

static void made_links(void)
{
    symlink(outside("secret"), "out/secret");
    symlink("/etc", "out/etc");
    symlink("../../../../../../../../etc/shadow", "out/up");
    symlink("../data/a.txt", "out/data");
    try("read", read_file("out/secret"));
    try("read-below", read_file("out/etc/shadow"));
    try("read-up", read_file("out/up"));
    try("write", write_file("out/secret", O_CREAT | O_TRUNC));
    try("write-up", write_file("out/up", O_APPEND));
    try("write-data", write_file("out/data", O_TRUNC));
    control("read-data", read_file("out/data"));
}

/* A link of the host's, in a folder that is granted. */
static void host_links(void)
{
    try("open", read_file("data/link-out"));
    try("write", write_file("data/link-out", O_CREAT));
    control("link-within", read_file("data/link-in"));
    control("readlink", readlink("data/link-out", path, sizeof path)); /* the name is part of the folder */
}

static void loops(void)
{
    char name[64], before[64] = "../data/a.txt";

    for (int i = 0; i < 60; i++) {
        snprintf(name, sizeof name, "out/l%d", i);
        symlink(before, name);
        snprintf(before, sizeof before, "l%d", i);
    }
    symlink("loop", "out/loop");
    symlink("second", "out/first");
    symlink("first", "out/second");
    try("sixty", read_file("out/l59"));
    try("itself", read_file("out/loop"));
    try("two", read_file("out/first"));
    try("below", read_file("out/loop/x"));
    control("thirty", read_file("out/l30"));
}

/* What exists and what does not must look alike: the same errno for both, by whatever call. */
static int (*probe)(const char *name);

static int by_stat(const char *name)
{
    struct stat status;
    return stat(name, &status);
}

static int by_access(const char *name)
{
    return access(name, F_OK);
}

static int by_readlink(const char *name)
{
    char target[PATH_MAX];
    return (int)readlink(name, target, sizeof target);
}

static int by_chdir(const char *name)
{
    return chdir(name);
}

static int by_create(const char *name)
{
    return write_file(name, O_CREAT | O_EXCL);
}

static int by_mkdir(const char *name)
{
    return mkdir(name, 0700);
}

static int by_unlink(const char *name)
{
    return unlink(name);
}

static int by_exec(const char *name)
{
    return execl(name, name, (char *)NULL);
}

static int by_path(const char *name)
{
    int fd = open(name, O_PATH | O_CLOEXEC);
    return fd < 0 ? -1 : close(fd);
}

static int by_xattr(const char *name)
{
    char value[16];
    return (int)getxattr(name, "user.x", value, sizeof value);
}

static int by_chmod(const char *name)
{
    return chmod(name, 0600);
}

static int by_link(const char *name)
{
    return link(name, "out/linked");
}

static int by_truncate(const char *name)
{
    return truncate(name, 0);
}

static const struct {
    const char *name;
    int (*run)(const char *name);
} probes[] = {
    {"stat", by_stat},   {"access", by_access}, {"readlink", by_readlink}, {"chdir", by_chdir}, {"open", read_file},
    {"path", by_path},   {"create", by_create}, {"mkdir", by_mkdir},       {"unlink", by_unlink}, {"exec", by_exec},
    {"xattr", by_xattr}, {"chmod", by_chmod},   {"link", by_link},         {"truncate", by_truncate},
};

static void oracle(void)
{
    static const char *const there[] = {".env", "notes.txt", "/etc/shadow", "/root/.bashrc", "/opt", "/boot"};
    static const char *const missing[] = {".enw", "nothing.txt", "/etc/shadov", "/root/.bashrd", "/opu", "/boou"};

    for (size_t i = 0; i < sizeof probes / sizeof *probes; i++) {
        const char *word = "alike";
        probe = probes[i].run;
        for (size_t j = 0; j < sizeof there / sizeof *there; j++) {
            int first, second;
            errno = 0;
            probe(there[j]);
            first = errno;
            errno = 0;
            probe(missing[j]);
            second = errno;
            word = first == second && first ? word : "through"; /* 0: it got at something */
        }
        try_word(probes[i].name, word);
    }
    control("stat-data", by_stat("data/a.txt"));
    control("told-apart", by_stat("data/a.txt") == 0 && by_stat("data/none.txt") < 0 ? 0 : -1);
}

static long openat2_with(const char *name, uint64_t flags, uint64_t resolve)
{
    struct open_how how = {.flags = flags, .resolve = resolve};
    return syscall(SYS_openat2, AT_FDCWD, name, &how, sizeof how);
}

static void other_opens(void)
{
    char name[64];

    for (unsigned bit = 0; bit < 8; bit++) {
        snprintf(name, sizeof name, "openat2-%u", bit);
        try(name, openat2_with(".env", O_RDONLY, bit < 6 ? 1U << bit : 0));
    }
    int fd = open("data/a.txt", O_PATH | O_CLOEXEC);
    control("path", fd);
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    try("reopen-write", write_file(name, 0));
    try("reopen-truncate", write_file(name, O_TRUNC));
    control("reopen-read", read_file(name));
    int folder = open("data", O_PATH | O_DIRECTORY | O_CLOEXEC);
    try("from-folder", openat(folder, "../.env", O_RDONLY));
    try("fchdir-up", fchdir(folder) ? -1 : read_file("../../../../../../etc/shadow"));
    try("tmpfile", open(".", O_TMPFILE | O_RDWR, 0600));
    fd = openat(folder, "../out", O_TMPFILE | O_RDWR, 0600);
    control("tmpfile-out", fd);
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    try("tmpfile-link", linkat(AT_FDCWD, name, folder, "added", AT_SYMLINK_FOLLOW));
}

/* The "shocker" way: handles of files below a mount that is shown. */
static void handles(void)
{
    struct {
        struct file_handle head;
        unsigned char bytes[8];
    } handle = {.head = {.handle_bytes = 8, .handle_type = 1}, .bytes = {2}};
    int mount, folder = open("data", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    control("folder", folder);
    try("name", name_to_handle_at(AT_FDCWD, "data/a.txt", &handle.head, &mount, 0));
    for (unsigned char inode = 1; inode < 4; inode++) {
        handle.bytes[0] = inode;
        try("open", open_by_handle_at(folder, &handle.head, O_RDONLY));
    }
}

static void endless_files(void)
{
    char bytes[4096];
    int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);

    control("data", read_file("data/a.txt"));
    for (long total = 0; fd >= 0; total += (long)sizeof bytes) {
        if (read(fd, bytes, sizeof bytes) < 0) {
            break;
        }
    }
}

static void fifo(void)
{
    control("data", read_file("data/a.txt"));
    read_file("data/fifo"); /* nobody ever writes to it */
}

ATTACKS({"secrets", secrets}, {"spellings", spellings}, {"made-links", made_links}, {"host-links", host_links},
        {"loops", loops}, {"oracle", oracle}, {"other-opens", other_opens}, {"handles", handles},
        {"endless-files", endless_files}, {"fifo", fifo})
