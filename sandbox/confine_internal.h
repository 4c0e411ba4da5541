/*
 * What the program's process does to itself before it executes: resource
 * limits, Landlock, the filter. Each is its own small file.
 */
#ifndef TECHO_SANDBOX_CONFINE_INTERNAL_H
#define TECHO_SANDBOX_CONFINE_INTERNAL_H

#include "policy.h"

/*
 * Resource limits, hard = soft. `sampled`: no control group counts the memory. `own_files`: all that the program can
 * write into is its own. `others`: tasks that count as the program's though they are not. 0 or -errno.
 */
int rlimits_set(const struct limits *limits, bool sampled, bool own_files, uint64_t others);

/* What Landlock allows below one descriptor. */
enum landlock_right {
    LANDLOCK_LOOK = 1, /* read files, list folders */
    LANDLOCK_EXECUTE = 2,
    LANDLOCK_CHANGE = 4, /* everything but execute and device nodes */
    LANDLOCK_DEVICE = 8, /* write to and control what is there, but make nothing */
    LANDLOCK_LIST = 16,  /* list folders only */
};

/* A new ruleset that forbids everything: a descriptor, or -errno (-EOPNOTSUPP: this kernel has none). */
int landlock_new(void);
/* `folder` says what `fd` is: rights that only folders can have are left out for a file. 0 or -errno. */
int landlock_allow(int ruleset, int fd, bool folder, unsigned rights);
/* For this thread and its children, for ever. Needs no_new_privs. 0 or -errno. */
int landlock_enter(int ruleset);

enum filter_kind {
    FILTER_COUNTED, /* a control group counts the memory */
    FILTER_SAMPLED, /* it is sampled */
    FILTER_COUNTED_ASKING, /* the same, and whatever names a path is watched, so that a person can be asked first */
    FILTER_SAMPLED_ASKING,
    FILTER_BARE,    /* and there are neither namespaces nor mounts */
    FILTER_OPEN,    /* only watches: the layer is switched off */
    _FILTER_MAX
};
/*
 * Loads the filter. *ret_listener gets the listener, or -1 when it is not to be watched, and when the process tree has
 * a listener already: then *ret_unwatched is the errno that refused it. Whatever would be notified is let through then,
 * to the layers below. 0 or -errno.
 */
int filter_load(enum filter_kind kind, bool watched, int *ret_listener, int *ret_unwatched);

struct sock_filter;
/* The program that filter_load() loads. */
const struct sock_filter *filter_program(enum filter_kind kind, unsigned short *ret_len);

#endif
