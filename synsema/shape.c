/*
 * Shapes: the keys of maps that were made alike, kept once. Each shape knows
 * the shapes that one more key leads to. Their number is limited: maps with
 * ever new keys become tables.
 */
#include "map_internal.h"

#define SHAPES_MAX ((size_t)20000)
#define CHILDREN_MAX ((size_t)128)

uint32_t key_hash(struct value key)
{
    if (value_is_small(key)) {
        uint64_t h = key.bits * UINT64_C(0x9e3779b97f4a7c15);
        return (uint32_t)(h >> 32);
    }
    return text_hash(value_text(key));
}

bool key_equal(struct value a, struct value b)
{
    if (value_same(a, b)) {
        return true;
    }
    if (!value_is_object(a) || !value_is_object(b)) {
        return false;
    }
    const struct text *s = value_text(a), *t = value_text(b);
    return !(s->object.flags & t->object.flags & TEXT_INTERNED) && text_equal(s, t);
}

static size_t places(size_t count)
{
    size_t n = 4;
    while (n < count * 2) {
        n *= 2;
    }
    return n;
}

static struct shape *shape_make(struct vm *vm, size_t count)
{
    size_t n = places(count);
    struct shape *shape = memory_alloc(vm, sizeof(*shape) + count * sizeof(struct value));
    uint8_t *index = shape ? memory_alloc(vm, n) : NULL;
    if (!index) {
        memory_free(vm, shape, sizeof(*shape) + count * sizeof(struct value));
        return NULL;
    }
    memset(index, 0, n);
    *shape = (struct shape){.count = (uint32_t)count, .mask = (uint32_t)n - 1, .index = index};
    vm->shape_total++;
    return shape;
}

struct shape *shape_empty(struct vm *vm)
{
    if (!vm->empty_shape) {
        vm->empty_shape = shape_make(vm, 0);
    }
    return vm->empty_shape;
}

int shape_slot(const struct shape *shape, struct value key)
{
    for (size_t at = key_hash(key) & shape->mask; shape->index[at]; at = (at + 1) & shape->mask) {
        int slot = shape->index[at] - 1;
        if (key_equal(shape->keys[slot], key)) {
            return slot;
        }
    }
    return -1;
}

size_t shape_count(const struct shape *shape)
{
    return shape->count;
}

struct value shape_key(const struct shape *shape, size_t slot)
{
    return shape->keys[slot];
}

struct shape *shape_add(struct vm *vm, struct shape *shape, struct value key)
{
    for (size_t i = 0; i < shape->child_count; i++) {
        if (key_equal(shape->children[i]->keys[shape->count], key)) {
            return shape->children[i];
        }
    }
    if (shape->count >= SHAPE_MAX || shape->child_count >= CHILDREN_MAX || vm->shape_total >= SHAPES_MAX) {
        return NULL;
    }
    struct value kept = key;
    if (value_is_object(key) && text_intern(vm, value_text(key)->data, value_text(key)->length, &kept)) {
        return NULL;
    }
    struct shape *child = NULL;
    if (!memory_grow(vm, &shape->children, shape->child_count, &shape->child_capacity, sizeof(struct shape *))) {
        child = shape_make(vm, shape->count + 1);
    }
    if (!child) {
        value_drop(vm, kept);
        return NULL;
    }
    for (size_t i = 0; i < shape->count; i++) {
        child->keys[i] = value_keep(shape->keys[i]);
    }
    child->keys[shape->count] = kept;
    for (size_t i = 0; i < child->count; i++) {
        size_t at = key_hash(child->keys[i]) & child->mask;
        while (child->index[at]) {
            at = (at + 1) & child->mask;
        }
        child->index[at] = (uint8_t)(i + 1);
    }
    shape->children[shape->child_count++] = child;
    return child;
}

struct shape *shape_of_keys(struct vm *vm, const struct value *keys, size_t count)
{
    struct shape *shape = shape_empty(vm);
    for (size_t i = 0; shape && i < count; i++) {
        shape = shape_add(vm, shape, keys[i]);
    }
    return shape;
}
