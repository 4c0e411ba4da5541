/* Text → tokens, with blocks by indentation (§1). Positions count Unicode scalars from 1. */
#include "front_internal.h"

#include <locale.h>
#include <stdio.h>
#include <wctype.h>

struct lexer {
    struct front *front;
    const char *text;
    size_t at, end;
    uint32_t line, column;
    char brackets[1024]; /* the open ones */
    size_t depth;
    uint32_t indents[512];
    size_t indent_count;
    bool line_start;
};

static const char *const names[] = {
#define X(name) #name,
    TOKENS(X)
#undef X
#define X(name, word) #name,
        KEYWORDS(X)
#undef X
};

static const struct {
    const char *word;
    enum token_kind kind;
} keywords[] = {
#define X(name, word) {word, TOKEN_##name},
    KEYWORDS(X)
#undef X
};

const char *token_name(enum token_kind kind)
{
    return names[kind];
}

static struct position here(const struct lexer *l)
{
    return (struct position){l->line, l->column};
}

_Noreturn static void fail(struct lexer *l, struct position position, const char *message)
{
    front_fail(l->front, ERROR_LEX, position, "%s", message);
}

static char peek(const struct lexer *l, size_t ahead)
{
    return l->at + ahead < l->end ? l->text[l->at + ahead] : '\0';
}

/* Moves over one scalar. */
static uint32_t advance(struct lexer *l)
{
    uint32_t c = utf8_next(l->text, &l->at);
    if (c == '\n') {
        l->line++;
        l->column = 1;
    } else {
        l->column++;
    }
    return c;
}

static struct token *add(struct lexer *l, enum token_kind kind, struct position position, size_t start)
{
    struct front *front = l->front;
    front->tokens = front_grow(front, front->tokens, front->token_count, &front->token_capacity, sizeof(struct token));
    struct token *token = &front->tokens[front->token_count++];
    *token = (struct token){.kind = kind,
                            .position = position,
                            .start = (uint32_t)start,
                            .length = (uint32_t)(l->at - start),
                            .end_line = l->line,
                            .value = VALUE_NOTHING};
    token->glued = start > 0 && l->text[start - 1] != ' ' && l->text[start - 1] != '\t' && l->text[start - 1] != '\n';
    return token;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool wide(uint32_t c, bool first)
{
    static locale_t locale;
    if (!locale) {
        locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    }
    return locale && (first ? iswalpha_l((wint_t)c, locale) : iswalnum_l((wint_t)c, locale));
}

static bool name_char(const struct lexer *l, size_t at, bool first)
{
    if (at >= l->end) {
        return false;
    }
    unsigned char c = (unsigned char)l->text[at];
    if (c < 0x80) {
        return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (!first && c >= '0' && c <= '9');
    }
    return wide(utf8_next(l->text, &at), first);
}

/* ---- numbers ---- */

static void prefixed_number(struct lexer *l, size_t start, struct position position)
{
    char letter = (char)(l->text[start + 1] | 0x20);
    int base = letter == 'x' ? 16 : letter == 'o' ? 8 : 2;
    advance(l);
    advance(l);
    char digits[4400];
    size_t n = 0;
    bool bad = false, last_low = false;
    while (l->at < l->end && (name_char(l, l->at, false))) {
        char c = l->text[l->at];
        int digit = is_digit(c) ? c - '0' : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10 : 99;
        last_low = c == '_';
        if (c != '_') {
            bad |= digit >= base || n >= sizeof(digits);
            if (!bad) {
                digits[n++] = c;
            }
        }
        advance(l);
    }
    if (bad || n == 0 || last_low) {
        front_fail(l->front, ERROR_LEX, position, "Invalid %s literal: %.*s — expected %s digits after the prefix",
                   base == 16  ? "hex"
                   : base == 8 ? "octal"
                               : "binary",
                   (int)(l->at - start), l->text + start,
                   base == 16  ? "hex (0-9, a-f)"
                   : base == 8 ? "octal (0-7)"
                               : "binary (0-1)");
    }
    struct token *token = add(l, TOKEN_NUMBER, position, start);
    if (int_parse(l->front->vm, digits, n, base, &token->value)) {
        front_memory(l->front);
    }
}

static bool underscores_fit(const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '_' && (i == 0 || i + 1 == n || !is_digit(text[i - 1]) || !is_digit(text[i + 1]))) {
            return false;
        }
    }
    return true;
}

