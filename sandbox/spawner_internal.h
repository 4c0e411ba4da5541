/* The spawner: forks one supervisor per run, and nothing that holds keys ever. */
#ifndef TECHO_SANDBOX_SPAWNER_INTERNAL_H
#define TECHO_SANDBOX_SPAWNER_INTERNAL_H

#include "base.h"

/* The spawner itself; returns the exit status when its socket is closed. */
int spawner_main(int socket);
/* Starts it from /proc/self/exe, with an empty environment; *ret_socket is the application's end. */
int spawner_start(int *ret_socket, struct err *err) MUST_USE;

/* How bin/techo is told to be the spawner. */
#define SPAWNER_ARGUMENT "--spawner"

#endif
