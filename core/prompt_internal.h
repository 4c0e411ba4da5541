/* What a model is asked: question, data, rules of the language, ceiling in words, and what came of earlier attempts. */
#ifndef TECHO_CORE_PROMPT_INTERNAL_H
#define TECHO_CORE_PROMPT_INTERNAL_H

#include "data_files_internal.h"
#include "engine.h"

/* An attempt that did not do: the program, and what to tell about it. */
struct prompt_turn {
    char *program; /* owned; NULL when there was none */
    char *told;    /* owned */
};

struct prompt_input {
    const struct executor *executor;
    const char *question;
    const struct data_files *files;
    const struct policy *ceiling;
    const char *preamble; /* NULL: none */
    const struct prompt_turn *turns;
    size_t turn_count;
};

/* The canonical body: {"messages": [{"role", "content"} ...]}. NULL only without memory. */
cJSON *prompt_body(const struct prompt_input *input);
/* A policy in words, one line per item: "- read files: ./data/ and all below it". */
void prompt_ceiling_words(const struct policy *ceiling, struct buf *to);

#endif
