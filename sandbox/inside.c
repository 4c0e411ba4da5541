/*
 * A cell made from within. Two processes share the work, so that two
 * processors can: init makes the files; the program's process makes the
 * network, gives up its privileges, takes its limits and the filter, waits for
 * the files, enters Landlock, and at last executes. Every step that fails is
 * reported, and ends the cell.
 */
#include "inside_internal.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/capability.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "buffers_internal.h"
#include "confine_internal.h"
#include "level_internal.h"

enum { DNS_PORT = 53, MOVED_FROM = 10 };

static _Noreturn void fail(int socket, int code, const char *text)
{
    struct inside_message message = {.kind = INSIDE_FAILED, .code = code};

    snprintf(message.text, sizeof message.text, "%s", text);
    inside_send(socket, &message, NULL, 0);
    _exit(125);
}

static void check(int socket, int result, const char *what)
{
    struct err err;

    if (result < 0) {
        err_errno(&err, result, "cannot make the sandbox: %s", what);
        fail(socket, result, err.text);
    }
}

static int or_errno(int result)
{
    return result < 0 ? -errno : result;
}

/* Credential changes forget the parent's death signal. */
static void die_with_parent(int socket)
{
    check(socket, or_errno(prctl(PR_SET_PDEATHSIG, SIGKILL)), "following its maker's end");
}

/* Without a pid namespace it must live until it has killed the others: the end of its socket says when. */
static void init_dies_with_parent(const struct inside *inside)
{
    if (inside_makes(inside, LAYER_NAMESPACES)) {
        die_with_parent(inside->control);
    } else {
        check(inside->control, or_errno(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)), "adopting what is left");
    }
}

/* As root: becomes NOBODY, keeping the capabilities of the user namespace, or, without one, those for mounting. */
static void become_user(const struct inside *inside)
{
    if (!inside->ids.root) {
        return;
    }
    check(inside->control, or_errno(setgroups(0, NULL)), "giving up groups");
    if (inside->user_namespace) {
        check(inside->control, or_errno(setresgid(NOBODY, NOBODY, NOBODY)), "changing the group");
        check(inside->control, or_errno(setresuid(NOBODY, NOBODY, NOBODY)), "changing the user");
    } else {
        setfsgid(NOBODY);
        setfsuid(NOBODY);
    }
    init_dies_with_parent(inside);
}

/* Not the death signal: that is the caller's. `kept`: a capability that stays; -1. */
static void give_up_privileges(const struct inside *inside, int kept)
{
    if (inside->ids.root && !inside->user_namespace) {
        check(inside->control, or_errno(setresgid(NOBODY, NOBODY, NOBODY)), "changing the group");
        check(inside->control, or_errno(setresuid(NOBODY, NOBODY, NOBODY)), "changing the user");
    }
    check(inside->control, kept < 0 ? privilege_drop() : privilege_drop_but(kept), "giving up capabilities");
    check(inside->control, or_errno(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)), "giving up new privileges");
}

/* The loopback device, and the socket of the supervisor's name server. */
static int make_network(const struct inside *inside)
{
    struct ifreq loopback = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING};
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(DNS_PORT), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    check(inside->control, or_errno(fd), "making a socket");
    check(inside->control, or_errno(ioctl(fd, SIOCSIFFLAGS, &loopback)), "switching on the loopback device");
    check(inside->control, or_errno(bind(fd, (struct sockaddr *)&address, sizeof address)), "binding the name server");
    return fd;
}

/*
 * Other tasks of the program's user, for RLIMIT_NPROC: a decoy's /proc shows none of the host's, and when they are more
 * than this, a program that needs a thread gets none. The limit itself is the supervisor's, who counts.
 */
enum { DECOY_TASKS = 1024 };

/* ---- init's part --------------------------------------------------------------------------------------------------
 */

