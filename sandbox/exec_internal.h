/* `techo exec` in place: one run, the caller's own standard streams, no session. */
#ifndef TECHO_SANDBOX_EXEC_INTERNAL_H
#define TECHO_SANDBOX_EXEC_INTERNAL_H

#include "base.h"

/*
 * Runs it and returns the exit status; -1 when the arguments (after "exec")
 * hold an option that only the application knows.
 */
int exec_main(int argc, char **argv);

#endif
