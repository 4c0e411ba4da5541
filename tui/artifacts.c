/* What the shown attempt left in ./out: the list, and writing one of it to a folder that is typed. */
#include "app.h"
#include "prompt.h"

#include <errno.h>

static void draw_artifact(const struct app *app, int row, struct line *line)
{
    const struct state_artifact *artifact = &app_picture(app).attempt->artifacts[row];
    char size[FORMAT_MAX];
    line_fit(line, ROLE_TEXT, untrusted_text(artifact->name), line_left(line) - 12);
    line_format(line, ROLE_LABEL, "  %s", format_size(size, artifact->size));
}

static int first_artifact(const struct app *app)
{
    (void)app;
    return 0;
}

/* The events of a live session are in its file alone. *ret_opened is the caller's to free; NULL in a replay. */
static const struct replay *find_events(const struct app *app, struct replay **ret_opened, struct err *err)
{
    *ret_opened = NULL;
    if (app->player.replay) {
        return app->player.replay;
    }
    const char *path = session_path(app->options->session);
    if (!path) {
        err_set(err, -ENODATA, "this session is not saved: its files cannot be taken out");
    } else if (replay_new(path, ret_opened, err) == 0) {
        return *ret_opened;
    }
    return NULL;
}

static const struct event *find_event(const struct replay *replay, uint64_t seq)
{
    for (size_t i = 0; i < replay_count(replay); i++) {
        if (replay_event(replay, i)->seq == seq) {
            return replay_event(replay, i);
        }
    }
    return NULL;
}

static int save(const struct app *app, const char *folder, struct err *err)
{
    struct replay *opened;
    const struct replay *replay = find_events(app, &opened, err);
    const struct event *event = replay ? find_event(replay, app->saving) : NULL;
    int fd = -1, code = err->code;
    if (replay && !event) {
        code = err_set(err, -ENODATA, "the session's file does not hold it");
    } else if (event && (code = artifact_folder(folder, &fd, err)) == 0) {
        code = artifact_save(fd, event, err);
    }
    close_descriptor(&fd);
    replay_free(opened);
    return code;
}

static bool submit_folder(void *context, const char *text)
{
    struct app *app = context;
    struct err err = {0};
    const char *folder = *text ? text : ".";
    int code = save(app, folder, &err);
    if (code == 0) {
        view_say(&app->view, "saved in %s", folder);
    } else {
        view_say(&app->view, "not saved: %s", err.text);
    }
    return code == 0 || code == -ENODATA; /* another folder may do */
}

static void choose_artifact(struct app *app, int row)
{
    app->saving = app_picture(app).attempt->artifacts[row].seq;
    app->view.overlay = OVERLAY_NONE;
    prompt_open(&(struct prompt_options){
        .label = "Save in the folder:", .text = ".", .submit = submit_folder, .context = app});
}

struct list list_of_artifacts(const struct app *app)
{
    const struct state_attempt *attempt = app_picture(app).attempt;
    return (struct list){.title = "Files that it left in ./out: Enter saves one",
                         .empty = "it left none",
                         .count = attempt ? (int)attempt->artifact_count : 0,
                         .draw = draw_artifact,
                         .choose = choose_artifact,
                         .initial = first_artifact};
}
