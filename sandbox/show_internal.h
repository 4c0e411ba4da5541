/*
 * A file that a person has allowed is moved into the view of a cell that runs
 * already. The supervisor, which sees the host's files, makes a read-only
 * clone of just that file; the cell's init makes a place for it and puts it.
 */
#ifndef TECHO_SANDBOX_SHOW_INTERNAL_H
#define TECHO_SANDBOX_SHOW_INTERNAL_H

#include <sys/types.h>

/* The file systems in which init may make a place: the cell's own root and its private one. */
struct show_places {
    dev_t root, private;
};

/* In init: puts the detached mount `tree` at `path` (absolute, normalised). 0 or -errno. */
int show_put(const struct show_places *places, const char *path, int tree);

#endif
