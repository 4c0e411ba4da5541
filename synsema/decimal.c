/*
 * Exact decimals: an integer coefficient and a scale. + - * % are exact;
 * division follows §4: 28 places while the operands are small, 28 significant
 * digits beyond that, both half-even.
 */
#include "bigint_internal.h"

#define SCALE_MAX ((int64_t)1000000)

bool value_is_decimal(struct value v)
{
    return value_is(v, OBJECT_DECIMAL);
}

/* A number as coefficient and scale; integers have scale 0. Borrowed. */
static struct value parts(struct value v, int64_t *ret_scale)
{
    if (value_is_decimal(v)) {
        *ret_scale = value_decimal(v)->scale;
        return value_decimal(v)->coefficient;
    }
    *ret_scale = 0;
    return v;
}

int decimal_new(struct vm *vm, struct value coefficient, int64_t scale, struct value *ret)
{
    if (scale > SCALE_MAX) {
        value_drop(vm, coefficient);
        return vm_fail(vm, "decimal with more than a million digits");
    }
    if (scale < 0) {
        struct value power;
        struct value scaled;
        if (-scale > SCALE_MAX) {
            value_drop(vm, coefficient);
            return vm_fail(vm, "decimal with more than a million digits");
        }
        int r = int_pow10(vm, -scale, &power);
        if (r == 0) {
            r = int_arith(vm, OPERATION_MUL, coefficient, power, &scaled);
            value_drop(vm, power);
        }
        value_drop(vm, coefficient);
        if (r) {
            return -1;
        }
        coefficient = scaled;
        scale = 0;
    }
    struct decimal *decimal = object_new(vm, OBJECT_DECIMAL, sizeof(*decimal));
    if (!decimal) {
        value_drop(vm, coefficient);
        return -1;
    }
    decimal->scale = (int32_t)scale;
    decimal->coefficient = coefficient;
    *ret = value_of(decimal);
    return 0;
}

/* v * 10^by; kept when by is 0 */
static int scaled(struct vm *vm, struct value v, int64_t by, struct value *ret)
{
    if (by == 0) {
        *ret = value_keep(v);
        return 0;
    }
    struct value power;
    if (int_pow10(vm, by, &power)) {
        return -1;
    }
    int r = int_arith(vm, OPERATION_MUL, v, power, ret);
    value_drop(vm, power);
    return r;
}

/* Both with the same scale. */
static int align(struct vm *vm, struct value a, struct value b, struct value *ret_a, struct value *ret_b,
                 int64_t *ret_scale)
{
    int64_t sa, sb;
    struct value ca = parts(a, &sa), cb = parts(b, &sb);
    *ret_scale = sa > sb ? sa : sb;
    if (scaled(vm, ca, *ret_scale - sa, ret_a)) {
        return -1;
    }
    if (scaled(vm, cb, *ret_scale - sb, ret_b)) {
        value_drop(vm, *ret_a);
        return -1;
    }
    return 0;
}

int decimal_compare(struct vm *vm, struct value a, struct value b, int *ret)
{
    struct value x, y;
    int64_t scale;
    if (align(vm, a, b, &x, &y, &scale)) {
        return -1;
    }
    *ret = int_compare(x, y);
    value_drop(vm, x);
    value_drop(vm, y);
    return 0;
}

/* n / 10^places rounded half-even. */
static int round_quotient(struct vm *vm, mpz_t quotient, mpz_srcptr n, mpz_srcptr d)
{
    (void)vm;
    mpz_t rest;
    mpz_init(rest);
    mpz_tdiv_qr(quotient, rest, n, d);
    mpz_mul_2exp(rest, rest, 1);
    int c = mpz_cmpabs(rest, d);
    if (c > 0 || (c == 0 && mpz_odd_p(quotient))) {
        if (mpz_sgn(n) * mpz_sgn(d) < 0) {
            mpz_sub_ui(quotient, quotient, 1);
        } else {
            mpz_add_ui(quotient, quotient, 1);
        }
    }
    mpz_clear(rest);
    return 0;
}

/* Removes trailing zeros of a coefficient down to a scale. */
static int64_t strip(mpz_t c, int64_t scale, int64_t least)
{
    while (scale > least && mpz_divisible_ui_p(c, 10)) {
        mpz_divexact_ui(c, c, 10);
        scale--;
    }
    return scale;
}

