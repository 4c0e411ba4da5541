/* What a run consumes: read from the process tree and its control groups. */
#ifndef TECHO_SANDBOX_METER_INTERNAL_H
#define TECHO_SANDBOX_METER_INTERNAL_H

#include "cell_internal.h"

struct meter {
    const struct cell *cell; /* borrowed */
    struct report_usage usage;
    uint64_t gone_ticks;            /* of processes that were seen once */
    uint64_t memory_resident;       /* of all processes, where no control group counts */
    uint64_t memory_buffers;        /* the most that their sockets may hold, likewise */
    uint32_t tasks, tasks_peak;     /* processes and their threads */
    bool memory_hit, processes_hit; /* a control group refused or killed */
    bool disk_full;                 /* the private files' file system was full */
};

void meter_init(struct meter *meter, const struct cell *cell);
/* What the control groups and the file system count. */
void meter_read_counts(struct meter *meter);
/* The same, and a walk of the tree. Some microseconds per process. */
void meter_sample(struct meter *meter);
/* After everything was waited for: the exact processor time of all. `at_end`: processes that there were at the end. */
void meter_finish(struct meter *meter, uint32_t at_end);

#endif
