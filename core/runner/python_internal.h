/* CPython in a cell: which interpreter, what it needs to be shown, its environment. */
#ifndef TECHO_CORE_PYTHON_INTERNAL_H
#define TECHO_CORE_PYTHON_INTERNAL_H

#include "cell_builder_internal.h"

/*
 * Adds the interpreter as the first argument, its base and its environment.
 * *ret_versions (NULL: not wanted) becomes an object that the caller owns.
 * -ENOENT with a line that says what is missing when there is no interpreter.
 */
int python_add(struct cell_builder *builder, cJSON **ret_versions, struct err *err) MUST_USE;
/* Injects one of our scripts of libexec/techo, and adds it as an argument. */
int python_add_script(struct cell_builder *builder, const char *script, struct err *err) MUST_USE;

#endif
