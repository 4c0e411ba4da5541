/* DuckDB in a cell: its library, the program that runs SQL with it, what its own fence lets through. */
#ifndef TECHO_CORE_SQL_INTERNAL_H
#define TECHO_CORE_SQL_INTERNAL_H

#include "cell_builder_internal.h"

/*
 * Adds libexec/techo/sql, its base, environment and options as arguments; the program's own paths are the caller's to
 * add. The fence lets through what is granted. -ENOENT with a line that says what is missing without libduckdb.so.
 */
int sql_add(struct cell_builder *builder, const struct runner_program *program, cJSON **ret_versions,
            struct err *err) MUST_USE;

#endif
