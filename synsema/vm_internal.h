/*
 * The machine as builtins see it: memory, errors, numbers, equality and
 * order, display, calls back into the program, permissions. Everything that
 * can fail returns 0, or -1 with the error set in the vm; then hand the -1 on.
 */
#ifndef TECHO_SYNSEMA_VM_INTERNAL_H
#define TECHO_SYNSEMA_VM_INTERNAL_H

#include "value_internal.h"

struct vm;

/* ---- memory: sized, counted against the limit ---- */

void *memory_alloc(struct vm *vm, size_t size); /* NULL with the error set */
void *memory_resize(struct vm *vm, void *block, size_t old_size, size_t new_size); /* `block` stays when it fails */
void memory_free(struct vm *vm, void *block, size_t size);
/* A new object with one reference; `size` is that of the whole object, which a later release can tell by itself. */
void *object_new(struct vm *vm, enum object_type type, size_t size);

/* ---- errors ---- */

/* Sets an error without a location (§8: most of what builtins report). Always -1. */
int vm_fail(struct vm *vm, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Sets an error located at the instruction that runs. Always -1. */
int vm_fail_here(struct vm *vm, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Out of memory, or a size that no memory could hold. Always -1. */
int vm_fail_memory(struct vm *vm);
/* For "total forms" (a fallback instead of an error): forgets the error and returns true, unless the run must end. */
bool vm_forgive(struct vm *vm);
/* Puts words before the message of the error that is set. Returns -1. */
int vm_prefix(struct vm *vm, const char *prefix);
/* The message of the error that is set; good until the next error. */
const char *vm_message(const struct vm *vm);
/* Call it in long loops inside builtins: -1 when the run is to stop (limits, cancellation). */
int vm_poll(struct vm *vm, uint64_t work);

/* ---- text under construction ---- */

struct buffer {
    struct vm *vm; /* borrowed */
    char *data;    /* owned; NULL when empty */
    size_t length;
    size_t capacity;
    bool failed;   /* memory was short; the error is set; later puts do nothing */
};
void buffer_init(struct buffer *buffer, struct vm *vm);
void buffer_done(struct buffer *buffer);
void buffer_put(struct buffer *buffer, const char *data, size_t length);
void buffer_puts(struct buffer *buffer, const char *string);
void buffer_char(struct buffer *buffer, char c);
void buffer_printf(struct buffer *buffer, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Makes room for `length` bytes, and gives where to write them; add to buffer->length what was written. */
char *buffer_room(struct buffer *buffer, size_t length);
/* The text made of the buffer, which is done with. -1 if anything failed before. */
int buffer_text(struct buffer *buffer, struct value *ret);

/* ---- what values look like ---- */

const char *value_type_name(struct value v); /* type_of */
bool value_truthy(struct value v);
/* The display form (§7): as print shows it. */
void display_put(struct buffer *buffer, struct value v);
int display_text(struct vm *vm, struct value v, struct value *ret_text);
/* The raw form (§9.3): the display form, but True, False and None. A text gives itself, kept. */
int raw_text(struct vm *vm, struct value v, struct value *ret_text);
/* Inside a container: texts in double quotes with JSON escapes. */
void display_quoted(struct buffer *buffer, struct value v);
/* "debug quotes" of error messages. */
void debug_quote(struct buffer *buffer, const char *data, size_t length);
/* The same as a C string for vm_fail's %s; good for a few calls. */
const char *debug_quoted(struct vm *vm, struct value text);
const char *displayed(struct vm *vm, struct value v);
/* The shortest digits that read back as the same double (§7). At least 32 bytes. */
size_t float_format(double d, char *to);
/* A whole decimal number; false if anything else is there. No blanks, no underscores; "nan" and "inf" spelled are numbers. */
bool float_parse(const char *data, size_t length, double *ret);

/* ---- numbers ---- */

enum operation { OPERATION_ADD, OPERATION_SUB, OPERATION_MUL, OPERATION_DIV, OPERATION_FLOOR, OPERATION_MOD, OPERATION_POW };

/* One of + - * / // % ** by the rules of §4, for all types. Errors are located at the running instruction. */
int operate(struct vm *vm, enum operation operation, struct value a, struct value b, struct value *ret);
int operate_negate(struct vm *vm, struct value a, struct value *ret);

bool value_is_number(struct value v); /* integer, float or decimal */
bool value_is_decimal(struct value v);
int int_from_i64(struct vm *vm, int64_t i, struct value *ret);
int int_from_u64(struct vm *vm, uint64_t i, struct value *ret);
/* Digits of a base (2…36), a sign before them, nothing else. 1 if it is no number. */
int int_parse(struct vm *vm, const char *data, size_t length, int base, struct value *ret);
int int_format(struct buffer *buffer, struct value v);
bool int_fits_i64(struct value v, int64_t *ret);
double int_to_float(struct value v); /* nearest; ±inf beyond */
int int_sign(struct value v);
/* Exact integer part of a finite double. */
int int_from_float(struct vm *vm, double d, struct value *ret);
int int_arith(struct vm *vm, enum operation operation, struct value a, struct value b, struct value *ret);
int int_compare(struct value a, struct value b); /* -1, 0, 1 */
/* integer, float or decimal to a double. */
double number_to_float(struct value v);

/* Takes the coefficient. */
int decimal_new(struct vm *vm, struct value coefficient, int64_t scale, struct value *ret);
/* Sign, digits, point, exponent. 1 if it is no decimal. */
int decimal_parse(struct vm *vm, const char *data, size_t length, struct value *ret);
int decimal_arith(struct vm *vm, enum operation operation, struct value a, struct value b, struct value *ret);
/* Half-even to `places`, which never adds places. */
int decimal_round(struct vm *vm, struct value v, int64_t places, struct value *ret);
/* a / b, rounded half-even to 28 significant digits unless exact; trailing zeros trimmed when asked. */
int decimal_divide(struct vm *vm, struct value a, struct value b, bool trim, struct value *ret);
int decimal_sqrt(struct vm *vm, struct value a, struct value *ret);
int decimal_trim(struct vm *vm, struct value v, struct value *ret);

/*
 * An index (§4): whole numbers of any kind. The errors are those of the
 * reference: "index must be an integer, got 1.7 — …".
 */
int index_value(struct vm *vm, struct value v, int64_t *ret);

/* ---- equality and order ---- */

/* ==, by value. -1 only for a decimal against a float, or values nested too deeply. */
int value_equal(struct vm *vm, struct value a, struct value b, bool *ret);
/* A hash that agrees with ==; NaNs alike. -1 for values nested too deeply. */
int value_hash(struct vm *vm, struct value v, uint64_t *ret);
/* < > of the language: *ret is -1, 0, 1, or 2 when unordered (a NaN). `sign` is for the message: "<". */
int value_compare(struct vm *vm, struct value a, struct value b, const char *sign, int *ret);
/* Numbers only, exact: -1, 0, 1; 2 with a NaN; -1 and the mix error for a decimal against a float. */
int number_compare(struct vm *vm, struct value a, struct value b, int *ret);

#define MIX_ERROR "cannot mix decimal and float; convert with float(x) or decimal(...)"

/* ---- calls ---- */

struct named_value {
    struct value name;  /* interned text */
    struct value value;
};

/*
 * Calls a task, lambda or builtin as builtins do (§6: permissive about
 * arguments that are too many or missing). Borrows the arguments.
 */
int vm_call(struct vm *vm, struct value callee, const struct value *args, size_t count, struct value *ret);
int vm_call1(struct vm *vm, struct value callee, struct value a, struct value *ret);
int vm_call2(struct vm *vm, struct value callee, struct value a, struct value b, struct value *ret);
int vm_call_named(struct vm *vm, struct value callee, const struct value *args, size_t count,
                  const struct named_value *named, size_t named_count, struct value *ret);
int vm_not_callable(struct vm *vm, struct value v); /* "Cannot call value of type …" */

/* ---- permissions (§10) ---- */

enum capability {
    CAPABILITY_NONE, /* as a builtin's: pure */
    CAPABILITY_NET,
    CAPABILITY_FILE,
    CAPABILITY_FILE_READ,
    CAPABILITY_FILE_WRITE,
    CAPABILITY_EXEC,
    CAPABILITY_ENV,
    CAPABILITY_TIME,
    CAPABILITY_RANDOM,
    CAPABILITY_STDOUT,
    CAPABILITY_STDIN,
    CAPABILITY_LLM,
    CAPABILITY_JUDGE,
    CAPABILITY_DB,
    CAPABILITY_SERVE,
    CAPABILITY_SECRET,
    CAPABILITY_REVEAL,
    CAPABILITY_SIGN,
    CAPABILITY_WALLET,
    CAPABILITY_SPEND,
    CAPABILITY_MEMORY,
    CAPABILITY_SANDBOX_RUN,
    CAPABILITY_ATTEST,
    _CAPABILITY_MAX
};

/* 0 if the program may; else the denial of §10.4 as the error. Audits. `scope` may be NULL; `source`: "read_file()". */
int capability_check(struct vm *vm, enum capability capability, const char *scope, const char *source);
/* A path as scopes and messages show it (§10.3). Owned by the caller: memory_free(vm, path, strlen(path) + 1). */
char *path_normalize(struct vm *vm, const char *path);

/* One line to stdout or stderr, by the options' callback; the line end is added. Checks `stdout`. */
int vm_print(struct vm *vm, const char *data, size_t length);
int vm_print_error(struct vm *vm, const char *data, size_t length);
bool vm_is_pure(const struct vm *vm); /* profile "pure" */

#endif
