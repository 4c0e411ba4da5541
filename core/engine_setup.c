/* The engine: made from its options, its ceiling, and freed. */
#include "engine_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ceiling.h"
#include "profile_internal.h"

/* ---- ceiling ------------------------------------------------------------------------------------------------------
 */

int engine_set_ceiling(struct engine *engine, const char *text, const char *source, struct err *err)
{
    struct policy policy;
    if (engine_busy(engine)) {
        return err_set(err, -EBUSY, "something is running: the ceiling is changed when it has ended");
    }
    int result = policy_parse(text, &policy, err);
    if (result < 0) {
        return result;
    }
    char *copy = strdup(text);
    if (!copy) {
        policy_done(&policy);
        return err_set(err, -ENOMEM, "out of memory");
    }
    policy_done(&engine->ceiling);
    free(engine->ceiling_text);
    engine->ceiling = policy;
    engine->ceiling_text = copy;
    engine->ceiling_number++;
    session_emit(engine->session, ceiling_event(&engine->ceiling, engine->ceiling_number, source));
    return 0;
}

const char *engine_ceiling(const struct engine *engine)
{
    return engine->ceiling_text;
}

/* ---- making and freeing -------------------------------------------------------------------------------------------
 */

static char *copy_or_null(const char *text)
{
    return text && *text ? strdup(text) : NULL;
}

static int set_up(struct engine *engine, const struct engine_options *options, struct err *err)
{
    const struct model_options model = {
        .name = options->model ? options->model : "recorded",
        .case_id = options->kase ? options->kase->id : NULL,
        .instant = options->instant,
    };
    int result = model_new(&model, &engine->model, err);
    if (result == 0) {
        result = engine_set_ceiling(engine, options->ceiling, options->ceiling_source, err);
    }
    if (result < 0) {
        return result;
    }
    result = profile_find(engine->root, &engine->files);
    if (result < 0) {
        return err_errno(err, result, "reading %s", engine->root);
    }
    struct event *profile = profile_event(engine->root, &engine->files);
    if (profile) {
        session_emit(engine->session, profile);
    }
    return 0;
}

/* The folder above that of the sessions. */
static char *find_state_folder(void)
{
    struct buf folder;
    char *found = NULL;
    buf_init(&folder, 4096);
    if (session_folder(&folder, NULL) == 0) {
        *strrchr(folder.data, '/') = '\0';
        found = buf_steal(&folder);
    }
    buf_done(&folder);
    return found;
}

int engine_new(const struct engine_options *options, struct engine **ret_engine, struct err *err)
{
    struct engine *engine = calloc(1, sizeof *engine);
    if (!engine) {
        return err_set(err, -ENOMEM, "out of memory");
    }
    engine->session = options->session;
    engine->kase = options->kase;
    engine->root = strdup(options->root);
    engine->home = copy_or_null(getenv("HOME"));
    engine->preamble = copy_or_null(options->preamble ? options->preamble
                                    : options->kase   ? options->kase->preamble
                                                      : NULL);
    engine->spawner_fd = options->spawner_fd;
    engine->notify = options->notify;
    engine->direct = options->direct;
    engine->decoy = copy_or_null(options->decoy);
    engine->without = options->without;
    engine->answer = options->answer;
    engine->own[0] = engine->state_folder = find_state_folder();
    engine->inspect = options->inspect;
    engine->own_stdin = options->own_stdin;
    engine->attempts = options->attempts ? options->attempts : 1;
    engine_attempt_init(&engine->attempt);
    int result = engine->root ? set_up(engine, options, err) : err_set(err, -ENOMEM, "out of memory");
    if (result < 0) {
        engine_free(engine);
        return result;
    }
    *ret_engine = engine;
    return 0;
}

void engine_free(struct engine *engine)
{
    if (!engine) {
        return;
    }
    engine_attempt_done(&engine->attempt);
    engine_job_done(&engine->job);
    engine_last_done(&engine->last);
    model_free(engine->model);
    data_files_done(&engine->files);
    policy_done(&engine->ceiling);
    free(engine->ceiling_text);
    free(engine->root);
    free(engine->home);
    free(engine->decoy);
    free(engine->state_folder);
    engine_forget(engine);
    free(engine->preamble);
    free(engine);
}
