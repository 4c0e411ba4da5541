/*
 * The terminal: takes it over and gives it back on every way out. Input is
 * read by input.c and decoded with the terminal's own key sequences; curses
 * only draws.
 */
#ifndef TECHO_TUI_TERM_H
#define TECHO_TUI_TERM_H

#include "../sandbox/base.h"

#include <signal.h>

struct terminal;

/*
 * Opens /dev/tty, starts curses, takes the signals. -ENOTTY without a
 * terminal, -EINVAL for a TERM that curses does not know. *ret_notice is a
 * line for people (static), or NULL.
 */
int term_open(struct terminal **ret_term, const char **ret_notice, struct err *err) MUST_USE;
/* Gives the terminal back; prints what libraries wrote on standard error meanwhile. Accepts NULL. */
void term_close(struct terminal *term);

int term_fd(const struct terminal *term);        /* of the terminal: read it when poll says so */
int term_signal_fd(const struct terminal *term); /* readable when a signal came */
bool term_ascii(const struct terminal *term);    /* the locale cannot show UTF-8 */
bool term_colour(const struct terminal *term);   /* false: mono terminal, or NO_COLOR */

enum { TERM_RESIZED = 1, TERM_SUSPEND = 2, TERM_CONTINUED = 4 };
/* What came since the last call: a set of TERM_*; *ret_signal becomes the one that asks to leave, or stays. */
unsigned term_signals(struct terminal *term, int *ret_signal);
/* Takes the terminal's size over. */
void term_resize(struct terminal *term);
/* Gives the terminal back, stops this process, and takes it over again when continued. */
void term_suspend(struct terminal *term);
/* After SIGCONT: whoever had the terminal meanwhile may have changed its settings. */
void term_resume(struct terminal *term);
/* Bytes straight to the terminal, after a frame. */
void term_write(struct terminal *term, const void *bytes, size_t len);

#endif