/* The quotient with `places` decimals, half-even, in `quotient`; whether it is exact. */
static bool quotient_at(mpz_t quotient, mpz_srcptr n, mpz_srcptr d, int64_t places)
{
    mpz_t num, den;
    mpz_init_set(num, n);
    mpz_init_set(den, d);
    mpz_t power;
    mpz_init(power);
    mpz_ui_pow_ui(power, 10, (unsigned long)(places < 0 ? -places : places));
    if (places >= 0) {
        mpz_mul(num, num, power);
    } else {
        mpz_mul(den, den, power);
    }
    bool exact = mpz_divisible_p(num, den);
    round_quotient(NULL, quotient, num, den);
    mpz_clears(num, den, power, NULL);
    return exact;
}

static bool small_operand(mpz_srcptr c, int64_t scale)
{
    return mpz_sizeinbase(c, 2) <= 96 && scale <= 28;
}

static size_t digits10(mpz_srcptr z)
{
    size_t n = mpz_sizeinbase(z, 10);
    mpz_t power;
    mpz_init(power);
    mpz_ui_pow_ui(power, 10, n - 1);
    if (n > 1 && mpz_cmpabs(z, power) < 0) {
        n--;
    }
    mpz_clear(power);
    return n;
}

/* The first rule of §4's division; false when it does not hold. c gets the coefficient, *scale its scale. */
static bool divide_small(mpz_t c, mpz_srcptr n, mpz_srcptr d, int64_t sa, int64_t sb, int64_t *scale)
{
    if (!small_operand(n, sa) || !small_operand(d, sb)) {
        return false;
    }
    /* places of n/d that give `decimals` decimals of the whole: decimals - sa + sb */
    for (int64_t decimals = 28; decimals >= 0; decimals--) {
        bool exact = quotient_at(c, n, d, decimals - sa + sb);
        if (mpz_sizeinbase(c, 2) > 96) {
            continue;
        }
        if (!exact && digits10(c) < 28) {
            return false;
        }
        *scale = decimals;
        if (exact) {
            int64_t least = sa - sb;
            *scale = strip(c, decimals, least < 0 ? 0 : least);
        }
        return true;
    }
    return false;
}

/* 28 significant digits; exact results keep at least sa - sb decimals. */
static void divide_large(mpz_t c, mpz_srcptr n, mpz_srcptr d, int64_t sa, int64_t sb, int64_t *scale)
{
    int64_t floor_scale = sa > sb ? sa : sb;
    int64_t magnitude =
        (int64_t)digits10(n) - sa - ((int64_t)digits10(d) - sb); /* digits before the point, or one more */
    int64_t decimals = 28 - magnitude;
    decimals = decimals > floor_scale ? decimals : floor_scale;
    bool exact = quotient_at(c, n, d, decimals - sa + sb);
    int64_t over = (int64_t)digits10(c) - 28;
    if (over > 0 && decimals - over >= floor_scale && !exact) {
        decimals -= over;
        exact = quotient_at(c, n, d, decimals - sa + sb);
    }
    *scale = decimals;
    if (exact) {
        *scale = strip(c, decimals, sa - sb > 0 ? sa - sb : 0);
    }
}

int decimal_divide(struct vm *vm, struct value a, struct value b, bool trim, struct value *ret)
{
    GMP_GUARD(vm);
    int64_t sa, sb, scale = 0;
    struct value ca = parts(a, &sa), cb = parts(b, &sb);
    struct int_view va, vb;
    mpz_srcptr n = int_view(ca, &va), d = int_view(cb, &vb);
    mpz_t c;
    mpz_init(c);
    if (mpz_sgn(n) == 0) {
        scale = sa - sb > 0 ? sa - sb : 0;
    } else if (!divide_small(c, n, d, sa, sb, &scale)) {
        divide_large(c, n, d, sa, sb, &scale);
    }
    if (trim) {
        scale = strip(c, scale, 0);
    }
    struct value coefficient;
    int r = int_from_mpz(vm, c, &coefficient);
    mpz_clear(c);
    return r ? -1 : decimal_new(vm, coefficient, scale, ret);
}

