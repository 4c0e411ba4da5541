/* What lies over the picture: the keys, the why card, the lists, the question before quitting. */
#include "app.h"
#include "pane.h"
#include "prompt.h"

#include <string.h>

enum { ROOMY_ROWS = 20, DETAIL_ROWS = 5 };

struct region overlay_box(const struct app *app, int rows, int columns, const char *title)
{
    int h = rows + 2 < app->layout.rows - 1 ? rows + 2 : app->layout.rows - 1;
    int w = columns + 2 < app->layout.columns ? columns + 2 : app->layout.columns;
    struct region box = {(app->layout.rows - 1 - h) / 2, (app->layout.columns - w) / 2, h, w};
    struct frame *frame = frame_new(app->layout.rows, app->layout.columns);
    draw_fill(box);
    frame_add(frame, box);
    frame_draw(frame);
    frame_free(frame);
    struct region edge = {box.y, box.x + 1, 1, box.w - 2};
    struct line line = line_at(edge, 0);
    line_format(&line, ROLE_FOCUS, " %s ", title);
    return region_inside(box);
}

static void draw_keys(const struct app *app)
{
    unsigned context = app->view.replay ? CONTEXT_REPLAY : CONTEXT_LIVE;
    int count = 0;
    for (size_t i = 0; action_at(i); i++) {
        count += (action_at(i)->contexts & context) != 0;
    }
    struct region inside = overlay_box(app, count, 76, "Keys: Esc closes, arrows scroll");
    int row = -pane_first_row(app->view.list_row, 0, count, inside.h);
    for (size_t i = 0; action_at(i); i++) {
        const struct action *action = action_at(i);
        if (action->contexts & context) {
            struct line line = line_at(inside, row++);
            line_text(&line, ROLE_TEXT, " ");
            line_fit(&line, ROLE_KEY, untrusted_text(action_keys(action)), 14);
            line_to(&line, ROLE_TEXT, 16);
            line_fit(&line, ROLE_LABEL, untrusted_text(action->id), 14);
            line_to(&line, ROLE_TEXT, 31);
            line_fit(&line, ROLE_TEXT, untrusted_text(action->help), line_left(&line));
        }
    }
}

static void draw_list(const struct app *app)
{
    struct list list = list_for(app);
    int detail = list.detail && list.count ? DETAIL_ROWS : 0;
    struct region inside = overlay_box(app, (list.count ? list.count : 1) + detail, app->layout.columns - 2, list.title);
    if (detail && inside.h > 2 * DETAIL_ROWS) {
        inside.h -= detail;
        struct region below = {inside.y + inside.h + 1, inside.x + 2, detail - 1, inside.w - 4};
        draw_wrapped(below, 0, 0, ROLE_LABEL, untrusted_text(list.detail(app, app->view.list_row)));
    }
    int selected = app->view.list_row;
    int first = pane_first_row(SCROLL_AUTOMATIC, selected - inside.h + 1, list.count, inside.h);
    if (list.count == 0) {
        struct line line = line_at(inside, 0);
        line_format(&line, ROLE_DIM, " %s", list.empty);
    }
    for (int row = 0; row < inside.h && first + row < list.count; row++) {
        struct line line = line_at(inside, row);
        bool here = first + row == selected;
        line_format(&line, ROLE_STRONG, "%s ", here ? glyph(GLYPH_CURSOR) : " ");
        list.draw(app, first + row, &line);
        if (here) {
            draw_role(inside, row, ROLE_SELECTION);
        }
    }
}

/* The actions whose name begins with what is typed after `:`. */
static void draw_palette(const struct app *app)
{
    const char *typed = prompt_text();
    unsigned context = app->view.replay ? CONTEXT_REPLAY : CONTEXT_LIVE;
    int count = 0, most = app->layout.rows - 4;
    for (size_t i = 0; action_at(i); i++) {
        count += (action_at(i)->contexts & context) && strncmp(action_at(i)->id, typed, strlen(typed)) == 0;
    }
    count = count > 10 ? 10 : count;
    count = count > most ? most : count;
    struct region region = {app->layout.rows - 1 - count, 0, count, app->layout.columns};
    draw_fill(region);
    int row = 0;
    for (size_t i = 0; action_at(i) && row < count; i++) {
        const struct action *action = action_at(i);
        if ((action->contexts & context) && strncmp(action->id, typed, strlen(typed)) == 0) {
            struct line line = line_at(region, row++);
            line_format(&line, ROLE_KEY, " :%s", action->id);
            line_to(&line, ROLE_TEXT, 18);
            line_fit(&line, ROLE_LABEL, untrusted_text(action->help), line_left(&line));
        }
    }
}

static void draw_why(const struct app *app)
{
    if (app->layout.why.h > 0) {
        return; /* it is on the screen already */
    }
    struct picture picture = app_picture(app);
    struct region inside = overlay_box(app, app->layout.rows > ROOMY_ROWS ? app->layout.rows - 8 : app->layout.rows, 74,
                                    "Why: Esc closes, Up and Down choose a permission");
    pane_why_draw(&picture, inside);
}

static void draw_quit(const struct app *app)
{
    struct region inside = overlay_box(app, 1, 56, "Quit?");
    struct line line = line_at(inside, 0);
    line_text(&line, ROLE_WARNING, " a program still runs. ");
    line_text(&line, ROLE_KEY, "y");
    line_text(&line, ROLE_TEXT, " ends it and quits, ");
    line_text(&line, ROLE_KEY, "Esc");
    line_text(&line, ROLE_TEXT, " stays");
}

void overlay_draw(const struct app *app)
{
    if (dialog_is_open(app)) {
        dialog_draw(app);
        return;
    }
    switch (app->view.overlay) {
    case OVERLAY_KEYS:
        draw_keys(app);
        break;
    case OVERLAY_WHY:
        draw_why(app);
        break;
    case OVERLAY_QUESTIONS:
    case OVERLAY_EXECUTORS:
    case OVERLAY_ARTIFACTS:
        draw_list(app);
        break;
    case OVERLAY_QUIT:
        draw_quit(app);
        break;
    case OVERLAY_PALETTE:
        draw_palette(app);
        break;
    default:
        break;
    }
}
