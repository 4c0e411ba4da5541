/* Themes: code names roles, a theme file says what a role looks like. */
#ifndef TECHO_TUI_THEME_H
#define TECHO_TUI_THEME_H

#include "../sandbox/base.h"

/* Every role also has a glyph or a word on the screen, so that none depends on colour. */
#define THEME_ROLES(ROLE)                                                                                              \
    ROLE(TEXT, text)                                                                                                   \
    ROLE(STRONG, strong)                                                                                               \
    ROLE(DIM, dim)                                                                                                     \
    ROLE(FRAME, frame)                                                                                                 \
    ROLE(FOCUS, focus)                                                                                                 \
    ROLE(TITLE, title)                                                                                                 \
    ROLE(LABEL, label)                                                                                                 \
    ROLE(KEY, key)                                                                                                     \
    ROLE(BADGE, badge)                                                                                                 \
    ROLE(MESSAGE, message)                                                                                             \
    ROLE(SELECTION, selection)                                                                                         \
    ROLE(GRANTED, granted)                                                                                             \
    ROLE(TRIMMED, trimmed)                                                                                             \
    ROLE(DENIED, denied)                                                                                               \
    ROLE(WARNING, warning)                                                                                             \
    ROLE(RUNNING, running)                                                                                             \
    ROLE(RIGHT, right)                                                                                                 \
    ROLE(WRONG, wrong)                                                                                                 \
    ROLE(COMMENT, comment)                                                                                             \
    ROLE(ERRORS, errors)                                                                                               \
    ROLE(NEUTRALISED, neutralised)                                                                                     \
    ROLE(MATCH, match)

enum role {
#define ROLE(upper, lower) ROLE_##upper,
    THEME_ROLES(ROLE)
#undef ROLE
        _ROLE_MAX
};

struct style {
    short foreground, background; /* -1: the terminal's own */
    unsigned attributes;          /* set of STYLE_* */
};
enum { STYLE_BOLD = 1, STYLE_UNDERLINE = 2, STYLE_REVERSE = 4 };

struct theme {
    struct style styles[_ROLE_MAX];
};

/* NAME of a shipped theme (themes/NAME.theme). -EINVAL with file and line for one that does not parse. */
int theme_load(const char *name, struct theme *ret_theme, struct err *err) MUST_USE;
/* Registers the theme's colours, as near as this terminal has them. Curses runs, and the terminal has colours. */
void theme_apply(const struct theme *theme);

#endif