static int decimal_power(struct vm *vm, struct value a, struct value b, struct value *ret)
{
    int64_t sb, sa;
    struct value cb = parts(b, &sb);
    struct value whole = value_keep(cb);
    if (sb > 0) {
        struct value power, rest;
        value_drop(vm, whole);
        if (int_pow10(vm, sb, &power)) {
            return -1;
        }
        int r = int_arith(vm, OPERATION_MOD, cb, power, &rest);
        bool integral = r == 0 && value_same(rest, value_small(0));
        if (r == 0) {
            value_drop(vm, rest);
        }
        if (r == 0 && integral) {
            r = int_arith(vm, OPERATION_FLOOR, cb, power, &whole);
        }
        value_drop(vm, power);
        if (r) {
            return -1;
        }
        if (!integral) {
            return vm_fail_here(vm, "decimal ** non-integer exponent is not supported (it would lose exactness); use "
                                    "float(x) for an approximate power");
        }
    }
    struct value ca = parts(a, &sa);
    if (!value_is_small(whole)) {
        value_drop(vm, whole);
        return vm_fail_here(vm, "decimal with more than a million digits");
    }
    int64_t exponent = value_small_get(whole);
    int64_t size = exponent < 0 ? -exponent : exponent;
    if (exponent < 0 && int_sign(ca) == 0) {
        return vm_fail_here(vm, "Zero cannot be raised to a negative power");
    }
    if (size > SCALE_MAX || (double)size * (double)int_digits(vm, ca) > (double)SCALE_MAX) {
        return vm_fail_here(vm, "decimal with more than a million digits");
    }
    struct value c, power;
    if (int_arith(vm, OPERATION_POW, ca, value_small(size), &c) || decimal_new(vm, c, sa * size, &power)) {
        return -1;
    }
    if (exponent >= 0) {
        *ret = power;
        return 0;
    }
    struct value one;
    int r = decimal_new(vm, value_small(1), 0, &one);
    if (r == 0) {
        r = decimal_divide(vm, one, power, false, ret);
        value_drop(vm, one);
    }
    value_drop(vm, power);
    return r;
}

int decimal_arith(struct vm *vm, enum operation operation, struct value a, struct value b, struct value *ret)
{
    if (operation == OPERATION_POW) {
        return decimal_power(vm, a, b, ret);
    }
    int64_t sa, sb, scale;
    struct value cb = parts(b, &sb), ca = parts(a, &sa);
    struct value c;
    if (operation >= OPERATION_DIV && int_sign(cb) == 0) {
        return vm_fail_here(vm, operation == OPERATION_MOD ? "Modulo by zero" : "Division by zero");
    }
    if (operation == OPERATION_DIV) {
        return decimal_divide(vm, a, b, false, ret);
    }
    if (operation == OPERATION_MUL) {
        return int_arith(vm, operation, ca, cb, &c) ? -1 : decimal_new(vm, c, sa + sb, ret);
    }
    struct value x, y;
    if (align(vm, a, b, &x, &y, &scale)) {
        return -1;
    }
    int r = int_arith(vm, operation, x, y, &c);
    value_drop(vm, x);
    value_drop(vm, y);
    return r ? -1 : decimal_new(vm, c, operation == OPERATION_FLOOR ? 0 : scale, ret);
}

/* coefficient * 10^shift, half-even, as a decimal of `places` */
static int shifted(struct vm *vm, struct value coefficient, int64_t shift, int64_t places, struct value *ret)
{
    GMP_GUARD(vm);
    struct int_view view;
    mpz_srcptr n = int_view(coefficient, &view);
    mpz_t c, one;
    mpz_init(c);
    mpz_init_set_ui(one, 1);
    quotient_at(c, n, one, shift);
    struct value rounded;
    int r = int_from_mpz(vm, c, &rounded);
    mpz_clears(c, one, NULL);
    return r ? -1 : decimal_new(vm, rounded, places, ret);
}

int decimal_round(struct vm *vm, struct value v, int64_t places, struct value *ret)
{
    int64_t scale;
    struct value coefficient = parts(v, &scale);
    if (scale <= places) {
        *ret = value_keep(v);
        return 0;
    }
    return shifted(vm, coefficient, places - scale, places, ret);
}

int decimal_trim(struct vm *vm, struct value v, struct value *ret)
{
    GMP_GUARD(vm);
    int64_t scale;
    struct value coefficient = parts(v, &scale);
    struct int_view view;
    mpz_t c;
    mpz_init_set(c, int_view(coefficient, &view));
    scale = strip(c, scale, 0);
    struct value stripped;
    int r = int_from_mpz(vm, c, &stripped);
    mpz_clear(c);
    return r ? -1 : decimal_new(vm, stripped, scale, ret);
}

