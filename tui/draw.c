/*
 * Cells onto the screen. Positions are set for each cell, so that a terminal
 * and curses that disagree about a character's width cannot shift a row.
 */
#include "draw.h"

#include "curses_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

enum { TEXT_MAX = 1024 };

static const char *const glyphs[_GLYPH_MAX][2] = {
    [GLYPH_YES] = {"✓", "+"},  [GLYPH_NO] = {"✗", "x"},    [GLYPH_CURSOR] = {"▸", ">"},    [GLYPH_THEN] = {"›", ">"},
    [GLYPH_DOT] = {"·", "-"},  [GLYPH_MORE] = {"…", "~"},  [GLYPH_TIMES] = {"×", "x"},     [GLYPH_NONE] = {"–", "-"},
    [GLYPH_OPEN] = {"‹", "<"}, [GLYPH_CLOSE] = {"›", ">"}, [GLYPH_BAR_BEGIN] = {"▕", "["}, [GLYPH_BAR_END] = {"▏", "]"},
    [GLYPH_RULE] = {"─", "-"}, [GLYPH_UP] = {"▴", "^"},    [GLYPH_DOWN] = {"▾", "v"},
};

static struct {
    const struct theme *theme; /* borrowed */
    bool ascii, colour;
} look;

void draw_init(const struct theme *theme, bool ascii, bool colour)
{
    look.theme = theme;
    look.ascii = ascii;
    look.colour = colour;
}

bool draw_ascii(void)
{
    return look.ascii;
}

const char *glyph(enum glyph which)
{
    return glyphs[which][look.ascii];
}

void draw_clear(void)
{
    werase(stdscr);
}

static attr_t role_attributes(enum role role)
{
    unsigned style = look.theme->styles[role].attributes;
    /* Without colours a background must still be seen. */
    bool reverse = (style & STYLE_REVERSE) || (!look.colour && look.theme->styles[role].background >= 0);
    return (style & STYLE_BOLD ? A_BOLD : 0) | (style & STYLE_UNDERLINE ? A_UNDERLINE : 0) | (reverse ? A_REVERSE : 0);
}

static void put(int y, int x, enum role role, const char *text, int width)
{
    wchar_t wide[CCHARW_MAX + 1];
    mbstate_t state = {0};
    const char *source = text;
    size_t count = mbsrtowcs(wide, &source, CCHARW_MAX, &state);
    if (count == (size_t)-1 || count == 0) {
        wide[0] = look.ascii ? L'?' : 0xfffd;
        count = 1;
    }
    int columns = wcwidth(wide[0]);
    if (columns < 1 || columns > width) {
        wide[0] = look.ascii ? L'?' : 0xfffd;
        count = 1;
    }
    wide[count] = 0;
    cchar_t cell;
    setcchar(&cell, wide, role_attributes(role), (short)(look.colour ? role + 1 : 0), NULL);
    mvwadd_wch(stdscr, y, x, &cell);
}

struct line line_at(struct region region, int row)
{
    bool seen = row >= 0 && row < region.h;
    return (struct line){.y = region.y + row, .x = region.x, .w = seen && region.w > 0 ? region.w : 0};
}

struct filling {
    struct line *line;
    enum role role;
    int end; /* column where to stop */
    bool cut;
};

static bool fill_cell(void *context, const struct cell *cell, bool row_end)
{
    struct filling *filling = context;
    struct line *line = filling->line;
    if (row_end) {
        return false;
    }
    if (line->at + cell->width > filling->end) {
        filling->cut = true;
        return false;
    }
    put(line->y, line->x + line->at, cell->neutralised ? ROLE_NEUTRALISED : filling->role, cell->text, cell->width);
    line->at += cell->width;
    return true;
}

static unsigned flags(void)
{
    return look.ascii ? SANITIZE_ASCII : 0;
}

void line_add(struct line *line, enum role role, struct untrusted text)
{
    struct filling filling = {line, role, line->w, false};
    sanitize_cells(text, flags(), fill_cell, &filling);
}

void line_text(struct line *line, enum role role, const char *text)
{
    line_add(line, role, untrusted_text(text));
}

void line_format(struct line *line, enum role role, const char *format, ...)
{
    char text[TEXT_MAX];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args); /* a longer text than a screen is wide is cut anyway */
    va_end(args);
    line_text(line, role, text);
}

void line_fit(struct line *line, enum role role, struct untrusted text, int width)
{
    if (width > line_left(line)) {
        width = line_left(line);
    }
    if (width <= 0) {
        return;
    }
    size_t enough = ((size_t)width + 1) * CELL_BYTES_MAX; /* a cell has fewer bytes: the rest would not show */
    text.len = text.len > enough ? enough : text.len;
    bool longer = sanitize_width(text, flags()) > (size_t)width;
    struct filling filling = {line, role, line->at + width - (longer ? 1 : 0), false};
    sanitize_cells(text, flags(), fill_cell, &filling);
    if (longer) {
        line_text(line, role, glyph(GLYPH_MORE));
    }
}

