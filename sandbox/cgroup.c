/* Control groups of one run: makes them below our own, sets the limits, removes them. */
#include "cgroup_internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { GROUPS_MAX = 4096, PATIENCE_MS = 200 };

static pid_t named_maker; /* 0: this process */

void cgroup_set_maker(pid_t maker)
{
    named_maker = maker;
}

static int write_file(int folder, const char *name, const char *text)
{
    int fd = openat(folder, name, O_WRONLY | O_CLOEXEC), result = 0;

    if (fd < 0) {
        return -errno;
    }
    if (write(fd, text, strlen(text)) < 0) {
        result = -errno;
    }
    close(fd);
    return result;
}

static int write_count(int folder, const char *name, uint64_t count)
{
    char text[32];

    snprintf(text, sizeof text, "%llu", (unsigned long long)count);
    return write_file(folder, name, text);
}

/*
 * Our own group of a hierarchy: `controller` as /proc/self/cgroup names it, ""
 * for version 2. Where a container hides the path, the top of what it sees.
 */
static int own_group(const char *groups, const char *controller, const char *mount, char *path, size_t size)
{
    size_t len = strlen(controller);

    for (const char *line = groups; line; line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
        const char *name = strchr(line, ':');
        if (!name || strncmp(name + 1, controller, len) != 0 || name[1 + len] != ':') {
            continue;
        }
        const char *group = name + len + 2, *end = strchrnul(group, '\n');
        int count = snprintf(path, size, "%s%.*s", mount, (int)(end - group), group);
        if (count < 0 || (size_t)count >= size) {
            return -ENAMETOOLONG;
        }
        if (access(path, F_OK)) {
            snprintf(path, size, "%s", mount);
        }
        return 0;
    }
    return -ENOENT;
}

static void read_groups(char groups[GROUPS_MAX])
{
    int fd = open("/proc/self/cgroup", O_RDONLY | O_CLOEXEC);
    ssize_t len = fd < 0 ? -1 : read(fd, groups, GROUPS_MAX - 1);

    close_descriptor(&fd);
    groups[len > 0 ? len : 0] = '\0';
}

/* Makes a folder with a name of its own below `parent`; returns it open. */
static int make_group(const char *parent, char **ret_path)
{
    static atomic_uint count;
    char path[PATH_MAX];
    int len, fd;

    for (int attempt = 0; attempt < 100; attempt++) {
        len = snprintf(path, sizeof path, "%s/techo-%d-%u", parent,
                       (int)(named_maker ? named_maker : getpid()), atomic_fetch_add(&count, 1));
        if (len < 0 || (size_t)len >= sizeof path) {
            return -ENAMETOOLONG;
        }
        if (mkdir(path, 0755) == 0) {
            fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
            *ret_path = fd < 0 ? NULL : strdup(path);
            if (!*ret_path) {
                int result = fd < 0 ? -errno : -ENOMEM;
                close_descriptor(&fd);
                rmdir(path);
                return result;
            }
            return fd;
        }
        if (errno != EEXIST) {
            return -errno;
        }
    }
    return -EEXIST;
}

static int make_memory_v1(struct cgroup *cgroup, const char *groups, const struct limits *limits)
{
    char parent[PATH_MAX];
    int result = own_group(groups, "memory", "/sys/fs/cgroup/memory", parent, sizeof parent);

    if (!result) {
        cgroup->memory = result = make_group(parent, &cgroup->memory_path);
    }
    if (result >= 0) {
        result = write_count(cgroup->memory, "memory.limit_in_bytes", limits->value[LIMIT_MEMORY]);
    }
    if (!result) {
        /* without swap accounting the file is missing, and swap is not ours to count */
        write_count(cgroup->memory, "memory.memsw.limit_in_bytes", limits->value[LIMIT_MEMORY]);
        cgroup->enter[0] = openat(cgroup->memory, "tasks", O_WRONLY | O_CLOEXEC);
        result = cgroup->enter[0] < 0 ? -errno : 0;
    }
    return result;
}

static int make_pids_v1(struct cgroup *cgroup, const char *groups, const struct limits *limits)
{
    char parent[PATH_MAX];
    int result = own_group(groups, "pids", "/sys/fs/cgroup/pids", parent, sizeof parent);

    if (!result) {
        cgroup->pids = result = make_group(parent, &cgroup->pids_path);
    }
    if (result >= 0) {
        result = write_count(cgroup->pids, "pids.max", limits->value[LIMIT_PROCESSES]);
    }
    if (!result) {
        cgroup->enter[1] = openat(cgroup->pids, "tasks", O_WRONLY | O_CLOEXEC);
        result = cgroup->enter[1] < 0 ? -errno : 0;
    }
    return result;
}

