/* Moving: rows of a pane, the chosen permission, rows of a list, attempts. */
#include "act_internal.h"
#include "app.h"
#include "pane.h"

#include <string.h>

/* Where `key` leads from `from`, of `count` rows with `page` on a screen. */
static int moved(const char *key, int from, int count, int page)
{
    int to = from;
    page = page > 1 ? page - 1 : 1;
    if (strcmp(key, "Up") == 0) {
        to = from - 1;
    } else if (strcmp(key, "Down") == 0) {
        to = from + 1;
    } else if (strcmp(key, "PgUp") == 0) {
        to = from - page;
    } else if (strcmp(key, "PgDn") == 0) {
        to = from + page;
    } else if (strcmp(key, "Home") == 0) {
        to = 0;
    } else if (strcmp(key, "End") == 0) {
        to = count - 1;
    }
    return to >= count ? (count > 0 ? count - 1 : 0) : to < 0 ? 0 : to;
}

static void select_permission(struct app *app, const char *key, int page)
{
    struct picture picture = app_picture(app);
    int count = picture.attempt ? (int)picture.attempt->permission_count : 0, selected = picture_selected(&picture);
    if (count > 0) {
        app->view.selected = selected < 0 ? 0 : moved(key, selected, count, page);
        app->view.scroll[PANE_PERMISSIONS] = SCROLL_AUTOMATIC;
    }
}

void act_scroll(struct app *app, const char *key)
{
    enum pane pane = app->view.focus;
    struct picture picture = app_picture(app);
    struct region inside = layout_inside(&app->layout, pane);
    int rows = pane_kind(pane)->rows(&picture, inside), *scroll = &app->view.scroll[pane];
    if (pane == PANE_PERMISSIONS) {
        select_permission(app, key, inside.h);
        return;
    }
    if (strcmp(key, "End") == 0) {
        *scroll = SCROLL_END;
        return;
    }
    int height = pane == PANE_OUTPUT ? inside.h - 1 : inside.h, last = rows > height ? rows - height : 0;
    int from = *scroll == SCROLL_AUTOMATIC ? (pane == PANE_HAPPENED ? last : 0) : *scroll > last ? last : *scroll;
    *scroll = moved(key, from, last + 1, height);
}

void act_move(struct app *app, const char *key)
{
    int page = app->layout.rows - 4;
    if (app->view.overlay == OVERLAY_WHY) {
        select_permission(app, key, page);
    } else if (app->view.overlay == OVERLAY_KEYS) {
        int count = 0;
        unsigned context = app->view.replay ? CONTEXT_REPLAY : CONTEXT_LIVE;
        for (size_t i = 0; action_at(i); i++) {
            count += (action_at(i)->contexts & context) != 0;
        }
        int last = count > page + 1 ? count - page - 1 : 0;
        app->view.list_row = moved(key, app->view.list_row, last + 1, page);
    } else {
        app->view.list_row = moved(key, app->view.list_row, list_for(app).count, page);
    }
}

void act_attempt(struct app *app, const char *key)
{
    struct picture picture = app_picture(app);
    if (!picture.attempt) {
        return;
    }
    const struct state_question *question = picture.question;
    for (size_t i = 0; i < question->attempt_count; i++) {
        if (question->attempts[i] == picture.attempt) {
            bool left = strcmp(key, "Left") == 0;
            if (left ? i == 0 : i + 1 == question->attempt_count) {
                view_say(&app->view, left ? "this is the first attempt" : "this is the last attempt");
                return;
            }
            size_t to = left ? i - 1 : i + 1;
            view_reset(&app->view);
            /* The last one is followed: a further attempt will show by itself. */
            app->view.attempt = to + 1 == question->attempt_count ? 0 : question->attempts[to]->number;
            return;
        }
    }
}
