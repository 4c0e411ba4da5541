/* techo exec --json: a command in the sandbox, told as events. (Without --json, bin/techo does it in place.) */
#include "commands.h"

#include "exits.h"
#include "job.h"
#include "loop.h"
#include "print.h"

int command_exec(const struct arguments *arguments)
{
    struct job job;
    struct err err = {0};
    int status = EXIT_OWN_FAILURE, looped;

    if (job_open(&job, arguments, NULL, JOB_LOG | JOB_ENGINE, &err) < 0) {
        print_failure(&err);
        return status;
    }
    if (engine_exec(job.engine, arguments->words, &err) < 0) {
        print_failure(&err);
        job_end(&job, "failed", NULL);
    } else {
        looped = loop_engine(job.engine);
        status = looped < 0 ? EXIT_CANCELLED : exit_of_state(session_state(job.session));
        job_end(&job, looped < 0 ? "cancelled" : NULL, NULL);
    }
    job_done(&job);
    return status;
}
