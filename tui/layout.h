/* Where everything stands, for a size and a view; and the drawing of the whole picture. */
#ifndef TECHO_TUI_LAYOUT_H
#define TECHO_TUI_LAYOUT_H

#include "draw.h"
#include "view.h"

enum form {
    FORM_LINE, /* under 20x5: one line, and only q and resize act */
    FORM_TABS, /* narrower than 60 or lower than 16: one pane with tabs */
    FORM_FULL, /* as drawn for 80x24 */
    FORM_WIDE, /* from 160 columns: program | output | permissions over the why card */
};

struct layout {
    enum form form;
    int rows, columns;
    struct region header;
    struct region box[_PANE_MAX]; /* with edges, which neighbours share; h 0: not shown */
    struct region why;            /* with edges; h 0: not shown */
};
struct layout layout_for(int rows, int columns, const struct view *view);
/* Inside of a pane's box, without the row of limits that the permissions end with. */
struct region layout_inside(const struct layout *layout, enum pane pane);

/* Everything but overlays and the bottom line. */
void layout_draw(const struct layout *layout, const struct picture *picture);

#endif
