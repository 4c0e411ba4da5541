/* Names that no run ever writes, whatever is granted: what other programs execute or trust when they find it. */
#ifndef TECHO_SANDBOX_PROTECT_INTERNAL_H
#define TECHO_SANDBOX_PROTECT_INTERNAL_H

#include "base.h"

/*
 * Is `path` (absolute, normalised) protected, by its own name or by that of a
 * folder above? `own`: the application's own folders, absolute, a list that
 * ends with NULL; may be NULL.
 */
bool protect_is(const char *path, const char *const *own);

#endif
