/* Sizes and places of the panes, and the picture that they make together. */
#include "layout.h"

#include "pane.h"

#include <string.h>

enum {
    EDGES = 4,          /* rows of edges in the full form; the last holds the bottom line */
    TABLE_COLUMNS = 66, /* what the permissions need */
    CODE_COLUMNS = 106, /* 100 and the line numbers */
    PROSE_COLUMNS = 100,
};

/* Rows of permissions, program and what happened, out of all rows but header, edges and limits. */
struct shares {
    int permissions, program, happened;
};

static struct shares share_rows(int rows, int header)
{
    int free_rows = rows - header - EDGES - 1, extra = rows - 24;
    struct shares shares = {4, 0, 3};
    if (extra > 0) {
        shares.permissions += extra / 8;
        shares.happened += extra / 3;
    } else if (free_rows - shares.permissions - shares.happened < 6) {
        shares.permissions = 2;
        shares.happened = 2;
    }
    shares.program = free_rows - shares.permissions - shares.happened;
    return shares;
}

static void layout_full(struct layout *layout)
{
    struct shares shares = share_rows(layout->rows, layout->header.h);
    int w = layout->columns, split = w * 45 / 80;
    if (split > CODE_COLUMNS + 1) {
        split = CODE_COLUMNS + 1;
    }
    int top = layout->header.h, middle = top + shares.permissions + 2, below = middle + shares.program + 1;
    layout->box[PANE_PERMISSIONS] = (struct region){top, 0, shares.permissions + 3, w};
    layout->box[PANE_PROGRAM] = (struct region){middle, 0, shares.program + 2, split + 1};
    layout->box[PANE_OUTPUT] = (struct region){middle, split, shares.program + 2, w - split};
    layout->box[PANE_HAPPENED] = (struct region){below, 0, shares.happened + 2, w};
}

/* The permissions get what they need, the program most of the rest; what neither code nor prose can use, they get too.
 */
static void layout_wide(struct layout *layout)
{
    int w = layout->columns, right = w - TABLE_COLUMNS - 2, split = right * 2 / 3;
    if (split > CODE_COLUMNS + 1) {
        split = CODE_COLUMNS + 1;
    }
    if (right > split + PROSE_COLUMNS + 1) {
        right = split + PROSE_COLUMNS + 1;
    }
    struct shares shares = share_rows(layout->rows, layout->header.h);
    int top = layout->header.h, below = layout->rows - shares.happened - 2, tall = below - top + 1;
    int table = shares.permissions + 3 > tall - 5 ? tall - 5 : shares.permissions + 3;
    layout->box[PANE_PROGRAM] = (struct region){top, 0, tall, split + 1};
    layout->box[PANE_OUTPUT] = (struct region){top, split, tall, right - split + 1};
    layout->box[PANE_PERMISSIONS] = (struct region){top, right, table, w - right};
    layout->why = (struct region){top + table - 1, right, tall - table + 1, w - right};
    layout->box[PANE_HAPPENED] = (struct region){below, 0, shares.happened + 2, w};
}

/* What, question, pipeline; a tall screen has more rows for a long question. */
static int header_rows(int rows)
{
    return rows >= 36 ? 5 : rows >= 28 ? 4 : rows >= 10 ? 3 : rows >= 8 ? 2 : 1;
}

struct layout layout_for(int rows, int columns, const struct view *view)
{
    struct layout layout = {.rows = rows, .columns = columns};
    if (columns < 20 || rows < 5) {
        layout.form = FORM_LINE;
        return layout;
    }
    bool tabs = columns < 60 || rows < 16;
    layout.form = tabs ? FORM_TABS : columns >= 160 ? FORM_WIDE : FORM_FULL;
    int header = header_rows(rows);
    layout.header = (struct region){0, 0, header, columns};
    if (tabs || view->zoom) {
        layout.box[view->focus] = (struct region){header, 0, rows - header, columns};
    } else if (layout.form == FORM_WIDE) {
        layout_wide(&layout);
    } else {
        layout_full(&layout);
    }
    return layout;
}