/* Version 2: below our own group, or beside it, wherever both controllers are handed down. */
static int make_v2(struct cgroup *cgroup, const char *groups, const struct limits *limits)
{
    char parent[PATH_MAX];
    const char *mount = access("/sys/fs/cgroup/cgroup.controllers", F_OK) ? "/sys/fs/cgroup/unified" : "/sys/fs/cgroup";
    int result = own_group(groups, "", mount, parent, sizeof parent);

    for (int level = 0; !result && level < 2; level++) {
        int folder = open(parent, O_PATH | O_DIRECTORY | O_CLOEXEC);
        if (folder >= 0) {
            write_file(folder, "cgroup.subtree_control", "+memory +pids"); /* it may be on already */
            close(folder);
        }
        int fd = make_group(parent, &cgroup->memory_path);
        result = fd < 0 ? fd : 0;
        if (!result && !(result = write_count(fd, "memory.max", limits->value[LIMIT_MEMORY])) &&
            !(result = write_count(fd, "pids.max", limits->value[LIMIT_PROCESSES] + 1))) /* and init */ {
            write_file(fd, "memory.swap.max", "0");
            write_file(fd, "memory.oom.group", "1");
            cgroup->memory = cgroup->clone_into = fd;
            cgroup->pids = fcntl(fd, F_DUPFD_CLOEXEC, 0);
            return cgroup->pids < 0 ? -errno : 0;
        }
        close_descriptor(&fd);
        cgroup_remove(cgroup->memory_path, 0);
        free(cgroup->memory_path);
        cgroup->memory_path = NULL;
        char *last = strrchr(parent, '/');
        if (level == 0 && strlen(parent) > strlen(mount) && last) {
            *last = '\0';
            result = 0;
        }
    }
    return result;
}

static void undo(char **path, int *folder, int *enter)
{
    close_descriptor(folder);
    close_descriptor(enter);
    cgroup_remove(*path, PATIENCE_MS);
    free(*path);
    *path = NULL;
}

void cgroup_make(const struct limits *limits, struct cgroup *ret_cgroup, struct buf *why)
{
    char groups[GROUPS_MAX];
    int memory, pids;

    *ret_cgroup = (struct cgroup){.memory = -1, .pids = -1, .enter = {-1, -1}, .clone_into = -1};
    read_groups(groups);
    memory = make_memory_v1(ret_cgroup, groups, limits);
    if (memory) {
        undo(&ret_cgroup->memory_path, &ret_cgroup->memory, &ret_cgroup->enter[0]);
    }
    pids = make_pids_v1(ret_cgroup, groups, limits);
    if (pids) {
        undo(&ret_cgroup->pids_path, &ret_cgroup->pids, &ret_cgroup->enter[1]);
    }
    if (memory && pids) {
        memory = pids = make_v2(ret_cgroup, groups, limits);
    }
    if (memory || pids) {
        buf_addf(why, "%s: no control group may be made here (%s); %s",
                 memory && pids ? "memory and processes"
                 : memory       ? "memory"
                                : "processes",
                 strerror(memory ? -memory : -pids),
                 memory ? "memory is sampled" : "RLIMIT_NPROC counts the processes");
    }
}

int cgroup_enter(const struct cgroup *cgroup)
{
    for (int i = 0; i < 2; i++) {
        if (cgroup->enter[i] >= 0 && write(cgroup->enter[i], "0", 1) < 0) {
            return -errno;
        }
    }
    return 0;
}

void cgroup_entered(struct cgroup *cgroup)
{
    close_descriptor(&cgroup->enter[0]);
    close_descriptor(&cgroup->enter[1]);
}

bool cgroup_remove(const char *path, int patience_ms)
{
    for (int waited = 0; path && rmdir(path) && errno == EBUSY; waited++) {
        if (waited >= patience_ms) {
            return false;
        }
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    return true;
}

/* A group's name says who made it. */
static void sweep(const char *parent, int patience_ms)
{
    DIR *list = opendir(parent);
    struct dirent *entry;
    char path[PATH_MAX + 256];
    int maker;

    while (list && (entry = readdir(list))) {
        if (entry->d_type == DT_DIR && sscanf(entry->d_name, "techo-%d-", &maker) == 1 && kill(maker, 0) &&
            errno == ESRCH) {
            snprintf(path, sizeof path, "%s/%s", parent, entry->d_name);
            cgroup_remove(path, patience_ms); /* refused while something is in it */
        }
    }
    if (list) {
        closedir(list);
    }
}

void cgroup_sweep(int patience_ms)
{
    static const char *const hierarchies[][2] = {{"memory", "/sys/fs/cgroup/memory"},
                                                 {"pids", "/sys/fs/cgroup/pids"},
                                                 {"", "/sys/fs/cgroup/unified"},
                                                 {"", "/sys/fs/cgroup"}};
    char groups[GROUPS_MAX], parent[PATH_MAX];

    read_groups(groups);
    for (size_t i = 0; i < sizeof hierarchies / sizeof *hierarchies; i++) {
        if (!own_group(groups, hierarchies[i][0], hierarchies[i][1], parent, sizeof parent)) {
            sweep(parent, patience_ms);
        }
    }
}

void cgroup_done(struct cgroup *cgroup)
{
    undo(&cgroup->memory_path, &cgroup->memory, &cgroup->enter[0]);
    undo(&cgroup->pids_path, &cgroup->pids, &cgroup->enter[1]);
}
