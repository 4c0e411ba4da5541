/* The engine: its descriptors and deadline, and the calls of engine.h that give it work. */
#include "engine_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CANCEL_US = 3000000, REPORTS_AT_ONCE = 256 };

/* ---- events -------------------------------------------------------------------------------------------------------
 */

struct place engine_place(const struct engine *engine)
{
    return (struct place){.session = engine->session, .question = engine->job.seq, .attempt = engine->attempt.number};
}

struct event *engine_event(const struct engine *engine, enum event_kind kind)
{
    struct place place = engine_place(engine);
    return place_event(&place, kind);
}

uint64_t engine_emit(const struct engine *engine, struct event *event)
{
    return event ? session_emit(engine->session, event) : 0;
}

static void emit_phase(const struct engine *engine, const char *name, const char *step, const char *status,
                       const char *detail)
{
    struct event *event = engine_event(engine, EVENT_PHASE);
    event_set_text(event, "name", name);
    event_set_text(event, "step", step);
    event_set_text(event, "status", status);
    event_set_text(event, "detail", detail);
    engine_emit(engine, event);
}

void engine_phase(struct engine *engine, const char *name)
{
    engine->attempt.phase = name;
    emit_phase(engine, name, "begin", NULL, NULL);
}

void engine_phase_end(struct engine *engine, const char *status, const char *detail)
{
    if (engine->attempt.phase) {
        emit_phase(engine, engine->attempt.phase, "end", status, detail);
        engine->attempt.phase = NULL;
    }
}

void engine_note(const struct engine *engine, const char *text)
{
    struct event *event = engine_event(engine, EVENT_NOTE);
    event_set_text(event, "text", text);
    engine_emit(engine, event);
}

void engine_finish(struct engine *engine, const char *status)
{
    engine_phase_end(engine, status, NULL);
    struct event *event = engine_event(engine, EVENT_PHASE);
    if (event) {
        event->attempt = 0;
    }
    event_set_text(event, "name", "question");
    event_set_text(event, "step", "end");
    event_set_text(event, "status", status);
    engine_emit(engine, event);
    engine->step = STEP_IDLE;
    engine->cancelled = false;
}

/* ---- polling ------------------------------------------------------------------------------------------------------
 */

size_t engine_poll_fds(const struct engine *engine, struct pollfd *fds, size_t max)
{
    if (engine->attempt.fd < 0 || max == 0) {
        return 0;
    }
    fds[0] = (struct pollfd){.fd = engine->attempt.fd, .events = POLLIN};
    return 1;
}

int64_t engine_deadline(const struct engine *engine)
{
    if (engine->attempt.cancel_deadline) {
        return engine->attempt.cancel_deadline;
    }
    return engine->step == STEP_MODEL ? model_deadline(engine->model) : -1;
}

static void lost(struct engine *engine, const char *why)
{
    close_descriptor(&engine->attempt.fd);
    if (engine->step == STEP_INSPECT) {
        engine_inspect_lost(engine, why);
    } else {
        engine_run_lost(engine, why);
    }
}

/* A bounded number, so that a flood of reports does not keep keys waiting. */
static void take_reports(struct engine *engine)
{
    for (int i = 0; i < REPORTS_AT_ONCE && engine->attempt.fd >= 0; i++) {
        struct report report;
        struct err err = {0};
        int got = sandbox_receive(engine->attempt.fd, &report, &err);
        if (got == 0) {
            return;
        }
        if (got < 0) {
            lost(engine, *err.text ? err.text : "the supervisor of the run is gone");
            return;
        }
        if (engine->step == STEP_INSPECT) {
            engine_inspect_report(engine, &report);
        } else {
            engine_run_report(engine, &report);
        }
        report_done(&report);
    }
}

void engine_dispatch(struct engine *engine, const struct pollfd *fds, size_t count)
{
    (void)fds;
    (void)count; /* reading from a descriptor that has nothing costs one call, and cannot block */
    if (engine->step == STEP_MODEL) {
        engine_model_pieces(engine);
    } else if (engine->step == STEP_INSPECT || engine->step == STEP_RUN) {
        take_reports(engine);
    }
    if (engine->attempt.cancel_deadline && monotonic_us() >= engine->attempt.cancel_deadline) {
        lost(engine, "the run did not end when it was told to, and was given up");
    }
}

bool engine_busy(const struct engine *engine)
{
    return engine->step != STEP_IDLE;
}

void engine_cancel(struct engine *engine)
{
    if (engine->step == STEP_IDLE || engine->cancelled) {
        return;
    }
    engine->cancelled = true;
    if (engine->step == STEP_RUN && sandbox_cancel(engine->attempt.fd) == 0) {
        engine->attempt.cancel_deadline = monotonic_us() + CANCEL_US;
        return;
    }
    close_descriptor(&engine->attempt.fd);
    model_stop(engine->model);
    struct event *event = engine_event(engine, EVENT_EXIT);
    event_set_text(event, "status", sandbox_status_name(STATUS_CANCELLED));
    engine_emit(engine, event);
    engine_finish(engine, "cancelled");
}

