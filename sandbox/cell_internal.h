/*
 * The cell: a process tree in its own namespaces, with its own view of the
 * files, confined, stopped just before execve until the supervisor says go.
 * Called by the supervisor (and by `techo exec`, which is one in place).
 */
#ifndef TECHO_SANDBOX_CELL_INTERNAL_H
#define TECHO_SANDBOX_CELL_INTERNAL_H

#include "pin_internal.h"
#include "sandbox.h"

struct cell_options {
    const struct sandbox_request *request; /* borrowed */
    const struct policy *granted;          /* borrowed; request->granted, parsed: item indexes are its */
    const struct pins *pins;               /* borrowed */
    int stdio[3];                          /* borrowed; what becomes descriptors 0, 1, 2 */
    int said;                              /* borrowed; what becomes descriptor 3, or -1 */
};

/* A cell that waits for cell_go(). All descriptors are owned. */
struct cell {
    pid_t init;         /* pid 1 of the cell, as the supervisor sees it: its child */
    int init_pidfd;
    int control;        /* SEQPACKET to init, see cell_wait() */
    pid_t program;      /* the program's first process, as the supervisor sees it */
    int listener;       /* seccomp notify */
    int dns;            /* UDP socket bound to 127.0.0.1:53 inside */
    int root_dir;       /* O_PATH: the cell's own root, for openat2(RESOLVE_IN_ROOT) */
    int out_dir;        /* directory: the program's ./out, as it really lies in the upper layer */
    uint32_t layers;    /* bit set of enum sandbox_layer that are in force */
    struct buf off;     /* "layer: why\n" for each that is not */
    char level[4];      /* "L0" */
    bool memory_sampled;
    int cgroup_memory, cgroup_pids; /* directories of this run's cgroups, or -1 */
    char *command;      /* owned; what will be executed, as it is called inside */
};

int cell_start(const struct cell_options *options, struct cell *ret_cell, struct err *err) MUST_USE;
int cell_go(struct cell *cell, struct err *err) MUST_USE; /* execve now */

/*
 * What init says on `control` once the program's first process has ended:
 * it has killed and reaped whatever else ran, and waits for the end of file,
 * so that ./out can still be read through out_dir.
 */
struct cell_end {
    int status;         /* as by waitpid */
    uint32_t survivors; /* processes that init had to kill */
    int exec_errno;     /* not 0: execve failed with it, and nothing ran */
};
int cell_read_end(struct cell *cell, struct cell_end *ret_end); /* 1, 0 when nothing is there yet, -errno */

/* Kills everything, waits for it (bounded), removes the cgroups. Returns false when something did not die. */
bool cell_kill(struct cell *cell);
void cell_done(struct cell *cell);

#endif
