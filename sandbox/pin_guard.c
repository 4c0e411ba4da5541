/*
 * With --direct a granted folder is the host's own. What lies in it under a
 * protected name, or has a second name elsewhere, is pinned so that it can be
 * shown read-only; afterwards, what has come to a protected name is removed.
 */
#include "pin_internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel_internal.h"
#include "protect_internal.h"
#include "view_internal.h"

enum { GUARDS_MAX = 256, SEEN_MAX = 100000, DEPTH_MAX = 64 };

struct search {
    struct pins *pins;
    const struct write_pin *write;
    const char *const *own;
    size_t seen;
    char path[PATH_MAX];
    struct err *err;
    pin_stray_fn stray; /* NULL: pins what is found */
    void *context;
};

static bool is_guarded(const struct pins *pins, const struct stat *info)
{
    for (size_t i = 0; i < pins->guard_count; i++) {
        if (pins->guards[i].device == info->st_dev && pins->guards[i].inode == info->st_ino) {
            return true;
        }
    }
    return false;
}

static int add_guard(struct search *search, int folder, const char *name, const struct stat *info)
{
    struct pins *pins = search->pins;
    struct pin *list, guard = {.item = search->write->item,
                               .device = info->st_dev,
                               .inode = info->st_ino,
                               .folder = S_ISDIR(info->st_mode)};

    if (pins->guard_count == GUARDS_MAX) {
        return err_set(search->err, -EOPNOTSUPP, "--direct: %s holds more than %d protected or doubly named files",
                       search->write->path, GUARDS_MAX);
    }
    list = realloc(pins->guards, (pins->guard_count + 1) * sizeof *list);
    if (list) {
        pins->guards = list;
    }
    guard.path = list ? strdup(search->path) : NULL;
    if (!guard.path) {
        return err_set(search->err, -ENOMEM, "no memory");
    }
    guard.fd = openat(folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (guard.fd < 0) {
        free(guard.path);
        return err_errno(search->err, -errno, "--direct: cannot open %s", search->path);
    }
    list[pins->guard_count++] = guard;
    return 0;
}

static int walk(struct search *search, int folder, size_t len, int depth);

static int look_at(struct search *search, int folder, const char *name, size_t len, int depth)
{
    struct stat info;
    int fd, result;

    if (fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW)) {
        return 0; /* gone meanwhile */
    }
    bool protected = protect_is(search->path, search->own);
    if (search->stray) {
        if (protected && !is_guarded(search->pins, &info)) {
            search->stray(search->context, folder, name, search->path);
            return 0;
        }
    } else if ((protected && !S_ISLNK(info.st_mode)) || (S_ISREG(info.st_mode) && info.st_nlink > 1)) {
        return add_guard(search, folder, name, &info);
    }
    if (protected || !S_ISDIR(info.st_mode)) {
        return 0;
    }
    fd = kernel_openat2(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0,
                        RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV);
    if (fd < 0) {
        return 0; /* another file system, or not ours to read: not in the program's view either */
    }
    result = walk(search, fd, len, depth + 1);
    close(fd);
    return result;
}

static int walk(struct search *search, int folder, size_t len, int depth)
{
    int copy = depth > DEPTH_MAX ? -1 : openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), result = 0;
    DIR *list = copy < 0 ? NULL : fdopendir(copy);

    if (!list) {
        close_descriptor(&copy);
        return err_set(search->err, -EIO, "--direct: cannot look through %s", search->path);
    }
    for (struct dirent *entry; !result && (entry = readdir(list));) {
        size_t room = sizeof search->path - len;
        int more = snprintf(search->path + len, room, "/%s", entry->d_name);
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") || more < 0 || (size_t)more >= room) {
            continue;
        }
        result = ++search->seen > SEEN_MAX ? err_set(search->err, -EOPNOTSUPP, "--direct: %s holds more than %d files",
                                                     search->write->path, SEEN_MAX)
                                           : look_at(search, folder, entry->d_name, len + (size_t)more, depth);
    }
    search->path[len] = '\0';
    closedir(list);
    return result;
}

static int search_all(struct search *search)
{
    int result = 0;

    for (size_t i = 0; i < search->pins->write_count && !result; i++) {
        search->write = &search->pins->writes[i];
        if (search->write->name) {
            continue;
        }
        int fd = openat(search->write->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        snprintf(search->path, sizeof search->path, "%s", search->write->path);
        result = fd < 0 ? err_errno(search->err, -errno, "--direct: cannot open %s", search->path)
                        : walk(search, fd, strlen(search->path), 0);
        close_descriptor(&fd);
    }
    return result;
}

/* Direct grants are mounts of what is there. */
static int check_direct(const struct write_pin *pin, const char *root, struct err *err)
{
    struct stat info;

    if (!pin->exists) {
        return err_set(err, -EOPNOTSUPP, "--direct: %s does not exist: make it first", pin->path);
    }
    if (!pin->name && path_is_within(root, pin->path)) {
        return err_set(err, -EOPNOTSUPP, "--direct: %s holds the session's folder; name a folder below it", pin->path);
    }
    if (pin->name && (fstatat(pin->fd, pin->name, &info, AT_SYMLINK_NOFOLLOW) || info.st_nlink > 1)) {
        return err_set(err, -EOPNOTSUPP, "--direct: %s has another name (a hard link), which would change, too",
                       pin->path);
    }
    return 0;
}

int pins_guard(struct pins *pins, const char *root, const char *const *own, struct err *err)
{
    struct search *search;
    int result = 0;

    for (size_t i = 0; i < pins->write_count && !result; i++) {
        result = check_direct(&pins->writes[i], root, err);
    }
    search = result ? NULL : calloc(1, sizeof *search);
    if (!search) {
        return result ? result : err_set(err, -ENOMEM, "no memory");
    }
    *search = (struct search){.pins = pins, .own = own, .err = err};
    result = search_all(search);
    free(search);
    return result;
}

int pins_find_strays(struct pins *pins, const char *const *own, pin_stray_fn each, void *context, struct err *err)
{
    struct search *search = calloc(1, sizeof *search);
    int result;

    if (!search) {
        return err_set(err, -ENOMEM, "no memory");
    }
    *search = (struct search){.pins = pins, .own = own, .err = err, .stray = each, .context = context};
    result = search_all(search);
    free(search);
    return result;
}
