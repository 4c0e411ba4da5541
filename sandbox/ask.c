/* The list of asks: what can be asked for, what was decided, and the bounds. */
#include "ask_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "kernel_internal.h"
#include "pin_internal.h"
#include "view_internal.h"

enum { SECOND_US = 1000000, PENDING_MAX = 4, ANSWER_SECONDS = 300, RATE_SECONDS = 10 };
enum { RATE = sizeof((struct asks *)0)->recent_us / sizeof(int64_t) }; /* asks in RATE_SECONDS */

int ask_find_item(const struct policy *granted, enum permission permission)
{
    for (size_t i = 0; i < granted->count; i++) {
        if (granted->items[i].ask && granted->items[i].permission == permission) {
            return (int)i;
        }
    }
    return -1;
}

void asks_init(struct asks *asks, const struct policy *granted, const char *const *own)
{
    *asks = (struct asks){.file_item = ask_find_item(granted, PERMISSION_FILE_READ),
                          .net_item = ask_find_item(granted, PERMISSION_NET),
                          .own = own};
}

static void ask_done(struct ask *ask)
{
    free(ask->path);
    free(ask->real);
    free(ask->target);
    close_descriptor(&ask->fd);
}

void asks_done(struct asks *asks)
{
    for (size_t i = 0; i < asks->count; i++) {
        ask_done(&asks->list[i]);
    }
    asks->count = 0;
}

/* A regular file of the host, which says nothing of processes; and none of ours. */
static int open_file(const struct asks *asks, const char *path, struct ask *ask)
{
    char real[PATH_MAX];
    struct statfs system;
    struct stat info;
    int fd = kernel_openat2(AT_FDCWD, path, O_PATH | O_CLOEXEC, 0, RESOLVE_NO_MAGICLINKS);
    bool good = fd >= 0 && !fstat(fd, &info) && S_ISREG(info.st_mode) && !fstatfs(fd, &system) &&
                system.f_type != PROC_SUPER_MAGIC && system.f_type != SYSFS_MAGIC && !pin_real_path(fd, real);

    for (size_t i = 0; good && asks->own && asks->own[i]; i++) {
        good = !path_is_within(real, asks->own[i]);
    }
    if (!good) {
        close_descriptor(&fd);
        return -ENOENT;
    }
    *ask = (struct ask){.permission = PERMISSION_FILE_READ,
                        .path = strdup(path),
                        .real = strdup(real),
                        .fd = fd,
                        .device = info.st_dev,
                        .inode = info.st_ino,
                        .size = (uint64_t)info.st_size};
    if (!ask->path || !ask->real) {
        ask_done(ask);
        return -ENOMEM;
    }
    return 0;
}

static struct ask *find_path(struct asks *asks, enum permission permission, const char *path)
{
    for (size_t i = 0; i < asks->count; i++) {
        if (asks->list[i].permission == permission && !strcmp(asks->list[i].path, path)) {
            return &asks->list[i];
        }
    }
    return NULL;
}

static enum ask_result wait_too(struct ask *ask, const struct ask_waiter *call)
{
    if (ask->state != ASK_PENDING) {
        return ask->state == ASK_ALLOWED ? ASK_SHOWN : ASK_REFUSED;
    }
    if (ask->waiter_count == ASK_WAITERS_MAX) {
        return ASK_REFUSED;
    }
    ask->waiters[ask->waiter_count++] = *call;
    return ASK_HELD;
}

static bool is_beyond(struct asks *asks, int64_t now)
{
    int64_t *oldest = &asks->recent_us[asks->count % RATE];

    if (asks->pending == PENDING_MAX || (*oldest && now - *oldest < (int64_t)RATE_SECONDS * SECOND_US)) {
        return true;
    }
    *oldest = now;
    return false;
}

/* Takes over what `made` owns. */
static enum ask_result add(struct asks *asks, struct ask *made, const struct ask_waiter *call,
                           const struct ask **ret_new)
{
    int64_t now = monotonic_us();
    struct ask *ask;

    if (asks->count == ASKS_MAX || is_beyond(asks, now)) {
        ask_done(made);
        return ASK_REFUSED;
    }
    ask = &asks->list[asks->count++];
    *ask = *made;
    ask->number = asks->count;
    ask->deadline_us = now + (int64_t)ANSWER_SECONDS * SECOND_US;
    asks->held_since_us = asks->pending++ ? asks->held_since_us : now;
    *ret_new = ask;
    return wait_too(ask, call);
}

enum ask_result asks_touch(struct asks *asks, const char *path, const struct ask_waiter *call,
                           const struct ask **ret_new)
{
    struct ask *ask = find_path(asks, PERMISSION_FILE_READ, path), made;

    *ret_new = NULL;
    if (ask) {
        return wait_too(ask, call);
    }
    return open_file(asks, path, &made) ? ASK_NONE : add(asks, &made, call, ret_new);
}

enum ask_result asks_touch_host(struct asks *asks, const char *text, const void *target, size_t size,
                                const struct ask_waiter *call, const struct ask **ret_new)
{
    struct ask *ask = find_path(asks, PERMISSION_NET, text);

    *ret_new = NULL;
    if (ask) {
        return wait_too(ask, call);
    }
    struct ask made = {
        .permission = PERMISSION_NET, .path = strdup(text), .real = strdup(text), .target = malloc(size), .fd = -1};
    if (!made.path || !made.real || !made.target) {
        ask_done(&made);
        return ASK_NONE;
    }
    memcpy(made.target, target, size);
    return add(asks, &made, call, ret_new);
}

struct ask *asks_find(struct asks *asks, uint64_t number)
{
    struct ask *ask = number >= 1 && number <= asks->count ? &asks->list[number - 1] : NULL;

    return ask && ask->state == ASK_PENDING ? ask : NULL;
}

void asks_settle(struct asks *asks, struct ask *ask, enum ask_state state)
{
    ask->state = state;
    ask->waiter_count = 0;
    close_descriptor(&ask->fd);
    if (--asks->pending == 0) {
        asks->held_us += monotonic_us() - asks->held_since_us;
    }
}

struct ask *asks_find_late(struct asks *asks, int64_t now_us)
{
    for (size_t i = 0; i < asks->count; i++) {
        if (asks->list[i].state == ASK_PENDING && asks->list[i].deadline_us <= now_us) {
            return &asks->list[i];
        }
    }
    return NULL;
}

int64_t asks_deadline(const struct asks *asks)
{
    int64_t first = -1;

    for (size_t i = 0; i < asks->count; i++) {
        const struct ask *ask = &asks->list[i];
        if (ask->state == ASK_PENDING && (first < 0 || ask->deadline_us < first)) {
            first = ask->deadline_us;
        }
    }
    return first;
}

int64_t asks_held_us(const struct asks *asks, int64_t now_us)
{
    return asks->held_us + (asks->pending ? now_us - asks->held_since_us : 0);
}
