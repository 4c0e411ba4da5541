/*
 * `techo exec`: this process is the supervisor. The command has the caller's
 * standard streams; refusals are told on standard error, one line each.
 */
#include "exec_internal.h"

#include "cell_internal.h"
#include "start_internal.h"
#include "supervisor_internal.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

/* docs/policy.md, exit statuses */
enum {
    EXIT_LIMIT = 123,
    EXIT_TIME = 124,
    EXIT_FAILED = 125,
    EXIT_REFUSED = 126,
    EXIT_NO_COMMAND = 127,
    EXIT_SIGNAL = 128,
    EXIT_CANCELLED = 130,
    EXIT_MEMORY = 137,
};
enum { LINE_MAX_BYTES = 16 << 10, POLICY_MAX = 128 << 10 };

struct exec {
    const char *ceiling, *folder;
    enum sandbox_notify notify;
    bool direct;
    bool allow_asked;
    char **command;
    char state[PATH_MAX]; /* the application's folder; "" when unknown */
    char root[PATH_MAX];
    const char *home; /* NULL: unknown; else `home_text` */
    char home_text[PATH_MAX];
    int status;
    bool refused; /* something that it wrote was not carried over */
};

/* ---- words for people ------------------------------------------------------------------------------------------- */

/* One line: whatever is not plain text is shown as \xNN, so that nothing reaches the terminal as a command. */
static void say(const char *text)
{
    struct buf line;

    buf_init(&line, 4 * LINE_MAX_BYTES);
    buf_add_text(&line, "techo: ");
    for (const char *at = text; *at; at++) {
        if (*at >= ' ' && *at < 0x7f) {
            buf_add_char(&line, *at);
        } else {
            buf_addf(&line, "\\x%02x", (unsigned char)*at);
        }
    }
    buf_add_char(&line, '\n');
    if (line.data) {
        ssize_t wrote = write(STDERR_FILENO, line.data, line.len);
        (void)wrote; /* there is nobody else to tell */
    }
    buf_done(&line);
}

/* The lines of a policy error are ours, and its caret must stay where it is. */
static void say_lines(char *text)
{
    char *rest = text;

    for (char *line; (line = strsep(&rest, "\n"));) {
        say(line);
    }
}

static void say_denial(const struct exec *exec, const struct report_access *access)
{
    struct buf line;

    buf_init(&line, LINE_MAX_BYTES);
    buf_addf(&line, "denied: %s ", access_want_name(access->want));
    scope_display(access->resolved, exec->root, exec->home, &line);
    if (access->layer == LAYER_SUPERVISOR && access->missing == PERMISSION_FILE_WRITE) {
        buf_add_text(&line, " (answered, supervisor): the name is protected, and no run writes it");
        say(line.data ? line.data : "denied");
        buf_done(&line);
        return;
    }
    buf_addf(&line, " (%s%s): ", access->answered ? "answered, " : "", sandbox_layer_name(access->layer));
    size_t before = line.len;
    grant_add_item(access->missing, access->resolved, exec->root, exec->home, &line);
    if (line.len == before) { /* no item can name it */
        buf_add_text(&line, permission_name(access->missing));
    }
    buf_add_text(&line, " is not granted");
    if (line.data) {
        say(line.data);
    }
    buf_done(&line);
}

static int exit_status(const struct report_exit *end)
{
    switch (end->status) {
    case STATUS_WALL:
    case STATUS_CPU:
        return EXIT_TIME;
    case STATUS_OUTPUT:
    case STATUS_PROCESSES:
    case STATUS_DISK:
        return EXIT_LIMIT;
    case STATUS_MEMORY:
        return EXIT_MEMORY;
    case STATUS_CANCELLED:
        return EXIT_CANCELLED;
    case STATUS_REFUSED:
    case STATUS_BLOCKED:
        return EXIT_REFUSED;
    case STATUS_SETUP:
        return end->code == EXIT_NO_COMMAND ? EXIT_NO_COMMAND : EXIT_FAILED;
    default:
        return end->signal ? EXIT_SIGNAL + end->signal : end->code;
    }
}

/* Of the command, on a terminal that it may not have itself. */
static void write_all(int fd, const char *bytes, size_t len)
{
    while (len > 0) {
        ssize_t wrote = write(fd, bytes, len);
        if (wrote < 0 && errno != EINTR) {
            return;
        }
        bytes += wrote > 0 ? wrote : 0;
        len -= wrote > 0 ? (size_t)wrote : 0;
    }
}

