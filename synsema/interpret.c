/*
 * The machine's loop. Common cases of common instructions are here; the rest
 * is in execute.c, operate.c, access.c and call.c.
 */
#include "code_internal.h"
#include "map_internal.h"

/* What stands in a register is replaced, and dropped if it was an object. */
#define SET(reg, v)                                                                                                    \
    do {                                                                                                               \
        struct value *slot_ = &(reg);                                                                                  \
        struct value old_ = *slot_;                                                                                    \
        *slot_ = (v);                                                                                                  \
        if (__builtin_expect(value_is_object(old_), 0)) {                                                              \
            value_drop(vm, old_);                                                                                      \
        }                                                                                                              \
    } while (0)

/* An operand as a double, if it is a small integer or an inline float. */
static inline bool as_double(struct value v, double *ret)
{
    if (value_is_inline_float(v)) {
        *ret = value_inline_float(v);
        return true;
    }
    if (value_is_small(v)) {
        *ret = (double)value_small_get(v);
        return true;
    }
    return false;
}

static inline bool both_small(struct value a, struct value b)
{
    return a.bits & b.bits & 1;
}

static inline bool quick_double(enum operation operation, struct value a, struct value b, struct value *ret)
{
    double x, y;
    if (!as_double(a, &x) || !as_double(b, &y)) {
        return false;
    }
    switch (operation) {
    case OPERATION_ADD:
        return value_float_inline(x + y, ret);
    case OPERATION_SUB:
        return value_float_inline(x - y, ret);
    case OPERATION_MUL:
        return value_float_inline(x * y, ret);
    case OPERATION_DIV:
        if (y == 0.0 || (both_small(a, b) && (x > 0x1p53 || x < -0x1p53 || y > 0x1p53 || y < -0x1p53))) {
            return false;
        }
        return value_float_inline(x / y, ret);
    default:
        return false;
    }
}

/* The arithmetic of the two commonest kinds; false when it takes more. */
static inline bool quick(enum operation operation, struct value a, struct value b, struct value *ret)
{
    int64_t r;
    if (both_small(a, b)) {
        int64_t x = (int64_t)a.bits, y = (int64_t)b.bits;
        switch (operation) {
        case OPERATION_ADD:
            if (__builtin_add_overflow(x, y - 1, &r)) {
                return false;
            }
            ret->bits = (uint64_t)r;
            return true;
        case OPERATION_SUB:
            if (__builtin_sub_overflow(x, y - 1, &r)) {
                return false;
            }
            ret->bits = (uint64_t)r;
            return true;
        case OPERATION_MUL:
            if (__builtin_mul_overflow(x - 1, y >> 1, &r)) {
                return false;
            }
            ret->bits = (uint64_t)(r + 1);
            return true;
        case OPERATION_FLOOR:
        case OPERATION_MOD:
            x >>= 1;
            y >>= 1;
            if (y <= 0) {
                return false;
            }
            if (((x | y) >> 32) == 0) { /* 32-bit division is much faster */
                uint32_t q = (uint32_t)x / (uint32_t)y;
                *ret = value_small(operation == OPERATION_FLOOR ? q : (uint32_t)x - q * (uint32_t)y);
                return true;
            }
            r = x % y;
            if (operation == OPERATION_MOD) {
                *ret = value_small(r < 0 ? r + y : r);
            } else {
                *ret = value_small(x / y - (r < 0));
            }
            return true;
        case OPERATION_DIV:
            break;
        default:
            return false;
        }
    }
    return quick_double(operation, a, b, ret);
}

enum relation { EQUAL, NOT_EQUAL, LESS, LESS_EQUAL, GREATER, GREATER_EQUAL };

