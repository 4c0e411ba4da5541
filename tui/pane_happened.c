/* What happened: refused accesses (or all of them), the exception, the end, and the least ceiling. */
#include "pane.h"

#include <stdio.h>
#include <string.h>

/* In this order: where there is little room, the last ones are seen. */
enum row_kind { ROW_ACCESS, ROW_UNLISTED, ROW_EXCEPTION, ROW_VERDICT, ROW_MESSAGE, ROW_EXIT, ROW_END };

struct row {
    enum row_kind kind;
    const struct state_access *access;
};

/* Goes through the rows of an attempt in order. */
struct walk {
    const struct state_attempt *attempt;
    bool all;
    size_t access;
    enum row_kind next;
};

static bool is(const char *text, const char *word)
{
    return text && strcmp(text, word) == 0;
}

static bool row_exists(const struct state_attempt *attempt, enum row_kind kind)
{
    switch (kind) {
    case ROW_UNLISTED:
        return attempt->exit.unlisted > 0;
    case ROW_EXCEPTION:
        return attempt->exception_type != NULL;
    case ROW_EXIT:
        return attempt->exit.done;
    case ROW_MESSAGE:
        /* Of a plain end the row above says all. */
        return attempt->exit.done && attempt->exit.message && *attempt->exit.message &&
               !is(attempt->exit.status, "ok") && !is(attempt->exit.status, "error") &&
               !is(attempt->exit.status, "denied");
    case ROW_VERDICT:
        return attempt->verdict_why && *attempt->verdict_why && !is(attempt->verdict, "right");
    default:
        return false;
    }
}

static bool walk_next(struct walk *walk, struct row *ret_row)
{
    while (walk->access < walk->attempt->access_count) {
        const struct state_access *access = &walk->attempt->accesses[walk->access++];
        if (walk->all || is(access->verdict, "denied")) {
            *ret_row = (struct row){ROW_ACCESS, access};
            return true;
        }
    }
    while (walk->next < ROW_END) {
        enum row_kind kind = walk->next++;
        if (row_exists(walk->attempt, kind)) {
            *ret_row = (struct row){kind, NULL};
            return true;
        }
    }
    return false;
}

static struct walk walk_start(const struct picture *picture)
{
    return (struct walk){picture->attempt, picture->view->all, 0, ROW_UNLISTED};
}

static void draw_title(const struct picture *picture, struct line *line)
{
    const struct state_attempt *attempt = picture->attempt;
    if (!attempt) {
        return;
    }
    bool all = picture->view->all;
    line_format(line, ROLE_FRAME, "%s ", glyph(GLYPH_RULE));
    line_format(line,
                attempt->denials ? ROLE_DENIED
                : all            ? ROLE_LABEL
                                 : ROLE_TEXT,
                "denials %llu", (unsigned long long)attempt->denials);
    line_format(line, ROLE_LABEL, " %s ", glyph(GLYPH_DOT));
    line_format(line, all ? ROLE_STRONG : ROLE_LABEL, "all %zu ", attempt->access_count);
}

/* System calls by the name that people know. */
static const char *call_name(const char *call)
{
    static const char *const plain[][2] = {{"openat", "open"},     {"openat2", "open"},      {"unlinkat", "unlink"},
                                           {"renameat", "rename"}, {"renameat2", "rename"},  {"mkdirat", "mkdir"},
                                           {"linkat", "link"},     {"symlinkat", "symlink"}, {"fchmodat", "chmod"},
                                           {"fchownat", "chown"},  {"execveat", "execve"},   {"newfstatat", "stat"}};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        if (strcmp(plain[i][0], call) == 0) {
            return plain[i][1];
        }
    }
    return call;
}

/* The path as people write it: below the root with "./", else as resolved, else as given. */
static void add_target(const struct picture *picture, const struct state_access *access, struct line *line, int width)
{
    const char *root = picture->state->root, *path = access->resolved ? access->resolved : access->given;
    size_t length = root ? strlen(root) : 0;
    char shown[1024];
    if (path && length > 1 && strncmp(path, root, length) == 0 && path[length] == '/') {
        (void)snprintf(shown, sizeof shown, ".%s", path + length); /* cut below anyway */
        path = shown;
    }
    line_fit(line, ROLE_TEXT, untrusted_text(path), width);
}

static void draw_access(const struct picture *picture, const struct state_access *access, struct region region, int row)
{
    struct line line = line_at(region, row);
    bool denied = is(access->verdict, "denied");
    const char *call = call_name(access->call ? access->call : ""), *want = access->want ? access->want : "";
    char end[96] = "", count[32] = "";
    if (denied && access->layer) {
        snprintf(end, sizeof end, access->answered ? "answered %s %s" : "stopped by %.0s%s", glyph(GLYPH_DOT),
                 access->layer);
    }
    if (access->count > 1) {
        snprintf(count, sizeof count, " %llu%s", (unsigned long long)access->count, glyph(GLYPH_TIMES));
    }
    const char *word = denied ? "DENIED" : access->verdict ? access->verdict : "";
    line_format(&line, ROLE_DIM, "%6.3f ", (double)access->t / 1e6);
    line_fit(&line, ROLE_TEXT, untrusted_text(call), 12);
    line_text(&line, ROLE_TEXT, " ");
    int fixed = line.at + text_width(want) + text_width(count) + text_width(word) + text_width(end) + 9;
    int room = region.w - fixed - (access->why ? 20 : 0);
    add_target(picture, access, &line, room > 10 ? room : 10);
    line_format(&line, ROLE_TEXT, " %s%s  ", want, count);
    line_format(&line, denied ? ROLE_DENIED : ROLE_GRANTED, "%s", word);
    line_text(&line, ROLE_TEXT, "  ");
    int stop = region.w - 1 - text_width(end);
    const char *why = access->why ? access->why : !denied && access->item ? access->item : "";
    line_fit(&line, ROLE_TEXT, untrusted_text(why), stop - line.at - (end[0] ? 1 : 0));
    line_to(&line, ROLE_TEXT, stop);
    line_text(&line, ROLE_LABEL, end);
}

