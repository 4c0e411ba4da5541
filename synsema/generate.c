/* The generator's base: emitting instructions, constants, variables, functions. */
#include "generate_internal.h"

/* ---- arrays that stay ---- */

void *proto_grow(struct gen *g, void *array, size_t count, size_t *capacity, size_t item)
{
    if (count < *capacity) {
        return array;
    }
    size_t wanted = *capacity ? *capacity * 2 : 8;
    void *fresh = memory_resize(g->vm, array, *capacity * item, wanted * item);
    if (!fresh) {
        front_memory(g->front);
    }
    *capacity = wanted;
    return fresh;
}

uint32_t emit(struct gen *g, enum opcode op, uint32_t a, uint32_t b, uint32_t c)
{
    struct proto *proto = g->proto;
    if (proto->length >= 0x7fffff) {
        front_fail(g->front, ERROR_PARSE, g->position, "program too large");
    }
    proto->code = proto_grow(g, proto->code, proto->length, &g->code_capacity, sizeof(*proto->code));
    proto->positions = proto_grow(g, proto->positions, proto->length, &g->position_capacity, sizeof(*proto->positions));
    proto->positions[proto->length] = g->position;
    proto->code[proto->length] = CODE(op, a, b, c & 0xffffff);
    return (uint32_t)proto->length++;
}

/* A list of jumps is linked through their C fields until it is patched. */
uint32_t emit_jump(struct gen *g, enum opcode op, uint32_t a, uint32_t b, uint32_t list)
{
    return emit(g, op, a, b, list) + 1;
}

static void set_c(struct gen *g, uint32_t at, uint32_t c)
{
    uint64_t code = g->proto->code[at];
    g->proto->code[at] = (code & 0xffffffffffull) | (uint64_t)(c & 0xffffff) << 40;
}

void patch(struct gen *g, uint32_t list)
{
    while (list != NO_JUMP) {
        uint32_t at = list - 1;
        list = CODE_C(g->proto->code[at]);
        set_c(g, at, (uint32_t)g->proto->length - (at + 1));
    }
}

uint32_t join(struct gen *g, uint32_t list, uint32_t more)
{
    if (list == NO_JUMP) {
        return more;
    }
    uint32_t at = list - 1;
    while (CODE_C(g->proto->code[at]) != NO_JUMP) {
        at = CODE_C(g->proto->code[at]) - 1;
    }
    set_c(g, at, more);
    return list;
}

void emit_loop(struct gen *g, uint32_t start)
{
    emit(g, OP_LOOP, 0, 0, start - ((uint32_t)g->proto->length + 1));
}

uint32_t temporary(struct gen *g)
{
    uint32_t reg = g->top++;
    if (reg >= 65000) {
        front_fail(g->front, ERROR_PARSE, g->position, "too many variables in one task");
    }
    if (g->top > g->proto->registers) {
        g->proto->registers = g->top;
    }
    return reg;
}

uint32_t constant(struct gen *g, struct value v)
{
    struct proto *proto = g->proto;
    for (uint32_t i = proto->constant_count; i > 0 && i + 64 > proto->constant_count; i--) {
        if (value_same(proto->constants[i - 1], v)) {
            return i - 1;
        }
    }
    proto->constants = proto_grow(g, proto->constants, proto->constant_count, &g->constant_capacity, sizeof(v));
    proto->constants[proto->constant_count] = value_keep(v);
    return proto->constant_count++;
}

uint32_t field_of(struct gen *g, struct value name)
{
    struct proto *proto = g->proto;
    proto->fields = proto_grow(g, proto->fields, proto->field_count, &g->field_capacity, sizeof(*proto->fields));
    proto->fields[proto->field_count] = (struct field){
        .key = value_keep(map_key_text(name)), .slot = -1, .of = VALUE_UNDEFINED, .base = VALUE_UNDEFINED};
    return proto->field_count++;
}

uint32_t add_region(struct gen *g, enum region_kind kind, uint32_t start, uint32_t target, uint32_t reg)
{
    struct proto *proto = g->proto;
    proto->regions = proto_grow(g, proto->regions, proto->region_count, &g->region_capacity, sizeof(*proto->regions));
    proto->regions[proto->region_count] = (struct region){kind, start, (uint32_t)proto->length, target, reg};
    return proto->region_count++;
}

/* ---- variables ---- */

bool is_global(const struct symbol *symbol)
{
    return !symbol->scope->parent;
}

bool is_direct(const struct gen *g, const struct node *name)
{
    return name->kind == NODE_NAME && name->certain && name->candidate_count == 1 && !name->candidates[0]->captured &&
           name->candidates[0]->scope->function == g->function;
}

static uint32_t capture_index(const struct gen *g, const struct symbol *symbol)
{
    for (uint32_t i = 0; i < g->function->capture_count; i++) {
        if (g->function->captures[i] == symbol) {
            return i;
        }
    }
    return 0;
}

static enum root_kind kind_of(const struct gen *g, const struct symbol *symbol)
{
    bool own = symbol->scope->function == g->function;
    return is_global(symbol)  ? (own ? ROOT_REGISTER : ROOT_GLOBAL)
           : !own             ? ROOT_CAPTURE
           : symbol->captured ? ROOT_BOX
                              : ROOT_REGISTER;
}