static int slow_compare(struct vm *vm, enum relation relation, struct value a, struct value b, bool *ret)
{
    static const char *const signs[] = {"==", "!=", "<", "<=", ">", ">="};
    if (relation <= NOT_EQUAL) {
        if (value_equal(vm, a, b, ret)) {
            return -1;
        }
        *ret = *ret == (relation == EQUAL);
        return 0;
    }
    int order;
    if (value_compare(vm, a, b, signs[relation], &order)) {
        return -1;
    }
    *ret = order != 2 && (relation == LESS         ? order < 0
                          : relation == LESS_EQUAL ? order <= 0
                          : relation == GREATER    ? order > 0
                                                   : order >= 0);
    return 0;
}

#define RELATE(x, y)                                                                                                   \
    (relation == EQUAL           ? (x) == (y)                                                                          \
     : relation == NOT_EQUAL     ? (x) != (y)                                                                          \
     : relation == LESS          ? (x) < (y)                                                                           \
     : relation == LESS_EQUAL    ? (x) <= (y)                                                                          \
     : relation == GREATER       ? (x) > (y)                                                                           \
                                 : (x) >= (y))

static inline int compare(struct vm *vm, enum relation relation, struct value a, struct value b, bool *ret)
{
    if (both_small(a, b)) {
        *ret = RELATE((int64_t)a.bits, (int64_t)b.bits);
        return 0;
    }
    if (value_is_inline_float(a) && value_is_inline_float(b)) {
        *ret = RELATE(value_inline_float(a), value_inline_float(b));
        return 0;
    }
    return slow_compare(vm, relation, a, b, ret);
}

/* An item of a list or a dense table, or any key of a table; NULL when it takes more. */
static inline struct value *quick_item(struct value container, struct value index)
{
    if (!value_is_object(container)) {
        return NULL;
    }
    if (value_object(container)->type == OBJECT_LIST) {
        const struct list *list = value_list(container);
        return value_is_small(index) && (uint64_t)value_small_get(index) < list->length ? &list->items[value_small_get(index)] : NULL;
    }
    if (value_object(container)->type == OBJECT_MAP) {
        const struct map *map = value_map(container);
        if (value_is_small(index)) {
            if (!map->shape && !map->table->index) {
                uint64_t at = (uint64_t)value_small_get(index) - (uint64_t)map->table->base;
                return at < map->table->used ? &map->table->entries[at].value : NULL;
            }
            return map_find(map, index);
        }
        return value_is_text(index) ? map_find(map, map_key_text(index)) : NULL;
    }
    return NULL;
}

/* The region that takes the error which is set, for the frame on top; the registers' iterators stay as they are. */
static const struct region *handler(struct vm *vm, struct frame *frame)
{
    uint32_t at = (uint32_t)(frame->pc - frame->proto->code) - 1;
    for (uint32_t i = 0; i < frame->proto->region_count; i++) {
        const struct region *region = &frame->proto->regions[i];
        if (at < region->start || at >= region->end) {
            continue;
        }
        if (region->kind == REGION_SANDBOX) {
            guard_pop(vm);
        } else if (region->kind == REGION_LOOP && vm->error.kind == ERROR_STOP) {
            error_clear(vm);
            return region;
        } else if (region->kind == REGION_TRY && vm->error.kind == ERROR_RUN) {
            struct value text;
            const char *message = vm->error.message;
            if (text_new_lossy(vm, message, strlen(message), &text) == 0) {
                value_replace(vm, &frame->base[region->reg], text);
                error_clear(vm);
                return region;
            }
        }
    }
    return NULL;
}

/* Goes up to the frame that handles the error; NULL when the interpreter is to be left. */
static struct frame *unwind(struct vm *vm)
{
    for (;;) {
        struct frame *frame = &vm->frames[vm->frame_count - 1];
        const struct region *region = handler(vm, frame);
        if (region) {
            frame->pc = frame->proto->code + region->target;
            return frame;
        }
        bool entry = frame->entry;
        pop_frame(vm);
        if (entry) {
            return NULL;
        }
    }
}

