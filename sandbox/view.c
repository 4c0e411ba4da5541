/*
 * Builds the cell's view, in the cell's init: a small tmpfs as the root, the
 * planned mounts put on it, one sized tmpfs for everything that the program
 * may write. What is not private is read-only.
 */
#include "view_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "confine_internal.h"
#include "kernel_internal.h"

enum { BRIDGES_MAX = 64, ROOT_BYTES = 1 << 20, PRIVATE_FILES = 32768 };

/* The work of building; lives in init alone, which ends with it. */
struct builder {
    struct view *view;
    struct err *err;
    int root;    /* the new root's tmpfs */
    int private; /* the private tmpfs; its folders are cloned to where they are shown */
    struct {
        char path[PATH_MAX];
        int fd;
    } bridges[BRIDGES_MAX];
    size_t bridge_count;
};

static int fail(struct builder *builder, const char *what, const char *path)
{
    int result = -errno;

    return err_errno(builder->err, result, "cannot make the sandbox's files: %s %s", what, path);
}

/* ---- file systems ------------------------------------------------------------------------------------------------ */

/* Mounts a tmpfs over `at` and makes it the working folder. */
static int cover(struct builder *builder, const char *at, unsigned long flags, const char *options, int *ret_fd)
{
    if (mount("techo", at, "tmpfs", flags, options) || chdir(at)) {
        return fail(builder, "mounting a tmpfs on", at);
    }
    *ret_fd = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    return *ret_fd < 0 ? fail(builder, "opening", at) : 0;
}

/* What may be written, each with an upper layer of its own. */
static int make_writes(struct builder *builder)
{
    struct view *view = builder->view;
    size_t index = 0;
    int result = 0;

    for (size_t i = 0; i < view->count && !result; i++) {
        if (view->list[i].write) {
            result = view_make_write(view, &view->list[i], index++, builder->err);
        }
    }
    return result;
}

static int make_private(struct builder *builder, int *ret_overlay)
{
    unsigned long flags = MS_NOSUID | MS_NODEV | (builder->view->execute ? 0 : MS_NOEXEC);
    uint64_t bytes = builder->view->disk < 4096 ? 4096 : builder->view->disk;
    char options[128];
    int result;

    snprintf(options, sizeof options, "mode=755,size=%llu,nr_inodes=%d", (unsigned long long)bytes, PRIVATE_FILES);
    result = cover(builder, "/tmp", flags, options, &builder->private);
    if (result) {
        return result;
    }
    if (mkdir("tmp", 01777) || mkdir("shm", 01777) || mkdir("home", 0700) || mkdir("out", 0755) ||
        mkdir("bridges", 0755) || mkdir("writes", 0700)) {
        return fail(builder, "making", "the private folders");
    }
    result = make_writes(builder);
    return !result && builder->view->root_lower >= 0 ? view_make_root(builder->view, ret_overlay, builder->err) : result;
}

static int make_root(struct builder *builder)
{
    uint64_t bytes = ROOT_BYTES;
    char options[128];

    for (size_t i = 0; i < builder->view->count; i++) {
        const struct sandbox_inject *inject = builder->view->list[i].inject;
        bytes += inject ? inject->len + 8192 : 4096;
    }
    snprintf(options, sizeof options, "mode=755,size=%llu,nr_inodes=16384", (unsigned long long)bytes);
    return cover(builder, "/tmp", MS_NOSUID | MS_NODEV | MS_NOEXEC, options, &builder->root);
}

/* ---- places ------------------------------------------------------------------------------------------------------ */

static const char *below_root(const char *path)
{
    return path[0] == '/' && path[1] ? path + 1 : ".";
}

/* Never through a symlink: what was planned has none. */
static int open_below(struct builder *builder, const char *path, uint64_t flags, uint64_t mode)
{
    int fd = kernel_openat2(builder->root, below_root(path), flags | O_NOFOLLOW | O_CLOEXEC, mode,
                            RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS);

    return fd < 0 ? -errno : fd;
}

static int open_place(struct builder *builder, const char *path)
{
    return open_below(builder, path, O_PATH, 0);
}

static int put(int tree, int place)
{
    return move_mount(tree, "", place, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) ? -errno : 0;
}

