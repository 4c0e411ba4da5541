/*
 * Asks: accesses that wait until a person has decided. The first touch of a
 * file that is not granted is held; the file itself is opened by then, so that
 * what is shown on yes is what was asked for. Pending asks are bounded in
 * number, rate and time; what is beyond the bounds is refused.
 */
#ifndef TECHO_SANDBOX_ASK_INTERNAL_H
#define TECHO_SANDBOX_ASK_INTERNAL_H

#include "access_internal.h"
#include "cell_internal.h"

enum { ASKS_MAX = 64, ASK_WAITERS_MAX = 16 };

/* One held call. */
struct ask_waiter {
    uint64_t id;      /* of its notification */
    const char *call; /* static: its name */
    unsigned line;
    int error; /* what the kernel says when it is denied and goes on */
    bool outside_root;
    bool look; /* it only looks: a success makes no row */
};

enum ask_state { ASK_PENDING, ASK_ALLOWED, ASK_DENIED };

struct ask {
    uint64_t number;
    enum ask_state state;
    enum permission permission; /* file.read or net */
    char *path;                 /* owned; of a file, as it is called inside and on the host; host:port */
    char *real;                 /* owned; where the file really lies on the host; host:port */
    void *target;               /* owned; of a host: the caller's own description of it; else NULL */
    int fd;                     /* owned; O_PATH: the file; -1 */
    dev_t device;
    ino_t inode;
    uint64_t size;
    int64_t deadline_us;
    struct ask_waiter waiters[ASK_WAITERS_MAX];
    size_t waiter_count;
};

struct asks {
    struct ask list[ASKS_MAX];
    size_t count, pending;
    int file_item, net_item;        /* of the granted policy: file.read=?, net=?; -1: nobody is asked */
    bool at_once, allow;            /* at_once: `allow` is the answer to everything */
    const char *const *own;         /* borrowed: the request's; never asked for */
    int64_t held_us, held_since_us; /* how long the run has waited for answers; since when, while it waits */
    int64_t recent_us[8];           /* when the last ones were asked, a ring */
};

/* The index of the item `file.read=?`, or of another permission's, or -1. */
int ask_find_item(const struct policy *granted, enum permission permission);
void asks_init(struct asks *asks, const struct policy *granted, const char *const *own);
void asks_done(struct asks *asks);

enum ask_result {
    ASK_NONE,    /* nobody can be asked for this: it is judged as ever */
    ASK_HELD,    /* the call waits */
    ASK_REFUSED, /* it was denied before, or is beyond the bounds */
    ASK_SHOWN,   /* it is in view now */
};
/* The first touch, or another one, of a file; `call` is copied. *ret_new: it is to be reported. */
enum ask_result asks_touch(struct asks *asks, const char *path, const struct ask_waiter *call,
                           const struct ask **ret_new);
/* The same of a host; `target`, of that size, is copied. */
enum ask_result asks_touch_host(struct asks *asks, const char *text, const void *target, size_t size,
                                const struct ask_waiter *call, const struct ask **ret_new);
/* The pending ask of that number, or NULL. */
struct ask *asks_find(struct asks *asks, uint64_t number);
/* It is decided; the caller has answered its waiters. */
void asks_settle(struct asks *asks, struct ask *ask, enum ask_state state);
/* A pending ask whose time is over, or NULL. */
struct ask *asks_find_late(struct asks *asks, int64_t now_us);
/* When the next one's time is over; -1: none waits. */
int64_t asks_deadline(const struct asks *asks);
/* How long the run has waited for answers. */
int64_t asks_held_us(const struct asks *asks, int64_t now_us);

#endif
