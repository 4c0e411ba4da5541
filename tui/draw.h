/*
 * Drawing: regions, lines of cells, frames. The only place where sanitised
 * cells become curses cells; everything that is written on the screen, our own
 * words too, comes through here.
 */
#ifndef TECHO_TUI_DRAW_H
#define TECHO_TUI_DRAW_H

#include "../core/sanitize.h"
#include "theme.h"

/* A part of the screen, in cells. */
struct region {
    int y, x, h, w;
};

/* Signs with a form for terminals that cannot show UTF-8. */
enum glyph {
    GLYPH_YES,
    GLYPH_NO,
    GLYPH_CURSOR,
    GLYPH_THEN,
    GLYPH_DOT,
    GLYPH_MORE,
    GLYPH_TIMES,
    GLYPH_NONE,
    GLYPH_OPEN,
    GLYPH_CLOSE,
    GLYPH_BAR_BEGIN,
    GLYPH_BAR_END,
    GLYPH_RULE,
    GLYPH_UP,
    GLYPH_DOWN,
    _GLYPH_MAX
};
const char *glyph(enum glyph which);

/* Once, when curses runs. `theme` is borrowed for good. */
void draw_init(const struct theme *theme, bool ascii, bool colour);
bool draw_ascii(void);
void draw_clear(void);

/* A line of a region that is filled from left to right; what does not fit is cut at the region's edge. */
struct line {
    int y, x, at, w; /* at: columns written so far */
};
/* `row` may lie outside of the region: then nothing is drawn. */
struct line line_at(struct region region, int row);
void line_add(struct line *line, enum role role, struct untrusted text);
void line_text(struct line *line, enum role role, const char *text);
void line_format(struct line *line, enum role role, const char *format, ...) PRINTF_LIKE(3, 4);
/* At most `width` columns; a longer text ends in an ellipsis. */
void line_fit(struct line *line, enum role role, struct untrusted text, int width);
/* Blanks up to `column`. */
void line_to(struct line *line, enum role role, int column);
/* Columns that are left. */
int line_left(const struct line *line);
/* Columns that our own text takes. */
int text_width(const char *text);
/* A gauge of `cells` cells, in eighths where the terminal can. */
void line_gauge(struct line *line, enum role role, double part, int cells);

/*
 * Text over several rows, wrapped at blanks where that leaves at most two
 * thirds of a row empty. Draws from `row` on, and returns the rows used. `skip` rows are passed
 * over first.
 */
int draw_wrapped(struct region region, int row, int skip, enum role role, struct untrusted text);
/* The rows that it would use, `most` at most. */
int wrapped_rows(int width, int most, struct untrusted text);

/* Gives the cells of a drawn line another role: the selected row. */
void draw_role(struct region region, int row, enum role role);
void draw_fill(struct region region);

/* Frames that share edges are joined by the right corners: add all, then draw. */
struct frame;
struct frame *frame_new(int rows, int columns); /* NULL without memory: then nothing is drawn */
void frame_add(struct frame *frame, struct region region);
void frame_draw(const struct frame *frame);
void frame_free(struct frame *frame);

/* What is in a region with an edge. */
struct region region_inside(struct region region);

/* Sizes and times for people, into `to`: "41B", "3.1M"; "84ms", "2.1s", "1m03s". */
enum { FORMAT_MAX = 32 };
const char *format_size(char to[FORMAT_MAX], uint64_t bytes);
const char *format_duration(char to[FORMAT_MAX], int64_t microseconds);

#endif
