/* Calls: frames, the arguments of tasks and builtins (§6), and calls from builtins back into the program. */
#include "machine_internal.h"

#include <stdio.h>

#define OPTIONS_MAX 8

/* ---- frames ---- */

static int too_deep(struct vm *vm)
{
    return vm_fail(vm, "maximum recursion depth exceeded");
}

struct frame *push_frame(struct vm *vm, struct proto *proto, struct task *task, struct module *module)
{
    if (vm->depth >= vm->depth_limit || (size_t)(vm->stack_end - vm->top) < proto->registers) {
        too_deep(vm);
        return NULL;
    }
    vm->depth++;
    struct frame *frame = &vm->frames[vm->frame_count++];
    frame->pc = proto->code;
    frame->base = vm->top;
    frame->proto = proto;
    frame->task = task;
    frame->module = module;
    frame->entry = false;
    if (task) {
        task->object.refs++;
    }
    vm->top += proto->registers;
    while (vm->stack_high < vm->top) {
        *vm->stack_high++ = VALUE_NOTHING;
    }
    return frame;
}

void pop_frame(struct vm *vm)
{
    struct frame *frame = &vm->frames[--vm->frame_count];
    vm->depth--;
    if (frame->task) {
        struct value *base = frame->base;
        for (uint32_t i = 0; i < frame->proto->registers; i++) {
            if (value_is_object(base[i])) {
                struct value v = base[i];
                base[i] = VALUE_NOTHING;
                value_drop(vm, v);
            }
        }
        vm->top = base;
        value_drop(vm, value_of(frame->task));
    }
}

/* ---- tasks ---- */

static const char *task_words(const struct proto *proto, char *to, size_t size)
{
    if (proto->lambda) {
        return "this lambda";
    }
    snprintf(to, size, "task '%.100s'", value_text(proto->name)->data);
    return to;
}

static int fill_named(struct vm *vm, struct frame *frame, size_t count, const struct named_value *named,
                      size_t named_count)
{
    const struct proto *proto = frame->proto;
    for (size_t i = 0; i < named_count; i++) {
        uint32_t at = 0;
        while (at < proto->param_count && !value_same(proto->params[at].name, named[i].name)) {
            at++;
        }
        if (at == proto->param_count) {
            return vm_fail_here(vm, "unknown parameter '%s'", value_text(named[i].name)->data);
        }
        if (at < count) {
            return vm_fail_here(vm, "duplicate argument '%s'", value_text(named[i].name)->data);
        }
        value_replace(vm, &frame->base[at], value_keep(named[i].value));
    }
    return 0;
}

/* The `count` positional arguments stand in the frame already. An error is located at the call. */
int bind_arguments(struct vm *vm, struct frame *frame, size_t count, const struct named_value *named,
                   size_t named_count, bool permissive)
{
    const struct proto *proto = frame->proto;
    char words[128];
    for (size_t i = count; i < proto->param_count; i++) {
        frame->base[i] = VALUE_UNDEFINED;
    }
    /* errors belong to the caller: its frame must be the topmost while they are set */
    vm->frame_count--;
    int r = fill_named(vm, frame, count, named, named_count);
    for (size_t i = count; r == 0 && i < proto->param_count; i++) {
        if (!value_is_undefined(frame->base[i]) || proto->params[i].has_default) {
            continue;
        }
        if (permissive) {
            frame->base[i] = VALUE_NOTHING;
            continue;
        }
        const char *name = value_text(proto->params[i].name)->data;
        r = vm_fail_here(vm,
                         "%s is missing argument '%s' — pass it, or give the parameter a default in the task: %s = …",
                         task_words(proto, words, sizeof(words)), name, name);
    }
    vm->frame_count++;
    return r;
}

static bool c_stack_is_short(const struct vm *vm)
{
    return (const char *)__builtin_frame_address(0) < vm->c_stack_end;
}

