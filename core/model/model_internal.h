/* Whatever answers with a program. A model is asked, then polled for pieces of its answer; it never blocks. */
#ifndef TECHO_CORE_MODEL_INTERNAL_H
#define TECHO_CORE_MODEL_INTERNAL_H

#include "../event.h"

struct model;

struct model_options {
    const char *name;    /* "recorded", "recorded:FILE" */
    const char *case_id; /* NULL: no case */
    bool instant;
};

struct model_question {
    const char *id; /* NULL: a question of a person's own */
    const char *language;
    unsigned attempt; /* 1 ... */
};

enum model_piece_kind {
    MODEL_TEXT, /* of the answer as the model gave it, fences and all */
    MODEL_PART, /* of a known channel: "program", "thinking" ... */
    MODEL_END,
};

struct model_piece {
    enum model_piece_kind kind;
    const char *channel;          /* of a part; borrowed until the next call */
    const char *text;             /* borrowed until the next call */
    const struct event *response; /* with the end, where one was recorded; borrowed */
    bool cut;                     /* with the end: the answer was truncated */
};

/* -EINVAL with one line for a name that is no model. */
int model_new(const struct model_options *options, struct model **ret_model, struct err *err) MUST_USE;
void model_free(struct model *model);
/* -ENOENT with one line that says what to do when there is no answer to be had. */
int model_ask(struct model *model, const struct model_question *question, struct err *err) MUST_USE;
/* When the next piece is there: microseconds of CLOCK_MONOTONIC, or -1 when nothing is asked. */
int64_t model_deadline(const struct model *model);
/* True and the next piece, when it is there by now. After a MODEL_END there is nothing more. */
bool model_next(struct model *model, struct model_piece *ret_piece);
void model_stop(struct model *model);
/* "recorded" */
const char *model_by(const struct model *model);

#endif
