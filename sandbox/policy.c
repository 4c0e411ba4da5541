/*
 * The grammar of the policy language (docs/policy.md):
 *
 *   policy = item { "," item }
 *   item   = "none" | "sandbox" | name [ "=" scope ]
 *   scope  = "?" | text without comma | '"' text with \" and \\ '"'
 */
#include "policy.h"
#include "policy_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { POLICY_TEXT_MAX = 64 * 1024, FAULT_WORD_MAX = 40 };

struct parser {
    const char *text;
    size_t len, at;
    struct policy *policy;
    size_t capacity; /* of policy->items */
    struct err *err;
};

/* One item as it stands in the text. */
struct raw_item {
    size_t start, name_end, scope_start, end; /* scope_start is the byte after "="; blanks around are not part of it */
    bool scoped, quoted;
};

static int no_memory(struct err *err)
{
    return err_set(err, -ENOMEM, "out of memory");
}

/* ---- from the text to raw items ---------------------------------------------------------------------------------- */

static int scan_quoted(struct parser *parser, struct raw_item *raw)
{
    const char *text = parser->text;
    size_t at = raw->scope_start + 1;
    while (at < parser->len && text[at] != '"') {
        if (text[at] == '\\') {
            if (text[at + 1] != '"' && text[at + 1] != '\\') {
                return policy_fault(parser->err, text, at, "inside quotes a backslash stands before \" or \\ only");
            }
            at++;
        }
        at++;
    }
    if (at >= parser->len) {
        return policy_fault(parser->err, text, raw->scope_start, "the quote that opens here is never closed");
    }
    raw->end = ++at;
    while (at < parser->len && policy_is_blank(text[at])) {
        at++;
    }
    if (at < parser->len && text[at] != ',') {
        return policy_fault(parser->err, text, at, "a comma must follow the closing quote");
    }
    parser->at = at;
    return 0;
}

static int scan_item(struct parser *parser, struct raw_item *ret_raw)
{
    const char *text = parser->text;
    size_t at = parser->at;
    while (at < parser->len && policy_is_blank(text[at])) {
        at++;
    }
    struct raw_item raw = {.start = at};
    at += strcspn(text + at, "=,");
    raw.name_end = at;
    if (text[at] == '=') {
        raw.scoped = true;
        raw.scope_start = at + 1;
        raw.quoted = text[at + 1] == '"';
        at += strcspn(text + at, ",");
    }
    raw.end = at;
    parser->at = at;
    if (raw.quoted) {
        int r = scan_quoted(parser, &raw);
        if (r < 0) {
            return r;
        }
    }
    while (raw.end > raw.start && policy_is_blank(text[raw.end - 1])) {
        raw.end--;
    }
    if (!raw.scoped) {
        raw.name_end = raw.end;
    }
    if (raw.end == raw.start) {
        return policy_fault(parser->err, text, raw.start, "%s",
                            parser->len == raw.start && parser->policy->count == 0 && !strchr(text, ',')
                                ? "an empty policy; write none to allow nothing"
                                : "an empty item: a name must stand between two commas");
    }
    for (size_t i = raw.start; i < raw.end; i++) {
        if (policy_is_control(text[i])) {
            return policy_fault(parser->err, text, i, "a control character cannot stand in a policy");
        }
    }
    *ret_raw = raw;
    return 0;
}

/* ---- from raw items to items ------------------------------------------------------------------------------------- */