static void draw_exit(const struct state_exit *end, struct region region, int row)
{
    struct line line = line_at(region, row);
    bool ok = is(end->status, "ok");
    line_format(&line, ROLE_DIM, "%6.3f ", (double)end->run_us / 1e6);
    if (end->signal) {
        line_format(&line, ROLE_TEXT, "signal %d  ", end->signal);
    } else if (end->code >= 0) {
        line_format(&line, ROLE_TEXT, "exit %d  ", end->code);
    }
    line_format(&line, ok ? ROLE_GRANTED : ROLE_DENIED, "%s", end->status ? end->status : "");
    line_format(&line, ROLE_TEXT, "  %.0f ms, %.0f ms of it isolation", (double)(end->run_us + end->setup_us) / 1e3,
                (double)end->setup_us / 1e3);
    if (end->unkillable) {
        line_text(&line, ROLE_WARNING, "   something did not die");
    } else if (end->survivors) {
        line_format(&line, ROLE_WARNING, "   %llu still running were ended", (unsigned long long)end->survivors);
    } else {
        line_text(&line, ROLE_TEXT, "   nothing left running");
    }
}

static void draw_row(const struct picture *picture, const struct row *row, struct region region, int at)
{
    const struct state_attempt *attempt = picture->attempt;
    struct line line = line_at(region, at);
    line_text(&line, ROLE_TEXT, " ");
    switch (row->kind) {
    case ROW_ACCESS:
        draw_access(picture, row->access, region, at);
        break;
    case ROW_UNLISTED:
        line_format(&line, ROLE_WARNING, "and %llu more, %llu of them refused",
                    (unsigned long long)attempt->exit.unlisted, (unsigned long long)attempt->exit.unlisted_denied);
        break;
    case ROW_EXCEPTION:
        line_fit(&line, ROLE_ERRORS, untrusted_text(attempt->exception_type), 40);
        line_text(&line, ROLE_ERRORS, ": ");
        line_fit(&line, ROLE_ERRORS, untrusted_text(attempt->exception_text), line_left(&line));
        break;
    case ROW_EXIT:
        draw_exit(&attempt->exit, region, at);
        break;
    case ROW_MESSAGE:
        line_fit(&line, ROLE_WARNING, untrusted_text(attempt->exit.message), line_left(&line));
        break;
    default:
        line_fit(&line, ROLE_WARNING, untrusted_text(attempt->verdict_why), line_left(&line));
        break;
    }
}

static int rows(const struct picture *picture, struct region region)
{
    (void)region;
    int count = 0;
    struct row row;
    if (picture->attempt) {
        struct walk walk = walk_start(picture);
        while (walk_next(&walk, &row)) {
            count++;
        }
    }
    return count;
}

static void draw_least(const struct state_attempt *attempt, struct region region)
{
    struct line line = line_at(region, region.h - 1);
    line_text(&line, ROLE_LABEL, " least ceiling for this run: ");
    line_fit(&line, ROLE_GRANTED, untrusted_text(attempt->least), line_left(&line));
}

static int last_denial(const struct picture *picture)
{
    int last = -1;
    struct walk walk = walk_start(picture);
    struct row row;
    for (int at = 0; walk_next(&walk, &row); at++) {
        last = row.access && is(row.access->verdict, "denied") ? at : last;
    }
    return last;
}

static void draw(const struct picture *picture, struct region region)
{
    int count = rows(picture, region);
    struct region list = region;
    if (picture->attempt && picture->attempt->least && region.h >= 2) {
        draw_least(picture->attempt, region);
        list.h--;
    }
    if (count == 0) {
        struct line line = line_at(list, 0);
        line_text(&line, ROLE_DIM, picture->attempt ? " nothing was refused so far" : " accesses, denials and the end");
        return;
    }
    int scroll = picture->view->scroll[PANE_HAPPENED], first = pane_first_row(scroll, count - list.h, count, list.h);
    int denial = scroll == SCROLL_AUTOMATIC ? last_denial(picture) : -1;
    int pinned = denial >= 0 && denial < first; /* the latest denial stays in sight */
    struct walk walk = walk_start(picture);
    struct row row;
    for (int at = 0; walk_next(&walk, &row) && at < first + list.h; at++) {
        if (at >= first + pinned) {
            draw_row(picture, &row, list, at - first);
        } else if (pinned && at == denial) {
            draw_row(picture, &row, list, 0);
        }
    }
}

static int find(const struct picture *picture, const char *text, int from)
{
    if (!picture->attempt) {
        return -1;
    }
    struct walk walk = walk_start(picture);
    struct row row;
    for (int at = 0; walk_next(&walk, &row); at++) {
        const struct state_access *access = row.access;
        if (at >= from && access &&
            (text_holds(untrusted_text(access->resolved), text) || text_holds(untrusted_text(access->given), text) ||
             text_holds(untrusted_text(access->call), text) || text_holds(untrusted_text(access->why), text))) {
            return at;
        }
    }
    return -1;
}

const struct pane_kind pane_happened = {"What happened", "Happened", draw_title, draw, rows, find};
