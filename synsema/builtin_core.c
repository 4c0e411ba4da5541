/* §9.1: printing, types, conversions, assertions; and the list and map builtins that `set` runs in place. */
#include "builtin_internal.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bigint_internal.h"

#define DIGITS_MAX 4300

/* ---- printing ---- */

static int print(struct vm *vm, struct call *call, struct value *ret)
{
    struct buffer line;
    buffer_init(&line, vm);
    (void)ret;
    if (call->count == 1 && value_is_text(call->args[0])) {
        const struct text *text = value_text(call->args[0]);
        return call->builtin->name[0] == 'e' ? vm_print_error(vm, text->data, text->length)
                                             : vm_print(vm, text->data, text->length);
    }
    for (size_t i = 0; i < call->count; i++) {
        if (i) {
            buffer_char(&line, ' ');
        }
        display_put(&line, call->args[i]);
    }
    const char *data = line.data ? line.data : "";
    int r = line.failed                     ? -1
            : call->builtin->name[0] == 'e' ? vm_print_error(vm, data, line.length)
                                            : vm_print(vm, data, line.length);
    buffer_done(&line);
    return r;
}

static int text(struct vm *vm, struct call *call, struct value *ret)
{
    return display_text(vm, call->args[0], ret);
}

/* ---- types ---- */

static int type_of(struct vm *vm, struct call *call, struct value *ret)
{
    return text_from(vm, value_type_name(call->args[0]), ret);
}

static int length(struct vm *vm, struct call *call, struct value *ret)
{
    struct value v = call->args[0];
    enum object_type type = value_is_object(v) ? value_object(v)->type : OBJECT_FLOAT;
    switch (type) {
    case OBJECT_TEXT:
        *ret = value_small(value_text(v)->chars);
        return 0;
    case OBJECT_LIST:
        *ret = value_small((int64_t)value_list(v)->length);
        return 0;
    case OBJECT_MAP:
        *ret = value_small((int64_t)map_length(value_map(v)));
        return 0;
    case OBJECT_MODULE:
        *ret = value_small(((struct module *)value_object(v))->export_count);
        return 0;
    case OBJECT_BYTES:
        *ret = value_small((int64_t)value_bytes(v)->length);
        return 0;
    default:
        if (type != OBJECT_FLOAT && kinds[type] && kinds[type]->length) {
            return kinds[type]->length(vm, v, ret);
        }
        return vm_fail(vm, "Cannot get length of %s", value_type_name(v));
    }
}

static int is_type(struct vm *vm, struct call *call, struct value *ret)
{
    (void)vm;
    const char *kind = call->builtin->name + 3;
    struct value v = call->args[0];
    *ret = value_bool(strcmp(kind, "integer") == 0 ? value_is_int(v) : strcmp(kind, value_type_name(v)) == 0);
    return 0;
}

/* ---- conversions ---- */

/* A text without the white space around it. */
static const char *trimmed(const struct text *whole, size_t *ret_length)
{
    size_t from = 0, to = whole->length;
    while (from < to && isspace((unsigned char)whole->data[from])) {
        from++;
    }
    while (to > from && isspace((unsigned char)whole->data[to - 1])) {
        to--;
    }
    *ret_length = to - from;
    return whole->data + from;
}

/* Copies digits without underscores; false when one is not between two digits. Empty when too long. */
static char *without_underscores(struct vm *vm, const char *p, size_t n, size_t *ret_length)
{
    char *copy = memory_alloc(vm, n + 1);
    size_t k = 0;
    for (size_t i = 0; copy && i < n; i++) {
        bool between = i > 0 && i + 1 < n && isalnum((unsigned char)p[i - 1]) && isalnum((unsigned char)p[i + 1]);
        if (p[i] != '_' || !between) {
            copy[k++] = p[i];
        }
    }
    *ret_length = k;
    return copy;
}

