/* Code for expressions. */
#include "generate_internal.h"

#define CALL_ARGUMENTS_MAX 1000

/* Whether running `later` may change the variable that the name means. */
static bool may_change(const struct node *name, const struct node *later)
{
    const struct symbol *symbol = name->candidates[0];
    return later && (later->has_block || (later->has_call && is_global(symbol) && symbol->set_elsewhere));
}

uint32_t expression_before(struct gen *g, struct node *node, const struct node *later)
{
    if (is_direct(g, node) && !may_change(node, later)) {
        return node->candidates[0]->reg;
    }
    uint32_t reg = temporary(g);
    expression_to(g, node, reg);
    return reg;
}

uint32_t expression(struct gen *g, struct node *node)
{
    return expression_before(g, node, NULL);
}

static bool is_constant(const struct node *node)
{
    return node->kind == NODE_LITERAL && value_is_number(node->text);
}

/* ---- operators ---- */

static void binary_to(struct gen *g, struct node *node, uint32_t reg)
{
    uint32_t top = g->top;
    uint32_t left = expression_before(g, node->a, node->b);
    if (is_constant(node->b)) {
        g->position = node->position;
        emit(g, OP_ADDK + (enum opcode)node->op, reg, left, constant(g, node->b->text));
    } else {
        uint32_t right = expression(g, node->b);
        g->position = node->position;
        emit(g, OP_ADD + (enum opcode)node->op, reg, left, right);
    }
    g->top = top;
}

static int comparison_index(int op)
{
    switch (op) {
    case TOKEN_EQUAL:
        return 0;
    case TOKEN_NOT_EQUAL:
        return 1;
    case TOKEN_LESS:
        return 2;
    case TOKEN_LESS_EQUAL:
        return 3;
    case TOKEN_GREATER:
        return 4;
    case TOKEN_GREATER_EQUAL:
        return 5;
    case TOKEN_IN:
        return 6;
    default:
        return 7;
    }
}

static void compare_to(struct gen *g, struct node *node, uint32_t reg)
{
    uint32_t top = g->top;
    uint32_t left = expression_before(g, node->a, node->b);
    uint32_t right = expression(g, node->b);
    g->position = node->position;
    emit(g, OP_EQ + (enum opcode)comparison_index(node->op), reg, left, right);
    g->top = top;
}

/* Each operand once; false as soon as one pair is. */
static void chain_to(struct gen *g, struct node *node, uint32_t reg)
{
    uint32_t top = g->top;
    uint32_t result = temporary(g);
    uint32_t left = temporary(g), right = temporary(g);
    uint32_t out = NO_JUMP;
    expression_to(g, node->items[0], left);
    for (size_t i = 1; i < node->count; i++) {
        expression_to(g, node->items[i], right);
        g->position = node->positions[i - 1];
        emit(g, OP_EQ + (enum opcode)comparison_index(node->ops[i - 1]), result, left, right);
        if (i + 1 < node->count) {
            out = emit_jump(g, OP_JF, result, 0, out);
        }
        uint32_t swap = left;
        left = right;
        right = swap;
    }
    patch(g, out);
    emit(g, OP_MOVE, reg, result, 0);
    g->top = top;
}

static uint32_t compare_jump(struct gen *g, struct node *node, bool truth)
{
    int index = comparison_index(node->op);
    uint32_t top = g->top;
    if (index > 5) {
        uint32_t reg = temporary(g);
        compare_to(g, node, reg);
        g->top = top;
        return emit_jump(g, truth ? OP_JT : OP_JF, reg, 0, NO_JUMP);
    }
    uint32_t left = expression_before(g, node->a, node->b);
    enum opcode base = truth ? OP_JEQ : OP_JNEQ;
    uint32_t right;
    if (is_constant(node->b) && (right = constant(g, node->b->text)) < 65000) {
        base = truth ? OP_JEQK : OP_JNEQK;
    } else {
        right = expression(g, node->b);
    }
    g->top = top;
    g->position = node->position;
    return emit_jump(g, base + (enum opcode)index, left, right, NO_JUMP);
}

/* The jumps that are taken when the node is as true as `truth` says; otherwise execution goes on. */
uint32_t jump_if(struct gen *g, struct node *node, bool truth)
{
    switch (node->kind) {
    case NODE_NOT:
        return jump_if(g, node->a, !truth);
    case NODE_COMPARE:
        return compare_jump(g, node, truth);
    case NODE_AND:
    case NODE_OR:
        if ((node->kind == NODE_OR) == truth) {
            uint32_t list = jump_if(g, node->a, truth);
            return join(g, list, jump_if(g, node->b, truth));
        } else {
            uint32_t skip = jump_if(g, node->a, !truth);
            uint32_t list = jump_if(g, node->b, truth);
            patch(g, skip);
            return list;
        }
    default: {
        uint32_t top = g->top;
        uint32_t reg = expression(g, node);
        g->top = top;
        return emit_jump(g, truth ? OP_JT : OP_JF, reg, 0, NO_JUMP);
    }
    }
}

