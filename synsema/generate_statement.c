/* Code for statements. Each is also a value: `want` is the register that gets it. */
#include "generate_internal.h"

static void nothing_to(struct gen *g, uint32_t want)
{
    if (want != NO_REGISTER) {
        emit(g, OP_CLEAR, want, 0, 0);
    }
}

static void value_to(struct gen *g, uint32_t from, uint32_t want)
{
    if (want != NO_REGISTER && want != from) {
        emit(g, OP_MOVE, want, from, 0);
    }
}

void block(struct gen *g, struct node *node, uint32_t want)
{
    if (node->kind != NODE_BLOCK) {
        if (want == NO_REGISTER) {
            statement(g, node, want);
        } else {
            expression_to(g, node, want);
        }
        return;
    }
    for (size_t i = 0; i < node->count; i++) {
        statement(g, node->items[i], i + 1 == node->count ? want : NO_REGISTER);
    }
    if (node->count == 0) {
        nothing_to(g, want);
    }
}

/* ---- bindings ---- */

static void note_export(struct gen *g, const struct node *node, const struct symbol *symbol)
{
    struct module *module = g->front->module;
    if (!node->exported || !is_global(symbol) || symbol->scope->function != g->function) {
        return;
    }
    struct export *exports = memory_resize(g->vm, module->exports, module->export_count * sizeof(*exports),
                                           (module->export_count + 1) * sizeof(*exports));
    if (!exports) {
        front_memory(g->front);
    }
    module->exports = exports;
    exports[module->export_count++] =
        (struct export){symbol->name, symbol->reg, symbol->constant || node->kind != NODE_LET};
}

static bool in_register(const struct gen *g, const struct symbol *symbol)
{
    return !symbol->captured && symbol->scope->function == g->function;
}

/* Evaluates into the variable, by way of a temporary where that is not a register. */
static void bind(struct gen *g, const struct symbol *symbol, struct node *value, uint32_t want)
{
    if (in_register(g, symbol)) {
        expression_to(g, value, symbol->reg);
        value_to(g, symbol->reg, want);
        return;
    }
    uint32_t top = g->top;
    uint32_t reg = temporary(g);
    expression_to(g, value, reg);
    store_symbol(g, symbol, reg);
    value_to(g, reg, want);
    emit(g, OP_CLEAR, reg, 0, 0);
    g->top = top;
}

static void bind_register(struct gen *g, const struct symbol *symbol, uint32_t reg, uint32_t want)
{
    store_symbol(g, symbol, reg);
    value_to(g, reg, want);
}

static void task_statement(struct gen *g, struct node *node, uint32_t want)
{
    uint32_t top = g->top;
    uint32_t reg = temporary(g);
    task_to(g, node, reg);
    bind_register(g, node->symbol, reg, want);
    emit(g, OP_CLEAR, reg, 0, 0);
    note_export(g, node, node->symbol);
    g->top = top;
}

/* ---- type and enum: values that are known now ---- */

static void constant_statement(struct gen *g, struct node *node, uint32_t want)
{
    struct value v;
    int r = node->kind == NODE_TYPE ? type_value(g->vm, node->text, VALUE_NOTHING, node->names, node->name_count, &v)
                                    : enum_value(g->vm, node->text, &v);
    for (size_t i = 0; r == 0 && node->kind == NODE_ENUM && i < node->count; i++) {
        const struct node *variant = node->items[i];
        r = enum_add(g->vm, &v, node->text, variant->text, variant->names, variant->name_count);
    }
    if (r) {
        front_memory(g->front);
    }
    uint32_t top = g->top;
    uint32_t reg = temporary(g);
    emit(g, OP_LOADK, reg, 0, constant(g, v));
    value_drop(g->vm, v);
    bind_register(g, node->symbol, reg, want);
    emit(g, OP_CLEAR, reg, 0, 0);
    note_export(g, node, node->symbol);
    g->top = top;
}