/* The first segment of `path` below a private folder, in `bridge`; false when it is not below one, or just that. */
static bool find_bridge(const struct builder *builder, const char *path, bool file, char bridge[PATH_MAX])
{
    const struct view_entry *deepest = NULL;
    size_t len = 0;

    for (size_t i = 0; i < builder->view->count; i++) {
        const struct view_entry *entry = &builder->view->list[i];
        size_t own = strlen(entry->place.path);
        if (entry->place.kind == PLACE_PRIVATE && strcmp(entry->source, "out") != 0 && own > len &&
            strcmp(path, entry->place.path) != 0 && path_is_within(path, entry->place.path)) {
            deepest = entry;
            len = own;
        }
    }
    if (!deepest) {
        return false;
    }
    size_t end = len + 1 + strcspn(path + len + 1, "/");
    if (end >= PATH_MAX || (!path[end] && !file)) {
        return false;
    }
    memcpy(bridge, path, end);
    bridge[end] = '\0';
    return true;
}

/*
 * What leads to a place below a private folder is not the program's to rename
 * or fill: the first segment is a read-only mount of its own, a bridge.
 */
static int make_bridge(struct builder *builder, const char *bridge, bool folder)
{
    char source[64];
    int tree, place, result;

    for (size_t i = 0; i < builder->bridge_count; i++) {
        if (!strcmp(builder->bridges[i].path, bridge)) {
            return 0;
        }
    }
    if (builder->bridge_count == BRIDGES_MAX) {
        errno = EMFILE;
        return fail(builder, "leading to", bridge);
    }
    snprintf(source, sizeof source, "bridges/%zu", builder->bridge_count);
    if ((folder ? mkdirat(builder->private, source, 0755) : mknodat(builder->private, source, S_IFREG | 0644, 0)) ||
        ((folder ? mkdirat(builder->root, below_root(bridge), 0755)
                 : mknodat(builder->root, below_root(bridge), S_IFREG | 0444, 0)) &&
         errno != EEXIST)) {
        return fail(builder, "leading to", bridge);
    }
    tree = open_tree(builder->private, source, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
    place = open_place(builder, bridge);
    result = tree < 0 || place < 0 ? -errno : put(tree, place);
    close_descriptor(&place);
    if (result) {
        close_descriptor(&tree);
        errno = -result;
        return fail(builder, "leading to", bridge);
    }
    snprintf(builder->bridges[builder->bridge_count].path, PATH_MAX, "%s", bridge);
    builder->bridges[builder->bridge_count++].fd = tree;
    return 0;
}

/* Makes the folders that lead to `path`, as far as they are missing. */
static int make_parents(struct builder *builder, const char *path, bool file)
{
    char part[PATH_MAX];

    if (find_bridge(builder, path, file, part)) {
        int result = make_bridge(builder, part, !file || strcmp(part, path) != 0);
        if (result) {
            return result;
        }
    }
    if (snprintf(part, sizeof part, "%s", path) >= (int)sizeof part) {
        errno = ENAMETOOLONG;
        return fail(builder, "making", path);
    }
    for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdirat(builder->root, part + 1, 0755) && errno != EEXIST) {
            return fail(builder, "making the folder", part);
        }
        *slash = '/';
    }
    return 0;
}

/* Makes the place of a mount; it may be there already. */
static int make_node(struct builder *builder, const char *path, bool folder)
{
    int result = folder ? mkdirat(builder->root, below_root(path), 0755)
                        : mknodat(builder->root, below_root(path), S_IFREG | 0444, 0);

    return result && errno != EEXIST && errno != EROFS ? -errno : 0;
}

/* Opens the place of a mount, making it first where it is missing. */
static int make_place(struct builder *builder, const char *path, bool folder, int *ret_fd)
{
    char bridge[PATH_MAX];
    bool bridged = find_bridge(builder, path, false, bridge);
    int fd = bridged ? open_place(builder, path) : -ENOENT; /* in an overlay it may be there already */
    int result = bridged ? -ENOENT : make_node(builder, path, folder);

    if (fd >= 0) {
        *ret_fd = fd;
        return 0;
    }
    if (result == -ENOENT) {
        result = make_parents(builder, path, false);
        if (result) {
            return result;
        }
        result = make_node(builder, path, folder);
    }
    fd = result ? result : open_place(builder, path);
    if (fd < 0) {
        errno = -fd;
        return fail(builder, "making a place for", path);
    }
    *ret_fd = fd;
    return 0;
}

