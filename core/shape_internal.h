/*
 * Structures described by tables, so that copying, freeing and printing them
 * is written once. Used for the state of a session.
 */
#ifndef TECHO_CORE_SHAPE_INTERNAL_H
#define TECHO_CORE_SHAPE_INTERNAL_H

#include "../sandbox/base.h"

enum member_type {
    MEMBER_TEXT,     /* char *, owned */
    MEMBER_U64,      /* uint64_t */
    MEMBER_I64,      /* int64_t */
    MEMBER_UINT,     /* unsigned */
    MEMBER_INT,      /* int */
    MEMBER_BOOL,     /* bool */
    MEMBER_BUF,      /* struct buf */
    MEMBER_JSON,     /* cJSON *, owned */
    MEMBER_STRUCTS,  /* `count` structures inside this one */
    MEMBER_TEXTS,    /* char **, owned, and each text too */
    MEMBER_ARRAY,    /* pointer to structures, owned */
    MEMBER_POINTERS, /* pointer to pointers to structures, all owned */
    MEMBER_SHARED,   /* the same, but copies share the structures: each begins with a size_t, the number of holders */
};

struct shape;

struct member {
    const char *name;
    enum member_type type;
    size_t offset;
    const struct shape *shape; /* of the structures */
    size_t count_offset;       /* of the size_t that counts TEXTS, ARRAY, POINTERS, SHARED */
    size_t count;              /* of STRUCTS */
};

struct shape {
    size_t size;
    const struct member *members;
    size_t member_count;
};

/* Frees what the structure owns, not itself. Fields that no member names are left alone. */
void shape_done(const struct shape *shape, void *object);
/* Copies into `to`, which is all zero; -ENOMEM: `to` is to be given to shape_done(). */
int shape_copy(const struct shape *shape, void *to, const void *from) MUST_USE;
/* Adds a JSON object with every member. */
int shape_format(const struct shape *shape, const void *object, struct buf *to);

/*
 * Makes room for one more element of `size` bytes after `count`, all zero, and
 * returns it; NULL without memory. Rooms double, so that no capacity is kept.
 */
void *array_grow(void *array_pointer, size_t count, size_t size);

#endif
