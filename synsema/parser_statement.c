/* Statements (§2), patterns, and what is said about the habits of other languages. */
#include "parser_internal.h"

#include <stdio.h>

/* ---- tokens ---- */

struct token *take(struct front *front)
{
    struct token *token = current(front);
    if (token->kind != TOKEN_EOF) {
        front->at++;
    }
    return token;
}

bool accept(struct front *front, enum token_kind kind)
{
    if (!at_kind(front, kind)) {
        return false;
    }
    take(front);
    return true;
}

void expected(struct front *front, const char *what)
{
    front_fail(front, ERROR_PARSE, current(front)->position, "%s", what);
}

struct token *expect(struct front *front, enum token_kind kind)
{
    if (!at_kind(front, kind)) {
        if (word_is(current(front), "if") &&
            current(front)->position.line == front->tokens[front->at - !!front->at].position.line) {
            front_fail(front, ERROR_PARSE, current(front)->position,
                       "no `a if c else b`: the inline form is `when c then a otherwise b`");
        }
        front_fail(front, ERROR_PARSE, current(front)->position, "Expected %s, got %s", token_name(kind),
                   token_name(current(front)->kind));
    }
    return take(front);
}

bool word_is(const struct token *token, const char *word)
{
    return token->kind == TOKEN_IDENTIFIER && strcmp(value_text(token->value)->data, word) == 0;
}

struct token *binding_name(struct front *front, const char *what)
{
    struct token *token = current(front);
    if (token->kind >= TOKEN_WHEN) {
        front_fail(front, ERROR_PARSE, token->position,
                   "'%s' is a reserved word in Synsema; choose another name for the %s", value_text(token->value)->data,
                   what);
    }
    if (token->kind != TOKEN_IDENTIFIER) {
        front_fail(front, ERROR_PARSE, token->position, "Expected %s, got %s", what, token_name(token->kind));
    }
    return take(front);
}

void skip_newlines(struct front *front)
{
    while (accept(front, TOKEN_NEWLINE)) {
    }
}

/* ---- blocks ---- */

static struct node *parse_statement(struct front *front);

struct node *parse_block(struct front *front)
{
    skip_newlines(front);
    if (at_kind(front, TOKEN_COLON)) {
        expected(front, "Synsema blocks have no colon: end the line and indent the body on the next one");
    }
    if (!at_kind(front, TOKEN_INDENT)) {
        expected(front, "Expected indented block");
    }
    deeper(front);
    struct node *block = node_new(front, NODE_BLOCK, take(front)->position);
    size_t capacity = 0;
    skip_newlines(front);
    while (!at_kind(front, TOKEN_DEDENT) && !at_kind(front, TOKEN_EOF)) {
        node_push(front, block, parse_statement(front), &capacity);
        skip_newlines(front);
    }
    accept(front, TOKEN_DEDENT);
    block->has_block = true;
    front->depth--;
    return block;
}

/* "otherwise" may follow on a later line of the same block. */
static bool accept_after_newlines(struct front *front, enum token_kind kind)
{
    size_t ahead = 0;
    while (kind_at(front, ahead) == TOKEN_NEWLINE) {
        ahead++;
    }
    if (kind_at(front, ahead) != kind) {
        return false;
    }
    front->at += ahead + 1;
    return true;
}

struct node *parse_when(struct front *front)
{
    struct node *node = node_new(front, NODE_WHEN, take(front)->position);
    deeper(front);
    node->a = adopt(front, node, parse_expression(front));
    if (at_kind(front, TOKEN_THEN)) {
        front_fail(
            front, ERROR_PARSE, node->position,
            "'when <condition> then <value>' is the inline form: it is an expression, and in statement position its "
            "value is discarded. Write the block form: `when <condition>`, then an indented body");
    }
    node->b = adopt(front, node, parse_block(front));
    if (accept_after_newlines(front, TOKEN_OTHERWISE)) {
        node->c = adopt(front, node, at_kind(front, TOKEN_WHEN) ? parse_when(front) : parse_block(front));
    }
    node->has_block = true;
    front->depth--;
    return node;
}

static struct node *parse_loop(struct front *front, bool each)
{
    struct node *node = node_new(front, each ? NODE_EACH : NODE_WHILE, take(front)->position);
    if (each) {
        node->text = binding_name(front, "loop variable after 'each'")->value;
        if (!accept(front, TOKEN_IN)) {
            expected(front, "Expected 'in' after variable in each loop");
        }
    }
    node->a = adopt(front, node, parse_expression(front));
    node->b = adopt(front, node, parse_block(front));
    return node;
}

