/* How a run ended: one status from all that was observed. Pure. */
#ifndef TECHO_SANDBOX_OUTCOME_INTERNAL_H
#define TECHO_SANDBOX_OUTCOME_INTERNAL_H

#include "cell_internal.h"

struct outcome_facts {
    bool cancelled;
    int killed_for; /* the enum limit for which the supervisor killed it; -1: it did not */
    bool ended;     /* the program ended by itself: `end` is filled */
    struct cell_end end;
    bool hit[_LIMIT_MAX]; /* a limit was reached, as its layer says */
    const struct limits *limits;
    const struct report_access *denied; /* the last refused access, or NULL */
    const char *errors;                 /* the tail of standard error */
    size_t errors_len;
    const char *command;
};

/* Fills status, code, signal, limit, limit_value and message (owned by the report). */
void outcome_decide(const struct outcome_facts *facts, struct report_exit *ret_exit);
/* A run that never started. */
void outcome_refuse(enum sandbox_status status, int code, const char *why, struct report_exit *ret_exit);

#endif