/* A new frame for a task whose arguments are moved out of `args`. NULL with the error set. */
static inline struct frame *enter(struct vm *vm, struct task *task, struct value *args, size_t count, struct value *ret)
{
    struct proto *proto = task->proto;
    if (__builtin_expect(count > proto->param_count, 0)) {
        struct value ignored;
        call_value(vm, value_of(task), args, count, NULL, 0, false, &ignored);
        return NULL;
    }
    struct frame *frame = push_frame(vm, proto, task, task->module);
    if (__builtin_expect(!frame, 0)) {
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        frame->base[i] = args[i];
        args[i] = VALUE_NOTHING;
    }
    frame->ret = ret;
    if (__builtin_expect(count < proto->param_count, 0) && bind_arguments(vm, frame, count, NULL, 0, false)) {
        pop_frame(vm);
        return NULL;
    }
    return frame;
}

static void drop_arguments(struct vm *vm, struct value *args, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (value_is_object(args[i])) {
            struct value v = args[i];
            args[i] = VALUE_NOTHING;
            value_drop(vm, v);
        }
    }
}

#define NEXT() goto *labels[CODE_OP(code = *pc++)]
#define RA R[CODE_A(code)]
#define RB R[CODE_B(code)]
#define RC R[CODE_C(code)]
#define KC K[CODE_C(code)]
#define FAIL()                                                                                                         \
    do {                                                                                                               \
        frame->pc = pc;                                                                                                \
        goto failed;                                                                                                   \
    } while (0)
#define LOAD_FRAME()                                                                                                   \
    do {                                                                                                               \
        pc = frame->pc;                                                                                                \
        R = frame->base;                                                                                               \
        K = frame->proto->constants;                                                                                   \
    } while (0)

#define ARITHMETIC(name, operation, right)                                                                             \
    op_##name : if (__builtin_expect(quick(operation, RB, right, &v), 1))                                              \
    {                                                                                                                  \
        SET(RA, v);                                                                                                    \
        NEXT();                                                                                                        \
    }                                                                                                                  \
    frame->pc = pc;                                                                                                    \
    if (operate(vm, operation, RB, right, &v)) {                                                                       \
        goto failed;                                                                                                   \
    }                                                                                                                  \
    SET(RA, v);                                                                                                        \
    NEXT();

#define COMPARISON(name, relation)                                                                                     \
    op_##name : frame->pc = pc;                                                                                        \
    if (compare(vm, relation, RB, RC, &truth)) {                                                                       \
        goto failed;                                                                                                   \
    }                                                                                                                  \
    SET(RA, value_bool(truth));                                                                                        \
    NEXT();

#define COMPARE_JUMP(name, relation, right, wanted)                                                                    \
    op_##name : if (__builtin_expect(both_small(RA, right), 1))                                                        \
    {                                                                                                                  \
        if (relate_small(relation, RA, right) == wanted) {                                                             \
            pc += CODE_JUMP(code);                                                                                     \
        }                                                                                                              \
        NEXT();                                                                                                        \
    }                                                                                                                  \
    frame->pc = pc;                                                                                                    \
    if (compare(vm, relation, RA, right, &truth)) {                                                                    \
        goto failed;                                                                                                   \
    }                                                                                                                  \
    if (truth == wanted) {                                                                                             \
        pc += CODE_JUMP(code);                                                                                         \
    }                                                                                                                  \
    NEXT();

static inline bool relate_small(enum relation relation, struct value a, struct value b)
{
    return RELATE((int64_t)a.bits, (int64_t)b.bits);
}

