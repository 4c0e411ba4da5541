/* Takes the program out of a model's answer while it grows, line by line. */
#include "extract_internal.h"

#include <string.h>
#include <strings.h>

static const char *const finish_names[] = {"complete", "truncated", "refused", "empty", "several"};

/* What a model calls a language besides its name. */
static const char *const aliases[][2] = {
    {"python", "py"},
    {"python", "python3"},
    {"sql", "duckdb"},
    {"synsema", "syn"},
};

const char *extract_finish_name(enum extract_finish finish)
{
    return finish_names[finish];
}

void extract_init(struct extract *extract, const char *language, extract_fn each, void *context)
{
    *extract = (struct extract){.language = language, .each = each, .context = context};
    buf_init(&extract->line, EXTRACT_MAX);
    buf_init(&extract->program, EXTRACT_MAX);
    buf_init(&extract->prose, EXTRACT_MAX);
}

void extract_done(struct extract *extract)
{
    buf_done(&extract->line);
    buf_done(&extract->program);
    buf_done(&extract->prose);
}

static bool names_language(const char *info, size_t len, const char *language)
{
    if (len == strlen(language) && strncasecmp(info, language, len) == 0) {
        return true;
    }
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++) {
        const char *alias = aliases[i][1];
        if (strcmp(aliases[i][0], language) == 0 && len == strlen(alias) && strncasecmp(info, alias, len) == 0) {
            return true;
        }
    }
    return false;
}

/* How many ticks a fence line begins with; at most three blanks may come before. */
static size_t fence_length(const char *line, size_t len, char *ret_tick, size_t *ret_start)
{
    size_t start = 0, count = 0;
    while (start < len && start < 3 && line[start] == ' ') {
        start++;
    }
    if (start < len && (line[start] == '`' || line[start] == '~')) {
        while (start + count < len && line[start + count] == line[start]) {
            count++;
        }
    }
    if (count < 3) {
        return 0;
    }
    *ret_tick = line[start];
    *ret_start = start + count;
    return count;
}

static void give(struct extract *extract, bool program, const char *text, size_t len)
{
    buf_add(program ? &extract->program : &extract->prose, text, len);
    if (len && extract->each) {
        extract->each(extract->context, program, text, len);
    }
}

static void open_fence(struct extract *extract, const char *info, size_t len)
{
    while (len && (*info == ' ' || *info == '\t')) {
        info++;
        len--;
    }
    size_t word = 0;
    while (word < len && info[word] != ' ' && info[word] != '\r' && info[word] != '\n' && info[word] != '{') {
        word++;
    }
    bool wanted = word == 0 ? extract->blocks == 0 : names_language(info, word, extract->language);
    extract->blocks += wanted;
    extract->taking = wanted && extract->blocks == 1;
}

/* A whole line with its newline, or the answer's last one without. */
static void take_line(struct extract *extract, const char *line, size_t len)
{
    char tick = 0;
    size_t start = 0, fence = fence_length(line, len, &tick, &start);
    if (!extract->fence && fence) {
        extract->fence = fence;
        extract->tick = tick;
        open_fence(extract, line + start, len - start);
        return;
    }
    size_t rest = strspn(line + start, " \t\r\n");
    if (extract->fence && fence >= extract->fence && tick == extract->tick && start + rest >= len) {
        extract->fence = 0;
        extract->taking = false;
        return;
    }
    give(extract, extract->taking, line, len);
}

void extract_feed(struct extract *extract, const char *text, size_t len)
{
    while (len) {
        const char *newline = memchr(text, '\n', len);
        size_t piece = newline ? (size_t)(newline - text) + 1 : len;
        buf_add(&extract->line, text, piece);
        if (newline && !extract->line.failed) {
            take_line(extract, extract->line.data, extract->line.len);
        }
        if (newline) {
            buf_clear(&extract->line);
        }
        text += piece;
        len -= piece;
    }
}

static bool blank(const struct buf *text)
{
    return text->len == 0 || strspn(text->data, " \t\r\n") == text->len;
}

/* An answer without any fence that begins as a program of the language does. */
static bool looks_like_code(const struct extract *extract)
{
    static const char *const starts[][2] = {
        {"python", "import "}, {"python", "from "}, {"python", "# require"}, {"python", "print("},   {"python", "def "},
        {"sql", "select "},    {"sql", "with "},    {"sql", "-- require"},   {"synsema", "require"},
    };
    const char *text = extract->prose.len ? extract->prose.data + strspn(extract->prose.data, " \t\r\n") : "";
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        if (strcmp(starts[i][0], extract->language) == 0 &&
            strncasecmp(text, starts[i][1], strlen(starts[i][1])) == 0) {
            return true;
        }
    }
    return false;
}

enum extract_finish extract_end(struct extract *extract, bool cut)
{
    if (extract->line.len && !extract->line.failed) {
        take_line(extract, extract->line.data, extract->line.len);
        buf_clear(&extract->line);
    }
    bool open = extract->taking && extract->fence;
    if (extract->blocks == 0 && looks_like_code(extract)) {
        give(extract, true, extract->prose.data, extract->prose.len);
        extract->blocks = 1;
    }
    if (blank(&extract->program)) {
        return cut || open                                 ? EXTRACT_TRUNCATED
               : blank(&extract->prose) || extract->blocks ? EXTRACT_EMPTY
                                                           : EXTRACT_REFUSED;
    }
    if (cut || open) {
        return EXTRACT_TRUNCATED;
    }
    return extract->blocks > 1 ? EXTRACT_SEVERAL : EXTRACT_COMPLETE;
}