static void take_report(void *context, struct report *report)
{
    struct exec *exec = context;

    if (report->kind == REPORT_OUTPUT) {
        write_all(report->output.stream, report->output.bytes, report->output.len);
    } else if (report->kind == REPORT_ACCESS && report->access.verdict == ACCESS_DENIED && report->access.count == 1) {
        say_denial(exec, &report->access);
    } else if (report->kind == REPORT_EFFECT) {
        exec->refused = exec->refused || report->effect.kind == EFFECT_REFUSED;
    } else if (report->kind == REPORT_EXIT) {
        bool untold = exec->refused && report->exit.status == STATUS_OK;
        exec->status = exit_status(&report->exit);
        if (untold || (report->exit.status != STATUS_OK && report->exit.status != STATUS_ERROR &&
            report->exit.status != STATUS_SIGNAL && report->exit.status != STATUS_DENIED && report->exit.message)) {
            say(report->exit.message);
        }
    }
}

/* ---- arguments and policy --------------------------------------------------------------------------------------- */

/* What --answer says in a person's place; nothing is remembered beyond this run. */
static bool read_answer(const char *word, bool *ret_allow)
{
    *ret_allow = strcmp(word, "once") == 0 || strcmp(word, "session") == 0;
    return *ret_allow || strcmp(word, "deny") == 0 || strcmp(word, "never") == 0;
}

/* 1: understood; 0: an option of the application's; -1: it misses its value. */
static int read_arguments(int argc, char **argv, struct exec *exec)
{
    int i = 0;

    for (; i < argc && argv[i][0] == '-'; i++) {
        if (strcmp(argv[i], "--") == 0) {
            i++;
            break;
        }
        bool valued = strcmp(argv[i], "-c") == 0 || strcmp(argv[i], "-d") == 0;
        if (valued && i + 1 == argc) {
            return -1;
        }
        if (valued && argv[i][1] == 'c') {
            exec->ceiling = argv[++i];
        } else if (valued) {
            exec->folder = argv[++i];
        } else if (strcmp(argv[i], "--notify=observe") == 0 || strcmp(argv[i], "--notify=answer") == 0) {
            exec->notify = argv[i][9] == 'o' ? NOTIFY_OBSERVE : NOTIFY_ANSWER;
        } else if (strncmp(argv[i], "--answer=", 9) == 0 && read_answer(argv[i] + 9, &exec->allow_asked)) {
            continue;
        } else if (strcmp(argv[i], "--direct") == 0) {
            exec->direct = true;
        } else {
            return 0;
        }
    }
    exec->command = argv + i;
    return i < argc ? 1 : -1;
}

/* The ceiling is the grant. *ret_granted is owned. */
static int read_policy(const struct exec *exec, char **ret_granted, struct err *err)
{
    struct policy ceiling = {0};
    struct grant grant = {0};
    struct buf granted;
    int result = policy_parse(exec->ceiling, &ceiling, err);
    struct grant_input input = {.root = exec->root,
                                .home = exec->home,
                                .ceiling = &ceiling,
                                .default_is_ceiling = true,
                                .ambient = AMBIENT_WHOLE_CEILING};

    buf_init(&granted, POLICY_MAX);
    if (result == 0) {
        result = grant_compute(&input, &grant, err);
    }
    for (size_t i = 0; result == 0 && i < grant.count; i++) {
        if (grant.rows[i].state == GRANT_UNSERVED) {
            result = err_set(err, -EOPNOTSUPP, "%s%s%s: %s", grant.rows[i].name, grant.rows[i].scope ? "=" : "",
                             grant.rows[i].scope ? grant.rows[i].scope : "",
                             grant.rows[i].why ? grant.rows[i].why : "not served by this build");
        }
    }
    if (result == 0 && grant_format(&grant, &granted) < 0) {
        result = err_set(err, -E2BIG, "the ceiling is too long");
    }
    if (result == 0) {
        *ret_granted = buf_steal(&granted);
    }
    buf_done(&granted);
    grant_done(&grant);
    policy_done(&ceiling);
    return result;
}

/* The environment, with what `env=NAME` grants of the caller's. The list is owned; its texts stay to the end. */
static const char **make_environment(const char *granted)
{
    struct policy policy;
    size_t count = 0, at = 0;
    const char **env;

    if (policy_parse(granted, &policy, NULL) < 0) {
        return NULL;
    }
    while (sandbox_command_env[count]) {
        count++;
    }
    env = calloc(count + policy.count + 2, sizeof *env);
    for (; env && at < count; at++) {
        env[at] = sandbox_command_env[at];
    }
    for (size_t i = 0; env && i < policy.count; i++) {
        const char *name = policy.items[i].scope;
        size_t len = name ? strlen(name) : 0;
        for (char **own = environ; policy.items[i].permission == PERMISSION_ENV && name && *own; own++) {
            if (strncmp(*own, name, len) == 0 && (*own)[len] == '=') {
                env[at] = strdup(*own);
                at += env[at] != NULL;
            }
        }
    }
    policy_done(&policy);
    return env;
}

