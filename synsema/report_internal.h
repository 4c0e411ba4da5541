/* The lines that a program printed, and the JSON report made of them. */
#ifndef TECHO_SYNSEMA_REPORT_INTERNAL_H
#define TECHO_SYNSEMA_REPORT_INTERNAL_H

#include <stdio.h>

#include "synsema.h"

struct report {
    char **lines; /* owned, and each line */
    size_t count, capacity;
};

int report_add(struct report *report, const char *line, size_t length); /* -1 when memory is short */
void report_done(struct report *report);
void report_write(const struct report *report, const struct synsema *engine, const struct synsema_result *result, FILE *to);

#endif
