/*
 * The machine's own state: what builtins need not see. Compiled code, frames,
 * modules, permissions.
 */
#ifndef TECHO_SYNSEMA_MACHINE_INTERNAL_H
#define TECHO_SYNSEMA_MACHINE_INTERNAL_H

#include <setjmp.h>
#include <signal.h>

#include "builtin_internal.h"
#include "synsema.h"

enum error_kind {
    ERROR_NONE,
    ERROR_RUN,     /* an ordinary error: `try` catches it */
    ERROR_LEX,
    ERROR_PARSE,
    ERROR_STOP,    /* `stop` on its way to the caller's loop */
    ERROR_LIMIT,   /* steps or cancellation: nothing catches it */
    ERROR_EXIT,    /* exit() */
};

struct error {
    enum error_kind kind;
    bool located;
    const char *file; /* borrowed from its module */
    unsigned line, column;
    int exit;
    char *message;    /* owned; never NULL */
    size_t capacity;
};

struct position {
    uint32_t line;
    uint32_t column;
};

/* Where an error or a `stop` goes: the innermost region that holds the instruction. */
enum region_kind { REGION_TRY, REGION_LOOP, REGION_SANDBOX };
struct region {
    enum region_kind kind;
    uint32_t start, end, target; /* instructions */
    uint32_t reg;                /* gets the error's text */
};

struct field {
    struct value key;
    struct shape *shape; /* where it was found last */
    struct shape *next;  /* the shape that adding it leads to */
    int slot;
    struct value of; /* a, in `a of b.c` where this is c; else undefined */
    struct value base; /* b, if it is a name */
};

struct capture {
    bool from_register; /* else from the captures of the enclosing task */
    uint32_t index;
};

struct param {
    struct value name;
    bool has_default;
};

enum root_kind { ROOT_REGISTER, ROOT_BOX, ROOT_CAPTURE, ROOT_GLOBAL };

/* The place that `set` writes: a variable and the way from there. */
struct step {
    bool is_field;    /* .name, else [index] */
    uint32_t operand; /* a field's index, or a register */
    struct position position;
};
struct path {
    enum root_kind root;
    uint32_t index;
    struct value name; /* of the variable, for errors */
    size_t count;
    struct step *steps;
    const struct builtin *update; /* `set P to append(P, …)`: works on the place itself */
};

struct call_names {
    size_t positional;
    size_t count;
    struct value *names;
};

struct proto {
    struct value name;
    struct module *module;
    uint64_t *code;
    struct position *positions;
    size_t length;
    struct value *constants;
    struct field *fields;
    struct proto **protos;
    struct capture *captures;
    struct region *regions;
    struct path *paths;
    struct call_names *calls;
    struct shape **shapes;
    struct param *params;
    uint32_t constant_count, field_count, proto_count, capture_count, region_count, path_count, call_count, shape_count;
    uint32_t param_count, required;
    uint32_t registers;
    uint32_t temporaries; /* the first register that is not a variable */
    bool lambda;
};

struct export {
    struct value name;
    uint32_t index; /* of the global */
    bool constant;  /* a task, type or enum: not to be replaced */
};

struct module {
    struct object object;
    struct module *next;
    char *file;          /* owned; as errors show it */
    char *path;          /* owned; where it was read, absolute or not; NULL for the program */
    char *source;        /* owned; kept for error windows */
    size_t source_length;
    struct proto *main;
    struct value *globals; /* registers of its main code */
    struct value *global_names;
    uint32_t global_count;
    uint32_t register_count;
    struct export *exports;
    uint32_t export_count;
    bool loading;
};

struct frame {
    const uint64_t *pc; /* the next instruction */
    struct value *base;
    struct proto *proto;
    struct task *task;  /* kept; NULL for main code */
    struct module *module;
    struct value *ret;
    bool entry;         /* returning from it leaves the interpreter */
};

/* ---- permissions ---- */

