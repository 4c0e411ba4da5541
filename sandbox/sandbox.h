/*
 * The sandbox: runs ONE untrusted process under a policy, watches it, reports.
 *
 * A run is described by a `struct sandbox_request`. It is carried out by a
 * supervisor process, forked by the spawner (see docs/architecture.md), that
 * answers with a stream of `struct report`. This folder knows no model, no
 * language, no screen and no JSON, and uses libc alone.
 */
#ifndef TECHO_SANDBOX_H
#define TECHO_SANDBOX_H

#include "base.h"
#include "grant.h"
#include "policy.h"

#include <sys/types.h>

enum { SANDBOX_SPAWNER_FD = 3 }; /* where bin/techo leaves the spawner's socket for the application */

enum sandbox_notify {
    NOTIFY_ANSWER,  /* the supervisor answers EACCES to what is outside, so that the program sees one clear error */
    NOTIFY_OBSERVE, /* it only watches: the kernel's own layers must refuse */
};

enum sandbox_status {
    STATUS_OK,
    STATUS_ERROR,  /* a non-zero exit */
    STATUS_SIGNAL, /* ended by a signal that is not ours */
    STATUS_WALL,
    STATUS_CPU,
    STATUS_MEMORY,
    STATUS_OUTPUT,
    STATUS_PROCESSES,
    STATUS_DISK,
    STATUS_DENIED,  /* it failed, and its last refused access is the error that it reported */
    STATUS_BLOCKED, /* stopped by inspection, never run */
    STATUS_REFUSED, /* this machine or this build cannot enforce the policy */
    STATUS_SETUP,   /* the cell could not be made, or there is no such command */
    STATUS_CANCELLED,
    _STATUS_MAX
};
const char *sandbox_status_name(enum sandbox_status status);

/* Layers, as reports and `--without` name them. */
enum sandbox_layer {
    LAYER_NAMESPACES,
    LAYER_MOUNTS,
    LAYER_LANDLOCK,
    LAYER_SECCOMP,
    LAYER_RLIMITS,
    LAYER_CGROUP,
    LAYER_NOTIFY,
    LAYER_SUPERVISOR,
    _LAYER_MAX
};
const char *sandbox_layer_name(enum sandbox_layer layer);
int sandbox_layer_find(const char *name); /* -1: no such layer */

/*
 * What an interpreter needs: shown read-only, listed, never counted as granted.
 * A path that does not exist is looked for and not found, without a row.
 */
struct sandbox_base {
    const char *path; /* absolute, on the host; shown at the same place. A symlink is shown as one, and its target too */
};

/* A file that exists only inside, read-only, owned by nobody. */
struct sandbox_inject {
    const char *path; /* absolute, inside */
    const void *data;
    size_t len;
};

struct sandbox_request {
    const char *root;    /* absolute and real: where the program starts; grants below it */
    const char *granted; /* policy text with absolute scopes: just what grant_compute() granted, with the limits */
    const struct sandbox_base *base;
    size_t base_count;
    const struct sandbox_inject *inject;
    size_t inject_count;
    const char *const *argv; /* NULL-terminated; argv[0] is a path inside, or is looked up in /usr/bin and /bin */
    const char *const *env;  /* NULL-terminated; the whole environment: nothing is inherited */
    enum sandbox_notify notify;
    bool direct;   /* what is granted to write is written at once, not when the run has ended well */
    /* The application's own folders, which no run writes; absolute, ends with NULL; NULL: none. */
    const char *const *own;
    /*
     * NULL, or: run in a decoy cell (see docs/security.md), in which this folder is all that there is of the host but the
     * base. It must be a throw-away that the caller made, since whoever gets out of the cell may read and change it.
     * Absolute and real; the root, or a folder that holds it.
     */
    const char *decoy;
    /*
     * In a decoy cell only: a port of its network at which something listens, whatever the address, and a socket of the
     * caller's to which that listening socket is sent. 0: nothing listens there.
     */
    uint16_t decoy_port;
    int decoy_socket;
    uint32_t without; /* bit set of enum sandbox_layer that are switched off; in a decoy cell only, else refused */
    bool said;     /* give the program descriptor 3 to say things on (see REPORT_SAID) */
    bool terminal; /* `techo exec` in place: descriptors 0, 1 and 2 are the caller's, output is neither kept nor counted */
    /* A descriptor for the program's standard input; -1: empty. Needs the permission stdin. */
    int stdin_fd;
};

