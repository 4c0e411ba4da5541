/* The operators + - * / // % ** and unary minus on every kind of value (§4). The machine does small cases itself. */
#include "bigint_internal.h"

#include <math.h>

static const char *const signs[] = {"+", "-", "*", "/", "//", "%", "**"};

static int division_by_zero(struct vm *vm, enum operation operation)
{
    return vm_fail_here(vm, operation == OPERATION_MOD ? "Modulo by zero" : "Division by zero");
}

static int float_arith(struct vm *vm, enum operation operation, double a, double b, struct value *ret)
{
    double r = 0;
    switch (operation) {
    case OPERATION_ADD:
        r = a + b;
        break;
    case OPERATION_SUB:
        r = a - b;
        break;
    case OPERATION_MUL:
        r = a * b;
        break;
    case OPERATION_DIV:
        if (b == 0.0) {
            return division_by_zero(vm, operation);
        }
        r = a / b;
        break;
    case OPERATION_FLOOR:
    case OPERATION_MOD: { /* as CPython's float_divmod */
        if (b == 0.0) {
            return division_by_zero(vm, operation);
        }
        double mod = fmod(a, b);
        double div = (a - mod) / b;
        if (mod != 0.0) {
            if ((b < 0) != (mod < 0)) {
                mod += b;
                div -= 1.0;
            }
        } else {
            mod = copysign(0.0, b);
        }
        double floored = copysign(0.0, a / b);
        if (div != 0.0) {
            floored = floor(div);
            if (div - floored > 0.5) {
                floored += 1.0;
            }
        }
        r = operation == OPERATION_MOD ? mod : floored;
        break;
    }
    case OPERATION_POW:
        if (a == 0.0 && b < 0) {
            return vm_fail_here(vm, "Zero cannot be raised to a negative power");
        }
        r = pow(a, b);
        break;
    }
    return value_float(vm, r, ret);
}

static int int_operate(struct vm *vm, enum operation operation, struct value a, struct value b, struct value *ret)
{
    bool zero = value_same(b, value_small(0));
    if (zero && operation >= OPERATION_DIV && operation <= OPERATION_MOD) {
        return division_by_zero(vm, operation);
    }
    if (operation == OPERATION_DIV) {
        double r;
        return int_true_divide(vm, a, b, &r) ? -1 : value_float(vm, r, ret);
    }
    if (operation == OPERATION_POW && int_sign(b) < 0) {
        return float_arith(vm, operation, int_to_float(a), int_to_float(b), ret);
    }
    if (!value_is_small(a) || !value_is_small(b)) {
        return int_arith(vm, operation, a, b, ret);
    }
    int64_t x = value_small_get(a), y = value_small_get(b), r;
    switch (operation) {
    case OPERATION_ADD:
        return int_from_i64(vm, x + y, ret);
    case OPERATION_SUB:
        return int_from_i64(vm, x - y, ret);
    case OPERATION_MUL:
        return __builtin_mul_overflow(x, y, &r) ? int_arith(vm, operation, a, b, ret) : int_from_i64(vm, r, ret);
    case OPERATION_FLOOR:
        return int_from_i64(vm, x / y - (x % y != 0 && (x < 0) != (y < 0)), ret);
    case OPERATION_MOD:
        r = x % y;
        return int_from_i64(vm, r != 0 && (r < 0) != (y < 0) ? r + y : r, ret);
    default:
        return int_arith(vm, operation, a, b, ret);
    }
}

static int number_operate(struct vm *vm, enum operation operation, struct value a, struct value b, struct value *ret)
{
    bool fa = value_is_float(a), fb = value_is_float(b);
    if (value_is_decimal(a) || value_is_decimal(b)) {
        return fa || fb ? vm_fail_here(vm, MIX_ERROR) : decimal_arith(vm, operation, a, b, ret);
    }
    if (fa || fb) {
        return float_arith(vm, operation, number_to_float(a), number_to_float(b), ret);
    }
    return int_operate(vm, operation, a, b, ret);
}

/* Whether a text takes it as a neighbour of + . */
bool joins_text(struct value v)
{
    if (!value_is_object(v)) {
        return !value_is_nothing(v);
    }
    switch (value_object(v)->type) {
    case OBJECT_LIST:
    case OBJECT_MAP:
    case OBJECT_MODULE:
    case OBJECT_BYTES:
    case OBJECT_TASK:
    case OBJECT_NATIVE:
    case OBJECT_SECRET:
        return false;
    default:
        return true;
    }
}

