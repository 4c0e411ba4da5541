/*
 * Permissions (§10): what was granted, the host's ceiling, sandboxes, and the
 * audit of every check. Ceilings as text are in ceiling.c, scopes in scope.c.
 */
#include "capability_internal.h"

#include <stdlib.h>
#include <unistd.h>

static const char *const wire[_CAPABILITY_MAX] = {
    [CAPABILITY_NET] = "net",
    [CAPABILITY_FILE] = "file",
    [CAPABILITY_FILE_READ] = "file.read",
    [CAPABILITY_FILE_WRITE] = "file.write",
    [CAPABILITY_EXEC] = "exec",
    [CAPABILITY_ENV] = "env",
    [CAPABILITY_TIME] = "time",
    [CAPABILITY_RANDOM] = "random",
    [CAPABILITY_STDOUT] = "stdout",
    [CAPABILITY_STDIN] = "stdin",
    [CAPABILITY_LLM] = "llm",
    [CAPABILITY_JUDGE] = "judge",
    [CAPABILITY_DB] = "db",
    [CAPABILITY_SERVE] = "serve",
    [CAPABILITY_SECRET] = "secret",
    [CAPABILITY_REVEAL] = "reveal",
    [CAPABILITY_SIGN] = "sign",
    [CAPABILITY_WALLET] = "wallet",
    [CAPABILITY_SPEND] = "spend",
    [CAPABILITY_MEMORY] = "memory",
    [CAPABILITY_SANDBOX_RUN] = "sandbox_run",
    [CAPABILITY_ATTEST] = "attest",
};

const char *capability_wire(enum capability capability)
{
    return wire[capability];
}

bool capability_known(const char *name, size_t length, enum capability *ret)
{
    for (enum capability c = CAPABILITY_NET; c < _CAPABILITY_MAX; c++) {
        if (strlen(wire[c]) == length && memcmp(wire[c], name, length) == 0) {
            *ret = c;
            return true;
        }
    }
    if (length == 9 && memcmp(name, "file_read", 9) == 0) {
        *ret = CAPABILITY_FILE_READ;
        return true;
    }
    if (length == 10 && memcmp(name, "file_write", 10) == 0) {
        *ret = CAPABILITY_FILE_WRITE;
        return true;
    }
    return false;
}

/* file.read with a scope → file_read("scope"), or with dots as programs write it */
static void put_capability(struct buffer *buffer, enum capability capability, const char *scope, bool dotted)
{
    for (const char *p = wire[capability]; *p; p++) {
        buffer_char(buffer, *p == '.' && !dotted ? '_' : *p);
    }
    if (scope && *scope) {
        buffer_printf(buffer, "(\"%s\")", scope);
    }
}

/* ---- grants ---- */

int grants_add(struct vm *vm, struct grants *grants, enum capability capability, const char *scope)
{
    if (memory_grow(vm, &grants->items, grants->count, &grants->capacity, sizeof(*grants->items))) {
        return -1;
    }
    char *normalized = NULL;
    if (scope && *scope && scope_normalize(vm, capability, scope, &normalized)) {
        return -1;
    }
    grants->items[grants->count++] = (struct grant){capability, normalized};
    return 0;
}

bool grants_cover(struct vm *vm, const struct grants *grants, enum capability capability, const char *scope,
                  size_t *ret_which)
{
    for (size_t i = 0; i < grants->count; i++) {
        if (grant_covers(vm, &grants->items[i], capability, scope)) {
            *ret_which = i;
            return true;
        }
    }
    return false;
}

/* ---- audit ---- */

int capability_audit(struct vm *vm, enum capability capability, const char *scope, bool granted, const char *source,
                     const char *reason, const char *origin)
{
    struct buffer name, why;
    buffer_init(&name, vm);
    buffer_init(&why, vm);
    put_capability(&name, capability, scope, false);
    buffer_puts(&why, reason);
    char *name_copy = name.failed ? NULL : memory_strdup(vm, name.data, name.length);
    char *why_copy = why.failed || !name_copy ? NULL : memory_strdup(vm, why.data, why.length);
    buffer_done(&name);
    buffer_done(&why);
    if (!why_copy || memory_grow(vm, &vm->audits, vm->audit_count, &vm->audit_capacity, sizeof(*vm->audits))) {
        return -1;
    }
    vm->audits[vm->audit_count++] = (struct audit_entry){name_copy, granted, source, why_copy, origin};
    return 0;
}

static bool ceiling_covers(struct vm *vm, enum capability capability, const char *scope)
{
    size_t which;
    return !vm->has_ceiling || grants_cover(vm, &vm->ceiling, capability, scope, &which);
}

/* ---- require ---- */

