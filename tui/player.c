/* Positions and time of a replay. */
#include "player.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double speed_least = 0.25, speed_most = 16;
enum { PLAY_FRAME_US = 100000 }; /* while nothing happens, elapsed times go on in these steps */

static int64_t time_at(const struct player *player, size_t position)
{
    return position ? replay_event(player->replay, position - 1)->t : 0;
}

static void rebase(struct player *player)
{
    player->clock_base = monotonic_us();
    player->time_base = player->now;
}

void player_init(struct player *player, struct replay *replay, double speed, uint64_t to)
{
    *player = (struct player){.replay = replay, .speed = 1};
    if (replay) {
        player_speed(player, speed > 0 ? speed : 1);
        size_t count = replay_count(replay);
        if (player_seek(player, to > count ? count : (size_t)to)) {
            player->now = 0; /* without memory it stays at the start */
        }
    }
}

void player_play(struct player *player, bool playing)
{
    player->playing = playing && replay_position(player->replay) < replay_count(player->replay);
    rebase(player);
}

void player_speed(struct player *player, double speed)
{
    player->speed = speed < speed_least ? speed_least : speed > speed_most ? speed_most : speed;
    rebase(player);
}

int player_seek(struct player *player, size_t position)
{
    int status = replay_seek(player->replay, position);
    if (!status) {
        player->now = time_at(player, position);
        rebase(player);
    }
    return status;
}

static bool event_is(const struct event *event, enum player_kind kind, const char *text)
{
    switch (kind) {
    case PLAYER_PHASE:
        return event->kind == EVENT_PHASE || event->kind == EVENT_QUESTION || event->kind == EVENT_MARKER;
    case PLAYER_DENIAL:
        return event->kind == EVENT_ACCESS && strcmp(event_text(event, "verdict", ""), "denied") == 0;
    case PLAYER_PERMISSION:
        return event->kind == EVENT_PERMISSION || event->kind == EVENT_CEILING || event->kind == EVENT_DECISION ||
               event_is(event, PLAYER_DENIAL, text);
    case PLAYER_MATCH: {
        struct buf line;
        buf_init(&line, SIZE_MAX);
        bool found = event_format(event, &line) == 0 && strcasestr(line.data, text);
        buf_done(&line);
        return found;
    }
    default:
        return true;
    }
}

bool player_jump(struct player *player, int direction, enum player_kind kind, const char *text)
{
    size_t count = replay_count(player->replay), position = replay_position(player->replay);
    player->playing = false;
    if (kind == PLAYER_ANY && direction < 0 && position > 0) {
        return player_seek(player, position - 1) == 0;
    }
    /* Position n shows event n - 1 as the last one. */
    while (direction > 0 ? position < count : position > 1) {
        position = direction > 0 ? position + 1 : position - 1;
        if (event_is(replay_event(player->replay, position - 1), kind, text)) {
            return player_seek(player, position) == 0;
        }
    }
    return false;
}

/* Events whose time has come. */
static size_t position_at_time(const struct player *player, int64_t t)
{
    size_t low = 0, high = replay_count(player->replay);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (replay_event(player->replay, middle)->t <= t) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static int seek_time(struct player *player, int64_t t)
{
    int64_t most = player_length(player);
    t = t > most ? most : t;
    int status = player_seek(player, position_at_time(player, t));
    if (!status) {
        player->now = t;
        rebase(player);
    }
    return status;
}

/* [[h:]m:]s[.fraction] in microseconds; -1 when it is none. */
static int64_t parse_time(const char *text)
{
    double seconds = 0;
    for (const char *at = text;;) {
        char *end;
        if (*at < '0' || *at > '9') {
            return -1;
        }
        seconds = seconds * 60 + strtod(at, &end);
        if (*end == '\0' && seconds < 1e9) {
            return (int64_t)llround(seconds * 1e6);
        }
        if (*end != ':') {
            return -1;
        }
        at = end + 1;
    }
}

int player_go(struct player *player, const char *where)
{
    player->playing = false;
    if (strchr(where, ':')) {
        int64_t t = parse_time(where);
        return t < 0 ? -EINVAL : seek_time(player, t);
    }
    char *end;
    size_t count = replay_count(player->replay);
    unsigned long long number = strtoull(where, &end, 10);
    if (*where < '0' || *where > '9' || (*end && strcmp(end, "%") != 0)) {
        return -EINVAL;
    }
    if (*end == '%') {
        number = number > 100 ? count : (unsigned long long)(count * number / 100);
    }
    return player_seek(player, number > count ? count : (size_t)number);
}

bool player_advance(struct player *player)
{
    if (!player->playing) {
        return false;
    }
    int64_t passed = (int64_t)((double)(monotonic_us() - player->clock_base) * player->speed);
    int64_t now = player->time_base + passed, most = player_length(player);
    size_t position = position_at_time(player, now);
    if (position != replay_position(player->replay) && replay_seek(player->replay, position)) {
        player->playing = false;
        return true;
    }
    player->now = now > most ? most : now;
    player->playing = position < replay_count(player->replay);
    return true;
}

int64_t player_deadline(const struct player *player)
{
    if (!player->playing) {
        return -1;
    }
    int64_t next = replay_event(player->replay, replay_position(player->replay))->t - player->time_base;
    int64_t at = player->clock_base + (int64_t)((double)(next > 0 ? next : 0) / player->speed);
    int64_t frame = monotonic_us() + PLAY_FRAME_US;
    return at < frame ? at : frame;
}

int64_t player_length(const struct player *player)
{
    return time_at(player, replay_count(player->replay));
}