/* ---- patterns ---- */

static struct node *parse_pattern(struct front *front, bool top);

static void parse_list_pattern(struct front *front, struct node *pattern)
{
    size_t capacity = 0;
    bool spread = false;
    take(front);
    while (!at_kind(front, TOKEN_RBRACKET)) {
        struct position position = current(front)->position;
        if (accept(front, TOKEN_SPREAD)) {
            if (spread) {
                front_fail(front, ERROR_PARSE, position, "a list pattern may have at most one '...' spread");
            }
            spread = true;
            struct node *rest = node_new(front, PATTERN_REST, position);
            if (at_kind(front, TOKEN_IDENTIFIER)) {
                rest->text = take(front)->value;
            }
            node_push(front, pattern, rest, &capacity);
        } else {
            node_push(front, pattern, parse_pattern(front, false), &capacity);
        }
        if (!accept(front, TOKEN_COMMA)) {
            break;
        }
    }
    pattern->op = spread;
    expect(front, TOKEN_RBRACKET);
}

static void parse_map_pattern(struct front *front, struct node *pattern)
{
    size_t capacity = 0, name_capacity = 0;
    take(front);
    while (!at_kind(front, TOKEN_RBRACE)) {
        struct token *token = binding_name(front, "map pattern field name");
        pattern->names =
            front_grow(front, pattern->names, pattern->name_count, &name_capacity, sizeof(*pattern->names));
        pattern->names[pattern->name_count++] = token->value;
        struct node *field = node_new(front, PATTERN_BIND, token->position);
        field->text = token->value;
        if (accept(front, TOKEN_COLON)) {
            field = parse_pattern(front, false);
        }
        node_push(front, pattern, field, &capacity);
        if (!accept(front, TOKEN_COMMA)) {
            break;
        }
    }
    expect(front, TOKEN_RBRACE);
}

static struct node *parse_variant_pattern(struct front *front)
{
    struct node *pattern = node_new(front, PATTERN_VARIANT, current(front)->position);
    struct node *name = node_new(front, NODE_NAME, current(front)->position);
    size_t capacity = 0;
    name->text = take(front)->value;
    pattern->a = name;
    take(front);
    pattern->text = take(front)->value;
    pattern->op = -1; /* any payload */
    if (accept(front, TOKEN_LPAREN)) {
        while (!at_kind(front, TOKEN_RPAREN)) {
            node_push(front, pattern, parse_pattern(front, false), &capacity);
            if (!accept(front, TOKEN_COMMA)) {
                break;
            }
        }
        expect(front, TOKEN_RPAREN);
        pattern->op = (int)pattern->count;
    }
    return pattern;
}

static struct node *parse_pattern(struct front *front, bool top)
{
    struct token *token = current(front);
    deeper(front);
    enum token_kind next = kind_at(front, 1);
    bool plain = token->kind == TOKEN_IDENTIFIER && next != TOKEN_LPAREN && next != TOKEN_DOT && next != TOKEN_LBRACKET;
    struct node *pattern;
    if (plain && word_is(token, "_")) {
        pattern = node_new(front, PATTERN_WILD, take(front)->position);
    } else if (plain && !top) {
        pattern = node_new(front, PATTERN_BIND, token->position);
        pattern->text = take(front)->value;
    } else if (token->kind == TOKEN_LBRACKET) {
        pattern = node_new(front, PATTERN_LIST, token->position);
        parse_list_pattern(front, pattern);
    } else if (token->kind == TOKEN_LBRACE && (next == TOKEN_IDENTIFIER || next == TOKEN_RBRACE)) {
        pattern = node_new(front, PATTERN_MAP, token->position);
        parse_map_pattern(front, pattern);
    } else if (token->kind == TOKEN_IDENTIFIER && next == TOKEN_DOT && kind_at(front, 2) == TOKEN_IDENTIFIER &&
               kind_at(front, 3) != TOKEN_DOT && kind_at(front, 3) != TOKEN_LBRACKET) {
        pattern = parse_variant_pattern(front);
    } else {
        pattern = node_new(front, PATTERN_VALUE, token->position);
        pattern->a = adopt(front, pattern, parse_expression(front));
    }
    front->depth--;
    return pattern;
}