int capability_require(struct vm *vm, const char *name, size_t length, struct value scope)
{
    enum capability capability;
    struct value text = VALUE_UNDEFINED;
    if (vm->guard_count > 0) {
        return 0; /* inside a sandbox it does nothing */
    }
    if (!capability_known(name, length, &capability)) {
        return choice_unknown_require(vm, name);
    }
    if (!value_is_undefined(scope) && display_text(vm, scope, &text)) {
        return -1;
    }
    const char *wanted = value_is_text(text) && value_text(text)->length ? value_text(text)->data : NULL;
    char *normalized = NULL;
    int r = wanted ? scope_normalize(vm, capability, wanted, &normalized) : 0;
    if (r == 0 && ceiling_covers(vm, capability, normalized)) {
        r = grants_add(vm, &vm->granted, capability, wanted);
    } else if (r == 0) {
        r = grants_add(vm, &vm->rejected, capability, wanted);
        if (r == 0) {
            r = capability_audit(vm, capability, normalized, false, "ceiling",
                                 "above host ceiling (--sandbox/--cap-set)", "program");
        }
    }
    if (normalized) {
        memory_free(vm, normalized, strlen(normalized) + 1);
    }
    value_drop(vm, text);
    return r;
}

/* ---- checks ---- */

enum outcome { COVERED, NOT_GRANTED, ABOVE_CEILING, ABOVE_GUARD };

static enum outcome judge(struct vm *vm, enum capability capability, const char *scope, size_t *ret_grant)
{
    size_t which;
    bool ceiling = ceiling_covers(vm, capability, scope);
    for (size_t i = 0; i < vm->guard_count; i++) {
        if (!vm->guards[i].ceiling) {
            return NOT_GRANTED;
        }
        if (!grants_cover(vm, vm->guards[i].ceiling, capability, scope, &which)) {
            return ABOVE_GUARD;
        }
    }
    bool granted = grants_cover(vm, &vm->granted, capability, scope, ret_grant);
    if (granted) {
        return ceiling ? COVERED : ABOVE_CEILING;
    }
    return !ceiling && grants_cover(vm, &vm->rejected, capability, scope, &which) ? ABOVE_CEILING : NOT_GRANTED;
}

bool capability_allows(struct vm *vm, enum capability capability, const char *scope)
{
    size_t which;
    return judge(vm, capability, scope, &which) == COVERED;
}

static int deny(struct vm *vm, enum capability capability, const char *scope, enum outcome outcome)
{
    struct buffer name, wanted;
    buffer_init(&name, vm);
    buffer_init(&wanted, vm);
    put_capability(&name, capability, scope, false);
    put_capability(&wanted, capability, scope, true);
    buffer_char(&name, '\0');
    buffer_char(&wanted, '\0');
    if (name.failed || wanted.failed) {
        buffer_done(&name);
        buffer_done(&wanted);
        return -1;
    }
    if (outcome == ABOVE_CEILING) {
        vm_fail(vm,
                "Capability not granted: %s — declared but above the host ceiling (--sandbox/--cap-set). The program "
                "cannot "
                "fix this; the host must widen the ceiling",
                name.data);
    } else if (outcome == ABOVE_GUARD) {
        vm_fail(vm,
                "Capability not granted: %s — outside the ceiling of the enclosing `sandbox under` block; widen that "
                "ceiling "
                "or move the call out of the block",
                name.data);
    } else {
        vm_fail(
            vm,
            "Capability not granted: %s — this is a permission, not a bug: add `require %s` to the program's preamble "
            "(or to the importing file, when this code runs in a module)",
            name.data, wanted.data);
    }
    buffer_done(&name);
    buffer_done(&wanted);
    return -1;
}

static int note(struct vm *vm, enum capability capability, const char *scope, enum outcome outcome, size_t which,
                const char *source)
{
    if (outcome != COVERED) {
        const char *reason = outcome == ABOVE_CEILING ? "above host ceiling (--sandbox/--cap-set)"
                             : outcome == ABOVE_GUARD ? "outside the ceiling of the enclosing `sandbox under` block"
                                                      : "No matching grant found";
        return capability_audit(vm, capability, scope, false, source, reason, "program");
    }
    struct buffer reason;
    buffer_init(&reason, vm);
    buffer_puts(&reason, "Granted by ");
    put_capability(&reason, vm->granted.items[which].capability, vm->granted.items[which].scope, false);
    buffer_char(&reason, '\0');
    int r = reason.failed ? -1 : capability_audit(vm, capability, scope, true, source, reason.data, "program");
    buffer_done(&reason);
    return r;
}

