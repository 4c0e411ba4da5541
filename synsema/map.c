/* Maps: records with a shape, and tables. */
#include "map_internal.h"

#include <stdio.h>

#define ENTRIES_MAX (1u << 30)

/* ---- keys ---- */

struct value map_key_text(struct value v)
{
    const struct text *text = value_text(v);
    const char *p = text->data;
    size_t n = text->length;
    bool negative = n > 1 && p[0] == '-';
    if (negative) {
        p++;
        n--;
    }
    if (n == 0 || n > 18 || p[0] < '0' || p[0] > '9' || (p[0] == '0' && (n > 1 || negative))) {
        return v;
    }
    int64_t number = 0;
    for (size_t i = 0; i < n; i++) {
        if (p[i] < '0' || p[i] > '9') {
            return v;
        }
        number = number * 10 + (p[i] - '0');
    }
    return value_small(negative ? -number : number);
}

/* The integers whose texts map_key_text turns into integers: at most 18 digits. */
#define KEY_MAX INT64_C(999999999999999999)

int map_key(struct vm *vm, struct value v, struct value *ret)
{
    if (value_is_small(v) && value_small_get(v) <= KEY_MAX && value_small_get(v) >= -KEY_MAX) {
        *ret = v;
        return 0;
    }
    struct value text;
    if (value_is_text(v)) {
        text = value_keep(v);
    } else if (display_text(vm, v, &text)) {
        return -1;
    }
    struct value key = map_key_text(text);
    if (!value_same(key, text)) {
        value_drop(vm, text);
    }
    *ret = key;
    return 0;
}

int key_text(struct vm *vm, struct value key, struct value *ret)
{
    if (!value_is_small(key)) {
        *ret = value_keep(key);
        return 0;
    }
    char digits[24];
    int n = snprintf(digits, sizeof(digits), "%lld", (long long)value_small_get(key));
    return text_new(vm, digits, (size_t)n, ret);
}

/* ---- tables ---- */

static void index_put(struct table *table, uint32_t entry)
{
    uint32_t hash = key_hash(table->entries[entry].key);
    uint32_t at = hash & table->mask;
    while (table->index[at]) {
        at = (at + 1) & table->mask;
    }
    table->index[at] = (uint64_t)hash << 32 | (entry + 1);
}

/* Makes a fresh index for the present entries, which are moved together first. */
static int reindex(struct vm *vm, struct table *table, uint32_t size)
{
    uint64_t *index = memory_alloc(vm, size * sizeof(*index));
    if (!index) {
        return -1;
    }
    memset(index, 0, size * sizeof(*index));
    if (table->index) {
        memory_free(vm, table->index, ((size_t)table->mask + 1) * sizeof(*index));
    }
    table->index = index;
    table->mask = size - 1;
    uint32_t to = 0;
    for (uint32_t i = 0; i < table->used; i++) {
        if (!value_is_undefined(table->entries[i].key)) {
            table->entries[to] = table->entries[i];
            index_put(table, to++);
        }
    }
    table->used = to;
    return 0;
}

static uint32_t index_size(uint32_t capacity)
{
    uint32_t size = 8;
    while (size / 3 * 2 < capacity) {
        size *= 2;
    }
    return size;
}

static struct table *table_new(struct vm *vm)
{
    struct table *table = memory_alloc(vm, sizeof(*table));
    if (table) {
        *table = (struct table){0};
    }
    return table;
}

static int table_grow(struct vm *vm, struct table *table)
{
    uint32_t capacity = table->capacity ? table->capacity * 2 : 8;
    if (capacity > ENTRIES_MAX) {
        return vm_fail_memory(vm);
    }
    if (table->index && table->live < table->used - table->used / 4) { /* mostly removed ones: make room */
        return reindex(vm, table, table->mask + 1);
    }
    struct entry *entries =
        memory_resize(vm, table->entries, table->capacity * sizeof(*entries), capacity * sizeof(*entries));
    if (!entries) {
        return -1;
    }
    table->entries = entries;
    table->capacity = capacity;
    return table->index ? reindex(vm, table, index_size(capacity)) : 0;
}

static struct entry *table_find(const struct table *table, struct value key)
{
    if (!table->index) {
        uint64_t at = value_is_small(key) ? (uint64_t)value_small_get(key) - (uint64_t)table->base : UINT64_MAX;
        return at < table->used ? &table->entries[at] : NULL;
    }
    uint32_t hash = key_hash(key);
    for (uint32_t at = hash & table->mask; table->index[at]; at = (at + 1) & table->mask) {
        uint64_t place = table->index[at];
        if ((uint32_t)(place >> 32) == hash) {
            struct entry *entry = &table->entries[(uint32_t)place - 1];
            if (key_equal(entry->key, key)) {
                return entry;
            }
        }
    }
    return NULL;
}

