/* User namespaces for mounts on which a file's owner appears as the cell's user. */
#include "view_internal.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel_internal.h"

enum { IDMAP_MAX = 8 };

struct idmap_cache {
    size_t count;
    struct {
        uid_t uid;
        gid_t gid;
        int fd; /* owned */
    } list[IDMAP_MAX];
};

/* A namespace outlives the process that it was made with as long as it is held open. */
static int make_namespace(uid_t uid, gid_t gid)
{
    const struct privilege_ids ids = {.inner_uid = uid, .outer_uid = NOBODY, .inner_gid = gid, .outer_gid = NOBODY};
    struct clone_args args = {.flags = CLONE_NEWUSER, .exit_signal = SIGCHLD};
    char path[64];
    pid_t maker = getpid(), pid = kernel_clone3(&args);
    int result, fd;

    if (pid < 0) {
        return -errno;
    }
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        while (getppid() == maker) { /* it may have died before */
            pause();
        }
        _exit(0);
    }
    result = privilege_map(pid, &ids, false);
    snprintf(path, sizeof path, "/proc/%d/ns/user", (int)pid);
    fd = result ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 && !result) {
        result = -errno;
    }
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    return result ? result : fd;
}

int idmap_find(struct idmap_cache **cache, uid_t uid, gid_t gid)
{
    int fd;

    if (!*cache && !(*cache = calloc(1, sizeof **cache))) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < (*cache)->count; i++) {
        if ((*cache)->list[i].uid == uid && (*cache)->list[i].gid == gid) {
            return (*cache)->list[i].fd;
        }
    }
    if ((*cache)->count == IDMAP_MAX) {
        return -ENOSPC;
    }
    fd = make_namespace(uid, gid);
    if (fd >= 0) {
        (*cache)->list[(*cache)->count].uid = uid;
        (*cache)->list[(*cache)->count].gid = gid;
        (*cache)->list[(*cache)->count++].fd = fd;
    }
    return fd;
}

void idmap_done(struct idmap_cache *cache)
{
    for (size_t i = 0; cache && i < cache->count; i++) {
        close(cache->list[i].fd);
    }
    free(cache);
}