static int put_mount(struct builder *builder, const char *path, bool folder, int tree)
{
    int place = -1, result = make_place(builder, path, folder, &place);

    if (result) {
        return result;
    }
    result = put(tree, place);
    close(place);
    if (result) {
        errno = -result;
        return fail(builder, "mounting", path);
    }
    return 0;
}

static int put_link(struct builder *builder, const struct view_entry *entry)
{
    int result = make_parents(builder, entry->place.path, false);

    /* within what is shown already, it is there already */
    if (!result && symlinkat(entry->link, builder->root, below_root(entry->place.path)) && errno != EEXIST &&
        errno != EROFS) {
        return fail(builder, "linking", entry->place.path);
    }
    return result;
}

static int put_file(struct builder *builder, const char *path, const void *data, size_t len)
{
    const uint64_t flags = O_WRONLY | O_CREAT | O_TRUNC;
    char bridge[PATH_MAX];
    int fd = find_bridge(builder, path, true, bridge) ? -ENOENT : open_below(builder, path, flags, 0444);

    if (fd == -ENOENT) {
        int result = make_parents(builder, path, true);
        if (result) {
            return result;
        }
        fd = open_below(builder, path, flags, 0444);
    }
    if (fd < 0) {
        errno = -fd;
        return fail(builder, "writing", path);
    }
    for (size_t done = 0; done < len;) {
        ssize_t wrote = write(fd, (const char *)data + done, len - done);
        if (wrote < 0 && errno != EINTR) {
            close(fd);
            return fail(builder, "writing", path);
        }
        done += wrote > 0 ? (size_t)wrote : 0;
    }
    close(fd);
    return 0;
}

static int put_private(struct builder *builder, struct view_entry *entry)
{
    entry->fd = open_tree(builder->private, entry->source, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
    if (entry->fd < 0) {
        return fail(builder, "cloning", entry->place.path);
    }
    return put_mount(builder, entry->place.path, true, entry->fd);
}

static int put_entry(struct builder *builder, struct view_entry *entry)
{
    if (entry->link) {
        return put_link(builder, entry);
    }
    if (entry->inject) {
        int result = put_file(builder, entry->place.path, entry->inject->data, entry->inject->len);
        entry->fd = result ? -1 : open_place(builder, entry->place.path);
        return result;
    }
    if (entry->source) {
        return put_private(builder, entry);
    }
    return entry->fd < 0 ? 0 : put_mount(builder, entry->place.path, entry->place.folder, entry->fd);
}

/* ---- what is the same in every cell ------------------------------------------------------------------------------ */

static int make_links(struct builder *builder)
{
    static const char *const links[][2] = {{"/proc/self/fd", "dev/fd"},
                                           {"/proc/self/fd/0", "dev/stdin"},
                                           {"/proc/self/fd/1", "dev/stdout"},
                                           {"/proc/self/fd/2", "dev/stderr"}};

    if (mkdir("dev", 0755) || mkdir("etc", 0755) || mkdir("proc", 0555)) {
        return fail(builder, "making", "/dev, /etc and /proc");
    }
    for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
        if (symlink(links[i][0], links[i][1])) {
            return fail(builder, "linking", links[i][1]);
        }
    }
    if (builder->view->zone[0] && symlink(builder->view->zone, "etc/localtime")) {
        return fail(builder, "linking", "/etc/localtime");
    }
    return 0;
}

/* Just enough for libc: one user, no services, names by the stub on 127.0.0.1. */
static int make_etc(struct builder *builder)
{
    const struct view *view = builder->view;
    const char *home = view->home[0] ? view->home : "/";
    char passwd[PATH_MAX + 128], group[64];
    const char *const files[][2] = {
        {"/etc/passwd", passwd},
        {"/etc/group", group},
        {"/etc/hosts", "127.0.0.1 localhost sandbox\n::1 localhost sandbox\n"},
        {"/etc/resolv.conf", "nameserver 127.0.0.1\n"},
        {"/etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n"},
    };

    snprintf(passwd, sizeof passwd, "user:x:%u:%u::%s:/bin/sh\n", view->uid, view->gid, home);
    snprintf(group, sizeof group, "user:x:%u:\n", view->gid);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        int result = put_file(builder, files[i][0], files[i][1], strlen(files[i][1]));
        if (result) {
            return result;
        }
    }
    struct view_entry *etc = view_add(builder->view, PLACE_SYSTEM, "/etc", -1, true, LANDLOCK_LOOK);
    if (etc) {
        etc->fd = open_place(builder, "/etc");
    }
    return etc ? 0 : err_set(builder->err, -ENOMEM, "the sandbox shows too many files");
}

