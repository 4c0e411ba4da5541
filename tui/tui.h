/*
 * The ncurses application: a picture of a session's state, and keys. The only
 * folder that includes curses or readline; cli/main.c alone includes this.
 */
#ifndef TECHO_TUI_H
#define TECHO_TUI_H

#include "../core/core.h"

struct tui_options {
    /* Live: both; in a replay both NULL. Borrowed. */
    struct engine *engine;
    struct session *session;
    const struct case_info *kase; /* borrowed; NULL without a case */
    struct replay *replay;        /* borrowed; NULL when live */
    const char *theme;            /* NULL: dark */
    const char *screen;   /* --screen NAME; NULL: the session screen (the question list when nothing was asked) */
    const char *executor; /* "python@sandbox" */
    double speed;         /* of a replay */
    uint64_t to;          /* replay: the event to start at; 0: the first, paused */
};

/*
 * Runs until the user quits; the terminal is restored on every way out. 0, or
 * the number of the signal that asked to leave (SIGHUP too when the terminal
 * went away): the caller then cleans up and exits with 128 + it.
 * -ENOTTY without a terminal, -EINVAL for an unknown TERM or theme.
 */
int tui_run(const struct tui_options *options, struct err *err) MUST_USE;

#endif
