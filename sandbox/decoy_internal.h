/*
 * A decoy cell: a whole world that is a throw-away. Namespaces of its own, a root that holds the base, a planted home
 * and the copy that the caller made, a network with nothing in it. What runs in it may be let do as it likes.
 */
#ifndef TECHO_SANDBOX_DECOY_INTERNAL_H
#define TECHO_SANDBOX_DECOY_INTERNAL_H

#include "sandbox.h"

/*
 * In a supervisor's process, before it does anything else; after cell_enter_outer(). Returns 0 in a new process, pid 1
 * of the decoy's pid namespace, with the decoy's root for its own; the calling process waits for that one and exits.
 * -errno: nothing was entered, and nothing may run.
 */
int decoy_enter(const struct sandbox_request *request, struct err *err) MUST_USE;

#endif
