/*
 * Which variable a name means. Scopes are those of §6; a name may be bound
 * further in only later, so each use gets its candidates from inside out, up
 * to the first that is surely bound there.
 */
#include "front_internal.h"

struct resolver {
    struct front *front;
    struct scope *scope;
    struct symbol **log; /* what was bound since the last mark */
    size_t count, capacity;
};

static void resolve_node(struct resolver *r, struct node *node);

/* ---- scopes and symbols ---- */

static struct symbol *find(const struct scope *scope, struct value name)
{
    for (size_t i = 0; i < scope->count; i++) {
        if (value_same(scope->symbols[i]->name, name)) {
            return scope->symbols[i];
        }
    }
    return NULL;
}

static struct symbol *declare(struct resolver *r, struct scope *scope, struct value name)
{
    struct symbol *symbol = find(scope, name);
    if (symbol) {
        return symbol;
    }
    symbol = front_alloc(r->front, sizeof(*symbol));
    symbol->name = name;
    symbol->scope = scope;
    symbol->reg = scope->function->registers++;
    scope->symbols = front_grow(r->front, scope->symbols, scope->count, &scope->capacity, sizeof(symbol));
    scope->symbols[scope->count++] = symbol;
    return symbol;
}

static void assign(struct resolver *r, struct symbol *symbol)
{
    if (!symbol->assigned) {
        symbol->assigned = true;
        r->log = front_grow(r->front, r->log, r->count, &r->capacity, sizeof(symbol));
        r->log[r->count++] = symbol;
    }
}

static void roll_back(struct resolver *r, size_t mark)
{
    while (r->count > mark) {
        r->log[--r->count]->assigned = false;
    }
}

static struct scope *open_scope(struct resolver *r, struct function *function)
{
    struct scope *scope = front_alloc(r->front, sizeof(*scope));
    scope->parent = r->scope;
    scope->function = function;
    r->scope = scope;
    return scope;
}

static void capture(struct resolver *r, struct function *function, struct symbol *symbol)
{
    symbol->captured = true;
    for (; function != symbol->scope->function; function = function->parent) {
        bool known = false;
        for (size_t i = 0; i < function->capture_count; i++) {
            known |= function->captures[i] == symbol;
        }
        if (!known) {
            function->captures = front_grow(r->front, function->captures, function->capture_count,
                                            &function->capture_capacity, sizeof(symbol));
            function->captures[function->capture_count++] = symbol;
        }
    }
}

static void resolve_name(struct resolver *r, struct node *node, bool set)
{
    struct symbol *candidates[64];
    size_t count = 0;
    struct function *function = r->scope->function;
    for (struct scope *scope = r->scope; scope && !node->certain && count < 64; scope = scope->parent) {
        struct symbol *symbol = find(scope, node->text);
        if (!symbol) {
            continue;
        }
        candidates[count++] = symbol;
        if (scope->function != function) {
            symbol->set_elsewhere |= set;
            if (scope->parent) {
                capture(r, function, symbol);
            }
        }
        node->certain = symbol->assigned;
        symbol->needs_reset |= !symbol->assigned;
    }
    node->candidates = front_alloc(r->front, (count + 1) * sizeof(*candidates));
    memcpy(node->candidates, candidates, count * sizeof(*candidates));
    node->candidate_count = count;
    if (!node->certain) {
        node->builtin = builtin_find(value_text(node->text)->data, value_text(node->text)->length);
    }
}

/* ---- what a scope declares ---- */

static void collect(struct resolver *r, struct node *node);

static void collect_children(struct resolver *r, struct node *node)
{
    collect(r, node->a);
    collect(r, node->b);
    collect(r, node->c);
    for (size_t i = 0; i < node->count; i++) {
        collect(r, node->items ? node->items[i] : node->parts ? node->parts[i].hole : node->arguments[i].value);
    }
}

static void collect(struct resolver *r, struct node *node)
{
    if (!node) {
        return;
    }
    switch (node->kind) {
    case NODE_LET:
        node->symbol = declare(r, r->scope, node->text);
        collect(r, node->a);
        return;
    case NODE_TASK:
    case NODE_TYPE:
    case NODE_ENUM:
        node->symbol = declare(r, r->scope, node->text);
        return;
    case NODE_USE:
        node->symbol = declare(r, r->scope, node->other);
        return;
    case NODE_EACH:
    case NODE_TRY:
        collect(r, node->a);
        return;
    case NODE_MATCH:
        collect(r, node->a);
        collect(r, node->b);
        return;
    case NODE_LAMBDA:
    case NODE_SANDBOX:
    case NODE_TEST:
        return;
    default:
        if (node->has_block) {
            collect_children(r, node);
        }
    }
}

static void collect_pattern(struct resolver *r, struct node *pattern)
{
    if (pattern->kind == PATTERN_BIND || (pattern->kind == PATTERN_REST && !value_is_undefined(pattern->text))) {
        pattern->symbol = declare(r, r->scope, pattern->text);
    }
    for (size_t i = 0; i < pattern->count; i++) {
        collect_pattern(r, pattern->items[i]);
    }
}

/* ---- functions ---- */

