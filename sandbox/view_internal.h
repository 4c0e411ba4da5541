/*
 * The cell's view of the files. The maker plans it (view_plan.c): it resolves
 * what is shown to detached mounts, in its own mount namespace. The cell's
 * init builds it (view.c): a new root, on which they are put.
 */
#ifndef TECHO_SANDBOX_VIEW_INTERNAL_H
#define TECHO_SANDBOX_VIEW_INTERNAL_H

#include "cell_internal.h"
#include "privilege_internal.h"

#include <limits.h>

/* One thing to show, in the order in which it is put. */
struct view_entry {
    struct cell_place place; /* its path is owned */
    int fd;                  /* owned; a detached mount; of what init makes itself, the finished thing; or -1 */
    char *link;              /* owned; a symlink with this target; else NULL */
    const struct sandbox_inject *inject; /* borrowed; the content of an injected file; else NULL */
    unsigned rights;                     /* of enum landlock_right */
    const char *source;                  /* static; of a private folder, its name in the private file system */
    const struct write_pin *write;       /* borrowed; of what may be written through an overlay; else NULL */
    int lower;                           /* owned; a detached mount: what the overlay lies on; or -1 */
    bool late;                           /* put after the root folder, in which it may lie */
};

struct idmap_cache;

struct view {
    struct view_entry *list; /* owned */
    size_t count, size;
    const char *root;    /* borrowed; the request's */
    char home[PATH_MAX]; /* HOME inside; "" when the environment names none */
    char zone[PATH_MAX]; /* the target of /etc/localtime; "" when it is no symlink */
    int root_lower;      /* owned; a detached mount of the host's root folder, when it is shown whole; or -1 */
    bool root_execute;   /* ... and programs in it may be executed */
    bool in_place;       /* no mounts: what is shown is opened where it lies, and nothing is private */
    bool execute;        /* an unscoped `exec`: what is granted and what the program writes may be executed */
    uint64_t disk;       /* bytes of the private file system */
    uid_t uid;           /* inside, for /etc/passwd */
    gid_t gid;
    struct idmap_cache *maps; /* owned; user namespaces for mounts with mapped ids */
};

/* `map_ids`: a granted file's owner appears as the cell's user (root only). */
int view_plan(const struct cell_options *options, const struct privilege_ids *ids, bool map_ids, bool sampled,
              bool in_place, struct view *ret_view, struct err *err) MUST_USE;
void view_done(struct view *view);
/* Adds an entry and returns it, or NULL without memory. `fd` becomes owned. */
struct view_entry *view_add(struct view *view, enum cell_place_kind kind, const char *path, int fd, bool folder,
                            unsigned rights);
/*
 * A detached copy of what `fd` is, or of `path` when fd is AT_FDCWD: read-only,
 * private, without set-user-id programs and device nodes. `map`: a user
 * namespace for mapped ids, or -1. -errno.
 */
int view_clone(int fd, const char *path, bool recursive, bool execute, int map);
/* The same of a folder or file that may be written through. */
int view_clone_writable(int fd, bool execute, int map);
/* A user namespace in which the owner of `fd` is the cell's user, or -1. */
int view_owner_map(struct view *view, int fd, bool map_ids);
/* Adds what may be written (view_plan_write.c). */
int view_plan_writes(struct view *view, const struct cell_options *options, bool map_ids, struct err *err);
/*
 * In the private file system, which is the working folder: makes what is put
 * at the entry's place, with its upper layer in writes/INDEX/upper.
 */
int view_make_write(const struct view *view, struct view_entry *entry, size_t index, struct err *err);
/* The same for the root folder, with a place for ./out and for what is missing. *ret_fd is a detached mount. */
int view_make_root(const struct view *view, int *ret_fd, struct err *err);
/* An overlay of the folders named in `layers` ("upper:lower"), or of a writable one; a detached mount, or -errno. */
int view_make_overlay(const char *lower, const char *upper, const char *work, unsigned attributes);
/* The same for a view; in place, the thing itself. */
int view_show(const struct view *view, int fd, const char *path, bool recursive, bool execute, int map);
/* Adds the request's base, and what `exec` items show. */
int view_plan_bases(struct view *view, const struct cell_options *options, struct err *err);
/* -ENOMEM and its words. */
int view_no_room(struct err *err);
/* The places that the view shows, for the supervisor; owned by the caller. */
int view_places(const struct view *view, struct cell_place **ret_places, size_t *ret_count);

/* What became of it. All descriptors are owned. */
struct view_built {
    int root_dir, out_dir;
    int writes_dir; /* folders 0, 1, ... with the upper layers of what may be written; -1: nothing may */
    int without_proc; /* 0, or the errno that refused /proc */
};

/*
 * In the cell, in a mount namespace of its own from which nothing propagates.
 * Afterwards the new root is "/" for every process there whose root and
 * working folder were "/".
 */
int view_build(struct view *view, struct view_built *ret_built, struct err *err) MUST_USE;
/* Detaches the host's files, which are out of every path's reach already. Waits for the kernel's readers. */
int view_leave_host(struct err *err) MUST_USE;

/* Is `path` `folder` itself or below it? Both absolute and normalised. */
static inline bool path_is_within(const char *path, const char *folder)
{
    size_t len = __builtin_strlen(folder);

    if (len == 1) {
        return true; /* "/" */
    }
    return !__builtin_strncmp(path, folder, len) && (path[len] == '\0' || path[len] == '/');
}

/*
 * A user namespace in which the ids `uid` and `gid` of the disk are the
 * cell's user outside; for MOUNT_ATTR_IDMAP. Borrowed from the cache, made at
 * first use; -errno.
 */
int idmap_find(struct idmap_cache **cache, uid_t uid, gid_t gid);
void idmap_done(struct idmap_cache *cache);

#endif