static void number(struct lexer *l)
{
    size_t start = l->at;
    struct position position = here(l);
    if (peek(l, 0) == '0' && peek(l, 1) && strchr("xXoObB", peek(l, 1))) {
        prefixed_number(l, start, position);
        return;
    }
    bool is_float = false, is_exponent = false, is_decimal = false;
    while (is_digit(peek(l, 0)) || peek(l, 0) == '_' || (peek(l, 0) == '.' && !is_float && is_digit(peek(l, 1)))) {
        is_float |= peek(l, 0) == '.';
        advance(l);
    }
    if ((peek(l, 0) | 0x20) == 'e' &&
        (is_digit(peek(l, 1)) || ((peek(l, 1) == '+' || peek(l, 1) == '-') && is_digit(peek(l, 2))))) {
        is_exponent = true;
        advance(l);
        advance(l);
        while (is_digit(peek(l, 0)) || peek(l, 0) == '_') {
            advance(l);
        }
    }
    size_t n = l->at - start;
    if (!underscores_fit(l->text + start, n)) {
        front_fail(l->front, ERROR_LEX, position,
                   "Invalid number literal: %.*s — `_` goes only between two digits (1_000, 1_000.5)",
                   (int)(n > 200 ? 200 : n), l->text + start);
    }
    char *digits = front_alloc(l->front, n + 1);
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        if (l->text[start + i] != '_') {
            digits[count++] = l->text[start + i];
        }
    }
    if (!is_exponent && peek(l, 0) == 'd' && !name_char(l, l->at + 1, false)) {
        is_decimal = true;
        advance(l);
    }
    struct token *token = add(l, TOKEN_NUMBER, position, start);
    struct vm *vm = l->front->vm;
    int r;
    if (is_decimal) {
        r = decimal_parse(vm, digits, count, &token->value);
    } else if (is_float || is_exponent) {
        double d = 0;
        r = float_parse(digits, count, &d) ? value_float(vm, d, &token->value) : -1;
    } else {
        r = int_parse(vm, digits, count, 10, &token->value);
    }
    if (r > 0) {
        fail(l, position, "number literal with too many digits");
    }
    if (r) {
        front_memory(l->front);
    }
}

/* ---- text ---- */

static int hex_digits(const char *p, size_t n, uint32_t *ret)
{
    *ret = 0;
    for (size_t i = 0; i < n; i++) {
        char c = p[i];
        int digit = is_digit(c) ? c - '0' : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10 : -1;
        if (digit < 0) {
            return -1;
        }
        *ret = *ret * 16 + (uint32_t)digit;
    }
    return 0;
}

/* Reads \u at `p` (after the backslash); gives the length in the source, 0 if it is malformed. */
static size_t unicode_escape(const char *p, size_t left, uint32_t *ret)
{
    if (left >= 3 && p[1] == '{') {
        size_t n = 2;
        while (n < left && p[n] != '}') {
            n++;
        }
        bool good = n < left && n > 2 && n <= 8 && hex_digits(p + 2, n - 2, ret) == 0 && *ret <= 0x10ffff &&
                    (*ret < 0xd800 || *ret > 0xdfff);
        return good ? n + 1 : 0;
    }
    if (left < 5 || hex_digits(p + 1, 4, ret)) {
        return 0;
    }
    if (*ret >= 0xd800 && *ret <= 0xdbff) {
        uint32_t low;
        if (left >= 11 && p[5] == '\\' && p[6] == 'u' && hex_digits(p + 7, 4, &low) == 0 && low >= 0xdc00 &&
            low <= 0xdfff) {
            *ret = 0x10000 + ((*ret - 0xd800) << 10) + (low - 0xdc00);
            return 11;
        }
        return 0;
    }
    return *ret >= 0xdc00 && *ret <= 0xdfff ? 0 : 5;
}

