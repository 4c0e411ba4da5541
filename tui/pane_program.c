/*
 * The program: its lines with the marks of what was refused, trimmed or found
 * there. A program that does not fit shows its head and, below an ellipsis, the
 * lines around the last one of interest; scrolling shows it as it is.
 */
#include "pane.h"

#include <stdio.h>
#include <string.h>

enum { CODE_MAX = 100, HEAD_ROWS = 4 };

static const char *outcome(const struct state_attempt *attempt)
{
    if (!attempt->verdict) {
        return glyph(attempt->exit.done ? GLYPH_NONE : GLYPH_MORE);
    }
    bool right = strcmp(attempt->verdict, "right") == 0, unknown = strcmp(attempt->verdict, "no known answer") == 0;
    return glyph(right ? GLYPH_YES : unknown ? GLYPH_NONE : GLYPH_NO);
}

static void draw_title(const struct picture *picture, struct line *line)
{
    const struct state_attempt *attempt = picture->attempt;
    if (!attempt) {
        return;
    }
    if (attempt->language) {
        line_format(line, ROLE_FRAME, "%s ", glyph(GLYPH_RULE));
        line_format(line, ROLE_TEXT, "%s ", attempt->language);
    }
    line_format(line, ROLE_FRAME, "%s ", glyph(GLYPH_RULE));
    for (size_t i = 0; i < picture->question->attempt_count; i++) {
        const struct state_attempt *other = picture->question->attempts[i];
        bool shown = other == attempt;
        line_format(line, shown ? ROLE_STRONG : ROLE_TEXT, "%s%llu%s%s ", shown ? glyph(GLYPH_OPEN) : "",
                    (unsigned long long)other->number, outcome(other), shown ? glyph(GLYPH_CLOSE) : "");
    }
}

/* Preamble lines come first, then the program's own; both are rows of the pane. */
static int preamble_rows(const struct state_attempt *attempt)
{
    return attempt->preamble ? (int)attempt->preamble_lines : 0;
}

/* The line that explains most: of the last refused access, else where it failed, else the last finding. */
static unsigned line_of_interest(const struct state_attempt *attempt)
{
    for (size_t i = attempt->access_count; i-- > 0;) {
        const struct state_access *access = &attempt->accesses[i];
        if (access->line && access->verdict && strcmp(access->verdict, "denied") == 0) {
            return access->line;
        }
    }
    int frames = cJSON_GetArraySize(attempt->exception_frames);
    const cJSON *frame = frames ? cJSON_GetArrayItem(attempt->exception_frames, frames - 1) : NULL;
    const cJSON *line = cJSON_GetObjectItemCaseSensitive(frame, "line");
    if (cJSON_IsNumber(line) && line->valueint > 0) {
        return (unsigned)line->valueint;
    }
    return attempt->finding_count ? attempt->findings[attempt->finding_count - 1].line : 0;
}

/* What stands at the end of a line: refused or trimmed there, found by inspection, or nothing. */
static const char *line_mark(const struct state_attempt *attempt, unsigned line, enum role *ret_role)
{
    for (size_t i = 0; i < attempt->access_count; i++) {
        const struct state_access *access = &attempt->accesses[i];
        if (access->line == line && access->verdict && strcmp(access->verdict, "denied") == 0) {
            *ret_role = ROLE_DENIED;
            return glyph(GLYPH_NO);
        }
    }
    for (size_t i = 0; i < attempt->permission_count; i++) {
        const struct state_permission *permission = &attempt->permissions[i];
        bool refused = permission->state &&
                       (strcmp(permission->state, "trimmed") == 0 || strcmp(permission->state, "denied") == 0);
        if (permission->line == line && refused) {
            *ret_role = ROLE_TRIMMED;
            return glyph(GLYPH_NO);
        }
    }
    for (size_t i = 0; i < attempt->finding_count; i++) {
        if (attempt->findings[i].line == line) {
            *ret_role = attempt->findings[i].blocked ? ROLE_DENIED : ROLE_WARNING;
            return attempt->findings[i].blocked ? glyph(GLYPH_NO) : "!";
        }
    }
    return NULL;
}

struct code {
    const struct picture *picture;
    struct region region;
    int digits; /* of line numbers */
};

