/* techo sessions: list, show and remove saved sessions. */
#include "commands.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "exits.h"
#include "print.h"
#include "saved.h"

enum { PATH_BYTES = 64 * 1024 };

static int is_session(const struct dirent *entry)
{
    size_t len = strlen(entry->d_name);

    return entry->d_name[0] != '.' && len > 6 && strcmp(entry->d_name + len - 6, ".jsonl") == 0;
}

/* Its title, or what was asked first; and how much more was asked. */
static void list_title(const struct state *state)
{
    size_t count = state->question_count;
    const char *first = count && state->questions[0]->text ? state->questions[0]->text : "nothing was asked";

    if (state->title && count > 1)
        print_row("    %s (%zu questions)", state->title, count);
    else if (state->title || count <= 1)
        print_row("    %s", state->title ? state->title : first);
    else
        print_row("    %s (and %zu more)", first, count - 1);
}

/* The header of a session, with the name of its file. */
static void emit_header(const struct event *header, const char *name)
{
    struct event *event = event_copy(header);

    if (event) {
        event_set_text(event, "file", name);
        print_event(event);
    }
    event_free(event);
}

/* Two lines: when and how it ended, what it was. */
static void list_one(const char *path, const char *name)
{
    struct replay *replay = NULL;
    struct err err;
    const struct state *state;

    if (replay_new(path, &replay, &err) < 0) {
        print_row("%-34s unreadable: %s", name, err.text);
        return;
    }
    if (replay_count(replay))
        emit_header(replay_event(replay, 0), name);
    if (replay_seek(replay, replay_count(replay)) == 0) {
        state = replay_state(replay);
        print_row("%-34s %-20s %-10s %s", name, state->start ? state->start : "?",
                  state->end_status ? state->end_status : "no end", state->case_id ? state->case_id : "");
        list_title(state);
    }
    replay_free(replay);
}

static int list(void)
{
    struct buf folder, path;
    struct dirent **entries = NULL;
    struct err err = {0};
    int count, code;

    buf_init(&folder, PATH_BYTES);
    buf_init(&path, PATH_BYTES);
    code = session_folder(&folder, &err);
    count = code == 0 ? scandir(folder.data, &entries, is_session, alphasort) : 0;
    if (count < 0 && errno == ENOENT)
        count = 0;
    if (count < 0)
        code = err_errno(&err, -errno, "cannot read %s", folder.data);
    for (int i = 0; i < count; i++) {
        buf_clear(&path);
        buf_addf(&path, "%s/%s", folder.data, entries[i]->d_name);
        list_one(path.data, entries[i]->d_name);
        free(entries[i]);
    }
    if (code == 0 && count == 0)
        print_person("techo: there are no saved sessions in %s", folder.data);
    free(entries);
    buf_done(&folder);
    buf_done(&path);
    if (code < 0)
        print_failure(&err);
    return code < 0 ? EXIT_USAGE : EXIT_DONE;
}

static void show_question(const struct state_question *question)
{
    print_row("question %s: %s", question->id ? question->id : "-", question->text ? question->text : "?");
    for (size_t i = 0; i < question->attempt_count; i++) {
        const struct state_attempt *attempt = question->attempts[i];
        print_row("  attempt %" PRIu64 ": %s at %s, %s, denials: %" PRIu64 ", verdict: %s", attempt->number,
                  attempt->executor ? attempt->executor : "?", attempt->level ? attempt->level : "-",
                  attempt->exit.status ? attempt->exit.status : "did not run", attempt->denials,
                  attempt->verdict ? attempt->verdict : "none");
        if (attempt->least)
            print_row("    least ceiling: %s", attempt->least);
    }
}

static int show(const char *name)
{
    struct buf path;
    struct replay *replay = NULL;
    struct err err = {0};
    int code;

    buf_init(&path, PATH_BYTES);
    code = saved_find(name, &path, &err);
    if (code == 0)
        code = replay_new(path.data, &replay, &err);
    if (code == 0 && replay_seek(replay, replay_count(replay)) < 0)
        code = err_set(&err, -ENOMEM, "out of memory");
    if (code < 0) {
        print_failure(&err);
    } else {
        const struct state *state = replay_state(replay);
        print_row("session %s of %s in %s", state->id ? state->id : "?", state->start ? state->start : "?",
                  state->root ? state->root : "?");
        print_row("ceiling %s (%s)", state->ceiling.text ? state->ceiling.text : "?",
                  state->ceiling.source ? state->ceiling.source : "?");
        for (size_t i = 0; i < state->question_count; i++)
            show_question(state->questions[i]);
        print_row("%zu events, ended: %s%s", replay_count(replay), state->end_status ? state->end_status : "no",
                  replay_torn(replay) ? "; the last line is torn, and left out" : "");
        for (size_t i = 0; i < replay_count(replay); i++)
            print_event(replay_event(replay, i));
    }
    replay_free(replay);
    buf_done(&path);
    return code < 0 ? EXIT_USAGE : EXIT_DONE;
}

/* Only what lies in the folder of sessions, by its name there. */
static int remove_one(const char *name)
{
    struct buf path;
    struct err err = {0};
    int code = 0;

    buf_init(&path, PATH_BYTES);
    if (strchr(name, '/'))
        code = err_set(&err, -EINVAL, "%s is no name of a saved session", name);
    else
        code = session_folder(&path, &err);
    if (code == 0) {
        bool whole = strlen(name) > 6 && strcmp(name + strlen(name) - 6, ".jsonl") == 0;
        buf_addf(&path, "/%s%s", name, whole ? "" : ".jsonl");
        if (path.failed)
            code = err_set(&err, path.failed, "the name is too long");
        else if (unlink(path.data) < 0)
            code = err_errno(&err, -errno, "cannot remove %s", name);
    }
    if (code < 0)
        print_failure(&err);
    buf_done(&path);
    return code < 0 ? EXIT_USAGE : EXIT_DONE;
}

int command_sessions(const struct arguments *arguments)
{
    const char *verb = arguments->word_count ? arguments->words[0] : "list";
    struct err err;
    int status = EXIT_DONE;

    if (strcmp(verb, "list") == 0 && arguments->word_count <= 1)
        return list();
    if (strcmp(verb, "show") == 0 && arguments->word_count == 2)
        return show(arguments->words[1]);
    if (strcmp(verb, "rm") == 0 && arguments->word_count >= 2) {
        for (size_t i = 1; i < arguments->word_count; i++)
            if (remove_one(arguments->words[i]) != EXIT_DONE)
                status = EXIT_USAGE;
        return status;
    }
    err_set(&err, -EINVAL, "usage: techo sessions %s", command_info(COMMAND_SESSIONS)->words);
    print_failure(&err);
    return EXIT_USAGE;
}
