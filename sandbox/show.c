/*
 * Makes the folders that lead to a path, as far as they are missing, and a
 * place for the file. They are made through a writable clone that nobody else
 * can reach, so the view itself stays read-only all the time.
 */
#include "show_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base.h"

/* A clone of the folder's mount, on which things can be made; never of what is the host's. */
static int open_writable(const struct show_places *places, int folder)
{
    struct mount_attr writable = {.attr_clr = MOUNT_ATTR_RDONLY, .propagation = MS_PRIVATE};
    struct stat info;
    int tree;

    if (fstat(folder, &info)) {
        return -errno;
    }
    if (info.st_dev != places->root && info.st_dev != places->private) {
        return -EROFS;
    }
    tree = open_tree(folder, "", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH);
    if (tree >= 0 && mount_setattr(tree, "", AT_EMPTY_PATH, &writable, sizeof writable)) {
        int result = -errno;
        close(tree);
        return result;
    }
    return tree < 0 ? -errno : tree;
}

static int make_node(const struct show_places *places, int folder, const char *name, bool is_folder)
{
    int tree = open_writable(places, folder), result;

    if (tree < 0) {
        return tree;
    }
    result = is_folder ? mkdirat(tree, name, 0755) : mknodat(tree, name, S_IFREG | 0444, 0);
    result = result && errno != EEXIST ? -errno : 0;
    close(tree);
    return result;
}

/* The next folder or the file itself, made where it is missing; never through a link. */
static int step_into(const struct show_places *places, int folder, const char *name, bool is_folder)
{
    const int flags = O_PATH | O_NOFOLLOW | O_CLOEXEC | (is_folder ? O_DIRECTORY : 0);
    int fd = openat(folder, name, flags);

    if (fd < 0 && errno == ENOENT) {
        int result = make_node(places, folder, name, is_folder);
        if (result) {
            return result;
        }
        fd = openat(folder, name, flags);
    }
    return fd < 0 ? -errno : fd;
}

static int open_place(const struct show_places *places, const char *path)
{
    char name[NAME_MAX + 1];
    int folder = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);

    for (const char *at = path + strspn(path, "/"); folder >= 0 && *at;) {
        size_t len = strcspn(at, "/");
        const char *rest = at + len + strspn(at + len, "/");
        int next = -ENAMETOOLONG;
        if (len <= NAME_MAX) {
            memcpy(name, at, len);
            name[len] = '\0';
            next = step_into(places, folder, name, *rest != '\0');
        }
        close(folder);
        folder = next;
        at = rest;
    }
    return folder;
}

int show_put(const struct show_places *places, const char *path, int tree)
{
    struct stat info;
    int place = open_place(places, path), result = 0;

    if (place < 0) {
        return place;
    }
    if (fstat(place, &info) || !S_ISREG(info.st_mode)) {
        result = -EEXIST;
    } else if (move_mount(tree, "", place, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH)) {
        result = -errno;
    }
    close(place);
    return result;
}
