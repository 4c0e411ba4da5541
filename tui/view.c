/* The viewer's choices, and what they pick from a state. */
#include "view.h"

#include <stdio.h>
#include <string.h>

void view_init(struct view *view)
{
    memset(view, 0, sizeof *view);
    view_reset(view);
}

void view_reset(struct view *view)
{
    for (int pane = 0; pane < _PANE_MAX; pane++) {
        view->scroll[pane] = SCROLL_AUTOMATIC;
    }
    view->selected = -1;
    view->attempt = 0;
}

void view_say(struct view *view, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)vsnprintf(view->message, sizeof view->message, format, args);
    va_end(args);
    view->message_passes = false;
}

struct picture picture_of(const struct state *state, const struct view *view, const struct case_info *kase,
                          const char *executor)
{
    struct picture picture = {.state = state, .view = view, .kase = kase, .executor = executor};
    picture.question = state->current;
    if (picture.question) {
        picture.attempt = view->attempt ? state_attempt(picture.question, 0, view->attempt) : NULL;
        if (!picture.attempt) {
            picture.attempt = state_last_attempt(picture.question);
        }
    }
    return picture;
}

static bool explains(const struct state_permission *row, const struct state_access *access)
{
    size_t name = row->name ? strlen(row->name) : 0;
    const char *missing = access->missing;
    if (!row->denied || !missing || strncmp(missing, row->name ? row->name : "", name) != 0) {
        return false;
    }
    const char *scope = missing[name] == '=' ? missing + name + 1 : missing + name;
    return strcmp(scope, row->scope ? row->scope : "") == 0;
}

/* The row that the last refused access is explained by; else the last row with refusals; else -1. */
static int denied_row(const struct state_attempt *attempt)
{
    int last = -1;
    for (int row = 0; row < (int)attempt->permission_count; row++) {
        last = attempt->permissions[row].denied > 0 ? row : last;
    }
    for (size_t i = attempt->access_count; last >= 0 && i-- > 0;) {
        const struct state_access *access = &attempt->accesses[i];
        if (access->verdict && strcmp(access->verdict, "denied") == 0) {
            for (int row = 0; row < (int)attempt->permission_count; row++) {
                if (explains(&attempt->permissions[row], access)) {
                    return row;
                }
            }
            break;
        }
    }
    return last;
}

int picture_selected(const struct picture *picture)
{
    const struct state_attempt *attempt = picture->attempt;
    if (!attempt) {
        return -1;
    }
    int count = (int)attempt->permission_count;
    if (picture->view->selected >= 0) {
        return picture->view->selected < count ? picture->view->selected : count - 1;
    }
    return denied_row(attempt);
}

int64_t picture_elapsed(const struct picture *picture, const struct state_phase *phase)
{
    int64_t end = phase->end >= 0 ? phase->end : picture->view->now;
    return end > phase->begin ? end - phase->begin : 0;
}
