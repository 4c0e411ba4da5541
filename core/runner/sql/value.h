/* Values of DuckDB's vectors as JSON. */
#ifndef TECHO_RUNNER_SQL_VALUE_H
#define TECHO_RUNNER_SQL_VALUE_H

#include <stdio.h>

#include "duckdb.h"

void json_text(FILE *to, const char *text, size_t len);
/* Row `row` of the vector, whose type is `type`. What JSON has no value for is a text, as SQL writes it. */
void json_value(FILE *to, duckdb_type type, duckdb_vector vector, uint64_t row);
/* "BIGINT", "VARCHAR[]" */
void write_type(FILE *to, duckdb_type type);

#endif
