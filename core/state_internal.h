/* What the files of the reducer share. */
#ifndef TECHO_CORE_STATE_INTERNAL_H
#define TECHO_CORE_STATE_INTERNAL_H

#include "shape_internal.h"
#include "state.h"

extern const struct shape state_shape, state_attempt_shape;

/* One event on its way into the state. All but the flags is borrowed. */
struct change {
    struct state *state;
    const struct event *event;
    struct state_question *question; /* that the event names; NULL */
    struct state_attempt *attempt;   /* that the event names; NULL */
    bool no_memory;
    bool odd; /* the event makes no sense */
};

/* Each takes a field of the event; one that is not given changes nothing. */
void take_text(struct change *change, char **to, const char *field);
void take_count(const struct change *change, uint64_t *to, const char *field);
void take_int(const struct change *change, int64_t *to, const char *field);
void take_unsigned(const struct change *change, unsigned *to, const char *field);
void take_json(struct change *change, cJSON **to, const char *field);

/* Replaces *to by a copy; NULL leaves it. */
void put_text(struct change *change, char **to, const char *text);
/* A new element, all zero, at the end of an array; NULL and no_memory without memory. */
void *append(struct change *change, void *array_pointer, size_t *count, size_t size);
/* A whole number of 0 or more, or the fallback. */
uint64_t json_count(const cJSON *object, const char *member, uint64_t fallback);
const char *json_text(const cJSON *object, const char *member); /* borrowed; NULL */

/* state_session.c: what happens to the session and to its questions. */
void reduce_session(struct change *change);
void reduce_ceiling(struct change *change);
void reduce_profile(struct change *change);
void reduce_question(struct change *change);
void reduce_prompt(struct change *change);
void reduce_phase(struct change *change);
void reduce_wait(struct change *change);
void reduce_resize(struct change *change);
void reduce_note(struct change *change);
void reduce_end(struct change *change);

/* state_attempt.c: what happens to an attempt. */
void reduce_delta(struct change *change);
void reduce_response(struct change *change);
void reduce_program(struct change *change);
void reduce_finding(struct change *change);
void reduce_run(struct change *change);
void reduce_output(struct change *change);
void reduce_usage(struct change *change);
void reduce_least(struct change *change);
void reduce_exception(struct change *change);
void reduce_result(struct change *change);
void reduce_artifact(struct change *change);
void reduce_exit(struct change *change);
void reduce_effect(struct change *change);
void reduce_verdict(struct change *change);

/* state_rows.c: permissions, and the accesses that they explain. */
void reduce_permission(struct change *change);
void reduce_access(struct change *change);
void reduce_used(struct change *change);

#endif
