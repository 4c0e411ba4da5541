/* Code for `match` and its patterns. */
#include "generate_internal.h"

/* Jumps that are taken when the value in `reg` does not fit. */
static uint32_t pattern_jumps(struct gen *g, struct node *pattern, uint32_t reg);

static uint32_t value_pattern(struct gen *g, struct node *pattern, uint32_t reg)
{
    uint32_t top = g->top;
    uint32_t v = expression(g, pattern->a);
    g->position = pattern->position;
    uint32_t jump = emit_jump(g, OP_MATCHEQ, reg, v, NO_JUMP);
    g->top = top;
    return jump;
}

static uint32_t list_pattern(struct gen *g, struct node *pattern, uint32_t reg)
{
    size_t fixed = pattern->count - (pattern->op ? 1 : 0);
    uint32_t list = emit_jump(g, pattern->op ? OP_MATCHMIN : OP_MATCHLIST, reg, (uint32_t)fixed, NO_JUMP);
    bool after = false;
    for (size_t i = 0; i < pattern->count; i++) {
        struct node *element = pattern->items[i];
        uint32_t top = g->top;
        if (element->kind == PATTERN_WILD || (element->kind == PATTERN_REST && !element->symbol)) {
            after |= element->kind == PATTERN_REST;
            continue;
        }
        uint32_t item = temporary(g);
        if (element->kind == PATTERN_REST) {
            after = true;
            emit(g, OP_REST, item, reg, (uint32_t)(i << 12 | (pattern->count - 1 - i)));
            store_symbol(g, element->symbol, item);
        } else {
            emit(g, OP_ELEMENT, item, reg, after ? (uint32_t)(-(int)(pattern->count - i)) : (uint32_t)i);
            list = join(g, list, pattern_jumps(g, element, item));
        }
        g->top = top;
    }
    return list;
}

static uint32_t map_pattern(struct gen *g, struct node *pattern, uint32_t reg)
{
    uint32_t list = emit_jump(g, OP_MATCHMAP, reg, 0, NO_JUMP);
    for (size_t i = 0; i < pattern->count; i++) {
        uint32_t top = g->top;
        uint32_t item = temporary(g);
        emit(g, OP_MATCHKEY, item, reg, constant(g, map_key_text(pattern->names[i])));
        list = join(g, list, emit_jump(g, OP_TESTREG, 0, item, NO_JUMP));
        list = join(g, list, pattern_jumps(g, pattern->items[i], item));
        g->top = top;
    }
    return list;
}

static uint32_t variant_pattern(struct gen *g, struct node *pattern, uint32_t reg)
{
    uint32_t top = g->top;
    uint32_t fits = temporary(g);
    emit(g, OP_MOVE, fits, reg, 0);
    uint32_t names = expression(g, pattern->a);
    g->position = pattern->position;
    emit(g, OP_VARIANT, fits, names, constant(g, pattern->text));
    uint32_t list = emit_jump(g, OP_JF, fits, 0, NO_JUMP);
    g->top = top;
    if (pattern->op < 0) {
        return list;
    }
    emit(g, OP_PAYLOADS, reg, 0, (uint32_t)pattern->count);
    for (size_t i = 0; i < pattern->count; i++) {
        uint32_t item = temporary(g);
        emit(g, OP_PAYLOAD, item, reg, (uint32_t)i);
        list = join(g, list, pattern_jumps(g, pattern->items[i], item));
        g->top = top;
    }
    return list;
}

static uint32_t pattern_jumps(struct gen *g, struct node *pattern, uint32_t reg)
{
    g->position = pattern->position;
    switch (pattern->kind) {
    case PATTERN_WILD:
        return NO_JUMP;
    case PATTERN_BIND:
        store_symbol(g, pattern->symbol, reg);
        return NO_JUMP;
    case PATTERN_LIST:
        if (pattern->count > 4000) {
            front_fail(g->front, ERROR_PARSE, pattern->position, "list pattern too long");
        }
        return list_pattern(g, pattern, reg);
    case PATTERN_MAP:
        return map_pattern(g, pattern, reg);
    case PATTERN_VARIANT:
        return variant_pattern(g, pattern, reg);
    default:
        return value_pattern(g, pattern, reg);
    }
}

void match_statement(struct gen *g, struct node *node, uint32_t want)
{
    uint32_t top = g->top;
    uint32_t subject = temporary(g);
    uint32_t done = NO_JUMP;
    expression_to(g, node->a, subject);
    for (size_t i = 0; i < node->count; i++) {
        struct node *arm = node->items[i];
        open_variables(g, arm->scope);
        uint32_t next = pattern_jumps(g, arm->a, subject);
        if (arm->b) {
            next = join(g, next, jump_if(g, arm->b, false));
        }
        block(g, arm->c, want);
        done = emit_jump(g, OP_JMP, 0, 0, done);
        patch(g, next);
    }
    if (node->b) {
        block(g, node->b, want);
    } else if (want != NO_REGISTER) {
        emit(g, OP_CLEAR, want, 0, 0);
    }
    patch(g, done);
    emit(g, OP_CLEAR, subject, 0, 0);
    g->top = top;
}
