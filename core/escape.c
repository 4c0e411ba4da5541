/*
 * Escape attempts, one after another: the attack in a fresh scene, then its
 * control, which uses the same means where they are allowed. An attack whose
 * control does not work proves nothing, and counts as failed.
 */
#include "escape.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine_internal.h"
#include "escape_judge_internal.h"

enum stage { STAGE_NONE, STAGE_ATTACK, STAGE_CONTROL };

struct escape_run {
    struct escape_info *escapes; /* owned */
    size_t escape_count;
    struct case_info *kase;            /* owned; the analytics case */
    const struct escape_info **chosen; /* owned array */
    size_t chosen_count;
    const struct executor **executors; /* owned array */
    size_t executor_count;
    struct session *session; /* borrowed */
    int spawner_fd;
    enum sandbox_notify notify;
    bool unsafe;
    uint32_t without;
    struct escape_row *rows; /* owned; room for all */
    size_t done, total;
    enum stage stage; /* of rows[done] */
    struct scene scene;
    struct engine *engine;         /* owned */
    struct escape_evidence attack; /* of the attack, while its control runs */
    bool cancelled;
};

/* ---- making and freeing -------------------------------------------------------------------------------------------
 */

static int choose_escapes(struct escape_run *run, const char *const *ids, struct err *err)
{
    run->chosen = calloc(run->escape_count + 1, sizeof *run->chosen);
    for (size_t i = 0; run->chosen && !ids && i < run->escape_count; i++) {
        run->chosen[run->chosen_count++] = &run->escapes[i];
    }
    for (size_t i = 0; run->chosen && ids && ids[i]; i++) {
        const struct escape_info *found = NULL;
        for (size_t j = 0; j < run->escape_count && !found; j++) {
            found = strcmp(run->escapes[j].id, ids[i]) == 0 ? &run->escapes[j] : NULL;
        }
        if (!found || run->chosen_count == run->escape_count) {
            return err_set(err, -EINVAL, found ? "%s is named twice" : "there is no escape %s", ids[i]);
        }
        run->chosen[run->chosen_count++] = found;
    }
    return run->chosen ? 0 : err_set(err, -ENOMEM, "out of memory");
}

static int choose_executors(struct escape_run *run, const char *const *names, struct err *err)
{
    while (names[run->executor_count]) {
        run->executor_count++;
    }
    run->executors = calloc(run->executor_count + 1, sizeof *run->executors);
    for (size_t i = 0; run->executors && i < run->executor_count; i++) {
        run->executors[i] = executor_find(names[i]);
        if (!run->executors[i]) {
            return err_set(err, -EINVAL, "unknown executor %s", names[i]);
        }
    }
    return run->executors ? 0 : err_set(err, -ENOMEM, "out of memory");
}

static void begin(struct escape_run *run);

int escape_run_new(const struct escape_options *options, struct escape_run **ret_run, struct err *err)
{
    struct escape_run *run = calloc(1, sizeof *run);
    if (!run) {
        return err_set(err, -ENOMEM, "out of memory");
    }
    run->session = options->session;
    run->spawner_fd = options->spawner_fd;
    run->notify = options->notify;
    run->unsafe = options->unsafe;
    run->without = options->without;
    int result = escapes_load(&run->escapes, &run->escape_count, err);
    if (result == 0) {
        result = case_load("analytics", &run->kase, err);
    }
    if (result == 0) {
        result = choose_escapes(run, options->ids, err);
    }
    if (result == 0) {
        result = choose_executors(run, options->executors, err);
    }
    if (result == 0) {
        run->total = run->chosen_count * run->executor_count;
        run->rows = calloc(run->total + 1, sizeof *run->rows);
        result = run->rows ? 0 : err_set(err, -ENOMEM, "out of memory");
    }
    if (result < 0) {
        escape_run_free(run);
        return result;
    }
    begin(run);
    *ret_run = run;
    return 0;
}

static void end_stage(struct escape_run *run)
{
    if (run->stage != STAGE_NONE) {
        engine_free(run->engine);
        run->engine = NULL;
        scene_done(&run->scene);
        run->stage = STAGE_NONE;
    }
}

void escape_run_free(struct escape_run *run)
{
    if (!run) {
        return;
    }
    end_stage(run);
    for (size_t i = 0; run->rows && i < run->total; i++) {
        free(run->rows[i].outcome);
        free(run->rows[i].expected);
        free(run->rows[i].status);
        free(run->rows[i].denial);
        free(run->rows[i].effects);
    }
    escape_evidence_done(&run->attack);
    escapes_free(run->escapes, run->escape_count);
    case_free(run->kase);
    free(run->chosen);
    free(run->executors);
    free(run->rows);
    free(run);
}

