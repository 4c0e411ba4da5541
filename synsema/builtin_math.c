/* §9.8: math on numbers. What also works on arrays and complex numbers asks kind.c's tables. */
#include "builtin_internal.h"

#include <math.h>

#include "bigint_internal.h"

static int want_number(struct vm *vm, const struct call *call, size_t index, struct value *ret)
{
    struct value v = call_arg(call, index);
    if (!value_is_number(v)) {
        return vm_fail(vm, "%s expects a number, got %s", call->builtin->name, value_type_name(v));
    }
    *ret = v;
    return 0;
}

static int wrong_count(struct vm *vm, const struct call *call, size_t wanted)
{
    return call->count == wanted
               ? 0
               : vm_fail(vm, "%s expects %zu argument(s), got %zu", call->builtin->name, wanted, call->count);
}

/* ---- one float to one float ---- */

static const struct {
    const char *name;
    double (*fn)(double);
} functions[] = {
    {"sqrt", sqrt},    {"cbrt", cbrt},     {"exp", exp},   {"ln", log},      {"log10", log10}, {"log2", log2},
    {"sin", sin},      {"cos", cos},       {"tan", tan},   {"asin", asin},   {"acos", acos},   {"atan", atan},
    {"sinh", sinh},    {"cosh", cosh},     {"tanh", tanh}, {"asinh", asinh}, {"acosh", acosh}, {"atanh", atanh},
    {"gamma", tgamma}, {"lgamma", lgamma}, {"erf", erf},   {"erfc", erfc},
};

static int unary(struct vm *vm, struct call *call, struct value *ret)
{
    struct value v;
    if (wrong_count(vm, call, 1) || want_number(vm, call, 0, &v)) {
        return -1;
    }
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        if (strcmp(functions[i].name, call->builtin->name) == 0) {
            return value_float(vm, functions[i].fn(number_to_float(v)), ret);
        }
    }
    return vm_fail(vm, "%s is not known", call->builtin->name);
}

static int radians(struct vm *vm, struct call *call, struct value *ret)
{
    struct value v;
    if (wrong_count(vm, call, 1) || want_number(vm, call, 0, &v)) {
        return -1;
    }
    double d = number_to_float(v);
    bool to_radians = call->builtin->name[0] == 'r';
    return value_float(vm, to_radians ? d * M_PI / 180.0 : d * 180.0 / M_PI, ret);
}

/* ---- two numbers ---- */

static int binary(struct vm *vm, struct call *call, struct value *ret)
{
    struct value a, b;
    if (wrong_count(vm, call, 2) || want_number(vm, call, 0, &a) || want_number(vm, call, 1, &b)) {
        return -1;
    }
    double x = number_to_float(a), y = number_to_float(b);
    const char *name = call->builtin->name;
    double r = strcmp(name, "hypot") == 0   ? hypot(x, y)
               : strcmp(name, "atan2") == 0 ? atan2(x, y)
               : strcmp(name, "beta") == 0  ? exp(lgamma(x) + lgamma(y) - lgamma(x + y))
                                            : log(x) / log(y);
    return value_float(vm, r, ret);
}

static int power(struct vm *vm, struct call *call, struct value *ret)
{
    struct value a, b;
    if (wrong_count(vm, call, 2) || want_number(vm, call, 0, &a) || want_number(vm, call, 1, &b)) {
        return -1;
    }
    bool decimal = value_is_decimal(a) || value_is_decimal(b);
    if (!decimal && number_to_float(a) == 0.0 && number_to_float(b) < 0) {
        return value_float(vm, pow(number_to_float(a), number_to_float(b)), ret);
    }
    return operate(vm, OPERATION_POW, a, b, ret);
}

/* ---- kinds that stay ---- */

static int absolute(struct vm *vm, struct call *call, struct value *ret)
{
    struct value v = call->args[0];
    if (value_is(v, OBJECT_COMPLEX)) {
        const struct complex_number *z = (struct complex_number *)value_object(v);
        return value_float(vm, hypot(z->re, z->im), ret);
    }
    if (want_number(vm, call, 0, &v)) {
        return -1;
    }
    if (value_is_float(v)) {
        return value_float(vm, fabs(value_float_get(v)), ret);
    }
    bool negative = int_sign(value_is_decimal(v) ? value_decimal(v)->coefficient : v) < 0;
    if (negative) {
        return operate_negate(vm, v, ret);
    }
    *ret = value_keep(v);
    return 0;
}

static int sign(struct vm *vm, struct call *call, struct value *ret)
{
    struct value v;
    int order;
    if (want_number(vm, call, 0, &v)) {
        return -1;
    }
    if (value_is_decimal(v)) {
        v = value_decimal(v)->coefficient;
    }
    if (number_compare(vm, v, value_small(0), &order)) {
        return -1;
    }
    *ret = value_small(order == 2 ? 0 : order);
    return 0;
}