/* `key` is not there. Takes `v` when it succeeds. */
static int table_add(struct vm *vm, struct table *table, struct value key, struct value v)
{
    if (table->used == table->capacity && table_grow(vm, table)) {
        return -1;
    }
    if (!table->index) {
        if (table->used == 0 && value_is_small(key)) {
            table->base = value_small_get(key);
        }
        bool dense = value_is_small(key) && value_small_get(key) == table->base + table->used;
        if (!dense && reindex(vm, table, index_size(table->capacity))) {
            return -1;
        }
    }
    table->entries[table->used] = (struct entry){value_keep(key), v};
    if (table->index) {
        index_put(table, table->used);
    }
    table->used++;
    table->live++;
    return 0;
}

/* ---- maps ---- */

struct map *map_new(struct vm *vm)
{
    struct table *table = table_new(vm);
    struct map *map = table ? object_new(vm, OBJECT_MAP, sizeof(*map)) : NULL;
    if (!map) {
        memory_free(vm, table, sizeof(*table));
        return NULL;
    }
    map->shape = NULL;
    map->table = table;
    return map;
}

/* Room that is part of the object is told from a block of its own by where it is. */
static size_t inline_room(const struct map *map)
{
    return map->object.flags;
}

static struct map *record_with_room(struct vm *vm, struct shape *shape, size_t room)
{
    struct map *map = object_new(vm, OBJECT_MAP, sizeof(*map) + room * sizeof(struct value));
    if (!map) {
        return NULL;
    }
    map->object.flags = (uint8_t)room;
    map->object.extra = (uint16_t)room;
    map->shape = shape;
    map->values = map->room;
    return map;
}

struct map *map_new_record(struct vm *vm, struct shape *shape)
{
    struct map *map = record_with_room(vm, shape, shape->count);
    for (size_t i = 0; map && i < shape->count; i++) {
        map->values[i] = VALUE_NOTHING;
    }
    return map;
}

struct map *map_copy(struct vm *vm, const struct map *map)
{
    if (map->shape) {
        struct map *copy = record_with_room(vm, map->shape, map->shape->count);
        for (size_t i = 0; copy && i < map->shape->count; i++) {
            copy->values[i] = value_keep(map->values[i]);
        }
        return copy;
    }
    struct map *copy = map_new(vm);
    const struct table *from = map->table;
    if (!copy || from->live == 0) {
        return copy;
    }
    struct table *to = copy->table;
    to->entries = memory_alloc(vm, from->capacity * sizeof(struct entry));
    if (to->entries && from->index) {
        to->index = memory_alloc(vm, ((size_t)from->mask + 1) * sizeof(uint64_t));
    }
    if (!to->entries || (from->index && !to->index)) {
        memory_free(vm, to->entries, from->capacity * sizeof(struct entry));
        to->entries = NULL;
        value_drop(vm, value_of(copy));
        return NULL;
    }
    for (uint32_t i = 0; i < from->used; i++) {
        to->entries[i] = (struct entry){value_keep(from->entries[i].key), value_keep(from->entries[i].value)};
    }
    if (from->index) {
        memcpy(to->index, from->index, ((size_t)from->mask + 1) * sizeof(uint64_t));
    }
    to->capacity = from->capacity;
    to->used = from->used;
    to->live = from->live;
    to->mask = from->mask;
    to->base = from->base;
    return copy;
}

struct map *map_unshare(struct vm *vm, struct value *slot)
{
    struct map *map = value_map(*slot);
    if (object_is_unique(map)) {
        return map;
    }
    struct map *copy = map_copy(vm, map);
    if (copy) {
        value_replace(vm, slot, value_of(copy));
    }
    return copy;
}

struct value *map_slots(struct map *map, size_t *ret_count)
{
    if (map->shape) {
        *ret_count = map->shape->count;
        return map->values;
    }
    *ret_count = (size_t)map->table->used * 2;
    return (struct value *)map->table->entries;
}

void map_free(struct vm *vm, struct map *map)
{
    if (!map->shape) {
        struct table *table = map->table;
        memory_free(vm, table->entries, table->capacity * sizeof(struct entry));
        if (table->index) {
            memory_free(vm, table->index, ((size_t)table->mask + 1) * sizeof(uint64_t));
        }
        memory_free(vm, table, sizeof(*table));
    } else if (map->values != map->room) {
        memory_free(vm, map->values, map->object.extra * sizeof(struct value));
    }
    memory_free(vm, map, sizeof(*map) + inline_room(map) * sizeof(struct value));
}

size_t map_length(const struct map *map)
{
    return map->shape ? map->shape->count : map->table->live;
}

