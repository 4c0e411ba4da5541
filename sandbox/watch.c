/*
 * One notification at a time: the path or address is read from the program's
 * memory, looked up in the cell, judged, put into a row, and answered. The
 * answer is never a grant: what goes on meets the kernel's own layers.
 */
#include "watch_internal.h"

#include "call_internal.h"
#include "kernel_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <sys/uio.h>

enum { PAGE = 4096, ADDRESS_MAX = 128 };

/* Later than the headers of Debian 12 (Linux 6.6). */
#define NOTIF_SET_FLAGS SECCOMP_IOW(4, __u64)
#define NOTIF_SYNC_WAKE_UP 1UL

/* One notification being handled. */
struct asked {
    struct watch *watch;
    int listener;
    const struct call *call;
    union {
        struct seccomp_notif notification;
        char room[512]; /* a newer kernel's may be longer */
    };
    bool denied;
    bool held; /* it is answered later, by a person */
};

/* What the relay says of a connection that was let through to it: counted, or a row that says why it was in vain. */
static void take_news(void *context, const struct relay_news *news)
{
    struct watch *watch = context;
    bool refused = news->event == RELAY_REFUSED;
    const char *where = news->address[0] ? news->address : news->asked;

    if (news->event == RELAY_CONNECTED || news->event == RELAY_BYTES) {
        for (int i = 0; i < 2; i++) {
            accesses_use_host(&watch->accesses, news->items[i], news->event == RELAY_CONNECTED ? where : NULL,
                              news->bytes);
        }
        return;
    }
    struct report_access access = {
        .t_us = monotonic_us() - watch->started_us,
        .call = (char *)(uintptr_t)(news->event == RELAY_NO_NAME ? "resolve" : "relay"), /* copied by accesses_add */
        .given = (char *)(uintptr_t)news->asked,
        .resolved = (char *)(uintptr_t)where,
        .want = WANT_CONNECT,
        .verdict = refused ? ACCESS_DENIED : ACCESS_ABSENT,
        .error = news->event == RELAY_FAILED ? news->error : ECONNRESET,
        .layer = LAYER_SUPERVISOR,
        .item = refused ? -1 : news->items[0],
        .missing = PERMISSION_NET,
        .outside_root = true,
        .line = watch->line,
    };
    accesses_add(&watch->accesses, &access, watch->report, watch->context);
}

int watch_init(struct watch *watch, const struct view *view, enum sandbox_notify mode, report_fn report, void *context)
{
    *watch = (struct watch){.view = *view, .mode = mode, .report = report, .context = context};
    asks_init(&watch->asks, view->granted, view->own);
    int result = accesses_init(&watch->accesses, view->granted->count);
    return result < 0 ? result : relay_init(&watch->relay, view->granted, view->cell->dns, take_news, watch);
}

void watch_done(struct watch *watch)
{
    relay_done(&watch->relay);
    accesses_done(&watch->accesses);
    asks_done(&watch->asks);
    net_done(&watch->net);
}

void watch_prepare(int listener)
{
    (void)ioctl(listener, NOTIF_SET_FLAGS, NOTIF_SYNC_WAKE_UP);
}

static bool still_there(struct asked *asked)
{
    return ioctl(asked->listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &asked->notification.id) == 0;
}

static ssize_t read_memory(struct asked *asked, uint64_t address, void *to, size_t len)
{
    struct iovec local = {to, len}, remote = {(void *)(uintptr_t)address, len};

    return process_vm_readv((pid_t)asked->notification.pid, &local, 1, &remote, 1, 0);
}

/* Page by page, since a path may end just before one that is not there. */
static bool read_path(struct asked *asked, uint64_t address, char ret_path[PATH_MAX])
{
    size_t done = 0;

    ret_path[0] = '\0';
    if (address == 0) {
        return true; /* utimensat(fd, NULL): the descriptor itself */
    }
    while (done < PATH_MAX) {
        size_t len = PAGE - (address + done) % PAGE;
        len = len < PATH_MAX - done ? len : PATH_MAX - done;
        ssize_t got = read_memory(asked, address + done, ret_path + done, len);
        if (got <= 0) {
            return false;
        }
        if (memchr(ret_path + done, '\0', (size_t)got)) {
            return still_there(asked);
        }
        done += (size_t)got;
    }
    return false; /* too long: the kernel says so */
}

static void add_row(struct asked *asked, const struct verdict *verdict, enum access_want want, const char *given,
                    const char *resolved)
{
    struct watch *watch = asked->watch;
    bool answered = verdict->verdict == ACCESS_DENIED && watch->mode == NOTIFY_ANSWER;

    asked->denied = asked->denied || verdict->verdict == ACCESS_DENIED;
    if (!verdict->row) {
        return;
    }
    struct report_access access = {
        .t_us = monotonic_us() - watch->started_us,
        .call = (char *)(uintptr_t)asked->call->name, /* copied by accesses_add */
        .given = (char *)(uintptr_t)given,
        .resolved = (char *)(uintptr_t)resolved,
        .want = want,
        .verdict = verdict->verdict,
        .error = answered ? EACCES : verdict->error,
        .layer = verdict->layer,
        .answered = answered,
        .item = verdict->item,
        .base = verdict->base,
        .missing = verdict->missing,
        .outside_root = verdict->outside_root,
        .line = watch->line,
    };
    accesses_add(&watch->accesses, &access, watch->report, watch->context);
}

