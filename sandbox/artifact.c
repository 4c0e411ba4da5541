/* Walks ./out by descriptor, without following anything. */
#include "artifact_internal.h"

#include "wire_internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

struct walk {
    int out_dir;
    report_fn report;
    void *context;
    size_t count;
    char name[PATH_MAX]; /* relative to ./out */
};

static int open_below(int out_dir, const char *name, uint64_t flags)
{
    struct open_how how = {
        .flags = flags | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY,
        .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV,
    };
    long fd = syscall(SYS_openat2, out_dir, name, &how, sizeof how);

    return fd < 0 ? -errno : (int)fd;
}

static int copy_sealed(int from, uint64_t size)
{
    char *bytes = malloc(size + 1);
    size_t done = 0;
    int fd;

    if (!bytes) {
        return -ENOMEM;
    }
    while (done < size) {
        ssize_t got = read(from, bytes + done, size - done);
        if (got <= 0) {
            break;
        }
        done += (size_t)got;
    }
    fd = wire_seal("techo-artifact", bytes, done);
    free(bytes);
    return fd;
}

static void report_entry(struct walk *walk, const char *problem, uint64_t size, int fd)
{
    struct report report = {
        .kind = REPORT_ARTIFACT,
        .artifact = {.name = walk->name, .size = size, .fd = fd, .problem = (char *)(uintptr_t)problem},
    };

    walk->report(walk->context, &report);
    close_descriptor(&report.artifact.fd);
}

static void report_file(struct walk *walk, const struct stat *info)
{
    int from, fd = -1;

    if (!S_ISREG(info->st_mode)) {
        report_entry(walk, S_ISLNK(info->st_mode) ? "a symlink" : "not a regular file", 0, -1);
        return;
    }
    if (info->st_size > ARTIFACT_SIZE_MAX) {
        report_entry(walk, "above 16 MiB", (uint64_t)info->st_size, -1);
        return;
    }
    from = open_below(walk->out_dir, walk->name, O_RDONLY);
    if (from >= 0) {
        fd = copy_sealed(from, (uint64_t)info->st_size);
        close(from);
    }
    report_entry(walk, fd < 0 ? "cannot be read" : NULL, (uint64_t)info->st_size, fd < 0 ? -1 : fd);
}

static void walk_folder(struct walk *walk, size_t name_len, int depth);

static void walk_entry(struct walk *walk, int folder, const char *entry, size_t name_len, int depth)
{
    struct stat info;
    int len = snprintf(walk->name + name_len, sizeof walk->name - name_len, "%s%s", name_len ? "/" : "", entry);

    if (len < 0 || (size_t)len >= sizeof walk->name - name_len ||
        fstatat(folder, entry, &info, AT_SYMLINK_NOFOLLOW) < 0) {
        return;
    }
    if (S_ISDIR(info.st_mode)) {
        walk_folder(walk, name_len + (size_t)len, depth + 1);
    } else if (walk->count++ < ARTIFACTS_MAX) {
        report_file(walk, &info);
    } else if (walk->count == ARTIFACTS_MAX + 1) {
        report_entry(walk, "above 1000 files: this and others are left out", (uint64_t)info.st_size, -1);
    }
}

/* The folder that walk->name names: its first `name_len` bytes. */
static void walk_folder(struct walk *walk, size_t name_len, int depth)
{
    struct dirent **entries;
    int fd, count;

    if (depth > ARTIFACT_DEPTH) {
        report_entry(walk, "folders too deep", 0, -1);
        return;
    }
    fd = open_below(walk->out_dir, name_len ? walk->name : ".", O_RDONLY | O_DIRECTORY);
    count = fd < 0 ? -1 : scandirat(fd, ".", &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        if (strcmp(entries[i]->d_name, ".") != 0 && strcmp(entries[i]->d_name, "..") != 0) {
            walk_entry(walk, fd, entries[i]->d_name, name_len, depth);
            walk->name[name_len] = '\0';
        }
        free(entries[i]);
    }
    if (count >= 0) {
        free(entries);
    }
    close_descriptor(&fd);
}

void artifacts_report(int out_dir, report_fn report, void *context)
{
    struct walk walk = {.out_dir = out_dir, .report = report, .context = context};

    walk_folder(&walk, 0, 0);
}
