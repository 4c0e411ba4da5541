/* Lists: growable arrays of values. */
#include "machine_internal.h"

#define LIST_MAX ((size_t)0x7fffffff)

struct list *list_new(struct vm *vm, size_t capacity)
{
    if (capacity > LIST_MAX) {
        vm_fail_memory(vm);
        return NULL;
    }
    struct list *list = object_new(vm, OBJECT_LIST, sizeof(*list));
    if (!list) {
        return NULL;
    }
    list->length = 0;
    list->capacity = capacity;
    list->items = NULL;
    if (capacity > 0) {
        list->items = memory_alloc(vm, capacity * sizeof(struct value));
        if (!list->items) {
            memory_free(vm, list, sizeof(*list));
            return NULL;
        }
    }
    return list;
}

int list_push(struct vm *vm, struct list *list, struct value v)
{
    if (list->length == list->capacity) {
        size_t capacity = list->capacity ? list->capacity + list->capacity / 2 + 1 : 4;
        if (capacity > LIST_MAX) {
            value_drop(vm, v);
            return vm_fail_memory(vm);
        }
        struct value *items = memory_resize(vm, list->items, list->capacity * sizeof(v), capacity * sizeof(v));
        if (!items) {
            value_drop(vm, v);
            return -1;
        }
        list->items = items;
        list->capacity = capacity;
    }
    list->items[list->length++] = v;
    return 0;
}

struct list *list_copy(struct vm *vm, const struct list *list, size_t capacity)
{
    struct list *copy = list_new(vm, capacity > list->length ? capacity : list->length);
    if (!copy) {
        return NULL;
    }
    for (size_t i = 0; i < list->length; i++) {
        copy->items[i] = value_keep(list->items[i]);
    }
    copy->length = list->length;
    return copy;
}

struct list *list_unshare(struct vm *vm, struct value *slot)
{
    struct list *list = value_list(*slot);
    if (object_is_unique(list)) {
        return list;
    }
    struct list *copy = list_copy(vm, list, 0);
    if (copy) {
        value_replace(vm, slot, value_of(copy));
    }
    return copy;
}
