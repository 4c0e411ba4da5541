/* Getting and setting inside containers: indexes, properties, paths of `set`, and `in`. */
#include "map_internal.h"

#include <math.h>

/* ---- indexes ---- */

int index_value(struct vm *vm, struct value v, int64_t *ret)
{
    if (value_is_small(v)) {
        *ret = value_small_get(v);
        return 0;
    }
    if (!value_is_number(v)) {
        return vm_fail(vm, "an index must be an integer, got %s", value_type_name(v));
    }
    struct value whole = value_keep(v);
    if (value_is_float(v)) {
        double d = value_float_get(v);
        if (d != floor(d) || isinf(d)) {
            return vm_fail(vm, "index must be an integer, got %s — use floor(x), round(x) or trunc(x) on purpose",
                           displayed(vm, v));
        }
        *ret = (int64_t)d;
        return fabs(d) < 4e18 ? 0 : vm_fail(vm, "number too large for an index");
    }
    if (value_is_decimal(v)) {
        struct value trimmed;
        if (decimal_trim(vm, v, &trimmed)) {
            return -1;
        }
        int32_t scale = value_decimal(trimmed)->scale;
        whole = value_keep(value_decimal(trimmed)->coefficient);
        value_drop(vm, trimmed);
        if (scale > 0) {
            value_drop(vm, whole);
            return vm_fail(vm, "index must be an integer, got %s — use floor(x), round(x) or trunc(x) on purpose",
                           displayed(vm, v));
        }
    }
    bool fits = int_fits_i64(whole, ret);
    value_drop(vm, whole);
    return fits ? 0 : vm_fail(vm, "number too large for an index");
}

static int place_of(struct vm *vm, struct value index, size_t length, const char *what, size_t *ret)
{
    int64_t i;
    if (index_value(vm, index, &i)) {
        return -1;
    }
    int64_t at = i < 0 ? i + (int64_t)length : i;
    if (at < 0 || at >= (int64_t)length) {
        return vm_fail_here(vm, "Index %lld out of bounds (%s length %zu)", (long long)i, what, length);
    }
    *ret = (size_t)at;
    return 0;
}

static int missing_key(struct vm *vm, struct value key)
{
    return vm_fail_here(vm, "Map has no key '%s'", displayed(vm, key));
}

/* ---- reading ---- */

int get_index(struct vm *vm, struct value container, struct value index, struct value *ret)
{
    size_t at;
    enum object_type type = value_is_object(container) ? value_object(container)->type : OBJECT_FLOAT;
    switch (type) {
    case OBJECT_LIST:
        if (place_of(vm, index, value_list(container)->length, "list", &at)) {
            return -1;
        }
        *ret = value_keep(value_list(container)->items[at]);
        return 0;
    case OBJECT_TEXT:
        return place_of(vm, index, value_text(container)->chars, "text", &at)
                   ? -1
                   : text_slice(vm, container, at, at + 1, ret);
    case OBJECT_BYTES:
        if (place_of(vm, index, value_bytes(container)->length, "bytes", &at)) {
            return -1;
        }
        *ret = value_small(value_bytes(container)->data[at]);
        return 0;
    case OBJECT_MAP:
    case OBJECT_MODULE: {
        struct value key;
        if (map_key(vm, index, &key)) {
            return -1;
        }
        if (type == OBJECT_MODULE) {
            int r = get_field(vm, container, key, ret);
            value_drop(vm, key);
            return r;
        }
        const struct value *place = map_find(value_map(container), key);
        int r = place ? 0 : missing_key(vm, key);
        value_drop(vm, key);
        if (place) {
            *ret = value_keep(*place);
        }
        return r;
    }
    default:
        if (type != OBJECT_FLOAT && kinds[type] && kinds[type]->index) {
            return kinds[type]->index(vm, container, index, ret);
        }
        return vm_fail_here(vm, "Cannot index into %s", value_type_name(container));
    }
}

static int no_field(struct vm *vm, struct value container, struct value key)
{
    const char *name = displayed(vm, key);
    const char *method = hint_method(name, strlen(name));
    bool map = value_is_map(container) || value_is(container, OBJECT_MODULE);
    if (map) {
        return vm_fail_here(vm, "Map has no key '%s'%s%s", name,
                            method ? " — if you meant a method, Synsema has no methods: " : "", method ? method : "");
    }
    return vm_fail_here(vm, "Cannot access property '%s' of %s%s%s", name, value_type_name(container),
                        method ? " — Synsema has no methods: " : "", method ? method : "");
}

int get_field(struct vm *vm, struct value container, struct value key, struct value *ret)
{
    const struct value *place = NULL;
    if (value_is_map(container)) {
        place = map_find(value_map(container), key);
    } else if (value_is(container, OBJECT_MODULE)) {
        const struct module *module = (struct module *)value_object(container);
        const struct export *export = module_export(module, key);
        place = export ? &module->globals[export->index] : NULL;
        if (place && value_is_undefined(*place)) {
            place = NULL;
        }
    }
    if (!place) {
        return no_field(vm, container, key);
    }
    *ret = value_keep(*place);
    return 0;
}

