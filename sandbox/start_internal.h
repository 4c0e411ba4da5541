/*
 * What this process was started with. Its arguments and environment lie in its
 * memory, and in that of every process forked from it, where they are no
 * program's business: /proc/1/cmdline is open to all in a cell.
 */
#ifndef TECHO_SANDBOX_START_INTERNAL_H
#define TECHO_SANDBOX_START_INTERNAL_H

/* At the beginning of main(). Without it the others do nothing. */
void start_remember(char **argv);
/* Overwrites the arguments, and leaves `name` in their place, as far as it has room. Nothing may use them afterwards. */
void start_forget_arguments(const char *name);
/* Overwrites the environment and empties it. */
void start_forget_environment(void);

#endif