static int add_item(struct parser *parser, const struct raw_item *raw, const struct policy_word *word, bool ask,
                    const char *scope)
{
    struct policy *policy = parser->policy;
    if (policy->count == parser->capacity) {
        size_t capacity = parser->capacity ? parser->capacity * 2 : 8;
        struct policy_item *items = realloc(policy->items, capacity * sizeof *items);
        if (!items) {
            return no_memory(parser->err);
        }
        policy->items = items;
        parser->capacity = capacity;
    }
    struct buf name, own_scope, text;
    buf_init(&name, SIZE_MAX / 4);
    buf_init(&own_scope, SIZE_MAX / 4);
    buf_init(&text, SIZE_MAX / 4);
    buf_add_text(&name, word->name);
    buf_add_text(&text, word->name);
    if (ask) {
        buf_add_text(&text, "=?");
    } else if (scope) {
        buf_add_text(&own_scope, scope);
        buf_add_char(&text, '=');
        policy_add_scope(&text, scope);
    }
    struct policy_item *item = &policy->items[policy->count];
    *item = (struct policy_item){
        .permission = (enum permission)word->value, .ask = ask, .start = raw->start, .end = raw->end};
    bool has_scope = own_scope.data || own_scope.failed;
    item->name = buf_steal(&name);
    item->text = buf_steal(&text);
    item->scope = has_scope ? buf_steal(&own_scope) : NULL;
    policy->count++; /* from here on policy_done() frees what there is of it */
    if (!item->name || !item->text || (has_scope && !item->scope)) {
        return no_memory(parser->err);
    }
    for (size_t i = 0; i + 1 < policy->count; i++) { /* said twice is said once */
        if (policy->items[i].permission == item->permission && strcmp(policy->items[i].text, item->text) == 0) {
            policy->count--;
            free(item->name);
            free(item->scope);
            free(item->text);
            break;
        }
    }
    return 0;
}

/* The scope without its quotes; NULL without memory. */
static char *unquote(const struct parser *parser, const struct raw_item *raw)
{
    const char *text = parser->text + raw->scope_start;
    size_t len = raw->end - raw->scope_start;
    struct buf scope;
    buf_init(&scope, POLICY_TEXT_MAX);
    if (!raw->quoted) {
        buf_add(&scope, text, len);
        return buf_steal(&scope);
    }
    for (size_t i = 1; i + 1 < len; i++) {
        if (text[i] == '\\') {
            i++;
        }
        buf_add_char(&scope, text[i]);
    }
    return buf_steal(&scope);
}

static int take_limit(struct parser *parser, const struct raw_item *raw, const struct policy_word *word,
                      const char *scope)
{
    struct limits *limits = &parser->policy->limits;
    enum limit limit = (enum limit)word->value;
    uint64_t value;
    const char *problem;
    if (limit_parse(limit, scope, &value, &problem) < 0) {
        return policy_fault(parser->err, parser->text, raw->scope_start, "%s=%.*s %s", word->name, FAULT_WORD_MAX,
                            scope, problem);
    }
    if (!limits->given[limit] || value < limits->value[limit]) {
        limits->value[limit] = value;
    }
    limits->given[limit] = true;
    return 0;
}

static int take_scoped(struct parser *parser, const struct raw_item *raw, const struct policy_word *word)
{
    const char *text = parser->text;
    if (!word->scoped) {
        return policy_fault(parser->err, text, raw->name_end, "%s takes no scope%s", word->name,
                            strcmp(word->name, "time") == 0 ? "; the limit on elapsed time is wall=20s" : "");
    }
    if (!raw->quoted && policy_is_blank(text[raw->scope_start])) {
        return policy_fault(parser->err, text, raw->scope_start,
                            "no blank stands after \"=\"; a scope that begins with one is quoted");
    }
    char *scope CLEANUP(free_pointer) = unquote(parser, raw);
    if (!scope) {
        return no_memory(parser->err);
    }
    if (scope[0] == '\0') {
        return policy_fault(parser->err, text, raw->scope_start, "the scope after %s= is empty", word->name);
    }
    if (word->kind == WORD_LIMIT) {
        return take_limit(parser, raw, word, scope);
    }
    if (!raw->quoted && strcmp(scope, "?") == 0) {
        return add_item(parser, raw, word, true, NULL);
    }
    return add_item(parser, raw, word, false, !raw->quoted && strcmp(scope, "\\?") == 0 ? "?" : scope);
}