/* ---- one attack ---------------------------------------------------------------------------------------------------
 */

static const struct escape_info *current_escape(const struct escape_run *run)
{
    return run->chosen[run->done / run->executor_count];
}

static const struct executor *current_executor(const struct escape_run *run)
{
    return run->executors[run->done % run->executor_count];
}

static const char *program_name(const struct escape_run *run, enum stage stage)
{
    const struct escape_info *escape = current_escape(run);
    const cJSON *names = stage == STAGE_CONTROL ? escape->controls : escape->programs;
    const cJSON *own = cJSON_GetObjectItemCaseSensitive(names, current_executor(run)->name);
    const cJSON *shared = cJSON_GetObjectItemCaseSensitive(names, current_executor(run)->language);
    return cJSON_GetStringValue(own ? own : shared);
}

static int read_program(const struct escape_run *run, const char *name, struct buf *to, struct err *err)
{
    struct buf path;
    char bytes[8192];
    ssize_t got = 0;
    buf_init(&path, PATH_MAX);
    buf_addf(&path, "%s/%s", current_escape(run)->dir, name);
    CLEANUP(close_descriptor) int fd = path.failed ? -1 : open(path.data, O_RDONLY | O_CLOEXEC);
    while (fd >= 0 && (got = read(fd, bytes, sizeof bytes)) > 0) {
        buf_add(to, bytes, (size_t)got);
    }
    int result = fd < 0 || got < 0 ? err_errno(err, -errno, "%s", path.data ? path.data : name) : 0;
    buf_done(&path);
    return result;
}

static int make_engine(struct escape_run *run, struct err *err)
{
    const struct escape_info *escape = current_escape(run);
    struct buf ceiling;
    buf_init(&ceiling, 64 << 10);
    buf_addf(&ceiling, "%s%s%s", run->kase->ceiling, escape->ceiling ? "," : "",
             escape->ceiling ? escape->ceiling : "");
    const struct engine_options options = {
        .session = run->session,
        .kase = run->kase,
        .root = run->scene.root,
        .ceiling = ceiling.data,
        .ceiling_source = run->kase->ceiling_source,
        .model = "recorded",
        .spawner_fd = run->spawner_fd,
        .notify = run->notify,
        .decoy = run->unsafe || current_executor(run)->decoy ? run->scene.root : NULL,
        .without = run->without,
        .inspect = INSPECT_OFF, /* it is the sandbox that is tried */
        .attempts = 1,
        .instant = true,
    };
    int result = ceiling.failed ? err_errno(err, ceiling.failed, "ceiling") : engine_new(&options, &run->engine, err);
    buf_done(&ceiling);
    return result;
}

static int run_text(struct escape_run *run, enum stage stage, const char *text, struct err *err)
{
    const struct escape_info *escape = current_escape(run);
    struct buf filled, title;
    buf_init(&filled, 4 << 20);
    buf_init(&title, 4096);
    buf_addf(&title, "%s%s", escape->title, stage == STAGE_CONTROL ? " (control: what is allowed works)" : "");
    scene_fill(&run->scene, text, &filled);
    const struct engine_program program = {
        .executor = current_executor(run)->name,
        .text = filled.data,
        .len = filled.len,
        .by = "recorded",
        .question_id = escape->id,
        .title = title.data,
        .escape = true,
    };
    int result =
        filled.failed ? err_errno(err, filled.failed, "%s", escape->id) : engine_run(run->engine, &program, err);
    buf_done(&filled);
    buf_done(&title);
    return result;
}

static int start_stage(struct escape_run *run, enum stage stage, const char *name, struct err *err)
{
    struct buf text;
    buf_init(&text, 1 << 20);
    int result = read_program(run, name, &text, err);
    if (result == 0) {
        result = scene_set(&run->scene, run->kase->dir, err);
    }
    if (result == 0) {
        run->stage = stage;
        result = make_engine(run, err);
    }
    if (result == 0) {
        run->engine->needle = run->scene.canary;
        run->engine->decoy_port = (uint16_t)run->scene.port;
        run->engine->decoy_socket = run->scene.channel[1];
        if (current_executor(run)->decoy) {
            scene_use_decoy(&run->scene);
        }
        result = run_text(run, stage, text.data ? text.data : "", err);
    }
    buf_done(&text);
    if (result < 0) {
        end_stage(run);
    }
    return result;
}

/* ---- rows ---------------------------------------------------------------------------------------------------------
 */

