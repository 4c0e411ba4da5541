/* What shape.c and map.c share. */
#ifndef TECHO_SYNSEMA_MAP_INTERNAL_H
#define TECHO_SYNSEMA_MAP_INTERNAL_H

#include "machine_internal.h"

struct shape {
    uint32_t count;
    uint32_t mask;
    uint8_t *index;          /* slot + 1 by hash; 0: empty */
    struct shape **children; /* with one more key */
    size_t child_count, child_capacity;
    struct value keys[];     /* interned texts and small integers */
};

struct entry {
    struct value key; /* undefined: removed */
    struct value value;
};

/*
 * Entries in order of insertion, and an index of hash and entry number. While
 * the keys are the integers base, base + 1 …, in order, there is no index.
 */
struct table {
    struct entry *entries;
    uint64_t *index; /* hash << 32 | entry + 1; 0: empty; NULL while dense */
    uint32_t used;   /* entries, removed ones too */
    uint32_t live;
    uint32_t capacity;
    uint32_t mask;
    int64_t base;
};

uint32_t key_hash(struct value key);
bool key_equal(struct value a, struct value b);

#endif
