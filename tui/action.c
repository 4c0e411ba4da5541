/* The table of actions, and what the small ones do; scrolling is in scroll.c, prompts in ask.c. */
#include "action.h"

#include "act_internal.h"
#include "app.h"
#include "prompt.h"

#include <string.h>

static void act_redraw(struct app *app, const char *key)
{
    (void)key;
    term_resize(app->terminal);
}

static void act_suspend(struct app *app, const char *key)
{
    (void)key;
    term_suspend(app->terminal);
}

static void act_quit(struct app *app, const char *key)
{
    (void)key;
    if (app_busy(app)) {
        app->view.overlay = OVERLAY_QUIT;
    } else {
        app->quit = true;
    }
}

static void act_really_quit(struct app *app, const char *key)
{
    (void)key;
    app->quit = true;
}

static void act_stop(struct app *app, const char *key)
{
    (void)key;
    if (app->view.replay) {
        player_play(&app->player, false);
    } else if (app_busy(app)) {
        engine_cancel(app->options->engine);
    } else {
        view_say(&app->view, "nothing runs; q quits");
    }
}

static void act_close(struct app *app, const char *key)
{
    (void)key;
    app->view.overlay = OVERLAY_NONE;
}

static void act_keys(struct app *app, const char *key)
{
    (void)key;
    app->view.overlay = OVERLAY_KEYS;
    app->view.list_row = 0;
}

static void act_why(struct app *app, const char *key)
{
    (void)key;
    app->view.overlay = app->view.overlay == OVERLAY_WHY ? OVERLAY_NONE : OVERLAY_WHY;
}

static void act_questions(struct app *app, const char *key)
{
    (void)key;
    list_open(app, OVERLAY_QUESTIONS);
}

static void act_executor(struct app *app, const char *key)
{
    (void)key;
    list_open(app, OVERLAY_EXECUTORS);
}

static void act_artifacts(struct app *app, const char *key)
{
    (void)key;
    list_open(app, OVERLAY_ARTIFACTS);
}

static void act_choose(struct app *app, const char *key)
{
    (void)key;
    struct list list = list_for(app);
    if (app->view.list_row < list.count) {
        list.choose(app, app->view.list_row);
    }
}

static void act_again(struct app *app, const char *key)
{
    (void)key;
    struct err err = {0};
    const struct state_question *question = app_state(app)->current;
    const struct state_attempt *attempt = question ? state_last_attempt(question) : NULL;
    bool blocked = attempt && attempt->exit.status && strcmp(attempt->exit.status, "blocked") == 0;
    int code = engine_again(app->options->engine, blocked, &err);
    if (code) {
        app_refused(app, code, &err);
    }
}

static void act_zoom(struct app *app, const char *key)
{
    (void)key;
    app->view.zoom = !app->view.zoom;
}

static void act_focus(struct app *app, const char *key)
{
    int pane = app->view.focus;
    if (strcmp(key, "Tab") == 0) {
        pane++;
    } else if (strcmp(key, "S-Tab") == 0) {
        pane += _PANE_MAX - 1;
    } else {
        pane = key[0] - '1';
    }
    app->view.focus = (enum pane)(pane % _PANE_MAX);
}

static void act_open(struct app *app, const char *key)
{
    if (app->view.focus == PANE_PERMISSIONS) {
        act_why(app, key);
    } else if (app->view.focus == PANE_HAPPENED) {
        app->view.all = !app->view.all;
        app->view.scroll[PANE_HAPPENED] = SCROLL_AUTOMATIC;
    } else {
        act_zoom(app, key);
    }
}

static void act_back(struct app *app, const char *key)
{
    (void)key;
    app->view.zoom = false;
    app->view.search[0] = '\0';
    uint64_t seen = app->view.attempt;
    view_reset(&app->view);
    app->view.attempt = seen;
}

/* ---- a replay ---------------------------------------------------------------------------------------------------- */

static void act_play(struct app *app, const char *key)
{
    (void)key;
    struct player *player = &app->player;
    bool at_end = replay_position(player->replay) == replay_count(player->replay);
    if (at_end && !player->playing && player_seek(player, 0)) {
        return;
    }
    player_play(player, !player->playing);
}

