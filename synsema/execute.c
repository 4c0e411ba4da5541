/* What the rarer instructions do. An operation's operands are described in code_internal.h. */
#include "code_internal.h"
#include "map_internal.h"

#include <stdio.h>

#define RA frame->base[CODE_A(code)]
#define RB frame->base[CODE_B(code)]
#define RC frame->base[CODE_C(code)]
#define KC frame->proto->constants[CODE_C(code)]

/* ---- variables ---- */

static int new_box(struct vm *vm, struct value *slot, struct value v)
{
    struct box *box = object_new(vm, OBJECT_BOX, sizeof(*box));
    if (!box) {
        return -1;
    }
    box->value = value_keep(v);
    value_replace(vm, slot, value_of(box));
    return 0;
}

static struct value *root_slot(struct frame *frame, const struct path *path)
{
    switch (path->root) {
    case ROOT_REGISTER:
        return &frame->base[path->index];
    case ROOT_BOX:
        return &((struct box *)value_object(frame->base[path->index]))->value;
    case ROOT_CAPTURE:
        return &((struct box *)value_object(frame->task->captures[path->index]))->value;
    default:
        return &frame->module->globals[path->index];
    }
}

/* A global that is undefined means the builtin or constant of its name, if there is one. */
static int missing_global(struct vm *vm, struct frame *frame, uint32_t index, struct value *ret)
{
    struct value name = frame->module->global_names[index];
    const struct builtin *builtin = builtin_find(value_text(name)->data, value_text(name)->length);
    double d;
    if (builtin) {
        return native_new(vm, builtin, VALUE_NOTHING, VALUE_NOTHING, 0, ret);
    }
    if (constant_named(value_text(name)->data, &d)) {
        return value_float(vm, d, ret);
    }
    return undefined_name(vm, name);
}

static int call_global(struct vm *vm, struct frame *frame, uint64_t code)
{
    uint32_t count = CODE_C(code) & 1023;
    struct value *args = &RA;
    struct value callee = value_keep(frame->module->globals[CODE_C(code) >> 10]);
    struct value v;
    if (value_is_undefined(callee) && missing_global(vm, frame, CODE_C(code) >> 10, &callee)) {
        return -1;
    }
    int r = call_value(vm, callee, args, count, NULL, 0, false, &v);
    value_drop(vm, callee);
    for (uint32_t i = 0; i < count; i++) {
        value_drop(vm, value_take(&args[i]));
    }
    if (r == 0) {
        value_replace(vm, &RB, v);
    }
    return r;
}

static int undefined(struct vm *vm, struct frame *frame, uint64_t code)
{
    undefined_name(vm, KC);
    if (CODE_A(code)) {
        return vm_fail_here(vm,
                            "Undefined variable: '%s' — `//` is integer division; comments in Synsema start with `--`",
                            value_text(KC)->data);
    }
    return -1;
}

static int closure(struct vm *vm, struct frame *frame, uint64_t code)
{
    struct proto *proto = frame->proto->protos[CODE_C(code)];
    uint32_t n = proto->capture_count;
    struct task *task = object_new(vm, OBJECT_TASK, sizeof(*task) + n * sizeof(struct value));
    if (!task) {
        return -1;
    }
    task->object.extra = (uint16_t)n;
    task->proto = proto;
    task->module = frame->module;
    for (uint32_t i = 0; i < n; i++) {
        const struct capture *capture = &proto->captures[i];
        task->captures[i] =
            value_keep(capture->from_register ? frame->base[capture->index] : frame->task->captures[capture->index]);
    }
    value_replace(vm, &RA, value_of(task));
    return 0;
}

/* ---- containers and text ---- */

int append_item(struct vm *vm, struct value *slot, struct value item)
{
    if (!value_is_list(*slot)) {
        value_drop(vm, item);
        return vm_fail(vm, "First argument to append must be a list");
    }
    struct list *list = value_list(*slot);
    if (!object_is_unique(list)) {
        list = list_copy(vm, list, list->length + list->length / 2 + 1);
        if (!list) {
            value_drop(vm, item);
            return -1;
        }
        value_replace(vm, slot, value_of(list));
    }
    return list_push(vm, list, item);
}

