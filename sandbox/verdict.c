/*
 * Verdicts on accesses. What the cell shows may be read; what may be changed
 * or executed is said by the place that holds it. What is missing is either a
 * gap in something granted, or it lies outside.
 */
#include "verdict_internal.h"

#include "protect_internal.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/*
 * Libraries look for these in every process, and live without them (so does an interpreter for a path of its base that
 * is missing). No cell has them unless they are in its base.
 * They are answered as the kernel does (ENOENT) whether the host has them or not, and make no row.
 */
static const char *const looked_for[] = {
    "/etc/ld.so.cache",
    "/etc/ld.so.preload",
    "/etc/localtime",
    "/etc/nsswitch.conf",
    "/etc/host.conf",
    "/etc/gai.conf",
    "/etc/services",
    "/etc/netsvc.conf",
    "/etc/svc.conf",
    "/etc/ssl",
    "/etc/inputrc",
    "/etc/terminfo",
    "/etc/python3",
    "/etc/mime.types",
    "/etc/selinux",
    "/etc/locale.alias",
    "/etc/protocols",
    "/etc/apache2",
    "/etc/httpd",
    "/usr/local/bin",
    "/usr/local/lib",
    "/usr/lib/locale",
    "/usr/lib/ssl",
    "/usr/share/locale",
    "/usr/share/zoneinfo",
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/proc/stat",
    "/proc/filesystems",
    "/proc/self",
    "/proc/mounts",
    "/proc/sys/vm",
    "/proc/sys/kernel",
    "/proc/version",
    "/proc/loadavg",
    "/sys/devices/system",
    "/sys/fs/cgroup",
    "/sys/kernel/mm",
    "/run/nscd",
    "/var/run/nscd",
    "/dev/tty",
};

static bool is_below(const char *path, const char *folder)
{
    size_t len = strlen(folder);

    while (len > 0 && folder[len - 1] == '/') {
        len--;
    }
    return strncmp(path, folder, len) == 0 && (path[len] == '\0' || path[len] == '/');
}

static bool is_looked_for(const struct view *view, const char *path)
{
    for (size_t i = 0; i < view->base_count; i++) {
        if (is_below(path, view->base[i].path)) {
            return true;
        }
    }
    for (size_t i = 0; i < sizeof looked_for / sizeof looked_for[0]; i++) {
        if (is_below(path, looked_for[i])) {
            return true;
        }
    }
    return strncmp(path, "/etc/python3.", 13) == 0; /* with its minor version */
}

/* What the kernel hides of a process that is no child: here the cell's first, which belongs to the sandbox. */
static bool is_hidden(const char *path)
{
    static const char *const hidden[] = {"environ", "mem",   "maps", "smaps",   "auxv",      "fd",     "fdinfo",
                                         "ns",      "stack", "io",   "syscall", "map_files", "pagemap"};

    for (size_t i = 0; strncmp(path, "/proc/1/", 8) == 0 && i < sizeof hidden / sizeof hidden[0]; i++) {
        if (is_below(path + 8, hidden[i])) {
            return true;
        }
    }
    return false;
}

/* The item that names a file which is not there, and so is in no place; -1. */
static int item_naming(const struct view *view, const char *path)
{
    for (size_t i = 0; i < view->granted->count; i++) {
        const struct policy_item *item = &view->granted->items[i];
        bool is_file = item->permission == PERMISSION_FILE || item->permission == PERMISSION_FILE_WRITE ||
                       item->permission == PERMISSION_FILE_READ;
        if (is_file && item->scope && (scope_matches(item->scope, path) || is_below(path, item->scope))) {
            return (int)i;
        }
    }
    return -1;
}

static bool is_change(enum access_want want)
{
    return want == WANT_WRITE || want == WANT_CHANGE || want == WANT_BIND;
}

static enum permission permission_for(enum access_want want)
{
    switch (want) {
    case WANT_EXEC:
        return PERMISSION_EXEC;
    case WANT_READ:
    case WANT_LIST:
        return PERMISSION_FILE_READ;
    default:
        return PERMISSION_FILE_WRITE; /* a socket with a path, too */
    }
}

static void deny(struct verdict *verdict, enum sandbox_layer layer, int error, enum permission missing)
{
    verdict->verdict = ACCESS_DENIED;
    verdict->row = true;
    verdict->count = false;
    verdict->item = -1;
    verdict->layer = layer;
    verdict->error = error;
    verdict->missing = missing;
}

static bool in_force(const struct view *view, enum sandbox_layer layer)
{
    return view->cell->layers & 1u << layer;
}

/*
 * What lies outside everything that is shown is not there. Without mounts it is, and Landlock refuses it: its name can be
 * seen, its content not.
 */
