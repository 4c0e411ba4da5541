/* The application: which command, and whether it draws a screen. (bin/techo has started the spawner before it.) */
#include "commands.h"

#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "../tui/tui.h"
#include "exits.h"
#include "loop.h"
#include "print.h"
#include "saved.h"
#include "task.h"

enum { PATH_BYTES = 64 * 1024 };

static bool on_terminal(void)
{
    return isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1;
}

static int run_screen(const struct tui_options *options)
{
    struct err err = {0};
    int status = tui_run(options, &err);

    if (status >= 0)
        return status == 0 ? EXIT_DONE : 128 + status; /* a signal asked to leave */
    print_failure(&err);
    return EXIT_USAGE;
}

static int screen_of_recording(const struct arguments *arguments)
{
    struct tui_options options = {.screen = arguments->value[OPTION_SCREEN]};
    struct buf path;
    struct err err = {0};
    int status = EXIT_USAGE;

    options.speed = arguments_factor(arguments, OPTION_SPEED, 1);
    options.to = arguments_count(arguments, OPTION_TO, 0);
    buf_init(&path, PATH_BYTES);
    if (saved_find(arguments->words[0], &path, &err) < 0 || replay_new(path.data, &options.replay, &err) < 0)
        print_failure(&err);
    else
        status = run_screen(&options);
    replay_free(options.replay);
    buf_done(&path);
    return status;
}

static int screen_of_session(const struct arguments *arguments)
{
    const struct executor *executor;
    struct task task;
    struct err err = {0};
    int status = EXIT_USAGE;

    executor = task_executor(arguments, executor_at(0), &err);
    if (!executor ||
        task_open(&task, arguments, NULL, TASK_LOG | TASK_ENGINE | TASK_OWN_FOLDER | TASK_SCREEN, &err) < 0) {
        print_failure(&err);
        return status;
    }
    status = run_screen(&(struct tui_options){
        .engine = task.engine,
        .session = task.session,
        .kase = task.kase,
        .screen = arguments->value[OPTION_SCREEN],
        .executor = executor->name,
        .speed = 1,
    });
    task_end(&task, NULL, NULL);
    task_done(&task);
    return status;
}

static int command_tui(const struct arguments *arguments)
{
    if (!on_terminal()) {
        struct err err;
        err_set(&err, -ENOTTY,
                "the screen needs a terminal. Without one: `techo run FILE`, `techo bench`, "
                "`techo replay FILE --plain`; see `techo help`");
        print_failure(&err);
        return EXIT_USAGE;
    }
    return arguments->word_count ? screen_of_recording(arguments) : screen_of_session(arguments);
}

static bool draws(const struct arguments *arguments)
{
    if (arguments->command == COMMAND_TUI)
        return true;
    return arguments->command == COMMAND_REPLAY && on_terminal() && !arguments_has(arguments, OPTION_PLAIN) &&
           !arguments_has(arguments, OPTION_OUT) && !arguments_has(arguments, OPTION_JSON);
}

static int (*const commands[_COMMAND_MAX])(const struct arguments *arguments) = {
    [COMMAND_TUI] = command_tui,           [COMMAND_RUN] = command_run,       [COMMAND_EXEC] = command_exec,
    [COMMAND_ASK] = command_ask,           [COMMAND_BENCH] = command_bench,   [COMMAND_ESCAPES] = command_escapes,
    [COMMAND_WHY] = command_why,           [COMMAND_CHECK] = command_check,   [COMMAND_REPLAY] = command_replay,
    [COMMAND_SESSIONS] = command_sessions, [COMMAND_DOCTOR] = command_doctor, [COMMAND_HELP] = command_help,
    [COMMAND_VERSION] = command_version,
};

/* --help and --version stand in for the commands of these names. */
static void follow_flags(struct arguments *arguments)
{
    if (arguments_has(arguments, OPTION_HELP)) {
        arguments->words[0] = command_info(arguments->command)->name;
        arguments->word_count = arguments->command == COMMAND_TUI ? 0 : 1;
        arguments->command = COMMAND_HELP;
    } else if (arguments_has(arguments, OPTION_VERSION)) {
        arguments->command = COMMAND_VERSION;
    }
}

int main(int argc, char **argv)
{
    struct arguments arguments;
    struct err err = {0};
    int status, code;

    setlocale(LC_ALL, "");
    /* a reader that goes away, and a file size limit on the log, are errors of a write and no end of the program */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    code = arguments_parse(argc, argv, &arguments, &err);
    if (code == 0)
        follow_flags(&arguments);
    print_init(arguments_has(&arguments, OPTION_JSON));
    if (code == 0 && !draws(&arguments))
        code = loop_init(&err);
    if (code < 0) {
        print_failure(&err);
        status = command_info(arguments.command)->failure;
    } else if (draws(&arguments) && arguments.command == COMMAND_REPLAY) {
        status = screen_of_recording(&arguments);
    } else {
        status = commands[arguments.command](&arguments);
    }
    status = print_finish(status == EXIT_DONE ? "ok" : "failed", status, command_info(arguments.command)->failure);
    arguments_done(&arguments);
    return status;
}
