/* Permissions: what was requested beside the ceiling, what was granted, what was used; and the limits below. */
#include "pane.h"

#include <stdio.h>
#include <string.h>

/* Where the columns of the table stand. */
struct permission_columns {
    int name, requested, ceiling, granted, used;
};

/* As drawn for 78 columns; a wider pane gives the rest to the name, a narrower one closes up, then leaves columns out
 * (-1). */
static struct permission_columns columns_for(int width)
{
    if (width >= 78) {
        int requested = width - 48;
        return (struct permission_columns){2, requested, requested + 13, requested + 23, requested + 33};
    }
    if (width >= 66) {
        int requested = width - 45;
        return (struct permission_columns){2, requested, requested + 12, requested + 21, requested + 31};
    }
    if (width >= 46) {
        return (struct permission_columns){2, -1, -1, width - 26, width - 15};
    }
    return (struct permission_columns){2, -1, -1, width - 11, -1};
}

static bool is(const char *text, const char *word)
{
    return text && strcmp(text, word) == 0;
}

static void draw_title(const struct picture *picture, struct line *line)
{
    (void)picture;
    struct permission_columns columns = columns_for(line->w);
    const struct {
        int column;
        const char *name;
    } heads[] = {{columns.requested, "requested"},
                 {columns.ceiling, "ceiling"},
                 {columns.granted, "granted"},
                 {columns.used, "used"}};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        if (heads[i].column < 0) {
            continue;
        }
        while (line->at < heads[i].column - 1 && line_left(line) > 0) {
            line_text(line, ROLE_FRAME, glyph(GLYPH_RULE));
        }
        line_format(line, ROLE_LABEL, " %s ", heads[i].name);
    }
}

static void add_requested(const struct state_permission *row, struct line *line)
{
    if (is(row->origin, "line")) {
        line_format(line, ROLE_TEXT, "line %u", row->line);
    } else if (row->line && row->origin) {
        line_format(line, ROLE_TEXT, "%s l.%u", row->origin, row->line);
    } else {
        line_text(line, ROLE_TEXT, row->origin ? row->origin : row->state);
    }
}

static void add_ceiling(const struct state_permission *row, struct line *line)
{
    bool refused = is(row->state, "trimmed") || is(row->state, "denied") || row->fix;
    bool asks = is(row->state, "held");
    line_text(line, refused ? ROLE_TRIMMED : ROLE_TEXT, asks ? "asks" : refused ? "no" : "yes");
}

static void add_granted(const struct state_permission *row, struct line *line)
{
    bool granted = is(row->state, "granted");
    if (row->unenforceable && !granted) {
        line_format(line, ROLE_DENIED, "%s not kept",
                    glyph(GLYPH_NO)); /* it was not granted, and cannot be kept back here */
    } else if (row->denied > 0 || is(row->state, "denied")) {
        line_format(line, ROLE_DENIED, "%s DENIED", glyph(GLYPH_NO));
    } else if (is(row->state, "trimmed")) {
        line_format(line, ROLE_TRIMMED, "%s trimmed", glyph(GLYPH_NO));
    } else if (granted) {
        line_text(line, ROLE_GRANTED, glyph(GLYPH_YES));
    } else {
        line_text(line, ROLE_DIM, is(row->state, "held") ? "? held" : is(row->state, "found") ? "found" : "?");
    }
}