static int base_of_prefix(const char *p, size_t n)
{
    if (n < 3 || p[0] != '0') {
        return 10;
    }
    return (p[1] | 0x20) == 'x' ? 16 : (p[1] | 0x20) == 'o' ? 8 : (p[1] | 0x20) == 'b' ? 2 : 10;
}

/* 1 when the text is no integer. */
static int text_to_int(struct vm *vm, const struct text *whole, int base, struct value *ret)
{
    size_t n;
    const char *p = trimmed(whole, &n);
    bool negative = n > 0 && p[0] == '-';
    if (n > 0 && (p[0] == '-' || p[0] == '+')) {
        p++;
        n--;
    }
    int prefix = base_of_prefix(p, n);
    if (prefix != 10 && (base == 0 || base == prefix)) {
        base = prefix;
        p += 2;
        n -= 2;
    }
    if (n == 0 || p[0] == '-' || p[0] == '+') {
        return 1;
    }
    if (n > DIGITS_MAX) {
        return vm_fail(vm, "int(): text with %zu digits; the limit is %d (converting longer ones is quadratic)", n,
                       DIGITS_MAX);
    }
    size_t k;
    char *digits = without_underscores(vm, p, n, &k);
    if (!digits) {
        return -1;
    }
    struct value v;
    int r = int_parse(vm, digits, k, base ? base : 10, &v);
    memory_free(vm, digits, n + 1);
    if (r == 0 && negative) {
        r = operate_negate(vm, v, ret);
        value_drop(vm, v);
    } else if (r == 0) {
        *ret = v;
    }
    return r;
}

static int float_to_int(struct vm *vm, struct value v, struct value *ret)
{
    double d = value_float_get(v);
    if (!isfinite(d) || d != floor(d)) {
        return vm_fail(vm, "int(%s): not a whole number — round it on purpose first: floor(x), round(x) or trunc(x)",
                       displayed(vm, v));
    }
    return int_from_float(vm, d, ret);
}

static int decimal_to_int(struct vm *vm, struct value v, struct value *ret)
{
    struct value trim;
    if (decimal_trim(vm, v, &trim)) {
        return -1;
    }
    int r = value_decimal(trim)->scale == 0
                ? 0
                : vm_fail(vm, "int(%s): not a whole number — round it on purpose first: floor(x), round(x) or trunc(x)",
                          displayed(vm, v));
    if (r == 0) {
        *ret = value_keep(value_decimal(trim)->coefficient);
    }
    value_drop(vm, trim);
    return r;
}

static int to_int(struct vm *vm, struct value v, struct value base, struct value *ret)
{
    int64_t b = 0;
    if (!value_is_undefined(base)) {
        if (!value_is_small(base) || value_small_get(base) < 2 || value_small_get(base) > 36) {
            return vm_fail(vm, "int(x, base = b): base must be an integer from 2 to 36");
        }
        b = value_small_get(base);
        if (!value_is_text(v)) {
            return vm_fail(vm, "int(x, base = %d): x must be text, got %s", (int)b, value_type_name(v));
        }
    }
    if (value_is_int(v)) {
        *ret = value_keep(v);
        return 0;
    }
    if (value_is_float(v)) {
        return float_to_int(vm, v, ret);
    }
    if (value_is_decimal(v)) {
        return decimal_to_int(vm, v, ret);
    }
    if (!value_is_text(v)) {
        return vm_fail(vm, "Cannot convert %s to an integer", value_type_name(v));
    }
    int r = text_to_int(vm, value_text(v), (int)b, ret);
    if (r > 0) {
        return vm_fail(
            vm,
            "Cannot convert %s to an integer: expected digits with an optional sign, or 0x…/0b…. To validate "
            "untrusted input without raising: int(x, nothing)",
            debug_quoted(vm, v));
    }
    return r;
}

/* The fallback instead of an error, where one was given. */
static int or_fallback(struct vm *vm, int r, struct value fallback, struct value *ret)
{
    if (r == 0 || value_is_undefined(fallback) || !vm_forgive(vm)) {
        return r;
    }
    *ret = value_keep(fallback);
    return 0;
}