static int take_item(struct parser *parser, const struct raw_item *raw)
{
    const char *name = parser->text + raw->start;
    size_t len = raw->name_end - raw->start;
    const struct policy_word *word = policy_word_find(name, len);
    if (!word) {
        const char *nearest = policy_word_nearest(name, len);
        int shown = (int)(len < FAULT_WORD_MAX ? len : FAULT_WORD_MAX);
        if (nearest) {
            return policy_fault(parser->err, parser->text, raw->start, "unknown name \"%.*s\"; did you mean %s?", shown,
                                name, nearest);
        }
        return policy_fault(
            parser->err, parser->text, raw->start,
            "unknown name \"%.*s\"; known are stdout stdin time random env secret file file.read "
            "file.write net exec db llm sandbox_run and the limits wall cpu memory processes output disk",
            shown, name);
    }
    if (raw->scoped) {
        return take_scoped(parser, raw, word);
    }
    switch (word->kind) {
    case WORD_LIMIT: {
        struct buf example;
        char *value CLEANUP(free_pointer) = NULL;
        struct limits limits;
        limits_default(&limits);
        buf_init(&example, FAULT_WORD_MAX);
        limit_format((enum limit)word->value, limits.value[word->value], &example);
        value = buf_steal(&example);
        return policy_fault(parser->err, parser->text, raw->end, "%s is a limit and needs a value: %s=%s", word->name,
                            word->name, value ? value : "");
    }
    case WORD_NONE:
        parser->policy->none = true;
        return 0;
    case WORD_SANDBOX: {
        int r = add_item(parser, raw, policy_word_find("stdout", 6), false, NULL);
        return r < 0 ? r : add_item(parser, raw, policy_word_find("time", 4), false, NULL);
    }
    case WORD_PERMISSION:
        break;
    }
    return add_item(parser, raw, word, false, NULL);
}

static int parse_items(struct parser *parser)
{
    for (;;) {
        struct raw_item raw;
        int r = scan_item(parser, &raw);
        if (r == 0) {
            r = take_item(parser, &raw);
        }
        if (r == 0 && parser->policy->none && parser->policy->count > 0) {
            r = policy_fault(parser->err, parser->text, raw.start, "beside none only limits may stand");
        }
        if (r < 0 || parser->at >= parser->len) {
            return r;
        }
        parser->at++; /* the comma */
    }
}

int policy_parse(const char *text, struct policy *ret_policy, struct err *err)
{
    struct policy policy = {0};
    size_t len = strnlen(text, POLICY_TEXT_MAX + 1);
    if (len > POLICY_TEXT_MAX) {
        return err_set(err, -E2BIG, "a policy has at most %d KiB", POLICY_TEXT_MAX / 1024);
    }
    limits_default(&policy.limits);
    struct buf copy;
    buf_init(&copy, POLICY_TEXT_MAX);
    buf_add(&copy, text, len);
    policy.text = buf_steal(&copy);
    if (!policy.text) {
        return no_memory(err);
    }
    struct parser parser = {.text = policy.text, .len = len, .policy = &policy, .err = err};
    int r = parse_items(&parser);
    if (r < 0) {
        policy_done(&policy);
        return r;
    }
    *ret_policy = policy;
    return 0;
}

bool policy_has(const struct policy *policy, enum permission permission)
{
    for (size_t i = 0; i < policy->count; i++) {
        if (policy->items[i].permission == permission) {
            return true;
        }
    }
    return false;
}

void policy_done(struct policy *policy)
{
    if (!policy) {
        return;
    }
    for (size_t i = 0; i < policy->count; i++) {
        free(policy->items[i].name);
        free(policy->items[i].scope);
        free(policy->items[i].text);
    }
    free(policy->items);
    free(policy->text);
    *policy = (struct policy){0};
}
