/*
 * The loop: one poll over terminal, signals, the engine's descriptors and the
 * deadlines that there are. Nothing wakes it while nothing happens.
 *
 * Times in the picture are session times. `view.now` is the last event's time;
 * while a step runs and nothing is said, it goes on once a second, so that an
 * elapsed time is seen to grow. A replay at the same event and time draws the
 * same picture.
 */
#include "app.h"

#include "curses_internal.h"
#include "prompt.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POLL_MAX = 64, FRAME_US = 33333, TICK_US = 1000000, KEYS_AT_ONCE = 256 };

const struct state *app_state(const struct app *app)
{
    return app->player.replay ? replay_state(app->player.replay) : session_state(app->options->session);
}

struct picture app_picture(const struct app *app)
{
    return picture_of(app_state(app), &app->view, app->options->kase, app->executor);
}

bool app_busy(const struct app *app)
{
    return app->options->engine && engine_busy(app->options->engine);
}

enum context app_context(const struct app *app)
{
    enum overlay overlay = app->view.overlay;
    if (overlay == OVERLAY_QUIT) {
        return CONTEXT_QUIT;
    }
    if (app->layout.form == FORM_LINE) {
        return CONTEXT_SMALL;
    }
    if (dialog_is_open(app)) {
        return CONTEXT_HELD;
    }
    if (overlay == OVERLAY_QUESTIONS || overlay == OVERLAY_EXECUTORS || overlay == OVERLAY_ARTIFACTS) {
        return CONTEXT_LIST;
    }
    if (overlay == OVERLAY_KEYS || overlay == OVERLAY_WHY) {
        return CONTEXT_CARD;
    }
    return app->view.replay ? CONTEXT_REPLAY : CONTEXT_LIVE;
}

static void say_event(struct app *app, const struct event *event)
{
    if (event->kind == EVENT_NOTE || event->kind == EVENT_ERROR) {
        view_say(&app->view, "%s", event_text(event, "text", ""));
    }
}

void app_moved(struct app *app)
{
    size_t position = replay_position(app->player.replay);
    if (position > 0) {
        say_event(app, replay_event(app->player.replay, position - 1));
    }
}

void app_refused(struct app *app, int code, const struct err *err)
{
    view_say(&app->view, "%s", err->text);
    app->view.message_passes = code == -EBUSY;
}

void app_ask(struct app *app, const char *id, const char *text)
{
    const struct engine_question question = {.id = id, .text = text, .executor = app->executor};
    struct err err = {0};
    int code = engine_ask(app->options->engine, &question, &err);
    if (code) {
        app_refused(app, code, &err);
    }
}

/* A session keeps its listeners for good, and may say more after the screen is gone. */
static struct app *running;

static void on_event(void *context, const struct event *event, const struct state *state)
{
    struct app *app = running;
    (void)context, (void)state;
    if (!app) {
        return;
    }
    app->clock_offset = monotonic_us() - event->t;
    app->view.now = event->t;
    app->dirty = true;
    say_event(app, event);
}

/* ---- drawing ----------------------------------------------------------------------------------------------------- */

/* Tests wait for this instead of sleeping: bytes of input taken, jobs, frame, event, time, whether something covers the
 * picture, rows, columns. */
static void acknowledge(struct app *app)
{
    char text[128];
    bool covered = app->view.overlay != OVERLAY_NONE || dialog_is_open(app) || prompt_is_open() || app->view.message[0];
    int length = snprintf(text, sizeof text, "\033]7777;%llu;%d;%llu;%llu;%lld;%d;%d;%d\a",
                          (unsigned long long)app->input.consumed, app_busy(app) || app->player.playing,
                          (unsigned long long)app->frames, (unsigned long long)app_state(app)->last_seq,
                          (long long)app->view.now, covered, app->layout.rows, app->layout.columns);
    term_write(app->terminal, text, (size_t)length);
}

static void draw_frame(struct app *app)
{
    struct picture picture = app_picture(app);
    if (picture.question && picture.question->seq != app->view.seen_question) {
        view_reset(&app->view); /* another question: what was chosen for the last one means nothing here */
        app->view.seen_question = picture.question->seq;
        picture = app_picture(app);
    }
    if (app->player.replay) {
        app->view.now = app->player.now;
    }
    app->layout = layout_for(getmaxy(stdscr), getmaxx(stdscr), &app->view);
    draw_clear();
    layout_draw(&app->layout, &picture);
    int cursor = -1;
    if (app->layout.form != FORM_LINE) {
        overlay_draw(app);
        cursor = bar_draw(app);
    }
    curs_set(cursor >= 0);
    wmove(stdscr, app->layout.rows - 1, cursor >= 0 ? cursor : 0);
    wnoutrefresh(stdscr);
    doupdate();
    dialog_painted(app);
    app->dirty = false;
    app->frame_at = monotonic_us();
    app->frames++;
    if (app->acknowledge) {
        acknowledge(app);
    }
}

/* ---- the loop ---------------------------------------------------------------------------------------------------- */

static void on_key(struct app *app, const struct key *key)
{
    enum context context = app_context(app);
    bool always = strcmp(key->name, "^Z") == 0 || strcmp(key->name, "^L") == 0;
    bool waits = context == CONTEXT_HELD;
    if (waits && !dialog_takes_keys(app) && !always && strcmp(key->name, "^C") != 0) {
        return; /* it was meant for what was there before */
    }
    app->view.message[0] = '\0';
    if (prompt_is_open() && context != CONTEXT_SMALL && !always && (!waits || app->dialog.typing)) {
        prompt_feed(key, &app->input.paste);
        if (!prompt_is_open() && app->view.overlay == OVERLAY_PALETTE) {
            app->view.overlay = OVERLAY_NONE;
        }
        return;
    }
    const struct action *action = key->type == INPUT_PASTE ? NULL : action_for_key(context, key->name);
    if (action) {
        action->act(app, key->name);
    }
}

