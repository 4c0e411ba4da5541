/*
 * Pins: the files that granted scopes name, opened once, before anything runs.
 * Scopes mean what they say: a symlink that leads out of its scope is refused,
 * never followed.
 */
#include "pin_internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "grant.h"
#include "view_internal.h"

enum { WALK_MAX = 100000, WALK_DEPTH = 64 };

/* One item's work. */
struct pinner {
    struct pins *pins;
    size_t size;
    const char *root;
    const struct policy_item *item;
    const char *scope; /* what a link may lead to: a pattern, or a folder and all below */
    bool folder;       /* `scope` names a folder */
    int index;
    size_t matches, seen; /* of a pattern */
    struct err *err;
};

static bool is_pattern(const char *scope)
{
    return strpbrk(scope, "*?") != NULL;
}

int pin_real_path(int fd, char ret_path[PATH_MAX])
{
    char link[64];
    ssize_t len;

    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    len = readlink(link, ret_path, PATH_MAX - 1);
    if (len <= 0) {
        return len < 0 ? -errno : -ENOENT;
    }
    ret_path[len] = '\0';
    return 0;
}

static int add_pin(struct pinner *pinner, const char *path, int fd, const struct stat *status)
{
    struct pins *pins = pinner->pins;

    if (pins->count == pinner->size) {
        size_t size = pinner->size ? pinner->size * 2 : 16;
        struct pin *list = realloc(pins->list, size * sizeof *list);
        if (!list) {
            return -ENOMEM;
        }
        pins->list = list;
        pinner->size = size;
    }
    struct pin *pin = &pins->list[pins->count];
    *pin = (struct pin){.item = pinner->index,
                        .path = strdup(path),
                        .fd = fd,
                        .device = status->st_dev,
                        .inode = status->st_ino,
                        .folder = S_ISDIR(status->st_mode)};
    if (!pin->path) {
        return -ENOMEM;
    }
    pins->count++;
    return 0;
}

static bool stays_in_scope(const struct pinner *pinner, const char *path, const char *real)
{
    if (!strcmp(path, real)) {
        return true;
    }
    return pinner->folder ? path_is_within(real, pinner->scope)
                          : is_pattern(pinner->scope) && scope_matches(pinner->scope, real);
}

/* Opens and keeps one path. What is missing, or is no file for a pattern, is skipped. */
static int pin_path(struct pinner *pinner, const char *path, bool files_only)
{
    char real[PATH_MAX];
    struct stat status;
    struct statfs system;
    int result, fd = open(path, O_PATH | O_CLOEXEC);

    if (fd < 0) {
        bool skip = errno == ENOENT || errno == ENOTDIR || files_only;
        return skip ? 0 : err_errno(pinner->err, -errno, "%s: cannot open %s", pinner->item->text, path);
    }
    result = fstat(fd, &status) || fstatfs(fd, &system) ? -errno : pin_real_path(fd, real);
    if (!result && system.f_type == PROC_SUPER_MAGIC && !files_only) {
        result = err_set(pinner->err, -EOPNOTSUPP, "%s: /proc shows every process, with its keys; no program gets it",
                         pinner->item->text);
    } else if (result) {
        err_errno(pinner->err, result, "%s: cannot open %s", pinner->item->text, path);
    } else if (files_only && (!S_ISREG(status.st_mode) || system.f_type == PROC_SUPER_MAGIC)) {
        close(fd);
        return 0;
    } else if (!stays_in_scope(pinner, path, real)) {
        result = err_set(pinner->err, -ELOOP, "%s: the symbolic link %s leads out of it, to %s", pinner->item->text,
                         path, real);
    } else {
        result = add_pin(pinner, path, fd, &status);
        if (result) {
            err_errno(pinner->err, result, "%s", pinner->item->text);
        }
    }
    if (result) {
        close(fd);
    }
    return result;
}

/* ---- patterns ---------------------------------------------------------------------------------------------------- */

static bool in_out(const struct pinner *pinner, const char *path)
{
    char out[PATH_MAX];
    int len = snprintf(out, sizeof out, "%s/out", strcmp(pinner->root, "/") ? pinner->root : "");

    return len > 0 && (size_t)len < sizeof out && path_is_within(path, out);
}

static int pin_match(struct pinner *pinner, const char *path)
{
    if (++pinner->matches > PIN_GLOB_MAX) {
        return err_set(pinner->err, -E2BIG, "%s matches more than %d files; name the folder: %.*s/*",
                       pinner->item->text, PIN_GLOB_MAX, (int)(strrchr(path, '/') - path), path);
    }
    return pin_path(pinner, path, true);
}

/* Walks `folder`, without following links to folders, for files that match. */
static int walk(struct pinner *pinner, const char *folder, int depth)
{
    char path[PATH_MAX];
    struct dirent *entry;
    int result = 0;
    DIR *list = depth < WALK_DEPTH ? opendir(folder) : NULL;

    while (list && !result && (entry = readdir(list))) {
        int len = snprintf(path, sizeof path, "%s/%s", strcmp(folder, "/") ? folder : "", entry->d_name);
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") || len >= (int)sizeof path ||
            in_out(pinner, path)) {
            continue;
        }
        if (++pinner->seen > WALK_MAX) {
            result = err_set(pinner->err, -E2BIG, "%s: there are more than %d files to look at; name a smaller folder",
                             pinner->item->text, WALK_MAX);
        } else if (entry->d_type == DT_DIR) {
            result = walk(pinner, path, depth + 1);
        } else if ((entry->d_type == DT_REG || entry->d_type == DT_LNK || entry->d_type == DT_UNKNOWN) &&
                   scope_matches(pinner->scope, path)) {
            result = pin_match(pinner, path);
        }
    }
    if (list) {
        closedir(list);
    }
    return result;
}

