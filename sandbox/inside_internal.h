/*
 * Both sides of a cell's making: what the maker (cell.c) hands to the cell's
 * init (inside.c, init.c), and what they say to each other.
 */
#ifndef TECHO_SANDBOX_INSIDE_INTERNAL_H
#define TECHO_SANDBOX_INSIDE_INTERNAL_H

#include "cgroup_internal.h"
#include "show_internal.h"
#include "view_internal.h"

enum inside_kind {
    INSIDE_VIEW = 1, /* from init: the files are made; descriptors: root, out, writes */
    INSIDE_BUILT,    /* from init, to the program's process: the same; descriptor: Landlock's rules */
    INSIDE_READY,    /* from the program's process: it is confined and waits; descriptors: listener, dns */
    INSIDE_FAILED,   /* from either: `code` and `text` */
    INSIDE_SHOWN,    /* from init: what came of a file that it was handed to show: `code` */
    INSIDE_END,      /* from init: the program has ended */
};

enum { INSIDE_DESCRIPTORS = 3, INSIDE_COMMAND_MAX = 32 };

struct inside_message {
    enum inside_kind kind;
    int code;                        /* INSIDE_FAILED: -errno */
    int without_proc;                /* INSIDE_VIEW: 0, or the errno that refused it */
    int no_landlock;                 /* INSIDE_BUILT, INSIDE_READY: 0, or the errno that refused it */
    int unwatched;                   /* INSIDE_READY: 0, or the errno that refused a listener */
    bool watched;                    /* INSIDE_READY: the first descriptor is the listener */
    char folder[INSIDE_COMMAND_MAX]; /* INSIDE_READY: what is put before argv[0]: "" or "/usr/bin/" */
    dev_t device;                    /* INSIDE_BUILT: the root, which the program's process must have, too */
    ino_t inode;
    struct cell_end end; /* INSIDE_END */
    char text[512];      /* INSIDE_FAILED */
};

/* What init needs; all borrowed, it has a copy of the maker's memory. */
struct inside {
    const struct cell_options *options;
    struct privilege_ids ids;
    bool user_namespace; /* it is in one of its own */
    bool sampled;
    bool asks;    /* a person may be asked for files, which are then put into the view */
    bool bare;    /* this machine gives neither namespaces nor mounts: level L2 */
    uint32_t off; /* bit set of enum sandbox_layer that are not made: see inside_makes() */
    struct cgroup *cgroup;
    struct view *view;
    int control, start; /* init's ends */
    int settings;       /* owned; where memory is sampled: /proc/sys, which init's part takes out of sight; -1 */
    int built[2];       /* between init and the program's process: the network, the files are made */
};

static inline bool inside_makes(const struct inside *inside, enum sandbox_layer layer)
{
    return !(inside->off & 1u << layer);
}

/* In the new process: makes the cell from within, runs as its init, never returns. */
_Noreturn void inside_run(struct inside *inside);

struct init_options {
    int control;
    pid_t program;
    const volatile int *exec_errno;
    bool first;
    bool shows; /* files that a person allows are put into the view while the program runs */
    struct show_places places;
};
/*
 * Waits for `program`, reaps, watches `control` for its end, kills the rest and reports. As pid 1 of its own pid
 * namespace it dies for all of them; without one (`first` is false) it is a subreaper, and finds them as its children.
 */
_Noreturn void init_run(const struct init_options *options);
/* Kills every child, and what becomes a child by that, until there is none; says how many there were. */
uint32_t kill_children(void);

/* Sends a message with `count` descriptors. 0 or -errno. */
int inside_send(int socket, const struct inside_message *message, const int *descriptors, size_t count);
/*
 * Receives one. `ret_descriptors` (INSIDE_DESCRIPTORS of them, -1 where there
 * is none) become the caller's; `ret_pid` gets the sender, where the socket
 * passes credentials; both may be NULL. 1, 0 at the end of file, -errno.
 */
int inside_receive(int socket, int flags, struct inside_message *ret, int *ret_descriptors, pid_t *ret_pid);

#endif
