/*
 * The cell as its maker sees it: control groups, view and sockets are
 * prepared, one clone makes the namespaces, and what is inside reports when it
 * waits for its execve.
 */
#include "cell_internal.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ask_internal.h"
#include "inside_internal.h"
#include "kernel_internal.h"
#include "level_internal.h"

enum { START_SECONDS = 10, KILL_MS = 10000, REMOVE_MS = 200, OFF_MAX = 4096 };

static const struct cell empty_cell = {.init_pidfd = -1,
                                       .control = -1,
                                       .listener = -1,
                                       .dns = -1,
                                       .root_dir = -1,
                                       .out_dir = -1,
                                       .writes_dir = -1,
                                       .cgroup_memory = -1,
                                       .cgroup_pids = -1,
                                       .start = -1};

/* What is needed until the cell is ready. */
struct maker {
    struct inside inside;
    struct cgroup cgroup;
    struct view view;
    int control[2], start[2];
};

static int make_sockets(struct maker *maker, struct err *err)
{
    const struct timeval patience = {.tv_sec = START_SECONDS};
    const int on = 1;

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, maker->control) ||
        socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, maker->start) ||
        setsockopt(maker->control[0], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) ||
        setsockopt(maker->start[0], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) ||
        setsockopt(maker->start[0], SOL_SOCKET, SO_PASSCRED, &on, sizeof on)) { /* says who the program is */
        return err_errno(err, -errno, "cannot make the sandbox: making its sockets");
    }
    return 0;
}

/*
 * The one clone; the network namespace, which takes as long as all the others
 * together, is made inside, beside other work. Root can do without a user
 * namespace where they are refused.
 */
static pid_t clone_init(struct maker *maker, int *ret_pidfd)
{
    struct clone_args args = {.flags = CLONE_PIDFD | CLONE_CLEAR_SIGHAND,
                              .exit_signal = SIGCHLD,
                              .pidfd = (uint64_t)(uintptr_t)ret_pidfd};
    pid_t pid;

    if (maker->cgroup.clone_into >= 0) {
        args.flags |= CLONE_INTO_CGROUP;
        args.cgroup = (uint64_t)maker->cgroup.clone_into;
    }
    args.flags |= inside_makes(&maker->inside, LAYER_MOUNTS) ? CLONE_NEWNS : 0;
    if (inside_makes(&maker->inside, LAYER_NAMESPACES)) {
        args.flags |= CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS;
        maker->inside.user_namespace = true;
    }
    pid = kernel_clone3(&args);
    if (pid < 0 && maker->inside.ids.root && maker->inside.user_namespace) {
        args.flags &= ~(uint64_t)CLONE_NEWUSER;
        maker->inside.user_namespace = false;
        pid = kernel_clone3(&args);
    }
    return pid < 0 ? -errno : pid;
}

static int make_init(struct maker *maker, struct cell *cell, struct err *err)
{
    pid_t pid = clone_init(maker, &cell->init_pidfd);
    int result = 0;

    if (pid == 0) {
        close(maker->control[0]);
        close(maker->start[0]);
        maker->inside.control = maker->control[1];
        maker->inside.start = maker->start[1];
        inside_run(&maker->inside);
    }
    if (pid < 0) {
        return err_set(err, pid, "cannot make the sandbox: %s (%s)", privilege_userns_advice(), strerror(-pid));
    }
    cell->init = pid;
    cell->init_kills = !inside_makes(&maker->inside, LAYER_NAMESPACES);
    close_descriptor(&maker->control[1]);
    close_descriptor(&maker->start[1]);
    if (maker->inside.user_namespace) {
        result = privilege_map(pid, &maker->inside.ids, !maker->inside.ids.root);
    }
    if (!result && send(maker->control[0], "g", 1, MSG_NOSIGNAL) < 0) {
        result = -errno;
    }
    return result ? err_errno(err, result, "cannot make the sandbox: writing the map of ids") : 0;
}

/* One message, or the error that came instead. */
static int receive(int socket, struct inside_message *ret, int *ret_descriptors, pid_t *ret_pid, struct err *err)
{
    int result = inside_receive(socket, 0, ret, ret_descriptors, ret_pid);

    if (result < 0) {
        return err_errno(err, result, "cannot make the sandbox: it did not get ready");
    }
    if (result == 0) {
        return err_set(err, -ECONNRESET, "cannot make the sandbox: its first process died");
    }
    if (ret->kind == INSIDE_FAILED) {
        return err_set(err, ret->code < 0 ? ret->code : -EPROTO, "%s", ret->text);
    }
    return 0;
}

/*
 * From the program's process: it waits for its execve. It is heard first, since it is ready last: so this process is
 * woken once. Whatever fails inside ends it, too.
 */
