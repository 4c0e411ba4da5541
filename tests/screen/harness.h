/*
 * A terminal for tests: the application runs on a pseudo terminal, under a
 * small job-control parent as a shell would be, and libvterm is the screen.
 * Nothing sleeps: after each frame the application says what it has taken and
 * drawn (TECHO_TEST_ACK), and the harness waits for that.
 */
#ifndef TECHO_TESTS_SCREEN_HARNESS_H
#define TECHO_TESTS_SCREEN_HARNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <termios.h>

/* cmocka wants some of these before it */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
/* clang-format on */

#include <vterm.h>

struct screen_options {
    int rows, columns;
    const char *term;   /* NULL: xterm-256color */
    const char *locale; /* NULL: C.UTF-8 */
    bool no_color;
    bool no_terminal; /* the child has no controlling terminal */
};

/* What the application said after its last frame. */
struct ack {
    unsigned long long consumed, frame, seq;
    long long now;
    int jobs, covered, rows, columns;
};

struct screen;
typedef void (*screen_frame)(void *context, struct screen *screen);

/* The child calls `run` and exits with what it returns (signal numbers as 128 + n). */
struct screen *screen_start(const struct screen_options *options, int (*run)(void *context), void *context);
/* Until all input is taken, the size is right, and nothing runs. */
void screen_wait(struct screen *screen);
/* Until all input is taken, whatever runs. */
void screen_wait_keys(struct screen *screen);
/* Until a frame after the present one holds the text. */
void screen_wait_text(struct screen *screen, const char *text);
/* Called at every acknowledged frame. */
void screen_on_frame(struct screen *screen, screen_frame each, void *context);

void screen_type(struct screen *screen, const char *bytes); /* and screen_wait() */
void screen_send(struct screen *screen, const char *bytes);
void screen_key(struct screen *screen, VTermKey key);
void screen_paste(struct screen *screen, const char *bytes);
void screen_resize(struct screen *screen, int rows, int columns);
void screen_signal(struct screen *screen, int number);

struct ack screen_ack(const struct screen *screen);
/* Row `y` as UTF-8 without trailing blanks; valid until the next call. */
const char *screen_row(const struct screen *screen, int y);
bool screen_has(const struct screen *screen, const char *text);
/* All rows, each with its newline; owned by the caller. */
char *screen_text(const struct screen *screen);
/* For svg.c. */
VTerm *screen_vterm(const struct screen *screen);
VTermScreenCell screen_cell(const struct screen *screen, int y, int x);
/* Where the text begins on the screen. */
bool screen_find(const struct screen *screen, const char *text, int *ret_y, int *ret_x);
bool screen_cursor_visible(const struct screen *screen);
int screen_cursor_column(const struct screen *screen);
/* Control strings that the terminal did not know, other than acknowledgements: none may ever come from a program. */
int screen_surprises(const struct screen *screen);
/* Whole screen, and which cells look alike, against tests/screen/golden/NAME.txt. GENERATE=1 writes it. */
void screen_golden(const struct screen *screen, const char *name);
/* The picture as SVG, for the documentation. */
void screen_svg(const struct screen *screen, FILE *to);

/* The child's end: waits for it; what waitpid() says. */
int screen_finish(struct screen *screen);
void screen_close_terminal(struct screen *screen);
bool screen_wait_stopped(struct screen *screen);
void screen_continue(struct screen *screen);
/* Line settings as the child found them, and as they are. */
void screen_settings(const struct screen *screen, struct termios *ret_before, struct termios *ret_now);
void screen_set_settings(struct screen *screen, const struct termios *settings);
bool screen_alternate(const struct screen *screen);
bool screen_pastes_bracketed(const struct screen *screen);
void screen_free(struct screen *screen);

/* Where the tests' files are. */
const char *source_path(const char *relative);

#endif