void line_to(struct line *line, enum role role, int column)
{
    while (line->at < column && line->at < line->w) {
        put(line->y, line->x + line->at++, role, " ", 1);
    }
}

int line_left(const struct line *line)
{
    return line->w - line->at;
}

int text_width(const char *text)
{
    return (int)sanitize_width(untrusted_text(text), flags());
}

void line_gauge(struct line *line, enum role role, double part, int cells)
{
    static const char *const eighths[] = {" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};
    int steps = cells * 8, filled = (int)(part * steps + 0.5);
    filled = filled > steps ? steps : filled < 1 && part > 0 ? 1 : filled;
    line_text(line, ROLE_DIM, glyph(GLYPH_BAR_BEGIN));
    for (int i = 0; i < cells; i++, filled -= 8) {
        int here = filled > 8 ? 8 : filled > 0 ? filled : 0;
        line_text(line, role, look.ascii ? (here > 0 ? "#" : " ") : eighths[here]);
    }
    line_text(line, ROLE_DIM, glyph(GLYPH_BAR_END));
}

void draw_role(struct region region, int row, enum role role)
{
    if (row >= 0 && row < region.h) {
        mvwchgat(stdscr, region.y + row, region.x, region.w, role_attributes(role), (short)(look.colour ? role + 1 : 0),
                 NULL);
    }
}

void draw_fill(struct region region)
{
    for (int row = 0; row < region.h; row++) {
        struct line line = line_at(region, row);
        line_to(&line, ROLE_TEXT, region.w);
    }
}

/* ---- wrapping ---------------------------------------------------------------------------------------------------- */

struct wrapping {
    struct region region;
    int row, skip, used;
    bool measure; /* only count rows */
    enum role role;
    struct cell *cells; /* owned; the row that is being filled */
    int count, width;
};

static void wrap_flush(struct wrapping *wrap, int count)
{
    if (wrap->skip > 0) {
        wrap->skip--;
    } else {
        struct line line = line_at(wrap->region, wrap->row + wrap->used++);
        for (int i = 0; i < count && line.w > 0 && !wrap->measure; i++) {
            const struct cell *cell = &wrap->cells[i];
            put(line.y, line.x + line.at, cell->neutralised ? ROLE_NEUTRALISED : wrap->role, cell->text, cell->width);
            line.at += cell->width;
        }
    }
    memmove(wrap->cells, wrap->cells + count, (size_t)(wrap->count - count) * sizeof *wrap->cells);
    wrap->count -= count;
    wrap->width = 0;
    for (int i = 0; i < wrap->count; i++) {
        wrap->width += wrap->cells[i].width;
    }
}

/* How many of the cells make a row: up to the last blank, unless that leaves more than two thirds of it empty. */
static int wrap_point(const struct wrapping *wrap)
{
    for (int i = wrap->count - 1; i > wrap->count / 3; i--) {
        if (strcmp(wrap->cells[i].text, " ") == 0) {
            return i;
        }
    }
    return wrap->count;
}

static bool wrap_cell(void *context, const struct cell *cell, bool row_end)
{
    struct wrapping *wrap = context;
    if (row_end) {
        wrap_flush(wrap, wrap->count);
    } else {
        if (wrap->width + cell->width > wrap->region.w) {
            wrap_flush(wrap, strcmp(cell->text, " ") == 0 ? wrap->count : wrap_point(wrap));
        }
        wrap->cells[wrap->count++] = *cell;
        wrap->width += cell->width;
    }
    return wrap->row + wrap->used < wrap->region.h;
}

static int wrap_text(struct wrapping *wrap, struct untrusted text)
{
    int width = wrap->region.w;
    if (width < 2 || wrap->row >= wrap->region.h) {
        return 0;
    }
    wrap->cells = calloc((size_t)width + 2, sizeof *wrap->cells);
    if (!wrap->cells) {
        return 0;
    }
    sanitize_cells(text, flags() | SANITIZE_LINES, wrap_cell, wrap);
    if (wrap->count > 0 && wrap->row + wrap->used < wrap->region.h) {
        wrap_flush(wrap, wrap->count);
    }
    free(wrap->cells);
    return wrap->used;
}

int draw_wrapped(struct region region, int row, int skip, enum role role, struct untrusted text)
{
    struct wrapping wrap = {.region = region, .row = row, .skip = skip, .role = role};
    return wrap_text(&wrap, text);
}

int wrapped_rows(int width, int most, struct untrusted text)
{
    struct wrapping wrap = {.region = {0, 0, most, width}, .measure = true};
    return wrap_text(&wrap, text);
}

struct region region_inside(struct region region)
{
    return (struct region){region.y + 1, region.x + 1, region.h > 2 ? region.h - 2 : 0,
                           region.w > 2 ? region.w - 2 : 0};
}
