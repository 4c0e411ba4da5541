/* From a command line to a session and an engine. */
#include "task.h"

#include <errno.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lines.h"
#include "print.h"
#include "program.h"

enum { PATH_BYTES = 64 * 1024, LINE_BYTES = 1 << 20, ATTEMPTS = 3 };

const char *task_home(void)
{
    const char *home = getenv("HOME");
    const struct passwd *user;

    if (home && home[0] == '/')
        return home;
    user = getpwuid(geteuid());
    return user ? user->pw_dir : NULL;
}

enum sandbox_notify task_notify(const struct arguments *arguments)
{
    const char *mode = arguments->value[OPTION_NOTIFY];

    return mode && strcmp(mode, "observe") == 0 ? NOTIFY_OBSERVE : NOTIFY_ANSWER;
}

static enum inspect_mode inspect_mode(const struct arguments *arguments)
{
    const char *mode = arguments->value[OPTION_INSPECT];

    if (mode && strcmp(mode, "off") == 0)
        return INSPECT_OFF;
    return mode && strcmp(mode, "warn") == 0 ? INSPECT_WARN : INSPECT_BLOCK;
}

int task_unsafe(const struct arguments *arguments, bool *ret_unsafe, uint32_t *ret_without, struct err *err)
{
    const char *list = arguments->value[OPTION_WITHOUT];
    char *words = list ? strdup(list) : NULL, *at = words;
    uint32_t without = 0;
    int code = 0;

    if (list && !arguments_has(arguments, OPTION_UNSAFE))
        code = err_set(err, -EINVAL, "--without switches a layer of the sandbox off, in a decoy cell: type --unsafe too");
    while (code == 0 && at) {
        const char *word = strsep(&at, ",");
        int layer = sandbox_layer_find(word);
        if (layer < 0 || layer == LAYER_SUPERVISOR)
            code = err_set(err, -EINVAL,
                           "no such layer to switch off: %s; there is namespaces, mounts, landlock, seccomp, rlimits, "
                           "cgroup, notify",
                           word);
        else
            without |= 1u << layer;
    }
    free(words);
    if (code == 0) {
        *ret_unsafe = arguments_has(arguments, OPTION_UNSAFE);
        *ret_without = without;
    }
    return code;
}

void task_pass_output(void *context, const struct event *event, const struct state *state)
{
    struct buf bytes;

    (void)context;
    (void)state;
    if (event->kind != EVENT_OUTPUT)
        return;
    buf_init(&bytes, STATE_OUTPUT_MAX * 2);
    if (event_int(event, "dropped", 0) > 0)
        print_person("techo: %" PRId64 " bytes of standard %s are dropped here: only its beginning and its end are kept",
                     event_int(event, "dropped", 0), event_int(event, "stream", 1) == 2 ? "error" : "output");
    if (event_bytes(event, "bytes", &bytes) == 0)
        print_bytes((int)event_int(event, "stream", 1), bytes.data, bytes.len);
    buf_done(&bytes);
}

/* ---- executors --------------------------------------------------------------------------------------------------- */

static int fail_executor(const char *name, struct err *err)
{
    const struct executor *each;
    struct buf names;
    int code;

    buf_init(&names, PATH_BYTES);
    for (size_t i = 0; (each = executor_at(i)); i++)
        buf_addf(&names, "%s%s", i ? ", " : "", each->name);
    code =
        err_set(err, -EINVAL, "no such executor or language: %s; there is %s", name, names.data ? names.data : "none");
    buf_done(&names);
    return code;
}

const struct executor *task_executor(const struct arguments *arguments, const struct executor *fallback,
                                     struct err *err)
{
    const char *name = arguments->value[OPTION_EXECUTOR], *language = arguments->value[OPTION_LANGUAGE];
    const struct executor *found = fallback;

    if (name && language) {
        err_set(err, -EINVAL, "-l and -x both name where the program runs; give one");
        return NULL;
    }
    if (name)
        found = executor_find(name);
    else if (language)
        found = executor_for_language(language);
    if (!found)
        fail_executor(name ? name : language ? language : "?", err);
    return found;
}

const char **task_executors(const char *list, struct err *err)
{
    const char **names = calloc(strlen(list) / 2 + 2, sizeof(*names));
    char *words = strdup(list), *at = words;
    size_t count = 0;

    while (names && words && at) {
        const char *word = strsep(&at, ",");
        const struct executor *executor = executor_find(word);
        if (!executor) {
            fail_executor(word, err);
            free(names);
            names = NULL;
        } else {
            names[count++] = executor->name;
        }
    }
    if (!words)
        err_set(err, -ENOMEM, "out of memory");
    free(words);
    return names;
}

/* ---- case, root, ceiling ----------------------------------------------------------------------------------------- */

