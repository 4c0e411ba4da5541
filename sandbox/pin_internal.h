/*
 * Pins: the files that the granted items name, opened once before the cell is
 * made, with device and inode, so that what is mounted and judged is what the
 * policy meant. A symlink that leads out of its item's scope is refused.
 */
#ifndef TECHO_SANDBOX_PIN_INTERNAL_H
#define TECHO_SANDBOX_PIN_INTERNAL_H

#include "policy.h"

#include <sys/types.h>

enum { PIN_GLOB_MAX = 256 };

struct pin {
    int item;    /* index into the granted policy */
    char *path;  /* owned; absolute, as it will be called inside */
    int fd;      /* owned; O_PATH */
    dev_t device;
    ino_t inode;
    bool folder; /* it and all below */
    bool write;
};

struct pins {
    struct pin *list; /* owned; sorted by path, shortest first */
    size_t count;
};

/* `granted` has absolute scopes. A file that is missing is no pin and no error. */
int pins_open(const struct policy *granted, const char *root, struct pins *ret_pins, struct err *err) MUST_USE;
void pins_done(struct pins *pins);
/* The pin that allows this path (absolute, normalised; any spelling below a folder), or NULL. */
const struct pin *pins_find(const struct pins *pins, const char *path, bool write);

#endif