/* A container that masks parts of /proc is refused a new one; programs can do without. */
static int make_proc(struct builder *builder, struct view_built *built)
{
    if (mount("proc", "proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_RDONLY, "subset=pid")) {
        built->without_proc = errno;
        return 0;
    }
    struct view_entry *proc = view_add(builder->view, PLACE_SYSTEM, "/proc", -1, true, LANDLOCK_LOOK);
    if (proc) {
        proc->fd = open_place(builder, "/proc");
    }
    return proc ? 0 : err_set(builder->err, -ENOMEM, "the sandbox shows too many files");
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static int make_everything(struct builder *builder, struct view_built *built)
{
    struct view *view = builder->view;
    size_t count = view->count;
    int overlay = -1, result;
    bool rooted = false;

    result = make_private(builder, &overlay);
    result = result ? result : make_root(builder);
    result = result ? result : make_links(builder);
    result = result ? result : make_etc(builder);
    result = result ? result : make_proc(builder, built);
    for (size_t i = 0; i < count && !result; i++) {
        bool below = view->list[i].inject && overlay >= 0 && path_is_within(view->list[i].place.path, view->root);
        if (below) {
            return err_set(builder->err, -EROFS, "%s lies in a folder that is granted", view->list[i].place.path);
        }
        if (view->list[i].late && !rooted) {
            rooted = true;
            result = overlay >= 0 ? put_mount(builder, view->root, true, overlay) : 0;
        }
        result = result ? result : put_entry(builder, &view->list[i]);
    }
    if (!result && overlay >= 0 &&
        !view_add(view, PLACE_GRANT, view->root, overlay, true,
                  LANDLOCK_LOOK | (view->root_execute ? LANDLOCK_EXECUTE : 0))) {
        return err_set(builder->err, -ENOMEM, "the sandbox shows too many files");
    }
    return result;
}

/* Takes the new root for its own; makes what only led to places read-only. */
static int enter(struct builder *builder, struct view_built *built)
{
    struct mount_attr sealed = {.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV};

    if (kernel_pivot_root(".", ".") || chdir("/")) {
        return fail(builder, "entering", "the new root");
    }
    if (mount_setattr(AT_FDCWD, "/", 0, &sealed, sizeof sealed)) {
        return fail(builder, "sealing", "/");
    }
    for (size_t i = 0; i < builder->bridge_count; i++) {
        if (mount_setattr(builder->bridges[i].fd, "", AT_EMPTY_PATH, &sealed, sizeof sealed)) {
            return fail(builder, "sealing", builder->bridges[i].path);
        }
    }
    built->root_dir = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (built->root_dir < 0 || chdir(builder->view->root)) {
        return fail(builder, "entering", builder->view->root);
    }
    built->writes_dir = openat(builder->private, "writes", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    built->out_dir = open("out", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return built->out_dir < 0 ? fail(builder, "opening", "./out") : 0;
}

int view_leave_host(struct err *err)
{
    if (chdir("/") || umount2(".", MNT_DETACH)) { /* pivot_root put the old root on top of the new */
        return err_errno(err, -errno, "cannot make the sandbox's files: leaving the host's");
    }
    return 0;
}

int view_build(struct view *view, struct view_built *ret_built, struct err *err)
{
    struct builder *builder = calloc(1, sizeof *builder); /* too big for a small stack; init ends with it */
    int result;

    *ret_built = (struct view_built){.root_dir = -1, .out_dir = -1, .writes_dir = -1};
    if (!builder) {
        return err_set(err, -ENOMEM, "no memory");
    }
    builder->view = view; /* no assignment of the whole: it would touch every page of the room for bridges */
    builder->err = err;
    builder->root = builder->private = -1;
    umask(0);
    result = make_everything(builder, ret_built);
    result = result ? result : enter(builder, ret_built);
    umask(022);
    free(builder);
    return result;
}