/* One path of a call, where it leads, and what is wanted there. */
struct tried {
    char given[PATH_MAX];
    struct lookup lookup;
    enum access_want want;
    bool creates;
};

/* Looks up what `tried->given` names. */
static void look_up(struct asked *asked, int dirfd, bool follow, struct tried *tried)
{
    const struct lookup_process process = {
        .thread = (pid_t)asked->notification.pid,
        .root_dir = asked->watch->view.cell->root_dir,
        .ask_mount = tried->want != WANT_READ && tried->want != WANT_LIST,
    };

    lookup_path(&process, dirfd, tried->given, follow, &tried->lookup);
    if (tried->lookup.state == LOOKUP_FOUND && tried->want == WANT_READ && S_ISDIR(tried->lookup.mode)) {
        tried->want = WANT_LIST;
    }
}

/* What is refused only because it is not in view, and no change, a person may be asked for. */
static bool hold(struct asked *asked, const struct tried *tried, const struct verdict *verdict)
{
    const struct ask_waiter call = {.id = asked->notification.id,
                                    .call = asked->call->name,
                                    .line = asked->watch->line,
                                    .error = ENOENT,
                                    .outside_root = verdict->outside_root,
                                    .look = asked->call->kind == CALL_LOOK};

    if (verdict->verdict != ACCESS_DENIED || tried->want != WANT_READ || tried->lookup.state != LOOKUP_MISSING) {
        return false;
    }
    enum ask_result result = watch_hold(asked->watch, tried->lookup.path, &call);
    asked->held = result == ASK_HELD;
    return result == ASK_HELD || result == ASK_SHOWN;
}

/* `other`: the other path of the call, or NULL. */
static void judge(struct asked *asked, const struct tried *tried, const struct tried *other)
{
    struct watch *watch = asked->watch;
    const struct lookup *lookup = &tried->lookup;

    if (lookup->state == LOOKUP_NONE) {
        return;
    }
    struct verdict verdict = verdict_of_path(&watch->view, lookup, tried->want, tried->creates);
    if (tried->want == WANT_EXEC && !watch->running) {
        watch->running = true; /* the command itself, which the report on the cell names */
        verdict.row = verdict.verdict == ACCESS_DENIED;
    }
    if (!other && hold(asked, tried, &verdict)) {
        return;
    }
    if (asked->call->kind == CALL_LOOK) {
        return; /* what may only be seen is the view's to show */
    }
    if (verdict.error == EROFS && other && other->lookup.mount != lookup->mount) {
        verdict.error = EXDEV; /* which the kernel sees first */
    }
    add_row(asked, &verdict, tried->want, tried->given, lookup->path);
    if (verdict.count && verdict.verdict == ACCESS_ALLOWED) {
        accesses_use(&watch->accesses, verdict.item, lookup->device, lookup->inode, lookup->size);
    }
}

static int argument(const struct asked *asked, signed char index)
{
    return index == CALL_NONE ? AT_FDCWD : (int)asked->notification.data.args[(unsigned char)index];
}

static void judge_paths(struct asked *asked)
{
    const struct call *call = asked->call;
    uint64_t flags = call->flags == CALL_NONE ? O_CREAT | O_WRONLY | O_TRUNC
                                              : asked->notification.data.args[(unsigned char)call->flags];
    int at_flags = call->follow == CALL_NONE ? 0 : argument(asked, call->follow);
    struct tried tried[2];

    for (unsigned i = 0; i < call->path_count; i++) {
        const struct call_path *path = &call->paths[i];
        bool exclusive = call->kind == CALL_OPEN && (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL);
        bool follow = path->follow ? !(at_flags & AT_SYMLINK_NOFOLLOW) : (at_flags & AT_SYMLINK_FOLLOW) && i == 0;
        if (call->kind == CALL_OPEN) {
            follow = !(flags & O_NOFOLLOW) && !exclusive;
        }
        tried[i].want = call->kind == CALL_OPEN ? call_open_want(flags) : path->want;
        tried[i].creates = path->creates || exclusive;
        if (!read_path(asked, asked->notification.data.args[(unsigned char)path->path], tried[i].given)) {
            return; /* the kernel refuses the whole call */
        }
        look_up(asked, argument(asked, path->dirfd), follow, &tried[i]);
    }
    for (unsigned i = 0; i < call->path_count; i++) {
        judge(asked, &tried[i], call->path_count == 2 ? &tried[1 - i] : NULL);
    }
}

