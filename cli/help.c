/* techo help and techo version, from the tables of options.h. */
#include "commands.h"

#include <string.h>

#include "exits.h"
#include "print.h"

enum { WIDTH = 100, INDENT = 30, LINE_BYTES = 4096 };

/* Breaks a text between words. */
static void print_wrapped(const char *text)
{
    while (*text) {
        size_t len = strlen(text), end = len;
        if (len > WIDTH)
            for (end = WIDTH; end && text[end] != ' '; end--)
                ;
        if (!end)
            end = len;
        print_row("%.*s", (int)end, text);
        text += end;
        text += *text == ' ';
    }
}

static void print_option(const struct option_info *option, bool list)
{
    struct buf line;

    buf_init(&line, LINE_BYTES);
    if (option->letter)
        buf_addf(&line, "  -%c, --%s", option->letter, option->name);
    else
        buf_addf(&line, "      --%s", option->name);
    if (option->value)
        buf_addf(&line, " %s", option->value);
    print_row("%-*s %s%s", INDENT, line.data, option->about, list ? "; several with commas" : "");
    buf_done(&line);
}

static void print_options(enum command_id command)
{
    for (int i = 0; i < _OPTION_MAX; i++) {
        const struct option_info *option = option_info((enum option_id)i);
        if (option->commands & (1u << command))
            print_option(option, option_takes_list((enum option_id)i, command));
    }
}

static void print_command(enum command_id id)
{
    const struct command_info *command = command_info(id);

    print_row("techo %s%s[OPTIONS]%s%s", command->name, *command->name ? " " : "", *command->words ? " " : "",
              command->words);
    print_row("%s", "");
    print_wrapped(command->about);
    if (command->more)
        print_wrapped(command->more);
    print_row("%s", "");
    print_options(id);
}

static void print_all(void)
{
    print_row("techo " TECHO_VERSION ": run what a language model wrote, see what it tries, keep it in.");
    print_row("%s", "");
    print_row("%-*s %s", INDENT, "  techo [FILE.jsonl]", command_info(COMMAND_TUI)->about);
    for (int i = COMMAND_TUI + 1; i < _COMMAND_MAX; i++) {
        const struct command_info *command = command_info((enum command_id)i);
        struct buf line;
        buf_init(&line, LINE_BYTES);
        buf_addf(&line, "  %s %s", command->name, command->words);
        print_row("%-*s %s", INDENT, line.data, command->about);
        buf_done(&line);
    }
    print_row("%s", "");
    print_row("Options of the screen (each command has its own: techo help COMMAND):");
    print_options(COMMAND_TUI);
}

int command_help(const struct arguments *arguments)
{
    struct err err;
    int command = arguments->word_count ? command_find(arguments->words[0]) : COMMAND_TUI;

    if (command < 0) {
        command_unknown(arguments->words[0], &err);
        print_failure(&err);
        return EXIT_USAGE;
    }
    if (command == COMMAND_TUI)
        print_all();
    else
        print_command((enum command_id)command);
    return EXIT_DONE;
}

int command_version(const struct arguments *arguments)
{
    (void)arguments;
    print_row("techo " TECHO_VERSION);
    return EXIT_DONE;
}