static void judge_outside(const struct view *view, enum access_want want, int error, struct verdict *verdict)
{
    if (in_force(view, LAYER_MOUNTS)) {
        deny(verdict, LAYER_MOUNTS, error, permission_for(want));
    } else if (in_force(view, LAYER_LANDLOCK)) {
        deny(verdict, LAYER_LANDLOCK, error == ENOENT ? ENOENT : EACCES, permission_for(want));
    }
}

static void judge_missing(const struct view *view, const struct lookup *lookup, const struct cell_place *place,
                          enum access_want want, struct verdict *verdict)
{
    int named = item_naming(view, lookup->path);

    if (is_change(want) && place && place->write) {
        verdict->item = place->item;
        verdict->row = place->item >= 0;
        return;
    }
    if (is_change(want)) {
        judge_outside(view, want, lookup->read_only ? EROFS : EACCES, verdict);
        return;
    }
    verdict->verdict = ACCESS_ABSENT;
    verdict->error = ENOENT;
    if (named >= 0 || (place && place->kind == PLACE_GRANT)) {
        verdict->item = place && place->kind == PLACE_GRANT ? place->item : named;
        verdict->row = true;
    } else if ((!place || place->kind == PLACE_SYSTEM) && !is_looked_for(view, lookup->path)) {
        judge_outside(view, want, ENOENT, verdict);
    }
}

/* By the mount when it says so, else by Landlock. */
static void refuse_in_place(const struct view *view, bool by_mount, int error, enum permission missing,
                            struct verdict *verdict)
{
    enum sandbox_layer layer = by_mount && in_force(view, LAYER_MOUNTS) ? LAYER_MOUNTS : LAYER_LANDLOCK;

    if (in_force(view, layer)) {
        deny(verdict, layer, error, missing);
    }
}

static void judge_found(const struct view *view, const struct lookup *lookup, const struct cell_place *place, enum access_want want,
                        bool creates, struct verdict *verdict)
{
    verdict->item = place ? place->item : -1;
    verdict->row = verdict->item >= 0 || want == WANT_EXEC;
    verdict->count =
        verdict->item >= 0 && S_ISREG(lookup->mode) && (want == WANT_READ || want == WANT_WRITE || want == WANT_EXEC);
    if (!place && !in_force(view, LAYER_MOUNTS)) {
        judge_outside(view, want, EACCES, verdict);
        verdict->row = verdict->row && !is_looked_for(view, lookup->path);
    } else if (is_change(want) && creates) {
        verdict->row = false; /* EEXIST, whatever may be changed here */
    } else if (is_change(want) && !(place && place->write)) {
        refuse_in_place(view, lookup->read_only, lookup->read_only ? EROFS : EACCES, permission_for(want), verdict);
    } else if (want == WANT_EXEC && !(place && place->execute)) {
        refuse_in_place(view, lookup->no_exec, EACCES, PERMISSION_EXEC, verdict);
    }
}

struct verdict verdict_of_path(const struct view *view, const struct lookup *lookup, enum access_want want,
                               bool creates)
{
    const struct cell_place *place = cell_find_place(view->cell, lookup->path);
    if (place && place->kind == PLACE_PRIVATE && lookup->read_only) {
        place = NULL; /* a folder in /tmp that leads to the root or a grant is no part of it */
    }
    struct verdict verdict = {
        .verdict = ACCESS_ALLOWED,
        .item = -1,
        .base = place && place->kind != PLACE_GRANT && place->kind != PLACE_PRIVATE,
        .outside_root = !is_below(lookup->path, view->root),
    };

    switch (lookup->state) {
    case LOOKUP_FOUND:
        if (is_hidden(lookup->path)) {
            deny(&verdict, LAYER_NAMESPACES, EACCES, permission_for(want));
            break;
        }
        judge_found(view, lookup, place, want, creates, &verdict);
        break;
    case LOOKUP_MISSING:
        judge_missing(view, lookup, place, want, &verdict);
        break;
    case LOOKUP_FOREIGN:
        deny(&verdict, LAYER_NAMESPACES, EACCES, permission_for(want));
        break;
    case LOOKUP_NONE:
        break;
    }
    if (verdict.verdict == ACCESS_ALLOWED && is_change(want) && view->guarded && place && place->kind == PLACE_GRANT &&
        protect_is(lookup->path, view->own)) {
        deny(&verdict, LAYER_SUPERVISOR, EACCES, permission_for(want));
    }
    return verdict;
}

struct verdict verdict_of_address(const struct view *view, enum address_kind kind, enum access_want want)
{
    struct verdict verdict = {.verdict = ACCESS_ALLOWED, .row = want != WANT_SEND, .item = -1, .outside_root = true};

    if (kind != ADDRESS_OWN && want != WANT_BIND && in_force(view, LAYER_NAMESPACES)) {
        deny(&verdict, LAYER_NAMESPACES, kind == ADDRESS_HANDLE ? ECONNREFUSED : ENETUNREACH, PERMISSION_NET);
    }
    return verdict;
}