/* True when keys came: then the answer is drawn at once. */
static bool take_keys(struct app *app)
{
    struct key key;
    uint64_t before = app->input.consumed;
    for (int i = 0; i < KEYS_AT_ONCE && !app->quit && input_next(&app->input, monotonic_us(), &key); i++) {
        on_key(app, &key);
    }
    return app->input.consumed != before;
}

/* What was said about a run that has ended since. */
static void forget_message(struct app *app)
{
    if (app->view.message_passes && !app_busy(app)) {
        app->view.message[0] = '\0';
        app->view.message_passes = false;
        app->dirty = true;
    }
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < 0 ? b : b < 0 ? a : a < b ? a : b;
}

/* Milliseconds for poll; -1: until something happens. */
static int wait_time(const struct app *app)
{
    int64_t at = earlier(input_deadline(&app->input), player_deadline(&app->player));
    if (app->options->engine) {
        at = earlier(at, engine_deadline(app->options->engine));
    }
    at = earlier(at, dialog_deadline(app));
    if (app->dirty) {
        at = earlier(at, app->frame_at + FRAME_US);
    }
    if (app_busy(app)) {
        at = earlier(at, app->frame_at + TICK_US);
    }
    if (at < 0) {
        return -1;
    }
    int64_t left = at - monotonic_us();
    return left <= 0 ? 0 : (int)((left + 999) / 1000);
}

static void take_signals(struct app *app)
{
    unsigned came = term_signals(app->terminal, &app->signal);
    if (came & TERM_SUSPEND) {
        term_suspend(app->terminal);
    }
    if (came & TERM_CONTINUED) {
        term_resume(app->terminal);
    }
    if (came & TERM_RESIZED) {
        term_resize(app->terminal);
    }
    app->quit = app->quit || app->signal;
}

/* What the clock alone changes: a replay that plays, and the elapsed time of a silent step. */
static void take_time(struct app *app)
{
    app->dirty = player_advance(&app->player) || app->dirty;
    dialog_update(app);
    dialog_ripen(app);
    int64_t clock = monotonic_us();
    if (app_busy(app) && clock - app->frame_at >= TICK_US) {
        app->view.now = clock - app->clock_offset;
        app->dirty = true;
    }
}

static void run_once(struct app *app)
{
    struct pollfd fds[POLL_MAX] = {{.fd = term_fd(app->terminal), .events = POLLIN},
                                   {.fd = term_signal_fd(app->terminal), .events = POLLIN}};
    struct engine *engine = app->options->engine;
    size_t engine_fds = engine ? engine_poll_fds(engine, fds + 2, POLL_MAX - 2) : 0;
    bool keys = false;
    if (poll(fds, 2 + engine_fds, wait_time(app)) < 0 && errno != EINTR) {
        app->signal = SIGHUP;
    }
    if (fds[1].revents) {
        take_signals(app);
        keys = true;
    }
    if (fds[0].revents && input_read(&app->input, fds[0].fd)) {
        app->signal = SIGHUP; /* the terminal is gone */
    }
    app->quit = app->quit || app->signal;
    keys = take_keys(app) || keys;
    if (engine && !app->quit) {
        engine_dispatch(engine, fds + 2, engine_fds);
        forget_message(app);
    }
    take_time(app);
    if (!app->quit && (keys || (app->dirty && monotonic_us() - app->frame_at >= FRAME_US))) {
        draw_frame(app);
    }
}

static int start(struct app *app, struct err *err)
{
    const struct tui_options *options = app->options;
    const char *notice, *screen = options->screen;
    input_init(&app->input);
    view_init(&app->view);
    app->view.replay = options->replay != NULL;
    app->acknowledge = getenv("TECHO_TEST_ACK") != NULL;
    app->executor = strdup(options->executor ? options->executor : executor_at(0)->name);
    int status = app->executor ? theme_load(options->theme ? options->theme : "dark", &app->theme, err)
                               : err_set(err, -ENOMEM, "no memory");
    if (!status && screen && strcmp(screen, "session") != 0 && strcmp(screen, "questions") != 0) {
        status = err_set(err, -EINVAL, "there is no screen \"%.40s\": session, questions", screen);
    }
    if (!status) {
        status = term_open(&app->terminal, &notice, err);
    }
    if (status) {
        return status;
    }
    if (notice) {
        view_say(&app->view, "%s", notice);
    }
    bool colour = term_colour(app->terminal);
    if (colour) {
        theme_apply(&app->theme);
    }
    draw_init(&app->theme, term_ascii(app->terminal), colour);
    player_init(&app->player, options->replay, options->speed, options->to);
    if (!options->replay) {
        status = session_listen(options->session, on_event, NULL);
        app->view.now = app_state(app)->last_t;
    }
    bool list = !options->replay && options->kase && app_state(app)->question_count == 0;
    if (screen ? strcmp(screen, "questions") == 0 : list) {
        list_open(app, OVERLAY_QUESTIONS);
    }
    return status;
}

int tui_run(const struct tui_options *options, struct err *err)
{
    struct app *app = calloc(1, sizeof *app);
    if (!app) {
        return err_set(err, -ENOMEM, "no memory");
    }
    app->options = options;
    int status = start(app, err);
    if (!status) {
        running = app;
        draw_frame(app);
        while (!app->quit) {
            run_once(app);
        }
        status = app->signal;
    }
    running = NULL;
    if (app->terminal) {
        prompt_close();
    }
    term_close(app->terminal);
    input_done(&app->input);
    free(app->executor);
    free(app->ceiling);
    free(app);
    return status;
}
