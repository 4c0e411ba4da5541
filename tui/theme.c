/*
 * Theme files: one role a line, `role = foreground background attributes`.
 * Colours are numbers of the 256-colour palette or `-`; for terminals with
 * fewer the nearest is taken, for none the attributes alone.
 */
#include "theme.h"

#include "../core/case.h"
#include "curses_internal.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THEME_LINE_MAX = 256, COLOUR_MAX = 255 };

static const char *const role_names[_ROLE_MAX] = {
#define ROLE(upper, lower) #lower,
    THEME_ROLES(ROLE)
#undef ROLE
};

static const struct {
    const char *name;
    unsigned attribute;
} attribute_names[] = {{"bold", STYLE_BOLD}, {"underline", STYLE_UNDERLINE}, {"reverse", STYLE_REVERSE}, {"-", 0}};

static int role_find(const char *name)
{
    for (int role = 0; role < _ROLE_MAX; role++) {
        if (strcmp(role_names[role], name) == 0) {
            return role;
        }
    }
    return -1;
}

static bool parse_colour(const char *word, short *ret_colour)
{
    if (strcmp(word, "-") == 0) {
        *ret_colour = -1;
        return true;
    }
    char *end;
    long value = strtol(word, &end, 10);
    if (!isdigit((unsigned char)word[0]) || *end || value > COLOUR_MAX) {
        return false;
    }
    *ret_colour = (short)value;
    return true;
}

static bool parse_attribute(const char *word, unsigned *attributes)
{
    for (size_t i = 0; i < sizeof attribute_names / sizeof *attribute_names; i++) {
        if (strcmp(attribute_names[i].name, word) == 0) {
            *attributes |= attribute_names[i].attribute;
            return true;
        }
    }
    return false;
}

/* One line; NULL, or what is wrong with it. */
static const char *parse_line(char *line, struct theme *theme)
{
    char *rest = NULL;
    char *words[8];
    size_t count = 0;
    for (char *word = strtok_r(line, " \t\n", &rest); word && count < 8; word = strtok_r(NULL, " \t\n", &rest)) {
        words[count++] = word;
    }
    if (count == 0 || words[0][0] == '#') {
        return NULL;
    }
    if (count < 4 || strcmp(words[1], "=") != 0) {
        return "expected `role = foreground background attributes`";
    }
    int role = role_find(words[0]);
    if (role < 0) {
        return "no such role";
    }
    struct style style = {0};
    if (!parse_colour(words[2], &style.foreground) || !parse_colour(words[3], &style.background)) {
        return "a colour is a number from 0 to 255, or -";
    }
    for (size_t i = 4; i < count; i++) {
        if (!parse_attribute(words[i], &style.attributes)) {
            return "an attribute is bold, underline, reverse, or -";
        }
    }
    theme->styles[role] = style;
    return NULL;
}

int theme_load(const char *name, struct theme *ret_theme, struct err *err)
{
    struct theme theme;
    for (int role = 0; role < _ROLE_MAX; role++) {
        theme.styles[role] = (struct style){-1, -1, 0};
    }
    char relative[64];
    struct buf path;
    buf_init(&path, 4096);
    int length = snprintf(relative, sizeof relative, "themes/%s.theme", name);
    bool fits = length > 0 && (size_t)length < sizeof relative && !strchr(name, '/');
    FILE *file = fits && home_path(relative, &path) == 0 ? fopen(path.data, "re") : NULL;
    if (!file) {
        buf_done(&path);
        return err_set(err, -EINVAL, "there is no theme \"%.40s\"", name);
    }
    char line[THEME_LINE_MAX];
    int status = 0;
    for (unsigned number = 1; !status && fgets(line, sizeof line, file); number++) {
        const char *wrong = parse_line(line, &theme);
        if (wrong) {
            status = err_set(err, -EINVAL, "%s:%u: %s", path.data, number, wrong);
        }
    }
    fclose(file);
    buf_done(&path);
    if (!status) {
        *ret_theme = theme;
    }
    return status;
}

/* Red, green and blue of a colour of the 256-colour palette, 0 to 255. */
static void palette(int colour, int rgb[3])
{
    static const int basic[16][3] = {{0, 0, 0},       {205, 0, 0},   {0, 205, 0},   {205, 205, 0},
                                     {0, 0, 238},     {205, 0, 205}, {0, 205, 205}, {229, 229, 229},
                                     {127, 127, 127}, {255, 0, 0},   {0, 255, 0},   {255, 255, 0},
                                     {92, 92, 255},   {255, 0, 255}, {0, 255, 255}, {255, 255, 255}};
    static const int steps[6] = {0, 95, 135, 175, 215, 255};
    if (colour < 16) {
        memcpy(rgb, basic[colour], sizeof basic[colour]);
    } else if (colour < 232) {
        int cube = colour - 16;
        rgb[0] = steps[cube / 36];
        rgb[1] = steps[cube / 6 % 6];
        rgb[2] = steps[cube % 6];
    } else {
        rgb[0] = rgb[1] = rgb[2] = 8 + 10 * (colour - 232);
    }
}

static short nearest(short colour, int colours)
{
    if (colour < colours) {
        return colour;
    }
    int want[3], have[3], best = 0;
    long best_distance = -1;
    palette(colour, want);
    for (int candidate = 0; candidate < colours && candidate < 16; candidate++) {
        palette(candidate, have);
        long distance = 0;
        for (int i = 0; i < 3; i++) {
            distance += (long)(want[i] - have[i]) * (want[i] - have[i]);
        }
        if (best_distance < 0 || distance < best_distance) {
            best_distance = distance;
            best = candidate;
        }
    }
    return (short)best;
}

void theme_apply(const struct theme *theme)
{
    start_color();
    use_default_colors();
    for (int role = 0; role < _ROLE_MAX; role++) {
        const struct style *style = &theme->styles[role];
        init_pair((short)(role + 1), nearest(style->foreground, COLORS), nearest(style->background, COLORS));
    }
}
