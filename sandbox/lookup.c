/*
 * Looks a path up in the cell's root with openat2(RESOLVE_IN_ROOT). What is
 * missing is followed as far as it goes, link by link, so that a refusal can
 * name the file that was meant and not the link that led there.
 */
#include "lookup_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LINKS_MAX = 40, RACES_MAX = 8 };

static int open_inside(int root_dir, const char *path, bool follow, uint64_t resolve)
{
    struct open_how how = {
        .flags = O_PATH | O_CLOEXEC | (follow ? 0 : O_NOFOLLOW),
        .resolve = RESOLVE_IN_ROOT | resolve,
    };
    const char *relative = path + strspn(path, "/");

    for (int i = 0; i < RACES_MAX; i++) {
        long fd = syscall(SYS_openat2, root_dir, *relative ? relative : ".", &how, sizeof how);
        if (fd >= 0 || errno != EAGAIN) {
            return fd >= 0 ? (int)fd : -errno;
        }
    }
    return -EAGAIN;
}

void lookup_normalise(char *path)
{
    char *to = path;
    const char *from = path;

    while (*from) {
        from += strspn(from, "/");
        size_t len = strcspn(from, "/");
        if (len == 2 && from[0] == '.' && from[1] == '.') {
            while (to > path && *--to != '/') {
            }
        } else if (len > 0 && !(len == 1 && from[0] == '.')) {
            *to++ = '/';
            memmove(to, from, len);
            to += len;
        }
        from += len;
    }
    if (to == path) {
        *to++ = '/';
    }
    *to = '\0';
}

/* A link of a process in /proc (0: our own) as text; false when it leads to no path. */
static bool read_link(char *ret_path, pid_t process, const char *link)
{
    char name[64], whose[16] = "self";
    ssize_t len;

    if (process > 0) {
        snprintf(whose, sizeof whose, "%d", process);
    }
    snprintf(name, sizeof name, "/proc/%s/%s", whose, link);
    len = readlink(name, ret_path, PATH_MAX - 1);
    if (len <= 0 || ret_path[0] != '/') {
        return false;
    }
    ret_path[len] = '\0';
    return true;
}

static bool read_fd(char *ret_path, pid_t process, int fd)
{
    char link[24];

    snprintf(link, sizeof link, "fd/%d", fd);
    return read_link(ret_path, process, link);
}

static bool join(char *to, const char *folder, const char *rest)
{
    int len = snprintf(to, PATH_MAX, "%s%s%s", folder, *rest ? "/" : "", rest);

    return len >= 0 && len < PATH_MAX;
}

/* The process's number as it is seen inside: the last of the line "NSpid:" (of the process or of the thread). */
static int number_inside(pid_t thread, const char *line)
{
    char path[64], text[4096], *at;
    int fd, number = 0;
    ssize_t len;

    snprintf(path, sizeof path, "/proc/%d/status", thread);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return 0;
    }
    len = read(fd, text, sizeof text - 1);
    close(fd);
    text[len > 0 ? len : 0] = '\0';
    at = strstr(text, line);
    if (!at) {
        return 0;
    }
    for (at += strlen(line); *at == '\t' || *at == ' ';) {
        number = (int)strtol(at, &at, 10);
    }
    return number;
}

enum own { OWN_NOT, OWN_LINK, OWN_NO_PATH };

/*
 * The process's own links (/proc/self/fd/N, /dev/fd/N, .../cwd, exe, root) lead where only the kernel can follow:
 * they are replaced by what they stand for.
 */
static enum own replace_own(const struct lookup_process *process, char *text)
{
    char rest[PATH_MAX], target[PATH_MAX];
    int fd = -1, used = 0;
    static const char *const streams[] = {"/dev/stdin", "/dev/stdout", "/dev/stderr"};