/* Runs the frame on top, whose arguments stand in it; `ret` starts as nothing. */
static int run_frame(struct vm *vm, struct frame *frame, struct value *ret)
{
    *ret = VALUE_NOTHING;
    frame->ret = ret;
    frame->entry = true;
    return interpret(vm);
}

static int too_many(struct vm *vm, const struct proto *proto, size_t count)
{
    char words[128];
    return vm_fail_here(vm, "%s takes %u argument%s, got %zu", task_words(proto, words, sizeof(words)),
                        proto->param_count, proto->param_count == 1 ? "" : "s", count);
}

static int call_task(struct vm *vm, struct task *task, const struct value *args, size_t count,
                     const struct named_value *named, size_t named_count, bool permissive, struct value *ret)
{
    struct proto *proto = task->proto;
    if (count > proto->param_count) {
        if (!permissive) {
            return too_many(vm, proto, count);
        }
        count = proto->param_count;
    }
    if (c_stack_is_short(vm)) {
        return too_deep(vm);
    }
    struct frame *frame = push_frame(vm, proto, task, task->module);
    if (!frame) {
        return -1;
    }
    for (size_t i = 0; i < count; i++) {
        frame->base[i] = value_keep(args[i]);
    }
    if ((count < proto->param_count || named_count) &&
        bind_arguments(vm, frame, count, named, named_count, permissive)) {
        pop_frame(vm);
        return -1;
    }
    return run_frame(vm, frame, ret);
}

int run_module_code(struct vm *vm, struct module *module, struct value *ret)
{
    if (vm->depth >= vm->depth_limit || c_stack_is_short(vm)) {
        return too_deep(vm);
    }
    vm->depth++;
    struct frame *frame = &vm->frames[vm->frame_count++];
    *frame = (struct frame){.pc = module->main->code, .base = module->globals, .proto = module->main, .module = module};
    return run_frame(vm, frame, ret);
}

/* ---- builtins ---- */

/* The place of a name in a list like "items,desc", -1 if it is not there. */
static int place_in(const char *names, struct value name)
{
    const struct text *text = value_text(name);
    int at = 0;
    for (const char *p = names; p && *p; at++) {
        size_t n = strcspn(p, ",");
        if (n == text->length && memcmp(p, text->data, n) == 0) {
            return at;
        }
        p += n;
        p += *p == ',';
    }
    return -1;
}

static int wrong_name(struct vm *vm, const struct builtin *builtin, const struct named_value *named)
{
    const char *name = value_text(named->name)->data;
    if (builtin->options || builtin->params) {
        char list[128];
        const char *from = builtin->options ? builtin->options : builtin->params;
        size_t n = 0;
        for (const char *p = from; *p && n + 3 < sizeof(list); p++) {
            list[n++] = *p;
            if (*p == ',') {
                list[n++] = ' ';
            }
        }
        list[n] = '\0';
        return vm_fail_here(vm, "%s() has no argument named '%s' (named arguments it takes: %s)", builtin->name, name,
                            list);
    }
    return vm_fail_here(vm, "%s() does not accept named arguments (got %s = …); pass it by position", builtin->name,
                        name);
}

static int count_error(struct vm *vm, const struct builtin *builtin, size_t count)
{
    if (count < builtin->min) {
        if (builtin->too_few) {
            return vm_fail(vm, "%s", builtin->too_few);
        }
        return vm_fail_here(vm, "%s() needs %u argument%s, got %zu", builtin->name, builtin->min,
                            builtin->min == 1 ? "" : "s", count);
    }
    return vm_fail_here(vm, "%s() takes at most %u argument%s, got %zu%s", builtin->name, builtin->max,
                        builtin->max == 1 ? "" : "s", count, builtin->hint ? builtin->hint : "");
}