static void act_jump(struct app *app, const char *key)
{
    static const struct {
        const char *key;
        int direction;
        enum player_kind kind;
        const char *none;
    } jumps[] = {
        {".", 1, PLAYER_ANY, "this is the last event"},
        {",", -1, PLAYER_ANY, "this is the start"},
        {"]", 1, PLAYER_PHASE, "no further step"},
        {"[", -1, PLAYER_PHASE, "no earlier step"},
        {"}", 1, PLAYER_PERMISSION, "no further permission event"},
        {"{", -1, PLAYER_PERMISSION, "no earlier permission event"},
        {"!", 1, PLAYER_DENIAL, "no further denial"},
        {">", 1, PLAYER_MATCH, "no further match"},
        {"<", -1, PLAYER_MATCH, "no earlier match"},
    };
    for (size_t i = 0; i < sizeof jumps / sizeof *jumps; i++) {
        if (strcmp(jumps[i].key, key) == 0) {
            if (jumps[i].kind == PLAYER_MATCH && !app->view.search[0]) {
                view_say(&app->view, "/ searches first");
            } else if (!player_jump(&app->player, jumps[i].direction, jumps[i].kind, app->view.search)) {
                view_say(&app->view, "%s", jumps[i].none);
            } else {
                app_moved(app);
            }
        }
    }
}

static void act_ends(struct app *app, const char *key)
{
    app->player.playing = false;
    if (player_seek(&app->player, key[0] == 'g' ? 0 : replay_count(app->player.replay)) == 0) {
        app_moved(app);
    }
}

static void act_speed(struct app *app, const char *key)
{
    struct player *player = &app->player;
    player_speed(player, key[0] == '=' ? 1 : player->speed * (key[0] == '+' ? 2 : 0.5));
}