static int pin_pattern(struct pinner *pinner)
{
    char folder[PATH_MAX];
    size_t len = strcspn(pinner->scope, "*?");

    while (len > 1 && pinner->scope[len - 1] != '/') {
        len--;
    }
    while (len > 1 && pinner->scope[len - 1] == '/') {
        len--;
    }
    if (len >= sizeof folder) {
        return err_set(pinner->err, -ENAMETOOLONG, "%s is too long", pinner->item->text);
    }
    memcpy(folder, pinner->scope, len);
    folder[len] = '\0';
    return walk(pinner, folder, 0);
}

/* ---- items ------------------------------------------------------------------------------------------------------- */

/* A folder and a star after it mean the folder and all below. Cuts the star off. */
static bool cut_folder(char *scope)
{
    size_t len = strlen(scope);

    if (len < 3 || strcmp(scope + len - 2, "/*") != 0 || strcspn(scope, "*?") != len - 1) {
        return false;
    }
    scope[len - 2] = '\0';
    return true;
}

/* The private ./out hides a host folder of that name: nothing below it can be granted. */
static int check_out(const struct pinner *pinner, bool *ret_skip)
{
    char out[PATH_MAX];

    *ret_skip = !is_pattern(pinner->scope) && in_out(pinner, pinner->scope);
    if (!*ret_skip) {
        return 0;
    }
    snprintf(out, sizeof out, "%s/out", strcmp(pinner->root, "/") ? pinner->root : "");
    if (access(out, F_OK)) {
        return 0;
    }
    return err_set(pinner->err, -EINVAL, "%s: %s is hidden by the program's own ./out; move what it needs elsewhere",
                   pinner->item->text, out);
}

/* The item's scope, without the end that says "and all below" (`all_below`). */
static int pin_scope(struct pinner *pinner, const char *scope, bool all_below)
{
    bool skip;
    struct stat status;
    int result = check_out(pinner, &skip);

    if (result || skip) {
        return result;
    }
    if (is_pattern(scope)) {
        return pin_pattern(pinner);
    }
    pinner->folder = stat(scope, &status) == 0 && S_ISDIR(status.st_mode);
    if (all_below && !pinner->folder) {
        return 0;
    }
    return pin_path(pinner, scope, false);
}

static int pin_item(struct pinner *pinner)
{
    char scope[PATH_MAX];

    if (snprintf(scope, sizeof scope, "%s", pinner->item->scope) >= (int)sizeof scope) {
        return err_set(pinner->err, -ENAMETOOLONG, "%s: the path is too long",
                       permission_name(pinner->item->permission));
    }
    bool all_below = cut_folder(scope);
    pinner->scope = scope;
    int result = pin_scope(pinner, scope, all_below);
    pinner->scope = NULL;
    return result;
}

static int by_length(const void *a, const void *b)
{
    const struct pin *left = a, *right = b;
    size_t left_len = strlen(left->path), right_len = strlen(right->path);

    if (left_len != right_len) {
        return left_len < right_len ? -1 : 1;
    }
    int order = strcmp(left->path, right->path);
    return order ? order : left->item - right->item;
}

static bool is_read(const struct policy_item *item)
{
    return item->permission == PERMISSION_FILE_READ || item->permission == PERMISSION_FILE;
}

static bool is_write(const struct policy_item *item)
{
    return item->permission == PERMISSION_FILE_WRITE || item->permission == PERMISSION_FILE;
}

int pins_open(const struct policy *granted, const char *root, struct pins *ret_pins, struct err *err)
{
    struct pins pins = {0};
    size_t size = 0;
    int result = 0;

    for (size_t i = 0; i < granted->count && !result; i++) {
        const struct policy_item *item = &granted->items[i];
        struct pinner pinner = {.pins = &pins, .size = size, .root = root, .item = item, .index = (int)i, .err = err};

        if (item->ask || !item->scope || item->scope[0] != '/') {
            continue;
        }
        if (is_read(item)) {
            result = pin_item(&pinner);
            size = pinner.size;
        }
        if (is_write(item) && !result) {
            result = pins_add_write(&pins, item, (int)i, root, err);
        }
    }
    if (result) {
        pins_done(&pins);
        return result;
    }
    if (pins.count) {
        qsort(pins.list, pins.count, sizeof *pins.list, by_length);
    }
    pins_sort_writes(&pins);
    *ret_pins = pins;
    return 0;
}

void pins_done(struct pins *pins)
{
    if (!pins) {
        return;
    }
    for (size_t i = 0; i < pins->count; i++) {
        free(pins->list[i].path);
        close_descriptor(&pins->list[i].fd);
    }
    for (size_t i = 0; i < pins->write_count; i++) {
        write_pin_done(&pins->writes[i]);
    }
    for (size_t i = 0; i < pins->guard_count; i++) {
        free(pins->guards[i].path);
        close_descriptor(&pins->guards[i].fd);
    }
    free(pins->list);
    free(pins->writes);
    free(pins->guards);
    *pins = (struct pins){0};
}
