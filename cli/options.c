/* The tables of commands and options, and the reader of command lines that works from them. */
#include "options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_ANY = 1u << 20 };

static const struct command_info commands[_COMMAND_MAX] = {
    [COMMAND_TUI] = {"", "[FILE.jsonl]", 0, 1, false, 2, "the screen: ask, run, look, or replay a saved session",
                     "With FILE.jsonl it replays that session and runs nothing."},
    [COMMAND_RUN] =
        {"run", "FILE|-", 1, 1, false, 125, "run one program in the sandbox",
         "Exits as the program did; 123 output, processes or disk; 124 wall or cpu; 125 usage, policy, set-up or "
         "techo's own failure; 126 refused or blocked; 128+n signal n; 130 cancelled; 137 memory."},
    [COMMAND_EXEC] =
        {"exec", "-- COMMAND [ARG...]", 1, WORDS_ANY, true, 125, "run any command in the sandbox",
         "The ceiling is what it gets. Exits as `techo run` does, and with 127 when there is no such command."},
    [COMMAND_ASK] =
        {"ask", "QUESTION", 1, 1, false, 2, "ask a model, run the program that it answers with",
         "Prints the answer. Exits with 1 when there is no accepted answer. With --case, QUESTION may be the id of "
         "one of its questions."},
    [COMMAND_BENCH] = {"bench", "[CASE]", 0, 1, false, 2, "a case's questions through executors, scored and timed",
                       "CASE is `analytics` when it is left out. Exits with 1 when an answer is wrong or missing."},
    [COMMAND_ESCAPES] = {"escapes", "[ID...]", 0, WORDS_ANY, false, 2, "escape attempts, and what stopped each",
                         "Exits with 1 when an outcome is not the expected one."},
    [COMMAND_WHY] =
        {"why", "PERMISSION | FILE[:SEQ]", 1, 1, false, 2,
         "would it be granted, and by which rule; each refusal of a session",
         "Exits with 0 when everything is granted and with 1 when something is not. PERMISSION is an item of the "
         "policy language, as in file.read=./data/sales.csv. With -c, a session's refusals are judged again "
         "under that ceiling; later behaviour of the program might differ."},
    [COMMAND_CHECK] = {"check", "FILE|-", 1, 1, false, 2, "read a program without running it",
                       "Exits with 1 when a finding would block it."},
    [COMMAND_REPLAY] = {"replay", "FILE", 1, 1, false, 2, "show a saved session; nothing runs",
                        "On a terminal it opens the screen; elsewhere, or with --plain or --out, it prints lines."},
    [COMMAND_SESSIONS] = {"sessions", "[list|show|rm] [NAME...]", 0, WORDS_ANY, false, 2,
                          "list, show or remove saved sessions", NULL},
    [COMMAND_DOCTOR] = {"doctor", "", 0, 0, false, 2, "what this machine enforces, tried for real",
                        "Exits with 1 when a guarantee does not hold."},
    [COMMAND_HELP] = {"help", "[COMMAND]", 0, 1, false, 2, "this text, or a command's", NULL},
    [COMMAND_VERSION] = {"version", "", 0, 0, false, 2, "the version", NULL},
};

#define ON(command) (1u << COMMAND_##command)
#define RUNS (ON(RUN) | ON(ASK) | ON(BENCH) | ON(TUI))
#define EVERY                                                                                                          \
    (ON(RUN) | ON(EXEC) | ON(ASK) | ON(BENCH) | ON(ESCAPES) | ON(WHY) | ON(CHECK) | ON(REPLAY) | ON(SESSIONS) |        \
     ON(DOCTOR))