static int convert_int(struct vm *vm, struct call *call, struct value *ret)
{
    struct value second = call_arg(call, 1);
    struct value fallback = value_is_undefined(call->options[1]) ? second : call->options[1];
    int64_t n;
    if (value_is_number(second) && index_value(vm, second, &n) == 0 && n >= 2 && n <= 36) {
        return vm_fail(
            vm,
            "int(x, %d): the second argument is the fallback value, not the base — for base %d write int(x, base = "
            "%d); for a fallback of %d, name it: int(x, fallback = %d)",
            (int)n, (int)n, (int)n, (int)n, (int)n);
    }
    vm_forgive(vm);
    return or_fallback(vm, to_int(vm, call->args[0], call->options[0], ret), fallback, ret);
}

static int to_number(struct vm *vm, struct value v, struct value *ret)
{
    if (value_is_number(v) || value_is_bool(v)) {
        return value_float(vm, value_is_bool(v) ? value_truthy(v) : number_to_float(v), ret);
    }
    double d;
    if (value_is_text(v)) {
        size_t n, k;
        const char *p = trimmed(value_text(v), &n);
        char *digits = without_underscores(vm, p, n, &k);
        if (!digits) {
            return -1;
        }
        bool good = float_parse(digits, k, &d);
        bool integer = good && strspn(digits, "+-0123456789") >= k;
        memory_free(vm, digits, n + 1);
        if (integer && fabs(d) >= 9007199254740992.0) {
            struct value exact;
            int order = 0;
            int r = text_to_int(vm, value_text(v), 10, &exact);
            if (r == 0) {
                struct value limit = value_small(INT64_C(9007199254740992));
                order =
                    int_compare(exact, limit) > 0 || int_compare(exact, value_small(-INT64_C(9007199254740992))) < 0;
                value_drop(vm, exact);
            }
            if (r < 0 || order) {
                return vm_fail(
                    vm,
                    "number(%s) would lose digits: a float is exact only up to 2^53. Use int(x) for an exact integer",
                    debug_quoted(vm, v));
            }
        }
        if (good) {
            return value_float(vm, d, ret);
        }
    }
    return vm_fail(
        vm,
        "Cannot convert %s to number. To validate untrusted input without raising, pass a fallback: number(<value>, "
        "nothing)",
        displayed(vm, v));
}

static int convert_number(struct vm *vm, struct call *call, struct value *ret)
{
    return or_fallback(vm, to_number(vm, call->args[0], ret), call_arg(call, 1), ret);
}

static int to_float(struct vm *vm, struct value v, struct value *ret)
{
    if (value_is_number(v) || value_is_bool(v)) {
        return value_float(vm, value_is_bool(v) ? value_truthy(v) : number_to_float(v), ret);
    }
    if (!value_is_text(v)) {
        return vm_fail(vm, "Cannot convert %s to float", value_type_name(v));
    }
    size_t n;
    double d;
    const char *p = trimmed(value_text(v), &n);
    return float_parse(p, n, &d) ? value_float(vm, d, ret)
                                 : vm_fail(vm, "Cannot convert %s to float", value_text(v)->data);
}

static int convert_float(struct vm *vm, struct call *call, struct value *ret)
{
    return or_fallback(vm, to_float(vm, call->args[0], ret), call_arg(call, 1), ret);
}

