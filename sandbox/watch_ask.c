/* Held calls: they are told to the application, and answered when it has decided. */
#include "watch_internal.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>

static void tell(struct watch *watch, const struct ask *ask, const struct ask_waiter *call)
{
    struct report held = {.kind = REPORT_HELD,
                          .held = {.number = ask->number,
                                   .permission = PERMISSION_FILE_READ,
                                   .path = ask->path,
                                   .real = ask->real,
                                   .size = ask->size,
                                   .call = (char *)(uintptr_t)call->call,
                                   .line = call->line}};

    watch->report(watch->context, &held);
}

enum ask_result watch_hold(struct watch *watch, const char *path, const struct ask_waiter *call)
{
    const struct ask *new;
    enum ask_result result;

    if (watch->asks.item < 0) {
        return ASK_NONE;
    }
    result = asks_touch(&watch->asks, path, call, &new);
    if (new) {
        tell(watch, new, call);
    }
    if (new && watch->asks.at_once) {
        watch_decide(watch, new->number, watch->asks.allow);
    }
    return result;
}

static void add_row(struct watch *watch, const struct ask *ask, const struct ask_waiter *call, bool allowed)
{
    bool answered = !allowed && watch->mode == NOTIFY_ANSWER;
    const struct report_access access = {
        .t_us = monotonic_us() - watch->started_us,
        .call = (char *)(uintptr_t)call->call, /* copied by accesses_add */
        .given = ask->path,
        .resolved = ask->path,
        .want = WANT_READ,
        .verdict = allowed ? ACCESS_ALLOWED : ACCESS_DENIED,
        .error = allowed ? 0 : answered ? EACCES : ENOENT,
        .layer = LAYER_MOUNTS,
        .answered = answered,
        .item = allowed ? watch->asks.item : -1,
        .missing = PERMISSION_FILE_READ,
        .outside_root = call->outside_root,
        .line = call->line,
    };

    if (allowed && call->look) {
        return;
    }
    accesses_add(&watch->accesses, &access, watch->report, watch->context);
    if (allowed) {
        accesses_use(&watch->accesses, watch->asks.item, ask->device, ask->inode, ask->size);
    }
}

static void answer(struct watch *watch, const struct ask_waiter *call, bool allowed)
{
    struct seccomp_notif_resp response = {.id = call->id};

    if (!allowed && watch->mode == NOTIFY_ANSWER) {
        response.error = -EACCES;
    } else {
        response.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    }
    (void)ioctl(watch->view.cell->listener, SECCOMP_IOCTL_NOTIF_SEND, &response); /* ENOENT: the caller is gone */
}

void watch_decide(struct watch *watch, uint64_t number, bool allow)
{
    struct ask *ask = asks_find(&watch->asks, number);
    bool allowed;

    if (!ask) {
        return; /* too late, or no such ask */
    }
    allowed = allow && cell_show((struct cell *)watch->view.cell, ask->fd, ask->path, watch->asks.item) == 0;
    for (size_t i = 0; i < ask->waiter_count; i++) {
        const struct ask_waiter call = ask->waiters[i];
        add_row(watch, ask, &call, allowed);
        answer(watch, &call, allowed);
    }
    asks_settle(&watch->asks, ask, allowed ? ASK_ALLOWED : ASK_DENIED);
}

void watch_decide_late(struct watch *watch, int64_t now_us)
{
    for (struct ask *ask; (ask = asks_find_late(&watch->asks, now_us));) {
        watch_decide(watch, ask->number, false);
    }
}
