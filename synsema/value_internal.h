/*
 * Values: one word each, and the objects that they point to.
 *
 *   …xxx1   integer of 63 bits
 *   …xx10   float whose exponent is near 1 (2^-255 … 2^256): the double, rotated
 *   …x000   pointer to an object, reference counted
 *   …x100   nothing, false, true, and "undefined" (never seen by a program)
 *
 * All other floats, larger integers and everything else are objects. Objects
 * are values to the program: whoever changes one must hold its only reference
 * (object_is_unique), else work on a copy. So no cycles arise, except through
 * variables that closures capture; those are freed with the engine.
 *
 * Ownership: a parameter of type struct value is borrowed unless its comment
 * says "takes"; a value that is returned, or stored by ret_*, is owned by the
 * caller, who drops it with value_drop.
 */
#ifndef TECHO_SYNSEMA_VALUE_INTERNAL_H
#define TECHO_SYNSEMA_VALUE_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct vm;

struct value {
    uint64_t bits;
};

enum object_type {
    OBJECT_FLOAT,   /* floats that do not fit in a word */
    OBJECT_BIGINT,  /* integers beyond 63 bits */
    OBJECT_DECIMAL,
    OBJECT_COMPLEX,
    OBJECT_TEXT,
    OBJECT_BYTES,
    OBJECT_LIST,
    OBJECT_MAP,
    OBJECT_ARRAY,
    OBJECT_TASK,    /* a task or lambda of the program */
    OBJECT_NATIVE,  /* a builtin as a value, with what it is bound to: sum_of("v"), rng(42) */
    OBJECT_DATE,
    OBJECT_DATETIME,
    OBJECT_DURATION,
    OBJECT_SECRET,
    OBJECT_MODULE,  /* the alias of a module: a map to the program */
    OBJECT_BOX,     /* a captured variable; never seen by a program */
    _OBJECT_MAX
};

struct object {
    uint32_t refs;
    uint8_t type;
    uint8_t flags;  /* by type */
    uint16_t extra; /* by type */
};

#define VALUE_NOTHING ((struct value){0x04})
#define VALUE_FALSE ((struct value){0x0c})
#define VALUE_TRUE ((struct value){0x14})
#define VALUE_UNDEFINED ((struct value){0x1c})

#define INT_SMALL_MAX ((int64_t)0x3fffffffffffffff)
#define INT_SMALL_MIN (-INT_SMALL_MAX - 1)

static inline bool value_is_small(struct value v)
{
    return v.bits & 1;
}
static inline bool value_is_object(struct value v)
{
    return (v.bits & 7) == 0;
}
static inline bool value_same(struct value a, struct value b)
{
    return a.bits == b.bits;
}
static inline bool value_is_nothing(struct value v)
{
    return v.bits == VALUE_NOTHING.bits;
}
static inline bool value_is_undefined(struct value v)
{
    return v.bits == VALUE_UNDEFINED.bits;
}
static inline bool value_is_bool(struct value v)
{
    return v.bits == VALUE_TRUE.bits || v.bits == VALUE_FALSE.bits;
}
static inline struct value value_bool(bool b)
{
    return b ? VALUE_TRUE : VALUE_FALSE;
}
static inline struct object *value_object(struct value v)
{
    return (struct object *)(uintptr_t)v.bits;
}
static inline struct value value_of(const void *object)
{
    return (struct value){(uintptr_t)object};
}
static inline bool value_is(struct value v, enum object_type type)
{
    return value_is_object(v) && value_object(v)->type == type;
}

/* ---- integers ---- */

static inline struct value value_small(int64_t i) /* i within INT_SMALL_MIN … INT_SMALL_MAX */
{
    return (struct value){((uint64_t)i << 1) | 1};
}
static inline int64_t value_small_get(struct value v)
{
    return (int64_t)v.bits >> 1;
}
static inline bool value_is_int(struct value v)
{
    return value_is_small(v) || value_is(v, OBJECT_BIGINT);
}

/* ---- floats ---- */

struct boxed_float {
    struct object object;
    double number;
};

static inline bool value_is_inline_float(struct value v)
{
    return (v.bits & 3) == 2;
}
static inline bool value_is_float(struct value v)
{
    return value_is_inline_float(v) || value_is(v, OBJECT_FLOAT);
}
static inline double value_inline_float(struct value v)
{
    uint64_t bits = ((v.bits >> 3) | (v.bits << 61)) - (UINT64_C(1) << 60);
    double d;
    memcpy(&d, &bits, sizeof(d));
    return d;
}
static inline double value_float_get(struct value v)
{
    return value_is_inline_float(v) ? value_inline_float(v) : ((struct boxed_float *)value_object(v))->number;
}
/* True and the value when `d` fits in a word. */
static inline bool value_float_inline(double d, struct value *ret)
{
    uint64_t bits;
    memcpy(&bits, &d, sizeof(bits));
    bits += UINT64_C(1) << 60;
    ret->bits = (bits << 3) | (bits >> 61);
    return (ret->bits & 3) == 2;
}
/* 0, or -1 when memory is short. 0.0 and the like are shared objects, so most calls cannot fail. */
int value_float_boxed(struct vm *vm, double d, struct value *ret);
static inline int value_float(struct vm *vm, double d, struct value *ret)
{
    return value_float_inline(d, ret) ? 0 : value_float_boxed(vm, d, ret);
}

