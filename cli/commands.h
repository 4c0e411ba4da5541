/* The commands, one file each. Each gets its command line, prints what it has to say, and returns the exit status. */
#ifndef TECHO_CLI_COMMANDS_H
#define TECHO_CLI_COMMANDS_H

#include "options.h"

int command_run(const struct arguments *arguments);
int command_exec(const struct arguments *arguments);
int command_ask(const struct arguments *arguments);
int command_bench(const struct arguments *arguments);
int command_escapes(const struct arguments *arguments);
int command_why(const struct arguments *arguments);
int command_check(const struct arguments *arguments);
int command_replay(const struct arguments *arguments);
int command_sessions(const struct arguments *arguments);
int command_doctor(const struct arguments *arguments);
int command_help(const struct arguments *arguments);
int command_version(const struct arguments *arguments);

#endif