/* Room for `more` bytes in a text that nobody else refers to; it may move. */
static struct text *text_room(struct vm *vm, struct value *slot, size_t more)
{
    struct text *text = value_text(*slot);
    size_t wanted = (size_t)text->length + more + 1;
    if (wanted > TEXT_MAX) {
        vm_fail_memory(vm);
        return NULL;
    }
    if (wanted > text->capacity) {
        size_t old = sizeof(*text) + text->capacity;
        size_t size = ((sizeof(*text) + wanted + wanted / 2) + 15) & ~(size_t)15;
        struct text *moved = memory_resize(vm, text, old, size);
        if (!moved) {
            return NULL;
        }
        text = moved;
        text->capacity = (uint32_t)(size - sizeof(*text));
        *slot = value_of(text);
    }
    return text;
}

static int append_bytes(struct vm *vm, struct value *slot, const struct text *from)
{
    struct text *text = text_room(vm, slot, from->length);
    if (!text) {
        return -1;
    }
    memcpy(text->data + text->length, from->data, (size_t)from->length + 1);
    text->length += from->length;
    text->chars += from->chars;
    text->object.flags = 0;
    return 0;
}

int extend_text(struct vm *vm, struct value *slot, const struct value *parts, size_t count, bool *ret_done)
{
    *ret_done = value_is_text(*slot) && object_is_unique(value_object(*slot));
    for (size_t i = 0; *ret_done && i < count; i++) {
        *ret_done = joins_text(parts[i]) && !value_same(parts[i], *slot);
    }
    if (!*ret_done) {
        return 0;
    }
    uint32_t length = value_text(*slot)->length, chars = value_text(*slot)->chars;
    for (size_t i = 0; i < count; i++) {
        struct value part;
        int r = display_text(vm, parts[i], &part);
        if (r == 0) {
            r = append_bytes(vm, slot, value_text(part));
            value_drop(vm, part);
        }
        if (r) { /* as it was */
            value_text(*slot)->length = length;
            value_text(*slot)->chars = chars;
            value_text(*slot)->data[length] = '\0';
            return -1;
        }
    }
    return 0;
}

int add_in_place(struct vm *vm, struct value *slot, struct value b, bool *ret_done)
{
    *ret_done = false;
    if (!value_is_object(*slot) || value_same(*slot, b) || !object_is_unique(value_object(*slot))) {
        return 0;
    }
    if (value_is_text(*slot)) {
        return extend_text(vm, slot, &b, 1, ret_done);
    }
    if (value_is_list(*slot) && value_is_list(b)) {
        for (size_t i = 0; i < value_list(b)->length; i++) {
            if (list_push(vm, value_list(*slot), value_keep(value_list(b)->items[i]))) {
                return -1;
            }
        }
        *ret_done = true;
    }
    return 0;
}

int build_text(struct vm *vm, struct value *parts, size_t count, struct value *ret)
{
    struct buffer buffer;
    buffer_init(&buffer, vm);
    for (size_t i = 0; i < count; i++) {
        display_put(&buffer, parts[i]);
        value_drop(vm, value_take(&parts[i]));
    }
    return buffer_text(&buffer, ret);
}

static int map_put(struct vm *vm, struct frame *frame, uint64_t code)
{
    struct value key;
    if (map_key(vm, RB, &key)) {
        return -1;
    }
    int r = map_set(vm, value_map(RA), key, value_take(&RC));
    value_drop(vm, key);
    return r;
}

/* ---- loops ---- */

static int for_prepare(struct vm *vm, struct frame *frame, uint64_t code)
{
    struct value *state = &RA;
    for (int i = 0; i < 3; i++) {
        int64_t n;
        if (index_value(vm, state[i], &n)) {
            return -1;
        }
        n = n > INT_SMALL_MAX ? INT_SMALL_MAX : n < INT_SMALL_MIN ? INT_SMALL_MIN : n;
        value_replace(vm, &state[i], value_small(n));
    }
    return value_small_get(state[2]) == 0 ? vm_fail(vm, "range() arg 3 must not be zero") : 0;
}

static int iterate(struct vm *vm, struct frame *frame, uint64_t code)
{
    struct value v = RA;
    if (!value_is_list(v) && !value_is_map(v) && !value_is_text(v) && !value_is(v, OBJECT_BYTES) &&
        !value_is(v, OBJECT_MODULE)) {
        return vm_fail_here(
            vm,
            "Cannot iterate over %s — each walks a list, the keys of a map, the characters of a text or the "
            "values of bytes",
            value_type_name(v));
    }
    frame->base[CODE_A(code) + 1] = value_small(0);
    return 0;
}

