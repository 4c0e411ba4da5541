/*
 * Keys from bytes: UTF-8, the terminal's own function keys, Alt, a lone Esc
 * (25 ms without company), and pastes, which come whole.
 */
#ifndef TECHO_TUI_INPUT_H
#define TECHO_TUI_INPUT_H

#include "../sandbox/base.h"

enum {
    INPUT_ESCAPE_US = 25000,
    INPUT_PASTE_US = 1000000, /* without a byte: then a paste is over, though its end mark did not come */
    INPUT_PASTE_MAX = 256 * 1024,
    INPUT_NAME_MAX = 16,
    INPUT_PENDING_MAX = 4096
};

enum input_type {
    INPUT_CHAR,     /* `name` is the character itself, or "^C", "Enter", "Tab", "Space" ... */
    INPUT_FUNCTION, /* "Up", "PgDn" ... */
    INPUT_ALT,      /* "M-x" */
    INPUT_PASTE,    /* input_paste() has the bytes */
};

struct key {
    enum input_type type;
    char name[INPUT_NAME_MAX];  /* as the action table writes it */
    char bytes[INPUT_NAME_MAX]; /* what a line editor should be fed */
    size_t len;
};

struct input {
    unsigned char pending[INPUT_PENDING_MAX];
    size_t len;
    int64_t since;     /* when the last bytes came; CLOCK_MONOTONIC µs */
    uint64_t consumed; /* bytes that have become keys, or were thrown away */
    bool pasting;
    struct buf paste; /* owned; grows up to INPUT_PASTE_MAX, the rest is dropped */
};

void input_init(struct input *input);
void input_done(struct input *input);
/* Reads once. 0, or -EIO when the terminal is gone. */
int input_read(struct input *input, int fd) MUST_USE;
/* The next key; false when there is none yet. `now` decides about a lone Esc, and a paste that breaks off. */
bool input_next(struct input *input, int64_t now, struct key *ret_key);
/* When input_next() should be called again although nothing comes, or -1. */
int64_t input_deadline(const struct input *input);

#endif
