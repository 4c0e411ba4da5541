/* Ways to change what may only be read, or to put something where it does not belong. */
#include "attack.h"

#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <utime.h>

static long rename2(const char *from, const char *to, unsigned flags)
{
    return syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, flags);
}

static void hard_links(void)
{
    char path[4096];

    control("make", write_file("out/x", O_CREAT));
    snprintf(path, sizeof path, "%s/secret", given("OUTSIDE"));
    try("outside", link(path, "out/secret"));
    try("shadow", link("/etc/shadow", "out/shadow"));
    try("data-to-out", link("data/a.txt", "out/a.txt"));
    try("out-to-data", link("out/x", "data/x"));
    control("within-out", link("out/x", "out/y"));
}

static void renames(void)
{
    control("make", write_file("out/x", O_CREAT));
    try("over-data", rename("out/x", "data/a.txt"));
    try("data-out", rename("data/a.txt", "out/a.txt"));
    try("within-data", rename("data/a.txt", "data/z.txt"));
    try("exchange", rename2("out/x", "data/a.txt", RENAME_EXCHANGE));
    try("whiteout", rename2("data/a.txt", "data/z.txt", RENAME_WHITEOUT));
    try("folder", rename("data", "out/data"));
    try("folder-away", rename("data", "date"));
    try("out-away", rename("out", "data/out"));
    try("unlink", unlink("data/a.txt"));
    try("rmdir", rmdir("data/sub"));
    control("rename", rename("out/x", "out/y"));
    control("unlink", unlink("out/y"));
}

/* Documented: a hard link that lies in a granted folder is granted, as the same file under that name. */
static void host_hard_link(void)
{
    try("write", write_file("data/hard", 0));
    try("chmod", chmod("data/hard", 0777));
    control("read", read_file("data/hard"));
}

static void writes(void)
{
    off_t at = 0;
    int pipes[2], fd, mine;

    control("make", write_file("out/x", O_CREAT));
    try("write", write_file("data/a.txt", 0));
    try("append", write_file("data/a.txt", O_APPEND));
    try("open-truncate", write_file("data/a.txt", O_TRUNC));
    try("create", write_file("data/new.txt", O_CREAT));
    try("create-root", write_file("new.txt", O_CREAT));
    try("truncate", truncate("data/a.txt", 0));
    fd = open("data/a.txt", O_RDONLY | O_CLOEXEC);
    mine = open("out/x", O_RDWR | O_CLOEXEC);
    control("read", fd);
    try("fd-write", write(fd, "x", 1));
    try("fd-truncate", ftruncate(fd, 0));
    try("fd-punch", fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 1));
    try("fd-copy", copy_file_range(mine, &at, fd, NULL, 1, 0));
    try("fd-splice", pipe(pipes) ? -1 : splice(pipes[0], NULL, fd, NULL, 1, 0));
    void *map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    try("map", map == MAP_FAILED ? -1 : 0);
    map = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
    control("map-read", map == MAP_FAILED ? -1 : 0);
    try("map-protect", mprotect(map, 4096, PROT_READ | PROT_WRITE));
    control("write", write(mine, "x", 1) == 1 && ftruncate(mine, 100) == 0 ? 0 : -1);
}

/* Landlock does not know these calls. */
static void attributes(void)
{
    struct timespec times[2] = {{1, 0}, {1, 0}};
    struct utimbuf old = {1, 1};

    try("chmod", chmod("data/a.txt", 0777));
    try("chown", chown("data/a.txt", getuid(), getgid()));
    try("lchown", lchown("data/link-in", getuid(), getgid()));
    try("utimens", utimensat(AT_FDCWD, "data/a.txt", times, 0));
    try("utime", utime("data/a.txt", &old));
    try("setxattr", setxattr("data/a.txt", "user.x", "y", 1, 0));
    try("removexattr", removexattr("data/a.txt", "user.x"));
    try("chmod-folder", chmod("data", 0777));
    control("make", write_file("out/x", O_CREAT));
    control("chmod", chmod("out/x", 0700));
    control("utimens", utimensat(AT_FDCWD, "out/x", times, 0));
}

