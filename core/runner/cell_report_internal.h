/* Reports of a run, by kind, as events. */
#ifndef TECHO_CORE_CELL_REPORT_INTERNAL_H
#define TECHO_CORE_CELL_REPORT_INTERNAL_H

#include "cell_client_internal.h"

/* What was tried, which row grants it or explains its refusal, what would have allowed it. */
void cell_access_report(struct cell_client *client, const struct report_access *access);
/* Bytes of a stream; what is cut within a character waits for the rest, or for the flush at the end. */
void cell_output_report(struct cell_client *client, const struct report_output *output);
void cell_output_flush(struct cell_client *client);
/* A file of ./out: hash, and content up to 1 MiB. */
void cell_artifact_report(struct cell_client *client, const struct report_artifact *artifact);
/* What it changed on the host, or was not let change. */
void cell_effect_report(struct cell_client *client, const struct report_effect *effect);

#endif