void root_of(struct gen *g, const struct symbol *symbol, struct path *path)
{
    path->root = kind_of(g, symbol);
    path->index = path->root == ROOT_CAPTURE ? capture_index(g, symbol) : symbol->reg;
    path->name = symbol->name;
}

void load_symbol(struct gen *g, const struct symbol *symbol, uint32_t reg)
{
    switch (kind_of(g, symbol)) {
    case ROOT_REGISTER:
        if (reg != symbol->reg) {
            emit(g, OP_MOVE, reg, symbol->reg, 0);
        }
        return;
    case ROOT_BOX:
        emit(g, OP_GETBOX, reg, symbol->reg, 0);
        return;
    case ROOT_CAPTURE:
        emit(g, OP_GETUP, reg, 0, capture_index(g, symbol));
        return;
    case ROOT_GLOBAL:
        emit(g, OP_GETG, reg, 0, symbol->reg);
        return;
    }
}

void store_symbol(struct gen *g, const struct symbol *symbol, uint32_t reg)
{
    switch (kind_of(g, symbol)) {
    case ROOT_REGISTER:
        if (reg != symbol->reg) {
            emit(g, OP_MOVE, symbol->reg, reg, 0);
        }
        return;
    case ROOT_BOX:
        emit(g, OP_SETBOX, symbol->reg, reg, 0);
        return;
    case ROOT_CAPTURE:
        emit(g, OP_SETUP, reg, 0, capture_index(g, symbol));
        return;
    case ROOT_GLOBAL:
        emit(g, OP_SETG, reg, 0, symbol->reg);
        return;
    }
}

uint32_t test_symbol(struct gen *g, const struct symbol *symbol)
{
    static const enum opcode tests[] = {
        [ROOT_REGISTER] = OP_TESTREG, [ROOT_BOX] = OP_TESTBOX, [ROOT_CAPTURE] = OP_TESTUP, [ROOT_GLOBAL] = OP_TESTG};
    struct path path;
    root_of(g, symbol, &path);
    return emit_jump(g, tests[path.root], 0, path.index, NO_JUMP);
}

static void load_builtin(struct gen *g, const struct builtin *builtin, uint32_t reg)
{
    struct value v;
    if (native_new(g->vm, builtin, VALUE_NOTHING, VALUE_NOTHING, 0, &v)) {
        front_memory(g->front);
    }
    emit(g, OP_LOADK, reg, 0, constant(g, v));
    value_drop(g->vm, v);
}

void load_name(struct gen *g, struct node *name, uint32_t reg)
{
    uint32_t done = NO_JUMP;
    g->position = name->position;
    for (size_t i = 0; i < name->candidate_count; i++) {
        const struct symbol *symbol = name->candidates[i];
        if (name->certain && i + 1 == name->candidate_count) {
            load_symbol(g, symbol, reg);
            patch(g, done);
            return;
        }
        uint32_t undefined = test_symbol(g, symbol);
        load_symbol(g, symbol, reg);
        done = emit_jump(g, OP_JMP, 0, 0, done);
        patch(g, undefined);
    }
    double d;
    if (name->builtin) {
        load_builtin(g, name->builtin, reg);
    } else if (constant_named(value_text(name->text)->data, &d)) {
        struct value v;
        if (value_float(g->vm, d, &v)) {
            front_memory(g->front);
        }
        emit(g, OP_LOADK, reg, 0, constant(g, v));
    } else {
        emit(g, OP_UNDEFINED, (uint32_t)name->op, 0, constant(g, name->text));
    }
    patch(g, done);
}

void open_variables(struct gen *g, const struct scope *scope)
{
    for (size_t i = 0; i < scope->count; i++) {
        const struct symbol *symbol = scope->symbols[i];
        if (is_global(symbol)) {
            continue; /* undefined from the start */
        }
        if (symbol->captured) {
            emit(g, OP_NEWBOX, symbol->reg, 0, 0);
        } else if (symbol->needs_reset) {
            emit(g, OP_UNDEF, symbol->reg, 0, 0);
        }
    }
}

/* ---- functions ---- */

static struct proto *proto_new(struct front *front)
{
    struct proto *proto = memory_alloc(front->vm, sizeof(*proto));
    if (!proto) {
        front_memory(front);
    }
    *proto = (struct proto){.name = VALUE_NOTHING, .module = front->module};
    return proto;
}

static void make_params(struct gen *g, struct node *node)
{
    struct proto *proto = g->proto;
    size_t n = node->name_count;
    proto->param_count = (uint32_t)n;
    if (n == 0) {
        return;
    }
    proto->params = memory_alloc(g->vm, n * sizeof(*proto->params));
    if (!proto->params) {
        front_memory(g->front);
    }
    for (size_t i = 0; i < n; i++) {
        struct node *value = node->count > i && node->items ? node->items[i] : NULL;
        proto->params[i] = (struct param){.name = node->names[i], .has_default = value != NULL};
        if (!value) {
            proto->required = (uint32_t)i + 1;
        }
    }
}

