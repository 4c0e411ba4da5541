/* Accesses of a run: what was tried, which row grants it or explains its refusal, what would have allowed it. */
#ifndef TECHO_CORE_CELL_ACCESS_INTERNAL_H
#define TECHO_CORE_CELL_ACCESS_INTERNAL_H

#include "cell_client_internal.h"

void cell_access_report(struct cell_client *client, const struct report_access *access);

#endif