static struct node *parse_match(struct front *front)
{
    struct node *node = node_new(front, NODE_MATCH, take(front)->position);
    size_t capacity = 0;
    node->a = adopt(front, node, parse_expression(front));
    skip_newlines(front);
    expect(front, TOKEN_INDENT);
    skip_newlines(front);
    while (at_kind(front, TOKEN_IS)) {
        struct node *arm = node_new(front, NODE_ARM, take(front)->position);
        arm->a = parse_pattern(front, true);
        if (accept(front, TOKEN_WHEN)) {
            arm->b = adopt(front, arm, parse_expression(front));
        }
        arm->c = adopt(front, arm, parse_block(front));
        arm->has_call = true;
        node_push(front, node, arm, &capacity);
        skip_newlines(front);
    }
    if (accept(front, TOKEN_OTHERWISE)) {
        node->b = adopt(front, node, parse_block(front));
        skip_newlines(front);
    }
    if (!at_kind(front, TOKEN_EOF)) {
        expect(front, TOKEN_DEDENT);
    }
    node->has_block = true;
    return node;
}

/* ---- definitions ---- */

static struct node *parse_let(struct front *front)
{
    struct node *node = node_new(front, NODE_LET, take(front)->position);
    node->text = binding_name(front, "variable after 'let'")->value;
    if (!accept(front, TOKEN_BE)) {
        expected(front, "Expected 'be' after variable name in let binding");
    }
    node->a = adopt(front, node, parse_expression(front));
    return node;
}

static struct node *parse_set(struct front *front)
{
    struct node *node = node_new(front, NODE_SET, take(front)->position);
    node->a = adopt(front, node, parse_postfix(front));
    if (!accept(front, TOKEN_TO)) {
        expected(front, "Expected 'to' in set statement");
    }
    node->b = adopt(front, node, parse_expression(front));
    return node;
}

static struct node *parse_task(struct front *front)
{
    struct node *node = node_new(front, NODE_TASK, take(front)->position);
    node->text = binding_name(front, "task name")->value;
    size_t names = 0, items = 0;
    if (accept(front, TOKEN_LPAREN)) {
        bool more = !at_kind(front, TOKEN_RPAREN);
        while (more) {
            struct token *token = binding_name(front, "parameter name");
            node->names = front_grow(front, node->names, node->name_count, &names, sizeof(*node->names));
            node->names[node->name_count++] = token->value;
            node->items = front_grow(front, node->items, node->count, &items, sizeof(*node->items));
            node->items[node->count++] = accept(front, TOKEN_ASSIGN) ? parse_expression(front) : NULL;
            more = accept(front, TOKEN_COMMA);
        }
        expect(front, TOKEN_RPAREN);
    }
    node->b = parse_block(front);
    return node;
}

static struct node *parse_type(struct front *front)
{
    struct node *node = node_new(front, NODE_TYPE, take(front)->position);
    size_t capacity = 0;
    node->text = binding_name(front, "type name")->value;
    skip_newlines(front);
    expect(front, TOKEN_INDENT);
    skip_newlines(front);
    while (!at_kind(front, TOKEN_DEDENT) && !at_kind(front, TOKEN_EOF)) {
        struct token *token = binding_name(front, "field name");
        node->names = front_grow(front, node->names, node->name_count, &capacity, sizeof(*node->names));
        node->names[node->name_count++] = token->value;
        expect(front, TOKEN_COLON);
        if (current(front)->kind != TOKEN_NOTHING) {
            expect(front, TOKEN_IDENTIFIER);
        } else {
            take(front);
        }
        skip_newlines(front);
    }
    accept(front, TOKEN_DEDENT);
    return node;
}

static struct node *parse_enum(struct front *front)
{
    struct node *node = node_new(front, NODE_ENUM, take(front)->position);
    size_t capacity = 0;
    node->text = binding_name(front, "type name")->value;
    skip_newlines(front);
    expect(front, TOKEN_INDENT);
    skip_newlines(front);
    while (!at_kind(front, TOKEN_DEDENT) && !at_kind(front, TOKEN_EOF)) {
        struct node *variant = node_new(front, NODE_ENUM, current(front)->position);
        size_t names = 0;
        variant->text = binding_name(front, "field name")->value;
        if (accept(front, TOKEN_LPAREN)) {
            do {
                struct token *token = binding_name(front, "field name");
                variant->names =
                    front_grow(front, variant->names, variant->name_count, &names, sizeof(*variant->names));
                variant->names[variant->name_count++] = token->value;
            } while (accept(front, TOKEN_COMMA));
            expect(front, TOKEN_RPAREN);
        }
        node_push(front, node, variant, &capacity);
        skip_newlines(front);
    }
    accept(front, TOKEN_DEDENT);
    return node;
}

