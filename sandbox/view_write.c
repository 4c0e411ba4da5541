/*
 * Overlays, in the cell's init: the root folder's, which is read-only, and what
 * may be written: one per grant, of which only
 * the upper layer is the program's. The layers lie in the run's private file
 * system, which is the working folder here and whose size is the limit `disk`.
 */
#include "view_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

int view_make_overlay(const char *lower, const char *upper, const char *work, unsigned attributes)
{
    const char *const options[][2] = {{"lowerdir", lower}, {"upperdir", upper}, {"workdir", work}};
    int fs = fsopen("overlay", FSOPEN_CLOEXEC), fd = -1;
    bool failed = fs < 0 || fsconfig(fs, FSCONFIG_SET_FLAG, "userxattr", NULL, 0);

    for (size_t i = 0; i < sizeof options / sizeof *options && !failed; i++) {
        failed = options[i][1] && fsconfig(fs, FSCONFIG_SET_STRING, options[i][0], options[i][1], 0);
    }
    if (!failed && !fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0)) {
        fd = fsmount(fs, FSMOUNT_CLOEXEC, attributes | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
    }
    int result = fd < 0 ? -errno : fd;
    close_descriptor(&fs);
    return result;
}

static int make_folders(char *path, size_t start)
{
    for (char *slash = strchr(path + start, '/');; slash = strchr(slash + 1, '/')) {
        if (slash) {
            *slash = '\0';
        }
        if (mkdir(path, 0755) && errno != EEXIST) {
            return -errno;
        }
        if (!slash) {
            return 0;
        }
        *slash = '/';
    }
}

/* Where the root folder lies within what may be written, ./out is mounted on it. */
static int make_out(const struct view *view, const struct write_pin *pin, const char *upper)
{
    size_t len = strcmp(pin->path, "/") ? strlen(pin->path) : 0;
    char path[PATH_MAX];

    if (pin->name || !path_is_within(view->root, pin->path)) {
        return 0;
    }
    if (snprintf(path, sizeof path, "%s%s/out", upper, view->root + len) >= (int)sizeof path) {
        return -ENAMETOOLONG;
    }
    return make_folders(path, strlen(upper) + 1);
}

/* The folders of one grant, and a place for a file that does not exist yet: its time 0 says that nobody touched it. */
static int make_layers(const struct write_pin *pin, const char *base)
{
    static const char *const names[] = {"upper", "work", "lower", "merged"};
    const struct timespec never[2] = {{0}};
    char path[PATH_MAX];

    if (mkdir(base, 0755)) {
        return -errno;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", base, names[i]);
        if (mkdir(path, 0755)) {
            return -errno;
        }
    }
    if (!pin->name || pin->exists) {
        return 0;
    }
    snprintf(path, sizeof path, "%s/upper/%s", base, pin->name);
    return mknod(path, S_IFREG | 0644, 0) || utimensat(AT_FDCWD, path, never, 0) ? -errno : 0;
}

/* The folder as the program shall see it, of which `*ret_shown` is the path here. */
static int make_shown(const struct view *view, struct view_entry *entry, const char *base, char ret_shown[PATH_MAX])
{
    char lower[64], upper[64], work[64], merged[64];
    struct stat folder;
    int overlay;

    snprintf(upper, sizeof upper, "%s/upper", base);
    int result = make_out(view, entry->write, upper);
    if (result) {
        return result;
    }
    snprintf(ret_shown, PATH_MAX, "%s", upper);
    if (entry->lower < 0) {
        return 0;
    }
    snprintf(lower, sizeof lower, "%s/lower", base);
    snprintf(work, sizeof work, "%s/work", base);
    snprintf(merged, sizeof merged, "%s/merged", base);
    /* of a merged folder the upper one's mode counts */
    if (fstat(entry->lower, &folder) || chmod(upper, folder.st_mode & 0777) ||
        move_mount(entry->lower, "", AT_FDCWD, lower, MOVE_MOUNT_F_EMPTY_PATH)) {
        return -errno;
    }
    overlay = view_make_overlay(lower, upper, work, view->execute ? 0 : MOUNT_ATTR_NOEXEC);
    if (overlay < 0) {
        return overlay;
    }
    result = move_mount(overlay, "", AT_FDCWD, merged, MOVE_MOUNT_F_EMPTY_PATH) ? -errno : 0;
    close(overlay);
    snprintf(ret_shown, PATH_MAX, "%s", merged);
    return result;
}

int view_make_write(const struct view *view, struct view_entry *entry, size_t index, struct err *err)
{
    const struct write_pin *pin = entry->write;
    char base[32], shown[PATH_MAX];
    int result;

    snprintf(base, sizeof base, "writes/%zu", index);
    result = make_layers(pin, base);
    result = result ? result : make_shown(view, entry, base, shown);
    if (!result && pin->name) {
        size_t len = strlen(shown);
        snprintf(shown + len, sizeof shown - len, "/%s", pin->name);
    }
    if (!result) {
        entry->fd = open_tree(AT_FDCWD, shown, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_SYMLINK_NOFOLLOW);
        result = entry->fd < 0 ? -errno : 0;
    }
    return result ? err_errno(err, result, "cannot make the sandbox's files: making %s writable", pin->path) : 0;
}

/* Makes in the upper layer of the root folder a place for what may be written below it and does not exist yet. */
static int make_upper_place(const struct view *view, const struct write_pin *pin)
{
    size_t root = strcmp(view->root, "/") ? strlen(view->root) : 0;
    char path[PATH_MAX];
    int len = snprintf(path, sizeof path, "upper%s", pin->path + root);

    if (len < 0 || len >= (int)sizeof path) {
        return -ENAMETOOLONG;
    }
    for (char *slash = strchr(path + 6, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(path, 0755) && errno != EEXIST) {
            return -errno;
        }
        *slash = '/';
    }
    return (pin->name ? mknod(path, S_IFREG | 0644, 0) : mkdir(path, 0755)) && errno != EEXIST ? -errno : 0;
}

/* The root folder, with a place for ./out and for what is missing above what the host has there. */
int view_make_root(const struct view *view, int *ret_fd, struct err *err)
{
    unsigned attributes = MOUNT_ATTR_RDONLY | (view->root_execute ? 0 : MOUNT_ATTR_NOEXEC);
    int fd, result = 0;

    if (mkdir("lower", 0755) || mkdir("upper", 0755) || mkdir("upper/out", 0755) ||
        move_mount(view->root_lower, "", AT_FDCWD, "lower", MOVE_MOUNT_F_EMPTY_PATH)) {
        return err_errno(err, -errno, "cannot make the sandbox's files: preparing the overlay of %s", view->root);
    }
    for (size_t i = 0; i < view->count && !result; i++) {
        const struct write_pin *pin = view->list[i].write;
        if (pin && !pin->exists && path_is_within(pin->path, view->root)) {
            result = make_upper_place(view, pin);
        }
    }
    fd = result ? result : view_make_overlay("upper:lower", NULL, NULL, attributes);
    if (fd < 0) {
        return err_errno(err, fd, "cannot make the sandbox's files: making the overlay of %s", view->root);
    }
    *ret_fd = fd;
    return 0;
}
