/* What values look like: the display form (§7), the raw form (§9.3), the debug quotes of messages. */
#include "bigint_internal.h"

#include <stdio.h>
#include <stdlib.h>

#define NESTING_MAX 2000

const char *value_type_name(struct value v)
{
    static const char *const names[_OBJECT_MAX] = {
        [OBJECT_FLOAT] = "number",      [OBJECT_BIGINT] = "number",     [OBJECT_DECIMAL] = "decimal",
        [OBJECT_COMPLEX] = "complex",   [OBJECT_TEXT] = "text",         [OBJECT_BYTES] = "bytes",
        [OBJECT_LIST] = "list",         [OBJECT_MAP] = "map",           [OBJECT_ARRAY] = "array",
        [OBJECT_TASK] = "task",         [OBJECT_NATIVE] = "task",       [OBJECT_DATE] = "date",
        [OBJECT_DATETIME] = "datetime", [OBJECT_DURATION] = "duration", [OBJECT_SECRET] = "secret",
        [OBJECT_MODULE] = "map",        [OBJECT_BOX] = "nothing",
    };
    if (value_is_object(v)) {
        return names[value_object(v)->type];
    }
    return value_is_bool(v) ? "bool" : value_is_nothing(v) || value_is_undefined(v) ? "nothing" : "number";
}

bool value_truthy(struct value v)
{
    if (value_is_small(v)) {
        return v.bits != value_small(0).bits;
    }
    if (!value_is_object(v)) {
        return v.bits == VALUE_TRUE.bits || value_is_inline_float(v);
    }
    const struct object *object = value_object(v);
    switch (object->type) {
    case OBJECT_FLOAT:
        return ((const struct boxed_float *)object)->number != 0.0;
    case OBJECT_DECIMAL:
        return int_sign(value_decimal(v)->coefficient) != 0;
    case OBJECT_TEXT:
        return value_text(v)->length > 0;
    case OBJECT_BYTES:
        return value_bytes(v)->length > 0;
    case OBJECT_LIST:
        return value_list(v)->length > 0;
    case OBJECT_MAP:
        return map_length(value_map(v)) > 0;
    default:
        return !kinds[object->type] || !kinds[object->type]->truthy || kinds[object->type]->truthy(v);
    }
}

static void put_json_text(struct buffer *buffer, const struct text *text)
{
    buffer_char(buffer, '"');
    size_t from = 0;
    for (size_t i = 0; i < text->length; i++) {
        unsigned char c = (unsigned char)text->data[i];
        if (c >= 0x20 && c != '"' && c != '\\') {
            continue;
        }
        buffer_put(buffer, text->data + from, i - from);
        from = i + 1;
        const char *short_form = strchr("\"\"\\\\\bb\ff\nn\rr\tt", c);
        if (c && short_form) {
            buffer_printf(buffer, "\\%c", c == '"' || c == '\\' ? c : short_form[1]);
        } else {
            buffer_printf(buffer, "\\u%04x", c);
        }
    }
    buffer_put(buffer, text->data + from, text->length - from);
    buffer_char(buffer, '"');
}

static void put_bytes(struct buffer *buffer, const struct bytes *bytes)
{
    buffer_puts(buffer, "bytes(");
    for (size_t i = 0; i < bytes->length && i < 32; i++) {
        buffer_printf(buffer, "%02x", bytes->data[i]);
    }
    if (bytes->length > 32) {
        buffer_printf(buffer, "… (%zu bytes)", bytes->length);
    }
    buffer_char(buffer, ')');
}

static void put_task(struct buffer *buffer, const struct task *task)
{
    const struct proto *proto = task->proto;
    buffer_printf(buffer, "task %s(", value_text(proto->name)->data);
    for (uint32_t i = 0; i < proto->param_count; i++) {
        buffer_puts(buffer, i ? ", " : "");
        buffer_puts(buffer, value_text(proto->params[i].name)->data);
    }
    buffer_char(buffer, ')');
}

static bool too_deep(struct buffer *buffer)
{
    if (buffer->vm->nesting < NESTING_MAX) {
        return false;
    }
    if (!buffer->failed) {
        buffer->failed = true;
        vm_fail(buffer->vm, "values nested more than %d deep", NESTING_MAX);
    }
    return true;
}

static void put_list(struct buffer *buffer, const struct list *list)
{
    if (too_deep(buffer)) {
        return;
    }
    buffer->vm->nesting++;
    buffer_char(buffer, '[');
    for (size_t i = 0; i < list->length && !buffer->failed; i++) {
        if (i) {
            buffer_put(buffer, ", ", 2);
        }
        display_quoted(buffer, list->items[i]);
    }
    buffer_char(buffer, ']');
    buffer->vm->nesting--;
}

static void put_key(struct buffer *buffer, struct value key)
{
    if (value_is_small(key)) {
        int_format(buffer, key);
    } else {
        buffer_put(buffer, value_text(key)->data, value_text(key)->length);
    }
}