/* Landlock's rules, by what the view shows. 0, or the errno that says why there are none. */
static int make_landlock(const struct inside *inside, int *ret_ruleset)
{
    const struct view *view = inside->view;
    int ruleset = inside_makes(inside, LAYER_LANDLOCK) ? landlock_new() : -EPERM, root;

    if (ruleset == -EOPNOTSUPP || ruleset == -ENOSYS || ruleset == -EPERM) {
        return -ruleset;
    }
    check(inside->control, ruleset, "making Landlock's rules");
    root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    check(inside->control, or_errno(root), "opening /");
    if (inside_makes(inside, LAYER_MOUNTS)) { /* else they are the host's */
        /* what a person allows later is in no rule: the view alone keeps the rest out of reach */
        check(inside->control, landlock_allow(ruleset, root, true, inside->asks ? LANDLOCK_LOOK : LANDLOCK_LIST),
              "allowing to list folders");
    }
    close(root);
    for (size_t i = 0; i < view->count; i++) {
        const struct view_entry *entry = &view->list[i];
        if (entry->fd >= 0) {
            check(inside->control, landlock_allow(ruleset, entry->fd, entry->place.folder, entry->rights),
                  entry->place.path);
        }
    }
    *ret_ruleset = ruleset;
    return 0;
}

/* The view; or, without mounts, the files as they are. */
static void make_files(struct inside *inside, struct view_built *files)
{
    struct err err;

    if (!inside_makes(inside, LAYER_MOUNTS)) {
        *files = (struct view_built){
            .root_dir = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC), .out_dir = -1, .writes_dir = -1};
        check(inside->control, or_errno(files->root_dir), "opening /");
    } else if (view_build(inside->view, files, &err)) {
        fail(inside->control, err.code, err.text);
    }
}

/* Init's part: the files; then it takes the program's network for its own, and gives up its privileges. */
static _Noreturn void run_init(struct inside *inside, pid_t program, const volatile int *exec_errno)
{
    struct inside_message view = {.kind = INSIDE_VIEW}, built = {.kind = INSIDE_BUILT};
    struct view_built files;
    struct stat root, private = {0};
    struct err err;
    char made;
    int ruleset = -1, pidfd = pidfd_open(program, 0);

    close(inside->built[1]);
    check(inside->control, or_errno(pidfd), "watching the program's process");
    make_files(inside, &files);
    view.without_proc = files.without_proc;
    check(inside->control, or_errno(fstat(files.root_dir, &root)), "looking at its root");
    check(inside->control, files.out_dir < 0 ? 0 : or_errno(fstat(files.out_dir, &private)), "looking at ./out");
    built.device = root.st_dev;
    built.inode = root.st_ino;
    built.no_landlock = make_landlock(inside, &ruleset);
    check(inside->control, inside_send(inside->built[0], &built, &ruleset, built.no_landlock ? 0 : 1),
          "handing over its rules");
    if (inside_makes(inside, LAYER_MOUNTS) && view_leave_host(&err)) { /* beside the program's process; both are done before it may execute */
        fail(inside->control, err.code, err.text);
    }
    if (recv(inside->built[0], &made, 1, 0) != 1) {
        _exit(125); /* the program's process has said why */
    }
    if (inside_makes(inside, LAYER_NAMESPACES)) {
        check(inside->control, or_errno(setns(pidfd, CLONE_NEWNET)), "entering the network namespace");
    }
    give_up_privileges(inside, inside->asks ? CAP_SYS_ADMIN : -1);
    init_dies_with_parent(inside);
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); /* nothing of init is the program's to look at */
    const int folders[] = {files.root_dir, files.out_dir, files.writes_dir};
    check(inside->control, inside_send(inside->control, &view, folders, files.out_dir < 0 ? 1 : 3),
          "handing over its folders");
    const struct init_options options = {.control = inside->control,
                                         .program = program,
                                         .exec_errno = exec_errno,
                                         .first = inside_makes(inside, LAYER_NAMESPACES),
                                         .shows = inside->asks,
                                         .places = {.root = root.st_dev, .private = private.st_dev}};
    init_run(&options);
}

/* ---- the program's process --------------------------------------------------------------------------------------- */