/* ---- reference counts ---- */

void object_release(struct vm *vm, struct object *object); /* frees it, without recursion */

static inline struct value value_keep(struct value v)
{
    if (value_is_object(v)) {
        value_object(v)->refs++;
    }
    return v;
}
static inline void value_drop(struct vm *vm, struct value v)
{
    if (value_is_object(v) && --value_object(v)->refs == 0) {
        object_release(vm, value_object(v));
    }
}
static inline bool object_is_unique(const void *object)
{
    return ((const struct object *)object)->refs == 1;
}
/* Puts `v` (taken) into a slot and drops what was there. */
static inline void value_replace(struct vm *vm, struct value *slot, struct value v)
{
    struct value old = *slot;
    *slot = v;
    value_drop(vm, old);
}
/* Moves a value out of its slot. */
static inline struct value value_take(struct value *slot)
{
    struct value v = *slot;
    *slot = VALUE_NOTHING;
    return v;
}

/* ---- text and bytes ---- */

enum { TEXT_INTERNED = 1, TEXT_HASHED = 2, TEXT_INTEGER = 4 /* known with the hash: spells a small integer */ };

struct text {
    struct object object;
    uint32_t hash;     /* when TEXT_HASHED */
    uint32_t length;   /* bytes of UTF-8, always valid */
    uint32_t chars;    /* Unicode scalars; equal to length when all are ASCII */
    uint32_t capacity; /* bytes, the closing NUL included */
    char data[];       /* NUL after the last byte */
};

#define TEXT_MAX ((size_t)0x7fffff00)

static inline struct text *value_text(struct value v)
{
    return (struct text *)value_object(v);
}
static inline bool value_is_text(struct value v)
{
    return value_is(v, OBJECT_TEXT);
}

/* Copies valid UTF-8. -1 when memory is short or the text too long. */
int text_new(struct vm *vm, const char *data, size_t length, struct value *ret);
int text_from(struct vm *vm, const char *string, struct value *ret); /* up to its NUL */
/* The same, invalid sequences replaced by U+FFFD. */
int text_new_lossy(struct vm *vm, const char *data, size_t length, struct value *ret);
/* A text of `length` bytes to be filled in by the caller, who then calls text_count. */
struct text *text_make(struct vm *vm, size_t length);
void text_count(struct text *text); /* sets chars from the bytes */
/* The one text with these bytes; equal interned texts are the same object. */
int text_intern(struct vm *vm, const char *data, size_t length, struct value *ret);
uint32_t text_hash(struct text *text);
bool text_equal(const struct text *a, const struct text *b);
int text_compare(const struct text *a, const struct text *b); /* by code point */
/* Byte offset of the n-th scalar (0 … chars). */
size_t text_offset(const struct text *text, size_t index);
/* Scalars `from` … `to`-1 as a text. */
int text_slice(struct vm *vm, struct value text, size_t from, size_t to, struct value *ret);
/* One scalar from valid UTF-8; its length in bytes is added to *position. */
uint32_t utf8_next(const char *data, size_t *position);
size_t utf8_put(char *to, uint32_t scalar); /* 1 … 4 bytes */
bool utf8_valid(const char *data, size_t length, size_t *ret_chars, size_t *ret_bad);

struct bytes {
    struct object object;
    size_t length;
    uint8_t data[];
};
static inline struct bytes *value_bytes(struct value v)
{
    return (struct bytes *)value_object(v);
}
/* `data` may be NULL: then the caller fills it in. */
int bytes_new(struct vm *vm, const void *data, size_t length, struct value *ret);

/* ---- lists ---- */

struct list {
    struct object object;
    size_t length;
    size_t capacity;
    struct value *items; /* owned, and each item too */
};
static inline struct list *value_list(struct value v)
{
    return (struct list *)value_object(v);
}
static inline bool value_is_list(struct value v)
{
    return value_is(v, OBJECT_LIST);
}

struct list *list_new(struct vm *vm, size_t capacity); /* empty; NULL when memory is short */
/* Takes `v`, also when it fails. The list must be unique. */
int list_push(struct vm *vm, struct list *list, struct value v);
struct list *list_copy(struct vm *vm, const struct list *list, size_t capacity);
/* Makes the list in the slot unique (copying if it is shared). NULL when memory is short. */
struct list *list_unshare(struct vm *vm, struct value *slot);

