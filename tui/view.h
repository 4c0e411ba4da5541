/*
 * What the viewer has chosen: focus, scroll, selection, attempt, overlays. A
 * picture is drawn from a session's state and this alone, so that the same
 * events, size and view give the same frame, live or replayed. Times in it are
 * the session's: `now` is the last event's time, or later while a step runs
 * and nothing is said (see app.c).
 */
#ifndef TECHO_TUI_VIEW_H
#define TECHO_TUI_VIEW_H

#include "../core/core.h"

enum pane { PANE_PERMISSIONS, PANE_PROGRAM, PANE_OUTPUT, PANE_HAPPENED, _PANE_MAX };

enum overlay {
    OVERLAY_NONE,
    OVERLAY_KEYS,
    OVERLAY_WHY,
    OVERLAY_QUESTIONS,
    OVERLAY_EXECUTORS,
    OVERLAY_ARTIFACTS,
    OVERLAY_PALETTE,
    OVERLAY_QUIT
};

enum { SCROLL_AUTOMATIC = -1, SCROLL_END = INT32_MAX, VIEW_TEXT_MAX = 256 };

struct view {
    enum pane focus;
    bool zoom;
    enum overlay overlay;
    int scroll[_PANE_MAX]; /* first row shown, or SCROLL_* */
    int selected;          /* row of the permissions, or -1: the last denied one */
    uint64_t attempt;      /* 0: the last */
    bool all;              /* What happened shows every access, not the denials alone */
    int list_row;          /* of the list overlays, and the first row of the keys */
    int64_t now;           /* session time in microseconds */
    char search[VIEW_TEXT_MAX];
    char message[ERR_TEXT_MAX]; /* for the bottom line, until the next key; may have lines (a policy error) */
    bool message_passes;        /* it is about what runs now, and goes when that has ended */
    bool replay;
    uint64_t seen_question; /* seq of the question that scroll and selection belong to */
};

void view_init(struct view *view);
/* Back to what the screen shows by itself: after a new question or another attempt. */
void view_reset(struct view *view);
void view_say(struct view *view, const char *format, ...) PRINTF_LIKE(2, 3);

/* All that a pane draws from. */
struct picture {
    const struct state *state;
    const struct view *view;
    const struct case_info *kase;          /* NULL: no case */
    const struct state_question *question; /* NULL: nothing asked yet */
    const struct state_attempt *attempt;   /* the one shown; NULL */
    const char *executor;                  /* for the next question */
};

/* Finds question and attempt. */
struct picture picture_of(const struct state *state, const struct view *view, const struct case_info *kase,
                          const char *executor);
/* The permission row that is selected, or -1: chosen by the viewer, else the last denied one. */
int picture_selected(const struct picture *picture);
/* Elapsed time of a step: to its end, or to the picture's time. */
int64_t picture_elapsed(const struct picture *picture, const struct state_phase *phase);

#endif
