/*
 * Code for `set`. What is set to itself with something added ("set P to
 * append(P, x)") changes the place itself, so that it costs no copy while
 * nobody else refers to it.
 */
#include "generate_internal.h"

static bool same_place(const struct node *a, const struct node *b)
{
    if (a->kind != b->kind) {
        return false;
    }
    switch (a->kind) {
    case NODE_NAME:
        return value_same(a->text, b->text);
    case NODE_FIELD:
        return value_same(a->text, b->text) && same_place(a->a, b->a);
    case NODE_INDEX:
        return same_place(a->a, b->a) && same_place(a->b, b->b);
    case NODE_LITERAL:
        return value_same(a->text, b->text);
    default:
        return false;
    }
}

/* The builtin that makes the new value from the old one at the target, or NULL. */
static const struct builtin *updating(const struct gen *g, const struct node *target, const struct node *value)
{
    static const char *const names[] = {"append", "insert", "merge", "remove"};
    if (value->kind == NODE_BINARY && value->op == OPERATION_ADD && same_place(value->a, target) &&
        !is_direct(g, target)) {
        const struct node *added = value->b;
        bool grows = added->kind == NODE_LIST || added->kind == NODE_TEMPLATE ||
                     (added->kind == NODE_LITERAL && value_is_text(added->text));
        return grows ? builtin_find("+", 1) : NULL;
    }
    const struct builtin *builtin = called_builtin(value);
    for (size_t i = 0; builtin && value->count >= 1 && i < sizeof(names) / sizeof(names[0]); i++) {
        bool positional = value_is_undefined(value->arguments[value->count - 1].name);
        if (strcmp(builtin->name, names[i]) == 0 && positional && value->count < 200 &&
            same_place(value->arguments[0].value, target)) {
            return builtin;
        }
    }
    return NULL;
}

static struct node *root_name(struct node *target)
{
    while (target->kind == NODE_FIELD || target->kind == NODE_INDEX) {
        target = target->a;
    }
    return target->kind == NODE_NAME ? target : NULL;
}

/* The steps from the root to the target; indexes are evaluated into temporaries here. */
static void make_steps(struct gen *g, struct node *target, struct path *path)
{
    size_t n = 0;
    for (struct node *node = target; node->kind != NODE_NAME; node = node->a) {
        n++;
    }
    path->count = n;
    path->steps = n ? memory_alloc(g->vm, n * sizeof(*path->steps)) : NULL;
    if (n && !path->steps) {
        front_memory(g->front);
    }
    struct node **nodes = front_alloc(g->front, n * sizeof(*nodes));
    for (struct node *node = target; n > 0; node = node->a) {
        nodes[--n] = node;
    }
    for (size_t i = 0; i < path->count; i++) {
        bool field = nodes[i]->kind == NODE_FIELD;
        uint32_t operand = field ? field_of(g, nodes[i]->text) : expression(g, nodes[i]->b);
        path->steps[i] = (struct step){field, operand, nodes[i]->position};
    }
}

static uint32_t add_path(struct gen *g, struct path path)
{
    struct proto *proto = g->proto;
    proto->paths = proto_grow(g, proto->paths, proto->path_count, &g->path_capacity, sizeof(path));
    proto->paths[proto->path_count] = path;
    return proto->path_count++;
}

/* Emits `op` on the path for the first candidate that is bound. */
static void emit_path(struct gen *g, struct node *name, struct path path, enum opcode op, uint32_t a, uint32_t b)
{
    uint32_t done = NO_JUMP;
    for (size_t i = 0; i < name->candidate_count; i++) {
        bool last = name->certain && i + 1 == name->candidate_count;
        uint32_t undefined = last ? NO_JUMP : test_symbol(g, name->candidates[i]);
        root_of(g, name->candidates[i], &path);
        emit(g, op, a, b, add_path(g, path));
        if (last) {
            patch(g, done);
            return;
        }
        done = emit_jump(g, OP_JMP, 0, 0, done);
        patch(g, undefined);
    }
    emit(g, OP_UNSETTABLE, 0, 0, constant(g, name->text));
    patch(g, done);
}

static void update(struct gen *g, struct node *node, const struct builtin *builtin, uint32_t want)
{
    uint32_t base = temporary(g);
    size_t count = 2;
    expression_to(g, node->a, base);
    if (node->b->kind == NODE_CALL) {
        count = node->b->count;
        for (size_t i = 1; i < count; i++) {
            expression_to(g, node->b->arguments[i].value, temporary(g));
        }
    } else {
        expression_to(g, node->b->b, temporary(g));
    }
    struct path path = {.update = builtin};
    make_steps(g, node->a, &path);
    g->position = node->b->position;
    emit_path(g, root_name(node->a), path, OP_UPDATE, base, (uint32_t)count);
    if (want != NO_REGISTER) {
        expression_to(g, node->a, want);
    }
}