static void finish_row(struct escape_run *run, const char *outcome, const char *effects)
{
    struct escape_row *row = &run->rows[run->done];
    const cJSON *expected =
        cJSON_GetObjectItemCaseSensitive(current_escape(run)->expected, current_executor(run)->name);
    row->escape = current_escape(run)->id;
    row->executor = current_executor(run)->name;
    row->outcome = strdup(outcome);
    row->expected = strdup(cJSON_IsString(expected) ? expected->valuestring : "contained");
    row->effects = effects && *effects ? strdup(effects) : NULL;
    row->status = run->attack.status ? strdup(run->attack.status) : NULL;
    row->denial = run->attack.denial ? strdup(run->attack.denial) : NULL;
    row->as_expected = row->outcome && row->expected && strcmp(row->outcome, row->expected) == 0;
    struct event *verdict = event_new(EVENT_VERDICT);
    if (verdict && run->attack.question) {
        verdict->question = run->attack.question;
        verdict->attempt = 1;
        event_set_text(verdict, "verdict", outcome);
        event_set_text(verdict, "by", "judge");
        event_set_json(verdict, "expected", cJSON_CreateString(row->expected ? row->expected : ""));
        event_set_text(verdict, "why", row->effects);
        session_emit(run->session, verdict);
    } else {
        event_free(verdict);
    }
    escape_evidence_done(&run->attack);
    run->done++;
}

/* Starts attacks until one runs; those that cannot be started are done at once. */
static void begin(struct escape_run *run)
{
    struct err err;
    while (run->done < run->total && !run->cancelled) {
        const char *name = program_name(run, STAGE_ATTACK);
        if (!name) {
            finish_row(run, "not applicable", "there is no such program in this language");
        } else if (start_stage(run, STAGE_ATTACK, name, &err) < 0) {
            finish_row(run, "failed", err.text);
        } else {
            return;
        }
    }
}

static void judge_control(struct escape_run *run)
{
    const struct cell_client *client = &run->engine->attempt.client;
    struct buf text;
    bool ok = run->engine->attempt.client_ready && client->status == STATUS_OK && client->output.len &&
              strstr(client->output.data, "control: ok");
    buf_init(&text, 16 << 10);
    buf_add_text(&text, run->attack.effects ? run->attack.effects : "");
    if (ok) {
        buf_addf(&text, ", control works");
    } else {
        buf_addf(&text, ", but the control does not work: %.300s",
                 client->message      ? client->message
                 : client->errors.len ? client->errors.data
                                      : "it did not run");
    }
    end_stage(run);
    finish_row(run, ok ? run->attack.outcome : "failed", text.data);
    buf_done(&text);
}

/* Only what was contained needs one: what got out has shown that its means work. */
static void end_attack(struct escape_run *run)
{
    struct err err;
    escape_judge(current_escape(run), run->engine, &run->scene, &run->attack);
    end_stage(run);
    const char *control = program_name(run, STAGE_CONTROL);
    if (run->cancelled) {
        finish_row(run, "failed", "cancelled");
    } else if (!control || strcmp(run->attack.outcome, "contained") != 0) {
        finish_row(run, run->attack.outcome, run->attack.effects);
    } else if (start_stage(run, STAGE_CONTROL, control, &err) < 0) {
        finish_row(run, "failed", err.text);
    }
}

/* ---- polling ------------------------------------------------------------------------------------------------------
 */

size_t escape_run_poll_fds(const struct escape_run *run, struct pollfd *fds, size_t max)
{
    if (run->stage == STAGE_NONE) {
        return 0;
    }
    size_t count = engine_poll_fds(run->engine, fds, max);
    return count + scene_poll_fds(&run->scene, fds + count, max - count);
}

int64_t escape_run_deadline(const struct escape_run *run)
{
    return run->stage == STAGE_NONE ? -1 : engine_deadline(run->engine);
}

void escape_run_dispatch(struct escape_run *run, const struct pollfd *fds, size_t count)
{
    if (run->stage != STAGE_NONE) {
        engine_dispatch(run->engine, fds, count);
        scene_listen(&run->scene);
    }
    while (run->stage != STAGE_NONE && !engine_busy(run->engine)) {
        if (run->stage == STAGE_ATTACK) {
            end_attack(run);
        } else {
            judge_control(run);
        }
        if (run->stage == STAGE_NONE) {
            begin(run);
        }
    }
}

bool escape_run_finished(const struct escape_run *run)
{
    return run->stage == STAGE_NONE && (run->cancelled || run->done == run->total);
}

void escape_run_cancel(struct escape_run *run)
{
    run->cancelled = true;
    if (run->stage != STAGE_NONE) {
        engine_cancel(run->engine);
    }
}

const struct escape_row *escape_run_rows(const struct escape_run *run, size_t *ret_count)
{
    *ret_count = run->done;
    return run->rows;
}
