/* Reads a program, a preamble or the like, and refuses what no program is. */
#ifndef TECHO_CLI_PROGRAM_H
#define TECHO_CLI_PROGRAM_H

#include "../sandbox/base.h"

enum { PROGRAM_MAX = 4 << 20 };

/*
 * Adds the text of a file, or of standard input when `name` is "-", to `to`. -EINVAL when it is empty, is not UTF-8,
 * holds a NUL byte or is above PROGRAM_MAX: err says which, and where.
 */
int program_read(const char *name, struct buf *to, struct err *err) MUST_USE;

#endif
