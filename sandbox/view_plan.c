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

enum { ENTRIES_MAX = 2048 };

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
                                 .lower = -1,
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

int view_no_room(struct err *err)
{
    return err_set(err, -ENOMEM, "the sandbox shows too many files");
}

static int clone(int fd, const char *path, bool recursive, uint64_t attributes, int map)
{
    struct mount_attr attr = {.attr_set = attributes | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, .propagation = MS_PRIVATE};
    unsigned deep = recursive ? AT_RECURSIVE : 0;
    int result, tree = open_tree(fd, path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH | deep);

    if (tree < 0) {
        return -errno;
    }
    if (map >= 0) {
        attr.attr_set |= MOUNT_ATTR_IDMAP;
        attr.userns_fd = (uint64_t)map;
    }
    result = mount_setattr(tree, "", AT_EMPTY_PATH | deep, &attr, sizeof attr) ? -errno : 0;
    if (result && map >= 0) { /* a file system that cannot map ids shows them as they are */
        close(tree);
        return clone(fd, path, recursive, attributes, -1);
    }
    if (result) {
        close(tree);
        return result;
    }
    return tree;
}

int view_clone(int fd, const char *path, bool recursive, bool execute, int map)
{
    return clone(fd, path, recursive, MOUNT_ATTR_RDONLY | (execute ? 0 : MOUNT_ATTR_NOEXEC), map);
}

int view_clone_writable(int fd, bool execute, int map)
{
    return clone(fd, "", false, execute ? 0 : MOUNT_ATTR_NOEXEC, map);
}

int view_show(const struct view *view, int fd, const char *path, bool recursive, bool execute, int map)
{
    int found;

    if (!view->in_place) {
        return view_clone(fd, path, recursive, execute, map);
    }
    found = *path ? openat(fd, path, O_PATH | O_CLOEXEC) : fcntl(fd, F_DUPFD_CLOEXEC, 0);
    return found < 0 ? -errno : found;
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
        int fd = view->in_place ? open(devices[i], O_PATH | O_CLOEXEC)
                                : open_tree(AT_FDCWD, devices[i], OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
        if (fd < 0 || (!view->in_place && mount_setattr(fd, "", AT_EMPTY_PATH, &attr, sizeof attr))) {
            int result = -errno;
            close_descriptor(&fd);
            return err_errno(err, result, "cannot show %s in the sandbox", devices[i]);
        }
        if (!view_add(view, PLACE_SYSTEM, devices[i], fd, false, LANDLOCK_LOOK | LANDLOCK_DEVICE)) {
            close(fd);
            return view_no_room(err);
        }
    }
    return 0;
}

static int plan_private(struct view *view, const char *path, const char *source, struct err *err)
{
    unsigned rights = LANDLOCK_LOOK | LANDLOCK_CHANGE | (view->execute ? LANDLOCK_EXECUTE : 0);
    struct view_entry *entry = view->in_place ? NULL : view_add(view, PLACE_PRIVATE, path, -1, true, rights);

    if (view->in_place) {
        return 0;
    }
    if (!entry) {
        return view_no_room(err);
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

/* ---- injected files, grants, root -------------------------------------------------------------------------------- */

static int plan_injected(struct view *view, const struct sandbox_request *request, struct err *err)
{
    for (size_t i = 0; i < request->inject_count; i++) {
        const char *path = request->inject[i].path;
        int fd = view->in_place ? open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC) : -1; /* a decoy cell has it already */
        if (view->in_place && fd < 0) {
            return err_set(err, -EOPNOTSUPP, "files: %s cannot be put in view here, since no mounts can be made", path);
        }
        struct view_entry *entry = view_add(view, PLACE_INJECTED, path, fd, false, LANDLOCK_LOOK);
        if (!entry) {
            close_descriptor(&fd);
            return view_no_room(err);
        }
        entry->inject = view->in_place ? NULL : &request->inject[i];
    }
    return 0;
}

int view_owner_map(struct view *view, int fd, bool map_ids)
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
            fd = view_show(view, pin->fd, "", pin->folder, view->execute, view_owner_map(view, pin->fd, map_ids));
            if (fd < 0) {
                return err_errno(err, fd, "cannot show %s in the sandbox", pin->path);
            }
        }
        entry = view_add(view, PLACE_GRANT, pin->path, fd, pin->folder,
                         LANDLOCK_LOOK | (view->execute ? LANDLOCK_EXECUTE : 0));
        if (!entry) {
            close_descriptor(&fd);
            return view_no_room(err);
        }
        entry->place.item = pin->item;
    }
    return 0;
}

/* A write grant that holds the root folder is an overlay of its own, in which ./out has a place. */
static bool root_is_written(const struct view *view, const struct pins *pins)
{
    for (size_t i = 0; pins && i < pins->write_count; i++) {
        if (!pins->writes[i].name && path_is_within(view->root, pins->writes[i].path)) {
            return true;
        }
    }
    return false;
}

/* When the root folder is shown whole, it becomes the lower layer of an overlay, so that ./out has a place in it. */
static int plan_root(struct view *view, const struct pins *pins, bool map_ids, struct err *err)
{
    bool whole = false;

    if (root_is_written(view, pins)) {
        return 0;
    }
    for (size_t i = 0; i < view->count; i++) {
        const struct view_entry *entry = &view->list[i];
        if (entry->place.folder && (entry->place.kind == PLACE_BASE || entry->place.kind == PLACE_GRANT) &&
            path_is_within(view->root, entry->place.path)) {
            whole = true;
            view->root_execute |= entry->place.execute;
        }
    }
    if (!whole || view->in_place) {
        return 0;
    }
    int fd = open(view->root, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        view->root_lower = view_clone(fd, "", false, view->root_execute, view_owner_map(view, fd, map_ids));
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
              bool in_place, struct view *ret_view, struct err *err)
{
    const struct sandbox_request *request = options->request;
    struct view *view = ret_view;
    char out[PATH_MAX];
    ssize_t len;
    int result;

    *view = (struct view){.root = request->root,
                          .root_lower = -1,
                          .in_place = in_place,
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
        view->execute |= item->permission == PERMISSION_EXEC && !item->scope;
    }

    result = plan_devices(view, sampled, err);
    result = result ? result : plan_private(view, "/tmp", "tmp", err);
    result = result ? result : plan_private(view, "/dev/shm", "shm", err);
    if (!result && view->home[0]) {
        result = plan_private(view, view->home, "home", err);
    }
    result = result ? result : view_plan_bases(view, options, err);
    result = result ? result : plan_injected(view, request, err);
    result = result ? result : plan_grants(view, options, map_ids, err);
    result = result ? result : plan_root(view, options->pins, map_ids, err);
    result = result ? result : view_plan_writes(view, options, map_ids, err);
    result = result ? result : plan_private(view, out, "out", err);
    if (result) {
        view_done(view);
    } else {
        view->list[view->count - 1].late = true;
    }
    return result;
}

void view_done(struct view *view)
{
    for (size_t i = 0; i < view->count; i++) {
        free(view->list[i].place.path);
        free(view->list[i].link);
        close_descriptor(&view->list[i].fd);
        close_descriptor(&view->list[i].lower);
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

    if (left_len != right_len) {
        return left_len < right_len ? -1 : 1;
    }
    /* what may be written lies above what may be read */
    return left->kind != right->kind ? (int)left->kind - (int)right->kind : (int)left->write - (int)right->write;
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