static struct node *parse_try(struct front *front)
{
    struct node *node = node_new(front, NODE_TRY, take(front)->position);
    node->a = adopt(front, node, parse_block(front));
    skip_newlines(front);
    if (word_is(current(front), "except") || word_is(current(front), "catch")) {
        expected(front, "write `recover err` (the error text is in `err`)");
    }
    if (word_is(current(front), "finally")) {
        expected(front, "there is no `finally`: put cleanup after the block");
    }
    if (!accept(front, TOKEN_RECOVER)) {
        expected(front, "Expected 'recover' after try block");
    }
    if (at_kind(front, TOKEN_NEWLINE) || at_kind(front, TOKEN_INDENT)) {
        if (text_intern(front->vm, "error", 5, &node->text)) {
            front_memory(front);
        }
    } else if (!at_kind(front, TOKEN_COLON)) {
        node->text = binding_name(front, "error name after 'recover'")->value;
    }
    node->b = adopt(front, node, parse_block(front));
    node->has_call = true;
    return node;
}

/* ---- permissions and other declarations ---- */

static struct node *parse_require(struct front *front)
{
    struct node *node = node_new(front, NODE_REQUIRE, take(front)->position);
    struct buffer name;
    buffer_init(&name, front->vm);
    do {
        struct token *token = current(front);
        if (token->kind != TOKEN_IDENTIFIER && token->kind < TOKEN_WHEN) {
            buffer_done(&name);
            expect(front, TOKEN_IDENTIFIER);
        }
        buffer_puts(&name, name.length ? "." : "");
        buffer_put(&name, value_text(token->value)->data, value_text(token->value)->length);
        take(front);
    } while (accept(front, TOKEN_DOT));
    int r = name.failed ? -1 : text_intern(front->vm, name.data, name.length, &node->text);
    buffer_done(&name);
    if (r) {
        front_memory(front);
    }
    if (at_kind(front, TOKEN_LPAREN)) {
        take(front);
        node->a = adopt(front, node, parse_expression(front));
        expect(front, TOKEN_RPAREN);
    } else if (at_kind(front, TOKEN_TEXT) || at_kind(front, TOKEN_TEMPLATE) || at_kind(front, TOKEN_NUMBER)) {
        node->a = adopt(front, node, parse_postfix(front));
    }
    return node;
}

struct node *parse_sandbox(struct front *front)
{
    struct node *node = node_new(front, NODE_SANDBOX, take(front)->position);
    node->has_call = true;
    if (word_is(current(front), "under")) {
        take(front);
        node->a = adopt(front, node, parse_expression(front));
    }
    if (node->a || at_kind(front, TOKEN_NEWLINE) || at_kind(front, TOKEN_INDENT) || at_kind(front, TOKEN_COLON)) {
        node->b = adopt(front, node, parse_block(front));
        node->op = 1;
    } else {
        node->b = adopt(front, node, parse_expression(front));
    }
    return node;
}

static struct node *parse_intent(struct front *front)
{
    struct node *node = node_new(front, NODE_INTENT, take(front)->position);
    expect(front, TOKEN_COLON);
    node->text = expect(front, TOKEN_TEXT)->value;
    return node;
}

static struct node *parse_invariant(struct front *front)
{
    struct node *node = node_new(front, NODE_INVARIANT, take(front)->position);
    if (at_kind(front, TOKEN_TEXT)) {
        node->text = take(front)->value;
    } else if (at_kind(front, TOKEN_TEMPLATE)) {
        struct token *token = take(front);
        node->text = lex_template_text(front, token->start + 1, token->start + token->length - 1);
    }
    expect(front, TOKEN_COLON);
    node->a = adopt(front, node, parse_expression(front));
    return node;
}

/* ---- soft statement words ---- */

/* A soft word is a name when what follows continues an expression (§1.3). */
static bool leads_statement(const struct front *front)
{
    switch (kind_at(front, 1)) {
    case TOKEN_LPAREN:
    case TOKEN_DOT:
    case TOKEN_LBRACKET:
    case TOKEN_PLUS:
    case TOKEN_MINUS:
    case TOKEN_STAR:
    case TOKEN_SLASH:
    case TOKEN_FLOOR_DIV:
    case TOKEN_PERCENT:
    case TOKEN_POWER:
    case TOKEN_EQUAL:
    case TOKEN_NOT_EQUAL:
    case TOKEN_LESS:
    case TOKEN_GREATER:
    case TOKEN_LESS_EQUAL:
    case TOKEN_GREATER_EQUAL:
    case TOKEN_AND:
    case TOKEN_OR:
    case TOKEN_PIPE:
    case TOKEN_OF:
    case TOKEN_ASSIGN:
    case TOKEN_IN:
    case TOKEN_COLON:
        return false;
    default:
        return true;
    }
}