static void logic_to(struct gen *g, struct node *node, uint32_t reg)
{
    uint32_t no = jump_if(g, node, false);
    emit(g, OP_LOADK, reg, 0, constant(g, VALUE_TRUE));
    uint32_t done = emit_jump(g, OP_JMP, 0, 0, NO_JUMP);
    patch(g, no);
    emit(g, OP_LOADK, reg, 0, constant(g, VALUE_FALSE));
    patch(g, done);
}

static void unary_to(struct gen *g, struct node *node, uint32_t reg, enum opcode op)
{
    uint32_t top = g->top;
    struct value v;
    if (op == OP_NEGATE && is_constant(node->a) && operate_negate(g->vm, node->a->text, &v) == 0) {
        emit(g, OP_LOADK, reg, 0, constant(g, v));
        value_drop(g->vm, v);
        return;
    }
    uint32_t operand = expression(g, node->a);
    g->position = node->position;
    emit(g, op, reg, operand, 0);
    g->top = top;
}

/* ---- containers and templates ---- */

static void list_to(struct gen *g, struct node *node, uint32_t reg)
{
    uint32_t top = g->top;
    uint32_t list = temporary(g);
    emit(g, OP_NEWLIST, list, 0, (uint32_t)(node->count > 1000000 ? 1000000 : node->count));
    for (size_t i = 0; i < node->count;) {
        uint32_t first = g->top;
        size_t n = 0;
        for (; n < 32 && i < node->count; n++, i++) {
            expression_to(g, node->items[i], temporary(g));
        }
        emit(g, OP_LISTADD, list, first, (uint32_t)n);
        g->top = first;
    }
    emit(g, OP_TAKE, reg, list, 0);
    g->top = top;
}

/* The shape, when all keys are different texts. */
static struct shape *literal_shape(struct gen *g, struct node *node)
{
    size_t n = node->count / 2;
    if (n == 0 || n > 40) {
        return NULL;
    }
    struct value keys[40];
    for (size_t i = 0; i < n; i++) {
        const struct node *key = node->items[2 * i];
        if (key->kind != NODE_LITERAL || !value_is_text(key->text)) {
            return NULL;
        }
        keys[i] = map_key_text(key->text);
        for (size_t k = 0; k < i; k++) {
            if (value_same(keys[k], keys[i])) {
                return NULL;
            }
        }
    }
    struct shape *shape = shape_of_keys(g->vm, keys, n);
    if (!shape && g->vm->error.kind != ERROR_NONE) {
        front_memory(g->front);
    }
    return shape;
}

static void record_to(struct gen *g, struct node *node, struct shape *shape, uint32_t reg)
{
    struct proto *proto = g->proto;
    uint32_t top = g->top;
    for (size_t i = 1; i < node->count; i += 2) {
        expression_to(g, node->items[i], temporary(g));
    }
    proto->shapes = proto_grow(g, proto->shapes, proto->shape_count, &g->shape_capacity, sizeof(shape));
    proto->shapes[proto->shape_count] = shape;
    emit(g, OP_NEWRECORD, reg, top, proto->shape_count++);
    g->top = top;
}

static void map_to(struct gen *g, struct node *node, uint32_t reg)
{
    struct shape *shape = literal_shape(g, node);
    if (shape) {
        record_to(g, node, shape, reg);
        return;
    }
    uint32_t top = g->top;
    uint32_t map = temporary(g);
    emit(g, OP_NEWMAP, map, 0, 0);
    for (size_t i = 0; i < node->count; i += 2) {
        uint32_t inner = g->top;
        uint32_t key = temporary(g), v = temporary(g);
        expression_to(g, node->items[i], key);
        expression_to(g, node->items[i + 1], v);
        emit(g, OP_MAPPUT, map, key, v);
        g->top = inner;
    }
    emit(g, OP_TAKE, reg, map, 0);
    g->top = top;
}

