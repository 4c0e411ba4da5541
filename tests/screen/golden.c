/* Whole screens against files: the text, and below it which cells look alike. */
#include "harness.h"

#include <stdlib.h>
#include <string.h>

enum { LOOKS_MAX = 52, NAMES_MAX = 64 };

struct look {
    char name[64];
};

static void describe_colour(char *to, size_t size, const VTermColor *colour, bool is_default)
{
    if (is_default) {
        snprintf(to, size, "-");
    } else if (VTERM_COLOR_IS_INDEXED(colour)) {
        snprintf(to, size, "%d", colour->indexed.idx);
    } else {
        snprintf(to, size, "#%02x%02x%02x", colour->rgb.red, colour->rgb.green, colour->rgb.blue);
    }
}

static void describe(const VTermScreenCell *cell, char *to, size_t size)
{
    char foreground[16], background[16];
    describe_colour(foreground, sizeof foreground, &cell->fg, VTERM_COLOR_IS_DEFAULT_FG(&cell->fg));
    describe_colour(background, sizeof background, &cell->bg, VTERM_COLOR_IS_DEFAULT_BG(&cell->bg));
    snprintf(to, size, "%s on %s%s%s%s", foreground, background, cell->attrs.bold ? " bold" : "",
             cell->attrs.underline ? " underline" : "", cell->attrs.reverse ? " reverse" : "");
}

static char look_letter(struct look *looks, int *count, const VTermScreenCell *cell)
{
    char name[64];
    describe(cell, name, sizeof name);
    for (int i = 0; i < *count; i++) {
        if (strcmp(looks[i].name, name) == 0) {
            return (char)(i < 26 ? 'a' + i : 'A' + i - 26);
        }
    }
    assert_true(*count < LOOKS_MAX);
    snprintf(looks[*count].name, sizeof looks[*count].name, "%s", name);
    (*count)++;
    return (char)(*count <= 26 ? 'a' + *count - 1 : 'A' + *count - 27);
}

static char *render(const struct screen *screen)
{
    char *text = NULL, *rows = screen_text(screen);
    size_t size;
    FILE *to = open_memstream(&text, &size);
    struct ack ack = screen_ack(screen);
    struct look looks[LOOKS_MAX];
    int count = 0;
    fprintf(to, "%dx%d, cursor %s\n%s\n", ack.columns, ack.rows, screen_cursor_visible(screen) ? "visible" : "hidden",
            rows);
    for (int y = 0; y < ack.rows; y++) {
        for (int x = 0; x < ack.columns; x++) {
            VTermScreenCell cell = screen_cell(screen, y, x);
            bool blank = (cell.chars[0] == 0 || cell.chars[0] == ' ') && VTERM_COLOR_IS_DEFAULT_BG(&cell.bg) &&
                         !cell.attrs.reverse && !cell.attrs.underline;
            fputc(blank ? ' ' : look_letter(looks, &count, &cell), to);
        }
        fputs("|\n", to);
    }
    for (int i = 0; i < count; i++) {
        fprintf(to, "%c = %s\n", i < 26 ? 'a' + i : 'A' + i - 26, looks[i].name);
    }
    fclose(to);
    free(rows);
    return text;
}

static char *read_whole(const char *path)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size), *from = fopen(path, "re");
    int c;
    while (from && (c = fgetc(from)) != EOF) {
        fputc(c, to);
    }
    if (from) {
        fclose(from);
    }
    fclose(to);
    return text;
}

/* The rows that differ. */
static void print_difference(const char *expected, const char *got)
{
    for (const char *e = expected, *g = got; *e || *g;) {
        int e_len = (int)strcspn(e, "\n"), g_len = (int)strcspn(g, "\n");
        bool same = e_len == g_len && strncmp(e, g, (size_t)e_len) == 0;
        if (!same) {
            fprintf(stderr, "- %.*s\n+ %.*s\n", e_len, e, g_len, g);
        }
        e += e_len + (e[e_len] == '\n');
        g += g_len + (g[g_len] == '\n');
    }
}

/* A screen that a test draws twice must be the same twice, also while it is written. */
static bool first_time(const char *name)
{
    static char names[NAMES_MAX][64];
    static int count;
    for (int i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0) {
            return false;
        }
    }
    assert_true(count < NAMES_MAX);
    snprintf(names[count++], sizeof names[0], "%s", name);
    return true;
}

void screen_golden(const struct screen *screen, const char *name)
{
    char relative[256];
    snprintf(relative, sizeof relative, "tests/screen/golden/%s.txt", name);
    const char *path = source_path(relative), *generate = getenv("GENERATE");
    char *got = render(screen);
    if (generate && strcmp(generate, "1") == 0 && first_time(name)) {
        FILE *to = fopen(path, "we");
        assert_non_null(to);
        fputs(got, to);
        fclose(to);
    }
    char *expected = read_whole(path);
    bool same = strcmp(expected, got) == 0;
    if (!same) {
        fprintf(stderr, "%s differs (- expected, + drawn); GENERATE=1 writes it\n", path);
        print_difference(expected, got);
    }
    free(expected);
    free(got);
    assert_true(same);
}
