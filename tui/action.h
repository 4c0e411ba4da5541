/*
 * Everything that a key can do, once: dispatch, bottom line, `?` and palette
 * come from this table.
 */
#ifndef TECHO_TUI_ACTION_H
#define TECHO_TUI_ACTION_H

#include "../sandbox/base.h"

struct app;

enum context {
    CONTEXT_LIVE = 1,
    CONTEXT_REPLAY = 2,
    CONTEXT_SCREEN = CONTEXT_LIVE | CONTEXT_REPLAY,
    CONTEXT_LIST = 4,   /* an overlay with rows to choose from */
    CONTEXT_CARD = 8,   /* an overlay to read */
    CONTEXT_QUIT = 16,  /* really quit? */
    CONTEXT_HELD = 64,  /* a program waits for a decision */
    CONTEXT_SMALL = 32, /* the terminal is too small to show anything */
};

struct action {
    const char *id;    /* for the palette */
    const char *keys;  /* as input.h names them, separated by blanks */
    const char *shown; /* the keys for people, when that is shorter; NULL: keys */
    const char *label; /* in the bottom line; NULL: not there */
    const char *help;
    unsigned contexts; /* set of enum context */
    void (*act)(struct app *app, const char *key);
};

/* NULL past the last. */
const struct action *action_at(size_t index);
const struct action *action_for_key(unsigned context, const char *key);
const struct action *action_for_id(unsigned context, const char *id);
const char *action_keys(const struct action *action);

#endif
