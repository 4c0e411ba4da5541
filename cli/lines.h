/* Events in words: what `run` and `ask` say while they work, and what `replay` prints. */
#ifndef TECHO_CLI_LINES_H
#define TECHO_CLI_LINES_H

#include "../core/core.h"

/*
 * Adds the event in words to `to`: one line, or several with newlines between. The words hold untrusted text and are
 * to be printed by print.h. `state`: after the event; NULL: unknown. False: there is nothing to say about it.
 */
bool line_of_event(const struct event *event, const struct state *state, struct buf *to);
/* Worth a line while a run goes on: denials, trimmed requests, findings that stop, ends that are not ok ... */
bool line_is_notable(const struct event *event);
/* The option to paste into a shell: -c 'CEILING,FIX'. `ceiling`: policy text; NULL or "none": `fix` alone. */
void line_fix(const char *ceiling, const char *fix, struct buf *to);
/* 84 ms, 2.1 s */
int line_time(int64_t us, struct buf *to);
/* "12 files" */
int line_count(uint64_t count, const char *one, const char *many, struct buf *to);

#endif