/* Whatever the maker ignores or blocks, the program starts afresh. */
static void reset_signals(void)
{
    sigset_t none;

    for (int number = 1; number < NSIG; number++) {
        if (number != SIGKILL && number != SIGSTOP) {
            signal(number, SIG_DFL);
        }
    }
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Descriptors 0 to 2, 3 when asked for, and no others once it executes. */
static void place_descriptors(struct inside *inside, int *dns)
{
    const struct cell_options *options = inside->options;
    const int wanted[4] = {options->stdio[0], options->stdio[1], options->stdio[2], options->said};
    int moved[4];

    /* out of the way first: they may stand in each other's place */
    inside->start = fcntl(inside->start, F_DUPFD_CLOEXEC, MOVED_FROM);
    check(inside->control, or_errno(inside->start), "keeping the start's socket");
    inside->built[1] = fcntl(inside->built[1], F_DUPFD_CLOEXEC, MOVED_FROM);
    check(inside->start, or_errno(inside->built[1]), "keeping init's socket");
    if (*dns >= 0) {
        *dns = fcntl(*dns, F_DUPFD_CLOEXEC, MOVED_FROM);
        check(inside->start, or_errno(*dns), "keeping the name server");
    }
    for (int i = 0; i < 4; i++) {
        moved[i] = wanted[i] < 0 ? -1 : fcntl(wanted[i], F_DUPFD_CLOEXEC, MOVED_FROM);
        check(inside->start, wanted[i] < 0 ? 0 : or_errno(moved[i]), "placing descriptors");
    }
    for (int i = 0; i < 4; i++) {
        if (moved[i] >= 0) {
            check(inside->start, or_errno(dup2(moved[i], i)), "placing descriptors");
        }
    }
    check(inside->start, or_errno(close_range(options->said < 0 ? 3 : 4, ~0U, CLOSE_RANGE_CLOEXEC)),
          "closing descriptors");
}

/* Where a command without a slash lies: the first folder that has it. */
static void find_command(const char *name, char folder[INSIDE_COMMAND_MAX])
{
    static const char *const folders[] = {"/usr/bin/", "/bin/", "/usr/local/bin/"};
    char path[PATH_MAX];

    folder[0] = '\0';
    if (strchr(name, '/')) {
        return;
    }
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        snprintf(path, sizeof path, "%s%s", folders[i], name);
        if (!access(path, X_OK)) {
            snprintf(folder, INSIDE_COMMAND_MAX, "%s", folders[i]);
            return;
        }
    }
    snprintf(folder, INSIDE_COMMAND_MAX, "%s", folders[0]); /* execve says that it is not there */
}

/* Returns the name server's socket; -1: the network is the maker's. */
static int make_network_and_name(struct inside *inside)
{
    int dns = -1;

    if (inside_makes(inside, LAYER_NAMESPACES)) {
        unshare(CLONE_NEWCGROUP); /* hides the groups' names; nothing depends on it */
        check(inside->control, or_errno(unshare(CLONE_NEWNET)), "making a network namespace");
        if (inside->sampled) {
            buffers_keep_small(inside->settings);
            close_descriptor(&inside->settings);
        }
        dns = make_network(inside);
        check(inside->control, or_errno(sethostname("sandbox", 7)), "naming the host");
    }
    check(inside->control, or_errno((int)send(inside->built[1], "n", 1, MSG_NOSIGNAL)), "telling its init");
    return dns;
}

/*
 * Waits for the files, and enters them; works under the filter. Init's
 * pivot_root has moved this process's root, too: that is not believed, but seen.
 */
static void enter_files(struct inside *inside, struct inside_message *ready)
{
    const struct sandbox_request *request = inside->options->request;
    struct inside_message built;
    int descriptors[INSIDE_DESCRIPTORS];
    struct stat root;

    if (inside_receive(inside->built[1], 0, &built, descriptors, NULL) != 1 || built.kind != INSIDE_BUILT) {
        _exit(125); /* init has said why */
    }
    check(inside->start, or_errno(stat("/", &root)), "looking at its root");
    if (root.st_dev != built.device || root.st_ino != built.inode) {
        fail(inside->start, -EXDEV, "cannot make the sandbox: the program's process is not in it");
    }
    check(inside->start, or_errno(chdir(request->root)), "entering its root folder");
    find_command(request->argv[0], ready->folder);
    ready->no_landlock = built.no_landlock;
    if (!built.no_landlock) {
        check(inside->start, landlock_enter(descriptors[0]), "entering Landlock");
        close(descriptors[0]);
    }
    close(inside->built[1]);
}

