/* Actions that ask for a line of text: a question, a ceiling, a search, a name or position. */
#include "act_internal.h"
#include "app.h"
#include "pane.h"
#include "prompt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { SCOPE_MAX = 64 * 1024 };

/* The case's question of this text, letters of either case: then its answer is known. */
static const char *question_id(const struct case_info *kase, const char *text)
{
    for (size_t i = 0; kase && i < kase->question_count; i++) {
        if (strcasecmp(kase->questions[i].text, text) == 0 || strcmp(kase->questions[i].id, text) == 0) {
            return kase->questions[i].id;
        }
    }
    return NULL;
}

static bool submit_question(void *context, const char *text)
{
    struct app *app = context;
    text += strspn(text, " \t");
    if (*text) {
        const char *id = question_id(app->options->kase, text);
        app_ask(app, id, id ? NULL : text);
    }
    return true;
}

void act_ask(struct app *app, const char *key)
{
    (void)key;
    prompt_open(&(struct prompt_options){.label = "Ask:", .submit = submit_question, .context = app});
}

static bool set_ceiling(struct app *app, const char *text)
{
    struct err err = {0};
    int code = engine_set_ceiling(app->options->engine, text, "person", &err);
    if (code) {
        app_refused(app, code, &err);
    } else {
        view_say(&app->view, "the ceiling holds from the next run on: r runs again");
    }
    return code == 0;
}

/* Names of files that hold keys more often than not. */
static bool names_secret(const char *scope)
{
    static const char *const words[] = {"/.env",  "/.ssh", "/.aws", "/.gnupg", "/.netrc",
                                        "/.kube", ".pem",  ".key",  "id_rsa",  "id_ed25519"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strstr(scope, words[i])) {
            return true;
        }
    }
    return false;
}

/* Secrets, and files outside of the session's folder: not by a slip of the finger. */
static bool is_grave(const struct app *app, const struct policy_item *item)
{
    bool file = item->permission == PERMISSION_FILE || item->permission == PERMISSION_FILE_READ ||
                item->permission == PERMISSION_FILE_WRITE;
    if (item->ask) {
        return false; /* each file is asked for */
    }
    if (!file || !item->scope) {
        return file || item->permission == PERMISSION_SECRET;
    }
    const char *root = app_state(app)->root ? app_state(app)->root : "/", *home = getenv("HOME");
    struct buf path;
    buf_init(&path, SCOPE_MAX);
    bool known = scope_absolute(item->scope, root, home ? home : "/", &path) == 0;
    size_t length = strlen(root);
    bool inside = known && strncmp(path.data, root, length) == 0 && (path.data[length] == '/' || !path.data[length]);
    bool grave = !inside || names_secret(path.data);
    buf_done(&path);
    return grave;
}

static bool has_item(const struct policy *policy, const char *text)
{
    for (size_t i = 0; i < policy->count; i++) {
        if (strcmp(policy->items[i].text, text) == 0) {
            return true;
        }
    }
    return false;
}

/* Puts the first grave item that the present ceiling lacks into app->question. */
static bool asks_for_grave(struct app *app, const char *text)
{
    struct policy wanted, present;
    struct err err;
    bool found = false;
    if (policy_parse(text, &wanted, &err)) {
        return false; /* the engine says what is wrong with it */
    }
    bool parsed = policy_parse(engine_ceiling(app->options->engine), &present, &err) == 0;
    for (size_t i = 0; i < wanted.count && !found; i++) {
        const struct policy_item *item = &wanted.items[i];
        if (is_grave(app, item) && !(parsed && has_item(&present, item->text))) {
            snprintf(app->question, sizeof app->question, "Type \"allow\" to let programs have %.60s:", item->text);
            found = true;
        }
    }
    policy_done(&wanted);
    if (parsed) {
        policy_done(&present);
    }
    return found;
}

static bool submit_allow(void *context, const char *text)
{
    struct app *app = context;
    if (strcmp(text, "allow") == 0) {
        return set_ceiling(app, app->ceiling);
    }
    view_say(&app->view, "the ceiling stays as it was");
    return true;
}

static bool submit_ceiling(void *context, const char *text)
{
    struct app *app = context;
    if (asks_for_grave(app, text)) {
        free(app->ceiling);
        app->ceiling = strdup(text);
        if (app->ceiling) {
            prompt_open(&(struct prompt_options){.label = app->question, .submit = submit_allow, .context = app});
        }
        return true;
    }
    return set_ceiling(app, text);
}

void act_ceiling(struct app *app, const char *key)
{
    (void)key;
    prompt_open(&(struct prompt_options){
        .label = "Ceiling:", .text = engine_ceiling(app->options->engine), .submit = submit_ceiling, .context = app});
}

static bool submit_search(void *context, const char *text)
{
    struct app *app = context;
    struct view *view = &app->view;
    enum pane pane = view->focus;
    if (*text) {
        snprintf(view->search, sizeof view->search, "%s", text);
    }
    if (!view->search[0]) {
        return true;
    }
    struct picture picture = app_picture(app);
    const struct pane_kind *kind = pane_kind(pane);
    int here = pane == PANE_PERMISSIONS ? picture_selected(&picture) : view->scroll[pane];
    int row = *text || here < 0 ? kind->find(&picture, view->search, 0) : kind->find(&picture, view->search, here + 1);
    if (row < 0) {
        row = kind->find(&picture, view->search, 0); /* from the top again */
    }
    if (row < 0) {
        view_say(view, "not found in %s: %s", kind->name, view->search);
    } else if (pane == PANE_PERMISSIONS) {
        view->selected = row;
    } else {
        view->scroll[pane] = row;
    }
    return true;
}

void act_search(struct app *app, const char *key)
{
    (void)key;
    prompt_open(&(struct prompt_options){.label = "/", .submit = submit_search, .context = app});
}

static bool submit_palette(void *context, const char *text)
{
    struct app *app = context;
    unsigned screen = app->view.replay ? CONTEXT_REPLAY : CONTEXT_LIVE;
    app->view.overlay = OVERLAY_NONE;
    char id[VIEW_TEXT_MAX];
    snprintf(id, sizeof id, "%.*s", (int)strcspn(text, " "), text);
    const struct action *action = action_for_id(screen, id);
    if (action) {
        char first[INPUT_NAME_MAX];
        snprintf(first, sizeof first, "%.*s", (int)strcspn(action->keys, " "), action->keys);
        action->act(app, first);
    } else if (app->view.replay && *text && player_go(&app->player, text) == 0) {
        app_moved(app);
    } else if (*text) {
        view_say(&app->view, app->view.replay ? "no action and no position: %s" : "no such action: %s", id);
    }
    return true;
}

static const char *palette_word(const char *prefix, int index)
{
    for (size_t i = 0; action_at(i); i++) {
        bool fits = (action_at(i)->contexts & CONTEXT_SCREEN) && strncmp(action_at(i)->id, prefix, strlen(prefix)) == 0;
        if (fits && index-- == 0) {
            return action_at(i)->id;
        }
    }
    return NULL;
}

void act_palette(struct app *app, const char *key)
{
    (void)key;
    app->view.overlay = OVERLAY_PALETTE;
    prompt_open(&(struct prompt_options){.label = ":", .submit = submit_palette, .context = app, .word = palette_word});
}
