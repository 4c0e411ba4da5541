/* The reducer: the session's own part of the state, and which event goes where. */
#include "state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "state_internal.h"

struct state *state_new(void)
{
    return calloc(1, sizeof(struct state));
}

void state_free(struct state *state)
{
    if (state) {
        shape_done(&state_shape, state);
        free(state);
    }
}

struct state *state_copy(const struct state *state)
{
    struct state *copy = state_new();
    if (copy && shape_copy(&state_shape, copy, state) < 0) {
        state_free(copy);
        return NULL;
    }
    if (copy && state->current) {
        copy->current = state_question(copy, state->current->seq);
    }
    return copy;
}

int state_format(const struct state *state, struct buf *to)
{
    return shape_format(&state_shape, state, to);
}

struct state_question *state_question(const struct state *state, uint64_t seq)
{
    for (size_t i = state->question_count; i > 0; i--) {
        if (state->questions[i - 1]->seq == seq) {
            return state->questions[i - 1];
        }
    }
    return NULL;
}

struct state_attempt *state_attempt(const struct state_question *question, uint64_t lane, uint64_t number)
{
    for (size_t i = question->attempt_count; i > 0; i--) {
        struct state_attempt *attempt = question->attempts[i - 1];
        if (attempt->lane == lane && attempt->number == number) {
            return attempt;
        }
    }
    return NULL;
}

struct state_attempt *state_last_attempt(const struct state_question *question)
{
    return question && question->attempt_count ? question->attempts[question->attempt_count - 1] : NULL;
}

/* ---- applying an event ------------------------------------------------------------------------------------------- */

enum reach { NOTHING, SESSION, QUESTION, ATTEMPT };

/* What an event has to name, and where it goes. Kinds that are not here leave the state as it is. */
static const struct {
    enum reach reach;
    void (*reduce)(struct change *change);
} reducers[_EVENT_MAX] = {
    [EVENT_SESSION] = {SESSION, reduce_session},
    [EVENT_CEILING] = {SESSION, reduce_ceiling},
    [EVENT_PROFILE] = {SESSION, reduce_profile},
    [EVENT_QUESTION] = {SESSION, reduce_question},
    [EVENT_PROMPT] = {QUESTION, reduce_prompt},
    [EVENT_DELTA] = {ATTEMPT, reduce_delta},
    [EVENT_RESPONSE] = {ATTEMPT, reduce_response},
    [EVENT_PHASE] = {SESSION, reduce_phase},
    [EVENT_WAIT] = {QUESTION, reduce_wait},
    [EVENT_PROGRAM] = {ATTEMPT, reduce_program},
    [EVENT_FINDING] = {ATTEMPT, reduce_finding},
    [EVENT_PERMISSION] = {ATTEMPT, reduce_permission},
    [EVENT_RUN] = {ATTEMPT, reduce_run},
    [EVENT_OUTPUT] = {ATTEMPT, reduce_output},
    [EVENT_ACCESS] = {ATTEMPT, reduce_access},
    [EVENT_USAGE] = {ATTEMPT, reduce_usage},
    [EVENT_USED] = {ATTEMPT, reduce_used},
    [EVENT_LEAST] = {ATTEMPT, reduce_least},
    [EVENT_EXCEPTION] = {ATTEMPT, reduce_exception},
    [EVENT_RESULT] = {ATTEMPT, reduce_result},
    [EVENT_ARTIFACT] = {ATTEMPT, reduce_artifact},
    [EVENT_EXIT] = {ATTEMPT, reduce_exit},
    [EVENT_EFFECT] = {ATTEMPT, reduce_effect},
    [EVENT_VERDICT] = {ATTEMPT, reduce_verdict},
    [EVENT_RESIZE] = {SESSION, reduce_resize},
    [EVENT_NOTE] = {SESSION, reduce_note},
    [EVENT_ERROR] = {SESSION, reduce_note},
    [EVENT_END] = {SESSION, reduce_end},
};

static struct state_attempt *new_attempt(struct change *change)
{
    struct state_attempt *attempt = calloc(1, sizeof(*attempt));
    if (!attempt) {
        change->no_memory = true;
        return NULL;
    }
    attempt->holders = 1;
    attempt->seq = change->event->seq;
    attempt->number = change->event->attempt;
    attempt->lane = change->event->lane;
    attempt->run_begin = -1;
    buf_init(&attempt->text, SIZE_MAX / 2);
    buf_init(&attempt->prose, SIZE_MAX / 2);
    buf_init(&attempt->output[1].bytes, STATE_OUTPUT_MAX);
    buf_init(&attempt->output[2].bytes, STATE_OUTPUT_MAX);
    put_text(change, &attempt->executor, change->question->executor);
    put_text(change, &attempt->language, change->question->language);
    return attempt;
}

/* Puts an attempt that no other state holds in the place of one that others do. */
static struct state_attempt *unshare(struct change *change, struct state_attempt **place)
{
    struct state_attempt *shared = *place, *own = calloc(1, sizeof(*own));
    if (own) {
        own->holders = 1;
        *place = own;
        shared->holders--;
    }
    if (!own || shape_copy(&state_attempt_shape, own, shared) < 0) {
        change->no_memory = true;
    }
    return own;
}

/* The attempt that the event names, free to be changed; made by the first event that names it. NULL without memory. */
static struct state_attempt *attempt_for(struct change *change)
{
    const struct event *event = change->event;
    struct state_question *question = change->question;
    for (size_t i = question->attempt_count; i > 0; i--) {
        struct state_attempt **place = &question->attempts[i - 1];
        if ((*place)->lane == event->lane && (*place)->number == event->attempt) {
            return (*place)->holders > 1 ? unshare(change, place) : *place;
        }
    }
    struct state_attempt **place = append(change, &question->attempts, &question->attempt_count, sizeof(*place));
    if (place) {
        *place = new_attempt(change);
        question->attempt_count -= *place ? 0 : 1;
    }
    return place ? *place : NULL;
}

/* Finds what the event names; false when it names too little, or what there is not. */
static bool resolve(struct change *change, enum reach reach)
{
    const struct event *event = change->event;
    if (event->kind == EVENT_QUESTION || event->question == 0) {
        return reach <= SESSION;
    }
    change->question = state_question(change->state, event->question);
    if (!change->question) {
        return false;
    }
    change->state->current = change->question;
    if (event->kind != EVENT_WAIT) {
        free(change->question->model_wait);
        change->question->model_wait = NULL;
        change->question->wait_until = -1;
    }
    if (event->attempt) {
        change->attempt = attempt_for(change);
    }
    return reach < ATTEMPT || event->attempt;
}

int state_apply(struct state *state, const struct event *event)
{
    struct change change = {.state = state, .event = event};
    enum reach reach = reducers[event->kind].reach;
    if (event->seq <= state->last_seq) {
        state->errors++;
        return 0;
    }
    state->last_seq = event->seq;
    state->last_t = event->t;
    if (!resolve(&change, reach)) {
        change.odd = true;
    } else if (reach != NOTHING && !change.no_memory) {
        reducers[event->kind].reduce(&change);
    }
    state->errors += change.odd && !change.no_memory;
    return change.no_memory ? -ENOMEM : 0;
}