enum report_kind {
    REPORT_CELL,     /* the cell is made and the program starts */
    REPORT_OUTPUT,   /* bytes of standard output or error */
    REPORT_SAID,     /* bytes that the program wrote on descriptor 3 (a runner's own protocol), whole lines */
    REPORT_ACCESS,   /* one thing that it tried */
    REPORT_HELD,     /* one thing that it tried waits for sandbox_answer() */
    REPORT_USAGE,    /* what it has consumed so far */
    REPORT_USED,     /* successful accesses by granting item, at the end */
    REPORT_ARTIFACT, /* a file that it left in ./out */
    REPORT_EFFECT,   /* something that it changed on the host, or was not let change, at the end */
    REPORT_EXIT,     /* the end; exactly one, and nothing follows it */
};

enum access_verdict {
    ACCESS_ALLOWED,
    ACCESS_DENIED,
    ACCESS_ABSENT, /* inside what is granted or base, and no such file; no row for base paths */
};

enum access_want {
    WANT_READ,
    WANT_WRITE,  /* open for writing, create, truncate */
    WANT_CHANGE, /* unlink, rename, mkdir, chmod, ... */
    WANT_LIST,   /* open a folder */
    WANT_EXEC,
    WANT_CONNECT,
    WANT_BIND,
    WANT_SEND,
    _WANT_MAX
};
const char *access_want_name(enum access_want want);

/* REPORT_CELL */
struct report_cell {
    char *level;             /* "L0" */
    uint32_t layers;         /* bit set of enum sandbox_layer */
    char *off;               /* "cgroup: no controller is delegated here\n..." one line per layer that is not in force */
    int64_t setup_us;        /* from the request to the program's first instruction */
    char *resolved_command;  /* the file that is executed */
    bool memory_sampled;     /* no cgroup: the sum of the processes is sampled */
};

struct report_output {
    int stream; /* 1 or 2 */
    char *bytes;
    size_t len;
    uint64_t dropped; /* bytes dropped so far on this stream, beyond the kept */
};

struct report_access {
    uint64_t number; /* 1, 2, ... ; a later report of the same number updates the count */
    int64_t t_us;    /* since the program started */
    char *call;      /* "openat" */
    char *given;     /* the path as the program gave it, or the address */
    char *resolved;  /* absolute path, or host:port */
    enum access_want want;
    enum access_verdict verdict;
    int error;                /* the errno that the program got; 0 when allowed */
    enum sandbox_layer layer; /* that refuses it; computed from view, rules and filter */
    bool answered;            /* the supervisor answered in the layer's stead */
    int item;                 /* index of the granting item in the request's policy, or -1 */
    bool base;                /* it lies in the base */
    enum permission missing;  /* when denied: the permission that is missing, with `resolved` as its scope */
    bool outside_root;        /* the path lies outside the root */
    unsigned line;            /* the program's line as it said itself; 0 unknown */
    uint64_t count;
};

/* What nobody has granted, where the ceiling says that a person is asked. */
struct report_held {
    uint64_t number; /* for sandbox_answer() */
    enum permission permission;
    char *path;    /* as the program calls it, without links: what will be in view on yes */
    char *real;    /* where that lies on the host */
    uint64_t size; /* bytes */
    char *call;    /* "openat" */
    unsigned line; /* the program's line as it said itself; 0 unknown */
};

