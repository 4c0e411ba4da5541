/* Theme files: every role, readable colours, clear errors. */
#include "harness.h"

#include "../../tui/theme.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const shipped[] = {"dark"};

static void every_shipped_theme_loads(void **state)
{
    (void)state;
    struct theme theme;
    struct err err;
    setenv("TECHO_HOME", source_path("."), 1);
    for (size_t i = 0; i < sizeof shipped / sizeof *shipped; i++) {
        assert_int_equal(theme_load(shipped[i], &theme, &err), 0);
    }
}

/* Relative luminance of a colour of the 256-colour palette, as WCAG defines it. */
static double luminance(short colour)
{
    static const int steps[6] = {0, 95, 135, 175, 215, 255};
    int rgb[3];
    if (colour >= 232) {
        rgb[0] = rgb[1] = rgb[2] = 8 + 10 * (colour - 232);
    } else {
        assert_true(colour >= 16); /* the first sixteen are whatever the terminal makes them */
        int cube = colour - 16;
        rgb[0] = steps[cube / 36];
        rgb[1] = steps[cube / 6 % 6];
        rgb[2] = steps[cube % 6];
    }
    double part[3];
    for (int i = 0; i < 3; i++) {
        double c = rgb[i] / 255.0;
        part[i] = c <= 0.03928 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
    }
    return 0.2126 * part[0] + 0.7152 * part[1] + 0.0722 * part[2];
}

static void text_of_the_dark_theme_has_contrast(void **state)
{
    (void)state;
    enum { DARK_GREY = 234 }; /* a dark terminal that is not black */
    struct theme theme;
    struct err err;
    setenv("TECHO_HOME", source_path("."), 1);
    assert_int_equal(theme_load("dark", &theme, &err), 0);
    for (int role = 0; role < _ROLE_MAX; role++) {
        const struct style *style = &theme.styles[role];
        if (style->foreground < 0 || role == ROLE_FRAME) {
            continue; /* the terminal's own colour; lines are no text */
        }
        double a = luminance(style->foreground), b = luminance(style->background < 0 ? DARK_GREY : style->background);
        double contrast = (a > b ? a + 0.05 : b + 0.05) / (a > b ? b + 0.05 : a + 0.05);
        if (contrast < 4.5) {
            fail_msg("role %d has a contrast of %.2f", role, contrast);
        }
    }
}

static void what_does_not_parse_is_named_by_file_and_line(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"text = - - -\nno-such-role = 1 2 bold\n", "bad.theme:2: no such role"},
        {"text = 256 - -\n", "bad.theme:1: a colour is a number from 0 to 255, or -"},
        {"text = 1 -1 -\n", "bad.theme:1: a colour is a number"},
        {"text = 1 - blinking\n", "bad.theme:1: an attribute is bold, underline, reverse, or -"},
        {"text 1 - bold\n", "bad.theme:1: expected `role = foreground background attributes`"},
        {"text = 1\n", "bad.theme:1: expected"},
    };
    char home[] = "/tmp/techo-theme-XXXXXX", folder[64], path[96];
    assert_non_null(mkdtemp(home));
    snprintf(folder, sizeof folder, "%s/themes", home);
    snprintf(path, sizeof path, "%s/bad.theme", folder);
    assert_int_equal(mkdir(folder, 0700), 0);
    setenv("TECHO_HOME", home, 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct theme theme;
        struct err err = {0};
        FILE *file = fopen(path, "we");
        assert_non_null(file);
        fputs(cases[i].text, file);
        fclose(file);
        assert_int_equal(theme_load("bad", &theme, &err), -EINVAL);
        if (!strstr(err.text, cases[i].says)) {
            fail_msg("\"%s\" does not say \"%s\"", err.text, cases[i].says);
        }
    }
    unlink(path);
    rmdir(folder);
    rmdir(home);
}

static void a_name_that_is_no_theme_is_refused(void **state)
{
    (void)state;
    static const char *const names[] = {"no-such", "", "../themes/dark",
                                        "a-name-that-is-longer-than-any-theme-will-ever-be-named-in-its-life"};
    setenv("TECHO_HOME", source_path("."), 1);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct theme theme;
        struct err err = {0};
        assert_int_equal(theme_load(names[i], &theme, &err), -EINVAL);
        assert_non_null(strstr(err.text, "there is no theme"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_shipped_theme_loads),
        cmocka_unit_test(text_of_the_dark_theme_has_contrast),
        cmocka_unit_test(what_does_not_parse_is_named_by_file_and_line),
        cmocka_unit_test(a_name_that_is_no_theme_is_refused),
    };
    return cmocka_run_group_tests_name("themes", tests, NULL, NULL);
}
