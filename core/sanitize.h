/*
 * The one door from untrusted text to a screen. Escape sequences, C0 and C1
 * bytes, carriage returns, bidirectional controls, invisible and broken
 * characters come out visible (\x1b, U+202E ...) and never act.
 */
#ifndef TECHO_CORE_SANITIZE_H
#define TECHO_CORE_SANITIZE_H

#include "../sandbox/base.h"

/* Bytes from a model, a program, a file or the network. */
struct untrusted {
    const char *bytes; /* borrowed */
    size_t len;
};
struct untrusted untrusted_text(const char *text); /* NULL: empty */
struct untrusted untrusted_bytes(const char *bytes, size_t len);

enum { CELL_BYTES_MAX = 32 };

/* What one or two columns of a screen hold. */
struct cell {
    char text[CELL_BYTES_MAX]; /* UTF-8, NUL-terminated: one base character and what combines with it */
    uint8_t width;             /* 1 or 2 columns */
    bool neutralised;          /* it stands for something that was made visible */
};

/* Called for each cell. `row_end` true: a line ended, and `cell` is NULL. Return false to stop. */
typedef bool (*cell_fn)(void *context, const struct cell *cell, bool row_end);

enum sanitize_flags {
    SANITIZE_LINES = 1,  /* a newline ends a row; without it newline is made visible too */
    SANITIZE_ASCII = 2,  /* the screen cannot show UTF-8: others become <U+XXXX> */
};

/* Returns how many things were made visible. A tab becomes blanks up to the next multiple of 8. */
size_t sanitize_cells(struct untrusted text, unsigned flags, cell_fn each, void *context);
/* The same as plain text for lines on a terminal or in a log. Returns how many. */
size_t sanitize_text(struct untrusted text, unsigned flags, struct buf *to);
/* Columns that it takes in one row. */
size_t sanitize_width(struct untrusted text, unsigned flags);

#endif