/* The text of source bytes with escapes; `template` allows \` and \{ and not \u{…}. */
static struct value unescape(struct front *front, const char *p, size_t n, bool template)
{
    char *to = front_alloc(front, n + 1);
    size_t length = 0;
    for (size_t i = 0; i < n; i++) {
        if (p[i] != '\\' || i + 1 == n) {
            to[length++] = p[i];
            continue;
        }
        char c = p[i + 1];
        const char *simple = strchr("n\nt\tr\r\\\\\"\"''", c);
        uint32_t scalar;
        size_t used =
            c == 'u' && !(template && i + 2 < n && p[i + 2] == '{') ? unicode_escape(p + i + 1, n - i - 1, &scalar) : 0;
        if (used) {
            length += utf8_put(to + length, scalar);
            i += used;
        } else if (c == 'n' || c == 't' || c == 'r' || c == '\\' || c == '"' || c == '\'') {
            to[length++] = c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : simple[1];
            i++;
        } else if (template && (c == '`' || c == '{')) {
            to[length++] = c;
            i++;
        } else {
            to[length++] = '\\';
        }
    }
    struct value v;
    if (text_intern(front->vm, to, length, &v)) {
        front_memory(front);
    }
    return v;
}

struct value lex_template_text(struct front *front, size_t start, size_t end)
{
    return unescape(front, front->source + start, end - start, true);
}

static void text_literal(struct lexer *l)
{
    size_t start = l->at;
    struct position position = here(l);
    char quote = (char)advance(l);
    size_t inside = l->at;
    while (peek(l, 0) != quote) {
        if (l->at >= l->end) {
            fail(l, position, "Unterminated string (reached end of file)");
        }
        if (peek(l, 0) == '\n') {
            fail(l, position, "Unterminated string (newline in string)");
        }
        if (peek(l, 0) == '\\' && l->at + 1 < l->end && peek(l, 1) != '\n') {
            advance(l);
        }
        advance(l);
    }
    struct value v = unescape(l->front, l->text + inside, l->at - inside, false);
    advance(l);
    add(l, TOKEN_TEXT, position, start)->value = v;
}

/* Skips a hole: braces balance, texts and templates inside are skipped whole. */
static void skip_template(struct lexer *l, struct position position, unsigned depth);

static void skip_hole(struct lexer *l, struct position position, unsigned depth)
{
    unsigned braces = 1;
    while (braces > 0) {
        if (l->at >= l->end) {
            fail(l, position, "Unterminated template (reached end of file)");
        }
        char c = peek(l, 0);
        if (c == '`') {
            advance(l);
            skip_template(l, position, depth + 1);
            continue;
        }
        if (c == '"' || c == '\'') {
            advance(l);
            while (l->at < l->end && peek(l, 0) != c) {
                if (peek(l, 0) == '\\' && l->at + 1 < l->end) {
                    advance(l);
                }
                advance(l);
            }
        }
        braces += c == '{';
        braces -= c == '}';
        if (l->at < l->end) {
            advance(l);
        }
    }
}

static void skip_template(struct lexer *l, struct position position, unsigned depth)
{
    if (depth > 100) {
        fail(l, position, "templates nested too deeply");
    }
    for (;;) {
        if (l->at >= l->end) {
            fail(l, position, "Unterminated template (reached end of file)");
        }
        uint32_t c = advance(l);
        if (c == '`') {
            return;
        }
        if (c == '\\' && l->at < l->end) {
            advance(l);
        } else if (c == '{') {
            skip_hole(l, position, depth);
        }
    }
}

/* The end of a hole that starts at `at`. */
size_t lex_hole_end(struct front *front, size_t at, size_t end)
{
    struct lexer l = {.front = front, .text = front->source, .at = at, .end = end, .line = 1, .column = 1};
    skip_hole(&l, (struct position){1, 1}, 0);
    return l.at - 1;
}

static void template_literal(struct lexer *l)
{
    size_t start = l->at;
    struct position position = here(l);
    advance(l);
    skip_template(l, position, 0);
    add(l, TOKEN_TEMPLATE, position, start);
}

static void name(struct lexer *l)
{
    size_t start = l->at;
    struct position position = here(l);
    while (name_char(l, l->at, l->at == start)) {
        advance(l);
    }
    size_t n = l->at - start;
    enum token_kind kind = TOKEN_IDENTIFIER;
    for (size_t i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++) {
        if (strlen(keywords[i].word) == n && memcmp(keywords[i].word, l->text + start, n) == 0) {
            kind = keywords[i].kind;
        }
    }
    struct token *token = add(l, kind, position, start);
    if (text_intern(l->front->vm, l->text + start, n, &token->value)) {
        front_memory(l->front);
    }
}

/* ---- comments and blocks ---- */

