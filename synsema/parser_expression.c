/* Expressions (§2). */
#include "parser_internal.h"

#include <stdio.h>

#define DEPTH_MAX 600
#define HEIGHT_MAX 2000

void deeper(struct front *front)
{
    if (++front->depth > DEPTH_MAX) {
        front_fail(front, ERROR_PARSE, current(front)->position, "nested too deeply");
    }
}

struct node *node_new(struct front *front, enum node_kind kind, struct position position)
{
    struct node *node = front_alloc(front, sizeof(*node));
    node->kind = kind;
    node->position = position;
    node->text = VALUE_UNDEFINED;
    node->other = VALUE_UNDEFINED;
    node->height = 1;
    return node;
}

struct node *adopt(struct front *front, struct node *node, struct node *child)
{
    if (child) {
        node->has_call |= child->has_call;
        node->has_block |= child->has_block;
        if (child->height >= node->height) {
            node->height = child->height + 1;
        }
        if (node->height > HEIGHT_MAX) {
            front_fail(front, ERROR_PARSE, node->position, "expression too long (more than %d steps)", HEIGHT_MAX);
        }
    }
    return child;
}

void node_push(struct front *front, struct node *node, struct node *child, size_t *capacity)
{
    node->items = front_grow(front, node->items, node->count, capacity, sizeof(*node->items));
    node->items[node->count++] = adopt(front, node, child);
}

static struct node *binary(struct front *front, enum node_kind kind, int op, struct position position, struct node *a,
                           struct node *b)
{
    struct node *node = node_new(front, kind, position);
    node->op = op;
    node->a = adopt(front, node, a);
    node->b = adopt(front, node, b);
    return node;
}

static struct node *literal(struct front *front, struct position position, struct value v)
{
    struct node *node = node_new(front, NODE_LITERAL, position);
    node->text = v;
    return node;
}

/* ---- templates ---- */

static struct node *parse_hole(struct front *front, size_t start, size_t end, struct position position)
{
    while (start < end && strchr(" \t\r\n", front->source[start])) {
        position.column++;
        if (front->source[start++] == '\n') {
            position.line++;
            position.column = 1;
        }
    }
    struct token *tokens = front->tokens;
    size_t count = front->token_count, capacity = front->token_capacity, at = front->at;
    front->tokens = NULL;
    front->token_count = front->token_capacity = front->at = 0;
    lex_hole(front, start, end, position);
    struct node *hole = parse_expression(front);
    front->tokens = tokens;
    front->token_count = count;
    front->token_capacity = capacity;
    front->at = at;
    return hole;
}

static void add_part(struct front *front, struct node *node, struct part part, size_t *capacity)
{
    node->parts = front_grow(front, node->parts, node->count, capacity, sizeof(part));
    node->parts[node->count++] = part;
}

static struct node *parse_template(struct front *front, const struct token *token)
{
    struct node *node = node_new(front, NODE_TEMPLATE, token->position);
    size_t capacity = 0;
    size_t at = token->start + 1, end = token->start + token->length - 1, from = at;
    struct position position = {token->position.line, token->position.column + 1};
    deeper(front);
    while (at < end) {
        char c = front->source[at];
        if (c == '\\' && at + 1 < end) {
            at += 1;
            position.column++;
        } else if (c == '{') {
            if (at > from) {
                add_part(front, node, (struct part){.text = lex_template_text(front, from, at)}, &capacity);
            }
            size_t close = lex_hole_end(front, at + 1, end);
            struct node *hole = parse_hole(front, at + 1, close, (struct position){position.line, position.column + 1});
            add_part(front, node, (struct part){.text = VALUE_UNDEFINED, .hole = adopt(front, node, hole)}, &capacity);
            while (at < close) {
                uint32_t scalar = utf8_next(front->source, &at);
                position.column = scalar == '\n' ? 1 : position.column + 1;
                position.line += scalar == '\n';
            }
            at = close + 1;
            position.column++;
            from = at;
            continue;
        }
        uint32_t scalar = utf8_next(front->source, &at);
        position.column = scalar == '\n' ? 1 : position.column + 1;
        position.line += scalar == '\n';
    }
    if (at > from) {
        add_part(front, node, (struct part){.text = lex_template_text(front, from, at)}, &capacity);
    }
    front->depth--;
    return node;
}