/* The limits and the filter. Returns the listener; -1: nothing is watched. */
static int take_limits(const struct inside *inside, struct inside_message *ready)
{
    enum filter_kind kind = inside->sampled ? FILTER_SAMPLED : FILTER_COUNTED;
    const uint64_t unseen = inside->options->decoy ? DECOY_TASKS : 0;
    const uint64_t others = inside_makes(inside, LAYER_NAMESPACES) ? 0 : level_count_tasks() + unseen;
    int listener = -1;

    if (!inside_makes(inside, LAYER_SECCOMP)) {
        kind = FILTER_OPEN;
    } else if (inside->bare) {
        kind = FILTER_BARE;
    } else if (inside->asks) {
        kind = inside->sampled ? FILTER_SAMPLED_ASKING : FILTER_COUNTED_ASKING;
    }
    if (inside->sampled) {
        prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
    }
    if (inside_makes(inside, LAYER_RLIMITS)) {
        check(inside->start, rlimits_set(&inside->options->granted->limits, inside->sampled,
                                         !inside->options->request->terminal, others), "setting limits");
    }
    check(inside->start, filter_load(kind, inside_makes(inside, LAYER_NOTIFY), &listener, &ready->unwatched),
          "loading the filter of system calls");
    return listener;
}

/* It waits for its execve: the listener's answer to it is the go, or a word where nothing is watched. */
static void wait_for_go(const struct inside *inside, struct inside_message *ready, int listener, int dns)
{
    int descriptors[2];
    size_t count = 0;
    char go;

    ready->watched = listener >= 0;
    if (listener >= 0) {
        descriptors[count++] = listener;
    }
    if (dns >= 0) {
        descriptors[count++] = dns;
    }
    if (inside_send(inside->start, ready, descriptors, count) ||
        (listener < 0 && recv(inside->start, &go, 1, 0) != 1)) {
        _exit(125);
    }
    close_descriptor(&listener); /* all else closes itself */
}

static _Noreturn void run_program(struct inside *inside, volatile int *exec_errno)
{
    const struct sandbox_request *request = inside->options->request;
    struct inside_message message = {.kind = INSIDE_READY};
    char path[PATH_MAX];
    int listener, dns;

    close(inside->built[0]);
    die_with_parent(inside->control);
    prctl(PR_SET_DUMPABLE, 1, 0, 0, 0); /* for init, which looks for its network */
    check(inside->control, cgroup_enter(inside->cgroup), "entering its control groups");
    if (privilege_has(CAP_SETPCAP)) { /* else there are no capabilities to bound */
        check(inside->control, privilege_drop_bounding(), "giving up capabilities");
    }
    dns = make_network_and_name(inside);
    give_up_privileges(inside, -1);
    die_with_parent(inside->control);
    prctl(PR_SET_DUMPABLE, 1, 0, 0, 0); /* for the supervisor, which reads what its calls name */
    if (!request->terminal) {
        setsid();
    }
    reset_signals();
    place_descriptors(inside, &dns);
    if (inside->asks) { /* its filter holds calls that entering the files makes, and nobody answers yet */
        enter_files(inside, &message);
        listener = take_limits(inside, &message);
    } else {
        listener = take_limits(inside, &message);
        enter_files(inside, &message);
    }
    wait_for_go(inside, &message, listener, dns);
    snprintf(path, sizeof path, "%s%s", message.folder, request->argv[0]);
    execve(path, (char *const *)request->argv, (char *const *)request->env);
    *exec_errno = errno;
    _exit(127);
}

/* ---- the beginning ----------------------------------------------------------------------------------------------- */

/* In a user namespace of their own the mounts are slaves already. From "/" pivot_root takes both processes along. */
static void leave_mounts(const struct inside *inside)
{
    if (!inside->user_namespace && inside_makes(inside, LAYER_MOUNTS)) {
        check(inside->control, or_errno(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL)), "making mounts private");
    }
    check(inside->control, or_errno(chdir("/")), "leaving its folder");
}

_Noreturn void inside_run(struct inside *inside)
{
    volatile int *exec_errno;
    pid_t program;
    char go;

    init_dies_with_parent(inside);
    if (recv(inside->control, &go, 1, 0) != 1) { /* the maker has written the map of ids, or is gone */
        _exit(125);
    }
    signal(SIGCHLD, SIG_DFL); /* whatever the maker ignores: init wants to hear of its children */
    become_user(inside);
    leave_mounts(inside);
    inside->settings = inside->sampled ? buffers_open() : -1;
    check(inside->control, or_errno(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, inside->built)),
          "making a socket");
    exec_errno = mmap(NULL, sizeof *exec_errno, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    check(inside->control, exec_errno == MAP_FAILED ? -errno : 0, "sharing a page");
    program = fork();
    check(inside->control, or_errno(program), "making the program's process");
    if (program == 0) {
        run_program(inside, exec_errno);
    }
    run_init(inside, program, exec_errno);
}
