/* The parts of the session screen: each draws itself into a region, and its title onto the edge above. */
#ifndef TECHO_TUI_PANE_H
#define TECHO_TUI_PANE_H

#include "draw.h"
#include "view.h"

struct pane_kind {
    const char *name;       /* "Program" */
    const char *short_name; /* for tabs */
    /* After "2 Program ": further words on the edge. NULL: none. */
    void (*title)(const struct picture *picture, struct line *line);
    void (*draw)(const struct picture *picture, struct region region);
    /* How many rows there are to scroll over in a region of this size. */
    int (*rows)(const struct picture *picture, struct region region);
    /* The first row at or after `from` whose text holds `text`, or -1. */
    int (*find)(const struct picture *picture, const char *text, int from);
};
const struct pane_kind *pane_kind(enum pane pane);

extern const struct pane_kind pane_permissions, pane_program, pane_output, pane_happened;

/* What, question, pipeline: a row each, or fewer; from four rows on the question has the further ones. */
void pane_header_draw(const struct picture *picture, struct region region);
/* Limits, one row. */
void pane_limits_draw(const struct picture *picture, struct region region, int row);
/* Why the selected permission is granted or not. */
void pane_why_draw(const struct picture *picture, struct region region);

/* The first row to show: `scroll` made to fit, or `automatic`. */
int pane_first_row(int scroll, int automatic, int rows, int height);
/* The lines of a text, one after the other, without copying. */
struct text_reader {
    const char *at, *end; /* borrowed from the text */
    size_t most;          /* a longer line comes in pieces of at most this many bytes; 0: lines stay whole */
};
struct text_reader text_reader(const struct buf *text, size_t most);
/* The next line without its newline; false past the last. */
bool text_next(struct text_reader *reader, struct untrusted *ret_line);
/* How many lines text_next() would give. */
int text_lines(const struct buf *text, size_t most);

/* Does a line hold the words (letters of either case)? */
bool text_holds(struct untrusted line, const char *words);

#endif
