/*
 * Memory of one engine: small blocks from free lists by size, large ones from
 * malloc in a list of their own, so that everything goes when the engine goes.
 * The limit is compared when the engine asks the system for more.
 */
#include "machine_internal.h"

#include <stdlib.h>

#define CHUNK_SIZE ((size_t)64 * 1024)
#define SMALL_MAX ((size_t)512)

struct large_block {
    struct large_block *next, *previous;
};
struct chunk_head {
    struct chunk_head *next;
    size_t size;
};

#if defined(__SANITIZE_ADDRESS__)
#define ALL_LARGE 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ALL_LARGE 1
#endif
#endif
#ifndef ALL_LARGE
#define ALL_LARGE 0
#endif

static bool fails(struct vm *vm, size_t size)
{
    uint64_t limit = vm->options.memory_limit;
    return (vm->fail_allocation && ++vm->allocations >= vm->fail_allocation) ||
           (limit && (size > limit || vm->memory_used > limit - size));
}

static void link_large(struct vm *vm, struct large_block *block)
{
    block->previous = NULL;
    block->next = vm->large;
    if (vm->large) {
        vm->large->previous = block;
    }
    vm->large = block;
}

static void unlink_large(struct vm *vm, struct large_block *block)
{
    if (block->previous) {
        block->previous->next = block->next;
    } else {
        vm->large = block->next;
    }
    if (block->next) {
        block->next->previous = block->previous;
    }
}

static void *large_alloc(struct vm *vm, size_t size)
{
    if (size > SIZE_MAX / 4 || fails(vm, size)) {
        vm_fail_memory(vm);
        return NULL;
    }
    struct large_block *block = malloc(sizeof(*block) + size);
    if (!block) {
        vm_fail_memory(vm);
        return NULL;
    }
    vm->memory_used += size;
    link_large(vm, block);
    return block + 1;
}

/* A new chunk to cut blocks from; the rest of the old one goes unused. */
static void *chunk_alloc(struct vm *vm, size_t size)
{
    if (fails(vm, CHUNK_SIZE)) {
        vm_fail_memory(vm);
        return NULL;
    }
    struct chunk_head *chunk = malloc(CHUNK_SIZE);
    if (!chunk) {
        vm_fail_memory(vm);
        return NULL;
    }
    vm->memory_used += CHUNK_SIZE;
    *chunk = (struct chunk_head){.next = vm->chunks, .size = CHUNK_SIZE};
    vm->chunks = chunk;
    vm->chunk = (char *)(chunk + 1) + size;
    vm->chunk_end = (char *)chunk + CHUNK_SIZE;
    return chunk + 1;
}

void *memory_alloc(struct vm *vm, size_t size)
{
    if (ALL_LARGE || size > SMALL_MAX) {
        return large_alloc(vm, size);
    }
    size_t class = (size + 15) / 16;
    if (vm->fail_allocation && ++vm->allocations >= vm->fail_allocation) {
        vm_fail_memory(vm);
        return NULL;
    }
    void *block = vm->free_lists[class];
    if (block) {
        memcpy(&vm->free_lists[class], block, sizeof(void *));
        return block;
    }
    size_t room = class * 16;
    if ((size_t)(vm->chunk_end - vm->chunk) >= room) {
        block = vm->chunk;
        vm->chunk += room;
        return block;
    }
    return chunk_alloc(vm, room);
}

void memory_free(struct vm *vm, void *block, size_t size)
{
    if (!block) {
        return;
    }
    if (ALL_LARGE || size > SMALL_MAX) {
        struct large_block *large = (struct large_block *)block - 1;
        unlink_large(vm, large);
        vm->memory_used -= size;
        free(large);
        return;
    }
    size_t class = (size + 15) / 16;
    memcpy(block, &vm->free_lists[class], sizeof(void *));
    vm->free_lists[class] = block;
}

void *memory_resize(struct vm *vm, void *block, size_t old_size, size_t new_size)
{
    if (!block) {
        return memory_alloc(vm, new_size);
    }
    if (old_size > SMALL_MAX && new_size > SMALL_MAX && !ALL_LARGE) {
        if (new_size > SIZE_MAX / 4 || (new_size > old_size && fails(vm, new_size - old_size))) {
            vm_fail_memory(vm);
            return NULL;
        }
        struct large_block *large = (struct large_block *)block - 1;
        unlink_large(vm, large);
        struct large_block *moved = realloc(large, sizeof(*large) + new_size);
        link_large(vm, moved ? moved : large);
        if (!moved) {
            vm_fail_memory(vm);
            return NULL;
        }
        vm->memory_used = vm->memory_used - old_size + new_size;
        return moved + 1;
    }
    void *fresh = memory_alloc(vm, new_size);
    if (fresh) {
        memcpy(fresh, block, old_size < new_size ? old_size : new_size);
        memory_free(vm, block, old_size);
    }
    return fresh;
}

int memory_grow(struct vm *vm, void *array, size_t count, size_t *capacity, size_t item)
{
    if (count < *capacity) {
        return 0;
    }
    size_t wanted = *capacity ? *capacity * 2 : 8;
    void *old;
    memcpy(&old, array, sizeof(old));
    void *fresh = memory_resize(vm, old, *capacity * item, wanted * item);
    if (!fresh) {
        return -1;
    }
    memcpy(array, &fresh, sizeof(fresh));
    *capacity = wanted;
    return 0;
}

char *memory_strdup(struct vm *vm, const char *string, size_t length)
{
    char *copy = memory_alloc(vm, length + 1);
    if (copy) {
        memcpy(copy, string, length);
        copy[length] = '\0';
    }
    return copy;
}

void memory_done(struct vm *vm)
{
    while (vm->large) {
        struct large_block *next = vm->large->next;
        free(vm->large);
        vm->large = next;
    }
    while (vm->chunks) {
        struct chunk_head *next = vm->chunks->next;
        free(vm->chunks);
        vm->chunks = next;
    }
}
