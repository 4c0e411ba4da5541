/* Text under construction: grows by doubling, remembers that it failed. */
#include "machine_internal.h"

#include <stdarg.h>
#include <stdio.h>

void buffer_init(struct buffer *buffer, struct vm *vm)
{
    *buffer = (struct buffer){.vm = vm};
}

void buffer_done(struct buffer *buffer)
{
    memory_free(buffer->vm, buffer->data, buffer->capacity);
    *buffer = (struct buffer){.vm = buffer->vm};
}

char *buffer_room(struct buffer *buffer, size_t length)
{
    if (buffer->failed) {
        return NULL;
    }
    if (length > TEXT_MAX - buffer->length) {
        buffer->failed = true;
        vm_fail_memory(buffer->vm);
        return NULL;
    }
    size_t wanted = buffer->length + length + 1;
    if (wanted > buffer->capacity) {
        size_t capacity = buffer->capacity ? buffer->capacity : 64;
        while (capacity < wanted) {
            capacity *= 2;
        }
        char *data = memory_resize(buffer->vm, buffer->data, buffer->capacity, capacity);
        if (!data) {
            buffer->failed = true;
            return NULL;
        }
        buffer->data = data;
        buffer->capacity = capacity;
    }
    return buffer->data + buffer->length;
}

void buffer_put(struct buffer *buffer, const char *data, size_t length)
{
    char *room = buffer_room(buffer, length);
    if (room && length > 0) {
        memcpy(room, data, length);
        buffer->length += length;
    }
}

void buffer_puts(struct buffer *buffer, const char *string)
{
    buffer_put(buffer, string, strlen(string));
}

void buffer_char(struct buffer *buffer, char c)
{
    buffer_put(buffer, &c, 1);
}

void buffer_printf(struct buffer *buffer, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    char text[256];
    int n = vsnprintf(text, sizeof(text), format, args);
    if (n >= 0 && (size_t)n < sizeof(text)) {
        buffer_put(buffer, text, (size_t)n);
    } else if (n >= 0) {
        char *room = buffer_room(buffer, (size_t)n);
        if (room) {
            vsnprintf(room, (size_t)n + 1, format, again);
            buffer->length += (size_t)n;
        }
    }
    va_end(again);
    va_end(args);
}

int buffer_text(struct buffer *buffer, struct value *ret)
{
    int r = buffer->failed ? -1 : text_new(buffer->vm, buffer->data ? buffer->data : "", buffer->length, ret);
    buffer_done(buffer);
    return r;
}