static void make_captures(struct gen *g)
{
    struct function *function = g->function;
    size_t n = function->capture_count;
    g->proto->capture_count = (uint32_t)n;
    if (n == 0) {
        return;
    }
    g->proto->captures = memory_alloc(g->vm, n * sizeof(*g->proto->captures));
    if (!g->proto->captures) {
        front_memory(g->front);
    }
    for (size_t i = 0; i < n; i++) {
        const struct symbol *symbol = function->captures[i];
        bool own = symbol->scope->function == function->parent;
        struct gen parent = {.function = function->parent};
        g->proto->captures[i] = (struct capture){own, own ? symbol->reg : capture_index(&parent, symbol)};
    }
}

/* Defaults of parameters that were not given; parameters that are captured move into boxes; the rest of the scope
 * opens. */
static void open_function(struct gen *g, struct node *node)
{
    const struct scope *scope = g->function->scope;
    for (size_t i = 0; i < node->name_count && node->items; i++) {
        if (node->items[i]) {
            uint32_t missing = emit_jump(g, OP_TESTREG, 0, (uint32_t)i, NO_JUMP);
            uint32_t given = emit_jump(g, OP_JMP, 0, 0, NO_JUMP);
            patch(g, missing);
            open_variables(g, node->items[i]->scope);
            expression_to(g, node->items[i], (uint32_t)i);
            patch(g, given);
        }
    }
    for (size_t i = 0; i < scope->count; i++) {
        const struct symbol *symbol = scope->symbols[i];
        if (i < g->proto->param_count) {
            if (symbol->captured) {
                emit(g, OP_BOX, symbol->reg, 0, 0);
            }
        } else if (symbol->captured) {
            emit(g, OP_NEWBOX, symbol->reg, 0, 0);
        } else if (symbol->needs_reset) {
            emit(g, OP_UNDEF, symbol->reg, 0, 0);
        }
    }
}

static struct value function_name(struct gen *g, const struct node *node)
{
    struct value v = node->text;
    if (node->kind == NODE_LAMBDA && text_intern(g->vm, "<lambda>", 8, &v)) {
        front_memory(g->front);
    }
    return v;
}

struct proto *function_code(struct gen *outer, struct front *front, struct node *node, struct function *function)
{
    struct gen *g = front_alloc(front, sizeof(*g));
    *g =
        (struct gen){.front = front, .vm = front->vm, .outer = outer, .function = function, .position = node->position};
    g->proto = proto_new(front);
    g->proto->name = function_name(g, node);
    g->proto->lambda = node->kind == NODE_LAMBDA;
    g->proto->temporaries = g->top = g->proto->registers = function->registers;
    make_params(g, node);
    make_captures(g);
    open_function(g, node);
    uint32_t result = temporary(g);
    if (node->kind == NODE_LAMBDA) {
        expression_to(g, node->a, result);
    } else {
        block(g, node->b, result);
    }
    g->position = node->position;
    emit(g, OP_RETURN, result, 0, 0);
    return g->proto;
}

static void note_globals(struct gen *g)
{
    struct module *module = g->front->module;
    const struct scope *scope = g->function->scope;
    module->global_count = (uint32_t)scope->count;
    if (scope->count == 0) {
        return;
    }
    module->global_names = memory_alloc(g->vm, scope->count * sizeof(struct value));
    if (!module->global_names) {
        front_memory(g->front);
    }
    for (size_t i = 0; i < scope->count; i++) {
        /* registers of the module's own scope come first, since it is collected first */
        module->global_names[i] = value_keep(scope->symbols[i]->name);
    }
}

static bool is_preamble(const struct node *node)
{
    return node->kind == NODE_INTENT || node->kind == NODE_REQUIRE;
}

static void run_tests(struct gen *g)
{
    for (size_t i = 0; i < g->test_count; i++) {
        struct node *node = g->tests[i];
        uint32_t reg = temporary(g);
        task_to(g, node, reg);
        emit(g, OP_TEST, reg, 0, constant(g, node->text));
        g->top = reg;
    }
}

struct proto *generate(struct front *front, struct node *program)
{
    struct gen *g = front_alloc(front, sizeof(*g));
    *g = (struct gen){.front = front, .vm = front->vm, .function = front->main, .position = program->position};
    g->proto = proto_new(front);
    if (text_intern(front->vm, "<main>", 6, &g->proto->name)) {
        front_memory(front);
    }
    g->proto->temporaries = g->top = g->proto->registers = front->main->registers;
    if (front->main->registers >= 60000) {
        front_fail(front, ERROR_PARSE, program->position, "too many variables");
    }
    note_globals(g);
    bool started = false;
    for (size_t i = 0; i < program->count; i++) {
        if (!started && !is_preamble(program->items[i])) {
            started = true;
            emit(g, OP_START, 0, 0, 0);
        }
        statement(g, program->items[i], NO_REGISTER);
    }
    run_tests(g);
    uint32_t result = temporary(g);
    emit(g, OP_CLEAR, result, 0, 0);
    emit(g, OP_RETURN, result, 0, 0);
    return g->proto;
}