/* ---- branches and loops ---- */

static void when_statement(struct gen *g, struct node *node, uint32_t want)
{
    uint32_t no = jump_if(g, node->a, false);
    block(g, node->b, want);
    if (!node->c && want == NO_REGISTER) {
        patch(g, no);
        return;
    }
    uint32_t done = emit_jump(g, OP_JMP, 0, 0, NO_JUMP);
    patch(g, no);
    if (node->c) {
        block(g, node->c, want);
    } else {
        nothing_to(g, want);
    }
    patch(g, done);
}

static void while_statement(struct gen *g, struct node *node, uint32_t want)
{
    struct loop loop = {.outer = g->loop, .sandboxes = g->sandboxes};
    nothing_to(g, want);
    uint32_t enter = jump_if(g, node->a, false);
    uint32_t start = (uint32_t)g->proto->length;
    g->loop = &loop;
    block(g, node->b, want);
    g->loop = loop.outer;
    g->position = node->position;
    /* the condition stands again at the end, so that a turn takes one jump */
    emit(g, OP_LOOP, 0, 0, 0);
    uint32_t again = jump_if(g, node->a, true);
    while (again != NO_JUMP) {
        uint32_t at = again - 1;
        uint64_t code = g->proto->code[at];
        again = CODE_C(code);
        g->proto->code[at] = (code & 0xffffffffffull) | (uint64_t)((start - (at + 1)) & 0xffffff) << 40;
    }
    uint32_t end = add_region(g, REGION_LOOP, start, 0, 0);
    g->proto->regions[end].target = (uint32_t)g->proto->length;
    patch(g, enter);
    patch(g, loop.exits);
}

static void each_body(struct gen *g, struct node *node, uint32_t item, uint32_t want)
{
    open_variables(g, node->scope);
    if (node->symbol->captured || item != node->symbol->reg) {
        store_symbol(g, node->symbol, item);
    }
    block(g, node->b, want);
    g->position = node->position;
}

static bool is_range(const struct node *node)
{
    const struct builtin *builtin = called_builtin(node);
    return builtin && strcmp(builtin->name, "range") == 0 && node->count >= 1 && node->count <= 3 &&
           value_is_undefined(node->arguments[node->count - 1].name);
}

/* Puts from, to and step into three temporaries. */
static void range_bounds(struct gen *g, struct node *range, uint32_t base)
{
    if (range->count == 1) {
        emit(g, OP_LOADK, base, 0, constant(g, value_small(0)));
        expression_to(g, range->arguments[0].value, base + 1);
    } else {
        expression_to(g, range->arguments[0].value, base);
        expression_to(g, range->arguments[1].value, base + 1);
    }
    if (range->count == 3) {
        expression_to(g, range->arguments[2].value, base + 2);
    } else {
        emit(g, OP_LOADK, base + 2, 0, constant(g, value_small(1)));
    }
    g->position = range->position;
}

static void each_statement(struct gen *g, struct node *node, uint32_t want)
{
    struct loop loop = {.outer = g->loop, .sandboxes = g->sandboxes};
    uint32_t top = g->top;
    bool range = is_range(node->a);
    uint32_t base = temporary(g);
    uint32_t second = temporary(g), third = range ? temporary(g) : NO_REGISTER;
    uint32_t item = node->symbol->captured ? temporary(g) : node->symbol->reg;
    (void)second;
    (void)third;
    nothing_to(g, want);
    if (range) {
        range_bounds(g, node->a, base);
        emit(g, OP_FORPREP, base, 0, 0);
    } else {
        expression_to(g, node->a, base);
        g->position = node->a->position;
        emit(g, OP_ITER, base, base, 0);
    }
    uint32_t start = (uint32_t)g->proto->length;
    g->position = node->position;
    uint32_t end = emit_jump(g, range ? OP_FORLOOP : OP_NEXT, base, item, NO_JUMP);
    g->loop = &loop;
    each_body(g, node, item, want);
    g->loop = loop.outer;
    emit_loop(g, start);
    uint32_t region = add_region(g, REGION_LOOP, start, 0, 0);
    g->proto->regions[region].target = (uint32_t)g->proto->length;
    patch(g, end);
    patch(g, loop.exits);
    if (!range) {
        emit(g, OP_CLEAR, base, 0, 0);
    }
    g->top = top;
}

