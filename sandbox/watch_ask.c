/* Held calls: they are told to the application, and answered when it has decided. */
#include "watch_internal.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>

static void tell(struct watch *watch, const struct ask *ask, const struct ask_waiter *call)
{
    struct report held = {.kind = REPORT_HELD,
                          .held = {.number = ask->number,
                                   .permission = ask->permission,
                                   .path = ask->path,
                                   .real = ask->real,
                                   .size = ask->size,
                                   .call = (char *)(uintptr_t)call->call,
                                   .line = call->line}};

    watch->report(watch->context, &held);
}

static void tell_new(struct watch *watch, const struct ask *new, const struct ask_waiter *call)
{
    if (new) {
        tell(watch, new, call);
    }
    if (new && watch->asks.at_once) {
        watch_decide(watch, new->number, watch->asks.allow);
    }
}

enum ask_result watch_hold(struct watch *watch, const char *path, const struct ask_waiter *call)
{
    const struct ask *new;

    if (watch->asks.file_item < 0) {
        return ASK_NONE;
    }
    enum ask_result result = asks_touch(&watch->asks, path, call, &new);
    tell_new(watch, new, call);
    return result;
}

enum ask_result watch_hold_host(struct watch *watch, const char *text, const struct net_target *target,
                                const struct ask_waiter *call)
{
    const struct ask *new;
    enum ask_result result = asks_touch_host(&watch->asks, text, target, sizeof *target, call, &new);

    tell_new(watch, new, call);
    return result;
}

static void add_row(struct watch *watch, const struct ask *ask, const struct ask_waiter *call, bool allowed)
{
    bool answered = !allowed && watch->mode == NOTIFY_ANSWER, file = ask->permission == PERMISSION_FILE_READ;
    int item = !allowed ? -1 : file ? watch->asks.file_item : watch->asks.net_item;
    const struct report_access access = {
        .t_us = monotonic_us() - watch->started_us,
        .call = (char *)(uintptr_t)call->call, /* copied by accesses_add */
        .given = ask->path,
        .resolved = ask->path,
        .want = file ? WANT_READ : WANT_CONNECT,
        .verdict = allowed ? ACCESS_ALLOWED : ACCESS_DENIED,
        .error = allowed    ? 0
                 : answered ? EACCES
                            : call->error,
        .layer = file ? LAYER_MOUNTS : LAYER_NAMESPACES,
        .answered = answered,
        .item = item,
        .missing = ask->permission,
        .outside_root = call->outside_root,
        .line = call->line,
    };

    if (allowed && call->look) {
        return;
    }
    accesses_add(&watch->accesses, &access, watch->report, watch->context);
    if (allowed && file) {
        accesses_use(&watch->accesses, item, ask->device, ask->inode, ask->size);
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

/* The file comes into view; the host, and no other, is granted from now on. */
static int let_in(struct watch *watch, const struct ask *ask)
{
    if (ask->permission == PERMISSION_FILE_READ) {
        return cell_show(watch->view.cell, ask->fd, ask->path, watch->asks.file_item);
    }
    return relay_allow(&watch->relay, ask->target, watch->asks.net_item);
}

void watch_decide(struct watch *watch, uint64_t number, bool allow)
{
    struct ask *ask = asks_find(&watch->asks, number);

    if (!ask) {
        return; /* too late, or no such ask */
    }
    bool allowed = allow && let_in(watch, ask) == 0;
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