int next_item(struct vm *vm, struct value *state, struct value *ret, bool *ret_end)
{
    size_t at = (size_t)value_small_get(state[1]);
    *ret_end = false;
    if (value_is_map(state[0])) {
        struct value key, v;
        *ret_end = !map_next(value_map(state[0]), &at, &key, &v);
        if (!*ret_end && key_text(vm, key, ret)) {
            return -1;
        }
    } else if (value_is_text(state[0])) {
        const struct text *text = value_text(state[0]);
        *ret_end = at >= text->length;
        size_t from = at;
        if (!*ret_end) {
            utf8_next(text->data, &at);
            if (text_new(vm, text->data + from, at - from, ret)) {
                return -1;
            }
        }
    } else if (value_is(state[0], OBJECT_MODULE)) {
        const struct module *module = (struct module *)value_object(state[0]);
        *ret_end = at >= module->export_count;
        if (!*ret_end) {
            *ret = value_keep(module->exports[at++].name);
        }
    } else {
        const struct bytes *bytes = value_bytes(state[0]);
        *ret_end = at >= bytes->length;
        if (!*ret_end) {
            *ret = value_small(bytes->data[at++]);
        }
    }
    state[1] = value_small((int64_t)at);
    return 0;
}

/* ---- calls ---- */

int call_names(struct vm *vm, struct frame *frame, uint64_t code)
{
    const struct call_names *site = &frame->proto->calls[CODE_C(code)];
    struct value *base = &RA;
    struct named_value *named = memory_alloc(vm, (site->count + 1) * sizeof(*named));
    if (!named) {
        return -1;
    }
    for (size_t i = 0; i < site->count; i++) {
        named[i] = (struct named_value){site->names[i], base[1 + site->positional + i]};
    }
    struct value v;
    int r = call_value(vm, base[0], base + 1, site->positional, named, site->count, false, &v);
    memory_free(vm, named, (site->count + 1) * sizeof(*named));
    for (size_t i = 0; i < 1 + site->positional + site->count; i++) {
        value_drop(vm, value_take(&base[i]));
    }
    if (r == 0) {
        value_replace(vm, &RB, v);
    }
    return r;
}

static int call_piped(struct vm *vm, struct frame *frame, uint64_t code)
{
    struct value *base = &RA;
    struct value v;
    int r = call_value(vm, base[0], base + 1, 1, NULL, 0, true, &v);
    value_drop(vm, value_take(&base[0]));
    value_drop(vm, value_take(&base[1]));
    if (r == 0) {
        value_replace(vm, &RB, v);
    }
    return r;
}

static int raise_value(struct vm *vm, struct value v)
{
    struct value text;
    if (raw_text(vm, v, &text)) {
        return -1;
    }
    vm_fail_here(vm, "%s", value_text(text)->data);
    value_drop(vm, text);
    return -1;
}

/* ---- match ---- */

static int element(struct vm *vm, struct frame *frame, uint64_t code)
{
    const struct list *list = value_list(RB);
    int32_t at = CODE_JUMP(code);
    value_replace(vm, &RA, value_keep(list->items[at < 0 ? (size_t)((int64_t)list->length + at) : (size_t)at]));
    return 0;
}

static int rest(struct vm *vm, struct frame *frame, uint64_t code)
{
    const struct list *list = value_list(RB);
    size_t from = CODE_C(code) >> 12, after = CODE_C(code) & 4095;
    struct list *part = list_new(vm, list->length - from - after);
    if (!part) {
        return -1;
    }
    for (size_t i = from; i + after < list->length; i++) {
        part->items[part->length++] = value_keep(list->items[i]);
    }
    value_replace(vm, &RA, value_of(part));
    return 0;
}

static int match_key(struct vm *vm, struct frame *frame, uint64_t code)
{
    struct value v = VALUE_UNDEFINED;
    if (value_is_map(RB)) {
        const struct value *place = map_find(value_map(RB), KC);
        v = place ? value_keep(*place) : v;
    } else if (get_field(vm, RB, KC, &v)) {
        error_clear(vm);
        v = VALUE_UNDEFINED;
    }
    value_replace(vm, &RA, v);
    return 0;
}