static void stop_statement(struct gen *g, struct node *node)
{
    if (node->a) {
        uint32_t top = g->top;
        expression_to(g, node->a, temporary(g));
        g->top = top;
    }
    g->position = node->position;
    if (!g->loop) {
        emit(g, OP_STOPPED, 0, 0, 0);
        return;
    }
    for (unsigned i = g->loop->sandboxes; i < g->sandboxes; i++) {
        emit(g, OP_LEAVE, 0, 0, 0);
    }
    g->loop->exits = emit_jump(g, OP_JMP, 0, 0, g->loop->exits);
}

static void give_statement(struct gen *g, struct node *node)
{
    uint32_t top = g->top;
    uint32_t reg;
    if (node->a) {
        reg = g->sandboxes ? temporary(g) : expression(g, node->a);
        if (g->sandboxes) {
            expression_to(g, node->a, reg);
        }
    } else {
        reg = temporary(g);
        emit(g, OP_CLEAR, reg, 0, 0);
    }
    g->position = node->position;
    for (unsigned i = 0; i < g->sandboxes; i++) {
        emit(g, OP_LEAVE, 0, 0, 0);
    }
    emit(g, g->outer ? OP_RETURN : OP_OUTSIDE, reg, 0, 0);
    g->top = top;
}

/* ---- errors and sandboxes ---- */

static void try_statement(struct gen *g, struct node *node, uint32_t want)
{
    uint32_t start = (uint32_t)g->proto->length;
    block(g, node->a, want);
    uint32_t top = g->top;
    uint32_t reg = temporary(g);
    uint32_t region = add_region(g, REGION_TRY, start, 0, reg);
    uint32_t done = emit_jump(g, OP_JMP, 0, 0, NO_JUMP);
    g->proto->regions[region].target = (uint32_t)g->proto->length;
    open_variables(g, node->scope);
    store_symbol(g, node->symbol, reg);
    g->top = top;
    block(g, node->b, want);
    patch(g, done);
}

static void sandbox_statement(struct gen *g, struct node *node, uint32_t want)
{
    uint32_t top = g->top;
    uint32_t ceiling = 0;
    if (node->a) {
        ceiling = expression(g, node->a);
    }
    g->position = node->position;
    emit(g, OP_ENTER, ceiling, node->a != NULL, 0);
    g->top = top;
    uint32_t start = (uint32_t)g->proto->length;
    g->sandboxes++;
    open_variables(g, node->scope);
    block(g, node->b, want);
    g->sandboxes--;
    add_region(g, REGION_SANDBOX, start, 0, 0);
    emit(g, OP_LEAVE, 0, 0, 0);
}

/* ---- declarations ---- */

static void require_statement(struct gen *g, struct node *node, uint32_t want)
{
    uint32_t top = g->top;
    nothing_to(g, want);
    if (g->outer) {
        return; /* declares what the task needs; it does not run */
    }
    if (g->front->module->path) {
        front_fail(g->front, ERROR_PARSE, node->position, "module '%s' must not have a top-level 'require'",
                   g->front->module->file);
    }
    uint32_t scope = node->a ? expression(g, node->a) : 0;
    g->position = node->position;
    emit(g, OP_REQUIRE, scope, node->a != NULL, constant(g, node->text));
    g->top = top;
}