/*
 * Is the call's socket one for TCP? Asked of a copy of it. Of a thread that is not its process's first no copy can be
 * had before Linux 6.9; then it counts as one, and the relay's socket refuses what is not.
 */
static bool is_stream(const struct asked *asked)
{
    int type = SOCK_STREAM, pidfd = pidfd_open((pid_t)asked->notification.pid, KERNEL_PIDFD_THREAD);
    socklen_t len = sizeof type;

    pidfd = pidfd < 0 ? pidfd_open((pid_t)asked->notification.pid, 0) : pidfd;
    int fd = pidfd < 0 ? -1 : pidfd_getfd(pidfd, (int)asked->notification.data.args[0], 0);
    if (fd >= 0) {
        (void)getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len);
    }
    close_descriptor(&fd);
    close_descriptor(&pidfd);
    return type == SOCK_STREAM;
}

/* A granted host: whoever connects finds the relay there. UDP is not relayed, so nobody answers it. */
static void judge_granted(struct asked *asked, const struct net_target *target, int item, enum access_want want,
                          const char *text)
{
    struct verdict verdict = {.verdict = ACCESS_ALLOWED, .row = true, .item = item, .outside_root = true};
    int result =
        want == WANT_CONNECT && is_stream(asked) ? relay_open(&asked->watch->relay, target, item) : -ECONNREFUSED;

    if (result < 0) {
        verdict.verdict = ACCESS_ABSENT;
        verdict.error = -result;
    }
    add_row(asked, &verdict, want, text, text);
}

/* A connection by TCP to a host that nobody granted. */
static bool hold_host(struct asked *asked, const struct net_target *target, const char *text,
                      const struct verdict *verdict)
{
    const struct ask_waiter call = {.id = asked->notification.id,
                                    .call = asked->call->name,
                                    .line = asked->watch->line,
                                    .error = verdict->error,
                                    .outside_root = true};

    if (asked->watch->asks.net_item < 0 || target->port == 0 || !is_stream(asked)) {
        return false;
    }
    enum ask_result result = watch_hold_host(asked->watch, text, target, &call);
    asked->held = result == ASK_HELD;
    return asked->held;
}

static void judge_address(struct asked *asked)
{
    unsigned char at = asked->call->kind == CALL_SENDTO ? 4 : 1;
    uint64_t address = asked->notification.data.args[at];
    uint64_t len = asked->notification.data.args[at + 1] & UINT32_MAX;
    struct sockaddr_storage storage = {0};
    char text[NET_TEXT_MAX];
    enum access_want want = asked->call->want;
    bool is_path, row;

    if (address == 0 || len > ADDRESS_MAX || read_memory(asked, address, &storage, len) != (ssize_t)len ||
        !still_there(asked)) {
        return; /* the kernel refuses it as well */
    }
    enum address_kind kind = net_describe(&asked->watch->net, &storage, len, text, &is_path, &row);
    if (is_path) {
        struct tried tried = {.want = want, .creates = want == WANT_BIND};
        snprintf(tried.given, sizeof tried.given, "%s", text);
        look_up(asked, AT_FDCWD, true, &tried);
        judge(asked, &tried, NULL);
        return;
    }
    struct net_target target;
    bool goes_out = row && want != WANT_BIND && net_find_target(&asked->watch->net, &storage, len, &target);
    int item = goes_out ? relay_find(&asked->watch->relay, &target) : -1;
    if (item >= 0) {
        judge_granted(asked, &target, item, want, text);
        return;
    }
    struct verdict verdict = verdict_of_address(&asked->watch->view, kind, want);
    if (goes_out && want == WANT_CONNECT && verdict.verdict == ACCESS_DENIED && hold_host(asked, &target, text, &verdict)) {
        return;
    }
    verdict.row = verdict.row && row;
    add_row(asked, &verdict, want, text, text);
}

static void answer(struct asked *asked)
{
    struct seccomp_notif_resp response = {.id = asked->notification.id};

    if (asked->denied && asked->watch->mode == NOTIFY_ANSWER) {
        response.error = -EACCES;
    } else {
        response.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    }
    (void)ioctl(asked->listener, SECCOMP_IOCTL_NOTIF_SEND, &response); /* ENOENT: the caller was killed */
}

void watch_serve(struct watch *watch, void (*drain)(void *context))
{
    struct asked asked = {.watch = watch, .listener = watch->view.cell->listener};

    memset(asked.room, 0, sizeof asked.room);
    if (ioctl(asked.listener, SECCOMP_IOCTL_NOTIF_RECV, &asked.notification) < 0) {
        return; /* the caller was killed in between */
    }
    asked.call = call_find(asked.notification.data.nr);
    if (asked.call) {
        drain(watch->context);
        if (asked.call->kind == CALL_OPEN || asked.call->kind == CALL_PATHS || asked.call->kind == CALL_LOOK) {
            judge_paths(&asked);
        } else {
            judge_address(&asked);
        }
    }
    if (!asked.held) {
        answer(&asked);
    }
}
