/*
 * Where a path of the program leads, inside the cell: looked up in the cell's
 * own root, never in the host's.
 */
#ifndef TECHO_SANDBOX_LOOKUP_INTERNAL_H
#define TECHO_SANDBOX_LOOKUP_INTERNAL_H

#include "base.h"

#include <limits.h>
#include <sys/types.h>

enum lookup_state {
    LOOKUP_FOUND,
    LOOKUP_MISSING, /* nothing of this name is in view */
    LOOKUP_FOREIGN, /* it goes through another process's links in /proc */
    LOOKUP_NONE,    /* no path at all (a pipe, a socket), or one that no call accepts */
};

struct lookup {
    enum lookup_state state;
    char path[PATH_MAX]; /* absolute, normalised, as it is called inside */
    mode_t mode;         /* when found */
    dev_t device;
    ino_t inode;
    uint64_t size;
    bool read_only; /* the mount that it lies on, or would lie on */
    bool no_exec;
    uint64_t mount; /* its number; 0: not asked */
};

/* The process that asks. */
struct lookup_process {
    pid_t thread;   /* as the supervisor sees it */
    int root_dir;   /* borrowed: the cell's root */
    bool ask_mount; /* fill read_only, no_exec and mount of what is found */
};

/* `given` is relative to `dirfd` of the process (AT_FDCWD: its current folder); empty: dirfd itself. */
void lookup_path(const struct lookup_process *process, int dirfd, const char *given, bool follow,
                 struct lookup *ret_lookup);
/* Removes empty, "." and ".." segments of an absolute path, in place. */
void lookup_normalise(char *path);

#endif
