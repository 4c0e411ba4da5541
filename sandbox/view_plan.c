/*
 * Plans the cell's view: what is shown, in which order, and as which detached
 * mounts. Runs in the maker, where the host's files are; nothing is mounted
 * anywhere yet.
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

enum { LINKS_MAX = 40, ENTRIES_MAX = 2048 };

/* What `exec=NAME` needs beside the file, and what an unscoped `exec` shows. */
static const char *const exec_libraries[] = {
    "/lib", "/lib64", "/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/etc/ld.so.cache", "/etc/alternatives",
};
static const char *const exec_everything[] = {
    "/usr", "/bin", "/sbin", "/lib", "/lib64", "/lib32", "/etc/ld.so.cache", "/etc/alternatives", "/etc/ssl/certs",
};

struct view_entry *view_add(struct view *view, enum cell_place_kind kind, const char *path, int fd, bool folder,
                            unsigned rights)
{
    struct view_entry *entry;

    if (view->count == view->size) {
        size_t size = view->size ? view->size * 2 : 64;
        struct view_entry *list = size > ENTRIES_MAX ? NULL : realloc(view->list, size * sizeof *list);
        if (!list) {
            return NULL;
        }
        view->list = list;
        view->size = size;
    }
    entry = &view->list[view->count];
    *entry = (struct view_entry){.fd = fd,
                                 .rights = rights,
                                 .place = {.path = strdup(path),
                                           .kind = kind,
                                           .folder = folder,
                                           .write = rights & (LANDLOCK_CHANGE | LANDLOCK_DEVICE),
                                           .execute = rights & LANDLOCK_EXECUTE,
                                           .item = -1}};
    if (!entry->place.path) {
        return NULL;
    }
    view->count++;
    return entry;
}

static int no_room(struct err *err)
{
    return err_set(err, -ENOMEM, "the sandbox shows too many files");
}

/*
 * A detached copy of what `fd` is, or of `path` when fd is AT_FDCWD: read-only,
 * private, without set-user-id programs and device nodes. -errno.
 */
static int clone_tree(int fd, const char *path, bool recursive, bool execute, int map)
{
    struct mount_attr attr = {.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV,
                              .propagation = MS_PRIVATE};
    unsigned deep = recursive ? AT_RECURSIVE : 0;
    int result, tree = open_tree(fd, path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH | deep);

    if (tree < 0) {
        return -errno;
    }
    if (!execute) {
        attr.attr_set |= MOUNT_ATTR_NOEXEC;
    }
    if (map >= 0) {
        attr.attr_set |= MOUNT_ATTR_IDMAP;
        attr.userns_fd = (uint64_t)map;
    }
    result = mount_setattr(tree, "", AT_EMPTY_PATH | deep, &attr, sizeof attr) ? -errno : 0;
    if (result && map >= 0) { /* a file system that cannot map ids shows them as they are */
        close(tree);
        return clone_tree(fd, path, recursive, execute, -1);
    }
    if (result) {
        close(tree);
        return result;
    }
    return tree;
}

/* ---- devices and private folders --------------------------------------------------------------------------------- */

