/* A replay's position in time: play, step, jump. Nothing is executed. */
#ifndef TECHO_TUI_PLAYER_H
#define TECHO_TUI_PLAYER_H

#include "../core/core.h"

struct player {
    struct replay *replay; /* borrowed; NULL: no replay */
    bool playing;
    double speed;
    int64_t now;        /* session time that is shown; at least the last applied event's */
    int64_t clock_base; /* CLOCK_MONOTONIC and session time at which playing began or changed speed */
    int64_t time_base;
};

enum player_kind { PLAYER_ANY, PLAYER_PHASE, PLAYER_PERMISSION, PLAYER_DENIAL, PLAYER_MATCH };

void player_init(struct player *player, struct replay *replay, double speed, uint64_t to);
void player_play(struct player *player, bool playing);
void player_speed(struct player *player, double speed); /* kept within 0.25 ... 16 */
/* Position is a number of events, 0 ... count. */
int player_seek(struct player *player, size_t position) MUST_USE;
/* The next event of a kind in a direction (1 or -1). False when there is none: then nothing moves. */
bool player_jump(struct player *player, int direction, enum player_kind kind, const char *text);
/* "12", "40%", "01:23", "1:02:03.5". -EINVAL for anything else. */
int player_go(struct player *player, const char *where) MUST_USE;
/* Applies what is due. True when the position or the time changed. */
bool player_advance(struct player *player);
/* CLOCK_MONOTONIC at which player_advance() has something to do, or -1. */
int64_t player_deadline(const struct player *player);
/* The time of the last event. */
int64_t player_length(const struct player *player);

#endif