static bool is_case(const char *dir)
{
    struct buf path;
    bool found;

    buf_init(&path, PATH_BYTES);
    buf_addf(&path, "%s/case.json", dir);
    found = !path.failed && access(path.data, F_OK) == 0;
    buf_done(&path);
    return found;
}

static int locate_root(struct task *task, const char *dir, struct err *err)
{
    char *real = realpath(dir, NULL);
    struct stat info;
    int code = 0;

    if (!real)
        return err_errno(err, -errno, "cannot use the folder %s", dir);
    if (stat(real, &info) < 0 || !S_ISDIR(info.st_mode))
        code = err_set(err, -ENOTDIR, "%s is not a folder", dir);
    else if (access(real, R_OK | X_OK) < 0)
        code = err_errno(err, -errno, "cannot read the folder %s", dir);
    else
        buf_add_text(&task->root, real);
    free(real);
    return code;
}

static int locate_ceiling(struct task *task, const struct arguments *arguments, unsigned flags, struct err *err)
{
    const char *given = arguments->value[OPTION_CEILING];
    struct policy policy = {0};
    int code = 0;

    if (given) {
        buf_add_text(&task->ceiling, given);
        buf_add_text(&task->ceiling_source, "-c");
    } else {
        code = ceiling_default(task->kase, flags & TASK_OWN_FOLDER ? task->root.data : NULL, &task->ceiling,
                               &task->ceiling_source);
    }
    if (code < 0)
        return err_errno(err, code, "cannot look for data in %s", task->root.data);
    /* before anything is written: a slip of the pen makes no session */
    code = policy_parse(task->ceiling.data ? task->ceiling.data : "", &policy, err);
    policy_done(&policy);
    return code;
}

int task_locate(struct task *task, const struct arguments *arguments, const char *case_word, unsigned flags,
                struct err *err)
{
    const char *dir = arguments->value[OPTION_DIR];
    const char *name = arguments->value[OPTION_CASE] ? arguments->value[OPTION_CASE] : case_word;
    int code = 0;

    *task = (struct task){.artifacts.folder = -1};
    buf_init(&task->root, PATH_BYTES);
    buf_init(&task->ceiling, PATH_BYTES);
    buf_init(&task->ceiling_source, PATH_BYTES);
    buf_init(&task->preamble, PROGRAM_MAX + 1);
    if (dir && name)
        code = err_set(err, -EINVAL, "-d and --case both name the session's folder; give one");
    else if (dir && is_case(dir))
        name = dir;
    if (code == 0 && name)
        code = case_load(name, &task->kase, err);
    if (code == 0)
        code = locate_root(task, task->kase ? task->kase->dir : dir ? dir : ".", err);
    if (code == 0)
        code = locate_ceiling(task, arguments, flags, err);
    if (code == 0 && arguments->value[OPTION_PREAMBLE])
        code = program_read(arguments->value[OPTION_PREAMBLE], &task->preamble, err);
    if (code < 0)
        task_done(task);
    return code;
}

/* ---- session and engine ------------------------------------------------------------------------------------------ */

static void tell(void *context, const struct event *event, const struct state *state)
{
    struct task *task = context;
    struct buf line;

    buf_init(&line, LINE_BYTES);
    if (line_is_notable(event) && line_of_event(event, state, &line)) {
        print_person("techo: %s", line.data);
        task->told++;
    }
    buf_done(&line);
}

static void show(void *context, const struct event *event, const struct state *state)
{
    (void)context;
    (void)state;
    print_event(event);
}

static session_listener listener(unsigned flags)
{
    if (flags & TASK_SCREEN)
        return NULL;
    if (print_is_json())
        return show;
    return flags & TASK_QUIET ? NULL : tell;
}

/* The command as it was typed, without its options; empty for the screen. */
static void say_title(const struct arguments *arguments, struct buf *to)
{
    buf_add_text(to, command_info(arguments->command)->name);
    for (size_t i = 0; arguments->command != COMMAND_TUI && i < arguments->word_count; i++)
        buf_addf(to, " %s", arguments->words[i]);
}

/* A log that cannot be opened costs the log, not the answer. */
static int open_session(struct task *task, const struct arguments *arguments, unsigned flags, struct err *err)
{
    const char *model = arguments->value[OPTION_MODEL];
    struct session_options options = {.root = task->root.data, .columns = 80, .rows = 24};
    struct buf path, title;
    int code = 0;

    buf_init(&title, PATH_BYTES);
    say_title(arguments, &title);
    options.title = title.len && !title.failed ? title.data : NULL;
    options.attempts = arguments_count(arguments, OPTION_ATTEMPTS, ATTEMPTS);
    options.model = model ? model : "recorded";
    options.case_id = task->kase ? task->kase->id : NULL;
    options.case_title = task->kase ? task->kase->title : NULL;
    options.listener = listener(flags);
    options.listener_context = task;
    buf_init(&path, PATH_BYTES);
    if (flags & TASK_LOG) {
        struct err log_err;
        code = session_default_path(&path, &log_err);
        if (code == 0) {
            options.path = path.data;
            code = session_new(&options, &task->session, &log_err);
        }
        if (code < 0)
            print_person("techo: this session is not saved: %s", log_err.text);
    }
    if (!task->session) {
        options.path = NULL;
        code = session_new(&options, &task->session, err);
    }
    buf_done(&title);
    buf_done(&path);
    return code;
}