static void template_to(struct gen *g, struct node *node, uint32_t reg)
{
    uint32_t top = g->top;
    for (size_t i = 0; i < node->count; i++) {
        uint32_t part = temporary(g);
        if (node->parts[i].hole) {
            expression_to(g, node->parts[i].hole, part);
        } else {
            emit(g, OP_LOADK, part, 0, constant(g, node->parts[i].text));
        }
    }
    g->position = node->position;
    emit(g, OP_CONCAT, reg, top, (uint32_t)node->count);
    g->top = top;
}

/* ---- access ---- */

static void field_to(struct gen *g, struct node *node, uint32_t reg)
{
    uint32_t top = g->top;
    uint32_t object = expression(g, node->a);
    g->position = node->position;
    bool own = object >= top; /* a temporary: the result takes its place, so no reference stays behind */
    uint32_t field = field_of(g, node->text);
    g->proto->fields[field].of = node->other;
    g->proto->fields[field].base = node->a->kind == NODE_NAME ? node->a->text : VALUE_UNDEFINED;
    emit(g, OP_GETFIELD, own ? object : reg, object, field);
    if (own && object != reg) {
        emit(g, OP_TAKE, reg, object, 0);
    }
    g->top = top;
}

static void index_to(struct gen *g, struct node *node, uint32_t reg)
{
    uint32_t top = g->top;
    uint32_t object = expression_before(g, node->a, node->b);
    bool own = object >= top;
    bool key = node->b->kind == NODE_LITERAL && value_is_text(node->b->text);
    uint32_t index = key ? field_of(g, node->b->text) : expression(g, node->b);
    g->position = node->position;
    emit(g, key ? OP_GETKEY : OP_GETINDEX, own ? object : reg, object, index);
    if (own && object != reg) {
        emit(g, OP_TAKE, reg, object, 0);
    }
    g->top = top;
}

/* ---- calls ---- */

const struct builtin *called_builtin(const struct node *node)
{
    const struct node *callee = node->kind == NODE_CALL ? node->a : NULL;
    return callee && callee->kind == NODE_NAME && callee->candidate_count == 0 ? callee->builtin : NULL;
}

static bool has_names(const struct node *node)
{
    return node->count > 0 && !value_is_undefined(node->arguments[node->count - 1].name);
}

static uint32_t call_site(struct gen *g, const struct node *node)
{
    struct proto *proto = g->proto;
    struct call_names site = {0};
    for (size_t i = 0; i < node->count; i++) {
        site.positional += value_is_undefined(node->arguments[i].name);
    }
    site.count = node->count - site.positional;
    if (site.count > 0) {
        site.names = memory_alloc(g->vm, site.count * sizeof(*site.names));
        if (!site.names) {
            front_memory(g->front);
        }
    }
    for (size_t i = 0; i < site.count; i++) {
        site.names[i] = node->arguments[site.positional + i].name;
    }
    proto->calls = proto_grow(g, proto->calls, proto->call_count, &g->call_capacity, sizeof(site));
    proto->calls[proto->call_count] = site;
    return proto->call_count++;
}

static uint32_t builtin_number(const struct gen *g, const struct builtin *builtin);

static void arguments_to(struct gen *g, struct node *node, size_t from)
{
    for (size_t i = from; i < node->count; i++) {
        expression_to(g, node->arguments[i].value, temporary(g));
    }
}

static void general_call(struct gen *g, struct node *node, uint32_t reg)
{
    uint32_t base = temporary(g);
    if (node->op == 1) { /* from a pipe */
        uint32_t first = temporary(g);
        expression_to(g, node->arguments[0].value, first);
        expression_to(g, node->a, base);
        arguments_to(g, node, 1);
    } else {
        expression_to(g, node->a, base);
        arguments_to(g, node, 0);
    }
    g->position = node->position;
    if (has_names(node) || node->count > CALL_ARGUMENTS_MAX) {
        emit(g, OP_CALLN, base, reg, call_site(g, node));
    } else {
        emit(g, OP_CALL, base, reg, (uint32_t)node->count);
    }
}

static void call_to(struct gen *g, struct node *node, uint32_t reg)
{
    uint32_t top = g->top;
    const struct builtin *builtin = called_builtin(node);
    const struct symbol *symbol =
        node->a->kind == NODE_NAME && node->a->candidate_count == 1 ? node->a->candidates[0] : NULL;
    bool simple = !has_names(node) && node->count <= CALL_ARGUMENTS_MAX;
    bool early = symbol && is_global(symbol) && symbol->set_elsewhere; /* an argument may change the callee */
    if (builtin && simple) {
        arguments_to(g, node, 0);
        g->position = node->position;
        emit(g, OP_CALLB, top, reg, builtin_number(g, builtin) << 10 | (uint32_t)node->count);
    } else if (symbol && is_global(symbol) && simple && !early && symbol->reg < 16384 &&
               (node->a->certain || !is_direct(g, node->a)) &&
               (node->a->certain || symbol->scope->function != g->function)) {
        arguments_to(g, node, 0);
        g->position = node->position;
        emit(g, OP_CALLG, top, reg, symbol->reg << 10 | (uint32_t)node->count);
    } else {
        general_call(g, node, reg);
    }
    g->top = top;
}