static int text_add(struct vm *vm, struct value a, struct value b, struct value *ret)
{
    struct value other = value_is_text(a) ? b : a;
    if (!joins_text(other)) {
        const char *type = value_type_name(other);
        return vm_fail_here(vm,
                            "Cannot add text and %s — convert it on purpose: text(x), or interpolate it: `...{x}`%s",
                            type, value_is(other, OBJECT_BYTES) ? " (for bytes: hex(b) or decode(b, \"utf8\"))" : "");
    }
    struct value x, y;
    if (display_text(vm, a, &x)) {
        return -1;
    }
    if (display_text(vm, b, &y)) {
        value_drop(vm, x);
        return -1;
    }
    size_t n = value_text(x)->length;
    struct text *text = text_make(vm, n + value_text(y)->length);
    if (text) {
        memcpy(text->data, value_text(x)->data, n);
        memcpy(text->data + n, value_text(y)->data, value_text(y)->length);
        text->chars = value_text(x)->chars + value_text(y)->chars;
        *ret = value_of(text);
    }
    value_drop(vm, x);
    value_drop(vm, y);
    return text ? 0 : -1;
}

static int list_add(struct vm *vm, struct value a, struct value b, struct value *ret)
{
    const struct list *x = value_list(a), *y = value_list(b);
    struct list *sum = list_copy(vm, x, x->length + y->length);
    if (!sum) {
        return -1;
    }
    for (size_t i = 0; i < y->length; i++) {
        sum->items[sum->length++] = value_keep(y->items[i]);
    }
    *ret = value_of(sum);
    return 0;
}

static int bytes_add(struct vm *vm, struct value a, struct value b, struct value *ret)
{
    size_t n = value_bytes(a)->length;
    if (bytes_new(vm, NULL, n + value_bytes(b)->length, ret)) {
        return -1;
    }
    memcpy(value_bytes(*ret)->data, value_bytes(a)->data, n);
    memcpy(value_bytes(*ret)->data + n, value_bytes(b)->data, value_bytes(b)->length);
    return 0;
}

static const struct kind *kind_of(struct value v)
{
    return value_is_object(v) ? kinds[value_object(v)->type] : NULL;
}

int operate(struct vm *vm, enum operation operation, struct value a, struct value b, struct value *ret)
{
    if (value_is_number(a) && value_is_number(b)) {
        return number_operate(vm, operation, a, b, ret);
    }
    if (operation == OPERATION_ADD) {
        if (value_is_text(a) || value_is_text(b)) {
            return text_add(vm, a, b, ret);
        }
        if (value_is_list(a) && value_is_list(b)) {
            return list_add(vm, a, b, ret);
        }
        if (value_is(a, OBJECT_BYTES) && value_is(b, OBJECT_BYTES)) {
            return bytes_add(vm, a, b, ret);
        }
    }
    const struct kind *ka = kind_of(a), *kb = kind_of(b);
    const struct kind *kind = ka && ka->binary ? ka : kb;
    int r = kind && kind->binary ? kind->binary(vm, operation, a, b, ret) : 1;
    if (r == 1 && ka && kb && kb != kind && kb->binary) {
        r = kb->binary(vm, operation, a, b, ret);
    }
    if (r <= 0) {
        return r;
    }
    bool formats = operation == OPERATION_MOD && value_is_text(a);
    return vm_fail_here(
        vm, "Unsupported operation: %s %s %s%s", value_type_name(a), signs[operation], value_type_name(b),
        formats ? " — there is no %-formatting: use a template `…{x}…` or fmt(template, {name: value})" : "");
}

int operate_negate(struct vm *vm, struct value a, struct value *ret)
{
    if (value_is_float(a)) {
        return value_float(vm, -value_float_get(a), ret);
    }
    if (value_is_int(a)) {
        return int_operate(vm, OPERATION_SUB, value_small(0), a, ret);
    }
    if (value_is_decimal(a)) {
        struct value c;
        return int_operate(vm, OPERATION_SUB, value_small(0), value_decimal(a)->coefficient, &c)
                   ? -1
                   : decimal_new(vm, c, value_decimal(a)->scale, ret);
    }
    const struct kind *kind = kind_of(a);
    return kind && kind->negate ? kind->negate(vm, a, ret) : vm_fail_here(vm, "Cannot negate %s", value_type_name(a));
}
