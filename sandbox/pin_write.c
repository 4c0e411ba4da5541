/*
 * Pins of what may be written. No symbolic link is followed on the way to
 * them: a grant to write means just the place that it names.
 */
#include "pin_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "kernel_internal.h"
#include "view_internal.h"

static int open_real(const char *path, uint64_t flags)
{
    int fd = kernel_openat2(AT_FDCWD, path, O_PATH | O_NOFOLLOW | O_CLOEXEC | flags, 0, RESOLVE_NO_SYMLINKS);

    return fd < 0 ? -errno : fd;
}

/* Opens the nearest folder at or above pin->folder that exists. */
static int open_folder(struct write_pin *pin)
{
    char path[PATH_MAX];
    size_t len = strlen(pin->folder);

    memcpy(path, pin->folder, len + 1);
    for (;;) {
        int fd = open_real(len ? path : "/", O_DIRECTORY);
        if (fd != -ENOENT || len == 0) {
            pin->fd = fd < 0 ? -1 : fd;
            pin->missing = pin->folder + len + strspn(pin->folder + len, "/");
            return fd < 0 ? fd : 0;
        }
        while (len > 0 && path[--len] != '/') {
        }
        path[len] = '\0';
    }
}

/* Is it what the scope says: a folder, or one file? */
static int check_kind(struct write_pin *pin, bool all_below, const struct policy_item *item, struct err *err)
{
    struct stat status;
    int fd = open_real(pin->path, 0), result = 0;

    if (fd == -ENOENT) {
        return 0;
    }
    if (fd >= 0 && fstat(fd, &status)) {
        result = -errno;
    }
    close_descriptor(&(int){fd < 0 ? -1 : fd});
    if (fd < 0 || result) {
        return err_errno(err, fd < 0 ? fd : result, "%s: cannot open %s", item->text, pin->path);
    }
    if (S_ISLNK(status.st_mode)) {
        return err_set(err, -ELOOP, "%s: %s is a symbolic link, and none is followed to write", item->text, pin->path);
    }
    if (!S_ISDIR(status.st_mode) && (all_below || !S_ISREG(status.st_mode))) {
        return err_set(err, -EINVAL, "%s: %s is no %s", item->text, pin->path, all_below ? "folder" : "regular file");
    }
    pin->exists = true;
    if (S_ISDIR(status.st_mode)) {
        pin->name = NULL;
    }
    return 0;
}

/* Fills `pin` from the scope without its end that says "and all below". */
static int make_pin(struct write_pin *pin, const char *scope, bool all_below, const struct policy_item *item,
                    struct err *err)
{
    struct statfs system;
    int result;

    pin->path = strdup(scope);
    pin->folder = strdup(scope);
    if (!pin->path || !pin->folder) {
        return err_set(err, -ENOMEM, "no memory");
    }
    pin->name = all_below ? NULL : strrchr(pin->path, '/') + 1;
    result = check_kind(pin, all_below, item, err);
    if (result) {
        return result;
    }
    if (pin->name) {
        char *slash = strrchr(pin->folder, '/');
        slash[slash == pin->folder] = '\0';
    }
    result = open_folder(pin);
    if (!result && (fstatfs(pin->fd, &system) || system.f_type == PROC_SUPER_MAGIC || system.f_type == SYSFS_MAGIC)) {
        return err_set(err, -EOPNOTSUPP, "%s: %s is no place for files", item->text, pin->folder);
    }
    if (result) {
        err_errno(err, result, "%s: cannot open the folder %s%s", item->text, pin->folder,
                  result == -ELOOP ? ": a symbolic link lies on the way, and none is followed to write" : "");
    }
    return result;
}

static bool is_own_out(const char *path, const char *root)
{
    char out[PATH_MAX];
    int len = snprintf(out, sizeof out, "%s/out", strcmp(root, "/") ? root : "");

    return len > 0 && (size_t)len < sizeof out && path_is_within(path, out);
}

int pins_add_write(struct pins *pins, const struct policy_item *item, int index, const char *root, struct err *err)
{
    struct write_pin pin = {.item = index, .fd = -1}, *list;
    char scope[PATH_MAX];
    size_t len = strlen(item->scope);
    bool all_below = len > 2 && !strcmp(item->scope + len - 2, "/*");
    int result;

    if (len >= sizeof scope) {
        return err_set(err, -ENAMETOOLONG, "%s: the path is too long", permission_name(item->permission));
    }
    memcpy(scope, item->scope, len + 1);
    scope[all_below ? len - 2 : len] = '\0';
    if (strpbrk(scope, "*?")) {
        return err_set(err, -EINVAL, "%s: what may be written is one file, or a folder: file.write=./D/*", item->text);
    }
    if (is_own_out(scope, root)) {
        return 0; /* every run has it anyway */
    }
    result = make_pin(&pin, scope, all_below, item, err);
    list = result ? NULL : realloc(pins->writes, (pins->write_count + 1) * sizeof *list);
    if (!list) {
        write_pin_done(&pin);
        return result ? result : err_set(err, -ENOMEM, "no memory");
    }
    pins->writes = list;
    list[pins->write_count++] = pin;
    return 0;
}

void write_pin_done(struct write_pin *pin)
{
    free(pin->path);
    free(pin->folder);
    close_descriptor(&pin->fd);
}

static int by_length(const void *a, const void *b)
{
    const struct write_pin *left = a, *right = b;
    size_t left_len = strlen(left->path), right_len = strlen(right->path);

    if (left_len != right_len) {
        return left_len < right_len ? -1 : 1;
    }
    int order = strcmp(left->path, right->path);
    return order ? order : left->item - right->item;
}

static bool is_covered(const struct pins *pins, size_t count, const struct write_pin *pin)
{
    for (size_t i = 0; i < count; i++) {
        const struct write_pin *other = &pins->writes[i];
        if (other->name ? !strcmp(pin->path, other->path) : path_is_within(pin->path, other->path)) {
            return true;
        }
    }
    return false;
}

void pins_sort_writes(struct pins *pins)
{
    size_t kept = 0;

    if (pins->write_count) {
        qsort(pins->writes, pins->write_count, sizeof *pins->writes, by_length);
    }
    for (size_t i = 0; i < pins->write_count; i++) {
        if (is_covered(pins, kept, &pins->writes[i])) {
            write_pin_done(&pins->writes[i]);
        } else {
            pins->writes[kept++] = pins->writes[i];
        }
    }
    pins->write_count = kept;
}