/* ---- primaries ---- */

/* Whether the parenthesis here is a lambda's: its closing one is followed by => */
static bool is_lambda(const struct front *front)
{
    size_t depth = 0;
    for (size_t i = front->at; i < front->token_count; i++) {
        enum token_kind kind = front->tokens[i].kind;
        depth += kind == TOKEN_LPAREN || kind == TOKEN_LBRACKET || kind == TOKEN_LBRACE;
        if (kind == TOKEN_RPAREN || kind == TOKEN_RBRACKET || kind == TOKEN_RBRACE) {
            if (--depth == 0) {
                return i + 1 < front->token_count && front->tokens[i + 1].kind == TOKEN_FAT_ARROW;
            }
        }
        if (kind == TOKEN_FAT_ARROW && depth == 0) {
            return false;
        }
    }
    return false;
}

static struct node *parse_lambda(struct front *front)
{
    struct node *node = node_new(front, NODE_LAMBDA, current(front)->position);
    size_t capacity = 0;
    take(front);
    while (!at_kind(front, TOKEN_RPAREN)) {
        struct token *token = binding_name(front, "parameter name");
        node->names = front_grow(front, node->names, node->name_count, &capacity, sizeof(*node->names));
        node->names[node->name_count++] = token->value;
        if (!accept(front, TOKEN_COMMA)) {
            break;
        }
    }
    expect(front, TOKEN_RPAREN);
    expect(front, TOKEN_FAT_ARROW);
    node->a = parse_expression(front);
    node->has_block = node->a->has_block;
    return node;
}

static struct node *parse_list(struct front *front)
{
    struct node *node = node_new(front, NODE_LIST, take(front)->position);
    size_t capacity = 0;
    while (!at_kind(front, TOKEN_RBRACKET)) {
        node_push(front, node, parse_expression(front), &capacity);
        if (word_is(current(front), "for") || at_kind(front, TOKEN_EACH)) {
            front_fail(front, ERROR_PARSE, current(front)->position,
                       "no comprehensions: apply(xs, (v) => …) to transform, where(xs, (v) => …) to filter");
        }
        if (!accept(front, TOKEN_COMMA)) {
            break;
        }
    }
    expect(front, TOKEN_RBRACKET);
    return node;
}

static struct node *parse_map(struct front *front)
{
    struct node *node = node_new(front, NODE_MAP, take(front)->position);
    size_t capacity = 0;
    while (!at_kind(front, TOKEN_RBRACE)) {
        node_push(front, node, parse_expression(front), &capacity);
        expect(front, TOKEN_COLON);
        node_push(front, node, parse_expression(front), &capacity);
        if (!accept(front, TOKEN_COMMA)) {
            break;
        }
    }
    expect(front, TOKEN_RBRACE);
    return node;
}

/* reason, decide, analyze, generate: without a provider they give fixed texts. */
static struct node *parse_llm(struct front *front)
{
    struct token *word = take(front);
    struct node *node = node_new(front, NODE_LLM, word->position);
    node->op = (int)word->kind;
    node->has_call = true;
    if ((word->kind == TOKEN_REASON && word_is(current(front), "about")) ||
        (word->kind == TOKEN_DECIDE && word_is(current(front), "between"))) {
        take(front);
    }
    node->a = adopt(front, node, parse_expression(front));
    if (word->kind == TOKEN_ANALYZE && word_is(current(front), "for")) {
        take(front);
        node->text = expect(front, TOKEN_TEXT)->value;
    }
    while (word_is(current(front), "given") || at_kind(front, TOKEN_WITH)) {
        bool with = take(front)->kind == TOKEN_WITH;
        do {
            if (with) {
                expect(front, TOKEN_IDENTIFIER);
                expect(front, TOKEN_ASSIGN);
            }
            parse_expression(front);
        } while (with && accept(front, TOKEN_COMMA));
    }
    return node;
}

static struct node *parse_when_inline(struct front *front, struct node *condition, struct position position)
{
    struct node *node = node_new(front, NODE_WHEN_INLINE, position);
    node->a = adopt(front, node, condition);
    expect(front, TOKEN_THEN);
    node->b = adopt(front, node, parse_expression(front));
    if (accept(front, TOKEN_OTHERWISE)) {
        skip_newlines(front);
        bool indented = accept(front, TOKEN_INDENT);
        node->c = adopt(front, node, parse_expression(front));
        if (indented) {
            skip_newlines(front);
            expect(front, TOKEN_DEDENT);
        }
    }
    return node;
}

