/*
 * The dialog for what a program touches and a person must decide on. It comes
 * by itself, over whatever is shown; so no key counts until it has been on the
 * screen for a while, what was typed before it is thrown away, and the choice
 * that stands is no.
 */
#include "dialog.h"

#include "act_internal.h"
#include "app.h"
#include "prompt.h"

#include <string.h>

enum { GRACE_US = 400000, BOX_COLUMNS = 70, BOX_ROWS = 8 };

static const struct {
    enum engine_choice choice;
    const char *label, *meaning;
} choices[] = {
    {CHOICE_DENY, "deny", "not this time"},
    {CHOICE_ONCE, "once", "yes, for this run"},
    {CHOICE_SESSION, "session", "yes, for every run of this session"},
    {CHOICE_NEVER, "never", "no, and do not ask again in this session"},
};
enum { CHOICES = sizeof choices / sizeof *choices };

/* The first row that waits. A row of the ceiling's own `?` waits for nothing. */
static const struct state_permission *find_held(const struct app *app)
{
    const struct state_question *question = app->view.replay ? NULL : app_state(app)->current;
    const struct state_attempt *attempt = question ? state_last_attempt(question) : NULL;
    for (size_t i = 0; attempt && i < attempt->permission_count; i++) {
        const struct state_permission *row = &attempt->permissions[i];
        if (row->state && strcmp(row->state, "held") == 0 && row->origin && strcmp(row->origin, "tried") == 0) {
            return row;
        }
    }
    return NULL;
}

bool dialog_is_open(const struct app *app)
{
    return app->dialog.seq != 0;
}

void dialog_update(struct app *app)
{
    const struct state_permission *row = find_held(app);
    uint64_t seq = row ? row->seq : 0;
    if (seq != app->dialog.seq) {
        if (app->dialog.typing) {
            prompt_close(); /* the word was for a question that waits no more */
        }
        app->dialog = (struct dialog){.seq = seq};
        app->dirty = true;
    }
}

/* Do keys count? */
static bool is_ripe(const struct app *app)
{
    return app->dialog.painted_us && monotonic_us() - app->dialog.painted_us >= GRACE_US;
}

int64_t dialog_deadline(const struct app *app)
{
    return dialog_is_open(app) && app->dialog.painted_us && !app->dialog.ripe ? app->dialog.painted_us + GRACE_US : -1;
}

void dialog_ripen(struct app *app)
{
    if (dialog_is_open(app) && !app->dialog.ripe && is_ripe(app)) {
        app->dialog.ripe = app->dirty = true;
    }
}

bool dialog_takes_keys(const struct app *app)
{
    return app->dialog.ripe;
}

void dialog_painted(struct app *app)
{
    if (dialog_is_open(app) && !app->dialog.painted_us) {
        app->dialog.painted_us = monotonic_us();
    }
}

/* ---- drawing ----------------------------------------------------------------------------------------------------- */

static void draw_choices(const struct app *app, struct region inside, int row)
{
    struct line line = line_at(inside, row);
    line_text(&line, ROLE_TEXT, " ");
    for (int i = 0; i < CHOICES; i++) {
        bool here = i == app->dialog.choice;
        line_format(&line, here ? ROLE_SELECTION : ROLE_TEXT, here ? "[%s]" : " %s ", choices[i].label);
        line_text(&line, ROLE_TEXT, " ");
    }
    line = line_at(inside, row + 1);
    line_format(&line, ROLE_LABEL, " %s", choices[app->dialog.choice].meaning);
}

void dialog_draw(const struct app *app)
{
    const struct state_permission *row = find_held(app);
    if (!row) {
        return;
    }
    struct untrusted scope = untrusted_text(row->scope ? row->scope : ""),
                     why = untrusted_text(row->why ? row->why : "");
    int width = BOX_COLUMNS < app->layout.columns - 4 ? BOX_COLUMNS : app->layout.columns - 4;
    int most = app->layout.rows > BOX_ROWS + 2 ? app->layout.rows - BOX_ROWS : 1;
    int rows = wrapped_rows(width - 2, most, scope) + wrapped_rows(width - 2, most, why);
    struct region inside = overlay_box(app, rows + 5, width, "The program asks");
    struct region text = {inside.y, inside.x + 1, inside.h, inside.w - 2};
    struct line line = line_at(inside, 0);
    bool host = row->name && strcmp(row->name, "net") == 0;
    line_format(&line, ROLE_WARNING, " May it %s? It is not granted, and the run waits.",
                host ? "connect to this host" : "read this file");
    int at = 1 + draw_wrapped(text, 1, 0, ROLE_STRONG, scope);
    at += draw_wrapped(text, at, 0, ROLE_LABEL, why);
    draw_choices(app, inside, at);
    line = line_at(inside, at + 3);
    line_text(&line, ROLE_DIM, app->dialog.ripe ? " arrows or d o s n choose, Enter decides; Esc denies" : " ...");
}

/* ---- keys -------------------------------------------------------------------------------------------------------- */

static void decide(struct app *app, enum engine_choice choice)
{
    const struct state_permission *row = find_held(app);
    struct err err = {0};
    if (row && engine_decide(app->options->engine, row->id, choice, &err)) {
        view_say(&app->view, "%s", err.text);
    }
    dialog_update(app);
}

void act_choice(struct app *app, const char *key)
{
    int choice = app->dialog.choice;
    if (strcmp(key, "Left") == 0 || strcmp(key, "Up") == 0 || strcmp(key, "S-Tab") == 0) {
        choice += CHOICES - 1;
    } else if (strcmp(key, "Right") == 0 || strcmp(key, "Down") == 0 || strcmp(key, "Tab") == 0) {
        choice++;
    } else {
        for (int i = 0; i < CHOICES; i++) {
            choice = choices[i].label[0] == key[0] ? i : choice;
        }
    }
    app->dialog.choice = choice % CHOICES;
}

/* What holds for more than this run takes a word, and not a key that was pressed once too often. */
static bool submit_session(void *context, const char *text)
{
    struct app *app = context;
    app->dialog.typing = false;
    if (strcmp(text, "session") == 0) {
        decide(app, CHOICE_SESSION);
    } else {
        view_say(&app->view, "the word was not typed: nothing is decided yet");
    }
    return true;
}

void act_decide(struct app *app, const char *key)
{
    (void)key;
    if (choices[app->dialog.choice].choice == CHOICE_SESSION) {
        app->dialog.typing = true;
        prompt_close();
        prompt_open(&(struct prompt_options){
            .label = "For the whole session? Type session:", .submit = submit_session, .context = app});
        return;
    }
    decide(app, choices[app->dialog.choice].choice);
}

void act_deny(struct app *app, const char *key)
{
    (void)key;
    decide(app, CHOICE_DENY);
}