int capability_check(struct vm *vm, enum capability capability, const char *scope, const char *source)
{
    if (vm->options.no_language_checks) {
        return 0;
    }
    char *normalized = NULL;
    if (scope && scope_normalize(vm, capability, scope, &normalized)) {
        return -1;
    }
    size_t which = 0;
    enum outcome outcome = judge(vm, capability, normalized, &which);
    int r = note(vm, capability, normalized, outcome, which, source);
    if (r == 0 && outcome != COVERED) {
        r = deny(vm, capability, normalized, outcome);
    }
    if (normalized) {
        memory_free(vm, normalized, strlen(normalized) + 1);
    }
    return r;
}

/* ---- sandboxes ---- */

int guard_push(struct vm *vm, struct value *ceiling)
{
    struct guard guard = {0};
    if (memory_grow(vm, &vm->guards, vm->guard_count, &vm->guard_capacity, sizeof(guard))) {
        return -1;
    }
    if (ceiling) {
        struct value text;
        bool none;
        guard.ceiling = memory_alloc(vm, sizeof(*guard.ceiling));
        if (!guard.ceiling || display_text(vm, *ceiling, &text)) {
            return -1;
        }
        *guard.ceiling = (struct grants){0};
        int r = ceiling_parse(vm, value_text(text)->data, guard.ceiling, &none);
        value_drop(vm, text);
        if (r) {
            return r;
        }
    }
    vm->guards[vm->guard_count++] = guard;
    return 0;
}

void guard_pop(struct vm *vm)
{
    vm->guard_count--; /* a ceiling's memory goes with the engine */
}

/* ---- start, and printing ---- */

int capability_start(struct vm *vm)
{
    const char *ambient = vm->options.ambient ? vm->options.ambient : "stdout,time,llm";
    struct grants grants = {0};
    bool none;
    if (vm->options.ceiling) {
        vm->has_ceiling = true;
        if (ceiling_parse(vm, vm->options.ceiling, &vm->ceiling, &vm->ceiling_none)) {
            return -1;
        }
    }
    if (ceiling_parse(vm, ambient, &grants, &none)) {
        return -1;
    }
    for (size_t i = 0; i < grants.count; i++) {
        const struct grant *grant = &grants.items[i];
        if (!ceiling_covers(vm, grant->capability, grant->scope)) {
            continue;
        }
        if (grants_add(vm, &vm->granted, grant->capability, grant->scope) ||
            capability_audit(vm, grant->capability, grant->scope, true, "ambient", "auto-granted by the runtime",
                             "runtime")) {
            return -1;
        }
    }
    return 0;
}

static int emit(struct vm *vm, enum synsema_stream stream, const char *data, size_t length)
{
    static const struct position nowhere = {0, 0};
    struct buffer line;
    buffer_init(&line, vm);
    buffer_put(&line, data, length);
    buffer_char(&line, '\n');
    int r = line.failed ? -1 : 0;
    if (r == 0 && vm->options.output) {
        if (vm->options.output(vm->options.context, stream, line.data, line.length)) {
            r = vm_fail_kind(vm, ERROR_LIMIT, NULL, nowhere, "cancelled");
        }
    } else if (r == 0) {
        for (size_t done = 0; done < line.length;) {
            ssize_t n = write((int)stream, line.data + done, line.length - done);
            if (n <= 0) {
                break; /* nobody reads: the program goes on */
            }
            done += (size_t)n;
        }
    }
    buffer_done(&line);
    return r;
}

/* Output is gated by the host's ceiling alone, and once per run. */
static int may_print(struct vm *vm, const char *source)
{
    if (vm->printing == 0) {
        bool covered = vm->options.no_language_checks || ceiling_covers(vm, CAPABILITY_STDOUT, NULL);
        vm->printing = covered ? 1 : -1;
        if (capability_audit(vm, CAPABILITY_STDOUT, NULL, covered, source,
                             covered ? "Granted by stdout" : "above host ceiling (--sandbox/--cap-set)", "program")) {
            return -1;
        }
    }
    if (vm->printing > 0) {
        return 0;
    }
    size_t which;
    bool declared = grants_cover(vm, &vm->rejected, CAPABILITY_STDOUT, NULL, &which);
    return deny(vm, CAPABILITY_STDOUT, NULL, declared ? ABOVE_CEILING : NOT_GRANTED);
}

int vm_print(struct vm *vm, const char *data, size_t length)
{
    return may_print(vm, "print()") ? -1 : emit(vm, SYNSEMA_STDOUT, data, length);
}

int vm_print_error(struct vm *vm, const char *data, size_t length)
{
    return may_print(vm, "log()") ? -1 : emit(vm, SYNSEMA_STDERR, data, length);
}

bool vm_is_pure(const struct vm *vm)
{
    return vm->options.pure;
}