static struct node *parse_when_expression(struct front *front)
{
    struct position position = current(front)->position;
    size_t start = front->at;
    take(front);
    struct node *condition = parse_expression(front);
    if (at_kind(front, TOKEN_THEN)) {
        return parse_when_inline(front, condition, position);
    }
    front->at = start;
    return parse_when(front);
}

_Noreturn static void unexpected(struct front *front)
{
    const struct token *token = current(front);
    char text[64];
    if (token->kind == TOKEN_NEWLINE) {
        snprintf(text, sizeof(text), "\\n");
    } else {
        snprintf(text, sizeof(text), "%.*s", (int)(token->length > 40 ? 40 : token->length),
                 front->source + token->start);
    }
    front_fail(front, ERROR_PARSE, token->position, "Unexpected token: %s ('%s')", token_name(token->kind), text);
}

static struct node *parse_primary(struct front *front)
{
    struct token *token = current(front);
    struct node *node;
    switch (token->kind) {
    case TOKEN_NUMBER:
    case TOKEN_TEXT:
        return literal(front, token->position, take(front)->value);
    case TOKEN_TEMPLATE:
        return parse_template(front, take(front));
    case TOKEN_BOOL_TRUE:
    case TOKEN_BOOL_FALSE:
        return literal(front, token->position, value_bool(take(front)->kind == TOKEN_BOOL_TRUE));
    case TOKEN_NOTHING:
        return literal(front, take(front)->position, VALUE_NOTHING);
    case TOKEN_IDENTIFIER:
        node = node_new(front, NODE_NAME, token->position);
        node->text = take(front)->value;
        return node;
    case TOKEN_TYPE:
        if (kind_at(front, 1) == TOKEN_LPAREN) {
            front_fail(front, ERROR_PARSE, token->position, "the type of a value is type_of(x)");
        }
        unexpected(front);
    case TOKEN_LBRACKET:
        return parse_list(front);
    case TOKEN_LBRACE:
        return parse_map(front);
    case TOKEN_LPAREN:
        if (is_lambda(front)) {
            return parse_lambda(front);
        }
        take(front);
        node = parse_expression(front);
        expect(front, TOKEN_RPAREN);
        return node;
    case TOKEN_WHEN:
        return parse_when_expression(front);
    case TOKEN_SANDBOX:
        return parse_sandbox(front);
    case TOKEN_REASON:
    case TOKEN_DECIDE:
    case TOKEN_ANALYZE:
    case TOKEN_GENERATE:
        return parse_llm(front);
    default:
        unexpected(front);
    }
}

/* ---- postfix ---- */

static struct node *parse_call(struct front *front, struct node *callee)
{
    struct node *node = node_new(front, NODE_CALL, callee->position);
    node->a = adopt(front, node, callee);
    node->has_call = true;
    take(front);
    size_t capacity = 0;
    while (!at_kind(front, TOKEN_RPAREN)) {
        struct argument argument = {.name = VALUE_UNDEFINED};
        if (at_kind(front, TOKEN_IDENTIFIER) && kind_at(front, 1) == TOKEN_ASSIGN) {
            argument.name = take(front)->value;
            take(front);
        } else if (node->count > 0 && !value_is_undefined(node->arguments[node->count - 1].name)) {
            front_fail(front, ERROR_PARSE, current(front)->position, "positional argument after named argument");
        }
        for (size_t i = 0; i < node->count && !value_is_undefined(argument.name); i++) {
            if (value_same(node->arguments[i].name, argument.name)) {
                front_fail(front, ERROR_PARSE, current(front)->position, "duplicate argument '%s'",
                           value_text(argument.name)->data);
            }
        }
        argument.value = adopt(front, node, parse_expression(front));
        node->arguments = front_grow(front, node->arguments, node->count, &capacity, sizeof(argument));
        node->arguments[node->count++] = argument;
        if (!accept(front, TOKEN_COMMA)) {
            break;
        }
    }
    expect(front, TOKEN_RPAREN);
    return node;
}