static bool operand_before(const struct lexer *l)
{
    if (l->front->token_count == 0) {
        return false;
    }
    const struct token *token = &l->front->tokens[l->front->token_count - 1];
    if (token->end_line != l->line) {
        return false;
    }
    switch (token->kind) {
    case TOKEN_NUMBER:
    case TOKEN_TEXT:
    case TOKEN_TEMPLATE:
    case TOKEN_IDENTIFIER:
    case TOKEN_RPAREN:
    case TOKEN_RBRACKET:
    case TOKEN_RBRACE:
    case TOKEN_BOOL_TRUE:
    case TOKEN_BOOL_FALSE:
    case TOKEN_NOTHING:
        return true;
    default:
        return false;
    }
}

/* Whether the innermost parenthesis closes later on this line. */
static bool closes_on_line(const struct lexer *l)
{
    int depth = 1;
    for (size_t i = l->at; i < l->end && l->text[i] != '\n'; i++) {
        depth += l->text[i] == '(';
        depth -= l->text[i] == ')';
        if (depth == 0) {
            return true;
        }
    }
    return false;
}

static void comment(struct lexer *l)
{
    char before = l->at > 0 ? l->text[l->at - 1] : '\n';
    char after = peek(l, 2);
    bool glued = !strchr(" \t\r\n([{,", before);
    bool operand = is_digit(after) || after == '(';
    if (glued && operand) {
        fail(l, here(l),
             "`--` right after a value: a comment needs a space before `--`, and a negative operand needs a space "
             "after the operator (write `5 - -1`, or `5 -- comment`)");
    }
    if (!glued && operand && l->depth > 0 && l->brackets[l->depth - 1] == '(' && operand_before(l) &&
        closes_on_line(l)) {
        fail(l, here(l),
             "`--` starts a comment (the rest of the line, including a closing `)`, is ignored) — to subtract a "
             "negative write `x - -1`; a comment inside parentheses needs a space after `--`");
    }
    while (l->at < l->end && peek(l, 0) != '\n') {
        advance(l);
    }
}

/* At the start of a line outside brackets: INDENT and DEDENT. */
static void indentation(struct lexer *l)
{
    uint32_t width = 0;
    while (peek(l, 0) == ' ' || peek(l, 0) == '\t' || peek(l, 0) == '\r') {
        width += peek(l, 0) == ' ' ? 1 : peek(l, 0) == '\t' ? 4 : 0;
        advance(l);
    }
    l->line_start = false;
    if (l->at >= l->end || peek(l, 0) == '\n' || (peek(l, 0) == '-' && peek(l, 1) == '-')) {
        return;
    }
    uint32_t top = l->indents[l->indent_count - 1];
    if (width > top) {
        if (l->indent_count == sizeof(l->indents) / sizeof(l->indents[0])) {
            fail(l, here(l), "blocks nested too deeply");
        }
        l->indents[l->indent_count++] = width;
        add(l, TOKEN_INDENT, here(l), l->at);
        return;
    }
    while (width < l->indents[l->indent_count - 1]) {
        l->indent_count--;
        add(l, TOKEN_DEDENT, here(l), l->at);
    }
    if (width != l->indents[l->indent_count - 1]) {
        front_fail(l->front, ERROR_LEX, here(l), "Inconsistent indentation: expected %u spaces but got %u",
                   l->indents[l->indent_count - 1], width);
    }
}

/* ---- operators ---- */

static const struct {
    const char *text;
    enum token_kind kind;
} operators[] = {
    {"...", TOKEN_SPREAD},   {"**", TOKEN_POWER},      {"==", TOKEN_EQUAL},
    {"!=", TOKEN_NOT_EQUAL}, {"<=", TOKEN_LESS_EQUAL}, {">=", TOKEN_GREATER_EQUAL},
    {"->", TOKEN_ARROW},     {"=>", TOKEN_FAT_ARROW},  {"|>", TOKEN_PIPE},
    {"//", TOKEN_FLOOR_DIV}, {"+", TOKEN_PLUS},        {"-", TOKEN_MINUS},
    {"*", TOKEN_STAR},       {"/", TOKEN_SLASH},       {"%", TOKEN_PERCENT},
    {"<", TOKEN_LESS},       {">", TOKEN_GREATER},     {"=", TOKEN_ASSIGN},
    {"(", TOKEN_LPAREN},     {")", TOKEN_RPAREN},      {"[", TOKEN_LBRACKET},
    {"]", TOKEN_RBRACKET},   {"{", TOKEN_LBRACE},      {"}", TOKEN_RBRACE},
    {",", TOKEN_COMMA},      {".", TOKEN_DOT},         {":", TOKEN_COLON},
};

