/* Replays a recording on the screen. */
#include "replay_child.h"

#include "../../tui/tui.h"

#include <stdio.h>

int replay_child(void *context)
{
    const struct replay_child *child = context;
    struct err err = {0};
    struct replay *replay = NULL;
    if (replay_new(child->path, &replay, &err)) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    int status = tui_run(&(struct tui_options){.replay = replay, .to = child->to, .speed = 1}, &err);
    replay_free(replay);
    if (status < 0) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    return status ? 128 + status : 0;
}
