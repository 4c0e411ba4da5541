/*
 * An engine for tests of the screen: it is asked, and says event by event what
 * a recording says, or pours out output until it is stopped. It stands in the
 * place of core's at link time; the screen itself is the real one.
 */
#include "live_child.h"

#include "../../tui/tui.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct engine {
    struct session *session; /* borrowed */
    struct recording recording;
    const char *output;   /* borrowed; NULL: say the recording */
    const char *complain; /* borrowed; NULL */
    size_t next;
    bool busy;
    uint64_t question;
    char ceiling[1024];
};

static volatile sig_atomic_t run_ends;

static void end_run(int number)
{
    (void)number;
    run_ends = 1;
}

/* Events before the first question are said at the start, as a real engine does. */
static size_t questions_begin(const struct recording *recording)
{
    size_t i = 1;
    while (i < recording->count && recording->events[i]->kind != EVENT_QUESTION) {
        i++;
    }
    return i;
}

static void say(struct engine *engine, const struct event *original)
{
    struct event *event = event_new(original->kind);
    event->question = original->question ? engine->question : 0;
    event->lane = original->lane;
    event->attempt = original->attempt;
    event->cause = original->cause;
    cJSON_Delete(event->body);
    event->body = cJSON_Duplicate(original->body, true);
    uint64_t seq = session_emit(engine->session, event);
    if (original->kind == EVENT_QUESTION) {
        engine->question = seq;
    }
}

static void pour(struct engine *engine)
{
    struct event *event = event_new(EVENT_OUTPUT);
    event->question = engine->question;
    event->attempt = 1;
    event_set_int(event, "stream", 1);
    event_set_bytes(event, "bytes", engine->output, strlen(engine->output));
    session_emit(engine->session, event);
}

int engine_ask(struct engine *engine, const struct engine_question *question, struct err *err)
{
    if (engine->busy) {
        return err_set(err, -EBUSY, "a question is being answered: Ctrl-C stops it");
    }
    if (engine->complain) {
        fputs(engine->complain, stderr);
    }
    if (question->id == NULL && engine->recording.count > 0 && strncmp(question->text, "Which", 5) != 0) {
        struct event *event = event_new(EVENT_QUESTION);
        event_set_text(event, "text", question->text);
        session_emit(engine->session, event);
        struct event *note = event_new(EVENT_NOTE);
        event_set_text(note, "text", "no recorded answer for this question: choose a model, or write the program");
        session_emit(engine->session, note);
        return 0;
    }
    engine->next = engine->output ? 0 : questions_begin(&engine->recording);
    engine->busy = true;
    if (engine->output) {
        struct event *event = event_new(EVENT_QUESTION);
        event_set_text(event, "text", question->text);
        engine->question = session_emit(engine->session, event);
    }
    return 0;
}

int engine_again(struct engine *engine, bool force, struct err *err)
{
    (void)force;
    if (!engine->question) {
        return err_set(err, -ENOENT, "nothing ran yet");
    }
    return engine_ask(engine, &(struct engine_question){.text = "Which"}, err);
}

size_t engine_poll_fds(const struct engine *engine, struct pollfd *fds, size_t max)
{
    (void)engine, (void)fds, (void)max;
    return 0;
}

int64_t engine_deadline(const struct engine *engine)
{
    return engine->busy ? 0 : -1;
}

void engine_dispatch(struct engine *engine, const struct pollfd *fds, size_t count)
{
    (void)fds, (void)count;
    if (!engine->busy) {
        return;
    }
    if (engine->output && run_ends) {
        engine->busy = false;
    } else if (engine->output) {
        pour(engine);
    } else if (engine->next < engine->recording.count && engine->recording.events[engine->next]->kind != EVENT_END) {
        say(engine, engine->recording.events[engine->next++]);
    } else {
        engine->busy = false;
    }
}

bool engine_busy(const struct engine *engine)
{
    return engine->busy;
}

void engine_cancel(struct engine *engine)
{
    engine->busy = false;
}

const char *engine_ceiling(const struct engine *engine)
{
    return engine->ceiling;
}

int engine_set_ceiling(struct engine *engine, const char *policy, const char *source, struct err *err)
{
    struct policy parsed;
    (void)source;
    int status = policy_parse(policy, &parsed, err);
    if (!status) {
        policy_done(&parsed);
        snprintf(engine->ceiling, sizeof engine->ceiling, "%s", policy);
    }
    return status;
}

static int run(const struct live_child *child, struct engine *engine, struct err *err)
{
    struct session_options options = {.path = child->log,
                                      .root = "/srv/cases/analytics",
                                      .case_id = "analytics",
                                      .case_title = "Scattered sales",
                                      .model = "recorded",
                                      .attempts = 3,
                                      .columns = 80,
                                      .rows = 24};
    struct case_info *kase = NULL;
    int status = session_new(&options, &engine->session, err);
    if (!status && child->case_name) {
        status = case_load(child->case_name, &kase, err);
    }
    for (size_t i = 1; !status && i < questions_begin(&engine->recording) && i < engine->recording.count; i++) {
        say(engine, engine->recording.events[i]);
    }
    if (!status) {
        status = tui_run(&(struct tui_options){.engine = engine, .session = engine->session, .kase = kase}, err);
    }
    case_free(kase);
    session_free(engine->session);
    return status;
}

int live_child(void *context)
{
    const struct live_child *child = context;
    struct engine engine = {
        .output = child->output, .complain = child->complain, .ceiling = "stdout,time,file.read=./data/*"};
    struct err err = {0};
    signal(SIGURG, end_run);
    int status = child->recording ? recording_read(child->recording, &engine.recording, &err) : 0;
    if (!status) {
        status = run(child, &engine, &err);
        recording_done(&engine.recording);
    }
    if (status < 0) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    return status ? 128 + status : 0;
}

int engine_decide(struct engine *engine, const char *row, enum engine_choice choice, struct err *err)
{
    (void)engine, (void)row, (void)choice;
    return err_set(err, -ENOENT, "nothing waits here");
}
