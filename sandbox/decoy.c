/* Enters a decoy cell. Its root is built as a cell's view is, then the caller's throw-away folder is put in its place.
 */
#include "decoy_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cgroup_internal.h"
#include "kernel_internal.h"
#include "view_internal.h"
#include "wire_internal.h"

static const char cgroup_folder[] = "/sys/fs/cgroup";

/* What lies in the planted home for whoever looks there. */
static const char *const planted[][2] = {
    {".env", "API_TOKEN=this-home-is-a-decoy\n"},
    {".ssh/id_ed25519",
     "-----BEGIN OPENSSH PRIVATE KEY-----\nthis home is a decoy\n-----END OPENSSH PRIVATE KEY-----\n"},
    {".bashrc", "# this home is a decoy\n"},
};

/* A clone that may be written; `map`: a user namespace for mapped ids, or -1. */
static int clone_writable(const char *path, int map)
{
    struct mount_attr attr = {.attr_set = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, .propagation = MS_PRIVATE};
    int tree = open_tree(AT_FDCWD, path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | (map < 0 ? AT_RECURSIVE : 0));

    if (tree >= 0 && map >= 0) {
        attr.attr_set |= MOUNT_ATTR_IDMAP;
        attr.userns_fd = (uint64_t)map;
    }
    if (tree < 0 || mount_setattr(tree, "", AT_EMPTY_PATH | (map < 0 ? AT_RECURSIVE : 0), &attr, sizeof attr)) {
        int result = -errno;
        close_descriptor(&tree);
        return result;
    }
    return tree;
}

/* As root the program is another user: the folder becomes that user's. */
static int clone_folder(const char *folder, const struct privilege_ids *ids, struct err *err)
{
    struct idmap_cache *maps = NULL;
    struct stat status;
    int map = -1, tree;

    if (ids->root && stat(folder, &status) == 0) {
        map = idmap_find(&maps, status.st_uid, status.st_gid);
    }
    tree = clone_writable(folder, map);
    idmap_done(maps);
    return tree < 0 ? err_errno(err, tree, "cannot make a decoy cell: cloning %s", folder) : tree;
}

/* The supervisor in it still makes control groups; where mounts are off, the program would see them too. */
static int add_cgroups(struct view *view)
{
    int tree = access(cgroup_folder, F_OK) == 0 ? clone_writable(cgroup_folder, -1) : -1;

    if (tree >= 0 && !view_add(view, PLACE_SYSTEM, cgroup_folder, tree, true, 0)) {
        close(tree);
        return -ENOMEM;
    }
    return 0;
}

static int plan(const struct sandbox_request *request, const struct privilege_ids *ids, struct view *view,
                struct err *err)
{
    struct policy nothing = {0};
    struct cell_options options = {.request = request, .granted = &nothing};
    int result = policy_parse("none", &nothing, err);

    result = result ? result : view_plan(&options, ids, false, false, false, view, err);
    policy_done(&nothing);
    if (!result && !(request->without & 1u << LAYER_MOUNTS)) {
        result = add_cgroups(view) ? view_no_room(err) : 0;
    }
    view->execute = true;
    return result;
}

static int plant(const char *home, struct err *err)
{
    int folder = *home ? open(home, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;

    if (folder < 0) {
        return *home ? err_errno(err, -errno, "cannot make a decoy cell: %s", home) : 0;
    }
    mkdirat(folder, ".ssh", 0700);
    for (size_t i = 0; i < sizeof planted / sizeof *planted; i++) {
        size_t len = strlen(planted[i][1]);
        int fd = openat(folder, planted[i][0], O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        if (fd < 0 || write(fd, planted[i][1], len) != (ssize_t)len) {
            int result = err_errno(err, -errno, "cannot make a decoy cell: planting %s", planted[i][0]);
            close_descriptor(&fd);
            close(folder);
            return result;
        }
        close(fd);
    }
    close(folder);
    return 0;
}

static int switch_on_loopback(void)
{
    struct ifreq loopback = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING};
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    int result = fd < 0 || ioctl(fd, SIOCSIFFLAGS, &loopback) ? -errno : 0;

    close_descriptor(&fd);
    return result;
}

/* The caller holds the socket from now on, and hears who comes; the program cannot reach it but by the network. */
static int listen_for_caller(const struct sandbox_request *request)
{
    struct sockaddr_in everywhere = {
        .sin_family = AF_INET, .sin_addr = {INADDR_ANY}, .sin_port = htons(request->decoy_port)};
    char what = 'l';
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    int result = fd < 0 || bind(fd, (struct sockaddr *)&everywhere, sizeof everywhere) || listen(fd, SOMAXCONN) ? -errno : 0;

    result = result ? result : wire_send(request->decoy_socket, &what, 1, &fd, 1, false);
    close_descriptor(&fd);
    return result;
}

/*
 * A second one on top, read-write: the supervisor in it writes the cells' maps of ids there. While the host's is still
 * attached, since without one like it a user may mount none.
 */
static int renew_proc(struct err *err)
{
    if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, "subset=pid")) {
        return err_errno(err, -errno, "cannot make a decoy cell: its /proc");
    }
    return 0;
}

