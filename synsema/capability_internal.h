/* What capability.c, ceiling.c and scope.c share. */
#ifndef TECHO_SYNSEMA_CAPABILITY_INTERNAL_H
#define TECHO_SYNSEMA_CAPABILITY_INTERNAL_H

#include "machine_internal.h"

const char *capability_wire(enum capability capability);
int grants_add(struct vm *vm, struct grants *grants, enum capability capability, const char *scope);
bool grants_cover(struct vm *vm, const struct grants *grants, enum capability capability, const char *scope, size_t *ret_which);
int capability_audit(struct vm *vm, enum capability capability, const char *scope, bool granted, const char *source,
                     const char *reason, const char *origin);
/* Whether a use would be granted now; neither audits nor sets an error. */
bool capability_allows(struct vm *vm, enum capability capability, const char *scope);
/* A scope in the form that is matched and shown (§10.3). Owned by the caller. */
int scope_normalize(struct vm *vm, enum capability capability, const char *scope, char **ret);
bool glob_matches(const char *pattern, const char *text);

/* choices.c: where the reference leaves the matter open */
int choice_unknown_require(struct vm *vm, const char *name);

#endif