struct value *map_find(const struct map *map, struct value key)
{
    if (map->shape) {
        int slot = shape_slot(map->shape, key);
        return slot < 0 ? NULL : &map->values[slot];
    }
    struct entry *entry = table_find(map->table, key);
    return entry ? &entry->value : NULL;
}

struct value *map_find_name(const struct map *map, const char *name)
{
    size_t position = 0;
    size_t length = strlen(name);
    struct value key, v;
    for (size_t i = 0; map->shape && i < map->shape->count; i++) {
        key = map->shape->keys[i];
        if (value_is_object(key) && value_text(key)->length == length &&
            memcmp(value_text(key)->data, name, length) == 0) {
            return &map->values[i];
        }
    }
    while (!map->shape && map_next(map, &position, &key, &v)) {
        if (value_is_object(key) && value_text(key)->length == length &&
            memcmp(value_text(key)->data, name, length) == 0) {
            return &map->table->entries[position - 1].value;
        }
    }
    return NULL;
}

int map_make_table(struct vm *vm, struct map *map)
{
    struct table *table = table_new(vm);
    if (!table) {
        return -1;
    }
    size_t count = map->shape->count;
    for (size_t i = 0; i < count; i++) {
        if (table_add(vm, table, map->shape->keys[i], map->values[i])) {
            for (size_t k = 0; k < table->used; k++) {
                value_drop(vm, table->entries[k].key);
            }
            memory_free(vm, table->entries, table->capacity * sizeof(struct entry));
            if (table->index) {
                memory_free(vm, table->index, ((size_t)table->mask + 1) * sizeof(uint64_t));
            }
            memory_free(vm, table, sizeof(*table));
            return -1;
        }
    }
    if (map->values != map->room) {
        memory_free(vm, map->values, map->object.extra * sizeof(struct value));
    }
    map->shape = NULL;
    map->table = table;
    return 0;
}

/* One more value for a record whose next shape is known. */
int map_extend(struct vm *vm, struct map *map, struct shape *next, struct value v)
{
    size_t count = map->shape->count;
    if (count == map->object.extra) {
        size_t room = count < 4 ? 4 : count * 2;
        struct value *values = memory_alloc(vm, room * sizeof(*values));
        if (!values) {
            return -1;
        }
        memcpy(values, map->values, count * sizeof(*values));
        if (map->values != map->room) {
            memory_free(vm, map->values, count * sizeof(*values));
        }
        map->values = values;
        map->object.extra = (uint16_t)room;
    }
    map->values[count] = v;
    map->shape = next;
    return 0;
}

int map_set(struct vm *vm, struct map *map, struct value key, struct value v)
{
    struct value *place = map_find(map, key);
    if (place) {
        value_replace(vm, place, v);
        return 0;
    }
    if (map->shape) {
        struct shape *next = shape_add(vm, map->shape, key);
        if (next ? map_extend(vm, map, next, v) == 0 : false) {
            return 0;
        }
        if (next || vm->error.kind != ERROR_NONE || map_make_table(vm, map)) {
            value_drop(vm, v);
            return -1;
        }
    }
    if (table_add(vm, map->table, key, v)) {
        value_drop(vm, v);
        return -1;
    }
    return 0;
}

int map_set_name(struct vm *vm, struct map *map, const char *name, struct value v)
{
    struct value text;
    if (text_intern(vm, name, strlen(name), &text)) {
        value_drop(vm, v);
        return -1;
    }
    int r = map_set(vm, map, map_key_text(text), v);
    value_drop(vm, text);
    return r;
}

int map_remove(struct vm *vm, struct map *map, struct value key)
{
    if (!map_find(map, key)) {
        return 0;
    }
    if (map->shape && map_make_table(vm, map)) {
        return -1;
    }
    struct table *table = map->table;
    if (!table->index && reindex(vm, table, index_size(table->capacity))) {
        return -1;
    }
    struct entry *entry = table_find(table, key);
    struct entry old = *entry;
    *entry = (struct entry){VALUE_UNDEFINED, VALUE_NOTHING};
    table->live--;
    value_drop(vm, old.key);
    value_drop(vm, old.value);
    return 0;
}

bool map_next(const struct map *map, size_t *position, struct value *ret_key, struct value *ret_value)
{
    if (map->shape) {
        if (*position >= map->shape->count) {
            return false;
        }
        *ret_key = map->shape->keys[*position];
        *ret_value = map->values[(*position)++];
        return true;
    }
    const struct table *table = map->table;
    while (*position < table->used) {
        const struct entry *entry = &table->entries[(*position)++];
        if (!value_is_undefined(entry->key)) {
            *ret_key = entry->key;
            *ret_value = entry->value;
            return true;
        }
    }
    return false;
}
