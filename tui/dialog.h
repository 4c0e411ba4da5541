/* The dialog for a held permission: see dialog.c. */
#ifndef TECHO_TUI_DIALOG_H
#define TECHO_TUI_DIALOG_H

#include "../sandbox/base.h"

struct app;

struct dialog {
    uint64_t seq;       /* of the held row; 0: there is no dialog */
    int64_t painted_us; /* CLOCK_MONOTONIC of its first frame; 0: not painted yet */
    bool ripe;          /* keys count */
    bool typing;        /* the prompt belongs to it */
    int choice;         /* 0: deny */
};

/* After events: opens it, or closes it, as rows are held. */
void dialog_update(struct app *app);
bool dialog_is_open(const struct app *app);
/* A frame with it is on the screen. */
void dialog_painted(struct app *app);
/* When keys begin to count, or -1; and the moment when they do. */
int64_t dialog_deadline(const struct app *app);
void dialog_ripen(struct app *app);
bool dialog_takes_keys(const struct app *app);
void dialog_draw(const struct app *app);

#endif
