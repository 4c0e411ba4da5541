/* Where each statement of a SQL program ends. */
#ifndef TECHO_RUNNER_SQL_SPLIT_H
#define TECHO_RUNNER_SQL_SPLIT_H

#include <stddef.h>

/* Length of the statement that begins at `text`, its semicolon included: strings, names and comments may hold more. */
size_t statement_length(const char *text);

#endif
