/*
 * Builtins: one file per chapter of the reference's §9, each with one table.
 * To add a chapter: write builtin_NAME.c with `const struct builtin
 * builtins_NAME[]` that ends with {0}, declare it below, list it in builtin.c.
 */
#ifndef TECHO_SYNSEMA_BUILTIN_INTERNAL_H
#define TECHO_SYNSEMA_BUILTIN_INTERNAL_H

#include "vm_internal.h"

/*
 * One call. Arguments are borrowed by the builtin but belong to the call: a
 * builtin may value_take one and then owns it; if it is unique then nobody
 * else sees it, and it may be changed in place.
 */
struct call {
    struct value *args;   /* `count` positional ones; a gap left by names is undefined */
    size_t count;
    struct value *options; /* one per name of builtin->options; undefined when not given */
    const struct builtin *builtin;
    struct native *self;  /* the value that was called; NULL when called by its name */
};

typedef int (*builtin_fn)(struct vm *vm, struct call *call, struct value *ret);

#define MANY 255

struct builtin {
    const char *name;
    uint8_t min;          /* positional arguments */
    uint8_t max;          /* MANY: no limit */
    builtin_fn fn;
    const char *params;   /* "items,desc": positional ones that may be given by name, in order; NULL: none may */
    const char *options;  /* "axis,ddof": named only; at most 8; NULL: none */
    const char *too_few;  /* the builtin's own text when arguments are missing; NULL: the general one */
    const char *hint;     /* added when there are too many: " — to round to n decimals: round_to(x, n)" */
    bool here;            /* every error of it has the call's location (raise, insert, merge) */
    bool gated;           /* stands for a permission: not there in the pure profile */
};

/* The argument, or undefined when it was not given. */
static inline struct value call_arg(const struct call *call, size_t index)
{
    return index < call->count ? call->args[index] : VALUE_UNDEFINED;
}
static inline bool call_has(const struct call *call, size_t index)
{
    return !value_is_undefined(call_arg(call, index));
}

const struct builtin *builtin_find(const char *name, size_t length);
/* A builtin as a value. Takes bound and shown. */
int native_new(struct vm *vm, const struct builtin *builtin, struct value bound, struct value shown, size_t state_size,
               struct value *ret);

/*
 * Kinds of object outside the core say here how they behave; an entry may be
 * NULL. See kind.c. `binary` returns 1 when it does not know the combination.
 */
struct kind {
    void (*display)(struct buffer *buffer, struct value v);
    int (*equal)(struct vm *vm, struct value a, struct value b, bool *ret);   /* both of this type */
    uint64_t (*hash)(struct value v);
    int (*compare)(struct vm *vm, struct value a, struct value b, int *ret);  /* both of this type */
    int (*binary)(struct vm *vm, enum operation operation, struct value a, struct value b, struct value *ret);
    int (*negate)(struct vm *vm, struct value a, struct value *ret);
    bool (*truthy)(struct value v);
    int (*index)(struct vm *vm, struct value v, struct value index, struct value *ret); /* a[i] */
    int (*length)(struct vm *vm, struct value v, struct value *ret);
    void (*release)(struct vm *vm, struct object *object); /* drops what it owns and frees it */
};
extern const struct kind *const kinds[_OBJECT_MAX];

extern const struct builtin builtins_core[];
extern const struct builtin builtins_math[];
extern const struct builtin builtins_program[];

#endif
