/*
 * run_program (§12): another program in a child process of this same binary,
 * under the items of the wanted ceiling that this program could use itself.
 */
#include "capability_internal.h"
#include "child_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define ENV_MAX 256
#define ERRORS_SHOWN 2000

struct request {
    struct vm *vm;
    struct value source;
    struct value options; /* the map, or nothing */
    bool pure;
    struct buffer ceiling;
    struct value env[ENV_MAX]; /* owned texts "NAME=value" */
    size_t env_count;
    double timeout;
    const char *directory;
    const char *filename;
    long depth;
};

static struct value option(const struct request *request, const char *name)
{
    struct value *place = value_is_map(request->options) ? map_find_name(value_map(request->options), name) : NULL;
    return place ? *place : VALUE_NOTHING;
}

/* ---- checks, in the order of the reference ---- */

static int check_depth(struct request *request)
{
    const char *depth = getenv("SYNSEMA_RUN_DEPTH"), *limit = getenv("SYNSEMA_RUN_PROGRAM_MAX_DEPTH");
    long most = limit ? strtol(limit, NULL, 10) : 4;
    request->depth = (depth ? strtol(depth, NULL, 10) : 0) + 1;
    if (request->depth > most) {
        return vm_fail(request->vm,
                       "run_program: max depth %ld exceeded (set SYNSEMA_RUN_PROGRAM_MAX_DEPTH to raise it)", most);
    }
    return 0;
}

static int check_profile(struct request *request)
{
    struct value profile = option(request, "profile");
    bool native = value_is_text(profile) && strcmp(value_text(profile)->data, "native") == 0;
    bool pure = value_is_nothing(profile) || (value_is_text(profile) && strcmp(value_text(profile)->data, "pure") == 0);
    if (!native && !pure) {
        return vm_fail(request->vm, "run_program: profile must be \"native\" or \"pure\", got %s",
                       value_is_text(profile) ? debug_quoted(request->vm, profile) : value_type_name(profile));
    }
    request->pure = !native;
    if (native && vm_is_pure(request->vm)) {
        request->pure = true;
        return capability_audit(request->vm, CAPABILITY_SANDBOX_RUN, NULL, false, "run_program()",
                                "above parent profile", "program");
    }
    return 0;
}

/* The items that this program could use itself; the others are dropped whole. */
static int lend(struct request *request, const struct grants *wanted)
{
    for (size_t i = 0; i < wanted->count; i++) {
        const struct grant *item = &wanted->items[i];
        if (!capability_allows(request->vm, item->capability, item->scope)) {
            if (capability_audit(request->vm, item->capability, item->scope, false, "run_program()",
                                 "above parent ceiling", "program")) {
                return -1;
            }
            continue;
        }
        buffer_printf(&request->ceiling, "%s%s%s%s", request->ceiling.length ? "," : "",
                      capability_wire(item->capability), item->scope ? "=" : "", item->scope ? item->scope : "");
    }
    if (request->ceiling.length == 0) {
        buffer_puts(&request->ceiling, "none");
    }
    buffer_char(&request->ceiling, '\0');
    return request->ceiling.failed ? -1 : 0;
}

static int check_ceiling(struct request *request)
{
    struct vm *vm = request->vm;
    struct value ceiling = option(request, "ceiling");
    const char *text = "stdout,time";
    if (value_is_text(ceiling)) {
        text = strcmp(value_text(ceiling)->data, "sandbox") == 0 ? text : value_text(ceiling)->data;
    } else if (!value_is_nothing(ceiling)) {
        return vm_fail(vm, "run_program: ceiling must be text, got %s", value_type_name(ceiling));
    }
    struct grants wanted;
    bool none;
    if (ceiling_parse(vm, text, &wanted, &none)) {
        return vm_prefix(vm, "run_program: ceiling: ");
    }
    return lend(request, &wanted);
}

static int add_env(struct request *request, const char *name, size_t length, const char *text)
{
    struct buffer line;
    if (request->env_count + 2 >= ENV_MAX) {
        return vm_fail(request->vm, "run_program: env has more than %d entries", ENV_MAX - 8);
    }
    buffer_init(&line, request->vm);
    buffer_put(&line, name, length);
    buffer_char(&line, '=');
    buffer_puts(&line, text);
    if (buffer_text(&line, &request->env[request->env_count])) {
        return -1;
    }
    request->env_count++;
    return 0;
}