static int to_decimal(struct vm *vm, struct value v, struct value *ret)
{
    if (value_is_decimal(v)) {
        *ret = value_keep(v);
        return 0;
    }
    if (value_is_int(v)) {
        return decimal_new(vm, value_keep(v), 0, ret);
    }
    if (value_is_float(v)) {
        return vm_fail(vm,
                       "decimal(float) is not exact; use a string, e.g. decimal(\"1.50\"), to avoid float imprecision");
    }
    if (!value_is_text(v)) {
        return vm_fail(vm, "Cannot convert %s to a decimal", value_type_name(v));
    }
    size_t n;
    const char *p = trimmed(value_text(v), &n);
    int r = decimal_parse(vm, p, n, ret);
    return r <= 0
               ? r
               : vm_fail(
                     vm,
                     "Cannot parse %s as a decimal (digits with an optional sign, point and exponent — 12.50, 1.5e-3 — "
                     "up to 4300 digits)",
                     value_text(v)->data);
}

static int convert_decimal(struct vm *vm, struct call *call, struct value *ret)
{
    return or_fallback(vm, to_decimal(vm, call->args[0], ret), call_arg(call, 1), ret);
}

static int hex(struct vm *vm, struct call *call, struct value *ret)
{
    struct value v = call->args[0];
    struct buffer digits;
    if (value_is(v, OBJECT_BYTES)) {
        buffer_init(&digits, vm);
        buffer_puts(&digits, "0x");
        for (size_t i = 0; i < value_bytes(v)->length; i++) {
            buffer_printf(&digits, "%02x", value_bytes(v)->data[i]);
        }
        return buffer_text(&digits, ret);
    }
    if (!value_is_int(v)) {
        return vm_fail(vm, "hex expects a non-negative integer or bytes, got %s",
                       value_is_float(v) ? "float" : value_type_name(v));
    }
    if (int_sign(v) < 0) {
        return vm_fail(vm, "hex expects a non-negative integer");
    }
    GMP_GUARD(vm);
    struct int_view view;
    mpz_srcptr z = int_view(v, &view);
    buffer_init(&digits, vm);
    buffer_puts(&digits, "0x");
    char *room = buffer_room(&digits, mpz_sizeinbase(z, 16) + 2);
    if (room) {
        mpz_get_str(room, 16, z);
        digits.length += strlen(room);
    }
    return buffer_text(&digits, ret);
}

/* ---- rounding ---- */

static int round_decimal(struct vm *vm, struct value v, char how, struct value *ret)
{
    struct value rounded;
    if (how == 'r') {
        if (decimal_round(vm, v, 0, &rounded)) {
            return -1;
        }
        *ret = value_keep(value_decimal(rounded)->coefficient);
        value_drop(vm, rounded);
        return 0;
    }
    bool up = how == 'c' || (how == 't' && int_sign(value_decimal(v)->coefficient) < 0);
    struct value power, quotient, coefficient = value_keep(value_decimal(v)->coefficient);
    if (up) { /* ceil(x) = -floor(-x) */
        value_drop(vm, coefficient);
        if (operate_negate(vm, value_decimal(v)->coefficient, &coefficient)) {
            return -1;
        }
    }
    int r = int_pow10(vm, value_decimal(v)->scale, &power);
    if (r == 0) {
        r = int_arith(vm, OPERATION_FLOOR, coefficient, power, &quotient);
        value_drop(vm, power);
    }
    value_drop(vm, coefficient);
    if (r == 0 && up) {
        r = operate_negate(vm, quotient, ret);
        value_drop(vm, quotient);
    } else if (r == 0) {
        *ret = quotient;
    }
    return r;
}

static int rounding(struct vm *vm, struct call *call, struct value *ret)
{
    struct value v = call->args[0];
    const char *name = call->builtin->name;
    if (value_is_int(v)) {
        *ret = value_keep(v);
        return 0;
    }
    if (value_is_decimal(v)) {
        return round_decimal(vm, v, name[0], ret);
    }
    if (!value_is_float(v)) {
        return vm_fail(vm, "%s expects a number, got %s", name, value_type_name(v));
    }
    double d = value_float_get(v);
    d = name[0] == 'f' ? floor(d) : name[0] == 'c' ? ceil(d) : name[0] == 't' ? trunc(d) : nearbyint(d);
    if (!isfinite(d)) {
        *ret = value_small(0);
        return 0;
    }
    return int_from_float(vm, d, ret);
}

