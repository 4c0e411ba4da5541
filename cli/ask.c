/* techo ask: a question to a model, the programs that it answers with, and the accepted answer. */
#include "commands.h"

#include <string.h>

#include "exits.h"
#include "loop.h"
#include "print.h"
#include "task.h"

static int start(struct task *task, const struct arguments *arguments, const struct executor *executor, struct err *err)
{
    const char *words = arguments->words[0];
    struct engine_question question = {.executor = executor->name};

    if (task->kase && case_find(task->kase, words))
        question.id = words;
    else
        question.text = words;
    return engine_ask(task->engine, &question, err);
}

/* Right, or at least an answer where none is known. */
static bool accepted(const struct state_attempt *attempt)
{
    const char *verdict = attempt && attempt->verdict ? attempt->verdict : "none";

    return strcmp(verdict, "right") == 0 || strcmp(verdict, "no known answer") == 0;
}

static int finish(struct task *task, int looped)
{
    const struct state *state = session_state(task->session);
    const struct state_attempt *last = state->current ? state_last_attempt(state->current) : NULL;

    if (looped == 0 && last && last->answer)
        print_bytes(1, last->output[1].bytes.data, last->output[1].bytes.len);
    task_end(task, looped < 0 ? "cancelled" : accepted(last) ? "ok" : "failed", NULL);
    if (looped < 0)
        return EXIT_CANCELLED;
    return accepted(last) ? EXIT_DONE : EXIT_CHECK_FAILED;
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
