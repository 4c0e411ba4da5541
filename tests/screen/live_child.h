/* Children that run the screen live, over an engine that says what a recording says. */
#ifndef TECHO_TESTS_SCREEN_LIVE_CHILD_H
#define TECHO_TESTS_SCREEN_LIVE_CHILD_H

struct live_child {
    const char *recording; /* what the engine says when it is asked */
    const char *log;       /* where the session is written; NULL: nowhere */
    const char *output;    /* instead: what the program prints, without end until it is stopped or SIGURG comes */
    const char *case_name; /* NULL: no case */
    const char *complain;  /* what a library writes on standard error when a question is asked; NULL */
};
int live_child(void *context);

#endif