/* ---- the run ---------------------------------------------------------------------------------------------------- */

/* The caller's terminal, if there is one, and how it was set. */
struct terminal {
    int fd; /* -1: none */
    struct termios settings;
};

static void keep_terminal(struct terminal *terminal)
{
    terminal->fd = STDERR_FILENO;
    while (terminal->fd >= 0 && tcgetattr(terminal->fd, &terminal->settings)) {
        terminal->fd--;
    }
}

/* The command may have changed it, or may have been killed before it could undo that. */
static void give_terminal_back(const struct terminal *terminal)
{
    if (terminal->fd >= 0 && tcgetpgrp(terminal->fd) == getpgrp()) { /* else it is another job's by now */
        (void)tcsetattr(terminal->fd, TCSADRAIN, &terminal->settings);
    }
}

static int open_signals(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGQUIT);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* A copy: the environment is forgotten before the run. */
static void find_home(struct exec *exec)
{
    const char *home = getenv("HOME");

    if (home && strlen(home) < sizeof exec->home_text) {
        memcpy(exec->home_text, home, strlen(home) + 1);
        exec->home = exec->home_text;
    }
}

/* Where the application keeps its sessions, which no run writes. */
static void find_state(const char *home, char ret_folder[PATH_MAX])
{
    const char *state = getenv("XDG_STATE_HOME");
    int len = state && state[0] == '/' ? snprintf(ret_folder, PATH_MAX, "%s/techo", state)
                                       : snprintf(ret_folder, PATH_MAX, "%s/.local/state/techo", home ? home : "");

    if (len >= PATH_MAX) {
        ret_folder[0] = '\0';
    }
}

static int run_command(struct exec *exec, const char *granted, struct err *err)
{
    struct sandbox_base base[64];
    size_t base_count = 0;
    const char **env = make_environment(granted);
    int signals;

    if (!env) {
        return err_set(err, -ENOMEM, "no memory");
    }
    start_forget_environment(); /* keys, for example */
    for (size_t i = 0; sandbox_command_base[i] && base_count < sizeof base / sizeof base[0]; i++) {
        if (access(sandbox_command_base[i], F_OK) == 0) {
            base[base_count++].path = sandbox_command_base[i];
        }
    }
    const char *const own[] = {exec->state[0] ? exec->state : NULL, NULL};
    const struct sandbox_request request = {
        .root = exec->root,
        .direct = exec->direct,
        .own = own,
        .granted = granted,
        .base = base,
        .base_count = base_count,
        .argv = (const char *const *)exec->command,
        .env = env,
        .notify = exec->notify,
        .terminal = true,
        .stdin_fd = STDIN_FILENO,
    };
    int outer = cell_enter_outer(err);
    if (outer < 0 && outer != -EPERM) {
        free(env);
        return -EOPNOTSUPP;
    }
    struct terminal terminal;
    signals = open_signals();
    const struct supervisor_options options = {.request = &request,
                                               .stdio = {0, 1, 2},
                                               .client = -1,
                                               .signals = signals,
                                               .report = take_report,
                                               .allow_asked = exec->allow_asked,
                                               .context = exec,
                                               .bare = outer < 0 ? err->text : NULL};
    keep_terminal(&terminal);
    supervisor_run(&options);
    give_terminal_back(&terminal);
    close_descriptor(&signals);
    free(env);
    return 0;
}

int exec_main(int argc, char **argv)
{
    static struct exec exec;
    struct err err = {0};
    char *granted = NULL;
    int result;

    exec = (struct exec){.ceiling = "sandbox", .folder = ".", .status = EXIT_FAILED};
    result = read_arguments(argc, argv, &exec);
    if (result == 0) {
        return -1;
    }
    if (result < 0) {
        say("usage: techo exec [-c CEILING] [-d DIR] [--notify=observe] [--direct] [--answer=deny|once] -- COMMAND [ARGUMENT...]");
        return EXIT_FAILED;
    }
    find_home(&exec);
    find_state(exec.home, exec.state);
    if (!realpath(exec.folder, exec.root)) {
        result = err_errno(&err, -errno, "%s", exec.folder);
    } else {
        result = read_policy(&exec, &granted, &err);
    }
    if (result == 0) {
        result = run_command(&exec, granted, &err);
    }
    free(granted);
    if (result < 0) {
        say_lines(err.text);
        return result == -EOPNOTSUPP ? EXIT_REFUSED : EXIT_FAILED;
    }
    return exec.status;
}