_Noreturn static void unexpected(struct lexer *l)
{
    struct position position = here(l);
    size_t start = l->at;
    uint32_t c = advance(l);
    const char *hint = c == '?'               ? " — no `c ? a : b`: the inline form is `when c then a otherwise b`"
                       : c == '&' || c == '|' ? " — the logical operators are `and` / `or`"
                       : c == ';'             ? " — one statement per line (no `;`)"
                                              : "";
    front_fail(l->front, ERROR_LEX, position, "Unexpected character: '%.*s'%s", (int)(l->at - start), l->text + start,
               hint);
}

static void operator(struct lexer *l)
{
    for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++) {
        size_t n = strlen(operators[i].text);
        if (l->end - l->at < n || memcmp(l->text + l->at, operators[i].text, n) != 0) {
            continue;
        }
        struct position position = here(l);
        size_t start = l->at;
        l->at += n;
        l->column += (uint32_t)n;
        add(l, operators[i].kind, position, start);
        if (strchr("([{", operators[i].text[0])) {
            if (l->depth == sizeof(l->brackets)) {
                fail(l, position, "brackets nested too deeply");
            }
            l->brackets[l->depth++] = operators[i].text[0];
        } else if (strchr(")]}", operators[i].text[0]) && l->depth > 0) {
            l->depth--;
        }
        return;
    }
    unexpected(l);
}

static void newline(struct lexer *l)
{
    struct front *front = l->front;
    struct position position = here(l);
    size_t start = l->at;
    advance(l);
    if (l->depth > 0) {
        return;
    }
    l->line_start = true;
    if (front->token_count > 0 && front->tokens[front->token_count - 1].kind != TOKEN_NEWLINE) {
        add(l, TOKEN_NEWLINE, position, start);
    }
}

static void lex_range(struct lexer *l)
{
    while (l->at < l->end) {
        if (l->line_start && l->depth == 0) {
            indentation(l);
            continue;
        }
        char c = peek(l, 0);
        if (c == ' ' || c == '\t' || c == '\r') {
            advance(l);
        } else if (c == '\n') {
            newline(l);
        } else if (c == '-' && peek(l, 1) == '-') {
            comment(l);
        } else if (is_digit(c)) {
            number(l);
        } else if (c == '"' || c == '\'') {
            text_literal(l);
        } else if (c == '`') {
            template_literal(l);
        } else if (name_char(l, l->at, true)) {
            name(l);
        } else {
            operator(l);
        }
    }
}

void lex(struct front *front)
{
    struct lexer *l = front_alloc(front, sizeof(*l));
    *l = (struct lexer){.front = front,
                        .text = front->source,
                        .end = front->length,
                        .line = 1,
                        .column = 1,
                        .indent_count = 1,
                        .line_start = true};
    if (front->length > UINT32_MAX / 2) {
        fail(l, here(l), "source too large");
    }
    size_t chars, bad;
    if (!utf8_valid(front->source, front->length, &chars, &bad)) {
        fail(l, here(l), "the source is not valid UTF-8");
    }
    if (front->length >= 3 && memcmp(front->source, "\xef\xbb\xbf", 3) == 0) {
        l->at = 3;
    }
    lex_range(l);
    if (front->token_count > 0 && front->tokens[front->token_count - 1].kind != TOKEN_NEWLINE) {
        add(l, TOKEN_NEWLINE, here(l), l->at);
    }
    while (l->indent_count > 1) {
        l->indent_count--;
        add(l, TOKEN_DEDENT, here(l), l->at);
    }
    add(l, TOKEN_EOF, here(l), l->at);
}

/* The tokens of one hole, as if in brackets. */
void lex_hole(struct front *front, size_t start, size_t end, struct position position)
{
    struct lexer *l = front_alloc(front, sizeof(*l));
    *l = (struct lexer){.front = front,
                        .text = front->source,
                        .at = start,
                        .end = end,
                        .line = position.line,
                        .column = position.column,
                        .indent_count = 1,
                        .depth = 1,
                        .brackets = "{"};
    lex_range(l);
    add(l, TOKEN_EOF, here(l), l->at);
}