static const struct option_info options[_OPTION_MAX] = {
    [OPTION_LANGUAGE] = {'l', "language", OPTION_TEXT, "LANG", "the program's language (default: by the file's suffix)",
                         ON(RUN) | ON(ASK) | ON(CHECK)},
    [OPTION_EXECUTOR] = {'x', "executor", OPTION_TEXT, "EXECUTOR", "where it runs: python@sandbox, sql@sandbox", RUNS | ON(ESCAPES)},
    [OPTION_CEILING] = {'c', "ceiling", OPTION_TEXT, "CEILING",
                        "the most that a program may get: stdout,file.read=./data/*",
                        ON(RUN) | ON(EXEC) | ON(ASK) | ON(WHY) | ON(CHECK)},
    [OPTION_DIR] = {'d', "dir", OPTION_TEXT, "DIR", "the session's folder; relative paths mean it",
                    ON(RUN) | ON(EXEC) | ON(ASK) | ON(WHY) | ON(CHECK) | ON(TUI)},
    [OPTION_CASE] = {0, "case", OPTION_TEXT, "CASE", "a shipped case by name, or a folder with case.json",
                     ON(RUN) | ON(EXEC) | ON(ASK) | ON(WHY) | ON(CHECK) | ON(TUI)},
    [OPTION_MODEL] = {0, "model", OPTION_TEXT, "MODEL", "recorded, or recorded:FILE", ON(ASK) | ON(BENCH) | ON(TUI)},
    [OPTION_ATTEMPTS] = {0, "attempts", OPTION_COUNT, "N",
                         "programs that the model may try for one question (default 3)", ON(ASK) | ON(BENCH) | ON(TUI)},
    [OPTION_INSTANT] = {0, "instant", OPTION_FLAG, NULL, "recorded answers come without their recorded times",
                        ON(ASK) | ON(BENCH) | ON(TUI)},
    [OPTION_INSPECT] = {0, "inspect", OPTION_CHOICE, "block|warn|off",
                        "what a finding does before the run (default block)", RUNS},
    [OPTION_NOTIFY] = {0, "notify", OPTION_CHOICE, "answer|observe",
                       "refuse with one clear error, or only watch while the kernel refuses (default answer)",
                       RUNS | ON(EXEC) | ON(ESCAPES)},
    [OPTION_DIRECT] = {0, "direct", OPTION_FLAG, NULL,
                       "what file.write grants is written at once, not when the run has ended well", ON(RUN) | ON(ASK) | ON(TUI) | ON(EXEC)},
    [OPTION_UNSAFE] = {0, "unsafe", OPTION_FLAG, NULL,
                       "run in a decoy cell, a throw-away copy of the session's folder; recorded, and typed each time",
                       ON(RUN) | ON(EXEC) | ON(ASK) | ON(ESCAPES)},
    [OPTION_WITHOUT] = {0, "without", OPTION_TEXT, "LAYER",
                        "with --unsafe: switch a layer off: namespaces, mounts, landlock, seccomp, rlimits, cgroup, "
                        "notify",
                        ON(RUN) | ON(EXEC) | ON(ASK) | ON(ESCAPES)},
    [OPTION_ANSWER] = {0, "answer", OPTION_CHOICE, "deny|once|session|never",
                       "what is said to a permission that the ceiling has as ? (default deny; on the screen you are asked)",
                       ON(RUN) | ON(ASK) | ON(TUI) | ON(EXEC)},
    [OPTION_PREAMBLE] = {0, "preamble", OPTION_TEXT, "FILE",
                         "lines that are put before every program; their requires count",
                         ON(RUN) | ON(ASK) | ON(CHECK) | ON(TUI)},
    [OPTION_OUT] = {0, "out", OPTION_TEXT, "DIR",
                    "at the end, write what programs left in ./out into this folder; nothing is replaced",
                    ON(RUN) | ON(ASK) | ON(REPLAY)},
    [OPTION_TO] = {0, "to", OPTION_COUNT, "SEQ", "stop at this event", ON(REPLAY)},
    [OPTION_SPEED] = {0, "speed", OPTION_FACTOR, "N", "times the recorded speed (default 1; lines: at once)",
                      ON(REPLAY)},
    [OPTION_SCREEN] = {0, "screen", OPTION_TEXT, "NAME", "the screen to begin with", ON(TUI)},
    [OPTION_PLAIN] = {0, "plain", OPTION_FLAG, NULL, "lines, on a terminal too", ON(REPLAY)},
    [OPTION_JSON] = {0, "json", OPTION_FLAG, NULL, "the events, one JSON object a line; the last one is `end`", EVERY},
    [OPTION_HELP] = {'h', "help", OPTION_FLAG, NULL, "this text", EVERY | ON(TUI) | ON(HELP) | ON(VERSION)},
    [OPTION_VERSION] = {0, "version", OPTION_FLAG, NULL, "the version", ON(TUI)},
};

static const uint32_t lists[_OPTION_MAX] = {
    [OPTION_EXECUTOR] = ON(BENCH) | ON(ESCAPES),
    [OPTION_WITHOUT] = ON(RUN) | ON(EXEC) | ON(ASK) | ON(ESCAPES),
};

const struct command_info *command_info(enum command_id command)
{
    return &commands[command];
}

const struct option_info *option_info(enum option_id option)
{
    return &options[option];
}

bool option_takes_list(enum option_id option, enum command_id command)
{
    return lists[option] & (1u << command);
}