static void invariant_statement(struct gen *g, struct node *node, uint32_t want)
{
    uint32_t good = jump_if(g, node->a, true);
    g->position = node->position;
    emit(g, OP_BROKEN, 0, 0, constant(g, value_is_undefined(node->text) ? VALUE_NOTHING : node->text));
    patch(g, good);
    if (want != NO_REGISTER) {
        emit(g, OP_LOADK, want, 0, constant(g, VALUE_TRUE));
    }
}

static void use_statement(struct gen *g, struct node *node, uint32_t want)
{
    uint32_t top = g->top;
    uint32_t reg = temporary(g);
    emit(g, OP_USE, reg, 0, constant(g, node->text));
    bind_register(g, node->symbol, reg, want);
    emit(g, OP_CLEAR, reg, 0, 0);
    g->top = top;
}

static void output_statement(struct gen *g, struct node *node, uint32_t want)
{
    uint32_t top = g->top;
    uint32_t reg = expression(g, node->a);
    bool label = !value_is_undefined(node->text);
    g->position = node->position;
    emit(g, node->kind == NODE_LOG ? OP_LOG : OP_SHOW, reg, label, label ? constant(g, node->text) : 0);
    if (node->kind == NODE_LOG) {
        nothing_to(g, want);
    } else {
        value_to(g, reg, want);
    }
    g->top = top;
}

static void evaluated(struct gen *g, struct node *node, enum opcode op)
{
    uint32_t top = g->top;
    uint32_t reg = expression(g, node->a);
    g->position = node->position;
    emit(g, op, reg, 0, 0);
    g->top = top;
}

static void add_test(struct gen *g, struct node *node)
{
    if (!g->vm->options.tests || g->outer) {
        return;
    }
    g->tests = front_grow(g->front, g->tests, g->test_count, &g->test_capacity, sizeof(node));
    g->tests[g->test_count++] = node;
}

void statement(struct gen *g, struct node *node, uint32_t want)
{
    uint32_t top = g->top;
    g->position = node->position;
    switch (node->kind) {
    case NODE_BLOCK:
        block(g, node, want);
        return;
    case NODE_LET:
        bind(g, node->symbol, node->a, want);
        note_export(g, node, node->symbol);
        return;
    case NODE_SET:
        set_statement(g, node, want);
        return;
    case NODE_WHEN:
        when_statement(g, node, want);
        return;
    case NODE_WHILE:
        while_statement(g, node, want);
        return;
    case NODE_EACH:
        each_statement(g, node, want);
        return;
    case NODE_MATCH:
        match_statement(g, node, want);
        return;
    case NODE_TASK:
        task_statement(g, node, want);
        return;
    case NODE_TYPE:
    case NODE_ENUM:
        constant_statement(g, node, want);
        return;
    case NODE_GIVE:
        give_statement(g, node);
        return;
    case NODE_STOP:
        stop_statement(g, node);
        return;
    case NODE_TRY:
        try_statement(g, node, want);
        return;
    case NODE_SANDBOX:
        sandbox_statement(g, node, want);
        return;
    case NODE_REQUIRE:
        require_statement(g, node, want);
        return;
    case NODE_INTENT:
        emit(g, OP_INTENT, 0, 0, constant(g, node->text));
        nothing_to(g, want);
        return;
    case NODE_INVARIANT:
        invariant_statement(g, node, want);
        return;
    case NODE_USE:
        use_statement(g, node, want);
        return;
    case NODE_TEST:
        add_test(g, node);
        nothing_to(g, want);
        return;
    case NODE_LOG:
    case NODE_SHOW:
        output_statement(g, node, want);
        return;
    case NODE_RAISE:
        evaluated(g, node, OP_RAISE);
        return;
    case NODE_DISCARD:
        expression_to(g, node->a, temporary(g));
        nothing_to(g, want);
        break;
    default:
        expression_to(g, node, want == NO_REGISTER ? temporary(g) : want);
        if (want == NO_REGISTER && node->kind != NODE_LITERAL) {
            emit(g, OP_CLEAR, top, 0, 0);
        }
    }
    g->top = top;
}
