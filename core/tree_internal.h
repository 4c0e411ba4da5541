/* Folders as wholes: copied, removed. */
#ifndef TECHO_CORE_TREE_INTERNAL_H
#define TECHO_CORE_TREE_INTERNAL_H

#include "../sandbox/base.h"

/* Copies folders and regular files, nothing else; `to` must not exist. */
int tree_copy(const char *from, const char *to, struct err *err) MUST_USE;
/* One regular file; `to` must not exist. -errno. */
int tree_copy_file(const char *from, const char *to);
/* Removes it with all below, not through symlinks or mounts. */
void tree_remove(const char *path);

#endif
