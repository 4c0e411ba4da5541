/* The lists: the case's questions (or those of the session), and the executors. */
#include "app.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The last verdict on a question of the case in this session; NULL: not asked, or still open. */
static const struct state_question *question_asked(const struct state *state, const char *id)
{
    for (size_t i = state->question_count; i-- > 0;) {
        const struct state_question *question = state->questions[i];
        if (question->id && strcmp(question->id, id) == 0) {
            return question;
        }
    }
    return NULL;
}

static void draw_verdict(const struct state_question *question, struct line *line)
{
    const char *verdict = question ? question->verdict : NULL;
    if (verdict) {
        bool right = strcmp(verdict, "right") == 0;
        line_text(line, right ? ROLE_RIGHT : ROLE_WRONG, glyph(right ? GLYPH_YES : GLYPH_NO));
    } else {
        line_text(line, ROLE_DIM, question ? (question->open ? glyph(GLYPH_MORE) : glyph(GLYPH_NONE)) : " ");
    }
    line_text(line, ROLE_TEXT, " ");
}

static void draw_question(const struct app *app, int row, struct line *line)
{
    const struct state *state = app_state(app);
    const char *id, *text;
    const struct state_question *asked;
    if (app->options->kase) {
        const struct case_question *question = &app->options->kase->questions[row];
        id = question->id;
        text = question->text;
        asked = question_asked(state, id);
    } else {
        asked = state->questions[row];
        id = asked->id;
        text = asked->text;
    }
    draw_verdict(asked, line);
    line_fit(line, ROLE_KEY, untrusted_text(id), 12);
    line_text(line, ROLE_TEXT, id ? "  " : "");
    line_fit(line, ROLE_TEXT, untrusted_text(text), line_left(line));
}

static const char *question_text(const struct app *app, int row)
{
    const struct case_info *kase = app->options->kase;
    return kase ? kase->questions[row].text : app_state(app)->questions[row]->text;
}

static void replay_question(struct app *app, const char *id, uint64_t seq)
{
    size_t count = replay_count(app->player.replay);
    for (size_t i = 0; i < count; i++) {
        const struct event *event = replay_event(app->player.replay, i);
        bool found =
            event->kind == EVENT_QUESTION && (id ? strcmp(event_text(event, "id", ""), id) == 0 : event->seq == seq);
        if (found && player_seek(&app->player, i + 1) == 0) {
            app->player.playing = false;
            return;
        }
    }
    view_say(&app->view, "this session does not ask %s", id ? id : "it");
}

static void choose_question(struct app *app, int row)
{
    const struct case_info *kase = app->options->kase;
    const char *id = kase ? kase->questions[row].id : NULL;
    const struct state_question *asked = kase ? NULL : app_state(app)->questions[row];
    app->view.overlay = OVERLAY_NONE;
    if (app->view.replay) {
        replay_question(app, id, asked ? asked->seq : 0);
    } else {
        app_ask(app, id ? id : asked->id, id ? NULL : asked->text);
    }
}

static int initial_question(const struct app *app)
{
    const struct case_info *kase = app->options->kase;
    const struct state *state = app_state(app);
    if (!kase) {
        return state->question_count ? (int)state->question_count - 1 : 0;
    }
    for (size_t i = 0; state->current && state->current->id && i < kase->question_count; i++) {
        if (strcmp(kase->questions[i].id, state->current->id) == 0) {
            return (int)i;
        }
    }
    return 0;
}

static void draw_executor(const struct app *app, int row, struct line *line)
{
    const struct executor *executor = executor_at((size_t)row);
    bool chosen = app->executor && strcmp(app->executor, executor->name) == 0;
    line_text(line, ROLE_GRANTED, chosen ? glyph(GLYPH_YES) : " ");
    line_text(line, ROLE_TEXT, " ");
    line_fit(line, ROLE_KEY, untrusted_text(executor->name), 18);
    line_to(line, ROLE_TEXT, 22);
    line_fit(line, ROLE_TEXT, untrusted_text(executor->about), line_left(line));
}

static void choose_executor(struct app *app, int row)
{
    char *name = strdup(executor_at((size_t)row)->name);
    app->view.overlay = OVERLAY_NONE;
    if (name) {
        free(app->executor);
        app->executor = name;
        view_say(&app->view, "the next question runs on %s", name);
    }
}

static int count_executors(void)
{
    size_t count = 0;
    while (executor_at(count)) {
        count++;
    }
    return (int)count;
}

static int initial_executor(const struct app *app)
{
    for (int row = 0; row < count_executors(); row++) {
        if (app->executor && strcmp(executor_at((size_t)row)->name, app->executor) == 0) {
            return row;
        }
    }
    return 0;
}

struct list list_for(const struct app *app)
{
    if (app->view.overlay == OVERLAY_ARTIFACTS) {
        return list_of_artifacts(app);
    }
    if (app->view.overlay == OVERLAY_EXECUTORS) {
        return (struct list){"Executor for the next question",
                             "there are none",
                             count_executors(),
                             draw_executor,
                             choose_executor,
                             initial_executor,
                             NULL};
    }
    const struct case_info *kase = app->options->kase;
    int count = (int)(kase ? kase->question_count : app_state(app)->question_count);
    return (struct list){
        "Questions",  "no question yet: a asks one", count, draw_question, choose_question, initial_question,
        question_text};
}

void list_open(struct app *app, enum overlay overlay)
{
    app->view.overlay = overlay;
    app->view.list_row = list_for(app).initial(app);
}
