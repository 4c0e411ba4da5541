/* Saved sessions by name. */
#ifndef TECHO_CLI_SAVED_H
#define TECHO_CLI_SAVED_H

#include "../core/core.h"

/* A session's file: a path that exists, else a saved session's name with or without .jsonl. -ENOENT names what was
 * sought. */
int saved_find(const char *name, struct buf *to, struct err *err) MUST_USE;

#endif
