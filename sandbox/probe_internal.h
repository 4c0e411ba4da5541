/* The doctor: tries in throw-away cells what each guarantee promises. */
#ifndef TECHO_SANDBOX_PROBE_INTERNAL_H
#define TECHO_SANDBOX_PROBE_INTERNAL_H

#include "sandbox.h"

/* Sends one datagram for each guarantee. `outer`: why the outer namespace could not be made; code 0: it was. */
void probe_report(int socket, const struct err *outer);

/* Inside a cell: bin/techo, started with this argument, the attempt's name and the host's port and process. */
#define PROBE_ARGUMENT "--probe"
enum probe_result {
    PROBE_HELD = 0,       /* every attempt failed, as it should */
    PROBE_BROKEN = 1,     /* one got through */
    PROBE_NO_CONTROL = 2, /* what should work does not, so that the rest proves nothing */
};
int probe_inside(int argc, char **argv);

#endif