static void draw_code(const struct code *code, int screen_row, unsigned number, struct untrusted text)
{
    struct line line = line_at(code->region, screen_row);
    enum role role = number == 0 ? ROLE_DIM : ROLE_TEXT, mark_role = ROLE_TEXT;
    const char *mark = number ? line_mark(code->picture->attempt, number, &mark_role) : NULL;
    size_t blanks = 0;
    while (blanks < text.len && (text.bytes[blanks] == ' ' || text.bytes[blanks] == '\t')) {
        blanks++;
    }
    bool comment = blanks < text.len &&
                   (text.bytes[blanks] == '#' || (text.len > blanks + 1 && memcmp(text.bytes + blanks, "--", 2) == 0));
    if (number) {
        line_format(&line, ROLE_DIM, "%*u  ", code->digits, number);
    } else {
        line_to(&line, ROLE_TEXT, code->digits + 2);
    }
    int room = line_left(&line) - 1;
    line_fit(&line, comment && number ? ROLE_COMMENT : role, text, room < CODE_MAX ? room : CODE_MAX);
    const char *search = code->picture->view->search;
    if (search[0] && text_holds(text, search)) {
        struct region found = code->region;
        found.w = line.at;
        draw_role(found, screen_row, ROLE_MATCH);
    }
    if (mark) {
        line_to(&line, ROLE_TEXT, code->region.w - 1);
        line_text(&line, mark_role, mark);
    }
}

/* Which rows are shown: `head` rows from the top, then (after an ellipsis when head > 0) from `first` on. */
struct window {
    int head, first;
};

static struct window choose_window(const struct picture *picture, int rows, int height)
{
    const struct state_attempt *attempt = picture->attempt;
    int scroll = picture->view->scroll[PANE_PROGRAM];
    unsigned interest = line_of_interest(attempt);
    int row = interest ? preamble_rows(attempt) + (int)interest - 1 : 0;
    int streamed = attempt->complete ? 0 : rows - height;
    if (scroll != SCROLL_AUTOMATIC || rows <= height || row < height || row >= rows || height < HEAD_ROWS + 3) {
        int automatic = attempt->complete && row >= height ? row - height / 2 : streamed;
        return (struct window){0, pane_first_row(scroll, automatic, rows, height)};
    }
    int tail = height - HEAD_ROWS - 1;
    return (struct window){HEAD_ROWS, pane_first_row(SCROLL_AUTOMATIC, row - 1, rows, tail)};
}

static int rows(const struct picture *picture, struct region region)
{
    (void)region;
    const struct state_attempt *attempt = picture->attempt;
    return attempt ? preamble_rows(attempt) + text_lines(&attempt->text, 0) : 0;
}

static void draw_rows(const struct code *code, const struct buf *text, int offset, bool numbered,
                      const struct window *window)
{
    struct text_reader reader = text_reader(text, 0);
    struct untrusted content;
    for (int row = 0; text_next(&reader, &content); row++) {
        int at = offset + row, screen_row = at - window->first + (window->head ? window->head + 1 : 0);
        if (at < window->head) {
            screen_row = at;
        } else if (at < window->first) {
            continue;
        }
        if (screen_row >= code->region.h) {
            return;
        }
        draw_code(code, screen_row, numbered ? (unsigned)row + 1 : 0, content);
    }
}

static void draw_empty(const struct picture *picture, struct region region)
{
    struct line line = line_at(region, 0);
    const char *what = picture->question && picture->question->open ? "waiting for the model"
                       : picture->question                          ? "there is no program"
                       : picture->view->replay                      ? "no program yet: Space plays, . steps"
                                                                    : "no program yet: a asks, l lists questions";
    line_text(&line, ROLE_DIM, " ");
    line_text(&line, ROLE_DIM, what);
}

static void draw(const struct picture *picture, struct region region)
{
    const struct state_attempt *attempt = picture->attempt;
    int count = rows(picture, region);
    if (count == 0) {
        draw_empty(picture, region);
        return;
    }
    struct window window = choose_window(picture, count, region.h);
    struct code code = {picture, region, count > 999 ? 5 : count > 99 ? 4 : 3};
    if (preamble_rows(attempt) > 0) {
        /* Borrowed for reading only. */
        struct buf preamble = {.data = attempt->preamble, .len = strlen(attempt->preamble)};
        draw_rows(&code, &preamble, 0, false, &window);
    }
    draw_rows(&code, &attempt->text, preamble_rows(attempt), true, &window);
    if (window.head) {
        struct line line = line_at(region, window.head);
        line_to(&line, ROLE_TEXT, 2);
        line_text(&line, ROLE_DIM, glyph(GLYPH_MORE));
    }
}

static int find(const struct picture *picture, const char *text, int from)
{
    if (!picture->attempt) {
        return -1;
    }
    struct text_reader reader = text_reader(&picture->attempt->text, 0);
    struct untrusted line;
    for (int row = preamble_rows(picture->attempt); text_next(&reader, &line); row++) {
        if (row >= from && text_holds(line, text)) {
            return row;
        }
    }
    return -1;
}

const struct pane_kind pane_program = {"Program", "Prog", draw_title, draw, rows, find};