static void pipe_to(struct gen *g, struct node *node, uint32_t reg)
{
    uint32_t top = g->top;
    uint32_t base = temporary(g), argument = temporary(g);
    expression_to(g, node->a, argument);
    expression_to(g, node->b, base);
    g->position = node->position;
    emit(g, OP_CALLP, base, reg, 1);
    g->top = top;
}

/* reason, decide …: a builtin that no program can name */
static void llm_to(struct gen *g, struct node *node, uint32_t reg)
{
    static const char *const names[] = {"llm reason", "llm decide", "llm analyze", "llm generate"};
    int which = node->op == TOKEN_REASON ? 0 : node->op == TOKEN_DECIDE ? 1 : node->op == TOKEN_ANALYZE ? 2 : 3;
    const struct builtin *builtin = builtin_find(names[which], strlen(names[which]));
    uint32_t top = g->top;
    expression_to(g, node->a, temporary(g));
    uint32_t count = 1;
    if (!value_is_undefined(node->text)) {
        emit(g, OP_LOADK, temporary(g), 0, constant(g, node->text));
        count++;
    }
    g->position = node->position;
    emit(g, OP_CALLB, top, reg, builtin_number(g, builtin) << 10 | count);
    g->top = top;
}

static uint32_t builtin_number(const struct gen *g, const struct builtin *builtin)
{
    (void)g;
    return builtin_index(builtin);
}

/* ---- the rest ---- */

void task_to(struct gen *g, struct node *node, uint32_t reg)
{
    struct proto *code = function_code(g, g->front, node, node->function);
    struct proto *proto = g->proto;
    proto->protos = proto_grow(g, proto->protos, proto->proto_count, &g->proto_capacity, sizeof(code));
    proto->protos[proto->proto_count] = code;
    g->position = node->position;
    emit(g, OP_CLOSURE, reg, 0, proto->proto_count++);
}

static void when_to(struct gen *g, struct node *node, uint32_t reg)
{
    uint32_t no = jump_if(g, node->a, false);
    expression_to(g, node->b, reg);
    uint32_t done = emit_jump(g, OP_JMP, 0, 0, NO_JUMP);
    patch(g, no);
    if (node->c) {
        expression_to(g, node->c, reg);
    } else {
        emit(g, OP_CLEAR, reg, 0, 0);
    }
    patch(g, done);
}

void expression_to(struct gen *g, struct node *node, uint32_t reg)
{
    g->position = node->position;
    switch (node->kind) {
    case NODE_LITERAL:
        if (value_is_nothing(node->text)) {
            emit(g, OP_CLEAR, reg, 0, 0);
        } else {
            emit(g, OP_LOADK, reg, 0, constant(g, node->text));
        }
        return;
    case NODE_TEMPLATE:
        template_to(g, node, reg);
        return;
    case NODE_NAME:
        load_name(g, node, reg);
        return;
    case NODE_LIST:
        list_to(g, node, reg);
        return;
    case NODE_MAP:
        map_to(g, node, reg);
        return;
    case NODE_LAMBDA:
        task_to(g, node, reg);
        return;
    case NODE_CALL:
        call_to(g, node, reg);
        return;
    case NODE_FIELD:
        field_to(g, node, reg);
        return;
    case NODE_INDEX:
        index_to(g, node, reg);
        return;
    case NODE_BINARY:
        binary_to(g, node, reg);
        return;
    case NODE_COMPARE:
        compare_to(g, node, reg);
        return;
    case NODE_CHAIN:
        chain_to(g, node, reg);
        return;
    case NODE_AND:
    case NODE_OR:
        logic_to(g, node, reg);
        return;
    case NODE_NOT:
        unary_to(g, node, reg, OP_NOT);
        return;
    case NODE_NEGATE:
        unary_to(g, node, reg, OP_NEGATE);
        return;
    case NODE_PIPE:
        pipe_to(g, node, reg);
        return;
    case NODE_WHEN_INLINE:
        when_to(g, node, reg);
        return;
    case NODE_LLM:
        llm_to(g, node, reg);
        return;
    default:
        statement(g, node, reg);
    }
}