static int check_env(struct request *request)
{
    struct vm *vm = request->vm;
    struct value env = option(request, "env");
    char depth[32];
    if (!value_is_nothing(env) && !value_is_map(env)) {
        return vm_fail(vm, "run_program: env must be a map of text");
    }
    size_t position = 0;
    struct value key, v;
    while (value_is_map(env) && map_next(value_map(env), &position, &key, &v)) {
        struct value name;
        if (key_text(vm, key, &name)) {
            return -1;
        }
        int r;
        if (value_is(v, OBJECT_SECRET)) {
            r = vm_fail(vm, "run_program: env %s is a secret — pass it on purpose with reveal()",
                        debug_quoted(vm, name));
        } else if (!value_is_text(v)) {
            r = vm_fail(vm, "run_program: env %s must be text, got %s", debug_quoted(vm, name), value_type_name(v));
        } else {
            r = add_env(request, value_text(name)->data, value_text(name)->length, value_text(v)->data);
        }
        value_drop(vm, name);
        if (r) {
            return r;
        }
    }
    const char *limit = getenv("SYNSEMA_RUN_PROGRAM_MAX_DEPTH");
    snprintf(depth, sizeof(depth), "%ld", request->depth);
    if (add_env(request, "SYNSEMA_RUN_DEPTH", 17, depth) || add_env(request, "SYNSEMA_ENV_FILE", 16, "")) {
        return -1;
    }
    return limit ? add_env(request, "SYNSEMA_RUN_PROGRAM_MAX_DEPTH", 29, limit) : 0;
}

static int check_timeout(struct request *request)
{
    struct value timeout = option(request, "timeout");
    request->timeout = 30;
    if (value_is_nothing(timeout)) {
        return 0;
    }
    if (!value_is_number(timeout)) {
        return vm_fail(request->vm, "run_program: timeout must be a number of seconds");
    }
    request->timeout = number_to_float(timeout);
    return request->timeout > 0 ? 0 : vm_fail(request->vm, "run_program: timeout must be > 0");
}

static int check_text(struct request *request, const char *name, const char **ret)
{
    struct value v = option(request, name);
    if (!value_is_nothing(v) && !value_is_text(v)) {
        return vm_fail(request->vm, "run_program: %s must be text, got %s", name, value_type_name(v));
    }
    if (value_is_text(v)) {
        *ret = value_text(v)->data;
    }
    return 0;
}

static int check_request(struct request *request, const struct call *call)
{
    struct vm *vm = request->vm;
    if (capability_check(vm, CAPABILITY_SANDBOX_RUN, NULL, "run_program()")) {
        return -1;
    }
    if (call->count == 0) {
        return vm_fail(vm, "run_program: missing source");
    }
    request->source = call->args[0];
    if (!value_is_text(request->source)) {
        return vm_fail(vm, "run_program: source must be text, got %s", value_type_name(request->source));
    }
    request->options = call_has(call, 1) ? call->args[1] : VALUE_NOTHING;
    request->filename = "<run_program>";
    return check_depth(request) || check_profile(request) || check_ceiling(request) || check_env(request) ||
                   check_timeout(request) || check_text(request, "cwd", &request->directory) ||
                   check_text(request, "filename", &request->filename)
               ? -1
               : 0;
}

/* ---- the result ---- */

static int set(struct vm *vm, struct map *map, const char *name, struct value v)
{
    return map_set_name(vm, map, name, v);
}

static int empty_list(struct vm *vm, const char *item, struct value *ret)
{
    struct list *list = list_new(vm, 1);
    struct value v;
    if (!list) {
        return -1;
    }
    *ret = value_of(list);
    if (item && (text_new_lossy(vm, item, strlen(item), &v) || list_push(vm, list, v))) {
        value_drop(vm, *ret);
        return -1;
    }
    return 0;
}

/* A run without a report: one error line. */
static int without_report(struct vm *vm, struct map *map, const char *line, struct value exit, bool timed_out)
{
    struct value output, errors, audit;
    if (empty_list(vm, NULL, &output) || empty_list(vm, line, &errors) || empty_list(vm, NULL, &audit)) {
        return -1;
    }
    return set(vm, map, "ok", VALUE_FALSE) || set(vm, map, "output", output) || set(vm, map, "errors", errors) ||
                   set(vm, map, "audit", audit) || set(vm, map, "exit", exit) ||
                   set(vm, map, "timed_out", value_bool(timed_out)) || set(vm, map, "llm_tokens", value_small(0))
               ? -1
               : 0;
}

static int timed_out(struct vm *vm, struct map *map, double seconds)
{
    char digits[40], line[96];
    float_format(seconds, digits);
    size_t n = strlen(digits);
    if (n > 2 && strcmp(digits + n - 2, ".0") == 0) {
        digits[n - 2] = '\0';
    }
    snprintf(line, sizeof(line), "run_program: timed out after %ss", digits);
    return without_report(vm, map, line, VALUE_NOTHING, true);
}