static void put_map(struct buffer *buffer, const struct map *map)
{
    if (too_deep(buffer)) {
        return;
    }
    buffer->vm->nesting++;
    buffer_char(buffer, '{');
    size_t position = 0;
    struct value key, v;
    for (bool first = true; !buffer->failed && map_next(map, &position, &key, &v); first = false) {
        if (!first) {
            buffer_put(buffer, ", ", 2);
        }
        put_key(buffer, key);
        buffer_put(buffer, ": ", 2);
        display_quoted(buffer, v);
    }
    buffer_char(buffer, '}');
    buffer->vm->nesting--;
}

static void put_module(struct buffer *buffer, const struct module *module)
{
    buffer_char(buffer, '{');
    for (uint32_t i = 0; i < module->export_count; i++) {
        buffer_printf(buffer, "%s%s: ", i ? ", " : "", value_text(module->exports[i].name)->data);
        display_quoted(buffer, module->globals[module->exports[i].index]);
    }
    buffer_char(buffer, '}');
}

static void put_object(struct buffer *buffer, struct value v)
{
    switch (value_object(v)->type) {
    case OBJECT_BIGINT:
        int_format(buffer, v);
        return;
    case OBJECT_DECIMAL:
        decimal_put(buffer, v);
        return;
    case OBJECT_TEXT:
        buffer_put(buffer, value_text(v)->data, value_text(v)->length);
        return;
    case OBJECT_BYTES:
        put_bytes(buffer, value_bytes(v));
        return;
    case OBJECT_LIST:
        put_list(buffer, value_list(v));
        return;
    case OBJECT_MAP:
        put_map(buffer, value_map(v));
        return;
    case OBJECT_MODULE:
        put_module(buffer, (struct module *)value_object(v));
        return;
    case OBJECT_TASK:
        put_task(buffer, (struct task *)value_object(v));
        return;
    case OBJECT_NATIVE: {
        const struct native *native = (struct native *)value_object(v);
        buffer_puts(buffer, "builtin:");
        buffer_puts(buffer, value_is_text(native->shown) ? value_text(native->shown)->data : native->builtin->name);
        return;
    }
    default:
        if (kinds[value_object(v)->type] && kinds[value_object(v)->type]->display) {
            kinds[value_object(v)->type]->display(buffer, v);
        }
    }
}

void display_put(struct buffer *buffer, struct value v)
{
    if (value_is_small(v)) {
        int_format(buffer, v);
    } else if (value_is_float(v)) {
        char digits[40];
        buffer_put(buffer, digits, float_format(value_float_get(v), digits));
    } else if (value_is_object(v)) {
        put_object(buffer, v);
    } else {
        buffer_puts(buffer, value_is_bool(v) ? (value_truthy(v) ? "true" : "false") : "nothing");
    }
}

void display_quoted(struct buffer *buffer, struct value v)
{
    if (value_is_text(v)) {
        put_json_text(buffer, value_text(v));
    } else {
        display_put(buffer, v);
    }
}

int display_text(struct vm *vm, struct value v, struct value *ret)
{
    if (value_is_text(v)) {
        *ret = value_keep(v);
        return 0;
    }
    struct buffer buffer;
    buffer_init(&buffer, vm);
    display_put(&buffer, v);
    return buffer_text(&buffer, ret);
}

int raw_text(struct vm *vm, struct value v, struct value *ret)
{
    if (value_is_bool(v) || value_is_nothing(v)) {
        return text_from(vm, value_is_nothing(v) ? "None" : value_truthy(v) ? "True" : "False", ret);
    }
    return display_text(vm, v, ret);
}

void debug_quote(struct buffer *buffer, const char *data, size_t length)
{
    buffer_char(buffer, '"');
    for (size_t i = 0; i < length;) {
        size_t from = i;
        uint32_t c = utf8_next(data, &i);
        const char *escape = c == '"'    ? "\\\""
                             : c == '\\' ? "\\\\"
                             : c == '\n' ? "\\n"
                             : c == '\r' ? "\\r"
                             : c == '\t' ? "\\t"
                                         : NULL;
        bool hidden = c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0xad || (c >= 0x200b && c <= 0x200f) ||
                      (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0xfeff || c >= 0xe0000;
        if (escape) {
            buffer_puts(buffer, escape);
        } else if (hidden) {
            buffer_printf(buffer, "\\u{%x}", c);
        } else {
            buffer_put(buffer, data + from, i - from);
        }
    }
    buffer_char(buffer, '"');
}

/* Keeps the buffer's bytes for a message; one of four, in turn. */
static const char *shown(struct vm *vm, struct buffer *buffer)
{
    unsigned i = vm->shown_next++ % 4;
    memory_free(vm, vm->shown[i], vm->shown_size[i]);
    buffer_char(buffer, '\0');
    vm->shown[i] = buffer->failed ? NULL : buffer->data;
    vm->shown_size[i] = buffer->failed ? 0 : buffer->capacity;
    if (buffer->failed) {
        buffer_done(buffer);
    }
    return vm->shown[i] ? vm->shown[i] : "?";
}

const char *debug_quoted(struct vm *vm, struct value text)
{
    struct buffer buffer;
    buffer_init(&buffer, vm);
    debug_quote(&buffer, value_text(text)->data, value_text(text)->length);
    return shown(vm, &buffer);
}

const char *displayed(struct vm *vm, struct value v)
{
    struct buffer buffer;
    buffer_init(&buffer, vm);
    display_put(&buffer, v);
    return shown(vm, &buffer);
}