static void resolve_function(struct resolver *r, struct node *node, struct node *body)
{
    struct function *function = front_alloc(r->front, sizeof(*function));
    struct scope *outer = r->scope;
    size_t mark = r->count;
    function->parent = outer->function;
    function->node = node;
    function->registers = (uint32_t)node->name_count; /* the parameters come first */
    for (size_t i = 0; i < node->count && node->kind == NODE_TASK; i++) {
        if (node->items[i]) { /* runs in the task, but sees what its definition sees */
            node->items[i]->scope = open_scope(r, function);
            collect(r, node->items[i]);
            resolve_node(r, node->items[i]);
            r->scope = outer;
        }
    }
    function->scope = open_scope(r, function);
    uint32_t registers = function->registers;
    for (size_t i = 0; i < node->name_count; i++) {
        if (find(function->scope, node->names[i])) {
            front_fail(r->front, ERROR_PARSE, node->position, "duplicate parameter '%s'",
                       value_text(node->names[i])->data);
        }
        struct symbol *symbol = declare(r, function->scope, node->names[i]);
        symbol->reg = (uint32_t)i;
        assign(r, symbol);
    }
    function->registers = registers;
    collect(r, body);
    resolve_node(r, body);
    roll_back(r, mark);
    r->scope = outer;
    node->scope = function->scope;
    node->function = function;
}

/* ---- statements ---- */

static void resolve_branch(struct resolver *r, struct node *node)
{
    size_t mark = r->count;
    resolve_node(r, node);
    roll_back(r, mark);
}

/* A body with a scope of its own and perhaps a name that it starts with. */
static void resolve_scoped(struct resolver *r, struct node *owner, struct value name, struct node *body)
{
    struct scope *outer = r->scope;
    size_t mark = r->count;
    owner->scope = open_scope(r, outer->function);
    if (!value_is_undefined(name)) {
        owner->symbol = declare(r, r->scope, name);
        assign(r, owner->symbol);
    }
    collect(r, body);
    resolve_node(r, body);
    roll_back(r, mark);
    r->scope = outer;
}

static void assign_pattern(struct resolver *r, struct node *pattern)
{
    if (pattern->symbol) {
        assign(r, pattern->symbol);
    }
    if (pattern->a) {
        resolve_node(r, pattern->a);
    }
    for (size_t i = 0; i < pattern->count; i++) {
        assign_pattern(r, pattern->items[i]);
    }
}

static void resolve_arm(struct resolver *r, struct node *arm)
{
    struct scope *outer = r->scope;
    size_t mark = r->count;
    arm->scope = open_scope(r, outer->function);
    collect_pattern(r, arm->a);
    collect(r, arm->b);
    collect(r, arm->c);
    assign_pattern(r, arm->a);
    resolve_node(r, arm->b);
    resolve_node(r, arm->c);
    roll_back(r, mark);
    r->scope = outer;
}

static void resolve_target(struct resolver *r, struct node *target)
{
    if (target->kind == NODE_NAME) {
        resolve_name(r, target, true);
    } else if (target->kind == NODE_FIELD || target->kind == NODE_INDEX) {
        resolve_target(r, target->a);
        resolve_node(r, target->b);
    } else {
        resolve_node(r, target);
    }
}

static void resolve_children(struct resolver *r, struct node *node)
{
    resolve_node(r, node->a);
    resolve_node(r, node->b);
    resolve_node(r, node->c);
    for (size_t i = 0; i < node->count; i++) {
        resolve_node(r, node->items ? node->items[i] : node->parts ? node->parts[i].hole : node->arguments[i].value);
    }
}

static void resolve_node(struct resolver *r, struct node *node)
{
    if (!node) {
        return;
    }
    switch (node->kind) {
    case NODE_LITERAL:
        return;
    case NODE_NAME:
        resolve_name(r, node, false);
        return;
    case NODE_LAMBDA:
        resolve_function(r, node, node->a);
        return;
    case NODE_LET:
        resolve_node(r, node->a);
        assign(r, node->symbol);
        return;
    case NODE_TASK:
        assign(r, node->symbol);
        node->symbol->constant = true;
        resolve_function(r, node, node->b);
        return;
    case NODE_TEST:
        resolve_function(r, node, node->b);
        return;
    case NODE_TYPE:
    case NODE_ENUM:
    case NODE_USE:
        assign(r, node->symbol);
        return;
    case NODE_SET:
        resolve_node(r, node->b);
        resolve_target(r, node->a);
        return;
    case NODE_WHEN:
    case NODE_WHILE:
    case NODE_WHEN_INLINE:
    case NODE_AND:
    case NODE_OR:
        resolve_node(r, node->a);
        resolve_branch(r, node->b);
        resolve_branch(r, node->c);
        return;
    case NODE_EACH:
        resolve_node(r, node->a);
        resolve_scoped(r, node, node->text, node->b);
        return;
    case NODE_TRY:
        resolve_branch(r, node->a);
        resolve_scoped(r, node, node->text, node->b);
        return;
    case NODE_SANDBOX:
        resolve_node(r, node->a);
        resolve_scoped(r, node, VALUE_UNDEFINED, node->b);
        return;
    case NODE_MATCH:
        resolve_node(r, node->a);
        for (size_t i = 0; i < node->count; i++) {
            resolve_arm(r, node->items[i]);
        }
        resolve_branch(r, node->b);
        return;
    default:
        resolve_children(r, node);
    }
}

void resolve(struct front *front, struct node *program)
{
    struct resolver r = {.front = front};
    front->main = front_alloc(front, sizeof(*front->main));
    front->main->scope = open_scope(&r, front->main);
    program->has_block = true;
    collect(&r, program);
    resolve_node(&r, program);
}