struct grant {
    enum capability capability;
    char *scope; /* owned; normalized; NULL: unscoped */
};
struct grants {
    struct grant *items; /* owned */
    size_t count, capacity;
};
struct audit_entry {
    char *capability; /* owned */
    bool granted;
    const char *source;  /* static, or owned by the engine */
    char *reason;     /* owned */
    const char *origin;
};
struct guard { /* a sandbox that is being run */
    struct grants *ceiling; /* owned; NULL: a plain sandbox, which takes everything away */
    uint32_t frames;
};

struct interned {
    struct text **slots;
    size_t count, capacity;
};

struct gmp_block;

struct vm {
    /* memory */
    uint64_t memory_used;
    uint64_t allocations;
    uint64_t fail_allocation;
    void *free_lists[33];
    char *chunk, *chunk_end;
    struct large_block *large;
    struct chunk_head *chunks;
    /* running */
    struct value *stack, *stack_end, *top;
    struct value *stack_high; /* above it the stack was never used */
    struct frame *frames;
    uint32_t frame_count, frame_capacity;
    uint32_t depth, depth_limit;
    const char *c_stack_end; /* calls from C into the program stop here, before the C stack is full */
    int64_t fuel;    /* steps until the next look at limits */
    uint64_t steps;  /* spent before the present fuel */
    int64_t fuel_given;
    volatile sig_atomic_t cancelled;
    struct error error;
    struct interned interned;
    struct shape *empty_shape;
    size_t shape_total;
    struct value ascii[128]; /* texts of one character */
    struct value empty_text;
    struct module *modules;
    struct module *program;
    bool started;     /* past the preamble */
    struct value intent;
    /* permissions */
    struct grants granted, rejected, ceiling;
    bool has_ceiling;
    bool ceiling_none;
    struct guard *guards;
    size_t guard_count, guard_capacity;
    struct audit_entry *audits;
    size_t audit_count, audit_capacity;
    int printing; /* 0: not checked yet, 1: may, -1: may not */
    /* big numbers */
    jmp_buf gmp_jump;
    struct gmp_block *gmp_blocks;
    char *shown[4]; /* what displayed() and debug_quoted() gave, in turn */
    size_t shown_size[4];
    unsigned shown_next;
    unsigned nesting;
    struct synsema_options options;
    struct synsema_result result;
    char *report; /* owned; the result's error */
    char *report_message;
    unsigned tests_passed, tests_failed;
};

struct synsema {
    struct vm vm;
};

/* memory.c */
int memory_init(struct vm *vm);
void memory_done(struct vm *vm); /* everything that was ever allocated */
char *memory_strdup(struct vm *vm, const char *string, size_t length);
/* Doubles an array's room when it is full. */
int memory_grow(struct vm *vm, void *array, size_t count, size_t *capacity, size_t item);

/* map.c */
struct shape *shape_empty(struct vm *vm);
/* The shape with one more key; NULL without an error when there would be too many: then make it a table. */
struct shape *shape_add(struct vm *vm, struct shape *shape, struct value key);
int map_make_table(struct vm *vm, struct map *map);
int map_extend(struct vm *vm, struct map *map, struct shape *next, struct value v);
void map_free(struct vm *vm, struct map *map);
struct value *map_slots(struct map *map, size_t *ret_count); /* what it owns */

/* interpret.c */
/* Runs the topmost frame until it returns. */
int interpret(struct vm *vm);
/* call.c */
int call_builtin(struct vm *vm, const struct builtin *builtin, struct native *self, struct value *args, size_t count,
                 const struct named_value *named, size_t named_count, bool permissive, struct value *ret);
/* Checks and completes the arguments of a task in its new frame. */
int bind_arguments(struct vm *vm, struct frame *frame, size_t count, const struct named_value *named, size_t named_count,
                   bool permissive);
/* Any callable; `args` are the caller's, and a builtin may take them. */
int call_value(struct vm *vm, struct value callee, struct value *args, size_t count, const struct named_value *named,
               size_t named_count, bool permissive, struct value *ret);
struct frame *push_frame(struct vm *vm, struct proto *proto, struct task *task, struct module *module);
void pop_frame(struct vm *vm);
int run_module_code(struct vm *vm, struct module *module, struct value *ret);