/* ---- maps ---- */

/*
 * Keys are text to the program. Inside, a key is either an interned or plain
 * text, or a small integer, which stands for the text that spells it: "5" is
 * always stored as 5. map_key makes a key from any value, key_text the text.
 * Small maps that are made alike share a shape and hold only their values;
 * others are open-addressing tables over entries in order of insertion.
 */
struct shape;
struct table;

struct map {
    struct object object; /* extra: room for values when it has a shape */
    struct shape *shape;  /* NULL: a table */
    union {
        struct value *values; /* by the shape's slots; points to `room` or to an owned block */
        struct table *table;
    };
    struct value room[];
};
static inline struct map *value_map(struct value v)
{
    return (struct map *)value_object(v);
}
static inline bool value_is_map(struct value v)
{
    return value_is(v, OBJECT_MAP);
}

struct map *map_new(struct vm *vm);                        /* empty, to be a table: for dynamic keys */
struct map *map_new_record(struct vm *vm, struct shape *shape); /* every value is nothing: fill map->values */
struct map *map_copy(struct vm *vm, const struct map *map);
struct map *map_unshare(struct vm *vm, struct value *slot);
size_t map_length(const struct map *map);
/* The key for a value (§4: its display text). Owned by the caller. */
int map_key(struct vm *vm, struct value v, struct value *ret_key);
/* The key for a text, without a copy: the same text, or a small integer. Borrowed from `text`. */
struct value map_key_text(struct value text);
int key_text(struct vm *vm, struct value key, struct value *ret_text);
/* The value's place, NULL if absent. Good until the map changes. */
struct value *map_find(const struct map *map, struct value key);
struct value *map_find_name(const struct map *map, const char *name);
/* Inserts or overwrites; takes `v`, also when it fails; borrows `key`. The map must be unique. */
int map_set(struct vm *vm, struct map *map, struct value key, struct value v);
int map_set_name(struct vm *vm, struct map *map, const char *name, struct value v);
/* Removes a key if it is there. The map must be unique. */
int map_remove(struct vm *vm, struct map *map, struct value key);
/* Walks in order: starts with *position = 0; false at the end. Key and value are borrowed. */
bool map_next(const struct map *map, size_t *position, struct value *ret_key, struct value *ret_value);

/* The shape with these keys (from map_key), all different, in this order; at most SHAPE_MAX. NULL when memory is short. */
#define SHAPE_MAX 64
struct shape *shape_of_keys(struct vm *vm, const struct value *keys, size_t count);
/* Slot of a key in a shape, -1 if absent. */
int shape_slot(const struct shape *shape, struct value key);
size_t shape_count(const struct shape *shape);
struct value shape_key(const struct shape *shape, size_t slot); /* borrowed */

/* ---- numbers beyond a word ---- */

struct bigint {
    struct object object;
    int32_t size; /* limbs, negative for a negative number, as GMP counts */
    uint64_t limbs[];
};
struct decimal {
    struct object object;
    int32_t scale;           /* ≥ 0: the number is coefficient / 10^scale */
    struct value coefficient; /* owned; an integer */
};
struct complex_number {
    struct object object;
    double re, im;
};
static inline struct decimal *value_decimal(struct value v)
{
    return (struct decimal *)value_object(v);
}

/* ---- dates (§9.14) ---- */

struct date {
    struct object object;
    int64_t day; /* since 1970-01-01 */
};
struct datetime {
    struct object object;
    int64_t seconds;   /* since 1970-01-01T00:00:00Z */
    int32_t nanos;     /* 0 … 999,999,999 */
    int32_t offset;    /* local time minus UTC, in seconds, at this instant */
    struct value zone; /* owned; the IANA name as text, nothing for UTC or a fixed offset */
};
struct duration {
    struct object object;
    int64_t seconds; /* floored */
    int32_t nanos;   /* 0 … 999,999,999 */
};

/* ---- tasks ---- */

struct proto;  /* the compiled code of a task */
struct module; /* the globals of one file */

struct task {
    struct object object; /* extra: count of captures */
    struct proto *proto;  /* borrowed; lives as long as the engine */
    struct module *module;
    struct value captures[]; /* owned boxes */
};
struct box {
    struct object object;
    struct value value; /* owned */
};

struct builtin;

/* A builtin as a value. `fn` of the builtin finds itself in call->self, so bound and state are its own. */
struct native {
    struct object object;
    const struct builtin *builtin;
    struct value bound;  /* owned; what it closes over, or nothing */
    struct value shown;  /* owned; text after "builtin:", or nothing for the builtin's name */
    size_t state_size;
    uint64_t state[];    /* shared by reference: a generator's */
};
static inline bool value_is_callable(struct value v)
{
    return value_is(v, OBJECT_TASK) || value_is(v, OBJECT_NATIVE);
}

#endif