/* To 28 significant digits, half-even, trailing zeros trimmed; `a` is not negative. */
int decimal_sqrt(struct vm *vm, struct value a, struct value *ret)
{
    GMP_GUARD(vm);
    int64_t scale;
    struct value coefficient = parts(a, &scale);
    struct int_view view;
    mpz_t n, root, rest;
    mpz_init_set(n, int_view(coefficient, &view));
    mpz_inits(root, rest, NULL);
    int64_t shift = 60 - (int64_t)digits10(n);
    shift = shift < 0 ? 0 : shift;
    shift += (scale + shift) % 2;
    mpz_ui_pow_ui(rest, 10, (unsigned long)shift);
    mpz_mul(n, n, rest);
    mpz_sqrtrem(root, rest, n);
    int64_t s = (scale + shift) / 2;
    int64_t over = (int64_t)digits10(root) - 28;
    if (over > 0) {
        bool sticky = mpz_sgn(rest) != 0;
        mpz_t one;
        mpz_init_set_ui(one, 1);
        if (sticky) { /* a tie is no tie when something follows */
            mpz_mul_ui(root, root, 10);
            mpz_add_ui(root, root, 1);
            over++;
            s++;
        }
        mpz_set(n, root);
        quotient_at(root, n, one, -over);
        s -= over;
        mpz_clear(one);
    }
    s = strip(root, s, 0);
    struct value c;
    int r = int_from_mpz(vm, root, &c);
    mpz_clears(n, root, rest, NULL);
    return r ? -1 : decimal_new(vm, c, s, ret);
}

int decimal_parse(struct vm *vm, const char *data, size_t length, struct value *ret)
{
    size_t at = length > 0 && (data[0] == '-' || data[0] == '+');
    struct buffer digits;
    buffer_init(&digits, vm);
    if (at && data[0] == '-') {
        buffer_char(&digits, '-');
    }
    int64_t scale = 0;
    size_t count = 0;
    bool point = false;
    for (; at < length && ((data[at] >= '0' && data[at] <= '9') || (data[at] == '.' && !point)); at++) {
        if (data[at] == '.') {
            point = true;
            continue;
        }
        buffer_char(&digits, data[at]);
        count++;
        scale += point;
    }
    int r = count == 0 || count > 4300;
    if (r == 0 && at < length && (data[at] == 'e' || data[at] == 'E')) {
        at++;
        bool negative = at < length && data[at] == '-';
        at += at < length && (data[at] == '-' || data[at] == '+');
        int64_t exponent = 0;
        size_t first = at;
        for (; at < length && data[at] >= '0' && data[at] <= '9'; at++) {
            exponent = exponent > 100000 ? exponent : exponent * 10 + (data[at] - '0');
        }
        r = at == first || exponent > 4300;
        scale -= negative ? -exponent : exponent;
    }
    r = r || at < length;
    struct value c;
    if (r == 0) {
        r = digits.failed ? -1 : int_parse(vm, digits.data, digits.length, 10, &c);
    }
    buffer_done(&digits);
    return r ? r : decimal_new(vm, c, scale, ret);
}

void decimal_put(struct buffer *buffer, struct value v)
{
    const struct decimal *decimal = value_decimal(v);
    struct buffer digits;
    buffer_init(&digits, buffer->vm);
    int_format(&digits, decimal->coefficient);
    bool negative = digits.length > 0 && digits.data[0] == '-';
    const char *p = digits.failed ? "" : digits.data + negative;
    size_t n = digits.failed ? 0 : digits.length - negative;
    size_t scale = (size_t)decimal->scale;
    if (negative) {
        buffer_char(buffer, '-');
    }
    if (n <= scale) {
        buffer_char(buffer, '0');
    } else {
        buffer_put(buffer, p, n - scale);
    }
    if (scale > 0) {
        buffer_char(buffer, '.');
        for (size_t i = n; i < scale; i++) {
            buffer_char(buffer, '0');
        }
        buffer_put(buffer, n > scale ? p + (n - scale) : p, n > scale ? scale : n);
    }
    buffer->failed |= digits.failed;
    buffer_done(&digits);
}
