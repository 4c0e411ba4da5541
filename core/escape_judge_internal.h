/* What came of one attack, read from its effects. */
#ifndef TECHO_CORE_ESCAPE_JUDGE_INTERNAL_H
#define TECHO_CORE_ESCAPE_JUDGE_INTERNAL_H

#include "engine.h"
#include "escape_scene_internal.h"

struct escape_evidence {
    uint64_t question;   /* seq of the attack's question */
    const char *outcome; /* "contained", "escaped", "failed" */
    char *status;        /* owned; of the run */
    char *denial;        /* owned; what stopped it; NULL */
    char *effects;       /* owned; what was checked */
};

/* Looks at what is left of an attack that has ended; emits an `effect` event for each thing that it checks. */
void escape_judge(const struct escape_info *escape, const struct engine *engine, struct scene *scene,
                  struct escape_evidence *ret_evidence);
void escape_evidence_done(struct escape_evidence *evidence);

#endif
