/*
 * Objects: how they are made, and how they go when nobody refers to them. A
 * container that goes drains its slots one by one; the slot of the child that
 * is being freed holds the way back, so depth costs no stack.
 */
#include "machine_internal.h"

void *object_new(struct vm *vm, enum object_type type, size_t size)
{
    struct object *object = memory_alloc(vm, size);
    if (object) {
        *object = (struct object){.refs = 1, .type = (uint8_t)type};
    }
    return object;
}

/* The values that an object owns. */
static struct value *owned(struct object *object, size_t *ret_count)
{
    switch (object->type) {
    case OBJECT_LIST:
        *ret_count = ((struct list *)object)->length;
        return ((struct list *)object)->items;
    case OBJECT_MAP:
        return map_slots((struct map *)object, ret_count);
    case OBJECT_TASK:
        *ret_count = object->extra;
        return ((struct task *)object)->captures;
    case OBJECT_BOX:
        *ret_count = 1;
        return &((struct box *)object)->value;
    case OBJECT_DECIMAL:
        *ret_count = 1;
        return &((struct decimal *)object)->coefficient;
    case OBJECT_DATETIME:
        *ret_count = 1;
        return &((struct datetime *)object)->zone;
    case OBJECT_NATIVE:
        *ret_count = 2;
        return &((struct native *)object)->bound;
    default:
        *ret_count = 0;
        return NULL;
    }
}

/* The object's own memory, after what it owns is gone. */
static void free_storage(struct vm *vm, struct object *object)
{
    switch (object->type) {
    case OBJECT_FLOAT:
        memory_free(vm, object, sizeof(struct boxed_float));
        return;
    case OBJECT_BIGINT: {
        int32_t size = ((struct bigint *)object)->size;
        memory_free(vm, object, sizeof(struct bigint) + 8 * (size_t)(size < 0 ? -size : size));
        return;
    }
    case OBJECT_TEXT:
        memory_free(vm, object, sizeof(struct text) + ((struct text *)object)->capacity);
        return;
    case OBJECT_BYTES:
        memory_free(vm, object, sizeof(struct bytes) + ((struct bytes *)object)->length);
        return;
    case OBJECT_LIST: {
        struct list *list = (struct list *)object;
        memory_free(vm, list->items, list->capacity * sizeof(struct value));
        memory_free(vm, list, sizeof(*list));
        return;
    }
    case OBJECT_MAP:
        map_free(vm, (struct map *)object);
        return;
    case OBJECT_TASK:
        memory_free(vm, object, sizeof(struct task) + object->extra * sizeof(struct value));
        return;
    case OBJECT_NATIVE:
        memory_free(vm, object, sizeof(struct native) + ((struct native *)object)->state_size);
        return;
    case OBJECT_BOX:
        memory_free(vm, object, sizeof(struct box));
        return;
    case OBJECT_DECIMAL:
        memory_free(vm, object, sizeof(struct decimal));
        return;
    case OBJECT_COMPLEX:
        memory_free(vm, object, sizeof(struct complex_number));
        return;
    case OBJECT_DATE:
        memory_free(vm, object, sizeof(struct date));
        return;
    case OBJECT_DATETIME:
        memory_free(vm, object, sizeof(struct datetime));
        return;
    case OBJECT_DURATION:
        memory_free(vm, object, sizeof(struct duration));
        return;
    case OBJECT_MODULE:
        return; /* lives as long as the engine */
    default:
        kinds[object->type]->release(vm, object);
    }
}

void object_release(struct vm *vm, struct object *object)
{
    struct object *parent = NULL;
    object->refs = 0; /* from here on: how many slots are drained */
    for (;;) {
        size_t count;
        struct value *slots = owned(object, &count);
        bool down = false;
        while (object->refs < count) {
            struct value v = slots[object->refs++];
            if (!value_is_object(v) || --value_object(v)->refs > 0) {
                continue;
            }
            slots[object->refs - 1].bits = (uintptr_t)parent;
            parent = object;
            object = value_object(v);
            down = true;
            break;
        }
        if (down) {
            continue;
        }
        free_storage(vm, object);
        if (!parent) {
            return;
        }
        object = parent;
        slots = owned(object, &count);
        parent = (struct object *)(uintptr_t)slots[object->refs - 1].bits;
    }
}

static struct boxed_float specials[] = {
    {{.refs = 1u << 30, .type = OBJECT_FLOAT}, 0.0},
    {{.refs = 1u << 30, .type = OBJECT_FLOAT}, -0.0},
    {{.refs = 1u << 30, .type = OBJECT_FLOAT}, __builtin_inf()},
    {{.refs = 1u << 30, .type = OBJECT_FLOAT}, -__builtin_inf()},
};
static struct boxed_float not_a_number = {{.refs = 1u << 30, .type = OBJECT_FLOAT}, __builtin_nan("")};

int value_float_boxed(struct vm *vm, double d, struct value *ret)
{
    if (d != d) {
        *ret = value_keep(value_of(&not_a_number));
        return 0;
    }
    for (size_t i = 0; i < sizeof(specials) / sizeof(specials[0]); i++) {
        if (memcmp(&specials[i].number, &d, sizeof(d)) == 0) {
            *ret = value_keep(value_of(&specials[i]));
            return 0;
        }
    }
    struct boxed_float *boxed = object_new(vm, OBJECT_FLOAT, sizeof(*boxed));
    if (!boxed) {
        return -1;
    }
    boxed->number = d;
    *ret = value_of(boxed);
    return 0;
}

int native_new(struct vm *vm, const struct builtin *builtin, struct value bound, struct value shown, size_t state_size,
               struct value *ret)
{
    struct native *native = object_new(vm, OBJECT_NATIVE, sizeof(*native) + state_size);
    if (!native) {
        value_drop(vm, bound);
        value_drop(vm, shown);
        return -1;
    }
    native->builtin = builtin;
    native->bound = bound;
    native->shown = shown;
    native->state_size = state_size;
    memset(native->state, 0, state_size);
    *ret = value_of(native);
    return 0;
}

int bytes_new(struct vm *vm, const void *data, size_t length, struct value *ret)
{
    struct bytes *bytes = length > SIZE_MAX / 4 ? NULL : object_new(vm, OBJECT_BYTES, sizeof(*bytes) + length);
    if (!bytes) {
        return length > SIZE_MAX / 4 ? vm_fail_memory(vm) : -1;
    }
    bytes->length = length;
    if (data) {
        memcpy(bytes->data, data, length);
    }
    *ret = value_of(bytes);
    return 0;
}