static bool ends_statement(const struct front *front, size_t ahead)
{
    enum token_kind kind = kind_at(front, ahead);
    return kind == TOKEN_NEWLINE || kind == TOKEN_DEDENT || kind == TOKEN_EOF;
}

static struct node *parse_raise(struct front *front)
{
    struct node *node = node_new(front, NODE_RAISE, take(front)->position);
    if (ends_statement(front, 0)) {
        front_fail(front, ERROR_PARSE, node->position,
                   "raise needs a message: raise(\"why\") — or `raise err` to re-propagate a caught error");
    }
    node->a = adopt(front, node, parse_expression(front));
    return node;
}

static struct node *parse_show(struct front *front)
{
    bool log = word_is(current(front), "log");
    struct node *node = node_new(front, log ? NODE_LOG : NODE_SHOW, take(front)->position);
    node->a = adopt(front, node, parse_expression(front));
    if (!log && accept(front, TOKEN_AS)) {
        node->text = expect(front, TOKEN_TEXT)->value;
    }
    return node;
}

static struct node *parse_use(struct front *front)
{
    struct node *node = node_new(front, NODE_USE, take(front)->position);
    node->text = expect(front, TOKEN_TEXT)->value;
    node->has_call = true;
    expect(front, TOKEN_AS);
    node->other = binding_name(front, "module alias after 'as'")->value;
    return node;
}

static struct node *parse_named_block(struct front *front, enum node_kind kind)
{
    struct node *node = node_new(front, kind, take(front)->position);
    node->text = expect(front, TOKEN_TEXT)->value;
    node->b = adopt(front, node, parse_block(front));
    return kind == NODE_TEST ? node : node->b;
}

static struct node *parse_export(struct front *front)
{
    take(front);
    struct node *node = at_kind(front, TOKEN_TASK)   ? parse_task(front)
                        : at_kind(front, TOKEN_TYPE) ? parse_type(front)
                        : at_kind(front, TOKEN_LET)  ? parse_let(front)
                                                     : parse_enum(front);
    node->exported = true;
    return node;
}

/* The statement that a soft word leads; NULL: it is a name. */
static struct node *parse_soft(struct front *front)
{
    const struct token *token = current(front);
    enum token_kind next = kind_at(front, 1);
    if (word_is(token, "use") && next == TOKEN_TEXT) {
        return parse_use(front);
    }
    if (word_is(token, "test") && next == TOKEN_TEXT) {
        return parse_named_block(front, NODE_TEST);
    }
    if (word_is(token, "enum") && next == TOKEN_IDENTIFIER) {
        return parse_enum(front);
    }
    bool exports = next == TOKEN_TASK || next == TOKEN_TYPE || next == TOKEN_LET ||
                   (next == TOKEN_IDENTIFIER && word_is(&front->tokens[front->at + 1], "enum"));
    if (word_is(token, "export") && exports) {
        return parse_export(front);
    }
    if (word_is(token, "raise") && (leads_statement(front) || ends_statement(front, 1))) {
        return parse_raise(front);
    }
    if (ends_statement(front, 1) || !leads_statement(front)) {
        return NULL;
    }
    if (word_is(token, "show") || word_is(token, "log")) {
        return parse_show(front);
    }
    if ((word_is(token, "trace") || word_is(token, "measure")) && next == TOKEN_TEXT) {
        return parse_named_block(front, NODE_BLOCK);
    }
    if (word_is(token, "checkpoint")) {
        struct node *node = node_new(front, NODE_DISCARD, take(front)->position);
        node->a = adopt(front, node, parse_expression(front));
        return node;
    }
    return NULL;
}

/* ---- statements ---- */