static int wait_until_ready(struct maker *maker, struct cell *cell, struct inside_message *ready, struct err *err)
{
    int descriptors[INSIDE_DESCRIPTORS];
    int result = receive(maker->start[0], ready, descriptors, &cell->program, err);

    if (result == 0) {
        cell->listener = ready->watched ? descriptors[0] : -1;
        cell->dns = descriptors[ready->watched ? 1 : 0];
    }
    if (result == -ECONNRESET) { /* init may have said why */
        struct inside_message other;
        if (inside_receive(maker->control[0], MSG_DONTWAIT, &other, NULL, NULL) == 1 && other.kind == INSIDE_FAILED) {
            return err_set(err, other.code, "%s", other.text);
        }
    }
    return result;
}

/* From init: the files are made, and it has given up its privileges. */
static int wait_for_view(struct maker *maker, struct cell *cell, struct inside_message *view, struct err *err)
{
    int descriptors[INSIDE_DESCRIPTORS];
    int result = receive(maker->control[0], view, descriptors, NULL, err);

    cell->root_dir = descriptors[0];
    cell->out_dir = descriptors[1];
    cell->writes_dir = descriptors[2];
    return result ? result : cell->root_dir >= 0 ? 0 : err_set(err, -EPROTO, "cannot make the sandbox");
}

static int describe(struct maker *maker, struct cell *cell, const struct inside_message *view,
                    const struct inside_message *ready, struct err *err)
{
    const char *name = maker->inside.options->request->argv[0];
    size_t size = strlen(ready->folder) + strlen(name) + 1;
    const struct level_facts facts = {
        .options = maker->inside.options,
        .off = maker->inside.off,
        .bare = maker->inside.bare,
        .user_namespace = maker->inside.user_namespace,
        .cgroup = maker->cgroup.memory >= 0 || maker->cgroup.pids >= 0,
        .without_proc = view->without_proc,
        .no_landlock = ready->no_landlock,
        .unwatched = ready->unwatched,
    };

    level_describe(&facts, cell);
    cell->command = malloc(size);
    if (!cell->command || view_places(&maker->view, &cell->places, &cell->place_count) || cell->off.failed) {
        return err_set(err, -ENOMEM, "no memory");
    }
    snprintf(cell->command, size, "%s%s", ready->folder, name);
    return 0;
}

/* What the maker no longer needs; the cell takes over the groups. */
static void hand_over(struct maker *maker, struct cell *cell)
{
    cell->control = maker->control[0];
    cell->start = maker->start[0];
    maker->control[0] = maker->start[0] = -1;
    cell->cgroup_memory = maker->cgroup.memory;
    cell->cgroup_pids = maker->cgroup.pids;
    cell->cgroups[0] = maker->cgroup.memory_path;
    cell->cgroups[1] = maker->cgroup.pids_path;
    cgroup_entered(&maker->cgroup);
    maker->cgroup.memory = maker->cgroup.pids = -1;
    maker->cgroup.memory_path = maker->cgroup.pids_path = NULL;
}

/* Asking needs a watcher, and an init that may mount. */
static int check_asking(const struct maker *maker, const struct cell *cell, struct err *err)
{
    bool file = maker->inside.asks, host = ask_find_item(maker->inside.options->granted, PERMISSION_NET) >= 0;

    if ((file || host) && cell->listener < 0) {
        return err_set(err, -EOPNOTSUPP, "%s=? cannot be served here: the program's calls are not watched",
                       file ? "file.read" : "net");
    }
    return file && !maker->inside.user_namespace
               ? err_set(err, -EOPNOTSUPP, "file.read=? cannot be served here: %s", privilege_userns_advice())
               : 0;
}

static int make_cell(struct maker *maker, struct cell *cell, struct err *err)
{
    const struct cell_options *options = maker->inside.options;
    struct inside_message view = {0}, ready = {0};
    struct buf why;
    int result;

    result = level_find(options, &maker->inside.off, &maker->inside.bare, err);
    if (result) {
        return result;
    }
    maker->inside.asks = ask_find_item(options->granted, PERMISSION_FILE_READ) >= 0;
    buf_init(&why, OFF_MAX);
    privilege_ids_find(&maker->inside.ids);
    if (inside_makes(&maker->inside, LAYER_CGROUP)) {
        cgroup_make(&options->granted->limits, &maker->cgroup, &why);
    }
    if (why.len) {
        buf_addf(&cell->off, "cgroup: %s\n", why.data);
    }
    buf_done(&why);
    cell->memory_sampled = maker->inside.sampled = maker->cgroup.memory < 0;
    result = view_plan(options, &maker->inside.ids, maker->inside.ids.root, maker->inside.sampled,
                       !inside_makes(&maker->inside, LAYER_MOUNTS), &maker->view, err);
    result = result ? result : make_sockets(maker, err);
    result = result ? result : make_init(maker, cell, err);
    result = result ? result : wait_until_ready(maker, cell, &ready, err);
    result = result ? result : wait_for_view(maker, cell, &view, err);
    result = result ? result : describe(maker, cell, &view, &ready, err);
    result = result ? result : check_asking(maker, cell, err);
    hand_over(maker, cell);
    return result;
}

