/* techo run: one program in the sandbox; techo check: the same, read and not run. */
#include "commands.h"

#include <errno.h>
#include <string.h>

#include "exits.h"
#include "loop.h"
#include "print.h"
#include "program.h"
#include "task.h"

/* By the file's suffix; a program from standard input, or of another suffix, is Python. */
static const struct executor *executor_for_file(const char *name)
{
    const char *dot = strrchr(name, '.');
    const struct executor *each;

    for (size_t i = 0; dot && (each = executor_at(i)); i++)
        if (strcmp(each->suffix, dot) == 0)
            return each;
    return executor_for_language("python");
}

/* Where the ceiling grants standard input, but the program itself came from there. */
static void say_stdin_is_taken(struct task *task, const char *name)
{
    struct policy ceiling = {0};
    struct event *event;

    if (strcmp(name, "-") == 0 && policy_parse(task->ceiling.data, &ceiling, NULL) == 0) {
        if (policy_has(&ceiling, PERMISSION_STDIN) && (event = event_new(EVENT_NOTE))) {
            event_set_text(event, "text", "the program came from standard input; its own standard input is empty");
            session_emit(task->session, event);
        }
        policy_done(&ceiling);
    }
}

static int start(struct task *task, const struct arguments *arguments, const struct executor *executor,
                 const struct buf *text, struct err *err)
{
    const struct engine_program program = {
        .executor = executor->name,
        .text = text->data,
        .len = text->len,
        .by = "person",
        .title = arguments->words[0],
    };

    if (arguments->command == COMMAND_CHECK)
        return engine_check(task->engine, &program, err);
    say_stdin_is_taken(task, arguments->words[0]);
    if (session_listen(task->session, task_pass_output, NULL) < 0)
        return err_set(err, -ENOMEM, "out of memory");
    return engine_run(task->engine, &program, err);
}

static bool would_block(const struct state *state)
{
    const struct state_attempt *attempt = state->current ? state_last_attempt(state->current) : NULL;

    for (size_t i = 0; attempt && i < attempt->finding_count; i++)
        if (strcmp(attempt->findings[i].severity ? attempt->findings[i].severity : "", "block") == 0)
            return true;
    return false;
}

/* The inspection took place, whatever it found. */
static bool was_inspected(const struct state_attempt *attempt)
{
    for (size_t i = 0; attempt && i < attempt->phase_count; i++) {
        const struct state_phase *phase = &attempt->phases[i];
        if (phase->name && strcmp(phase->name, "inspect") == 0)
            return phase->status && strcmp(phase->status, "ok") == 0;
    }
    return false;
}

static int finish_check(struct task *task, int looped)
{
    const struct state *state = session_state(task->session);
    const struct state_attempt *attempt = state->current ? state_last_attempt(state->current) : NULL;
    bool blocks = would_block(state);

    if (looped < 0) {
        task_end(task, "cancelled", NULL);
        return EXIT_CANCELLED;
    }
    if (!was_inspected(attempt)) {
        task_end(task, "failed", NULL);
        return EXIT_OWN_FAILURE;
    }
    print_row("%s", blocks ? "blocked" : attempt && attempt->finding_count ? "not blocked" : "nothing found");
    task_end(task, blocks ? "blocked" : "ok", NULL);
    return blocks ? EXIT_CHECK_FAILED : EXIT_DONE;
}

static int finish_run(struct task *task, int looped)
{
    int status = looped < 0 ? EXIT_CANCELLED : exit_of_state(session_state(task->session));

    if (!task_end(task, looped < 0 ? "cancelled" : NULL, NULL) && status == EXIT_DONE)
        status = EXIT_OWN_FAILURE;
    return status;
}

static int work(const struct arguments *arguments, unsigned flags)
{
    struct task task = {0};
    struct buf text;
    struct err err = {0};
    const struct executor *executor = task_executor(arguments, executor_for_file(arguments->words[0]), &err);
    int status = command_info(arguments->command)->failure, looped;

    buf_init(&text, PROGRAM_MAX + 1);
    if (!executor || program_read(arguments->words[0], &text, &err) < 0 ||
        task_open(&task, arguments, NULL, flags, &err) < 0) {
        print_failure(&err);
    } else if (start(&task, arguments, executor, &text, &err) < 0) {
        print_failure(&err);
        task_end(&task, "failed", NULL);
        task_done(&task);
    } else {
        looped = loop_engine(task.engine);
        status = arguments->command == COMMAND_CHECK ? finish_check(&task, looped) : finish_run(&task, looped);
        task_done(&task);
    }
    buf_done(&text);
    return status;
}

int command_run(const struct arguments *arguments)
{
    return work(arguments, TASK_LOG | TASK_ENGINE | (strcmp(arguments->words[0], "-") ? TASK_STDIN : 0));
}

int command_check(const struct arguments *arguments)
{
    return work(arguments, TASK_ENGINE);
}