struct region layout_inside(const struct layout *layout, enum pane pane)
{
    struct region inside = region_inside(layout->box[pane]);
    if (pane == PANE_PERMISSIONS && inside.h > 1) {
        inside.h--;
    }
    return inside;
}

/* The words on a pane's upper edge. */
static void draw_title(const struct layout *layout, const struct picture *picture, enum pane pane)
{
    const struct pane_kind *kind = pane_kind(pane);
    struct region edge = layout->box[pane];
    edge.x++;
    edge.w -= 2;
    struct line line = line_at(edge, 0);
    bool focus = picture->view->focus == pane;
    line_format(&line, ROLE_KEY, "%d ", pane + 1);
    line_format(&line, focus ? ROLE_FOCUS : ROLE_TITLE, "%s ", kind->name);
    if (kind->title) {
        kind->title(picture, &line);
    }
}

static void draw_tabs(const struct layout *layout, const struct picture *picture)
{
    enum pane focus = picture->view->focus;
    struct region edge = layout->box[focus];
    edge.x++;
    edge.w -= 2;
    struct line line = line_at(edge, 0);
    /* Without room for words the other panes are numbers. */
    bool words = layout->columns >= 40;
    for (enum pane pane = 0; pane < _PANE_MAX; pane++) {
        bool here = pane == focus;
        line_format(&line, here ? ROLE_FOCUS : ROLE_KEY, "%s%d%s", here ? glyph(GLYPH_OPEN) : " ", pane + 1,
                    here || words ? " " : "");
        if (here || words) {
            line_text(&line, here ? ROLE_FOCUS : ROLE_LABEL, pane_kind(pane)->short_name);
        }
        line_text(&line, here ? ROLE_FOCUS : ROLE_LABEL, here ? glyph(GLYPH_CLOSE) : " ");
    }
}

static void draw_frames(const struct layout *layout)
{
    struct frame *frame = frame_new(layout->rows, layout->columns);
    for (enum pane pane = 0; pane < _PANE_MAX; pane++) {
        frame_add(frame, layout->box[pane]);
    }
    frame_add(frame, layout->why);
    frame_draw(frame);
    frame_free(frame);
}

static void draw_pane(const struct layout *layout, const struct picture *picture, enum pane pane)
{
    struct region inside = layout_inside(layout, pane);
    pane_kind(pane)->draw(picture, inside);
    if (pane == PANE_PERMISSIONS && region_inside(layout->box[pane]).h > 1) {
        inside.h++;
        pane_limits_draw(picture, inside, inside.h - 1);
    }
    if (layout->form == FORM_TABS) {
        draw_tabs(layout, picture);
    } else {
        draw_title(layout, picture, pane);
    }
}

void layout_draw(const struct layout *layout, const struct picture *picture)
{
    if (layout->form == FORM_LINE) {
        struct region row = {0, 0, layout->rows > 0, layout->columns};
        struct line line = line_at(row, 0);
        bool runs = picture->view->overlay == OVERLAY_QUIT;
        line_text(&line, ROLE_WARNING, layout->columns >= 18 ? "too small, " : "");
        line_text(&line, ROLE_WARNING, runs ? "y ends it" : "q quits");
        return;
    }
    pane_header_draw(picture, layout->header);
    draw_frames(layout);
    for (enum pane pane = 0; pane < _PANE_MAX; pane++) {
        if (layout->box[pane].h > 0) {
            draw_pane(layout, picture, pane);
        }
    }
    if (layout->why.h > 2) {
        struct region edge = layout->why;
        edge.x++;
        edge.w -= 2;
        struct line line = line_at(edge, 0);
        line_text(&line, ROLE_TITLE, "Why ");
        pane_why_draw(picture, region_inside(layout->why));
    }
}
