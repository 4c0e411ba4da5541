/*
 * The requests at a program's head: comment lines `# require ITEM`, in the
 * policy language or as Synsema writes them: file.read("./x"), net "x".
 */
#include "policy.h"
#include "policy_internal.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

enum { REQUIRE_LINE_MAX = 64 * 1024 };
static const char word_require[] = "require";

struct requires
{
    const char *comment;
    policy_require_fn each;
    void *context;
    unsigned line;
};

static const char *skip_blanks(const char *text)
{
    while (*text == ' ' || *text == '\t' || *text == '\r') {
        text++;
    }
    return text;
}

/*
 * Reads a quoted text at *at, as Synsema does: a backslash takes the quote or
 * another backslash, else it stands for itself. Adds the text to `to`.
 */
static bool read_text(const char **at, struct buf *to)
{
    char quote = **at;
    if (quote != '"' && quote != '\'' && quote != '`') {
        return false;
    }
    const char *c = *at + 1;
    for (; *c && *c != quote; c++) {
        if (*c == '\\' && (c[1] == '\\' || c[1] == quote)) {
            c++;
        }
        buf_add_char(to, *c);
    }
    if (*c != quote) {
        return false;
    }
    *at = c + 1;
    return true;
}

/*
 * `name("scope")` or `name "scope"` as an item of the policy language. False
 * when `text` has another form: it is then read as a policy.
 */
static bool from_synsema(const struct requires *requires, const char *text, struct buf *to)
{
    const char *at = text;
    while (isalnum((unsigned char)*at) || *at == '_' || *at == '.') {
        at++;
    }
    size_t name_len = (size_t)(at - text);
    at = skip_blanks(at);
    bool bracket = *at == '(';
    if (bracket) {
        at = skip_blanks(at + 1);
    }
    struct buf scope;
    buf_init(&scope, REQUIRE_LINE_MAX);
    bool found = name_len > 0 && read_text(&at, &scope);
    at = skip_blanks(at);
    if (found && bracket) {
        found = *at == ')';
        at = skip_blanks(at + (found ? 1 : 0));
    }
    found = found && (*at == '\0' || strncmp(at, requires->comment, strlen(requires->comment)) == 0);
    if (found) {
        buf_add(to, text, name_len);
        buf_add_text(to, "=\"");
        for (size_t i = 0; i < scope.len; i++) {
            if (scope.data[i] == '"' || scope.data[i] == '\\') {
                buf_add_char(to, '\\');
            }
            buf_add_char(to, scope.data[i]);
        }
        buf_add_char(to, '"');
    }
    buf_done(&scope);
    return found;
}

static void pass(const struct requires *requires, const struct policy *policy)
{
    struct err err;
    if (policy->none) {
        policy_fault(&err, policy->text, 0, "a program cannot require none; without a permission it writes no require");
        requires->each(requires->context, requires->line, NULL, NULL, &err);
        return;
    }
    for (size_t i = 0; i < policy->count; i++) {
        requires->each(requires->context, requires->line, &policy->items[i], NULL, NULL);
    }
    for (int i = 0; i < _LIMIT_MAX; i++) {
        if (policy->limits.given[i]) {
            requires->each(requires->context, requires->line, NULL, &policy->limits, NULL);
            break;
        }
    }
}

static int read_require(const struct requires *requires, const char *text)
{
    struct err err;
    struct policy policy;
    struct buf item;
    buf_init(&item, 2 * REQUIRE_LINE_MAX);
    int r = policy_parse(from_synsema(requires, text, &item) ? item.data : text, &policy, &err);
    if (item.failed) {
        r = item.failed;
    } else if (r == 0) {
        pass(requires, &policy);
    } else if (r != -ENOMEM) {
        requires->each(requires->context, requires->line, NULL, NULL, &err);
    }
    if (r == 0) {
        policy_done(&policy);
    }
    buf_done(&item);
    return r == -ENOMEM ? r : 0;
}

/* 1: a line of the head, 0: the head ends here. */
static int read_line(const struct requires *requires, const char *text)
{
    text = skip_blanks(text);
    if (*text == '\0') {
        return 1;
    }
    size_t comment_len = strlen(requires->comment);
    if (strncmp(text, requires->comment, comment_len) != 0) {
        return 0;
    }
    text = skip_blanks(text + comment_len);
    size_t word_len = sizeof word_require - 1;
    if (strncmp(text, word_require, word_len) != 0 || (text[word_len] != ' ' && text[word_len] != '\t')) {
        return 1;
    }
    int r = read_require(requires, skip_blanks(text + word_len));
    return r < 0 ? r : 1;
}

int policy_read_requires(const char *source, const char *comment, policy_require_fn each, void *context)
{
    struct requires requires = {.comment = comment, .each = each, .context = context};
    struct buf line;
    buf_init(&line, REQUIRE_LINE_MAX);
    int r = 1;
    if (strncmp(source, "\xef\xbb\xbf", 3) == 0) { /* a byte order mark */
        source += 3;
    }
    while (r > 0 && *source) {
        size_t len = strcspn(source, "\n");
        requires.line++;
        buf_clear(&line);
        r = buf_add(&line, source, len);
        if (r == 0) {
            r = read_line(&requires, line.data);
        } else if (r == -EFBIG) { /* too long for a require: the head ends here */
            r = 0;
        }
        source += len;
        if (*source == '\n') {
            source++;
        }
    }
    buf_done(&line);
    return r < 0 ? r : 0;
}