int command_find(const char *word)
{
    for (int i = COMMAND_TUI + 1; i < _COMMAND_MAX; i++)
        if (strcmp(commands[i].name, word) == 0)
            return i;
    return -1;
}

/* ---- the nearest word -------------------------------------------------------------------------------------------- */

enum { WORD_MAX = 24 };

/* Insertions, deletions, replacements and swaps of neighbours from a to b; more than WORD_MAX bytes are too far. */
static size_t distance(const char *a, const char *b)
{
    size_t rows[WORD_MAX + 1][WORD_MAX + 1], m = strlen(a), n = strlen(b);

    if (m > WORD_MAX || n > WORD_MAX)
        return WORD_MAX;
    for (size_t j = 0; j <= n; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= m; i++) {
        rows[i][0] = i;
        for (size_t j = 1; j <= n; j++) {
            size_t best = rows[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            if (rows[i - 1][j] + 1 < best)
                best = rows[i - 1][j] + 1;
            if (rows[i][j - 1] + 1 < best)
                best = rows[i][j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && rows[i - 2][j - 2] + 1 < best)
                best = rows[i - 2][j - 2] + 1;
            rows[i][j] = best;
        }
    }
    return rows[m][n];
}

struct nearest {
    const char *word; /* borrowed; NULL: none is near */
    size_t distance;
};

static void nearest_try(struct nearest *nearest, const char *typed, const char *word)
{
    size_t d = distance(typed, word);

    /* a third of it wrong is still the same word; more is a guess */
    if (d * 3 <= strlen(word) + 1 && (!nearest->word || d < nearest->distance))
        *nearest = (struct nearest){word, d};
}

static int fail_word(struct err *err, const char *what, const char *typed, const char *prefix,
                     const struct nearest *nearest, const char *help)
{
    if (nearest->word)
        return err_set(err, -EINVAL, "%s %s; did you mean %s%s?", what, typed, prefix, nearest->word);
    return err_set(err, -EINVAL, "%s %s; see `techo help%s%s`", what, typed, *help ? " " : "", help);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static bool allowed(const struct arguments *arguments, int option)
{
    return options[option].commands & (1u << arguments->command);
}

static int fail_option(const struct arguments *arguments, const char *typed, size_t len, struct err *err)
{
    struct nearest nearest = {NULL, 0};
    char word[64];

    len = len < sizeof(word) ? len : sizeof(word) - 1;
    memcpy(word, typed, len);
    word[len] = '\0';
    for (int i = 0; i < _OPTION_MAX; i++)
        if (allowed(arguments, i) && word[0] == '-' && word[1] == '-')
            nearest_try(&nearest, word + 2, options[i].name);
    return fail_word(err, "no such option:", word, "--", &nearest, commands[arguments->command].name);
}

/* "block|warn|off" has the word */
static bool choice_has(const char *choices, const char *word)
{
    size_t len = strlen(word);

    for (const char *at = choices; at; at = strchr(at, '|')) {
        at += *at == '|';
        if (strncmp(at, word, len) == 0 && (at[len] == '|' || at[len] == '\0') && len)
            return true;
    }
    return false;
}

static int check_value(const struct option_info *option, const char *value, struct err *err)
{
    char *end = NULL;

    switch (option->type) {
    case OPTION_CHOICE:
        if (choice_has(option->value, value))
            return 0;
        return err_set(err, -EINVAL, "--%s is one of %s, not %s", option->name, option->value, value);
    case OPTION_COUNT:
        errno = 0;
        if (value[0] >= '0' && value[0] <= '9' && strtoull(value, &end, 10) > 0 && *end == '\0' && errno == 0)
            return 0;
        return err_set(err, -EINVAL, "--%s is a whole number above 0, not %s", option->name, value);
    case OPTION_FACTOR:
        if (strtod(value, &end) > 0 && strtod(value, NULL) < 1e6 && *end == '\0')
            return 0;
        return err_set(err, -EINVAL, "--%s is a number above 0, not %s", option->name, value);
    default:
        return 0;
    }
}

static int take(struct arguments *arguments, int option, const char *value, struct err *err)
{
    if (arguments->value[option])
        return err_set(err, -EINVAL, "--%s is given twice", options[option].name);
    arguments->value[option] = value;
    return check_value(&options[option], value, err);
}

static int find_option(const struct arguments *arguments, const char *typed, size_t len)
{
    for (int i = 0; i < _OPTION_MAX; i++) {
        if (!allowed(arguments, i))
            continue;
        if (typed[1] == '-' ? strlen(options[i].name) == len - 2 && memcmp(options[i].name, typed + 2, len - 2) == 0
                            : options[i].letter == typed[1])
            return i;
    }
    return -1;
}

/* argv[*at] is an option: --name, --name=VALUE, -n, -nVALUE, each with the value in the next argument when it needs
 * one. */
static int read_option(struct arguments *arguments, int argc, char **argv, int *at, struct err *err)
{
    const char *typed = argv[*at], *value = NULL;
    bool is_long = typed[1] == '-';
    size_t len = is_long ? strcspn(typed, "=") : 2;
    int option = find_option(arguments, typed, len);

    if (option < 0)
        return fail_option(arguments, typed, len, err);
    if (typed[len])
        value = typed + len + (is_long ? 1 : 0);
    if (options[option].type == OPTION_FLAG) {
        if (value)
            return err_set(err, -EINVAL, "--%s takes no value", options[option].name);
        return take(arguments, option, "", err);
    }
    if (!value && *at + 1 >= argc)
        return err_set(err, -EINVAL, "--%s needs a value: %s", options[option].name, options[option].value);
    if (!value)
        value = argv[++*at];
    return take(arguments, option, value, err);
}

static int read_rest(struct arguments *arguments, int argc, char **argv, int at, struct err *err)
{
    const struct command_info *command = &commands[arguments->command];
    bool only_words = false;

    for (; at < argc; at++) {
        const char *typed = argv[at];
        if (!only_words && strcmp(typed, "--") == 0) {
            only_words = true;
        } else if (!only_words && typed[0] == '-' && typed[1]) {
            int code = read_option(arguments, argc, argv, &at, err);
            if (code < 0)
                return code;
        } else {
            arguments->words[arguments->word_count++] = typed;
            only_words |= command->words_end_options;
        }
    }
    if (arguments_has(arguments, OPTION_HELP) || arguments_has(arguments, OPTION_VERSION))
        return 0;
    if (arguments->word_count < command->words_min)
        return err_set(err, -EINVAL, "usage: techo %s %s", command->name, command->words);
    if (arguments->word_count > command->words_max)
        return err_set(err, -EINVAL, "one word too many: %s; usage: techo %s %s", arguments->words[command->words_max],
                       command->name, command->words);
    return 0;
}

int command_unknown(const char *typed, struct err *err)
{
    struct nearest nearest = {NULL, 0};

    for (int i = COMMAND_TUI + 1; i < _COMMAND_MAX; i++)
        nearest_try(&nearest, typed, commands[i].name);
    return fail_word(err, "no such command:", typed, "", &nearest, "");
}

/* A word that is no command may be a session's file. */
static bool looks_like_file(const char *word)
{
    size_t len = strlen(word);

    return strchr(word, '/') || (len > 6 && strcmp(word + len - 6, ".jsonl") == 0);
}

/* --json counts even on a line that cannot be read: its reader waits for an `end`. */
static void find_json(struct arguments *arguments, int argc, char **argv)
{
    for (int i = 2; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (allowed(arguments, OPTION_JSON) && strcmp(argv[i], "--json") == 0)
            arguments->value[OPTION_JSON] = "";
}

int arguments_parse(int argc, char **argv, struct arguments *ret_arguments, struct err *err)
{
    struct arguments arguments = {.command = COMMAND_TUI};
    int command = argc > 1 ? command_find(argv[1]) : -1, code;

    arguments.words = calloc((size_t)argc + 1, sizeof(*arguments.words));
    if (!arguments.words)
        return err_set(err, -ENOMEM, "out of memory");
    if (command >= 0)
        arguments.command = (enum command_id)command;
    if (command < 0 && argc > 1 && argv[1][0] != '-' && !looks_like_file(argv[1]))
        code = command_unknown(argv[1], err);
    else
        code = read_rest(&arguments, argc, argv, command >= 0 ? 2 : 1, err);
    if (code < 0)
        find_json(&arguments, argc, argv);
    *ret_arguments = arguments;
    return code;
}

void arguments_done(struct arguments *arguments)
{
    free(arguments->words);
    arguments->words = NULL;
}

bool arguments_has(const struct arguments *arguments, enum option_id option)
{
    return arguments->value[option] != NULL;
}

uint64_t arguments_count(const struct arguments *arguments, enum option_id option, uint64_t fallback)
{
    return arguments->value[option] ? strtoull(arguments->value[option], NULL, 10) : fallback;
}

double arguments_factor(const struct arguments *arguments, enum option_id option, double fallback)
{
    return arguments->value[option] ? strtod(arguments->value[option], NULL) : fallback;
}