static void add_used(const struct picture *picture, const struct state_permission *row, struct line *line)
{
    const struct state_attempt *attempt = picture->attempt;
    char size[FORMAT_MAX];
    if (row->denied > 0) {
        line_format(line, ROLE_DENIED, "%llu%s %s", (unsigned long long)row->denied, glyph(GLYPH_TIMES),
                    row->denied_layer ? row->denied_layer : "");
    } else if (is(row->name, "stdout")) {
        uint64_t bytes = attempt->output[1].total;
        if (bytes < 1024) {
            line_format(line, ROLE_TEXT, "%llu B", (unsigned long long)bytes);
        } else {
            line_text(line, ROLE_TEXT, format_size(size, bytes));
        }
    } else if (row->used_known && row->files > 0) {
        const char *of = is(row->name, "net") ? "host" : "file";
        line_format(line, ROLE_TEXT, "%llu %s%s %s", (unsigned long long)row->files, of, row->files == 1 ? "" : "s",
                    format_size(size, row->bytes));
    } else if (row->used_known && row->opens > 0) {
        line_format(line, ROLE_TEXT, "%llu%s", (unsigned long long)row->opens, glyph(GLYPH_TIMES));
    } else if (attempt->exit.done) {
        bool refused = is(row->state, "trimmed") || is(row->state, "denied");
        line_text(line, ROLE_DIM, refused ? "never tried" : row->used_known ? "never" : glyph(GLYPH_NONE));
    }
}

static void draw_row(const struct picture *picture, struct region region, int screen_row, int index, bool selected)
{
    const struct state_permission *row = &picture->attempt->permissions[index];
    struct permission_columns columns = columns_for(region.w);
    struct line line = line_at(region, screen_row);
    enum role role = row->denied ? ROLE_DENIED : is(row->state, "trimmed") ? ROLE_TRIMMED : ROLE_TEXT;
    line_text(&line, ROLE_STRONG, selected ? glyph(GLYPH_CURSOR) : " ");
    line_to(&line, ROLE_TEXT, columns.name);
    int name_end = columns.requested >= 0 ? columns.requested : columns.granted;
    line_fit(&line, role, untrusted_text(row->name), name_end - columns.name - 1);
    if (row->scope) {
        line_text(&line, role, " ");
        line_fit(&line, role, untrusted_text(row->scope), name_end - line.at - 1);
    }
    if (columns.requested >= 0) {
        line_to(&line, ROLE_TEXT, columns.requested);
        add_requested(row, &line);
        line_to(&line, ROLE_TEXT, columns.ceiling);
        add_ceiling(row, &line);
    }
    line_to(&line, ROLE_TEXT, columns.granted);
    add_granted(row, &line);
    if (columns.used >= 0) {
        line_to(&line, ROLE_TEXT, columns.used);
        add_used(picture, row, &line);
    }
    if (selected && picture->view->focus == PANE_PERMISSIONS && picture->view->selected >= 0) {
        draw_role(region, screen_row, ROLE_SELECTION);
    }
}

static void draw(const struct picture *picture, struct region region)
{
    const struct state_attempt *attempt = picture->attempt;
    int count = attempt ? (int)attempt->permission_count : 0;
    if (count == 0) {
        struct line line = line_at(region, 0);
        line_text(&line, ROLE_DIM, " nothing is requested yet. Ceiling: ");
        const char *ceiling = picture->state->ceiling.text;
        line_fit(&line, ROLE_TEXT, untrusted_text(ceiling ? ceiling : "none"), line_left(&line));
        if (!picture->view->replay && picture->state->question_count == 0) {
            line = line_at(region, 1);
            line_text(&line, ROLE_DIM, " c changes it");
        }
        return;
    }
    int selected = picture_selected(picture);
    int automatic = selected >= region.h ? selected - region.h + 1 : 0;
    int first = pane_first_row(picture->view->scroll[PANE_PERMISSIONS], automatic, count, region.h);
    for (int row = 0; row < region.h && first + row < count; row++) {
        draw_row(picture, region, row, first + row, first + row == selected);
    }
    /* Rows that do not fit are said at the edge. */
    if (first + region.h < count && region.h > 0) {
        struct line line = line_at(region, region.h - 1);
        line.at = region.w - 2;
        line_text(&line, ROLE_LABEL, glyph(GLYPH_DOWN));
    }
    if (first > 0) {
        struct line line = line_at(region, 0);
        line.at = region.w - 2;
        line_text(&line, ROLE_LABEL, glyph(GLYPH_UP));
    }
}

static int rows(const struct picture *picture, struct region region)
{
    (void)region;
    return picture->attempt ? (int)picture->attempt->permission_count : 0;
}