int interpret(struct vm *vm)
{
    static const void *const labels[] = {
#define X(name) &&op_##name,
        OPCODES(X)
#undef X
    };
    struct frame *frame = &vm->frames[vm->frame_count - 1];
    const uint64_t *pc;
    struct value *R;
    const struct value *K;
    uint64_t code;
    struct value v;
    bool truth;
    LOAD_FRAME();
    NEXT();

op_MOVE:
    v = value_keep(RB);
    SET(RA, v);
    NEXT();
op_TAKE:
    v = RB;
    RB = VALUE_NOTHING;
    SET(RA, v);
    NEXT();
op_LOADK:
    v = value_keep(KC);
    SET(RA, v);
    NEXT();
op_CLEAR:
    SET(RA, VALUE_NOTHING);
    NEXT();
op_UNDEF:
    SET(RA, VALUE_UNDEFINED);
    NEXT();
op_GETG:
    v = frame->module->globals[CODE_C(code)];
    if (__builtin_expect(value_is_undefined(v), 0)) {
        goto op_slow;
    }
    value_keep(v);
    SET(RA, v);
    NEXT();
op_SETG:
    value_replace(vm, &frame->module->globals[CODE_C(code)], value_keep(RA));
    NEXT();
op_GETBOX:
    v = value_keep(((struct box *)value_object(RB))->value);
    SET(RA, v);
    NEXT();
op_SETBOX:
    value_replace(vm, &((struct box *)value_object(RA))->value, value_keep(RB));
    NEXT();
op_GETUP:
    v = value_keep(((struct box *)value_object(frame->task->captures[CODE_C(code)]))->value);
    SET(RA, v);
    NEXT();
op_SETUP:
    value_replace(vm, &((struct box *)value_object(frame->task->captures[CODE_C(code)]))->value, value_keep(RA));
    NEXT();
op_TESTREG:
    if (value_is_undefined(RB)) {
        pc += CODE_JUMP(code);
    }
    NEXT();
op_TESTBOX:
    if (value_is_undefined(((struct box *)value_object(RB))->value)) {
        pc += CODE_JUMP(code);
    }
    NEXT();
op_TESTUP:
    if (value_is_undefined(((struct box *)value_object(frame->task->captures[CODE_B(code)]))->value)) {
        pc += CODE_JUMP(code);
    }
    NEXT();
op_TESTG:
    if (value_is_undefined(frame->module->globals[CODE_B(code)])) {
        pc += CODE_JUMP(code);
    }
    NEXT();

op_ADD:
    if (__builtin_expect(quick(OPERATION_ADD, RB, RC, &v), 1)) {
        SET(RA, v);
        NEXT();
    }
    frame->pc = pc;
    if (CODE_A(code) == CODE_B(code)) {
        if (add_in_place(vm, &RA, RC, &truth)) {
            goto failed;
        }
        if (truth) {
            NEXT();
        }
    }
    if (operate(vm, OPERATION_ADD, RB, RC, &v)) {
        goto failed;
    }
    SET(RA, v);
    NEXT();
op_EXTEND:
    if (value_is_text(RA)) {
        frame->pc = pc;
        if (extend_text(vm, &RA, &RB, CODE_C(code), &truth)) {
            goto failed;
        }
        if (truth) {
            drop_arguments(vm, &RB, CODE_C(code));
            pc += CODE_C(code);
        }
    }
    NEXT();
    ARITHMETIC(SUB, OPERATION_SUB, RC)
    ARITHMETIC(MUL, OPERATION_MUL, RC)
    ARITHMETIC(DIV, OPERATION_DIV, RC)
    ARITHMETIC(FLOOR, OPERATION_FLOOR, RC)
    ARITHMETIC(MOD, OPERATION_MOD, RC)
    ARITHMETIC(POW, OPERATION_POW, RC)
    ARITHMETIC(ADDK, OPERATION_ADD, KC)
    ARITHMETIC(SUBK, OPERATION_SUB, KC)
    ARITHMETIC(MULK, OPERATION_MUL, KC)
    ARITHMETIC(DIVK, OPERATION_DIV, KC)
    ARITHMETIC(FLOORK, OPERATION_FLOOR, KC)
    ARITHMETIC(MODK, OPERATION_MOD, KC)
    ARITHMETIC(POWK, OPERATION_POW, KC)
op_NEGATE:
    frame->pc = pc;
    if (operate_negate(vm, RB, &v)) {
        goto failed;
    }
    SET(RA, v);
    NEXT();
op_NOT:
    truth = value_truthy(RB);
    SET(RA, value_bool(!truth));
    NEXT();
op_TRUTH:
    truth = value_truthy(RB);
    SET(RA, value_bool(truth));
    NEXT();
    COMPARISON(EQ, EQUAL)
    COMPARISON(NE, NOT_EQUAL)
    COMPARISON(LT, LESS)
    COMPARISON(LE, LESS_EQUAL)
    COMPARISON(GT, GREATER)
    COMPARISON(GE, GREATER_EQUAL)
    COMPARE_JUMP(JEQ, EQUAL, RB, true)
    COMPARE_JUMP(JNE, NOT_EQUAL, RB, true)
    COMPARE_JUMP(JLT, LESS, RB, true)
    COMPARE_JUMP(JLE, LESS_EQUAL, RB, true)
    COMPARE_JUMP(JGT, GREATER, RB, true)
    COMPARE_JUMP(JGE, GREATER_EQUAL, RB, true)
    COMPARE_JUMP(JNEQ, EQUAL, RB, false)
    COMPARE_JUMP(JNNE, NOT_EQUAL, RB, false)
    COMPARE_JUMP(JNLT, LESS, RB, false)
    COMPARE_JUMP(JNLE, LESS_EQUAL, RB, false)
    COMPARE_JUMP(JNGT, GREATER, RB, false)
    COMPARE_JUMP(JNGE, GREATER_EQUAL, RB, false)
    COMPARE_JUMP(JEQK, EQUAL, K[CODE_B(code)], true)
    COMPARE_JUMP(JNEK, NOT_EQUAL, K[CODE_B(code)], true)
    COMPARE_JUMP(JLTK, LESS, K[CODE_B(code)], true)
    COMPARE_JUMP(JLEK, LESS_EQUAL, K[CODE_B(code)], true)
    COMPARE_JUMP(JGTK, GREATER, K[CODE_B(code)], true)
    COMPARE_JUMP(JGEK, GREATER_EQUAL, K[CODE_B(code)], true)
    COMPARE_JUMP(JNEQK, EQUAL, K[CODE_B(code)], false)
    COMPARE_JUMP(JNNEK, NOT_EQUAL, K[CODE_B(code)], false)
    COMPARE_JUMP(JNLTK, LESS, K[CODE_B(code)], false)
    COMPARE_JUMP(JNLEK, LESS_EQUAL, K[CODE_B(code)], false)
    COMPARE_JUMP(JNGTK, GREATER, K[CODE_B(code)], false)
    COMPARE_JUMP(JNGEK, GREATER_EQUAL, K[CODE_B(code)], false)

op_JMP:
    pc += CODE_JUMP(code);
    NEXT();
op_LOOP:
    if (__builtin_expect(--vm->fuel < 0, 0) && vm_refuel(vm)) {
        FAIL();
    }
    pc += CODE_JUMP(code);
    NEXT();
op_JT:
    if (value_truthy(RA)) {
        pc += CODE_JUMP(code);
    }
    NEXT();
op_JF:
    if (!value_truthy(RA)) {
        pc += CODE_JUMP(code);
    }
    NEXT();

op_GETINDEX: {
    const struct value *place = quick_item(RB, RC);
    if (__builtin_expect(place != NULL, 1)) {
        v = value_keep(*place);
    } else {
        frame->pc = pc;
        if (get_index(vm, RB, RC, &v)) {
            goto failed;
        }
    }
    SET(RA, v);
    NEXT();
}
op_GETKEY:
op_GETFIELD: {
    struct field *field = &frame->proto->fields[CODE_C(code)];
    struct value object = RB;
    if (__builtin_expect(value_is_map(object), 1)) {
        const struct map *map = value_map(object);
        if (__builtin_expect(map->shape && map->shape == field->shape, 1)) {
            v = value_keep(map->values[field->slot]);
            SET(RA, v);
            NEXT();
        }
        int slot = map->shape ? shape_slot(map->shape, field->key) : -1;
        if (slot >= 0) {
            field->shape = map->shape;
            field->slot = slot;
            v = value_keep(map->values[slot]);
            SET(RA, v);
            NEXT();
        }
    }
    frame->pc = pc;
    if (CODE_OP(code) == OP_GETKEY ? get_index(vm, object, field->key, &v) : get_field(vm, object, field->key, &v)) {
        note_of(vm, field);
        goto failed;
    }
    SET(RA, v);
    NEXT();
}
op_SETINDEX: {
    struct value container = RA;
    if (value_is_object(container) && object_is_unique(value_object(container))) {
        struct value *place = quick_item(container, RB);
        if (__builtin_expect(place != NULL, 1)) {
            v = value_keep(RC);
            SET(*place, v);
            NEXT();
        }
    }
    frame->pc = pc;
    if (set_index(vm, &RA, RB, value_keep(RC))) {
        goto failed;
    }
    NEXT();
}
op_SETFIELD: {
    struct field *field = &frame->proto->fields[CODE_C(code)];
    struct value object = RA;
    if (value_is_map(object) && object_is_unique(value_object(object)) && value_map(object)->shape) {
        struct map *map = value_map(object);
        if (map->shape != field->shape) {
            int slot = shape_slot(map->shape, field->key);
            if (slot >= 0) {
                field->shape = map->shape;
                field->slot = slot;
            }
        }
        if (map->shape == field->shape) {
            v = value_keep(RB);
            SET(map->values[field->slot], v);
            NEXT();
        }
    }
    frame->pc = pc;
    if (set_field(vm, &RA, field->key, value_keep(RB))) {
        goto failed;
    }
    NEXT();
}
op_APPEND: {
    struct value list = RA;
    v = value_keep(RB);
    if (value_is_list(list) && object_is_unique(value_object(list)) && value_list(list)->length < value_list(list)->capacity) {
        value_list(list)->items[value_list(list)->length++] = v;
        NEXT();
    }
    frame->pc = pc;
    if (append_item(vm, &RA, v)) {
        goto failed;
    }
    NEXT();
}
op_LISTADD: {
    struct list *list = value_list(RA);
    struct value *from = &RB;
    for (uint32_t i = 0; i < CODE_C(code); i++) {
        if (list_push(vm, list, value_take(&from[i]))) {
            FAIL();
        }
    }
    NEXT();
}
op_NEWRECORD: {
    struct shape *shape = frame->proto->shapes[CODE_C(code)];
    struct value *from = &RB;
    struct map *map = map_new_record(vm, shape);
    if (!map) {
        FAIL();
    }
    for (uint32_t i = 0; i < shape->count; i++) {
        map->values[i] = from[i];
        from[i] = VALUE_NOTHING;
    }
    SET(RA, value_of(map));
    NEXT();
}

op_CALL:
    v = RA;
    if (__builtin_expect(value_is(v, OBJECT_TASK), 1)) {
        frame->pc = pc;
        struct frame *inner = enter(vm, (struct task *)value_object(v), &RA + 1, CODE_C(code), &RB);
        if (!inner || (--vm->fuel < 0 && vm_refuel(vm))) {
            goto failed;
        }
        frame = inner;
        LOAD_FRAME();
        NEXT();
    } else {
        struct value *base = &RA;
        frame->pc = pc;
        if (call_value(vm, v, base + 1, CODE_C(code), NULL, 0, false, &v)) {
            goto failed;
        }
        drop_arguments(vm, base, CODE_C(code) + 1);
        SET(RB, v);
        NEXT();
    }
op_CALLG:
    v = frame->module->globals[CODE_C(code) >> 10];
    if (__builtin_expect(value_is(v, OBJECT_TASK), 1)) {
        frame->pc = pc;
        struct frame *inner = enter(vm, (struct task *)value_object(v), &RA, CODE_C(code) & 1023, &RB);
        if (!inner || (--vm->fuel < 0 && vm_refuel(vm))) {
            goto failed;
        }
        frame = inner;
        LOAD_FRAME();
        NEXT();
    }
    goto op_slow;
op_CALLB: {
    struct value *base = &RA;
    uint32_t count = CODE_C(code) & 1023;
    frame->pc = pc;
    if (call_builtin(vm, builtin_at(CODE_C(code) >> 10), NULL, base, count, NULL, 0, false, &v)) {
        goto failed;
    }
    drop_arguments(vm, base, count);
    SET(RB, v);
    NEXT();
}
op_RETURN: {
    v = RA;
    if (frame->task) {
        RA = VALUE_NOTHING;
    } else {
        value_keep(v);
    }
    struct value *ret = frame->ret;
    bool entry = frame->entry;
    pop_frame(vm);
    SET(*ret, v);
    if (entry) {
        return 0;
    }
    frame = &vm->frames[vm->frame_count - 1];
    LOAD_FRAME();
    /* a call keeps its task in the register before the arguments; CALLG has none there */
    if (CODE_OP(pc[-1]) == OP_CALL) {
        code = pc[-1];
        if (&RA != ret) {
            SET(RA, VALUE_NOTHING);
        }
    }
    NEXT();
}
op_FORLOOP: {
    struct value *state = &RA;
    int64_t at = (int64_t)state[0].bits, to = (int64_t)state[1].bits, step = (int64_t)state[2].bits;
    if (step > 0 ? at >= to : at <= to) {
        pc += CODE_JUMP(code);
        NEXT();
    }
    v = state[0];
    if (__builtin_add_overflow(at, step - 1, &at)) {
        at = to;
    }
    state[0].bits = (uint64_t)at;
    SET(RB, v);
    NEXT();
}
op_NEXT: {
    struct value *state = &RA;
    if (__builtin_expect(value_is_list(state[0]), 1)) {
        const struct list *list = value_list(state[0]);
        size_t at = (size_t)value_small_get(state[1]);
        if (at >= list->length) {
            pc += CODE_JUMP(code);
            NEXT();
        }
        v = value_keep(list->items[at]);
        state[1] = value_small((int64_t)at + 1);
        SET(RB, v);
        NEXT();
    }
    frame->pc = pc;
    if (next_item(vm, state, &v, &truth)) {
        goto failed;
    }
    if (truth) {
        pc += CODE_JUMP(code);
    } else {
        SET(RB, v);
    }
    NEXT();
}
op_MATCHEQ:
    frame->pc = pc;
    if (value_equal(vm, RA, RB, &truth)) {
        vm->error.located = false;
        vm_prefix(vm, "match: ");
        goto failed;
    }
    if (!truth) {
        pc += CODE_JUMP(code);
    }
    NEXT();
op_MATCHLIST:
    if (!value_is_list(RA) || value_list(RA)->length != CODE_B(code)) {
        pc += CODE_JUMP(code);
    }
    NEXT();
op_MATCHMIN:
    if (!value_is_list(RA) || value_list(RA)->length < CODE_B(code)) {
        pc += CODE_JUMP(code);
    }
    NEXT();
op_MATCHMAP:
    if (!value_is_map(RA) && !value_is(RA, OBJECT_MODULE)) {
        pc += CODE_JUMP(code);
    }
    NEXT();

op_NEWBOX:
op_BOX:
op_UNDEFINED:
op_UNSETTABLE:
op_IN:
op_NOTIN:
op_SETPATH:
op_UPDATE:
op_NEWLIST:
op_NEWMAP:
op_MAPPUT:
op_CONCAT:
op_CLOSURE:
op_CALLN:
op_CALLP:
op_STOPPED:
op_OUTSIDE:
op_RAISE:
op_FORPREP:
op_ITER:
op_ELEMENT:
op_REST:
op_MATCHKEY:
op_VARIANT:
op_PAYLOADS:
op_PAYLOAD:
op_ENTER:
op_LEAVE:
op_START:
op_REQUIRE:
op_INTENT:
op_BROKEN:
op_LOG:
op_SHOW:
op_USE:
op_TEST:
op_BADTARGET:
op_slow:
    frame->pc = pc;
    if (execute(vm, frame, code)) {
        goto failed;
    }
    NEXT();

failed:
    frame = unwind(vm);
    if (!frame) {
        return -1;
    }
    LOAD_FRAME();
    NEXT();
}
