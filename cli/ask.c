/* techo ask: a question to a model, the programs that it answers with, and the accepted answer. */
#include "commands.h"

#include <string.h>

#include "exits.h"
#include "job.h"
#include "loop.h"
#include "print.h"

static int start(struct job *job, const struct arguments *arguments, const struct executor *executor, struct err *err)
{
    const char *words = arguments->words[0];
    struct engine_question question = {.executor = executor->name};

    if (job->kase && case_find(job->kase, words))
        question.id = words;
    else
        question.text = words;
    return engine_ask(job->engine, &question, err);
}

/* Right, or at least an answer where none is known. */
static bool accepted(const struct state_attempt *attempt)
{
    const char *verdict = attempt && attempt->verdict ? attempt->verdict : "none";

    return strcmp(verdict, "right") == 0 || strcmp(verdict, "no known answer") == 0;
}

static int finish(struct job *job, int looped)
{
    const struct state *state = session_state(job->session);
    const struct state_attempt *last = state->current ? state_last_attempt(state->current) : NULL;

    if (looped == 0 && last && last->answer)
        print_bytes(1, last->output[1].bytes.data, last->output[1].bytes.len);
    job_end(job, looped < 0 ? "cancelled" : accepted(last) ? "ok" : "failed", NULL);
    if (looped < 0)
        return EXIT_CANCELLED;
    return accepted(last) ? EXIT_DONE : EXIT_CHECK_FAILED;
}

int command_ask(const struct arguments *arguments)
{
    struct job job;
    struct err err = {0};
    const struct executor *executor = job_executor(arguments, executor_for_language("python"), &err);
    int status = EXIT_USAGE;

    if (!executor || job_open(&job, arguments, NULL, JOB_LOG | JOB_ENGINE | JOB_OWN_FOLDER, &err) < 0) {
        print_failure(&err);
        return status;
    }
    if (start(&job, arguments, executor, &err) < 0) {
        print_failure(&err);
        job_end(&job, "failed", NULL);
    } else {
        status = finish(&job, loop_engine(job.engine));
    }
    job_done(&job);
    return status;
}
