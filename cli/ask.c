/* techo ask: a question to a model, the programs that it answers with, and the accepted answer. */
#include "commands.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "exits.h"
#include "lines.h"
#include "loop.h"
#include "print.h"
#include "task.h"

enum { LINE_BYTES = 1 << 20 };

/* The last line of what the program said on stderr; empty when there is none. */
static void last_line(const struct buf *text, struct buf *to)
{
    size_t end = text->len, start;

    while (end && (text->data[end - 1] == '\n' || text->data[end - 1] == ' '))
        end--;
    for (start = end; start && text->data[start - 1] != '\n';)
        start--;
    buf_add(to, text->data + start, end - start);
}

static bool is(const char *text, const char *word)
{
    return text && strcmp(text, word) == 0;
}

static bool answered_nothing(const struct state_attempt *attempt)
{
    return is(attempt->exit.status, "ok") && is(attempt->verdict, "none");
}

/* Which attempt it is. A program's own output is not shown here, so why it failed is: its exception, or its last words;
 * or that it ended well and gave no answer. */
static void tell_attempt(void *context, const struct event *event, const struct state *state)
{
    const struct state_attempt *attempt = state->current ? state_last_attempt(state->current) : NULL;
    struct buf line;

    (void)context;
    buf_init(&line, LINE_BYTES);
    if (event->kind == EVENT_PROGRAM && event->attempt > 1) {
        print_person("techo: attempt %" PRIu64 ":", event->attempt);
    } else if (event->kind == EVENT_EXCEPTION ||
               (event->kind == EVENT_VERDICT && attempt && answered_nothing(attempt))) {
        if (line_of_event(event, state, &line))
            print_person("techo: %s", line.data);
    } else if (event->kind == EVENT_EXIT && attempt && !attempt->exception_type &&
               is(event_text(event, "status", NULL), "error")) {
        last_line(&attempt->output[2].bytes, &line);
        if (line.len)
            print_person("techo: its last line on stderr: %s", line.data);
    }
    buf_done(&line);
}

static int start(struct task *task, const struct arguments *arguments, const struct executor *executor, struct err *err)
{
    const char *words = arguments->words[0];
    struct engine_question question = {.executor = executor->name};

    if (task->kase && case_find(task->kase, words))
        question.id = words;
    else
        question.text = words;
    if (!print_is_json() && session_listen(task->session, tell_attempt, NULL) < 0)
        return err_set(err, -ENOMEM, "out of memory");
    return engine_ask(task->engine, &question, err);
}

/* Right, or at least an answer where none is known. */
static bool accepted(const struct state_attempt *attempt)
{
    return attempt && (is(attempt->verdict, "right") || is(attempt->verdict, "no known answer"));
}

static int finish(struct task *task, int looped)
{
    const struct state *state = session_state(task->session);
    const struct state_attempt *last = state->current ? state_last_attempt(state->current) : NULL;
    bool written;

    if (looped == 0 && last && last->answer)
        print_bytes(1, last->output[1].bytes.data, last->output[1].bytes.len);
    written = task_end(task, looped < 0 ? "cancelled" : accepted(last) ? "ok" : "failed", NULL);
    if (looped < 0)
        return EXIT_CANCELLED;
    if (!accepted(last))
        return EXIT_CHECK_FAILED;
    return written ? EXIT_DONE : EXIT_USAGE;
}

int command_ask(const struct arguments *arguments)
{
    struct task task;
    struct err err = {0};
    const struct executor *executor = task_executor(arguments, executor_for_language("python"), &err);
    int status = EXIT_USAGE;

    if (!executor || task_open(&task, arguments, NULL, TASK_LOG | TASK_ENGINE | TASK_OWN_FOLDER, &err) < 0) {
        print_failure(&err);
        return status;
    }
    if (start(&task, arguments, executor, &err) < 0) {
        print_failure(&err);
        task_end(&task, "failed", NULL);
    } else {
        status = finish(&task, loop_engine(task.engine));
    }
    task_done(&task);
    return status;
}
