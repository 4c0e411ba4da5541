/*
 * readline without a terminal of its own: it neither reads, draws, nor touches
 * signals, line settings or the environment (LINES and COLUMNS there would stop
 * curses from resizing). Characters are queued whole, because its incremental
 * search takes single bytes for characters; pastes are inserted as text,
 * because their newlines would submit.
 */
#include "prompt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <readline/history.h>
#include <readline/readline.h>

enum { QUEUE_MAX = INPUT_NAME_MAX, PROMPT_TEXT_MAX = 64 * 1024, HISTORY_MAX = 500 };

static struct {
    bool ready, open, finished;
    struct prompt_options options;
    char *line; /* owned; the finished line, NULL: given up */
    unsigned char queue[QUEUE_MAX];
    size_t queued, taken;
    FILE *nowhere; /* owned */
} prompt;

static int take_byte(FILE *ignored)
{
    (void)ignored;
    return prompt.taken < prompt.queued ? prompt.queue[prompt.taken++] : EOF;
}

static int bytes_wait(void)
{
    return prompt.taken < prompt.queued;
}

static void draw_later(void)
{
}

static void show_no_matches(char **matches, int count, int longest)
{
    (void)matches, (void)count, (void)longest;
}

static char *next_word(const char *prefix, int state)
{
    static int index;
    index = state ? index + 1 : 0;
    const char *word = prompt.options.word ? prompt.options.word(prefix, index) : NULL;
    return word ? strdup(word) : NULL;
}

static char **complete(const char *prefix, int start, int end)
{
    (void)end;
    rl_attempted_completion_over = 1; /* never the names of files */
    return start == 0 ? rl_completion_matches(prefix, next_word) : NULL;
}

static int insert_newline(int count, int key)
{
    (void)count, (void)key;
    return rl_insert_text("\n");
}

static void on_line(char *line)
{
    free(prompt.line);
    prompt.line = line;
    prompt.finished = true;
    if (line && *line) {
        add_history(line); /* here: after the return it would not be found */
    }
    rl_callback_handler_remove();
}

static void prepare(void)
{
    prompt.nowhere = fopen("/dev/null", "r+e");
    rl_readline_name = "techo";
    rl_instream = rl_outstream = prompt.nowhere;
    rl_change_environment = 0;
    rl_catch_signals = 0;
    rl_catch_sigwinch = 0;
    rl_prep_term_function = NULL;
    rl_deprep_term_function = NULL;
    rl_getc_function = take_byte;
    rl_input_available_hook = bytes_wait;
    rl_redisplay_function = draw_later;
    rl_completion_display_matches_hook = show_no_matches;
    rl_attempted_completion_function = complete;
    rl_completer_word_break_characters = "";
    using_history();
    stifle_history(HISTORY_MAX);
    rl_bind_keyseq("\033\r", insert_newline);
    prompt.ready = true;
}

static void install(const char *text)
{
    rl_callback_handler_install("", on_line);
    if (text && *text) {
        rl_insert_text(text);
    }
    prompt.open = true;
    prompt.finished = false;
}

void prompt_open(const struct prompt_options *options)
{
    if (!prompt.ready) {
        prepare();
    }
    prompt.options = *options;
    install(options->text);
}

bool prompt_is_open(void)
{
    return prompt.open;
}

const char *prompt_text(void)
{
    return prompt.open && rl_line_buffer ? rl_line_buffer : "";
}

static void cancel(void)
{
    rl_callback_handler_remove();
    prompt.open = false;
}

static void finish(void)
{
    char *line = prompt.line;
    prompt.line = NULL;
    prompt.open = false;
    /* What is submitted may open another prompt: then that one stays. */
    if (line && !prompt.options.submit(prompt.options.context, line) && !prompt.open) {
        install(line);
    }
    free(line);
}

static void insert_paste(const struct buf *paste)
{
    size_t room = (size_t)rl_end < PROMPT_TEXT_MAX ? PROMPT_TEXT_MAX - (size_t)rl_end : 0;
    size_t len = paste->len < room ? paste->len : room;
    char *text = malloc(len + 1);
    if (!text) {
        return;
    }
    size_t kept = 0;
    for (size_t i = 0; i < len; i++) {
        if (paste->data[i] == '\r') {
            text[kept++] = '\n'; /* terminals paste newlines so */
        } else if (paste->data[i] != '\0') {
            text[kept++] = paste->data[i];
        }
    }
    text[kept] = '\0';
    rl_insert_text(text);
    free(text);
}

void prompt_feed(const struct key *key, const struct buf *paste)
{
    if (key->type == INPUT_PASTE) {
        insert_paste(paste);
        return;
    }
    /* A bare Esc would make readline wait for the next key; the others are inert bytes to it. */
    if (strcmp(key->name, "Esc") == 0 || strcmp(key->name, "^C") == 0) {
        cancel();
        return;
    }
    if (strcmp(key->name, "Delete") == 0) {
        rl_delete(1, 0); /* readline binds it for some terminals alone */
        return;
    }
    if (rl_end >= PROMPT_TEXT_MAX && key->type == INPUT_CHAR && (unsigned char)key->bytes[0] >= ' ') {
        return;
    }
    memcpy(prompt.queue, key->bytes, key->len);
    prompt.queued = key->len;
    prompt.taken = 0;
    while (prompt.open && !prompt.finished && bytes_wait()) {
        rl_callback_read_char();
    }
    if (prompt.finished) {
        prompt.finished = false;
        finish();
    }
}

/* Where drawing starts, so that the cursor is within `room` columns. */
static int visible_start(int room)
{
    int start = rl_point;
    while (start > 0) {
        int before = start - 1;
        while (before > 0 && ((unsigned char)rl_line_buffer[before] & 0xc0) == 0x80) {
            before--;
        }
        struct untrusted shown = untrusted_bytes(rl_line_buffer + before, (size_t)(rl_point - before));
        if ((int)sanitize_width(shown, draw_ascii() ? SANITIZE_ASCII : 0) >= room) {
            break;
        }
        start = before;
    }
    return start;
}

int prompt_draw(struct region region, int row)
{
    struct line line = line_at(region, row);
    line_text(&line, ROLE_TEXT, " ");
    line_text(&line, ROLE_KEY, prompt.options.label);
    line_text(&line, ROLE_TEXT, " ");
    if (RL_ISSTATE(RL_STATE_ISEARCH) && rl_display_prompt) {
        line_add(&line, ROLE_LABEL, untrusted_text(rl_display_prompt));
    }
    int start = visible_start(line_left(&line));
    line_add(&line, ROLE_TEXT, untrusted_bytes(rl_line_buffer + start, (size_t)(rl_point - start)));
    int cursor = line.at;
    line_add(&line, ROLE_TEXT, untrusted_bytes(rl_line_buffer + rl_point, (size_t)(rl_end - rl_point)));
    line_to(&line, ROLE_TEXT, region.w);
    return cursor < region.w ? cursor : region.w - 1;
}

void prompt_close(void)
{
    if (prompt.open) {
        cancel();
    }
    if (prompt.ready) {
        clear_history();
        fclose(prompt.nowhere);
        rl_instream = rl_outstream = NULL;
    }
    free(prompt.line);
    memset(&prompt, 0, sizeof prompt);
}