static int clamp(struct vm *vm, struct call *call, struct value *ret)
{
    struct value v, low, high;
    int under, over;
    if (wrong_count(vm, call, 3) || want_number(vm, call, 0, &v) || want_number(vm, call, 1, &low) ||
        want_number(vm, call, 2, &high) || number_compare(vm, v, low, &under) || number_compare(vm, v, high, &over)) {
        return -1;
    }
    *ret = value_keep(under == -1 ? low : over == 1 ? high : v);
    return 0;
}

static int classify(struct vm *vm, struct call *call, struct value *ret)
{
    struct value v;
    if (wrong_count(vm, call, 1) || want_number(vm, call, 0, &v)) {
        return -1;
    }
    double d = value_is_float(v) ? value_float_get(v) : 0.0;
    const char *name = call->builtin->name;
    *ret = value_bool(strcmp(name, "is_nan") == 0        ? isnan(d)
                      : strcmp(name, "is_infinite") == 0 ? isinf(d) != 0
                                                         : isfinite(d) != 0);
    return 0;
}

/* ---- integers ---- */

static const char *number_kind(struct value v)
{
    return value_is_float(v) ? "float" : value_type_name(v);
}

static int divisors(struct vm *vm, struct call *call, struct value *ret)
{
    struct value a = call->args[0], b = call->args[1];
    if (!value_is_int(a) || !value_is_int(b)) {
        return vm_fail(vm, "%s expects an integer, got %s", call->builtin->name, number_kind(value_is_int(a) ? b : a));
    }
    GMP_GUARD(vm);
    struct int_view x, y;
    mpz_t z;
    mpz_init(z);
    if (call->builtin->name[0] == 'g') {
        mpz_gcd(z, int_view(a, &x), int_view(b, &y));
    } else {
        mpz_lcm(z, int_view(a, &x), int_view(b, &y));
    }
    int r = int_from_mpz(vm, z, ret);
    mpz_clear(z);
    return r;
}

static int factorial(struct vm *vm, struct call *call, struct value *ret)
{
    struct value v = call->args[0];
    if (!value_is_int(v) || int_sign(v) < 0) {
        return vm_fail(vm, "factorial expects a non-negative integer");
    }
    if (!value_is_small(v) || value_small_get(v) > 200000) {
        return vm_fail(vm, "factorial: the result would be too large");
    }
    GMP_GUARD(vm);
    mpz_t z;
    mpz_init(z);
    mpz_fac_ui(z, (unsigned long)value_small_get(v));
    int r = int_from_mpz(vm, z, ret);
    mpz_clear(z);
    return r;
}

#define UNARY(n)                                                                                                       \
    {                                                                                                                  \
        .name = n, .min = 0, .max = 1, .fn = unary                                                                     \
    }

const struct builtin builtins_math[] = {
    UNARY("sqrt"),
    UNARY("cbrt"),
    UNARY("exp"),
    UNARY("ln"),
    UNARY("log10"),
    UNARY("log2"),
    UNARY("sin"),
    UNARY("cos"),
    UNARY("tan"),
    UNARY("asin"),
    UNARY("acos"),
    UNARY("atan"),
    UNARY("sinh"),
    UNARY("cosh"),
    UNARY("tanh"),
    UNARY("asinh"),
    UNARY("acosh"),
    UNARY("atanh"),
    UNARY("gamma"),
    UNARY("lgamma"),
    UNARY("erf"),
    UNARY("erfc"),
    {.name = "radians", .min = 0, .max = 1, .fn = radians},
    {.name = "degrees", .min = 0, .max = 1, .fn = radians},
    {.name = "hypot", .min = 0, .max = 2, .fn = binary},
    {.name = "atan2", .min = 0, .max = 2, .fn = binary},
    {.name = "beta", .min = 0, .max = 2, .fn = binary},
    {.name = "log_base", .min = 0, .max = 2, .fn = binary},
    {.name = "pow", .min = 0, .max = 2, .fn = power},
    {.name = "abs", .min = 1, .max = 1, .fn = absolute, .too_few = "abs expects 1 argument(s), got 0"},
    {.name = "sign", .min = 1, .max = 1, .fn = sign, .too_few = "sign expects 1 argument(s), got 0"},
    {.name = "clamp", .min = 0, .max = 3, .fn = clamp},
    {.name = "is_nan", .min = 0, .max = 1, .fn = classify},
    {.name = "is_infinite", .min = 0, .max = 1, .fn = classify},
    {.name = "is_finite", .min = 0, .max = 1, .fn = classify},
    {.name = "gcd", .min = 2, .max = 2, .fn = divisors},
    {.name = "lcm", .min = 2, .max = 2, .fn = divisors},
    {.name = "factorial", .min = 1, .max = 1, .fn = factorial},
    {0},
};