/* What is made belongs to the program's user. */
static int build_as_user(const struct privilege_ids *ids, struct view *view, struct err *err)
{
    struct view_built built = {.root_dir = -1, .out_dir = -1, .writes_dir = -1};
    int result;

    if (ids->root) {
        setfsgid(NOBODY);
        setfsuid(NOBODY);
    }
    result = view_build(view, &built, err);
    result = result ? result : plant(view->home, err);
    if (ids->root) {
        setfsuid(0);
        setfsgid(0);
    }
    close_descriptor(&built.root_dir);
    close_descriptor(&built.out_dir);
    close_descriptor(&built.writes_dir);
    return result;
}

static int build(const struct sandbox_request *request, const struct privilege_ids *ids, int folder, struct err *err)
{
    struct view view = {.root_lower = -1};
    int result = plan(request, ids, &view, err);

    result = result ? result : build_as_user(ids, &view, err);
    result = result ? result : renew_proc(err);
    result = result ? result : view_leave_host(err);
    if (!result && (move_mount(folder, "", AT_FDCWD, request->decoy, MOVE_MOUNT_F_EMPTY_PATH) || chdir("/"))) {
        result = err_errno(err, -errno, "cannot make a decoy cell: entering the throw-away folder");
    }
    view_done(&view);
    return result;
}

/* In the new process, pid 1 of the decoy. */
static int make_world(const struct sandbox_request *request, const struct privilege_ids *ids, int folder,
                      struct err *err)
{
    int result;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    result = switch_on_loopback();
    if (result) {
        return err_errno(err, result, "cannot make a decoy cell: its loopback device");
    }
    result = request->decoy_socket < 0 ? 0 : listen_for_caller(request);
    if (result) {
        return err_errno(err, result, "cannot make a decoy cell: its listener");
    }
    if (sethostname("decoy", 5) || chdir("/")) {
        return err_errno(err, -errno, "cannot make a decoy cell: naming its host");
    }
    return build(request, ids, folder, err);
}

/* The clone is made before the pid namespace: its map of ids needs a process that /proc knows. */
static int leave(const char *folder, const struct privilege_ids *ids, int *ret_folder, struct err *err)
{
    if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL)) {
        return err_errno(err, -errno, "cannot make a decoy cell: making its mounts private");
    }
    *ret_folder = clone_folder(folder, ids, err);
    if (*ret_folder < 0) {
        return *ret_folder;
    }
    if (unshare(CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWPID)) {
        return err_errno(err, -errno, "cannot make a decoy cell: making its namespaces");
    }
    return 0;
}

int decoy_enter(const struct sandbox_request *request, struct err *err)
{
    struct privilege_ids ids;
    int folder = -1, result;
    pid_t child;

    if (strcmp(request->decoy, "/") == 0 || !path_is_within(request->root, request->decoy)) {
        return err_set(err, -EINVAL, "a decoy cell is made around a throw-away folder that holds the root, not %s",
                       request->decoy);
    }
    privilege_ids_find(&ids);
    result = leave(request->decoy, &ids, &folder, err);
    if (result) {
        return result;
    }
    cgroup_set_maker(getpid()); /* this one waits for the other, whose number the host does not know */
    child = fork();
    if (child < 0) {
        return err_errno(err, -errno, "cannot make a decoy cell: making its first process");
    }
    if (child > 0) {
        close_range(0, ~0U, 0);
        while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {
        }
        _exit(0);
    }
    result = make_world(request, &ids, folder, err);
    close(folder);
    return result;
}
