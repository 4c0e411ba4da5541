/* Children that replay a recording on the screen. */
#ifndef TECHO_TESTS_SCREEN_REPLAY_CHILD_H
#define TECHO_TESTS_SCREEN_REPLAY_CHILD_H

#include <stdint.h>

struct replay_child {
    const char *path;
    uint64_t to; /* event to start at; UINT64_MAX: the last */
};
/* For screen_start(): the context is a struct replay_child. */
int replay_child(void *context);

#endif