static int round_to(struct vm *vm, struct call *call, struct value *ret)
{
    struct value v = call->args[0], n = call->args[1];
    if (!value_is_number(v)) {
        return vm_fail(vm, "round_to expects a number, got %s", value_type_name(v));
    }
    if (!value_is_int(n)) {
        return vm_fail(vm, "round_to expects an integer number of decimals");
    }
    if (int_sign(n) < 0) {
        return vm_fail(vm, "round_to expects a non-negative number of decimals");
    }
    int64_t places = value_is_small(n) ? value_small_get(n) : INT32_MAX;
    if (value_is_decimal(v)) {
        return decimal_round(vm, v, places, ret);
    }
    if (!value_is_float(v) || places > 320 || !isfinite(value_float_get(v))) {
        *ret = value_keep(v);
        return 0;
    }
    char digits[700]; /* 309 before the point, 320 after it; exact and half-even in the C library */
    snprintf(digits, sizeof(digits), "%.*f", (int)places, value_float_get(v));
    return value_float(vm, strtod(digits, NULL), ret);
}

/* ---- the run ---- */

static int raise_error(struct vm *vm, struct call *call, struct value *ret)
{
    struct value message;
    (void)ret;
    if (raw_text(vm, call->args[0], &message)) {
        return -1;
    }
    vm_fail_here(vm, "%s", value_text(message)->data);
    value_drop(vm, message);
    return -1;
}

static int arguments(struct vm *vm, struct call *call, struct value *ret)
{
    (void)call;
    struct list *list = list_new(vm, vm->options.arg_count);
    for (size_t i = 0; list && i < vm->options.arg_count; i++) {
        struct value v;
        if (text_new_lossy(vm, vm->options.args[i], strlen(vm->options.args[i]), &v) || list_push(vm, list, v)) {
            value_drop(vm, value_of(list));
            return -1;
        }
    }
    *ret = list ? value_of(list) : VALUE_NOTHING;
    return list ? 0 : -1;
}

static int steps(struct vm *vm, struct call *call, struct value *ret)
{
    (void)call;
    return int_from_u64(vm, vm->steps + (uint64_t)(vm->fuel_given - vm->fuel), ret);
}

static int exit_run(struct vm *vm, struct call *call, struct value *ret)
{
    static const struct position nowhere = {0, 0};
    int64_t code = 0;
    (void)ret;
    if (call->count > 0 && index_value(vm, call->args[0], &code)) {
        return -1;
    }
    if (code < 0 || code > 255) {
        return vm_fail(vm, "exit: the code must be between 0 and 255, got %lld", (long long)code);
    }
    vm_fail_kind(vm, ERROR_EXIT, NULL, nowhere, "exit");
    vm->error.exit = (int)code;
    return -1;
}

static int read_line(struct vm *vm, struct call *call, struct value *ret)
{
    if (capability_check(vm, CAPABILITY_STDIN, NULL, "read_line()")) {
        return -1;
    }
    if (call->count > 0 && print(vm, call, ret)) {
        return -1;
    }
    struct buffer line;
    buffer_init(&line, vm);
    char c;
    ssize_t n;
    while ((n = read(STDIN_FILENO, &c, 1)) == 1 && c != '\n') {
        buffer_char(&line, c);
    }
    if (n <= 0 && line.length == 0) {
        buffer_done(&line);
        return 0;
    }
    if (line.length > 0 && line.data[line.length - 1] == '\r') {
        line.length--;
    }
    int r = line.failed ? -1 : text_new_lossy(vm, line.data ? line.data : "", line.length, ret);
    buffer_done(&line);
    return r;
}

static int flush(struct vm *vm, struct call *call, struct value *ret)
{
    (void)vm;
    (void)call;
    (void)ret;
    return 0;
}