/* What is wrong with tokens that are left after a statement. */
_Noreturn static void leftover(struct front *front, const struct token *first)
{
    const struct token *token = current(front);
    if (first->kind == TOKEN_IDENTIFIER) {
        const char *hint = hint_statement(value_text(first->value)->data, value_text(first->value)->length);
        if (hint) {
            front_fail(front, ERROR_PARSE, first->position, "`%s` is not a Synsema statement: %s",
                       value_text(first->value)->data, hint);
        }
        if (token->kind == TOKEN_TEXT && token->glued && value_text(first->value)->length == 1) {
            front_fail(front, ERROR_PARSE, token->position, "an f-string is a template with backticks here: `…{x}…`");
        }
    }
    if (token->kind == TOKEN_COLON) {
        expected(front, "Synsema blocks have no colon: end the line and indent the body on the next one");
    }
    if (token->kind == TOKEN_ASSIGN && first->kind == TOKEN_IDENTIFIER) {
        front_fail(
            front, ERROR_PARSE, token->position,
            "`%s = …` is not how you assign in Synsema: declare with `let %s be …`, change it with `set %s to …` (`=` "
            "only names an argument: f(x = 1))",
            value_text(first->value)->data, value_text(first->value)->data, value_text(first->value)->data);
    }
    if (token->kind == TOKEN_IS) {
        expected(front, "`is` belongs to match arms; compare with == (x == nothing, or is_missing(x))");
    }
    if (word_is(token, "if")) {
        expected(front, "no `a if c else b`: the inline form is `when c then a otherwise b`");
    }
    if (front->at > 0 && front->tokens[front->at - 1].kind == TOKEN_IDENTIFIER &&
        word_is(&front->tokens[front->at - 1], "lambda")) {
        expected(front, "a lambda is (y) => y");
    }
    if (front->at > 0 && token->kind == TOKEN_TEXT && token->glued &&
        front->tokens[front->at - 1].kind == TOKEN_IDENTIFIER) {
        expected(front, "an f-string is a template with backticks here: `…{x}…`");
    }
    front_fail(front, ERROR_PARSE, token->position,
               "unexpected %s after the end of this statement. If you meant to call something, write the parentheses: "
               "f(x). If "
               "you meant several statements, put them on separate lines",
               token_name(token->kind));
}

static struct node *parse_simple(struct front *front)
{
    switch (current(front)->kind) {
    case TOKEN_LET:
        return parse_let(front);
    case TOKEN_SET:
        return parse_set(front);
    case TOKEN_WHEN:
        return parse_when(front);
    case TOKEN_EACH:
        return parse_loop(front, true);
    case TOKEN_WHILE:
        return parse_loop(front, false);
    case TOKEN_MATCH:
        return parse_match(front);
    case TOKEN_TASK:
        return parse_task(front);
    case TOKEN_TYPE:
        if (kind_at(front, 1) != TOKEN_LPAREN) {
            return parse_type(front);
        }
        return parse_expression(front);
    case TOKEN_TRY:
        return parse_try(front);
    case TOKEN_REQUIRE:
        return parse_require(front);
    case TOKEN_INTENT:
        return parse_intent(front);
    case TOKEN_INVARIANT:
        return parse_invariant(front);
    case TOKEN_GIVE:
    case TOKEN_STOP: {
        struct node *node =
            node_new(front, at_kind(front, TOKEN_GIVE) ? NODE_GIVE : NODE_STOP, current(front)->position);
        take(front);
        if (!ends_statement(front, 0)) {
            node->a = adopt(front, node, parse_expression(front));
        }
        return node;
    }
    case TOKEN_IDENTIFIER: {
        struct node *node = parse_soft(front);
        return node ? node : parse_expression(front);
    }
    default:
        return parse_expression(front);
    }
}

static struct node *parse_statement(struct front *front)
{
    const struct token *first = current(front);
    size_t start = front->at;
    deeper(front);
    struct node *node = parse_simple(front);
    front->depth--;
    bool closed_block = front->at > start && front->tokens[front->at - 1].kind == TOKEN_DEDENT;
    if (closed_block) {
        return node;
    }
    if (!ends_statement(front, 0)) {
        leftover(front, first);
    }
    if (first->kind == TOKEN_IDENTIFIER && kind_at(front, 0) == TOKEN_NEWLINE && kind_at(front, 1) == TOKEN_INDENT &&
        hint_statement(value_text(first->value)->data, value_text(first->value)->length)) {
        leftover(front, first);
    }
    return node;
}

struct node *parse_program(struct front *front)
{
    struct node *program = node_new(front, NODE_BLOCK, (struct position){1, 1});
    size_t capacity = 0;
    skip_newlines(front);
    while (!at_kind(front, TOKEN_EOF)) {
        node_push(front, program, parse_statement(front), &capacity);
        skip_newlines(front);
    }
    return program;
}