static int find(const struct picture *picture, const char *text, int from)
{
    for (int row = from; picture->attempt && row < (int)picture->attempt->permission_count; row++) {
        const struct state_permission *permission = &picture->attempt->permissions[row];
        if (text_holds(untrusted_text(permission->name), text) || text_holds(untrusted_text(permission->scope), text)) {
            return row;
        }
    }
    return -1;
}

const struct pane_kind pane_permissions = {"Permissions", "Perm", draw_title, draw, rows, find};

/* ---- limits ------------------------------------------------------------------------------------------------------ */

enum { GAUGE_COLUMNS = 4, LIMITS_COLUMNS = 76 };

static uint64_t limit_of(const struct state_attempt *attempt, enum limit limit)
{
    const cJSON *value = attempt->limits ? cJSON_GetObjectItemCaseSensitive(attempt->limits, limit_name(limit)) : NULL;
    return cJSON_IsNumber(value) && value->valuedouble > 0 ? (uint64_t)value->valuedouble : 0;
}

static void add_limit(struct line *line, const char *used, enum limit limit, uint64_t most)
{
    struct buf text;
    buf_init(&text, 64);
    line_format(line, ROLE_LABEL, "%s ", limit_name(limit));
    line_text(line, ROLE_TEXT, used);
    if (most > 0 && limit_format(limit, most, &text) == 0) {
        line_format(line, ROLE_DIM, "/%s", text.data);
    }
    buf_done(&text);
}

static double part_of(uint64_t used, uint64_t most)
{
    return most ? (double)used / (double)most : 0;
}

static enum role gauge_role(double part)
{
    return part >= 0.9 ? ROLE_DENIED : part >= 0.6 ? ROLE_WARNING : ROLE_GRANTED;
}

static void add_gauge(struct line *line, double part, bool wanted)
{
    if (wanted) {
        line_text(line, ROLE_TEXT, " ");
        line_gauge(line, gauge_role(part), part, GAUGE_COLUMNS);
    }
}

/* Without room for all the numbers are shown, and the gauges left out. */
static void draw_limits(const struct state_attempt *attempt, struct line *line)
{
    bool gauges = line_left(line) >= LIMITS_COLUMNS;
    char used[FORMAT_MAX];
    const struct state_usage *usage = &attempt->usage;
    int64_t elapsed = usage->wall_us > attempt->exit.run_us ? usage->wall_us : attempt->exit.run_us;
    uint64_t most = limit_of(attempt, LIMIT_WALL), memory = usage->memory_peak;
    double part = part_of((uint64_t)elapsed, most);
    snprintf(used, sizeof used, "%.1f", (double)elapsed / 1e6);
    add_limit(line, used, LIMIT_WALL, most);
    add_gauge(line, part, gauges);
    most = limit_of(attempt, LIMIT_MEMORY);
    line_text(line, ROLE_TEXT, " ");
    add_limit(line, format_size(used, memory), LIMIT_MEMORY, most);
    add_gauge(line, part_of(memory, most), gauges);
    snprintf(used, sizeof used, "%.1f", (double)usage->cpu_us / 1e6);
    line_text(line, ROLE_TEXT, " ");
    add_limit(line, used, LIMIT_CPU, limit_of(attempt, LIMIT_CPU));
    line_text(line, ROLE_LABEL, "  processes ");
    line_format(line, ROLE_TEXT, "%llu",
                (unsigned long long)(usage->processes_peak ? usage->processes_peak : usage->processes));
    line_text(line, ROLE_LABEL, "  out ");
    line_text(line, ROLE_TEXT, format_size(used, attempt->output[1].total + attempt->output[2].total));
}

void pane_limits_draw(const struct picture *picture, struct region region, int row)
{
    struct line line = line_at(region, row);
    line_text(&line, ROLE_TEXT, " ");
    if (picture->attempt && picture->attempt->limits) {
        draw_limits(picture->attempt, &line);
    } else {
        line_text(&line, ROLE_DIM, "limits: shown once something runs");
    }
}