static int payload(struct vm *vm, struct frame *frame, uint64_t code)
{
    const struct map *map = value_map(RB);
    size_t position = 0;
    struct value key, v = VALUE_NOTHING;
    for (uint32_t i = 0; i <= CODE_C(code) + 1; i++) { /* the first entry is __variant */
        map_next(map, &position, &key, &v);
    }
    value_replace(vm, &RA, value_keep(v));
    return 0;
}

static int payloads(struct vm *vm, struct frame *frame, uint64_t code)
{
    size_t fields = map_length(value_map(RA)) - 1;
    if (fields == CODE_C(code)) {
        return 0;
    }
    const struct value *name = map_find_name(value_map(RA), "__variant");
    return vm_fail(vm, "variant %s binds %zu field%s, got %u", value_text(*name)->data, fields, fields == 1 ? "" : "s",
                   CODE_C(code));
}

static int variant(struct vm *vm, struct frame *frame, uint64_t code)
{
    bool fits;
    if (variant_matches(vm, RA, RB, KC, &fits)) {
        return -1;
    }
    value_replace(vm, &RA, value_bool(fits));
    return 0;
}

/* ---- declarations and output ---- */

static int intent(struct vm *vm, struct frame *frame, uint64_t code)
{
    if (vm->started) {
        return vm_fail_here(
            vm, "Cannot declare a new intent after execution has started. Intents are declared in the preamble, "
                "before any other statement");
    }
    value_replace(vm, &vm->intent, value_keep(KC));
    (void)frame;
    return 0;
}

static int output(struct vm *vm, struct frame *frame, uint64_t code)
{
    struct buffer line;
    buffer_init(&line, vm);
    if (CODE_OP(code) == OP_LOG) {
        buffer_puts(&line, "[LOG] ");
    } else if (CODE_B(code)) {
        buffer_printf(&line, "[%s] ", value_text(KC)->data);
    }
    display_put(&line, RA);
    int r = line.failed               ? -1
            : CODE_OP(code) == OP_LOG ? vm_print_error(vm, line.data, line.length)
                                      : vm_print(vm, line.data ? line.data : "", line.length);
    buffer_done(&line);
    return r;
}

static int run_test(struct vm *vm, struct frame *frame, uint64_t code)
{
    struct value v = VALUE_NOTHING;
    struct buffer line;
    buffer_init(&line, vm);
    if (vm_call(vm, RA, NULL, 0, &v)) {
        if (vm->error.kind != ERROR_RUN && vm->error.kind != ERROR_STOP) {
            buffer_done(&line);
            return -1;
        }
        buffer_printf(&line, "✗ %s: %s", value_text(KC)->data, vm->error.message);
        error_clear(vm);
        vm->tests_failed++;
    } else {
        buffer_printf(&line, "✓ %s", value_text(KC)->data);
        vm->tests_passed++;
    }
    value_drop(vm, v);
    int r = line.failed ? -1 : vm_print(vm, line.data, line.length);
    buffer_done(&line);
    return r;
}

static int require(struct vm *vm, struct frame *frame, uint64_t code)
{
    return capability_require(vm, value_text(KC)->data, value_text(KC)->length, CODE_B(code) ? RA : VALUE_UNDEFINED);
}

static int use(struct vm *vm, struct frame *frame, uint64_t code)
{
    struct value v;
    if (module_load(vm, frame->module, KC, &v)) {
        return -1;
    }
    value_replace(vm, &RA, v);
    return 0;
}

static int update(struct vm *vm, struct frame *frame, uint64_t code)
{
    const struct path *path = &frame->proto->paths[CODE_C(code)];
    struct value *args = &RA;
    struct value v = VALUE_NOTHING;
    int r = update_path(vm, root_slot(frame, path), path, frame, args, CODE_B(code), &v);
    for (uint32_t i = 0; i < CODE_B(code); i++) {
        value_drop(vm, value_take(&args[i]));
    }
    value_drop(vm, v);
    return r;
}

static int has(struct vm *vm, struct frame *frame, uint64_t code)
{
    bool in;
    bool not = CODE_OP(code) == OP_NOTIN;
    if (contains_in(vm, RB, RC, not ? "not in" : "in", &in)) {
        return -1;
    }
    value_replace(vm, &RA, value_bool(in != not ));
    return 0;
}

