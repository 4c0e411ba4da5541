/* Secrets that must never be in an event: keys of models, for one. */
#ifndef TECHO_CORE_REDACT_INTERNAL_H
#define TECHO_CORE_REDACT_INTERNAL_H

#include "event.h"

#define REDACTED "[secret]"

struct secrets {
    char **texts; /* owned */
    size_t count;
};

int secrets_add(struct secrets *secrets, const char *text) MUST_USE;
void secrets_done(struct secrets *secrets);
/* Replaces each secret in every text of the event, within encoded bytes too; -ENOMEM. */
int secrets_redact(const struct secrets *secrets, struct event *event) MUST_USE;

#endif