    for (int i = 0; i < 3; i++) {
        if (strcmp(text, streams[i]) == 0) {
            fd = i;
            used = (int)strlen(text);
        }
    }
    if (fd < 0 && sscanf(text, "/dev/fd/%d%n", &fd, &used) < 1 && sscanf(text, "/proc/self/fd/%d%n", &fd, &used) < 1) {
        fd = -1;
    }
    if (fd >= 0) {
        if (!read_fd(target, process->thread, fd)) {
            return OWN_NO_PATH;
        }
    } else {
        static const char *const links[] = {"cwd", "root", "exe"};
        for (size_t i = 0; i < 3 && used == 0; i++) {
            size_t len = strlen("/proc/self/") + strlen(links[i]);
            if (strncmp(text, "/proc/self/", 11) == 0 && strncmp(text + 11, links[i], strlen(links[i])) == 0 &&
                (text[len] == '\0' || text[len] == '/')) {
                used = (int)len;
                if (!read_link(target, process->thread, links[i])) {
                    return OWN_NO_PATH;
                }
            }
        }
        if (used == 0) {
            return OWN_NOT;
        }
    }
    snprintf(rest, sizeof rest, "%s", text + used + strspn(text + used, "/"));
    return join(text, target, rest) ? OWN_LINK : OWN_NO_PATH;
}

/* /proc/self and /proc/<own number> are one thing; the supervisor's own "self" is another. */
static enum own name_self(const struct lookup_process *process, char *text)
{
    char rest[PATH_MAX], *end;
    enum own own;
    int number;

    if (strncmp(text, "/proc/", 6) != 0 && strncmp(text, "/dev/", 5) != 0) {
        return OWN_NOT;
    }
    number = number_inside(process->thread, "NStgid:");
    if (strncmp(text, "/proc/", 6) == 0 && strtol(text + 6, &end, 10) == number && (*end == '/' || !*end)) {
        snprintf(rest, sizeof rest, "%s", end);
        if ((size_t)snprintf(text, PATH_MAX, "/proc/self%s", rest) >= PATH_MAX) {
            return OWN_NO_PATH;
        }
    }
    own = replace_own(process, text);
    if (own != OWN_NOT) {
        return own;
    }
    if (strncmp(text, "/proc/self", 10) == 0 && (text[10] == '/' || !text[10])) {
        snprintf(rest, sizeof rest, "%s", text + 10);
        snprintf(text, PATH_MAX, "/proc/%d%.*s", number, PATH_MAX - 32, rest);
    } else if (strncmp(text, "/proc/thread-self", 17) == 0 && (text[17] == '/' || !text[17])) {
        snprintf(rest, sizeof rest, "%s", text + 17);
        snprintf(text, PATH_MAX, "/proc/%d/task/%d%.*s", number, number_inside(process->thread, "NSpid:"),
                 PATH_MAX - 64, rest);
    }
    return OWN_NOT;
}

static void ask_mount(int fd, struct lookup *lookup)
{
    struct statvfs mount;
    struct statx info;

    if (fstatvfs(fd, &mount) == 0) {
        lookup->read_only = mount.f_flag & ST_RDONLY;
        lookup->no_exec = mount.f_flag & ST_NOEXEC;
    }
    if (statx(fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &info) == 0) {
        lookup->mount = info.stx_mnt_id;
    }
}

/* `path`: what it is called, or NULL when that is to be asked. */
static void found(const struct lookup_process *process, int fd, const char *path, struct lookup *lookup)
{
    struct stat info;

    if (path) {
        snprintf(lookup->path, sizeof lookup->path, "%s", path);
    }
    if (fstat(fd, &info) < 0 || (!path && !read_fd(lookup->path, 0, fd))) {
        lookup->state = LOOKUP_NONE;
        return;
    }
    lookup->state = LOOKUP_FOUND;
    lookup->mode = info.st_mode;
    lookup->device = info.st_dev;
    lookup->inode = info.st_ino;
    lookup->size = (uint64_t)info.st_size;
    if (process->ask_mount) {
        ask_mount(fd, lookup);
    }
}

/* Most paths hold no link and no "..": then what was given is what it is called, and one call finds it. */
static bool find_plain(const struct lookup_process *process, char *text, bool follow, struct lookup *lookup)
{
    int fd;

    if (strstr(text, "/..") || strncmp(text, "/proc", 5) == 0 || strncmp(text, "/dev", 4) == 0) {
        return false;
    }
    fd = open_inside(process->root_dir, text, follow, RESOLVE_NO_SYMLINKS);
    if (fd < 0) {
        return false;
    }
    lookup_normalise(text);
    found(process, fd, text, lookup);
    close(fd);
    return true;
}

