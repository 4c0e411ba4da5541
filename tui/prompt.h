/*
 * The prompt line: readline by its callback interface, fed with whole
 * characters and pastes, drawn by us. One at a time.
 */
#ifndef TECHO_TUI_PROMPT_H
#define TECHO_TUI_PROMPT_H

#include "draw.h"
#include "input.h"

/* Takes a finished line; false keeps the prompt open with the same text (it was wrong). */
typedef bool (*prompt_submit)(void *context, const char *text);
/* The index-th word that begins with `prefix`, for completion; NULL past the last. */
typedef const char *(*prompt_word)(const char *prefix, int index);

struct prompt_options {
    const char *label; /* borrowed: a literal */
    const char *text;  /* to start with; NULL: empty */
    prompt_submit submit;
    void *context;    /* borrowed */
    prompt_word word; /* NULL: no completion */
};

void prompt_open(const struct prompt_options *options);
bool prompt_is_open(void);
const char *prompt_text(void); /* as it is now; "" when closed */
void prompt_feed(const struct key *key, const struct buf *paste);
/* Draws label and text into one row, and says where the cursor belongs (a column of the region). */
int prompt_draw(struct region region, int row);
/* Frees what readline and we keep. */
void prompt_close(void);

#endif
