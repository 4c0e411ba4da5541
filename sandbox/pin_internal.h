/*
 * Pins: the files that the granted items name, opened once before the cell is
 * made, with device and inode, so that what is mounted and judged is what the
 * policy meant. A symlink that leads out of its item's scope is refused. What
 * may be written is kept apart (pin_write.c).
 */
#ifndef TECHO_SANDBOX_PIN_INTERNAL_H
#define TECHO_SANDBOX_PIN_INTERNAL_H

#include "policy.h"

#include <limits.h>
#include <sys/types.h>

enum { PIN_GLOB_MAX = 256 };

struct pin {
    int item;    /* index into the granted policy */
    char *path;  /* owned; absolute, as it will be called inside */
    int fd;      /* owned; O_PATH */
    dev_t device;
    ino_t inode;
    bool folder; /* it and all below */
};

/* What may be written: a folder and all below, or one file. The folder is opened even when the file is missing. */
struct write_pin {
    int item;            /* index into the granted policy */
    char *path;          /* owned; absolute: the folder, or the file */
    char *folder;        /* owned; absolute: `path`, or the folder that the file lies in */
    const char *name;    /* within `path`: of the one file; NULL: the whole folder */
    int fd;              /* owned; O_PATH: `folder`, or the nearest one above it that exists */
    const char *missing; /* within `folder`: the part below `fd` that does not exist; "" */
    bool exists;         /* the file, or the folder, is there */
};

struct pins {
    struct pin *list; /* owned; sorted by path, shortest first */
    size_t count;
    struct write_pin *writes; /* owned; sorted by path, shortest first; none lies within another */
    size_t write_count;
    struct pin *guards; /* owned; with --direct: what lies in `writes` and stays read-only */
    size_t guard_count;
};

/* `granted` has absolute scopes. A file that is missing is no pin to read and no error. */
int pins_open(const struct policy *granted, const char *root, struct pins *ret_pins, struct err *err) MUST_USE;
void pins_done(struct pins *pins);
/*
 * Adds what the item `index` of the policy lets the program write. -ELOOP: a
 * symbolic link lies on the way; -EINVAL: neither one file nor a folder.
 */
int pins_add_write(struct pins *pins, const struct policy_item *item, int index, const char *root,
                   struct err *err) MUST_USE;
/*
 * For --direct: fills `guards`. -EOPNOTSUPP: a grant that cannot be direct, or
 * too much to look through.
 */
int pins_guard(struct pins *pins, const char *root, const char *const *own, struct err *err) MUST_USE;
/* Afterwards: calls `each` for what lies in `writes` under a protected name and is none of the guards. */
typedef void (*pin_stray_fn)(void *context, int folder, const char *name, const char *path);
int pins_find_strays(struct pins *pins, const char *const *own, pin_stray_fn each, void *context,
                     struct err *err) MUST_USE;
void pins_sort_writes(struct pins *pins);
void write_pin_done(struct write_pin *pin);
/* Where an open descriptor really lies. 0 or -errno. */
int pin_real_path(int fd, char ret_path[PATH_MAX]);

#endif