static int crashed(struct vm *vm, struct map *map, struct child *child)
{
    struct buffer line;
    struct buffer *errors = child->errors;
    bool killed = WIFSIGNALED(child->status);
    while (errors->length > 0 && strchr(" \t\r\n", errors->data[errors->length - 1])) {
        errors->length--;
    }
    size_t from = errors->length > ERRORS_SHOWN ? errors->length - ERRORS_SHOWN : 0;
    buffer_init(&line, vm);
    buffer_puts(&line, "run_program: child exited ");
    if (killed) {
        buffer_puts(&line, "(killed)");
    } else {
        buffer_printf(&line, "%d", WEXITSTATUS(child->status));
    }
    buffer_puts(&line, " without a report: ");
    buffer_put(&line, errors->data ? errors->data + from : "", errors->length - from);
    buffer_char(&line, '\0');
    int r = line.failed ? -1
                        : without_report(vm, map, line.data,
                                         killed ? VALUE_NOTHING : value_small(WEXITSTATUS(child->status)), false);
    buffer_done(&line);
    return r;
}

/* The child's report as a value; nothing when there is none. */
static int decode(struct vm *vm, const struct buffer *output, struct value *ret)
{
    const struct builtin *json = builtin_find("json_decode", 11);
    struct value args[2] = {VALUE_NOTHING, VALUE_NOTHING};
    *ret = VALUE_NOTHING;
    if (!json || output->length == 0) {
        return 0;
    }
    if (text_new_lossy(vm, output->data, output->length, &args[0])) {
        return -1;
    }
    int r = call_builtin(vm, json, NULL, args, 2, NULL, 0, false, ret);
    value_drop(vm, args[0]);
    return r;
}

static int from_report(struct vm *vm, struct map *map, const struct map *report)
{
    static const char *const names[] = {"ok", "output", "errors", "audit", "exit"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const struct value *v = map_find_name(report, names[i]);
        if (set(vm, map, names[i], v ? value_keep(*v) : VALUE_NOTHING)) {
            return -1;
        }
    }
    const struct value *tokens = map_find_name(report, "llm_tokens");
    return set(vm, map, "timed_out", VALUE_FALSE) ||
                   set(vm, map, "llm_tokens", tokens ? value_keep(*tokens) : value_small(0))
               ? -1
               : 0;
}

static int make_result(struct request *request, struct child *child, struct value *ret)
{
    struct vm *vm = request->vm;
    struct shape *empty = shape_empty(vm);
    struct map *map = empty ? map_new_record(vm, empty) : NULL;
    struct value report = VALUE_NOTHING;
    if (!map) {
        return -1;
    }
    *ret = value_of(map);
    if (child->timed_out) {
        return timed_out(vm, map, request->timeout);
    }
    if (decode(vm, child->output, &report)) {
        return -1;
    }
    int r = value_is_map(report) ? from_report(vm, map, value_map(report)) : crashed(vm, map, child);
    value_drop(vm, report);
    return r;
}

static int spawn(struct request *request, struct value *ret)
{
    struct vm *vm = request->vm;
    const char *self = vm->options.self ? vm->options.self : "/proc/self/exe";
    const char *argv[] = {self,
                          "--format",
                          "json",
                          "--cap-set",
                          request->ceiling.data,
                          "--profile",
                          request->pure ? "pure" : "native",
                          "--filename",
                          request->filename,
                          "-",
                          NULL};
    char *envp[ENV_MAX + 1];
    struct buffer output, errors;
    for (size_t i = 0; i < request->env_count; i++) {
        envp[i] = value_text(request->env[i])->data;
    }
    envp[request->env_count] = NULL;
    buffer_init(&output, vm);
    buffer_init(&errors, vm);
    struct child child = {.argv = (char *const *)argv,
                          .envp = envp,
                          .directory = request->directory,
                          .input = value_text(request->source)->data,
                          .input_length = value_text(request->source)->length,
                          .timeout_ms =
                              request->timeout > 1e9 ? INT64_C(1000000000000) : (int64_t)ceil(request->timeout * 1000),
                          .output = &output,
                          .errors = &errors};
    int e = child_run(&child);
    int r = e                                ? vm_fail(vm, "run_program: cannot start the child: %s", strerror(e))
            : output.failed || errors.failed ? -1
                                             : make_result(request, &child, ret);
    buffer_done(&output);
    buffer_done(&errors);
    return r;
}

static int run_program(struct vm *vm, struct call *call, struct value *ret)
{
    struct request *request = memory_alloc(vm, sizeof(*request));
    if (!request) {
        return -1;
    }
    memset(request, 0, sizeof(*request));
    request->vm = vm;
    buffer_init(&request->ceiling, vm);
    int r = check_request(request, call);
    if (r == 0) {
        r = spawn(request, ret);
    }
    for (size_t i = 0; i < request->env_count; i++) {
        value_drop(vm, request->env[i]);
    }
    buffer_done(&request->ceiling);
    memory_free(vm, request, sizeof(*request));
    return r;
}

const struct builtin builtins_program[] = {
    {.name = "run_program", .min = 0, .max = 2, .fn = run_program},
    {0},
};