static int plan_devices(struct view *view, bool sampled, struct err *err)
{
    /* a shared mapping of /dev/zero is memory that sampling does not see */
    static const char *const devices[] = {"/dev/null", "/dev/full", "/dev/random", "/dev/urandom", "/dev/zero"};
    const size_t count = sizeof devices / sizeof *devices - (sampled ? 1 : 0);

    for (size_t i = 0; i < count; i++) {
        struct mount_attr attr = {.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC,
                                  .propagation = MS_PRIVATE};
        int fd = open_tree(AT_FDCWD, devices[i], OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
        if (fd < 0 || mount_setattr(fd, "", AT_EMPTY_PATH, &attr, sizeof attr)) {
            int result = -errno;
            close_descriptor(&fd);
            return err_errno(err, result, "cannot show %s in the sandbox", devices[i]);
        }
        if (!view_add(view, PLACE_SYSTEM, devices[i], fd, false, LANDLOCK_LOOK | LANDLOCK_DEVICE)) {
            close(fd);
            return no_room(err);
        }
    }
    return 0;
}

static int plan_private(struct view *view, const char *path, const char *source, struct err *err)
{
    unsigned rights = LANDLOCK_LOOK | LANDLOCK_CHANGE | (view->private_execute ? LANDLOCK_EXECUTE : 0);
    struct view_entry *entry = view_add(view, PLACE_PRIVATE, path, -1, true, rights);

    if (!entry) {
        return no_room(err);
    }
    entry->source = source;
    return 0;
}

static void find_home(struct view *view, const char *const *env)
{
    for (; env && *env; env++) {
        size_t len = strlen(*env);
        if (!strncmp(*env, "HOME=/", 6) && len > 6 && len - 5 < sizeof view->home && !strstr(*env + 5, "/..")) {
            memcpy(view->home, *env + 5, len - 4);
            for (char *end = view->home + len - 6; end > view->home && *end == '/'; end--) {
                *end = '\0';
            }
        }
    }
}

/* ---- base -------------------------------------------------------------------------------------------------------- */

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
        return no_room(err);
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
    fd = clone_tree(AT_FDCWD, real, S_ISDIR(status.st_mode), true, -1);
    if (fd < 0) {
        return err_errno(err, fd, "cannot show %s in the sandbox", real);
    }
    if (!view_add(view, PLACE_BASE, real, fd, S_ISDIR(status.st_mode), rights)) {
        close(fd);
        return no_room(err);
    }
    return 0;
}

static int plan_bases(struct view *view, const char *const *paths, size_t count, struct err *err)
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
        view->private_execute = true;
        return plan_bases(view, exec_everything, sizeof exec_everything / sizeof *exec_everything, err);
    }
    result = plan_bases(view, exec_libraries, sizeof exec_libraries / sizeof *exec_libraries, err);
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

static int plan_all_bases(struct view *view, const struct cell_options *options, struct err *err)
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

/* ---- injected files, grants, root -------------------------------------------------------------------------------- */

static int plan_injected(struct view *view, const struct sandbox_request *request, struct err *err)
{
    for (size_t i = 0; i < request->inject_count; i++) {
        struct view_entry *entry = view_add(view, PLACE_INJECTED, request->inject[i].path, -1, false, LANDLOCK_LOOK);
        if (!entry) {
            return no_room(err);
        }
        entry->inject = &request->inject[i];
    }
    return 0;
}

static int owner_map(struct view *view, int fd, bool map_ids)
{
    struct stat status;

    return map_ids && !fstat(fd, &status) ? idmap_find(&view->maps, status.st_uid, status.st_gid) : -1;
}

/* Is this pin within a folder that an earlier one shows already? */
static bool pin_is_covered(const struct pins *pins, size_t index)
{
    for (size_t i = 0; i < index; i++) {
        if (pins->list[i].folder && path_is_within(pins->list[index].path, pins->list[i].path)) {
            return true;
        }
    }
    return false;
}

static int plan_grants(struct view *view, const struct cell_options *options, bool map_ids, struct err *err)
{
    const struct pins *pins = options->pins;

    for (size_t i = 0; pins && i < pins->count; i++) {
        const struct pin *pin = &pins->list[i];
        struct view_entry *entry;
        int fd = -1;

        /* the root itself is put as an overlay, and what is covered is shown already */
        if (!pin_is_covered(pins, i) && strcmp(pin->path, view->root) != 0) {
            fd = clone_tree(pin->fd, "", pin->folder, false, owner_map(view, pin->fd, map_ids));
            if (fd < 0) {
                return err_errno(err, fd, "cannot show %s in the sandbox", pin->path);
            }
        }
        entry = view_add(view, PLACE_GRANT, pin->path, fd, pin->folder, LANDLOCK_LOOK);
        if (!entry) {
            close_descriptor(&fd);
            return no_room(err);
        }
        entry->place.item = pin->item;
    }
    return 0;
}