/* Splits `text` at the first segment that cannot be opened. Returns the descriptor of what could. */
static int open_prefix(int root_dir, char *text, size_t *ret_end)
{
    size_t end = strlen(text);

    for (;;) {
        while (end > 0 && text[end - 1] != '/') {
            end--;
        }
        while (end > 0 && text[end - 1] == '/') {
            end--;
        }
        char kept = text[end];
        text[end] = '\0';
        int fd = open_inside(root_dir, text, true, 0);
        text[end] = kept;
        if (fd >= 0 || end == 0) {
            *ret_end = end;
            return fd;
        }
    }
}

/* When the segment after `end` is a link, puts what it stands for into `text`. */
static bool follow_link(int folder, const char *folder_path, char *text, size_t end)
{
    char target[PATH_MAX], name[NAME_MAX + 1], rest[PATH_MAX], joined[PATH_MAX];
    const char *segment = text + end + strspn(text + end, "/");
    size_t len = strcspn(segment, "/");
    ssize_t got;

    if (len == 0 || len > NAME_MAX) {
        return false;
    }
    memcpy(name, segment, len);
    name[len] = '\0';
    got = readlinkat(folder, name, target, sizeof target - 1);
    if (got <= 0) {
        return false;
    }
    target[got] = '\0';
    snprintf(rest, sizeof rest, "%s", segment + len + strspn(segment + len, "/"));
    if (target[0] == '/') {
        return join(text, target, rest);
    }
    return join(joined, folder_path, target) && join(text, joined, rest);
}

/* `text` cannot be opened: says what it names. Returns true when `text` was replaced and is to be tried again. */
static bool missing(const struct lookup_process *process, char *text, bool follow, struct lookup *lookup)
{
    char folder_path[PATH_MAX], joined[PATH_MAX];
    size_t end;
    int folder = open_prefix(process->root_dir, text, &end);

    lookup->state = LOOKUP_MISSING;
    if (folder < 0) {
        lookup_normalise(text);
        snprintf(lookup->path, sizeof lookup->path, "%s", text);
        return false;
    }
    if (!read_fd(folder_path, 0, folder)) {
        folder_path[0] = '\0';
    }
    const char *rest = text + end + strspn(text + end, "/");
    bool last = !strchr(rest, '/');
    bool again = (follow || !last) && follow_link(folder, folder_path, text, end);
    if (!again) {
        ask_mount(folder, lookup);
        if (join(joined, folder_path, rest)) {
            lookup_normalise(joined);
            snprintf(lookup->path, sizeof lookup->path, "%s", joined);
        } else {
            lookup->state = LOOKUP_NONE;
        }
    }
    close(folder);
    return again;
}

/* The path as one absolute text, or false when the call names none. */
static bool absolute(const struct lookup_process *process, int dirfd, const char *given, char *ret_text)
{
    char folder[PATH_MAX];
    bool known;

    if (given[0] == '/') {
        return (size_t)snprintf(ret_text, PATH_MAX, "%s", given) < PATH_MAX;
    }
    known = dirfd == AT_FDCWD ? read_link(folder, process->thread, "cwd") : read_fd(folder, process->thread, dirfd);
    return known && join(ret_text, folder, given);
}

void lookup_path(const struct lookup_process *process, int dirfd, const char *given, bool follow,
                 struct lookup *ret_lookup)
{
    char text[PATH_MAX];

    ret_lookup->state = LOOKUP_NONE;
    ret_lookup->path[0] = '\0';
    ret_lookup->read_only = ret_lookup->no_exec = false;
    ret_lookup->mount = 0;
    if (!absolute(process, dirfd, given, text) || find_plain(process, text, follow, ret_lookup)) {
        return;
    }
    for (int links = 0; links < LINKS_MAX; links++) {
        if (name_self(process, text) == OWN_NO_PATH) {
            break;
        }
        int fd = open_inside(process->root_dir, text, follow, 0);
        if (fd >= 0) {
            found(process, fd, NULL, ret_lookup);
            close(fd);
            return;
        }
        if (fd == -EXDEV) {
            lookup_normalise(text);
            snprintf(ret_lookup->path, sizeof ret_lookup->path, "%s", text);
            ret_lookup->state = LOOKUP_FOREIGN;
            return;
        }
        if (fd == -ELOOP || fd == -ENAMETOOLONG) {
            break;
        }
        if (!missing(process, text, follow, ret_lookup)) {
            return;
        }
    }
    ret_lookup->state = LOOKUP_NONE;
}