/* The number of terms after the first in `P + a + b …`, 0 if it is not that. */
static size_t sum_terms(const struct node *value, const struct node *target)
{
    size_t n = 0;
    for (; value->kind == NODE_BINARY && value->op == OPERATION_ADD; value = value->a) {
        n++;
    }
    return n <= 16 && same_place(value, target) ? n : 0;
}

/* `set P to P + a + b`: a text grows in place; for anything else the additions follow one by one. */
static bool set_sum(struct gen *g, struct node *node)
{
    const struct symbol *symbol = node->a->candidates[0];
    size_t n = sum_terms(node->b, node->a);
    if (n < 2 || node->b->has_block || (node->b->has_call && is_global(symbol) && symbol->set_elsewhere)) {
        return false;
    }
    struct node *sums[16];
    size_t at = n;
    for (struct node *sum = node->b; at > 0; sum = sum->a) {
        sums[--at] = sum;
    }
    uint32_t first = g->top;
    for (size_t i = 0; i < n; i++) {
        expression_to(g, sums[i]->b, temporary(g));
    }
    uint32_t so_far = temporary(g);
    emit(g, OP_EXTEND, symbol->reg, first, (uint32_t)n);
    for (size_t i = 0; i < n; i++) {
        g->position = sums[i]->position;
        emit(g, OP_ADD, i + 1 == n ? symbol->reg : so_far, i == 0 ? symbol->reg : so_far, first + (uint32_t)i);
    }
    return true;
}

static void set_name(struct gen *g, struct node *node, uint32_t want)
{
    struct node *target = node->a;
    if (is_direct(g, target)) {
        uint32_t reg = target->candidates[0]->reg;
        if (!set_sum(g, node)) {
            expression_to(g, node->b, reg);
        }
        if (want != NO_REGISTER) {
            emit(g, OP_MOVE, want, reg, 0);
        }
        return;
    }
    uint32_t reg = temporary(g);
    uint32_t done = NO_JUMP;
    expression_to(g, node->b, reg);
    if (want != NO_REGISTER) {
        emit(g, OP_MOVE, want, reg, 0);
    }
    g->position = node->position;
    bool certain = false;
    for (size_t i = 0; i < target->candidate_count; i++) {
        certain = target->certain && i + 1 == target->candidate_count;
        uint32_t undefined = certain ? NO_JUMP : test_symbol(g, target->candidates[i]);
        store_symbol(g, target->candidates[i], reg);
        if (!certain) {
            done = emit_jump(g, OP_JMP, 0, 0, done);
            patch(g, undefined);
        }
    }
    if (!certain) {
        emit(g, OP_UNSETTABLE, 0, 0, constant(g, target->text));
    }
    patch(g, done);
    emit(g, OP_CLEAR, reg, 0, 0);
}

static void set_place(struct gen *g, struct node *node, uint32_t want)
{
    struct node *target = node->a;
    struct node *name = root_name(target);
    uint32_t reg = expression_before(g, node->b, target->b);
    uint32_t from = want == NO_REGISTER ? reg : want;
    if (want != NO_REGISTER && want != reg) {
        emit(g, OP_MOVE, want, reg, 0);
    }
    if (is_direct(g, target->a)) {
        uint32_t container = target->a->candidates[0]->reg;
        uint32_t index = target->kind == NODE_INDEX ? expression(g, target->b) : 0;
        g->position = target->position;
        if (target->kind == NODE_FIELD) {
            emit(g, OP_SETFIELD, container, reg, field_of(g, target->text));
        } else {
            emit(g, OP_SETINDEX, container, index, reg);
        }
    } else {
        struct path path = {0};
        make_steps(g, target, &path);
        g->position = target->position;
        emit_path(g, name, path, OP_SETPATH, reg, 0);
    }
    (void)from;
    if (reg >= g->proto->temporaries) {
        emit(g, OP_CLEAR, reg, 0, 0);
    }
}

void set_statement(struct gen *g, struct node *node, uint32_t want)
{
    uint32_t top = g->top;
    struct node *name = root_name(node->a);
    g->position = node->position;
    if (!name) {
        emit(g, OP_BADTARGET, 0, 0, 0);
        return;
    }
    const struct builtin *builtin = updating(g, node->a, node->b);
    bool append = builtin && strcmp(builtin->name, "append") == 0 && node->b->count == 2;
    if (append && is_direct(g, node->a) && !node->b->arguments[1].value->has_call &&
        !node->b->arguments[1].value->has_block) {
        uint32_t reg = expression(g, node->b->arguments[1].value);
        g->position = node->b->position;
        emit(g, OP_APPEND, node->a->candidates[0]->reg, reg, 0);
        if (reg >= g->proto->temporaries) {
            emit(g, OP_CLEAR, reg, 0, 0);
        }
        if (want != NO_REGISTER) {
            emit(g, OP_MOVE, want, node->a->candidates[0]->reg, 0);
        }
    } else if (builtin) {
        update(g, node, builtin, want);
    } else if (node->a->kind == NODE_NAME) {
        set_name(g, node, want);
    } else {
        set_place(g, node, want);
    }
    g->top = top;
}
