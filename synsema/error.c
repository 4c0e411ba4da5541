/* Errors: one at a time, kept in the engine; setting one never fails. */
#include "machine_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((format(printf, 2, 0))) static void set_message(struct vm *vm, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    char stack[512];
    char *text = stack;
    int n = vsnprintf(stack, sizeof(stack), format, args);
    size_t length = n < 0 ? 0 : (size_t)n;
    if (length >= sizeof(stack)) {
        text = malloc(length + 1); /* the arguments may point into the present message */
        if (text) {
            vsnprintf(text, length + 1, format, again);
        } else {
            text = stack;
            length = sizeof(stack) - 1;
        }
    }
    va_end(again);
    if (length >= vm->error.capacity) {
        char *room = realloc(vm->error.message, length + 1);
        if (room) {
            vm->error.message = room;
            vm->error.capacity = length + 1;
        } else {
            length = vm->error.capacity - 1;
        }
    }
    memcpy(vm->error.message, text, length);
    vm->error.message[length] = '\0';
    if (text != stack) {
        free(text);
    }
}

int vm_fail(struct vm *vm, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    set_message(vm, format, args);
    va_end(args);
    vm->error.kind = ERROR_RUN;
    vm->error.located = false;
    return -1;
}

/* The position of the instruction that the topmost frame is in. */
static void locate(struct vm *vm)
{
    vm->error.located = false;
    if (vm->frame_count == 0) {
        return;
    }
    const struct frame *frame = &vm->frames[vm->frame_count - 1];
    size_t at = (size_t)(frame->pc - frame->proto->code);
    const struct position *position = &frame->proto->positions[at > 0 ? at - 1 : 0];
    vm->error.located = position->line > 0;
    vm->error.file = frame->module->file;
    vm->error.line = position->line;
    vm->error.column = position->column;
}

int vm_fail_here(struct vm *vm, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    set_message(vm, format, args);
    va_end(args);
    vm->error.kind = ERROR_RUN;
    locate(vm);
    return -1;
}

int vm_fail_kind(struct vm *vm, enum error_kind kind, const char *file, struct position position, const char *format,
                 ...)
{
    va_list args;
    va_start(args, format);
    set_message(vm, format, args);
    va_end(args);
    vm->error.kind = kind;
    vm->error.located = position.line > 0;
    vm->error.file = file;
    vm->error.line = position.line;
    vm->error.column = position.column;
    return -1;
}

int vm_fail_memory(struct vm *vm)
{
    if (vm->options.memory_limit) {
        return vm_fail(vm, "out of memory: the limit is %llu bytes", (unsigned long long)vm->options.memory_limit);
    }
    return vm_fail(vm, "out of memory");
}

void error_clear(struct vm *vm)
{
    vm->error.kind = ERROR_NONE;
    vm->error.located = false;
}

bool vm_forgive(struct vm *vm)
{
    if (vm->error.kind != ERROR_RUN) {
        return false;
    }
    error_clear(vm);
    return true;
}

int vm_prefix(struct vm *vm, const char *prefix)
{
    char *old = strdup(vm->error.message);
    if (old) {
        enum error_kind kind = vm->error.kind;
        bool located = vm->error.located;
        vm_fail(vm, "%s%s", prefix, old);
        vm->error.kind = kind;
        vm->error.located = located;
        free(old);
    }
    return -1;
}

const char *vm_message(const struct vm *vm)
{
    return vm->error.message;
}

int error_put(const struct vm *vm, struct buffer *buffer)
{
    if (vm->error.located) {
        buffer_printf(buffer, "%s:%u:%u: ", vm->error.file, vm->error.line, vm->error.column);
    }
    buffer_puts(buffer, vm->error.message);
    return buffer->failed ? -1 : 0;
}