/* ---- the calls ----------------------------------------------------------------------------------------------------
 */

static int idle(const struct engine *engine, struct err *err)
{
    return engine_busy(engine) ? err_set(err, -EBUSY, "something is running: Ctrl-C stops it") : 0;
}

static int find_executor(const char *name, const struct executor **ret_executor, struct err *err)
{
    *ret_executor = executor_find(name);
    return *ret_executor ? 0 : err_set(err, -EINVAL, "unknown executor %s", name);
}

/* Emits `question`, with which a job begins. Takes nothing over when it fails. */
static int begin(struct engine *engine, const struct engine_job *job, struct err *err)
{
    struct event *event = event_new(EVENT_QUESTION);
    struct engine_job next = *job;
    next.id = job->id ? strdup(job->id) : NULL;
    next.text = strdup(job->text);
    if (!event || !next.text) {
        event_free(event);
        free(next.id);
        free(next.text);
        return err_set(err, -ENOMEM, "out of memory");
    }
    event_set_text(event, "text", job->text);
    event_set_text(event, "id", job->id);
    event_set_text(event, "language", job->executor ? job->executor->language : NULL);
    event_set_text(event, "executor", job->executor ? job->executor->name : NULL);
    engine_attempt_done(&engine->attempt);
    engine_attempt_init(&engine->attempt);
    engine_job_done(&engine->job);
    engine_last_done(&engine->last);
    engine->job = next;
    engine->job.seq = session_emit(engine->session, event);
    engine->cancelled = false;
    return 0;
}

int engine_ask(struct engine *engine, const struct engine_question *question, struct err *err)
{
    struct engine_job job = {.task = TASK_ASK, .id = (char *)question->id, .text = (char *)question->text};
    int result = idle(engine, err);
    if (result == 0) {
        result = find_executor(question->executor, &job.executor, err);
    }
    if (result < 0) {
        return result;
    }
    job.known = question->id && engine->kase ? case_find(engine->kase, question->id) : NULL;
    if (!job.text) {
        if (!job.known) {
            return err_set(err, -EINVAL, "there is no question %s", question->id ? question->id : "");
        }
        job.text = job.known->text;
    }
    result = begin(engine, &job, err);
    if (result == 0) {
        engine_next_attempt(engine, model_by(engine->model));
        engine_ask_model(engine);
    }
    return result;
}

static int start_program(struct engine *engine, const struct engine_program *program, enum engine_task task,
                         struct err *err)
{
    struct engine_job job = {.task = task, .id = (char *)program->question_id, .escape = program->escape};
    int result = idle(engine, err);
    if (result == 0) {
        result = find_executor(program->executor, &job.executor, err);
    }
    if (result == 0) {
        result = engine_check_program(program->text, program->len, err);
    }
    if (result < 0) {
        return result;
    }
    job.known = job.id && engine->kase ? case_find(engine->kase, job.id) : NULL;
    job.text = (char *)(program->title ? program->title : job.known ? job.known->text : "a program");
    result = begin(engine, &job, err);
    if (result == 0) {
        engine_next_attempt(engine, program->by ? program->by : "person");
        engine_take_program(engine, program->text, program->len, 0);
    }
    return result;
}

int engine_run(struct engine *engine, const struct engine_program *program, struct err *err)
{
    return start_program(engine, program, TASK_RUN, err);
}

int engine_check(struct engine *engine, const struct engine_program *program, struct err *err)
{
    return start_program(engine, program, TASK_CHECK, err);
}

int engine_again(struct engine *engine, bool force, struct err *err)
{
    int result = idle(engine, err);
    if (result < 0) {
        return result;
    }
    if (!engine->last.program) {
        return err_set(err, -EINVAL, "there is no program to run again");
    }
    struct engine_last last = engine->last;
    engine->last = (struct engine_last){0};
    engine->job.task = TASK_RUN;
    engine->job.force = force;
    engine_next_attempt(engine, last.by ? last.by : "person");
    engine_take_program(engine, last.program, last.len, last.seq);
    engine_last_done(&last);
    return 0;
}

int engine_exec(struct engine *engine, const char *const *argv, struct err *err)
{
    struct buf title;
    int result = idle(engine, err);
    if (result < 0) {
        return result;
    }
    buf_init(&title, 1 << 20);
    for (size_t i = 0; argv[i]; i++) {
        buf_addf(&title, "%s%s", i ? " " : "", argv[i]);
    }
    struct engine_job job = {.task = TASK_EXEC, .text = title.data};
    result = title.failed || !title.data ? err_set(err, -EINVAL, "the command is empty or too long")
                                         : begin(engine, &job, err);
    buf_done(&title);
    if (result == 0) {
        engine_next_attempt(engine, "person");
        engine_run_command(engine, argv);
    }
    return result;
}
