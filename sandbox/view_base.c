/*
 * The part of the view that an interpreter needs, and what `exec` shows: paths
 * of the host, shown at the same place. Symlinks on the way are shown as
 * symlinks, and what they lead to is shown, too.
 */
#include "view_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "confine_internal.h"

enum { LINKS_MAX = 40 };

/* What `exec=NAME` needs beside the file, and what an unscoped `exec` shows. */
static const char *const exec_libraries[] = {
    "/lib", "/lib64", "/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/etc/ld.so.cache", "/etc/alternatives",
};
static const char *const exec_everything[] = {
    "/usr", "/bin", "/sbin", "/lib", "/lib64", "/lib32", "/etc/ld.so.cache", "/etc/alternatives", "/etc/ssl/certs",
};

static bool is_shown(const struct view *view, const char *path, unsigned rights)
{
    for (size_t i = 0; i < view->count; i++) {
        const struct view_entry *entry = &view->list[i];
        if (entry->place.kind == PLACE_BASE && !entry->link && (entry->rights & rights) == rights &&
            (entry->place.folder ? path_is_within(path, entry->place.path) : !strcmp(path, entry->place.path))) {
            return true;
        }
    }
    return false;
}

/* Adds the symlink `path`, once. */
static int add_link(struct view *view, const char *path, const char *target, struct err *err)
{
    struct view_entry *entry;

    for (size_t i = 0; i < view->count; i++) {
        if (view->list[i].link && !strcmp(view->list[i].place.path, path)) {
            return 0;
        }
    }
    if (is_shown(view, path, 0)) {
        return 0;
    }
    entry = view_add(view, PLACE_BASE, path, -1, false, 0);
    if (!entry || !(entry->link = strdup(target))) {
        return view_no_room(err);
    }
    return 0;
}

/* Puts the next segment of *rest on `path`, and moves *rest behind it. */
static int take_segment(char *path, size_t *len, char **rest)
{
    char *start = *rest + strspn(*rest, "/"), *end = strchrnul(start, '/');
    size_t size = (size_t)(end - start);

    *rest = end;
    if (size == 0 || (size == 1 && start[0] == '.')) {
        return 0;
    }
    if (size == 2 && start[0] == '.' && start[1] == '.') {
        char *slash = strrchr(path, '/');
        *len = slash ? (size_t)(slash - path) : 0;
        path[*len] = '\0';
        return 0;
    }
    if (*len + size + 2 > PATH_MAX) {
        return -ENAMETOOLONG;
    }
    path[(*len)++] = '/';
    memcpy(path + *len, start, size);
    *len += size;
    path[*len] = '\0';
    return 1;
}

/*
 * Follows `path` from "/", adding every symlink on the way; `real` gets what
 * it leads to. -ENOENT when it leads nowhere.
 */
static int follow(struct view *view, const char *path, char real[PATH_MAX], struct stat *status, struct err *err)
{
    char todo[2 * PATH_MAX], target[PATH_MAX], *rest = todo;
    size_t len = 0;

    if (strlen(path) >= PATH_MAX) {
        return -ENAMETOOLONG;
    }
    memcpy(todo, path, strlen(path) + 1);
    real[0] = '\0';
    for (int links = 0; *rest;) {
        int taken = take_segment(real, &len, &rest);
        if (taken < 0 || (taken && lstat(real, status))) {
            return taken < 0 ? taken : -errno;
        }
        if (!taken || !S_ISLNK(status->st_mode)) {
            continue;
        }
        ssize_t size = readlink(real, target, sizeof target - 1);
        if (size <= 0 || ++links > LINKS_MAX) {
            return -ELOOP;
        }
        target[size] = '\0';
        int result = add_link(view, real, target, err);
        size_t left = strlen(rest);
        if (result || (size_t)size + left + 1 > sizeof todo) {
            return result ? result : -ENAMETOOLONG;
        }
        memmove(todo + size, rest, left + 1);
        memcpy(todo, target, (size_t)size);
        rest = todo;
        len = target[0] == '/' ? 0 : (size_t)(strrchr(real, '/') - real);
        real[len] = '\0';
    }
    return len ? 0 : -EINVAL;
}

static int plan_base(struct view *view, const char *path, struct err *err)
{
    const unsigned rights = LANDLOCK_LOOK | LANDLOCK_EXECUTE;
    char real[PATH_MAX];
    struct stat status;
    int fd, result = follow(view, path, real, &status, err);

    if (result == -ENOENT || result == -ENOTDIR) {
        return 0;
    }
    if (result) {
        return err_errno(err, result, "cannot show %s in the sandbox", path);
    }
    if (is_shown(view, real, rights)) {
        return 0;
    }
    fd = view_show(view, AT_FDCWD, real, S_ISDIR(status.st_mode), true, -1);
    if (fd < 0) {
        return err_errno(err, fd, "cannot show %s in the sandbox", real);
    }
    if (!view_add(view, PLACE_BASE, real, fd, S_ISDIR(status.st_mode), rights)) {
        close(fd);
        return view_no_room(err);
    }
    return 0;
}

static int plan_list(struct view *view, const char *const *paths, size_t count, struct err *err)
{
    int result = 0;

    for (size_t i = 0; i < count && !result; i++) {
        result = plan_base(view, paths[i], err);
    }
    return result;
}

/* exec: everything, or one program with the system's libraries. */
static int plan_exec(struct view *view, const struct policy_item *item, struct err *err)
{
    static const char *const folders[] = {"", "/usr/bin/", "/bin/", "/usr/local/bin/"};
    char path[PATH_MAX];
    int result;

    if (!item->scope) {
        view->execute = true;
        return plan_list(view, exec_everything, sizeof exec_everything / sizeof *exec_everything, err);
    }
    result = plan_list(view, exec_libraries, sizeof exec_libraries / sizeof *exec_libraries, err);
    for (size_t i = strchr(item->scope, '/') ? 0 : 1; !result && i < sizeof folders / sizeof *folders; i++) {
        int len = snprintf(path, sizeof path, "%s%s", folders[i], item->scope);
        if (len > 0 && (size_t)len < sizeof path && path[0] == '/' && !access(path, F_OK)) {
            return plan_base(view, path, err);
        }
        if (i == 0) {
            break;
        }
    }
    return result;
}

/* Parents first: what lies deeper is then put on top. Symlinks before both, they only fill the skeleton. */
static int by_depth(const void *a, const void *b)
{
    const struct view_entry *left = a, *right = b;
    size_t left_len = left->link ? 0 : strlen(left->place.path),
           right_len = right->link ? 0 : strlen(right->place.path);

    return left_len != right_len ? (left_len < right_len ? -1 : 1) : strcmp(left->place.path, right->place.path);
}

int view_plan_bases(struct view *view, const struct cell_options *options, struct err *err)
{
    size_t first = view->count;
    int result = 0;

    for (size_t i = 0; i < options->request->base_count && !result; i++) {
        result = plan_base(view, options->request->base[i].path, err);
    }
    for (size_t i = 0; i < options->granted->count && !result; i++) {
        if (options->granted->items[i].permission == PERMISSION_EXEC) {
            result = plan_exec(view, &options->granted->items[i], err);
        }
    }
    qsort(view->list + first, view->count - first, sizeof *view->list, by_depth);
    return result;
}
