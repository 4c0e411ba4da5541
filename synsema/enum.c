/*
 * `type` and `enum`: constructors are builtins as values, bound to a list of
 * their name, the variant's name or nothing, and the fields' names. They count
 * and name their own fields; all are required (§17.2).
 */
#include "machine_internal.h"

static int construct(struct vm *vm, struct call *call, struct value *ret);

static const struct builtin constructor = {.name = "constructor", .min = 0, .max = MANY, .fn = construct};

static int construct(struct vm *vm, struct call *call, struct value *ret)
{
    const struct list *bound = value_list(call->self->bound);
    size_t fields = bound->length - 2;
    const char *name = value_text(bound->items[0])->data;
    if (call->count != fields) {
        return vm_fail_here(vm, "%s takes %zu field%s, got %zu", name, fields, fields == 1 ? "" : "s", call->count);
    }
    struct shape *empty = shape_empty(vm);
    struct map *map = empty ? map_new_record(vm, empty) : NULL;
    int r = map ? 0 : -1;
    if (r == 0 && value_is_text(bound->items[1])) {
        r = map_set_name(vm, map, "__variant", value_keep(bound->items[0]));
    }
    for (size_t i = 0; r == 0 && i < fields; i++) {
        r = value_is_undefined(call->args[i])
                ? vm_fail_here(vm, "%s is missing the field '%s'", name, value_text(bound->items[i + 2])->data)
                : map_set(vm, map, map_key_text(bound->items[i + 2]), value_keep(call->args[i]));
    }
    if (r) {
        value_drop(vm, map ? value_of(map) : VALUE_NOTHING);
        return -1;
    }
    *ret = value_of(map);
    return 0;
}

int constructor_place(const struct native *native, struct value name)
{
    if (native->builtin != &constructor) {
        return -1;
    }
    const struct list *bound = value_list(native->bound);
    for (size_t i = 2; i < bound->length; i++) {
        if (value_same(bound->items[i], name)) {
            return (int)i - 2;
        }
    }
    return -1;
}

int type_value(struct vm *vm, struct value name, struct value variant, const struct value *fields, size_t count,
               struct value *ret)
{
    struct list *bound = list_new(vm, count + 2);
    if (!bound) {
        return -1;
    }
    bound->items[bound->length++] = value_keep(name);
    bound->items[bound->length++] = value_keep(variant);
    for (size_t i = 0; i < count; i++) {
        bound->items[bound->length++] = value_keep(fields[i]);
    }
    return native_new(vm, &constructor, value_of(bound), value_keep(name), 0, ret);
}

int enum_value(struct vm *vm, struct value name, struct value *ret)
{
    struct shape *empty = shape_empty(vm);
    struct map *map = empty ? map_new_record(vm, empty) : NULL;
    if (!map) {
        return -1;
    }
    if (map_set_name(vm, map, "__enum", value_keep(name))) {
        value_drop(vm, value_of(map));
        return -1;
    }
    *ret = value_of(map);
    return 0;
}

static int full_name(struct vm *vm, struct value name, struct value variant, struct value *ret)
{
    struct buffer text;
    buffer_init(&text, vm);
    buffer_puts(&text, value_text(name)->data);
    buffer_char(&text, '.');
    buffer_puts(&text, value_text(variant)->data);
    return buffer_text(&text, ret);
}

int enum_add(struct vm *vm, struct value *slot, struct value name, struct value variant, const struct value *fields,
             size_t count)
{
    struct value full, v;
    if (full_name(vm, name, variant, &full)) {
        return -1;
    }
    int r = type_value(vm, full, variant, fields, count, &v);
    if (r == 0 && count == 0) { /* no fields: the variant is its value */
        struct value made = VALUE_NOTHING;
        r = vm_call(vm, v, NULL, 0, &made);
        value_drop(vm, v);
        v = made;
    }
    value_drop(vm, full);
    return r ? -1 : map_set(vm, value_map(*slot), map_key_text(variant), v);
}

int variant_matches(struct vm *vm, struct value v, struct value names, struct value name, bool *ret)
{
    *ret = false;
    const struct value *enumeration = value_is_map(names) ? map_find_name(value_map(names), "__enum") : NULL;
    if (!enumeration || !value_is_text(*enumeration)) {
        struct value field;
        if (get_field(vm, names, name, &field)) {
            return -1;
        }
        int r = value_equal(vm, v, field, ret);
        value_drop(vm, field);
        return r ? vm_prefix(vm, "match: ") : 0;
    }
    const struct value *member = map_find(value_map(names), name);
    if (!member) {
        return get_field(vm, names, name, &(struct value){0});
    }
    const struct value *tag = value_is_map(v) ? map_find_name(value_map(v), "__variant") : NULL;
    struct value full;
    if (!tag || !value_is_text(*tag)) {
        return 0;
    }
    if (full_name(vm, *enumeration, name, &full)) {
        return -1;
    }
    *ret = text_equal(value_text(*tag), value_text(full));
    value_drop(vm, full);
    return 0;
}
