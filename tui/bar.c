/* The bottom line: keys that act now, a message, or the prompt. It belongs to the viewer, not to the picture. */
#include "app.h"
#include "prompt.h"

#include <stdio.h>
#include <string.h>

enum { BAR_ITEMS = 32, MESSAGE_MARGIN = 8, BADGE_ALONE = 30, MESSAGE_LINES = 6 };

static int item_width(const struct action *action)
{
    return text_width(action_keys(action)) + 1 + text_width(action->label) + 2;
}

static void add_item(struct line *line, const struct action *action)
{
    line_text(line, ROLE_KEY, action_keys(action));
    line_format(line, ROLE_LABEL, " %s  ", action->label);
}

/* As many actions as fit, in the table's order; the last two of it (keys, quit) before the others. */
static void draw_actions(const struct app *app, struct line *line)
{
    const struct action *items[BAR_ITEMS];
    int count = 0, needed = 0;
    enum context context = app_context(app);
    for (size_t i = 0; action_at(i) && count < BAR_ITEMS; i++) {
        if ((action_at(i)->contexts & context) && action_at(i)->label) {
            items[count++] = action_at(i);
        }
    }
    int kept = 0;
    while (kept < 2 && kept < count && needed + item_width(items[count - kept - 1]) - 2 <= line_left(line)) {
        needed += item_width(items[count - ++kept]);
    }
    for (int i = 0; i < count; i++) {
        bool last = i >= count - kept;
        if (!last && (kept < 2 || line_left(line) - needed < item_width(items[i]))) {
            continue;
        }
        add_item(line, items[i]);
        needed -= last ? item_width(items[i]) : 0;
    }
    line->at -= line->at > 1 ? 1 : 0; /* one blank after the last */
}

static void format_clock(char to[FORMAT_MAX], int64_t microseconds)
{
    long long tenths = microseconds / 100000;
    snprintf(to, FORMAT_MAX, "%02lld:%02lld.%lld", tenths / 600, tenths / 10 % 60, tenths % 10);
}

static void draw_badge(const struct app *app, struct line *line)
{
    const struct player *player = &app->player;
    char now[FORMAT_MAX], length[FORMAT_MAX];
    format_clock(now, player->now);
    format_clock(length, player_length(player));
    line_text(line, ROLE_BADGE, player->playing ? " REPLAY > " : " REPLAY ");
    if (line->w < BADGE_ALONE) {
        line_text(line, ROLE_TEXT, " ");
        return;
    }
    line_format(line, ROLE_STRONG, " %zu/%zu ", replay_position(player->replay), replay_count(player->replay));
    if (line_left(line) > 40) {
        line_format(line, ROLE_TEXT, " %s/%s %s%g ", now, length, glyph(GLYPH_TIMES), player->speed);
    }
    line_text(line, ROLE_TEXT, " ");
}

/* A policy's error: message, text and caret. Text and caret are moved by the same columns, so that it points right. */
static void draw_error_lines(const struct app *app, int row)
{
    const char *text = app->view.message, *at = text;
    int lines = 1;
    for (const char *c = text; *c; c++) {
        lines += *c == '\n';
    }
    struct region region = {row - lines, 0, lines, app->layout.columns};
    if (region.y < 0 || region.w <= MESSAGE_MARGIN) {
        return;
    }
    const char *caret = strrchr(text, '^'), *last = strrchr(text, '\n');
    size_t column = caret && last && caret > last ? (size_t)(caret - last - 1) : 0;
    size_t room = (size_t)(region.w - MESSAGE_MARGIN), skip = column > room ? column - room / 2 : 0;
    draw_fill(region);
    for (int i = 0; i < lines; i++) {
        size_t len = strcspn(at, "\n"), left_out = i > 0 && skip < len ? skip : 0;
        struct line line = line_at(region, i);
        line_text(&line, ROLE_TEXT, " ");
        line_fit(&line, i ? ROLE_TEXT : ROLE_MESSAGE, untrusted_bytes(at + left_out, len - left_out), line_left(&line));
        at += len + (at[len] == '\n');
    }
}

/* A message that is longer than the bottom line stands above it. */
static void draw_long_message(const struct app *app, int row)
{
    struct untrusted text = untrusted_text(app->view.message);
    int width = app->layout.columns - 2, lines = wrapped_rows(width, row < MESSAGE_LINES ? row : MESSAGE_LINES, text);
    struct region region = {row - lines, 0, lines, app->layout.columns}, inside = {row - lines, 1, lines, width};
    draw_fill(region);
    draw_wrapped(inside, 0, 0, ROLE_MESSAGE, text);
}

int bar_draw(const struct app *app)
{
    int row = app->layout.rows - 1;
    struct region region = {row, 0, 1, app->layout.columns};
    const char *message = app->view.message;
    bool error = strchr(message, '\n') != NULL;
    bool above = error || (message[0] && prompt_is_open()) || text_width(message) > region.w - 4;
    if (error) {
        draw_error_lines(app, row);
    } else if (above) {
        draw_long_message(app, row);
    }
    if (prompt_is_open()) {
        return prompt_draw(region, 0);
    }
    region.x = 1;
    region.w -= 2;
    struct line line = line_at(region, 0);
    line_text(&line, ROLE_TEXT, " ");
    if (message[0] && !above) {
        line_fit(&line, ROLE_MESSAGE, untrusted_text(message), line_left(&line) - 1);
        line_text(&line, ROLE_TEXT, " ");
        return -1;
    }
    if (app->view.replay) {
        draw_badge(app, &line);
    }
    draw_actions(app, &line);
    return -1;
}