static int platform(struct vm *vm, struct call *call, struct value *ret)
{
    (void)call;
    struct shape *empty = shape_empty(vm);
    struct map *map = empty ? map_new_record(vm, empty) : NULL;
    struct value os, arch;
    if (!map || text_from(vm, "linux", &os) || map_set_name(vm, map, "os", os) || text_from(vm, "x86_64", &arch) ||
        map_set_name(vm, map, "arch", arch)) {
        return -1;
    }
    *ret = value_of(map);
    return 0;
}

/* ---- assertions ---- */

static int assert_true(struct vm *vm, struct call *call, struct value *ret)
{
    (void)ret;
    if (value_truthy(call->args[0])) {
        return 0;
    }
    return call->count > 1 ? vm_fail(vm, "%s", displayed(vm, call->args[1])) : vm_fail(vm, "assertion failed");
}

static int assert_equal(struct vm *vm, struct call *call, struct value *ret)
{
    bool equal, wanted = call->builtin->name[7] == 'e';
    (void)ret;
    if (value_equal(vm, call->args[0], call->args[1], &equal)) {
        return -1;
    }
    if (equal == wanted) {
        return 0;
    }
    const char *message = call->count > 2 ? displayed(vm, call->args[2]) : "";
    const char *colon = call->count > 2 ? ": " : "";
    const char *a = displayed(vm, call->args[0]), *b = displayed(vm, call->args[1]);
    return wanted ? vm_fail(vm, "%s%sexpected %s, got %s", message, colon, b, a)
                  : vm_fail(vm, "%s%sexpected values to differ, both %s", message, colon, a);
}

static int assert_error(struct vm *vm, struct call *call, struct value *ret)
{
    struct value v;
    if (!value_is_callable(call->args[0])) {
        return vm_fail(vm, "assert_error expects a task or lambda, got %s", value_type_name(call->args[0]));
    }
    if (vm_call(vm, call->args[0], NULL, 0, &v)) {
        return vm_forgive(vm) ? 0 : -1;
    }
    value_drop(vm, v);
    (void)ret;
    return vm_fail(vm, "expected an error, but none was raised");
}

/* ---- what `set` runs in place ---- */

/* The first argument as a list of the call's own. NULL when memory is short. */
static struct list *own_list(struct vm *vm, struct call *call, size_t room)
{
    struct list *list = value_list(call->args[0]);
    if (!object_is_unique(list)) {
        return list_copy(vm, list, list->length + room);
    }
    value_take(&call->args[0]);
    return list;
}

static int append(struct vm *vm, struct call *call, struct value *ret)
{
    if (!value_is_list(call->args[0])) {
        return vm_fail(vm, "First argument to append must be a list");
    }
    struct value item = value_keep(call->args[1]);
    struct list *list = own_list(vm, call, 1);
    if (!list) {
        value_drop(vm, item);
        return -1;
    }
    *ret = value_of(list);
    return list_push(vm, list, item);
}

static int insert(struct vm *vm, struct call *call, struct value *ret)
{
    int64_t at;
    if (!value_is_list(call->args[0])) {
        return vm_fail(vm, "insert(list, position, value): the first argument is %s, not a list",
                       value_type_name(call->args[0]));
    }
    int64_t n = (int64_t)value_list(call->args[0])->length;
    if (index_value(vm, call->args[1], &at)) {
        return -1;
    }
    if (at < -n || at > n) {
        return vm_fail(vm, "position %lld out of range for a list of length %lld (valid: -%lld..%lld)", (long long)at,
                       (long long)n, (long long)n, (long long)n);
    }
    size_t place = (size_t)(at < 0 ? at + n : at);
    struct list *list = own_list(vm, call, 1);
    if (!list) {
        return -1;
    }
    *ret = value_of(list);
    if (list_push(vm, list, value_keep(call->args[2]))) {
        return -1;
    }
    struct value last = list->items[n];
    memmove(&list->items[place + 1], &list->items[place], ((size_t)n - place) * sizeof(last));
    list->items[place] = last;
    return 0;
}