/* Looks at the limits when the fuel is spent. */
int vm_refuel(struct vm *vm);

/* execute.c: what instructions do that is not done inline */
int execute(struct vm *vm, struct frame *frame, uint64_t code);
int build_text(struct vm *vm, struct value *parts, size_t count, struct value *ret);
int append_item(struct vm *vm, struct value *slot, struct value item);
bool joins_text(struct value v);
/* Adds values to a text in place; *ret_done is false when they are to be added one by one instead. */
int extend_text(struct vm *vm, struct value *slot, const struct value *parts, size_t count, bool *ret_done);
int add_in_place(struct vm *vm, struct value *slot, struct value b, bool *ret_done);
int next_item(struct vm *vm, struct value *state, struct value *ret, bool *ret_end);
int call_names(struct vm *vm, struct frame *frame, uint64_t code);

/* access.c: index, property, `set` */
int get_index(struct vm *vm, struct value container, struct value index, struct value *ret);
int get_field(struct vm *vm, struct value container, struct value key, struct value *ret);
int set_index(struct vm *vm, struct value *slot, struct value index, struct value v); /* takes v */
int set_field(struct vm *vm, struct value *slot, struct value key, struct value v);   /* takes v */
int set_path(struct vm *vm, struct value *root, const struct path *path, const struct frame *frame, struct value *v);
int update_path(struct vm *vm, struct value *root, const struct path *path, const struct frame *frame,
                struct value *args, size_t count, struct value *ret);
int contains_in(struct vm *vm, struct value item, struct value container, const char *word, bool *ret);
void note_of(struct vm *vm, const struct field *field); /* adds what `a of b.c` means to an error of it */
int undefined_name(struct vm *vm, struct value name);

/* compile.c */
struct proto *compile_module(struct vm *vm, struct module *module);

/* module.c */
struct module *module_new(struct vm *vm, const char *file, const char *path, const char *source, size_t length);
int module_prepare(struct vm *vm, struct module *module); /* makes room for its variables */
int module_load(struct vm *vm, struct module *from, struct value path, struct value *ret);
struct export *module_export(const struct module *module, struct value name);

/* capability.c */
int capability_require(struct vm *vm, const char *name, size_t length, struct value scope);
int guard_push(struct vm *vm, struct value *ceiling); /* NULL: a plain sandbox */
void guard_pop(struct vm *vm);
int ceiling_parse(struct vm *vm, const char *text, struct grants *ret, bool *ret_none);
int capability_start(struct vm *vm);
bool capability_known(const char *name, size_t length, enum capability *ret);
bool grant_covers(struct vm *vm, const struct grant *grant, enum capability capability, const char *scope);

/* enum.c: constructors of types and enums */
int type_value(struct vm *vm, struct value name, struct value variant, const struct value *fields, size_t count,
               struct value *ret);
/* The place of a field among a constructor's arguments; -1 when it is no constructor or has no such field. */
int constructor_place(const struct native *native, struct value name);
int enum_value(struct vm *vm, struct value name, struct value *ret);
int enum_add(struct vm *vm, struct value *slot, struct value name, struct value variant, const struct value *fields,
             size_t count);
/* Whether v is the variant `name` of the enum; -1 when `names` is no enum and comparing failed. */
int variant_matches(struct vm *vm, struct value v, struct value names, struct value name, bool *ret);

/* builtin.c */
uint32_t builtin_index(const struct builtin *builtin);
const struct builtin *builtin_at(uint32_t index);
bool constant_named(const char *name, double *ret); /* pi tau e inf nan */

/* hints.c */
const char *hint_statement(const char *word, size_t length); /* `return` → "`give <value>` returns from a task" */
const char *hint_name(const char *word, size_t length);      /* None → "nothing" */
const char *hint_method(const char *word, size_t length);

/* error.c */
int vm_fail_kind(struct vm *vm, enum error_kind kind, const char *file, struct position position, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
void error_clear(struct vm *vm);
/* "file:line:col: message" when it has a location */
int error_put(const struct vm *vm, struct buffer *buffer);

#endif
