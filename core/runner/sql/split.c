/* Where each statement of a SQL program ends. DuckDB would split it too, but then its errors point to wrong lines. */
#include "split.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

/* 'it''s' and "name": ends at the quote that is not doubled; E'it\'s' has backslashes. */
static size_t quoted_length(const char *text, bool backslashes)
{
    size_t at = 1;

    while (text[at] && text[at] != *text) {
        at += backslashes && text[at] == '\\' && text[at + 1] ? 2 : 1;
    }
    return text[at] ? at + 1 : at; /* a doubled quote begins another string at once */
}

/* $$ ... $$ and $tag$ ... $tag$; 1 for a dollar that begins no such thing. */
static size_t dollar_length(const char *text)
{
    size_t tag = 1;

    while (isalnum((unsigned char)text[tag]) || text[tag] == '_') {
        tag++;
    }
    if (text[tag] != '$' || isdigit((unsigned char)text[1])) {
        return 1;
    }
    tag++;
    for (const char *at = text + tag; (at = strchr(at, '$')); at++) {
        if (strncmp(at, text, tag) == 0) {
            return (size_t)(at - text) + tag;
        }
    }
    return strlen(text);
}

static size_t comment_length(const char *text)
{
    if (text[1] == '-') {
        return strcspn(text, "\n");
    }
    size_t depth = 0, at = 0;
    do {
        bool opens = text[at] == '/' && text[at + 1] == '*', closes = text[at] == '*' && text[at + 1] == '/';
        depth += opens;
        depth -= closes;
        at += opens || closes ? 2 : 1;
    } while (depth > 0 && text[at]);
    return at;
}

size_t statement_length(const char *text)
{
    size_t at = 0;

    while (text[at] && text[at] != ';') {
        const char *here = text + at;
        if (*here == '\'' || *here == '"') {
            at += quoted_length(here, *here == '\'' && at > 0 && (here[-1] == 'e' || here[-1] == 'E'));
        } else if (*here == '$') {
            at += dollar_length(here);
        } else if ((*here == '-' && here[1] == '-') || (*here == '/' && here[1] == '*')) {
            at += comment_length(here);
        } else {
            at++;
        }
    }
    return text[at] ? at + 1 : at;
}