void note_of(struct vm *vm, const struct field *field)
{
    if (!value_is_text(field->of) || !value_is_text(field->base) ||
        strncmp(vm->error.message, "Map has no key", 14) != 0) {
        return;
    }
    const char *a = value_text(field->of)->data, *b = value_text(field->base)->data, *c = displayed(vm, field->key);
    vm_fail_here(
        vm,
        "%s. note: '%s of %s.%s' reads as '%s of (%s.%s)' — to get '(%s of %s).%s', bind first: let x be %s of %s, "
        "then x.%s",
        vm->error.message, a, b, c, a, b, c, a, b, c, a, b, c);
}

/* ---- writing ---- */

int set_index(struct vm *vm, struct value *slot, struct value index, struct value v)
{
    if (value_is_map(*slot)) {
        struct value key;
        struct map *map = map_unshare(vm, slot);
        if (!map || map_key(vm, index, &key)) {
            value_drop(vm, v);
            return -1;
        }
        int r = 0;
        if (map->shape && !map_find(map, key) && map_make_table(vm, map)) { /* keys that are computed are data */
            value_drop(vm, v);
            r = -1;
        } else {
            r = map_set(vm, map, key, v);
        }
        value_drop(vm, key);
        return r;
    }
    if (value_is(*slot, OBJECT_MODULE)) {
        struct value key;
        if (map_key(vm, index, &key)) {
            value_drop(vm, v);
            return -1;
        }
        int r = set_field(vm, slot, key, v);
        value_drop(vm, key);
        return r;
    }
    if (!value_is_list(*slot)) {
        value_drop(vm, v);
        return vm_fail_here(vm, "Cannot set index on %s", value_type_name(*slot));
    }
    int64_t i;
    struct list *list = list_unshare(vm, slot);
    if (!list || index_value(vm, index, &i)) {
        value_drop(vm, v);
        return -1;
    }
    int64_t at = i < 0 ? i + (int64_t)list->length : i;
    if (at < 0 || at >= (int64_t)list->length) {
        value_drop(vm, v);
        return vm_fail_here(vm, "Index %lld out of bounds (list length %zu) — to add an item: set xs to append(xs, x)",
                            (long long)i, list->length);
    }
    value_replace(vm, &list->items[at], v);
    return 0;
}

static int set_export(struct vm *vm, struct module *module, struct value key, struct value v)
{
    struct export *export = module_export(module, key);
    int r = 0;
    if (!export) {
        r = vm_fail_here(vm, "module has no export '%s'", displayed(vm, key));
    } else if (export->constant) {
        r = vm_fail_here(vm, "cannot replace the module task '%s'", displayed(vm, key));
    }
    if (r) {
        value_drop(vm, v);
        return r;
    }
    value_replace(vm, &module->globals[export->index], v);
    return 0;
}

int set_field(struct vm *vm, struct value *slot, struct value key, struct value v)
{
    if (value_is(*slot, OBJECT_MODULE)) {
        return set_export(vm, (struct module *)value_object(*slot), key, v);
    }
    if (!value_is_map(*slot)) {
        value_drop(vm, v);
        return vm_fail_here(vm, "Cannot set property on %s", value_type_name(*slot));
    }
    struct map *map = map_unshare(vm, slot);
    if (map && !map->shape && map->table->live == 0) { /* names that are written out make a record */
        struct shape *empty = shape_empty(vm);
        struct map *record = empty ? map_new_record(vm, empty) : NULL;
        if (record) {
            value_replace(vm, slot, value_of(record));
        }
        map = record;
    }
    if (!map) {
        value_drop(vm, v);
        return -1;
    }
    return map_set(vm, map, key, v);
}

/* The slot of a part of what is in `slot`, which is made unique. NULL with the error set. */
static struct value *part_slot(struct vm *vm, struct value *slot, const struct step *step, const struct frame *frame,
                               bool *ret_missing)
{
    *ret_missing = false;
    struct value index = step->is_field ? frame->proto->fields[step->operand].key : frame->base[step->operand];
    if (value_is_list(*slot) && !step->is_field) {
        size_t at;
        struct list *list = list_unshare(vm, slot);
        return list && place_of(vm, index, list->length, "list", &at) == 0 ? &list->items[at] : NULL;
    }
    struct value key;
    if (!value_is_map(*slot)) {
        if (!value_is(*slot, OBJECT_MODULE)) {
            step->is_field ? no_field(vm, *slot, index)
                           : vm_fail_here(vm, "Cannot index into %s", value_type_name(*slot));
            return NULL;
        }
        struct module *module = (struct module *)value_object(*slot);
        struct export *export = module_export(module, index);
        if (!export || export->constant) {
            vm_fail_here(vm, "module has no export '%s'", displayed(vm, index));
            return NULL;
        }
        return &module->globals[export->index];
    }
    struct map *map = map_unshare(vm, slot);
    if (!map || (step->is_field ? (key = index, 0) : map_key(vm, index, &key))) {
        return NULL;
    }
    struct value *place = map_find(map, key);
    if (!place) {
        *ret_missing = true;
        missing_key(vm, key);
    }
    if (!step->is_field) {
        value_drop(vm, key);
    }
    return place;
}

