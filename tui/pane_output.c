/* What the program wrote: standard output, then errors; below, what else there is of it. */
#include "pane.h"

#include <string.h>

enum { PIECE_MAX = 4096 }; /* a line without end comes in pieces, so that a screen never costs a megabyte */

static void draw_footer(const struct picture *picture, struct region region)
{
    const struct state_attempt *attempt = picture->attempt;
    struct line line = line_at(region, region.h - 1);
    char size[FORMAT_MAX];
    const char *dot = glyph(GLYPH_DOT);
    line_format(&line, ROLE_LABEL, " stderr %s %s files %zu %s grid ",
                attempt->output[2].total ? format_size(size, attempt->output[2].total) : "0", dot,
                attempt->artifact_count, dot);
    const cJSON *total = cJSON_GetObjectItemCaseSensitive(attempt->result, "total");
    if (cJSON_IsNumber(total)) {
        line_format(&line, ROLE_LABEL, "%.0f rows", total->valuedouble);
    } else {
        line_text(&line, ROLE_LABEL, glyph(GLYPH_NONE));
    }
}

/* What is not as the program wrote it stands on the edge. */
static void draw_title(const struct picture *picture, struct line *line)
{
    const struct state_attempt *attempt = picture->attempt;
    if (!attempt) {
        return;
    }
    char size[FORMAT_MAX];
    uint64_t neutralised = attempt->output[1].neutralised + attempt->output[2].neutralised;
    uint64_t dropped = attempt->output[1].dropped + attempt->output[2].dropped;
    if (neutralised) {
        line_format(line, ROLE_FRAME, "%s ", glyph(GLYPH_RULE));
        line_format(line, ROLE_NEUTRALISED, "%llu made visible", (unsigned long long)neutralised);
        line_text(line, ROLE_FRAME, " ");
    }
    if (dropped) {
        line_format(line, ROLE_FRAME, "%s ", glyph(GLYPH_RULE));
        line_format(line, ROLE_WARNING, "%s dropped ", format_size(size, dropped));
    }
}

static int count_rows(const struct state_attempt *attempt)
{
    return text_lines(&attempt->output[1].bytes, PIECE_MAX) + text_lines(&attempt->output[2].bytes, PIECE_MAX);
}

static int rows(const struct picture *picture, struct region region)
{
    (void)region;
    return picture->attempt ? count_rows(picture->attempt) : 0;
}

/* Calls `each` for every row from `first` on, until it says stop. */
static void each_row(const struct state_attempt *attempt, int first,
                     bool (*each)(void *context, int row, int stream, struct untrusted line), void *context)
{
    int row = 0;
    for (int stream = 1; stream <= 2; stream++) {
        struct text_reader reader = text_reader(&attempt->output[stream].bytes, PIECE_MAX);
        struct untrusted line;
        for (; text_next(&reader, &line); row++) {
            if (row >= first && !each(context, row, stream, line)) {
                return;
            }
        }
    }
}

struct drawing {
    struct region region;
    int row;
    const char *search;
};

static bool draw_row(void *context, int row, int stream, struct untrusted line)
{
    (void)row;
    struct drawing *drawing = context;
    enum role role = stream == 2 ? ROLE_ERRORS : ROLE_TEXT;
    if (drawing->search[0] && text_holds(line, drawing->search)) {
        role = ROLE_MATCH;
    }
    int used = draw_wrapped(drawing->region, drawing->row, 0, role, line);
    drawing->row += used ? used : 1;
    return drawing->row < drawing->region.h;
}

struct measure {
    int width, rows, first;
};

/* Rows that the last lines take when wrapped, to find the first one of the last screen. */
static bool measure_row(void *context, int row, int stream, struct untrusted line)
{
    (void)row, (void)stream;
    struct measure *measure = context;
    int width = (int)sanitize_width(line, 0);
    measure->rows += width > 0 ? (width + measure->width - 1) / measure->width : 1;
    return true;
}

static int first_of_end(const struct state_attempt *attempt, struct region region, int count)
{
    int first = count > region.h ? count - region.h : 0;
    while (first < count - 1) {
        struct measure measure = {.width = region.w > 0 ? region.w : 1};
        each_row(attempt, first, measure_row, &measure);
        if (measure.rows <= region.h) {
            break;
        }
        first++;
    }
    return first;
}

static void draw(const struct picture *picture, struct region region)
{
    const struct state_attempt *attempt = picture->attempt;
    if (!attempt) {
        struct line line = line_at(region, 0);
        line_text(&line, ROLE_DIM, " what the program prints");
        return;
    }
    struct drawing drawing = {region, 0, picture->view->search};
    drawing.region.x++; /* a blank beside the edge */
    drawing.region.w -= 1;
    if (drawing.region.h >= 2) {
        drawing.region.h--;
    }
    int count = count_rows(attempt), scroll = picture->view->scroll[PANE_OUTPUT];
    int first =
        scroll == SCROLL_END ? first_of_end(attempt, drawing.region, count) : pane_first_row(scroll, 0, count, 1);
    each_row(attempt, first, draw_row, &drawing);
    if (count == 0) {
        struct line line = line_at(drawing.region, 0);
        line_text(&line, ROLE_DIM, attempt->exit.done ? "nothing was printed" : "");
    }
    if (region.h >= 2) {
        draw_footer(picture, region);
    }
}

struct finding {
    const char *text;
    int row;
};

static bool find_row(void *context, int row, int stream, struct untrusted line)
{
    (void)stream;
    struct finding *finding = context;
    if (text_holds(line, finding->text)) {
        finding->row = row;
        return false;
    }
    return true;
}

static int find(const struct picture *picture, const char *text, int from)
{
    struct finding finding = {text, -1};
    if (picture->attempt) {
        each_row(picture->attempt, from, find_row, &finding);
    }
    return finding.row;
}

const struct pane_kind pane_output = {"Output", "Out", draw_title, draw, rows, find};
