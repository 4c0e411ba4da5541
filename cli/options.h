/*
 * Every command and every option of every command, once. Parsing, `techo
 * help`, usage errors, completion and the man page come from these tables.
 */
#ifndef TECHO_CLI_OPTIONS_H
#define TECHO_CLI_OPTIONS_H

#include "../sandbox/base.h"

enum command_id {
    COMMAND_TUI, /* no command word: the screen */
    COMMAND_RUN,
    COMMAND_EXEC,
    COMMAND_ASK,
    COMMAND_BENCH,
    COMMAND_ESCAPES,
    COMMAND_WHY,
    COMMAND_CHECK,
    COMMAND_REPLAY,
    COMMAND_SESSIONS,
    COMMAND_DOCTOR,
    COMMAND_HELP,
    COMMAND_VERSION,
    _COMMAND_MAX
};

enum option_id {
    OPTION_LANGUAGE,
    OPTION_EXECUTOR,
    OPTION_CEILING,
    OPTION_DIR,
    OPTION_CASE,
    OPTION_MODEL,
    OPTION_ATTEMPTS,
    OPTION_INSTANT,
    OPTION_INSPECT,
    OPTION_NOTIFY,
    OPTION_UNSAFE,
    OPTION_WITHOUT,
    OPTION_DIRECT,
    OPTION_ANSWER,
    OPTION_PREAMBLE,
    OPTION_OUT,
    OPTION_TO,
    OPTION_SPEED,
    OPTION_SCREEN,
    OPTION_PLAIN,
    OPTION_JSON,
    OPTION_HELP,
    OPTION_VERSION,
    _OPTION_MAX
};

enum option_type {
    OPTION_FLAG,
    OPTION_TEXT,
    OPTION_CHOICE, /* `value` lists the words: "block|warn|off" */
    OPTION_COUNT,  /* an integer above 0 */
    OPTION_FACTOR, /* a number above 0 */
};

struct option_info {
    char letter; /* 0: none */
    const char *name;
    enum option_type type;
    const char *value; /* what help calls the value; NULL for a flag */
    const char *about;
    uint32_t commands; /* bit set of enum command_id */
};

struct command_info {
    const char *name;  /* "" for the screen */
    const char *words; /* what may follow, as help shows it */
    unsigned words_min, words_max;
    bool words_end_options; /* the first word ends the options: what follows is another program's */
    int failure;            /* exit status for a usage error and for techo's own failure */
    const char *about;      /* one phrase */
    const char *more;       /* sentences for `techo help COMMAND`; NULL */
};

/* A command line, read. All texts are borrowed from argv. */
struct arguments {
    enum command_id command;
    const char *value[_OPTION_MAX]; /* NULL: not given; "" for a flag that is given */
    const char **words;             /* owned array; ends with NULL */
    size_t word_count;
};

const struct command_info *command_info(enum command_id command);
/* -1 for a word that is no command. */
int command_find(const char *word);
/* -EINVAL, with the nearest command's name where one is near. */
int command_unknown(const char *word, struct err *err);
const struct option_info *option_info(enum option_id option);
/* Does it take several values there, with commas? */
bool option_takes_list(enum option_id option, enum command_id command);

/*
 * Reads argv[1] ... On failure (-EINVAL) err says what is wrong and names the nearest word; `command` and `--json` are
 * known nevertheless as far as they were read, so that the caller can end its output in the form that was asked for.
 */
int arguments_parse(int argc, char **argv, struct arguments *ret_arguments, struct err *err) MUST_USE;
void arguments_done(struct arguments *arguments);
bool arguments_has(const struct arguments *arguments, enum option_id option);
/* Of a COUNT or FACTOR option; the fallback when it is not given. */
uint64_t arguments_count(const struct arguments *arguments, enum option_id option, uint64_t fallback);
double arguments_factor(const struct arguments *arguments, enum option_id option, double fallback);

#endif
