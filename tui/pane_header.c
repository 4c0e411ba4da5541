/* The first rows: what is shown, the question, and the pipeline with the step that runs now. */
#include "pane.h"

#include <stdio.h>
#include <string.h>

enum { MODEL_COLUMNS = 28 };

static enum role verdict_role(const char *verdict)
{
    return strcmp(verdict, "right") == 0 ? ROLE_RIGHT : strcmp(verdict, "wrong") == 0 ? ROLE_WRONG : ROLE_WARNING;
}

static const char *verdict_glyph(const char *verdict)
{
    bool right = strcmp(verdict, "right") == 0, open = strcmp(verdict, "no known answer") == 0;
    return glyph(right ? GLYPH_YES : open ? GLYPH_NONE : GLYPH_NO);
}

/* "attempt 2/3   ✓ right", at the right edge. Returns the columns that are left for what stands before it. */
static int draw_verdict(const struct picture *picture, struct region region, int row)
{
    char attempt[64] = "", verdict[64] = "";
    enum role role = ROLE_RUNNING;
    const char *word = picture->attempt ? picture->attempt->verdict : NULL;
    if (picture->attempt) {
        uint64_t most = picture->state->attempts_max;
        if (most < picture->attempt->number) {
            most = picture->attempt->number;
        }
        snprintf(attempt, sizeof attempt, "attempt %llu/%llu", (unsigned long long)picture->attempt->number,
                 (unsigned long long)most);
    }
    if (word) {
        snprintf(verdict, sizeof verdict, "%s %s", verdict_glyph(word), word);
        role = verdict_role(word);
    } else if (picture->attempt && picture->attempt->exit.done) {
        snprintf(verdict, sizeof verdict, "%s", picture->attempt->exit.status ? picture->attempt->exit.status : "");
        role = ROLE_STRONG;
    } else if (picture->question && picture->question->open) {
        snprintf(verdict, sizeof verdict, "%s running", glyph(GLYPH_MORE));
    }
    int width = text_width(attempt) + (attempt[0] && verdict[0] ? 3 : 0) + text_width(verdict);
    int column = region.w - 1 - width;
    if (width == 0 || column <= 8) {
        return region.w;
    }
    struct line line = line_at(region, row);
    line.at = column;
    line_text(&line, ROLE_LABEL, attempt);
    line_text(&line, ROLE_LABEL, attempt[0] && verdict[0] ? "   " : "");
    line_text(&line, role, verdict);
    return column - 1;
}

static void add_part(struct line *line, enum role role, const char *before, const char *text)
{
    if (text && *text) {
        line_text(line, ROLE_DIM, before);
        line_text(line, role, text);
    }
}

static void draw_what(const struct picture *picture, struct region region, int row)
{
    const struct state *state = picture->state;
    const struct state_question *question = picture->question;
    const struct state_attempt *attempt = picture->attempt;
    char dot[16];
    region.w = draw_verdict(picture, region, row);
    struct line line = line_at(region, row);
    line_text(&line, ROLE_TITLE, " techo ");
    int before = line.at;
    add_part(&line, ROLE_STRONG, " ", state->case_id ? state->case_id : state->root);
    add_part(&line, ROLE_STRONG, " ", question ? question->id : NULL);
    snprintf(dot, sizeof dot, " %s ", line.at > before ? glyph(GLYPH_DOT) : "");
    const char *executor = attempt && attempt->executor ? attempt->executor : question ? question->executor : NULL;
    add_part(&line, ROLE_TEXT, dot, executor ? executor : picture->executor);
    add_part(&line, ROLE_TEXT, " ", attempt ? attempt->level : NULL);
    add_part(&line, ROLE_DENIED, " ", attempt && attempt->decoy ? "UNSAFE decoy" : NULL);
    if (state->model) {
        line_text(&line, ROLE_DIM, dot);
        line_fit(&line, ROLE_TEXT, untrusted_text(state->model), MODEL_COLUMNS);
    }
}

static void draw_question(const struct picture *picture, struct region region, int row, int rows)
{
    struct line line = line_at(region, row);
    line_text(&line, ROLE_LABEL, " Question  ");
    if (picture->question && picture->question->text && rows > 1) {
        struct region text = {region.y + row, region.x + line.at, rows, region.w - line.at - 1};
        draw_wrapped(text, 0, 0, ROLE_STRONG, untrusted_text(picture->question->text));
    } else if (picture->question && picture->question->text) {
        line_fit(&line, ROLE_STRONG, untrusted_text(picture->question->text), line_left(&line));
    } else {
        line_text(&line, ROLE_DIM,
                  picture->view->replay ? "nothing was asked yet: Space plays, . steps"
                  : picture->kase       ? "nothing was asked yet: l lists the case's questions, a asks your own"
                                        : "nothing was asked yet: a asks");
    }
}

static void add_phase(const struct picture *picture, const struct state_phase *phase, struct line *line)
{
    char duration[FORMAT_MAX];
    bool runs = phase->end < 0;
    bool failed = !runs && phase->status && strcmp(phase->status, "ok") != 0;
    enum role role = runs ? ROLE_RUNNING : failed ? ROLE_WARNING : ROLE_TEXT;
    line_text(line, runs ? ROLE_RUNNING : ROLE_LABEL, phase->name);
    line_text(line, role, " ");
    if (runs || !phase->detail || !*phase->detail) {
        line_text(line, role, format_duration(duration, picture_elapsed(picture, phase)));
        line_text(line, role, runs ? glyph(GLYPH_MORE) : "");
        if (failed) {
            line_format(line, role, " %s", phase->status);
        }
    } else {
        line_text(line, role, phase->detail);
    }
}

static void draw_pipeline(const struct picture *picture, struct region region, int row)
{
    struct line line = line_at(region, row);
    const struct state_attempt *attempt = picture->attempt;
    line_text(&line, ROLE_TEXT, " ");
    for (size_t i = 0; attempt && i < attempt->phase_count; i++) {
        if (i > 0) {
            line_format(&line, ROLE_DIM, " %s ", glyph(GLYPH_THEN));
        }
        add_phase(picture, &attempt->phases[i], &line);
    }
    if (picture->question && picture->question->model_wait && picture->question->open) {
        line_text(&line, ROLE_TEXT, line.at > 1 ? "  " : "");
        line_fit(&line, ROLE_WARNING, untrusted_text(picture->question->model_wait), line_left(&line));
    }
}

void pane_header_draw(const struct picture *picture, struct region region)
{
    draw_what(picture, region, 0);
    int question = region.h > 3 ? region.h - 2 : 1;
    draw_question(picture, region, 1, question);
    draw_pipeline(picture, region, 1 + question);
}