int cell_start(const struct cell_options *options, struct cell *ret_cell, struct err *err)
{
    struct maker maker = {.control = {-1, -1},
                          .start = {-1, -1},
                          .view = {.root_lower = -1},
                          .cgroup = {.memory = -1, .pids = -1, .enter = {-1, -1}, .clone_into = -1}};
    struct cell cell = empty_cell;
    int result;

    maker.inside =
        (struct inside){.options = options, .cgroup = &maker.cgroup, .view = &maker.view, .control = -1, .start = -1};
    buf_init(&cell.off, OFF_MAX);
    result = make_cell(&maker, &cell, err);
    view_done(&maker.view);
    for (int i = 0; i < 2; i++) {
        close_descriptor(&maker.control[i]);
        close_descriptor(&maker.start[i]);
    }
    if (result) {
        cell_done(&cell);
        return result;
    }
    *ret_cell = cell;
    return 0;
}

int cell_go(struct cell *cell, struct err *err)
{
    struct pollfd waiting = {.fd = cell->listener, .events = POLLIN};

    if (cell->listener < 0) {
        bool told = send(cell->start, "g", 1, MSG_NOSIGNAL) == 1;
        close_descriptor(&cell->start);
        return told ? 0 : err_set(err, -ESRCH, "the sandboxed process is gone");
    }
    /* its execve waits for an answer, and the cell does not change any more */
    close_descriptor(&cell->start);
    return poll(&waiting, 1, START_SECONDS * 1000) == 1 && waiting.revents & POLLIN
               ? 0
               : err_set(err, -ESRCH, "the sandboxed process is gone");
}

int cell_read_end(struct cell *cell, struct cell_end *ret_end)
{
    struct inside_message message;

    if (cell->has_last_word) {
        *ret_end = cell->last_word;
        return 1;
    }
    int result = inside_receive(cell->control, MSG_DONTWAIT, &message, NULL, NULL);
    if (result == -EAGAIN) {
        return 0;
    }
    if (result <= 0 || message.kind != INSIDE_END) {
        return result < 0 ? result : result == 0 ? -ECONNRESET : -EPROTO;
    }
    *ret_end = message.end;
    return 1;
}

/* Only the program's processes are in a group of version 1: with them gone it can go before init has. */
static void remove_groups(struct cell *cell, int patience_ms)
{
    for (int i = 0; i < 2; i++) {
        if (cell->cgroups[i] && cgroup_remove(cell->cgroups[i], patience_ms)) {
            free(cell->cgroups[i]);
            cell->cgroups[i] = NULL;
        }
    }
}

bool cell_kill(struct cell *cell)
{
    struct pollfd ended = {.fd = cell->init_pidfd, .events = POLLIN};

    if (cell->init > 0) {
        if (cell->init_kills) { /* and ends, when it hears the end of its socket */
            close_descriptor(&cell->control);
            poll(&ended, 1, KILL_MS);
        }
        pidfd_send_signal(cell->init_pidfd, SIGKILL, NULL, 0);
        close_descriptor(&cell->control);
        remove_groups(cell, 0);
        bool dead = poll(&ended, 1, KILL_MS) == 1;
        /* not before: what waits for an answer would get ENOSYS, and go on with that until its own end has come */
        close_descriptor(&cell->listener);
        if (!dead) {
            return false;
        }
        waitpid(cell->init, NULL, 0);
        cell->init = 0;
    }
    remove_groups(cell, REMOVE_MS);
    return true;
}

void cell_sweep(int patience_ms)
{
    cgroup_sweep(patience_ms);
}

void cell_done(struct cell *cell)
{
    if (!cell) {
        return;
    }
    cell_kill(cell);
    int *const owned[] = {&cell->init_pidfd, &cell->control, &cell->listener,   &cell->dns,   &cell->root_dir,
                          &cell->out_dir,    &cell->start,   &cell->writes_dir, &cell->cgroup_memory,
                          &cell->cgroup_pids};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) {
        close_descriptor(owned[i]);
    }
    for (size_t i = 0; i < cell->place_count; i++) {
        free(cell->places[i].path);
    }
    free(cell->places);
    free(cell->command);
    free(cell->cgroups[0]);
    free(cell->cgroups[1]);
    buf_done(&cell->off);
    *cell = empty_cell;
}

const struct cell_place *cell_find_place(const struct cell *cell, const char *path)
{
    const struct cell_place *found = NULL;

    for (size_t i = 0; i < cell->place_count; i++) {
        const struct cell_place *place = &cell->places[i];
        if (place->folder ? path_is_within(path, place->path) : !strcmp(path, place->path)) {
            found = place;
        }
    }
    return found;
}

bool cell_leads_to_place(const struct cell *cell, const char *path)
{
    for (size_t i = 0; i < cell->place_count; i++) {
        if (path_is_within(cell->places[i].path, path)) {
            return true;
        }
    }
    return false;
}