struct report_usage {
    int64_t wall_us, cpu_us;
    uint64_t memory, memory_peak; /* bytes */
    uint32_t processes, processes_peak;
    uint64_t output[3]; /* bytes written, by stream number; [0] is unused */
    uint64_t disk;      /* bytes in ./out, /tmp and the like */
};

struct report_used {
    int item;
    /* distinct files, and the sum of their sizes at first open; of net: connections, addresses, bytes both ways */
    uint64_t opens, files, bytes;
};

struct report_artifact {
    char *name; /* relative to ./out */
    uint64_t size;
    int fd;        /* owned; a sealed memfd with the content, or -1 when it is not handed over */
    char *problem; /* NULL, or why it is not handed over ("not a regular file", "above 16 MiB") */
};

/* What became of a path that a `file.write` grant covers. */
enum effect_kind {
    EFFECT_NONE,
    EFFECT_CREATED,
    EFFECT_CHANGED,
    EFFECT_REMOVED,
    EFFECT_FOLDER,  /* a folder was made */
    EFFECT_REFUSED, /* `problem` says why it was not carried over */
    _EFFECT_MAX
};
const char *effect_kind_name(enum effect_kind kind);

struct report_effect {
    enum effect_kind kind;
    char *path;    /* absolute, on the host */
    uint64_t size; /* bytes of a file */
    char *problem; /* NULL, or why not */
};

struct report_exit {
    enum sandbox_status status;
    int code;   /* the exit status of the program; -1 */
    int signal; /* 0, or the signal that ended it */
    int limit;  /* enum limit that was hit, or -1 */
    uint64_t limit_value;
    char *message; /* one line: what ended it, and the item that raises a limit */
    int64_t setup_us, run_us;
    uint32_t survivors; /* processes that were still there when the program had ended, and were killed */
    bool unkillable;    /* something did not die */
    uint64_t unlisted, unlisted_denied; /* accesses that no report told of (there were too many), and the refused ones */
};

struct report {
    enum report_kind kind;
    union {
        struct report_cell cell;
        struct report_output output;
        struct report_output said; /* stream 3 */
        struct report_access access;
        struct report_held held;
        struct report_usage usage;
        struct report_used used;
        struct report_artifact artifact;
        struct report_effect effect;
        struct report_exit exit;
    };
};
void report_done(struct report *report);

/*
 * What `techo exec` shows of this machine besides what is granted: programs
 * and libraries, where they exist; and the environment that it gives. Both end
 * with NULL.
 */
extern const char *const sandbox_command_base[];
extern const char *const sandbox_command_env[];

/*
 * A run, as the application sees it. `spawner_fd` is the socket that bin/techo
 * left behind. The request is copied; nothing is kept of it. *ret_fd becomes a
 * SEQPACKET socket to poll for reading: call sandbox_receive() when it is
 * readable. Closing it kills the run.
 */
int sandbox_start(int spawner_fd, const struct sandbox_request *request, int *ret_fd, struct err *err) MUST_USE;
/* One report: 1 and *ret_report (give it to report_done), 0 when none is waiting, -ECONNRESET when the supervisor is gone. */
int sandbox_receive(int fd, struct report *ret_report, struct err *err) MUST_USE;
/* The answer to a REPORT_HELD: that file is shown for the rest of the run, or not. Unanswered ones are denied in time. */
int sandbox_answer(int fd, uint64_t number, bool allow);
/* Asks the supervisor to end the run with status `cancelled`; its last report still comes. */
int sandbox_cancel(int fd);

/* What this machine can enforce, tried for real in a throw-away child (at most a second). */
struct sandbox_probe {
    const char *guarantee;    /* "files" */
    const char *layer;        /* "mounts" */
    bool holds;
    char *text; /* owned: what was tried and what came of it, or what would mend it */
};
/* Through the spawner. *ret_probes is an array to be freed by sandbox_probes_free(). */
int sandbox_doctor(int spawner_fd, struct sandbox_probe **ret_probes, size_t *ret_count, struct err *err) MUST_USE;
void sandbox_probes_free(struct sandbox_probe *probes, size_t count);

#endif