static struct map *own_map(struct vm *vm, struct call *call)
{
    struct map *map = value_map(call->args[0]);
    if (!object_is_unique(map)) {
        return map_copy(vm, map);
    }
    value_take(&call->args[0]);
    return map;
}

static int remove_key(struct vm *vm, struct call *call, struct value *ret)
{
    struct value key;
    if (!value_is_map(call->args[0])) {
        return vm_fail(vm, "remove() takes a map, got %s%s", value_type_name(call->args[0]),
                       value_is_list(call->args[0]) ? " — for a list use where(xs, …) or slice" : "");
    }
    if (map_key(vm, call->args[1], &key)) {
        return -1;
    }
    struct map *map = own_map(vm, call);
    int r = map ? map_remove(vm, map, key) : -1;
    value_drop(vm, key);
    *ret = map ? value_of(map) : VALUE_NOTHING;
    return r;
}

static int merge(struct vm *vm, struct call *call, struct value *ret)
{
    for (size_t i = 0; i < call->count; i++) {
        if (!value_is_map(call->args[i])) {
            return vm_fail(vm, "merge(): argument %zu is %s, not a map", i + 1, value_type_name(call->args[i]));
        }
    }
    struct map *map = own_map(vm, call);
    if (!map) {
        return -1;
    }
    *ret = value_of(map);
    for (size_t i = 1; i < call->count; i++) {
        size_t position = 0;
        struct value key, v;
        while (map_next(value_map(call->args[i]), &position, &key, &v)) {
            if (map_set(vm, map, key, value_keep(v))) {
                return -1;
            }
        }
    }
    return 0;
}

/* P + e for `set P to P + e`, in place where it can be. */
static int add(struct vm *vm, struct call *call, struct value *ret)
{
    bool done = false;
    struct value own = value_take(&call->args[0]);
    int r = add_in_place(vm, &own, call->args[1], &done);
    if (r == 0 && !done) {
        r = operate(vm, OPERATION_ADD, own, call->args[1], ret);
        call->args[0] = own;
        return r;
    }
    *ret = own;
    return r;
}

static int range(struct vm *vm, struct call *call, struct value *ret)
{
    int64_t bounds[3] = {0, 0, 1};
    for (size_t i = 0; i < call->count; i++) {
        if (index_value(vm, call->args[i], &bounds[call->count == 1 ? 1 : i])) {
            return -1;
        }
    }
    int64_t from = bounds[0], to = bounds[1], step = bounds[2];
    if (step == 0) {
        return vm_fail(vm, "range() arg 3 must not be zero");
    }
    __int128 span = step > 0 ? (__int128)to - from : (__int128)from - to;
    __int128 size = step > 0 ? step : -(__int128)step;
    __int128 count = span <= 0 ? 0 : (span + size - 1) / size;
    struct list *list = list_new(vm, count > INT32_MAX ? SIZE_MAX : (size_t)count);
    if (!list) {
        return -1;
    }
    for (size_t i = 0; i < (size_t)count; i++) {
        if (int_from_i64(vm, from + (int64_t)i * step, &list->items[i])) {
            value_drop(vm, value_of(list));
            return -1;
        }
        list->length++;
    }
    *ret = value_of(list);
    return 0;
}

/* ---- language models: fixed texts without a provider ---- */

static int llm(struct vm *vm, struct call *call, struct value *ret)
{
    const char *name = call->builtin->name + 4;
    char source[32];
    snprintf(source, sizeof(source), "%s()", name);
    if (capability_check(vm, CAPABILITY_LLM, NULL, source)) {
        return -1;
    }
    struct buffer answer;
    buffer_init(&answer, vm);
    switch (name[0]) {
    case 'r':
        buffer_puts(&answer, "[reasoning about: ");
        display_put(&answer, call->args[0]);
        break;
    case 'd':
        buffer_puts(&answer, "[decision pending");
        break;
    case 'a':
        buffer_puts(&answer, "[analysis of: ");
        display_put(&answer, call->count > 1 ? call->args[1] : call->args[0]);
        break;
    default:
        buffer_puts(&answer, "[generated: ");
        display_put(&answer, call->args[0]);
    }
    buffer_char(&answer, ']');
    return buffer_text(&answer, ret);
}