static struct node *parse_member(struct front *front, struct node *object)
{
    take(front);
    struct token *token = current(front);
    if (token->kind != TOKEN_IDENTIFIER && token->kind < TOKEN_WHEN) {
        expect(front, TOKEN_IDENTIFIER);
    }
    struct node *node = node_new(front, NODE_FIELD, object->position);
    node->text = take(front)->value;
    node->a = adopt(front, node, object);
    return node;
}

static struct node *parse_index(struct front *front, struct node *object)
{
    take(front);
    if (at_kind(front, TOKEN_COLON)) {
        front_fail(front, ERROR_PARSE, current(front)->position,
                   "no slice syntax: slice(xs, start, end?) (negative counts from the end)");
    }
    struct node *node = binary(front, NODE_INDEX, 0, object->position, object, parse_expression(front));
    if (at_kind(front, TOKEN_COLON)) {
        front_fail(front, ERROR_PARSE, current(front)->position,
                   "no slice syntax: slice(xs, start, end?) (negative counts from the end)");
    }
    expect(front, TOKEN_RBRACKET);
    return node;
}

struct node *parse_postfix(struct front *front)
{
    deeper(front);
    struct node *node = parse_primary(front);
    for (;;) {
        if (at_kind(front, TOKEN_LPAREN)) {
            node = parse_call(front, node);
        } else if (at_kind(front, TOKEN_DOT)) {
            node = parse_member(front, node);
        } else if (at_kind(front, TOKEN_LBRACKET)) {
            node = parse_index(front, node);
        } else if (at_kind(front, TOKEN_OF)) {
            if (node->kind != NODE_NAME) {
                front_fail(front, ERROR_PARSE, current(front)->position,
                           "`of` needs a plain name on its left (`name of person`); for a computed key use an index: "
                           "`person[key]`");
            }
            take(front);
            struct node *field = node_new(front, NODE_FIELD, node->position);
            field->text = node->text;
            field->a = adopt(front, field, parse_postfix(front));
            field->op = 1;
            if (field->a->kind == NODE_FIELD && !field->a->op) {
                field->a->other = field->text; /* for the note when it fails */
            }
            node = field;
        } else {
            front->depth--;
            return node;
        }
    }
}

/* ---- operators ---- */

static struct node *parse_unary(struct front *front)
{
    struct position position = current(front)->position;
    deeper(front);
    struct node *node;
    if (accept(front, TOKEN_MINUS)) {
        node = node_new(front, NODE_NEGATE, position);
        node->a = adopt(front, node, parse_unary(front));
    } else {
        node = parse_postfix(front);
        position = current(front)->position;
        if (accept(front, TOKEN_POWER)) {
            node = binary(front, NODE_BINARY, OPERATION_POW, position, node, parse_unary(front));
        }
    }
    front->depth--;
    return node;
}

static struct node *parse_mul(struct front *front)
{
    struct node *node = parse_unary(front);
    for (;;) {
        struct position position = current(front)->position;
        int op = at_kind(front, TOKEN_STAR)        ? OPERATION_MUL
                 : at_kind(front, TOKEN_SLASH)     ? OPERATION_DIV
                 : at_kind(front, TOKEN_FLOOR_DIV) ? OPERATION_FLOOR
                 : at_kind(front, TOKEN_PERCENT)   ? OPERATION_MOD
                                                   : -1;
        if (op < 0) {
            return node;
        }
        struct token *sign = take(front);
        struct token *next = current(front);
        bool note = op == OPERATION_FLOOR && next->kind == TOKEN_IDENTIFIER && next->start > sign->start + 2 &&
                    next->position.line == sign->position.line;
        struct node *right = parse_unary(front);
        if (note && right->kind == NODE_NAME) {
            right->op = 1; /* perhaps meant as a comment */
        }
        node = binary(front, NODE_BINARY, op, position, node, right);
    }
}

static struct node *parse_add(struct front *front)
{
    struct node *node = parse_mul(front);
    while (at_kind(front, TOKEN_PLUS) || at_kind(front, TOKEN_MINUS)) {
        struct token *token = take(front);
        if (at_kind(front, TOKEN_ASSIGN)) {
            front_fail(front, ERROR_PARSE, token->position, "no compound assignment: write `set x to x %s …`",
                       token->kind == TOKEN_PLUS ? "+" : "-");
        }
        node = binary(front, NODE_BINARY, token->kind == TOKEN_PLUS ? OPERATION_ADD : OPERATION_SUB, token->position,
                      node, parse_mul(front));
    }
    return node;
}