/* The error of a builtin whose errors are all located. */
static int located(struct vm *vm)
{
    if (vm->error.kind == ERROR_RUN && !vm->error.located) {
        char *copy = memory_strdup(vm, vm->error.message, strlen(vm->error.message));
        if (copy) {
            vm_fail_here(vm, "%s", copy);
            memory_free(vm, copy, strlen(copy) + 1);
        }
    }
    return -1;
}

static int invoke(struct vm *vm, struct call *call, struct value *ret)
{
    if (vm->depth >= vm->depth_limit) {
        return too_deep(vm);
    }
    if (call->builtin->gated && vm_is_pure(vm)) {
        return vm_fail(
            vm, "%s: not available in the pure profile — this run has no filesystem (run it with the native profile)",
            call->builtin->name);
    }
    vm->depth++;
    *ret = VALUE_NOTHING;
    int r = call->builtin->fn(vm, call, ret);
    vm->depth--;
    return r && call->builtin->here ? located(vm) : r;
}

/* With names: the arguments in their places, and the options. */
static int call_with_names(struct vm *vm, struct call *call, const struct named_value *named, size_t named_count,
                           struct value *ret)
{
    const struct builtin *builtin = call->builtin;
    struct value args[32], options[OPTIONS_MAX];
    size_t count = call->count;
    if (count > 24) {
        return vm_fail_here(vm, "%s(): too many arguments beside named ones", builtin->name);
    }
    for (size_t i = 0; i < 32; i++) {
        args[i] = i < count ? call->args[i] : VALUE_UNDEFINED;
    }
    for (size_t i = 0; i < OPTIONS_MAX; i++) {
        options[i] = VALUE_UNDEFINED;
    }
    for (size_t i = 0; i < named_count; i++) {
        int option = place_in(builtin->options, named[i].name);
        int param = call->self ? constructor_place(call->self, named[i].name) : -1;
        param = param >= 0 && param < 24 ? param : place_in(builtin->params, named[i].name);
        if (option >= 0) {
            options[option] = named[i].value;
        } else if (param >= 0 && value_is_undefined(args[param])) {
            args[param] = named[i].value;
            count = (size_t)param + 1 > count ? (size_t)param + 1 : count;
        } else if (param >= 0) {
            return vm_fail_here(vm, "duplicate argument '%s'", value_text(named[i].name)->data);
        } else {
            return wrong_name(vm, builtin, &named[i]);
        }
    }
    if (count < builtin->min || (builtin->max != MANY && count > builtin->max)) {
        return count_error(vm, builtin, count);
    }
    for (size_t i = 0; i < builtin->min; i++) {
        if (value_is_undefined(args[i])) {
            return vm_fail_here(vm, "%s() is missing an argument (got %zu)", builtin->name, named_count + call->count);
        }
    }
    /* copies: what the builtin takes must be its own */
    for (size_t i = 0; i < count; i++) {
        value_keep(args[i]);
    }
    struct call full = {.args = args, .count = count, .options = options, .builtin = builtin, .self = call->self};
    int r = invoke(vm, &full, ret);
    for (size_t i = 0; i < count; i++) {
        value_drop(vm, args[i]);
    }
    return r;
}

int call_builtin(struct vm *vm, const struct builtin *builtin, struct native *self, struct value *args, size_t count,
                 const struct named_value *named, size_t named_count, bool permissive, struct value *ret)
{
    static struct value none[OPTIONS_MAX] = {{0x1c}, {0x1c}, {0x1c}, {0x1c}, {0x1c}, {0x1c}, {0x1c}, {0x1c}};
    struct call call = {.args = args, .count = count, .options = none, .builtin = builtin, .self = self};
    struct value padded[8];
    if (permissive && builtin->max != MANY && count > builtin->max) {
        call.count = count = builtin->max;
    }
    if (permissive && count < builtin->min && builtin->min <= 8 && !named_count) {
        for (size_t i = 0; i < builtin->min; i++) {
            padded[i] = i < count ? args[i] : VALUE_NOTHING;
        }
        call.args = padded;
        call.count = builtin->min;
        for (size_t i = 0; i < count; i++) {
            value_keep(padded[i]);
        }
        int r = invoke(vm, &call, ret);
        for (size_t i = 0; i < call.count; i++) {
            value_drop(vm, padded[i]);
        }
        return r;
    }
    if (named_count) {
        return call_with_names(vm, &call, named, named_count, ret);
    }
    if (count < builtin->min || (builtin->max != MANY && count > builtin->max)) {
        return count_error(vm, builtin, count);
    }
    return invoke(vm, &call, ret);
}