static int check_spawner(struct err *err)
{
    int type = 0;
    socklen_t len = sizeof(type);

    if (getsockopt(SANDBOX_SPAWNER_FD, SOL_SOCKET, SO_TYPE, &type, &len) == 0 && type == SOCK_SEQPACKET)
        return 0;
    return err_set(err, -ENOTCONN, "nothing can run: this program was not started by bin/techo");
}

/* Without the option the screen asks, and everybody else is refused. */
static enum engine_choice answer_choice(const struct arguments *arguments)
{
    const char *word = arguments->value[OPTION_ANSWER];

    for (int choice = CHOICE_DENY; word && choice < CHOICE_PERSON; choice++)
        if (strcmp(engine_choice_name((enum engine_choice)choice), word) == 0)
            return (enum engine_choice)choice;
    return arguments->command == COMMAND_TUI ? CHOICE_PERSON : CHOICE_DENY;
}

static int open_engine(struct task *task, const struct arguments *arguments, unsigned flags, struct err *err)
{
    const char *model = arguments->value[OPTION_MODEL];
    const struct engine_options options = {
        .session = task->session,
        .kase = task->kase,
        .root = task->root.data,
        .ceiling = task->ceiling.data,
        .ceiling_source = task->ceiling_source.data,
        .preamble = task->preamble.len ? task->preamble.data : NULL,
        .model = model ? model : "recorded",
        .spawner_fd = SANDBOX_SPAWNER_FD,
        .notify = task_notify(arguments),
        .answer = answer_choice(arguments),
        .direct = arguments_has(arguments, OPTION_DIRECT),
        .decoy = task->throwaway,
        .without = task->without,
        .inspect = inspect_mode(arguments),
        .attempts = (unsigned)arguments_count(arguments, OPTION_ATTEMPTS, ATTEMPTS),
        .own_stdin = (flags & TASK_STDIN) != 0,
        .instant = arguments_has(arguments, OPTION_INSTANT),
    };

    return engine_new(&options, &task->engine, err);
}

/* What is run unsafely is run on a copy. */
static int enter_throwaway(struct task *task, struct err *err)
{
    int code = throwaway_make(task->root.data, &task->throwaway, err);

    if (code == 0) {
        print_person("techo: UNSAFE: in a decoy cell, on a throw-away copy of %s", task->root.data);
        buf_clear(&task->root);
        buf_add_text(&task->root, task->throwaway);
    }
    return code;
}

int task_open(struct task *task, const struct arguments *arguments, const char *case_word, unsigned flags,
              struct err *err)
{
    int code = task_locate(task, arguments, case_word, flags, err);

    if (code < 0)
        return code;
    if (flags & TASK_SPAWNER)
        code = check_spawner(err);
    if (code == 0)
        code = task_unsafe(arguments, &task->unsafe, &task->without, err);
    if (code == 0 && task->unsafe && (flags & TASK_ENGINE) == TASK_ENGINE)
        code = enter_throwaway(task, err);
    if (code == 0)
        code = artifacts_open(arguments, &task->artifacts, err);
    if (code == 0)
        code = open_session(task, arguments, flags, err);
    if (code == 0 && task->artifacts.dir && session_listen(task->session, artifacts_take, &task->artifacts) < 0)
        code = err_set(err, -ENOMEM, "out of memory");
    if (code == 0 && (flags & TASK_ENGINE) == TASK_ENGINE)
        code = open_engine(task, arguments, flags, err);
    if (code < 0)
        task_done(task);
    return code;
}

bool task_end(struct task *task, const char *status, cJSON *totals)
{
    const struct state *state = session_state(task->session);
    const struct state_attempt *last = state->current ? state_last_attempt(state->current) : NULL;
    bool written;

    if (!status)
        status = last && last->exit.status ? last->exit.status : "failed";
    session_end(task->session, status, totals);
    written = artifacts_write(&task->artifacts);
    if (task->told && session_path(task->session))
        print_person("techo: session %s", session_path(task->session));
    return written;
}

void task_done(struct task *task)
{
    engine_free(task->engine);
    session_free(task->session);
    case_free(task->kase);
    throwaway_free(task->throwaway);
    artifacts_done(&task->artifacts);
    buf_done(&task->root);
    buf_done(&task->ceiling);
    buf_done(&task->ceiling_source);
    buf_done(&task->preamble);
    *task = (struct task){.artifacts.folder = -1};
}