/* The comparison here, -1 if there is none; `not in` is TOKEN_NOT. */
static int comparison(struct front *front, struct position *position)
{
    *position = current(front)->position;
    switch (current(front)->kind) {
    case TOKEN_EQUAL:
    case TOKEN_NOT_EQUAL:
    case TOKEN_LESS:
    case TOKEN_GREATER:
    case TOKEN_LESS_EQUAL:
    case TOKEN_GREATER_EQUAL:
    case TOKEN_IN:
        return (int)take(front)->kind;
    case TOKEN_NOT:
        if (kind_at(front, 1) == TOKEN_IN) {
            take(front);
            take(front);
            return TOKEN_NOT;
        }
        return -1;
    default:
        return -1;
    }
}

static struct node *parse_comparison(struct front *front)
{
    struct node *first = parse_add(front);
    struct position position;
    int op = comparison(front, &position);
    if (op < 0) {
        return first;
    }
    struct node *node = binary(front, NODE_COMPARE, op, position, first, parse_add(front));
    struct position next_position;
    int next = comparison(front, &next_position);
    if (next < 0) {
        return node;
    }
    struct node *chain = node_new(front, NODE_CHAIN, first->position);
    size_t capacity = 0, op_capacity = 0, position_capacity = 0, count = 0;
    node_push(front, chain, node->a, &capacity);
    node_push(front, chain, node->b, &capacity);
    for (;;) {
        chain->ops = front_grow(front, chain->ops, count, &op_capacity, sizeof(*chain->ops));
        chain->positions = front_grow(front, chain->positions, count, &position_capacity, sizeof(*chain->positions));
        chain->ops[count] = op;
        chain->positions[count++] = position;
        if (next < 0) {
            return chain;
        }
        op = next;
        position = next_position;
        node_push(front, chain, parse_add(front), &capacity);
        next = comparison(front, &next_position);
    }
}

static struct node *parse_not(struct front *front)
{
    if (!at_kind(front, TOKEN_NOT)) {
        return parse_comparison(front);
    }
    struct node *node = node_new(front, NODE_NOT, take(front)->position);
    deeper(front);
    node->a = adopt(front, node, parse_not(front));
    front->depth--;
    return node;
}

static struct node *parse_and(struct front *front)
{
    struct node *node = parse_not(front);
    while (at_kind(front, TOKEN_AND)) {
        struct position position = take(front)->position;
        node = binary(front, NODE_AND, 0, position, node, parse_not(front));
    }
    return node;
}

static struct node *parse_or(struct front *front)
{
    struct node *node = parse_and(front);
    while (at_kind(front, TOKEN_OR)) {
        struct position position = take(front)->position;
        node = binary(front, NODE_OR, 0, position, node, parse_and(front));
    }
    return node;
}

/* v |> f(a) is f(v, a), with v evaluated first; v |> f calls as a builtin would. */
static struct node *pipe_into(struct front *front, struct position position, struct node *value, struct node *target)
{
    struct node *node;
    if (target->kind != NODE_CALL) {
        node = binary(front, NODE_PIPE, 0, position, value, target);
        node->has_call = true;
        return node;
    }
    node = node_new(front, NODE_CALL, target->position);
    node->a = target->a;
    node->has_call = true;
    node->op = 1; /* the first argument is evaluated before the callee */
    node->count = target->count + 1;
    node->arguments = front_alloc(front, node->count * sizeof(*node->arguments));
    node->arguments[0] = (struct argument){.name = VALUE_UNDEFINED, .value = value};
    if (target->count > 0) {
        memcpy(node->arguments + 1, target->arguments, target->count * sizeof(*node->arguments));
    }
    adopt(front, node, target);
    adopt(front, node, value);
    return node;
}

struct node *parse_expression(struct front *front)
{
    deeper(front);
    struct node *node = parse_or(front);
    while (at_kind(front, TOKEN_PIPE)) {
        struct position position = take(front)->position;
        node = pipe_into(front, position, node, parse_or(front));
    }
    front->depth--;
    return node;
}