/* ---- from builtins, and for calls that are not simple ---- */

int vm_not_callable(struct vm *vm, struct value v)
{
    return vm_fail_here(vm, "Cannot call value of type %s", value_type_name(v));
}

int call_value(struct vm *vm, struct value callee, struct value *args, size_t count, const struct named_value *named,
               size_t named_count, bool permissive, struct value *ret)
{
    if (value_is(callee, OBJECT_TASK)) {
        return call_task(vm, (struct task *)value_object(callee), args, count, named, named_count, permissive, ret);
    }
    if (value_is(callee, OBJECT_NATIVE)) {
        struct native *native = (struct native *)value_object(callee);
        value_keep(callee);
        int r = call_builtin(vm, native->builtin, native, args, count, named, named_count, permissive, ret);
        value_drop(vm, callee);
        return r;
    }
    return vm_not_callable(vm, callee);
}

int vm_call_named(struct vm *vm, struct value callee, const struct value *args, size_t count,
                  const struct named_value *named, size_t named_count, struct value *ret)
{
    if (value_is(callee, OBJECT_TASK)) {
        return call_task(vm, (struct task *)value_object(callee), args, count, named, named_count, true, ret);
    }
    struct value own[16];
    size_t n = count < 16 ? count : 16;
    for (size_t i = 0; i < n; i++) {
        own[i] = value_keep(args[i]);
    }
    int r = call_value(vm, callee, own, n, named, named_count, true, ret);
    for (size_t i = 0; i < n; i++) {
        value_drop(vm, own[i]);
    }
    return r;
}

int vm_call(struct vm *vm, struct value callee, const struct value *args, size_t count, struct value *ret)
{
    return vm_call_named(vm, callee, args, count, NULL, 0, ret);
}

int vm_call1(struct vm *vm, struct value callee, struct value a, struct value *ret)
{
    return vm_call_named(vm, callee, &a, 1, NULL, 0, ret);
}

int vm_call2(struct vm *vm, struct value callee, struct value a, struct value b, struct value *ret)
{
    struct value args[2] = {a, b};
    return vm_call_named(vm, callee, args, 2, NULL, 0, ret);
}

/* ---- limits ---- */

#define FUEL 65536

int vm_refuel(struct vm *vm)
{
    static const struct position nowhere = {0, 0};
    vm->steps += (uint64_t)(vm->fuel_given - vm->fuel);
    vm->fuel_given = vm->fuel = FUEL;
    if (vm->cancelled) {
        return vm_fail_kind(vm, ERROR_LIMIT, NULL, nowhere, "cancelled");
    }
    uint64_t limit = vm->options.step_limit;
    if (limit) {
        if (vm->steps >= limit) {
            return vm_fail_kind(vm, ERROR_LIMIT, NULL, nowhere, "step limit of %llu exceeded",
                                (unsigned long long)limit);
        }
        if (limit - vm->steps < FUEL) {
            vm->fuel_given = vm->fuel = (int64_t)(limit - vm->steps);
        }
    }
    return 0;
}

int vm_poll(struct vm *vm, uint64_t work)
{
    vm->fuel -= work > INT32_MAX ? INT32_MAX : (int64_t)work;
    return vm->fuel < 0 ? vm_refuel(vm) : 0;
}