const struct builtin builtins_core[] = {
    {.name = "print", .min = 0, .max = MANY, .fn = print},
    {.name = "eprint", .min = 0, .max = MANY, .fn = print},
    {.name = "text", .min = 1, .max = 1, .fn = text},
    {.name = "length", .min = 1, .max = 1, .fn = length},
    {.name = "type_of", .min = 1, .max = 1, .fn = type_of},
    {.name = "is_integer", .min = 1, .max = 1, .fn = is_type},
    {.name = "is_text", .min = 1, .max = 1, .fn = is_type},
    {.name = "is_list", .min = 1, .max = 1, .fn = is_type},
    {.name = "is_map", .min = 1, .max = 1, .fn = is_type},
    {.name = "is_bytes", .min = 1, .max = 1, .fn = is_type},
    {.name = "is_decimal", .min = 1, .max = 1, .fn = is_type},
    {.name = "is_complex", .min = 1, .max = 1, .fn = is_type},
    {.name = "is_array", .min = 1, .max = 1, .fn = is_type},
    {.name = "int", .min = 1, .max = 2, .fn = convert_int, .options = "base,fallback"},
    {.name = "number", .min = 1, .max = 2, .fn = convert_number},
    {.name = "float", .min = 1, .max = 2, .fn = convert_float},
    {.name = "decimal", .min = 1, .max = 2, .fn = convert_decimal},
    {.name = "hex", .min = 1, .max = 1, .fn = hex},
    {.name = "floor", .min = 1, .max = 1, .fn = rounding},
    {.name = "ceil", .min = 1, .max = 1, .fn = rounding},
    {.name = "trunc", .min = 1, .max = 1, .fn = rounding},
    {.name = "round", .min = 1, .max = 1, .fn = rounding, .hint = " — to round to n decimals: round_to(x, n)"},
    {.name = "round_to", .min = 2, .max = 2, .fn = round_to},
    {.name = "raise", .min = 1, .max = 1, .fn = raise_error, .here = true},
    {.name = "args", .min = 0, .max = 0, .fn = arguments},
    {.name = "steps", .min = 0, .max = 0, .fn = steps},
    {.name = "exit", .min = 0, .max = 1, .fn = exit_run},
    {.name = "read_line", .min = 0, .max = 1, .fn = read_line},
    {.name = "flush", .min = 0, .max = 0, .fn = flush},
    {.name = "platform", .min = 0, .max = 0, .fn = platform},
    {.name = "assert", .min = 1, .max = 2, .fn = assert_true},
    {.name = "assert_eq", .min = 2, .max = 3, .fn = assert_equal},
    {.name = "assert_ne", .min = 2, .max = 3, .fn = assert_equal},
    {.name = "assert_error", .min = 1, .max = 1, .fn = assert_error},
    {.name = "append", .min = 2, .max = 2, .fn = append},
    {.name = "insert", .min = 3, .max = 3, .fn = insert, .here = true},
    {.name = "remove", .min = 2, .max = 2, .fn = remove_key},
    {.name = "merge", .min = 1, .max = MANY, .fn = merge, .here = true, .too_few = "merge() needs at least one map"},
    {.name = "range", .min = 1, .max = 3, .fn = range},
    {.name = "+", .min = 2, .max = 2, .fn = add},
    {.name = "llm reason", .min = 1, .max = 2, .fn = llm},
    {.name = "llm decide", .min = 1, .max = 2, .fn = llm},
    {.name = "llm analyze", .min = 1, .max = 2, .fn = llm},
    {.name = "llm generate", .min = 1, .max = 2, .fn = llm},
    {0},
};