/* The same through descriptors that were opened for reading. */
static void attributes_by_descriptor(void)
{
    struct timespec times[2] = {{1, 0}, {1, 0}};
    const char *names[] = {"data/a.txt", "data"};
    int flags = 0, fd;

    for (int i = 0; i < 2; i++) {
        fd = open(names[i], O_RDONLY | O_CLOEXEC);
        control("open", fd);
        try("fchmod", fchmod(fd, 0777));
        try("fchown", fchown(fd, getuid(), getgid()));
        try("futimens", futimens(fd, times));
        try("fsetxattr", fsetxattr(fd, "user.x", "y", 1, 0));
        try("fremovexattr", fremovexattr(fd, "user.x"));
        try("setflags", ioctl(fd, FS_IOC_SETFLAGS, &flags));
        try("empty-path", fchownat(fd, "", getuid(), getgid(), AT_EMPTY_PATH));
        close(fd);
    }
    fd = open("out/x", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    control("fchmod-out", fchmod(fd, 0700));
    control("futimens-out", futimens(fd, times));
}

/* A socket with a name; bind() is given one half of a pair where no other socket is to be had. */
static int bind_at(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int pair[2], fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd < 0) {
        fd = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) ? -1 : pair[0];
    }
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    return bind(fd, (struct sockaddr *)&address, sizeof address);
}

static void nodes(void)
{
    try("mkdir", mkdir("data/new", 0700));
    try("mkdir-root", mkdir("new", 0700));
    try("fifo", mkfifo("data/pipe", 0600));
    try("bind", bind_at("data/new-socket"));
    try("symlink", symlink("a.txt", "data/another"));
    try("char-out", mknod("out/null", S_IFCHR | 0666, makedev(1, 3)));
    try("block-out", mknod("out/disk", S_IFBLK | 0666, makedev(8, 0)));
    try("char-dev", mknod("/dev/mem", S_IFCHR | 0666, makedev(1, 1)));
    try("char-shm", mknod("/dev/shm/mem", S_IFCHR | 0666, makedev(1, 1)));
    control("mkdir", mkdir("out/new", 0700));
    control("fifo", mkfifo("out/pipe", 0600));
}

/* Files that other programs of the user execute or believe. */
static void protected_names(void)
{
    char path[4096];

    try("hook", write_file(".git/hooks/pre-commit", O_CREAT));
    try("hook-new", write_file(".git/hooks/post-merge", O_CREAT));
    try("bashrc", write_file("/root/.bashrc", O_CREAT));
    snprintf(path, sizeof path, "%s/.bashrc", given("HOST_HOME"));
    try("home", write_file(path, O_CREAT));
    try("pth", write_file("/usr/lib/python3/dist-packages/x.pth", O_CREAT));
    try("case", write_file("setup.cfg", O_CREAT | O_TRUNC));
    snprintf(path, sizeof path, "%s/.local/state/techo/sessions/x.jsonl", given("HOST_HOME"));
    try("session", write_file(path, O_CREAT));
    try("ld.so.cache", write_file("/etc/ld.so.cache", O_CREAT | O_TRUNC));
    control("out", write_file("out/hook", O_CREAT));
    control("own-home", write_file("/home/user/.bashrc", O_CREAT));
}

/* Ways to tell another run something through a file that both may only read. */
static void channels(void)
{
    struct flock shared = {.l_type = F_RDLCK}, alone = {.l_type = F_WRLCK};
    int fd = open("data/a.txt", O_RDONLY | O_CLOEXEC), mine = open("out/x", O_RDWR | O_CREAT | O_CLOEXEC, 0600);

    try("lease", fcntl(fd, F_SETLEASE, F_RDLCK));
    try("notify", fcntl(open("data", O_RDONLY | O_CLOEXEC), F_NOTIFY, DN_CREATE | DN_MULTISHOT));
    try("inotify", syscall(SYS_inotify_init1, 0));
    try("fanotify", syscall(SYS_fanotify_init, 0, 0));
    try("lock-alone", fcntl(fd, F_SETLK, &alone));
    control("lock-shared", fcntl(fd, F_SETLK, &shared)); /* documented: another run can see it */
    control("lock-own", fcntl(mine, F_SETLK, &alone));
}

ATTACKS({"hard-links", hard_links}, {"renames", renames}, {"host-hard-link", host_hard_link}, {"writes", writes},
        {"attributes", attributes}, {"attributes-by-descriptor", attributes_by_descriptor}, {"nodes", nodes}, {"channels", channels},
        {"protected", protected_names})
