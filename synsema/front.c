/* The arena and the errors of the front; and compiling a module from end to end. */
#include "front_internal.h"

#include <stdarg.h>
#include <stdio.h>

#define BLOCK ((size_t)16 * 1024)

void front_memory(struct front *front)
{
    longjmp(front->failed, 1); /* the error is set */
}

void front_fail(struct front *front, enum error_kind kind, struct position position, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    vm_fail_kind(front->vm, kind, front->module->file, position, "%s", text);
    longjmp(front->failed, 1);
}

void *front_alloc(struct front *front, size_t size)
{
    size = (size + 15) & ~(size_t)15;
    struct arena_block *block = front->arena;
    if (!block || block->size - block->used < size) {
        size_t room = size + sizeof(*block) > BLOCK ? size + sizeof(*block) : BLOCK;
        block = memory_alloc(front->vm, room);
        if (!block) {
            front_memory(front);
        }
        *block = (struct arena_block){.next = front->arena, .size = room, .used = sizeof(*block)};
        front->arena = block;
    }
    void *at = (char *)block + block->used;
    block->used += size;
    return memset(at, 0, size);
}

void *front_grow(struct front *front, void *array, size_t count, size_t *capacity, size_t item)
{
    if (count < *capacity) {
        return array;
    }
    size_t wanted = *capacity ? *capacity * 2 : 4;
    void *fresh = front_alloc(front, wanted * item);
    if (count > 0) {
        memcpy(fresh, array, count * item);
    }
    *capacity = wanted;
    return fresh;
}

void front_done(struct front *front)
{
    while (front->arena) {
        struct arena_block *next = front->arena->next;
        memory_free(front->vm, front->arena, front->arena->size);
        front->arena = next;
    }
}

struct proto *compile_module(struct vm *vm, struct module *module)
{
    struct front front = {.vm = vm, .module = module, .source = module->source, .length = module->source_length};
    struct proto *volatile proto = NULL; /* survives the jump */
    if (setjmp(front.failed) == 0) {
        lex(&front);
        struct node *program = parse_program(&front);
        resolve(&front, program);
        proto = generate(&front, program);
    }
    front_done(&front);
    return proto;
}