/* The bottom line shows labels in this order; the last two labels of a context are always shown. */
static const struct action actions[] = {
    {"ask", "a", NULL, "ask", "ask a question, in any language", CONTEXT_LIVE, act_ask},
    {"run", "r", NULL, "run", "run the program again, a blocked one too", CONTEXT_LIVE, act_again},
    {"executor", "x", NULL, "executor", "where the next question's program runs", CONTEXT_LIVE, act_executor},
    {"ceiling", "c", NULL, "ceiling", "the most that programs may get", CONTEXT_LIVE, act_ceiling},
    {"play", "Space", NULL, "play", "play, or pause", CONTEXT_REPLAY, act_play},
    {"step", ". ,", NULL, "step", "the next event, the one before", CONTEXT_REPLAY, act_jump},
    {"phase", "] [", NULL, "phase", "the next step of the pipeline, the one before", CONTEXT_REPLAY, act_jump},
    {"permission", "} {", NULL, NULL, "the next permission event, the one before", CONTEXT_REPLAY, act_jump},
    {"denial", "!", NULL, "denial", "the next refused access", CONTEXT_REPLAY, act_jump},
    {"match", "> <", NULL, NULL, "the next event that / finds, the one before", CONTEXT_REPLAY, act_jump},
    {"ends", "g G", NULL, NULL, "the first event, the last", CONTEXT_REPLAY, act_ends},
    {"speed", "+ - =", NULL, NULL, "twice as fast, half as fast, as it was", CONTEXT_REPLAY, act_speed},
    {"why", "w", NULL, "why", "why a row was refused; the layers in force", CONTEXT_SCREEN, act_why},
    {"questions", "l", NULL, "questions", "the list of questions", CONTEXT_SCREEN, act_questions},
    {"artifacts", "o", NULL, NULL, "save a file that the program left in ./out", CONTEXT_SCREEN, act_artifacts},
    {"zoom", "z", NULL, "zoom", "the focused pane alone, or all again", CONTEXT_SCREEN, act_zoom},
    {"attempt", "Left Right", NULL, NULL, "the attempt before, the next", CONTEXT_SCREEN, act_attempt},
    {"scroll", "Up Down PgUp PgDn Home End", "arrows PgUp", NULL, "scroll; in Permissions choose a row", CONTEXT_SCREEN,
     act_scroll},
    {"focus", "Tab S-Tab 1 2 3 4", "Tab 1-4", NULL, "the pane that keys act on", CONTEXT_SCREEN, act_focus},
    {"open", "Enter", NULL, NULL, "the why card, all accesses, or the pane alone", CONTEXT_SCREEN, act_open},
    {"search", "/", NULL, NULL, "search in the focused pane; empty: again", CONTEXT_SCREEN, act_search},
    {"palette", ":", NULL, NULL, "an action by name; in a replay :12 :40% :1:23", CONTEXT_SCREEN, act_palette},
    {"stop", "^C", "Ctrl-C", NULL, "stop what runs; in a replay pause", CONTEXT_SCREEN, act_stop},
    {"redraw", "^L", "Ctrl-L", NULL, "draw everything again",
     CONTEXT_SCREEN | CONTEXT_LIST | CONTEXT_CARD | CONTEXT_HELD, act_redraw},
    {"suspend", "^Z", "Ctrl-Z", NULL, "back to the shell; fg returns",
     CONTEXT_SCREEN | CONTEXT_LIST | CONTEXT_CARD | CONTEXT_HELD, act_suspend},
    {"back", "Esc", NULL, NULL, "leave zoom, scrolling and search", CONTEXT_SCREEN, act_back},
    {"choice", "Left Right Up Down Tab S-Tab d o s n", "arrows d o s n", "choose", "choose an answer", CONTEXT_HELD,
     act_choice},
    {"decide", "Enter", NULL, "decide", "answer the program's question", CONTEXT_HELD, act_decide},
    {"deny", "Esc", NULL, "deny", "refuse what the program asks for", CONTEXT_HELD, act_deny},
    {"choose", "Enter", NULL, "choose", "take this one", CONTEXT_LIST, act_choose},
    {"move", "Up Down PgUp PgDn Home End", "arrows", NULL, "move", CONTEXT_LIST | CONTEXT_CARD, act_move},
    {"stop-here", "^C", "Ctrl-C", NULL, "stop what runs", CONTEXT_LIST | CONTEXT_CARD | CONTEXT_QUIT | CONTEXT_HELD,
     act_stop},
    {"quit-now", "y", NULL, "quit", "end it and quit", CONTEXT_QUIT, act_really_quit},
    {"close", "Esc w ? q", "Esc", "close", "back", CONTEXT_CARD, act_close},
    {"close-list", "Esc l x o", "Esc", "close", "back", CONTEXT_LIST, act_close},
    {"stay", "Esc n q", "Esc", "stay", "back", CONTEXT_QUIT, act_close},
    {"keys", "?", NULL, "keys", "this list", CONTEXT_SCREEN, act_keys},
    {"quit", "q", NULL, "quit", "quit; asks only while something runs", CONTEXT_SCREEN | CONTEXT_LIST | CONTEXT_SMALL,
     act_quit},
};
enum { ACTIONS = sizeof actions / sizeof *actions };

const struct action *action_at(size_t index)
{
    return index < ACTIONS ? &actions[index] : NULL;
}

static bool has_key(const char *keys, const char *key)
{
    size_t len = strlen(key);
    for (const char *at = keys; len > 0 && *at;) {
        size_t word = strcspn(at, " ");
        if (word == len && strncmp(at, key, len) == 0) {
            return true;
        }
        at += word + (at[word] == ' ');
    }
    return false;
}

const struct action *action_for_key(unsigned context, const char *key)
{
    for (size_t i = 0; i < ACTIONS; i++) {
        if ((actions[i].contexts & context) && has_key(actions[i].keys, key)) {
            return &actions[i];
        }
    }
    return NULL;
}

const struct action *action_for_id(unsigned context, const char *id)
{
    for (size_t i = 0; i < ACTIONS; i++) {
        if ((actions[i].contexts & context) && strcmp(actions[i].id, id) == 0) {
            return &actions[i];
        }
    }
    return NULL;
}

const char *action_keys(const struct action *action)
{
    return action->shown ? action->shown : action->keys;
}