static int new_container(struct vm *vm, struct frame *frame, uint64_t code)
{
    void *made = CODE_OP(code) == OP_NEWLIST ? (void *)list_new(vm, CODE_C(code)) : (void *)map_new(vm);
    if (!made) {
        return -1;
    }
    value_replace(vm, &RA, value_of(made));
    return 0;
}

static int concatenate(struct vm *vm, struct frame *frame, uint64_t code)
{
    struct value v;
    if (build_text(vm, &RB, CODE_C(code), &v)) {
        return -1;
    }
    value_replace(vm, &RA, v);
    return 0;
}

static int get_global(struct vm *vm, struct frame *frame, uint64_t code)
{
    struct value v;
    if (missing_global(vm, frame, CODE_C(code), &v)) {
        return -1;
    }
    value_replace(vm, &RA, v);
    return 0;
}

static int stopped(struct vm *vm)
{
    static const struct position nowhere = {0, 0};
    return vm_fail_kind(vm, ERROR_STOP, NULL, nowhere, "'give'/'stop' used outside of a task or loop");
}

int execute(struct vm *vm, struct frame *frame, uint64_t code)
{
    switch (CODE_OP(code)) {
    case OP_NEWBOX:
        return new_box(vm, &RA, VALUE_UNDEFINED);
    case OP_BOX:
        return new_box(vm, &RA, RA);
    case OP_GETG:
        return get_global(vm, frame, code);
    case OP_CALLG:
        return call_global(vm, frame, code);
    case OP_UNDEFINED:
        return undefined(vm, frame, code);
    case OP_UNSETTABLE:
        return vm_fail(vm, "Cannot set undefined variable: '%s'. Use 'let' first.", value_text(KC)->data);
    case OP_IN:
    case OP_NOTIN:
        return has(vm, frame, code);
    case OP_SETPATH:
        return set_path(vm, root_slot(frame, &frame->proto->paths[CODE_C(code)]), &frame->proto->paths[CODE_C(code)],
                        frame, &RA);
    case OP_UPDATE:
        return update(vm, frame, code);
    case OP_NEWLIST:
    case OP_NEWMAP:
        return new_container(vm, frame, code);
    case OP_MAPPUT:
        return map_put(vm, frame, code);
    case OP_CONCAT:
        return concatenate(vm, frame, code);
    case OP_CLOSURE:
        return closure(vm, frame, code);
    case OP_CALLN:
        return call_names(vm, frame, code);
    case OP_CALLP:
        return call_piped(vm, frame, code);
    case OP_STOPPED:
        return stopped(vm);
    case OP_OUTSIDE:
        return vm_fail(vm, "'give'/'stop' used outside of a task or loop");
    case OP_RAISE:
        return raise_value(vm, RA);
    case OP_FORPREP:
        return for_prepare(vm, frame, code);
    case OP_ITER:
        return iterate(vm, frame, code);
    case OP_ELEMENT:
        return element(vm, frame, code);
    case OP_REST:
        return rest(vm, frame, code);
    case OP_MATCHKEY:
        return match_key(vm, frame, code);
    case OP_VARIANT:
        return variant(vm, frame, code);
    case OP_PAYLOADS:
        return payloads(vm, frame, code);
    case OP_PAYLOAD:
        return payload(vm, frame, code);
    case OP_ENTER:
        return guard_push(vm, CODE_B(code) ? &RA : NULL);
    case OP_LEAVE:
        guard_pop(vm);
        return 0;
    case OP_START:
        vm->started = true;
        return 0;
    case OP_REQUIRE:
        return require(vm, frame, code);
    case OP_INTENT:
        return intent(vm, frame, code);
    case OP_BROKEN:
        return vm_fail_here(vm, "Invariant violation: %s",
                            value_is_text(KC) ? value_text(KC)->data : "unnamed invariant");
    case OP_LOG:
    case OP_SHOW:
        return output(vm, frame, code);
    case OP_USE:
        return use(vm, frame, code);
    case OP_TEST:
        return run_test(vm, frame, code);
    case OP_BADTARGET:
        return vm_fail_here(
            vm, "Invalid set target: it must start from a variable — bind it first: let x be …, then set x.…");
    default:
        return vm_fail(vm, "unknown instruction");
    }
}