/* The slot that the path leads to, but for its last `short_by` steps. */
static struct value *walk(struct vm *vm, struct value *slot, const struct path *path, size_t short_by,
                          const struct frame *frame, bool *ret_missing)
{
    *ret_missing = false;
    for (size_t i = 0; slot && i + short_by < path->count; i++) {
        slot = part_slot(vm, slot, &path->steps[i], frame, ret_missing);
    }
    return slot;
}

int set_path(struct vm *vm, struct value *root, const struct path *path, const struct frame *frame, struct value *v)
{
    bool missing;
    struct value taken = value_keep(*v);
    if (path->count == 0) {
        value_replace(vm, root, taken);
        return 0;
    }
    struct value *slot = walk(vm, root, path, 1, frame, &missing);
    if (!slot) {
        value_drop(vm, taken);
        return -1;
    }
    const struct step *last = &path->steps[path->count - 1];
    return last->is_field ? set_field(vm, slot, frame->proto->fields[last->operand].key, taken)
                          : set_index(vm, slot, frame->base[last->operand], taken);
}

int update_path(struct vm *vm, struct value *root, const struct path *path, const struct frame *frame,
                struct value *args, size_t count, struct value *ret)
{
    bool missing;
    struct value *slot = walk(vm, root, path, 0, frame, &missing);
    if (!slot && !missing) {
        return -1;
    }
    if (!slot) {
        error_clear(vm);
    }
    if (!slot || !value_same(*slot, args[0]) || !value_is_object(args[0])) {
        struct value v = VALUE_NOTHING;
        if (call_builtin(vm, path->update, NULL, args, count, NULL, 0, false, &v)) {
            return -1;
        }
        int r = set_path(vm, root, path, frame, &v);
        *ret = v;
        return r;
    }
    /* The place and the first argument are the same: one reference for both, so that the builtin may change it. */
    value_object(args[0])->refs--;
    struct value v = VALUE_NOTHING;
    int r = call_builtin(vm, path->update, NULL, args, count, NULL, 0, false, &v);
    if (value_is_nothing(args[0])) { /* it took the argument */
        *slot = VALUE_NOTHING;
    } else {
        value_object(args[0])->refs++;
    }
    if (r == 0) {
        value_replace(vm, slot, value_keep(v));
        *ret = v;
    }
    return r;
}

/* ---- in ---- */

static bool bytes_contain(const struct bytes *in, const struct bytes *what)
{
    return what->length == 0 || memmem(in->data, in->length, what->data, what->length) != NULL;
}

int contains_in(struct vm *vm, struct value item, struct value container, const char *word, bool *ret)
{
    *ret = false;
    if (value_is_list(container)) {
        const struct list *list = value_list(container);
        for (size_t i = 0; i < list->length && !*ret; i++) {
            if (value_equal(vm, item, list->items[i], ret)) {
                char prefix[32] = "`";
                strncat(prefix, word, 20);
                strcat(prefix, "`: ");
                return vm_prefix(vm, prefix);
            }
        }
        return 0;
    }
    if (value_is_map(container)) {
        struct value text;
        if (raw_text(vm, item, &text)) {
            return -1;
        }
        *ret = map_find(value_map(container), map_key_text(text)) != NULL;
        value_drop(vm, text);
        return 0;
    }
    if (value_is_text(container)) {
        if (!value_is_text(item)) {
            return vm_fail_here(vm, "`%s` on text looks for a piece of text, got %s — convert it first: text(x) in s",
                                word, value_type_name(item));
        }
        *ret = value_text(item)->length == 0 || memmem(value_text(container)->data, value_text(container)->length,
                                                       value_text(item)->data, value_text(item)->length) != NULL;
        return 0;
    }
    if (value_is(container, OBJECT_BYTES)) {
        const struct bytes *bytes = value_bytes(container);
        if (value_is(item, OBJECT_BYTES)) {
            *ret = bytes_contain(bytes, value_bytes(item));
            return 0;
        }
        int64_t byte;
        if (value_is_int(item) && int_fits_i64(item, &byte) && byte >= 0 && byte <= 255) {
            *ret = memchr(bytes->data, (int)byte, bytes->length) != NULL;
        }
        return 0;
    }
    if (value_is(container, OBJECT_MODULE)) {
        *ret = value_is_text(item) && module_export((struct module *)value_object(container), item) != NULL;
        return 0;
    }
    return vm_fail_here(vm, "`%s` needs a list, map, text or bytes on its right, got %s", word,
                        value_type_name(container));
}

int undefined_name(struct vm *vm, struct value name)
{
    const char *word = value_text(name)->data;
    size_t n = value_text(name)->length;
    const char *statement = hint_statement(word, n);
    const char *form = hint_name(word, n);
    if (statement) {
        return vm_fail_here(vm, "Undefined variable: '%s' — `%s` is not a Synsema statement: %s", word, word,
                            statement);
    }
    return vm_fail_here(vm, "Undefined variable: '%s'%s%s", word, form ? " — in Synsema: " : "", form ? form : "");
}