/* When the root folder is shown whole, it becomes the lower layer of an overlay, so that ./out has a place in it. */
static int plan_root(struct view *view, bool map_ids, struct err *err)
{
    bool whole = false;

    for (size_t i = 0; i < view->count; i++) {
        const struct view_entry *entry = &view->list[i];
        if (entry->place.folder && (entry->place.kind == PLACE_BASE || entry->place.kind == PLACE_GRANT) &&
            path_is_within(view->root, entry->place.path)) {
            whole = true;
            view->root_execute |= entry->place.execute;
        }
    }
    if (!whole) {
        return 0;
    }
    int fd = open(view->root, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        view->root_lower = clone_tree(fd, "", false, view->root_execute, owner_map(view, fd, map_ids));
        close(fd);
    } else {
        view->root_lower = -errno;
    }
    if (view->root_lower < 0) {
        int result = view->root_lower;
        view->root_lower = -1;
        return err_errno(err, result, "cannot show the folder %s in the sandbox", view->root);
    }
    return 0;
}

int view_plan(const struct cell_options *options, const struct privilege_ids *ids, bool map_ids, bool sampled,
              struct view *ret_view, struct err *err)
{
    const struct sandbox_request *request = options->request;
    struct view *view = ret_view;
    char out[PATH_MAX];
    ssize_t len;
    int result;

    *view = (struct view){.root = request->root,
                          .root_lower = -1,
                          .disk = options->granted->limits.value[LIMIT_DISK],
                          .uid = ids->inner_uid,
                          .gid = ids->inner_gid};
    if (snprintf(out, sizeof out, "%s/out", strcmp(view->root, "/") ? view->root : "") >= (int)sizeof out) {
        return err_set(err, -ENAMETOOLONG, "the path of the root folder is too long");
    }
    len = readlink("/etc/localtime", view->zone, sizeof view->zone - 1);
    view->zone[len > 0 ? len : 0] = '\0';
    find_home(view, request->env);
    for (size_t i = 0; i < options->granted->count; i++) {
        const struct policy_item *item = &options->granted->items[i];
        view->private_execute |= item->permission == PERMISSION_EXEC && !item->scope;
    }

    result = plan_devices(view, sampled, err);
    result = result ? result : plan_private(view, "/tmp", "tmp", err);
    result = result ? result : plan_private(view, "/dev/shm", "shm", err);
    if (!result && view->home[0]) {
        result = plan_private(view, view->home, "home", err);
    }
    result = result ? result : plan_all_bases(view, options, err);
    result = result ? result : plan_injected(view, request, err);
    result = result ? result : plan_grants(view, options, map_ids, err);
    result = result ? result : plan_root(view, map_ids, err);
    result = result ? result : plan_private(view, out, "out", err);
    if (result) {
        view_done(view);
    }
    return result;
}

void view_done(struct view *view)
{
    for (size_t i = 0; i < view->count; i++) {
        free(view->list[i].place.path);
        free(view->list[i].link);
        close_descriptor(&view->list[i].fd);
    }
    free(view->list);
    close_descriptor(&view->root_lower);
    idmap_done(view->maps);
    *view = (struct view){.root_lower = -1};
}

static int by_length(const void *a, const void *b)
{
    const struct cell_place *left = a, *right = b;
    size_t left_len = strlen(left->path), right_len = strlen(right->path);

    return left_len != right_len ? (left_len < right_len ? -1 : 1) : (int)left->kind - (int)right->kind;
}

int view_places(const struct view *view, struct cell_place **ret_places, size_t *ret_count)
{
    struct cell_place *places = calloc(view->count + 1, sizeof *places);
    size_t count = 0;

    for (size_t i = 0; places && i < view->count; i++) {
        if (view->list[i].link) {
            continue;
        }
        places[count] = view->list[i].place;
        places[count].path = strdup(view->list[i].place.path);
        if (!places[count++].path) {
            while (count) {
                free(places[--count].path);
            }
            free(places);
            places = NULL;
        }
    }
    if (!places) {
        return -ENOMEM;
    }
    qsort(places, count, sizeof *places, by_length);
    *ret_places = places;
    *ret_count = count;
    return 0;
}
