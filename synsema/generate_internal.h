/* What the generator's three files share: emitting, variables, expressions. */
#ifndef TECHO_SYNSEMA_GENERATE_INTERNAL_H
#define TECHO_SYNSEMA_GENERATE_INTERNAL_H

#include "code_internal.h"
#include "front_internal.h"

#define NO_REGISTER UINT32_MAX
#define NO_JUMP 0u /* the end of a list of jumps; else the instruction's number + 1 */

struct loop {
    struct loop *outer;
    uint32_t exits;      /* jumps to the end */
    unsigned sandboxes;  /* open when it began */
};

/* The code of one function while it is made. */
struct gen {
    struct front *front;
    struct vm *vm;
    struct gen *outer;
    struct function *function;
    struct proto *proto;
    size_t code_capacity, position_capacity, constant_capacity, field_capacity, proto_capacity, region_capacity;
    size_t path_capacity, call_capacity, shape_capacity;
    uint32_t top; /* the next free temporary */
    struct position position; /* of what is being emitted */
    struct loop *loop;
    unsigned sandboxes;
    struct node **tests; /* test blocks, which run last */
    size_t test_count, test_capacity;
};

/* An array of the proto, which outlives the front. */
void *proto_grow(struct gen *g, void *array, size_t count, size_t *capacity, size_t item);
uint32_t emit(struct gen *g, enum opcode op, uint32_t a, uint32_t b, uint32_t c);
uint32_t emit_jump(struct gen *g, enum opcode op, uint32_t a, uint32_t b, uint32_t list);
void patch(struct gen *g, uint32_t list);  /* the jumps of a list lead here */
uint32_t join(struct gen *g, uint32_t list, uint32_t more);
void emit_loop(struct gen *g, uint32_t start); /* back to `start` */
uint32_t temporary(struct gen *g);
uint32_t constant(struct gen *g, struct value v); /* keeps its own reference */
uint32_t field_of(struct gen *g, struct value name);
uint32_t add_region(struct gen *g, enum region_kind kind, uint32_t start, uint32_t target, uint32_t reg);

/* Expressions. */
void expression_to(struct gen *g, struct node *node, uint32_t reg);
uint32_t expression(struct gen *g, struct node *node); /* a variable's own register, or a temporary */
/* As expression, when `later` is evaluated before the result is used. */
uint32_t expression_before(struct gen *g, struct node *node, const struct node *later);
uint32_t jump_if(struct gen *g, struct node *node, bool truth);
void task_to(struct gen *g, struct node *node, uint32_t reg);
const struct builtin *called_builtin(const struct node *node);

/* Variables. */
bool is_direct(const struct gen *g, const struct node *name); /* its value is in a register, surely */
bool is_global(const struct symbol *symbol);
void load_symbol(struct gen *g, const struct symbol *symbol, uint32_t reg);
void store_symbol(struct gen *g, const struct symbol *symbol, uint32_t reg);
void load_name(struct gen *g, struct node *name, uint32_t reg);
/* Calls `use` for each candidate, at run time for the first that is bound; `none` for the rest. */
void root_of(struct gen *g, const struct symbol *symbol, struct path *path);
uint32_t test_symbol(struct gen *g, const struct symbol *symbol); /* the jump that is taken when it is undefined */
void open_variables(struct gen *g, const struct scope *scope); /* boxes and resets of a scope that is entered */

/* Statements. `want`: the register for its value, or NO_REGISTER. */
void statement(struct gen *g, struct node *node, uint32_t want);
void block(struct gen *g, struct node *node, uint32_t want);
void match_statement(struct gen *g, struct node *node, uint32_t want);
void set_statement(struct gen *g, struct node *node, uint32_t want);
struct proto *function_code(struct gen *outer, struct front *front, struct node *node, struct function *function);

#endif
