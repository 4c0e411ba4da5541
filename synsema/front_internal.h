/*
 * The front of the engine: text → tokens → tree → code. Everything here lives
 * in an arena that goes when the module is compiled. Errors jump out
 * (front_fail), so no function here reports one.
 */
#ifndef TECHO_SYNSEMA_FRONT_INTERNAL_H
#define TECHO_SYNSEMA_FRONT_INTERNAL_H

#include "machine_internal.h"

/* ---- tokens ---- */

#define TOKENS(X)                                                                                                      \
    X(EOF) X(NEWLINE) X(INDENT) X(DEDENT) X(NUMBER) X(TEXT) X(TEMPLATE) X(IDENTIFIER) X(LPAREN) X(RPAREN) X(LBRACKET)  \
    X(RBRACKET) X(LBRACE) X(RBRACE) X(COMMA) X(DOT) X(COLON) X(ASSIGN) X(EQUAL) X(NOT_EQUAL) X(LESS) X(GREATER)        \
    X(LESS_EQUAL) X(GREATER_EQUAL) X(PLUS) X(MINUS) X(STAR) X(SLASH) X(FLOOR_DIV) X(PERCENT) X(POWER) X(ARROW)         \
    X(FAT_ARROW) X(PIPE) X(SPREAD)

#define KEYWORDS(X)                                                                                                    \
    X(WHEN, "when") X(OTHERWISE, "otherwise") X(EACH, "each") X(WHILE, "while") X(MATCH, "match") X(IS, "is")          \
    X(THEN, "then") X(AND_THEN, "and_then") X(STOP, "stop") X(REPEAT, "repeat") X(IN, "in") X(WITH, "with")            \
    X(TASK, "task") X(GIVE, "give") X(LET, "let") X(BE, "be") X(SET, "set") X(TO, "to") X(AS, "as") X(OF, "of")        \
    X(TYPE, "type") X(WAIT_FOR, "wait_for") X(REQUIRE, "require") X(ALLOW, "allow") X(DENY, "deny")                    \
    X(SANDBOX, "sandbox") X(VERIFY, "verify") X(REASON, "reason") X(INTENT, "intent") X(INVARIANT, "invariant")        \
    X(DECIDE, "decide") X(ANALYZE, "analyze") X(GENERATE, "generate") X(TRY, "try") X(RECOVER, "recover")              \
    X(BOOL_TRUE, "true") X(BOOL_FALSE, "false") X(NOTHING, "nothing") X(AND, "and") X(OR, "or") X(NOT, "not")

enum token_kind {
#define X(name) TOKEN_##name,
    TOKENS(X)
#undef X
#define X(name, word) TOKEN_##name,
    KEYWORDS(X)
#undef X
};

struct token {
    enum token_kind kind;
    struct position position;
    uint32_t start, length; /* in the source */
    uint32_t end_line;      /* of a template */
    bool glued;             /* no blank before it */
    struct value value;     /* TEXT: the text; NUMBER: the number; names: interned */
};

struct part { /* of a template: text, or a hole */
    struct value text;
    struct node *hole;
};

/* ---- the tree ---- */

enum node_kind {
    /* expressions */
    NODE_LITERAL, NODE_TEMPLATE, NODE_NAME, NODE_LIST, NODE_MAP, NODE_LAMBDA, NODE_CALL, NODE_FIELD, NODE_INDEX, NODE_OF,
    NODE_BINARY, NODE_COMPARE, NODE_CHAIN, NODE_AND, NODE_OR, NODE_NOT, NODE_NEGATE, NODE_PIPE, NODE_WHEN_INLINE, NODE_LLM,
    /* statements */
    NODE_LET, NODE_SET, NODE_WHEN, NODE_EACH, NODE_WHILE, NODE_MATCH, NODE_ARM, NODE_TASK, NODE_GIVE, NODE_STOP, NODE_TYPE,
    NODE_ENUM, NODE_TRY, NODE_REQUIRE, NODE_SANDBOX, NODE_INVARIANT, NODE_INTENT, NODE_USE, NODE_TEST, NODE_RAISE, NODE_LOG,
    NODE_SHOW, NODE_DISCARD, NODE_BLOCK, NODE_UNSUPPORTED,
    /* patterns */
    PATTERN_WILD, PATTERN_BIND, PATTERN_VALUE, PATTERN_LIST, PATTERN_MAP, PATTERN_VARIANT, PATTERN_REST
};

struct symbol;
struct scope;
struct function;

struct argument {
    struct value name; /* undefined: positional */
    struct node *value;
};

struct node {
    enum node_kind kind;
    int op;                  /* operation, or a token kind */
    struct position position;
    bool has_call;           /* running it may run other code of the program */
    bool has_block;
    bool exported;
    uint32_t height;
    struct node *a, *b, *c;
    struct node **items;     /* children: elements, statements, arms, parameters' defaults */
    size_t count;
    struct value text;       /* name, literal */
    struct value other;      /* label, scope name */
    struct value *names;     /* of parameters, fields */
    size_t name_count;
    struct part *parts;
    struct argument *arguments;
    int *ops;                /* of a chain */
    struct position *positions;
    /* resolved */
    struct symbol **candidates; /* where a name may be bound, innermost first */
    size_t candidate_count;
    bool certain;            /* the last candidate is surely bound */
    const struct builtin *builtin;
    struct symbol *symbol;   /* what a binding binds */
    struct scope *scope;     /* that it opens */
    struct function *function;
};

/* ---- names ---- */

struct symbol {
    struct value name;
    struct scope *scope;
    uint32_t reg;
    bool assigned;     /* while resolving: surely bound here */
    bool captured;     /* lives in a box */
    bool needs_reset;  /* may be read before it is bound */
    bool set_elsewhere; /* by a task: reads of it must not be put off */
    bool constant;     /* task, type, enum */
    bool exported;
};

struct scope {
    struct scope *parent;
    struct function *function;
    struct symbol **symbols;
    size_t count, capacity;
};

struct function {
    struct function *parent;
    struct node *node;  /* NULL for a module */
    struct scope *scope;
    uint32_t registers; /* variables so far */
    struct symbol **captures; /* of enclosing functions, in order */
    size_t capture_count, capture_capacity;
};

/* ---- the whole ---- */

struct arena_block {
    struct arena_block *next;
    size_t size, used;
};

struct front {
    struct vm *vm;
    struct module *module;
    const char *source;
    size_t length;
    struct arena_block *arena;
    jmp_buf failed;
    struct token *tokens;
    size_t token_count, token_capacity;
    size_t at;             /* the parser's place */
    unsigned depth;        /* of nesting */
    struct position base;  /* of a template's hole */
    struct function *main;
};

_Noreturn void front_fail(struct front *front, enum error_kind kind, struct position position, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
_Noreturn void front_memory(struct front *front);
void *front_alloc(struct front *front, size_t size); /* zeroed */
/* Doubles an array that is full; arrays are never given back. */
void *front_grow(struct front *front, void *array, size_t count, size_t *capacity, size_t item);
void front_done(struct front *front);

void lex(struct front *front); /* fills tokens */
const char *token_name(enum token_kind kind);
struct node *parse_program(struct front *front);
/* The parts of a template literal's inside, and the tokens of one of its holes. */
struct value lex_template_text(struct front *front, size_t start, size_t end);
size_t lex_hole_end(struct front *front, size_t at, size_t end);
void lex_hole(struct front *front, size_t start, size_t end, struct position position);
void resolve(struct front *front, struct node *program);
struct proto *generate(struct front *front, struct node *program);

#endif
