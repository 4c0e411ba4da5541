/* Going to and fro in a saved session. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "session.h"

enum {
    SNAPSHOTS = 64,          /* states that are kept at most */
    SNAPSHOT_DISTANCE = 256, /* events between them, at least */
};

struct replay {
    struct recording recording;
    struct state *state;
    size_t position;
    size_t distance;                    /* snapshot i is the state after (i + 1) * distance events */
    struct state *snapshots[SNAPSHOTS]; /* NULL where none was made yet */
};

int replay_new(const char *path, struct replay **ret_replay, struct err *err)
{
    struct replay *replay = calloc(1, sizeof(*replay));
    if (!replay) {
        return err_errno(err, -ENOMEM, "a replay");
    }
    int r = recording_read(path, &replay->recording, err);
    if (r == 0 && !(replay->state = state_new())) {
        r = err_errno(err, -ENOMEM, "a replay");
    }
    if (r < 0) {
        replay_free(replay);
        return r;
    }
    size_t spread = replay->recording.count / SNAPSHOTS + 1;
    replay->distance = spread > SNAPSHOT_DISTANCE ? spread : SNAPSHOT_DISTANCE;
    *ret_replay = replay;
    return 0;
}

void replay_free(struct replay *replay)
{
    if (replay) {
        for (size_t i = 0; i < SNAPSHOTS; i++) {
            state_free(replay->snapshots[i]);
        }
        state_free(replay->state);
        recording_done(&replay->recording);
        free(replay);
    }
}

size_t replay_count(const struct replay *replay)
{
    return replay->recording.count;
}

size_t replay_position(const struct replay *replay)
{
    return replay->position;
}

const struct event *replay_event(const struct replay *replay, size_t index)
{
    return index < replay->recording.count ? replay->recording.events[index] : NULL;
}

const struct state *replay_state(const struct replay *replay)
{
    return replay->state;
}

bool replay_torn(const struct replay *replay)
{
    return replay->recording.torn;
}

/* Takes `state` as the one at `position`. */
static void adopt(struct replay *replay, struct state *state, size_t position)
{
    state_free(replay->state);
    replay->state = state;
    replay->position = position;
}

/* Starts from the nearest snapshot at or before `position`, or from nothing. */
static int restore(struct replay *replay, size_t position)
{
    for (size_t i = position / replay->distance; i > 0; i--) {
        const struct state *snapshot = i <= SNAPSHOTS ? replay->snapshots[i - 1] : NULL;
        if (snapshot) {
            struct state *copy = state_copy(snapshot);
            if (copy) {
                adopt(replay, copy, i * replay->distance);
            }
            return copy ? 0 : -ENOMEM;
        }
    }
    struct state *fresh = state_new();
    if (fresh) {
        adopt(replay, fresh, 0);
    }
    return fresh ? 0 : -ENOMEM;
}

/* A snapshot that cannot be made only makes later seeking slower. */
static void keep_snapshot(struct replay *replay)
{
    size_t number = replay->position / replay->distance;
    if (replay->position % replay->distance == 0 && number >= 1 && number <= SNAPSHOTS &&
        !replay->snapshots[number - 1]) {
        replay->snapshots[number - 1] = state_copy(replay->state);
    }
}

/* The last snapshot at or before `position` lies after where the replay stands. */
static bool snapshot_is_nearer(const struct replay *replay, size_t position)
{
    for (size_t i = position / replay->distance; i * replay->distance > replay->position; i--) {
        if (i <= SNAPSHOTS && replay->snapshots[i - 1]) {
            return true;
        }
    }
    return false;
}

int replay_seek(struct replay *replay, size_t position)
{
    position = position < replay->recording.count ? position : replay->recording.count;
    if (position < replay->position || snapshot_is_nearer(replay, position)) {
        int r = restore(replay, position);
        if (r < 0) {
            return r;
        }
    }
    while (replay->position < position) {
        int r = state_apply(replay->state, replay->recording.events[replay->position]);
        if (r < 0) { /* a state with half an event in it is of no use */
            struct state *fresh = state_new();
            if (fresh) {
                adopt(replay, fresh, 0);
            }
            return r;
        }
        replay->position++;
        keep_snapshot(replay);
    }
    return 0;
}
