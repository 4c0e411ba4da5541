/* The running application: what actions act on. */
#ifndef TECHO_TUI_APP_H
#define TECHO_TUI_APP_H

#include "action.h"
#include "dialog.h"
#include "input.h"
#include "layout.h"
#include "player.h"
#include "term.h"
#include "tui.h"

struct app {
    const struct tui_options *options; /* borrowed */
    struct terminal *terminal;         /* owned */
    struct theme theme;
    struct view view;
    struct dialog dialog;
    struct input input;
    struct player player;
    char *executor;               /* owned; for the next question */
    char *ceiling;                /* owned; waits for a word to be typed; NULL */
    char question[VIEW_TEXT_MAX]; /* the prompt's label meanwhile */
    uint64_t saving;              /* seq of the artifact whose folder is being typed */
    struct layout layout;
    bool quit, dirty;
    int signal;           /* that asks to leave; 0 */
    int64_t clock_offset; /* CLOCK_MONOTONIC minus session time, at the last event */
    int64_t frame_at;     /* CLOCK_MONOTONIC of the last frame */
    uint64_t frames;
    bool acknowledge; /* TECHO_TEST_ACK: say after each frame what it shows */
};

const struct state *app_state(const struct app *app);
struct picture app_picture(const struct app *app);
bool app_busy(const struct app *app);
enum context app_context(const struct app *app);
/* Says why the engine refused (a negative errno); that something runs is said no longer than it runs. */
void app_refused(struct app *app, int code, const struct err *err);
/* After any move in a replay: the picture's time, and what the last event says. */
void app_moved(struct app *app);
/* Asks a question: `id` of the case's or NULL, `text` or NULL for the case's. Errors become the message. */
void app_ask(struct app *app, const char *id, const char *text);

/* questions.c: the lists. Rows are what `l`, `x` and `o` show. */
struct list {
    const char *title;
    const char *empty;
    int count;
    void (*draw)(const struct app *app, int row, struct line *line);
    void (*choose)(struct app *app, int row);
    int (*initial)(const struct app *app);                 /* the row to start on */
    const char *(*detail)(const struct app *app, int row); /* the whole text of a row, below; NULL: none */
};
struct list list_for(const struct app *app);
/* artifacts.c: that of the shown attempt. */
struct list list_of_artifacts(const struct app *app);
void list_open(struct app *app, enum overlay overlay);

/* overlay.c */
/* A box in the middle, cleared, framed, titled. Returns its inside. */
struct region overlay_box(const struct app *app, int rows, int columns, const char *title);
void overlay_draw(const struct app *app);
/* bar.c: the bottom line. Returns the cursor's column, or -1. */
int bar_draw(const struct app *app);

#endif
