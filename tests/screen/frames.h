/* Frames of a live run, kept by event, and compared with those of its replay. */
#ifndef TECHO_TESTS_SCREEN_FRAMES_H
#define TECHO_TESTS_SCREEN_FRAMES_H

#include "harness.h"

enum { FRAMES_MAX = 2000 };

struct frames {
    char *picture[FRAMES_MAX]; /* by the last event's seq; NULL: no frame was drawn there. Owned */
    long long now[FRAMES_MAX]; /* session time that was shown */
    int count;
};

/*
 * For screen_on_frame(): keeps frames of the session alone, where nothing (a list, the prompt, a message) covers it and
 * a question was asked; before that the hints name the keys of the mode.
 */
void frames_keep(void *context, struct screen *screen);
/* Steps through the recording and compares every kept frame; frees them. */
void frames_compare(struct frames *frames, const char *recording);
/* The test fails and shows the screen when the text is not there. */
void assert_shows(struct screen *screen, const char *text);

#endif
