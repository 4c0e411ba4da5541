/* The public face: making an engine, running a source, what came of it. */
#include "machine_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>

#define DEPTH_DEFAULT 3000
#define STACK_SLOTS ((size_t)1 << 20)
#define MESSAGE_ROOM 4096
#define C_STACK_DEFAULT ((size_t)8 << 20)
#define C_STACK_MARGIN ((size_t)256 << 10)

static int start(struct vm *vm)
{
    for (size_t i = 0; i < 128; i++) {
        vm->ascii[i] = VALUE_NOTHING;
    }
    vm->intent = VALUE_NOTHING;
    vm->depth_limit = vm->options.depth_limit ? vm->options.depth_limit : DEPTH_DEFAULT;
    vm->frame_capacity = vm->depth_limit + 8;
    vm->frames = malloc(vm->frame_capacity * sizeof(*vm->frames));
    /* not touched before it is used, so it costs nothing */
    void *stack = mmap(NULL, STACK_SLOTS * sizeof(struct value), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    vm->stack = stack == MAP_FAILED ? NULL : stack;
    if (!vm->frames || !vm->stack) {
        return vm_fail_memory(vm);
    }
    vm->stack_end = vm->stack + STACK_SLOTS;
    vm->top = vm->stack_high = vm->stack;
    return capability_start(vm);
}

struct synsema *synsema_new(const struct synsema_options *options, char *ret_error, size_t size)
{
    struct synsema *engine = calloc(1, sizeof(*engine));
    if (!engine || !(engine->vm.error.message = malloc(MESSAGE_ROOM))) {
        free(engine);
        snprintf(ret_error, size, "out of memory");
        return NULL;
    }
    struct vm *vm = &engine->vm;
    vm->error.capacity = MESSAGE_ROOM;
    vm->error.message[0] = '\0';
    vm->options = *options;
    vm->fail_allocation = options->fail_allocation;
    if (!vm->options.filename) {
        vm->options.filename = "<program>";
    }
    if (start(vm)) {
        snprintf(ret_error, size, "%s", vm->error.message);
        synsema_free(engine);
        return NULL;
    }
    return engine;
}

void synsema_free(struct synsema *engine)
{
    if (!engine) {
        return;
    }
    struct vm *vm = &engine->vm;
    memory_done(vm);
    if (vm->stack) {
        munmap(vm->stack, STACK_SLOTS * sizeof(struct value));
    }
    free(vm->frames);
    free(vm->error.message);
    free(vm->report);
    free(vm->report_message);
    free(engine);
}

/* "Runtime error: f:1:2: message", allocated outside the engine's limits. */
static char *report(const struct vm *vm)
{
    const struct error *error = &vm->error;
    const char *kind = error->kind == ERROR_LEX     ? "Lexer error"
                       : error->kind == ERROR_PARSE ? "Parse error"
                                                    : "Runtime error";
    char *text = NULL;
    int n = error->located
                ? asprintf(&text, "%s: %s:%u:%u: %s", kind, error->file, error->line, error->column, error->message)
                : asprintf(&text, "%s: %s", kind, error->message);
    return n < 0 ? NULL : text;
}

static const struct synsema_result *finish(struct vm *vm, int r)
{
    struct synsema_result *result = &vm->result;
    *result = (struct synsema_result){.ok = r == 0};
    vm->steps += (uint64_t)(vm->fuel_given - vm->fuel);
    vm->fuel_given = vm->fuel;
    result->steps = vm->steps;
    result->tests_passed = vm->tests_passed;
    result->tests_failed = vm->tests_failed;
    if (r == 0) {
        return result;
    }
    if (vm->error.kind == ERROR_EXIT) {
        result->ok = vm->error.exit == 0;
        result->exit = vm->error.exit;
        return result;
    }
    result->exit = 1;
    vm->report = report(vm);
    vm->report_message = strdup(vm->error.message);
    result->error = vm->report ? vm->report : "Runtime error: out of memory";
    result->message = vm->report_message ? vm->report_message : "out of memory";
    if (vm->error.located) {
        result->line = vm->error.line;
        result->column = vm->error.column;
    }
    return result;
}

static int prepare(struct vm *vm, const char *source, size_t length)
{
    struct module *module = module_new(vm, vm->options.filename, NULL, source, length);
    if (!module) {
        return -1;
    }
    vm->program = module;
    module->main = compile_module(vm, module);
    return module->main ? module_prepare(vm, module) : -1;
}

const struct synsema_result *synsema_check(struct synsema *engine, const char *source, size_t length)
{
    return finish(&engine->vm, prepare(&engine->vm, source, length));
}

/* How far the C stack may grow from here. */
static void measure_stack(struct vm *vm)
{
    struct rlimit limit;
    size_t size = C_STACK_DEFAULT;
    if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < SIZE_MAX / 2) {
        size = (size_t)limit.rlim_cur;
    }
    size = size > 2 * C_STACK_MARGIN ? size - C_STACK_MARGIN : size / 2;
    vm->c_stack_end = (const char *)__builtin_frame_address(0) - size;
}

const struct synsema_result *synsema_run(struct synsema *engine, const char *source, size_t length)
{
    struct vm *vm = &engine->vm;
    struct value v = VALUE_NOTHING;
    measure_stack(vm);
    int r = prepare(vm, source, length);
    if (r == 0) {
        r = run_module_code(vm, vm->program, &v);
    }
    return finish(vm, r);
}

size_t synsema_audit_count(const struct synsema *engine)
{
    return engine->vm.audit_count;
}

struct synsema_audit synsema_audit_entry(const struct synsema *engine, size_t index)
{
    const struct audit_entry *entry = &engine->vm.audits[index];
    return (struct synsema_audit){entry->capability, entry->granted, entry->source, entry->reason, entry->origin};
}

void synsema_cancel(struct synsema *engine)
{
    engine->vm.cancelled = 1;
}
