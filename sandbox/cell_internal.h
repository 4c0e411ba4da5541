/*
 * The cell: a process tree in its own namespaces, with its own view of the
 * files, confined, stopped just before execve until the supervisor says go.
 * Called by the supervisor (and by `techo exec`, which is one in place).
 */
#ifndef TECHO_SANDBOX_CELL_INTERNAL_H
#define TECHO_SANDBOX_CELL_INTERNAL_H

#include "pin_internal.h"
#include "sandbox.h"

/*
 * An ordinary user first needs one user and mount namespace (ids 1:1, mounts
 * slave) in which CAP_SYS_ADMIN is kept, ambient too; cells are children of
 * it. Call once, single-threaded, before pins are opened; the spawner and
 * `techo exec` do. For root, who can do without, it does nothing.
 * -EPERM: this machine refuses user namespaces; the text says what would mend it, and L2 is what is left.
 * -EOPNOTSUPP: AppArmor refuses them, and a profile allows them (L1).
 */
int cell_enter_outer(struct err *err) MUST_USE;

struct cell_options {
    const struct sandbox_request *request; /* borrowed */
    const struct policy *granted;          /* borrowed; request->granted, parsed: item indexes are its */
    const struct pins *pins;               /* borrowed */
    int stdio[3];                          /* borrowed; what becomes descriptors 0, 1, 2 */
    int said;                              /* borrowed; what becomes descriptor 3, or -1 */
    /* Borrowed; why cell_enter_outer() failed: neither namespaces nor mounts can be made here. NULL: they can. */
    const char *bare;
    bool decoy; /* the maker itself is in a decoy cell */
};

/* One thing that the cell's view shows, as the program sees it. */
enum cell_place_kind {
    PLACE_SYSTEM,   /* /dev, /proc, the synthetic /etc, folders that lead somewhere */
    PLACE_BASE,     /* what the interpreter needs, and what `exec` shows */
    PLACE_INJECTED, /* a file of the request's */
    PLACE_PRIVATE,  /* /tmp, /dev/shm, HOME, ./out: writable, empty at the start */
    PLACE_GRANT,    /* a pinned file or folder */
};

struct cell_place {
    char *path; /* owned; absolute */
    enum cell_place_kind kind;
    bool folder; /* it and all below */
    bool write, execute;
    int item; /* of a PLACE_GRANT: index into the granted policy; else -1 */
};

/*
 * What init says on `control` once the program's first process has ended:
 * it has killed and reaped whatever else ran, and ends. ./out can still be
 * read through out_dir; below root_dir no mounts are left.
 */
struct cell_end {
    int status;         /* as by waitpid */
    uint32_t survivors; /* processes that init had to kill */
    int exec_errno;     /* not 0: execve failed with it, and nothing ran */
};

/* A cell that waits for cell_go(). All descriptors are owned. */
struct cell {
    pid_t init; /* pid 1 of the cell, as the supervisor sees it: its child */
    int init_pidfd;
    int control;     /* SEQPACKET to init, see cell_wait() */
    pid_t program;   /* the program's first process, as the supervisor sees it */
    int listener;    /* seccomp notify; -1: nothing is watched */
    int dns;         /* UDP socket bound to 127.0.0.1:53 inside; -1: the network is not its own */
    int root_dir;    /* O_PATH: the cell's own root, for openat2(RESOLVE_IN_ROOT) */
    int out_dir;     /* directory: the program's ./out, as it really lies in the upper layer; -1: it has none */
    int writes_dir;  /* directory: in 0/upper, 1/upper, ... what the program wrote below pins->writes[0], ... */
    uint32_t layers; /* bit set of enum sandbox_layer that are in force */
    struct buf off;  /* "layer: why\n" for each that is not */
    char level[4];   /* "L0"; "L2": neither namespaces nor mounts; "L3": no Landlock */
    bool memory_sampled;
    int cgroup_memory, cgroup_pids; /* directories of this run's cgroups, or -1 */
    char *command;                  /* owned; what will be executed, as it is called inside */
    struct cell_place *places; /* owned; sorted by path, shortest first; the last that fits is the one that holds */
    size_t place_count;
    bool without_proc; /* there is no /proc inside ("L0 without proc"; `off` says why) */
    bool init_kills;   /* private to cell.c: no pid namespace ends with init, which kills the others itself */
    bool has_last_word; /* cell_show() has heard it before its own answer: cell_read_end() gives it */
    struct cell_end last_word;
    int start;         /* private to cell.c: what the program's process says before it executes */
    char *cgroups[2];  /* private to cell.c: owned; folders to remove at the end */
};

/*
 * The place that holds `path` (absolute, normalised, no symlink left), or NULL
 * when it lies in nothing that is shown (folders that only lead to a place are
 * shown, too, and may be listed; cell_leads_to_place() knows them).
 */
const struct cell_place *cell_find_place(const struct cell *cell, const char *path);
bool cell_leads_to_place(const struct cell *cell, const char *path);

/*
 * Makes the cell and brings its program to just before execve; takes some
 * milliseconds, in which it blocks. `pins` must have been opened in the mount
 * namespace that this process is in now. Size of the private files' file
 * system: fstatfs(out_dir).
 */
int cell_start(const struct cell_options *options, struct cell *ret_cell, struct err *err) MUST_USE;
/*
 * The program may execute now: its execve waits as a notification, like any
 * other, for the caller's answer. -ESRCH: it is gone.
 */
int cell_go(struct cell *cell, struct err *err) MUST_USE;

/* 1, 0 when nothing is there yet, -errno. */
int cell_read_end(struct cell *cell, struct cell_end *ret_end);

/*
 * Shows the file `fd` (O_PATH, opened where the pins were) read-only at `path`, which nothing shows yet; `item` grants
 * it. Only in a cell that was made with an item `file.read=?`. 0 or -errno.
 */
int cell_show(struct cell *cell, int fd, const char *path, int item);

/* Kills everything, waits for it (bounded), removes the cgroups. Returns false when something did not die. */
bool cell_kill(struct cell *cell);
void cell_done(struct cell *cell);
/* Removes what the cells of makers that were killed have left on this machine, waiting for what dies. For the spawner. */
void cell_sweep(int patience_ms);

#endif
