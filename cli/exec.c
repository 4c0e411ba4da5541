/* techo exec as told by events: with --json, or --unsafe. (Else bin/techo does it in place.) */
#include "commands.h"

#include "exits.h"
#include "loop.h"
#include "print.h"
#include "task.h"

int command_exec(const struct arguments *arguments)
{
    struct task task;
    struct err err = {0};
    int status = EXIT_OWN_FAILURE, looped;

    if (task_open(&task, arguments, NULL, TASK_LOG | TASK_ENGINE | TASK_STDIN, &err) < 0) {
        print_failure(&err);
        return status;
    }
    if (session_listen(task.session, task_pass_output, NULL) < 0 || engine_exec(task.engine, arguments->words, &err) < 0) {
        print_failure(&err);
        task_end(&task, "failed", NULL);
    } else {
        looped = loop_engine(task.engine);
        status = looped < 0 ? EXIT_CANCELLED : exit_of_state(session_state(task.session));
        task_end(&task, looped < 0 ? "cancelled" : NULL, NULL);
    }
    task_done(&task);
    return status;
}
