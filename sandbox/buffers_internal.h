/*
 * Memory that the kernel holds in a cell's sockets. No process's size shows
 * it; a control group counts it; where memory is sampled, its bound is the
 * number of sockets times what one may hold.
 */
#ifndef TECHO_SANDBOX_BUFFERS_INTERNAL_H
#define TECHO_SANDBOX_BUFFERS_INTERNAL_H

#include "base.h"

#include <sys/types.h>

/* The kernel's settings, for the next call: the way to them may be gone by then. Owned by the caller; -1: there are none. */
int buffers_open(void);
/* In a network namespace that is just made: keeps TCP's buffers from growing. What cannot be set stays as it is. */
void buffers_keep_small(int settings);
/* The most that the sockets of this process's network namespace can hold, in bytes; those in flight count too. */
uint64_t buffers_most(pid_t pid);

#endif
