/*
 * Integers of any size. What fits in 63 bits is a small value; the rest goes
 * through GMP. GMP cannot be told that memory is short, so its allocations
 * are ours, kept in a list, and a failure jumps out of GMP (GMP_GUARD).
 */
#include "bigint_internal.h"

#include <math.h>

#define BITS_MAX ((uint64_t)1 << 27)

/* ---- memory for GMP ---- */

struct gmp_block {
    struct gmp_block *next, *previous;
    size_t size;
    size_t pad;
};

static _Thread_local struct vm *current;

static void *gmp_alloc(size_t size)
{
    struct gmp_block *block = memory_alloc(current, sizeof(*block) + size);
    if (!block) {
        longjmp(current->gmp_jump, 1);
    }
    *block = (struct gmp_block){.next = current->gmp_blocks, .size = size};
    if (block->next) {
        block->next->previous = block;
    }
    current->gmp_blocks = block;
    return block + 1;
}

static void gmp_free(void *data, size_t size)
{
    (void)size;
    struct gmp_block *block = (struct gmp_block *)data - 1;
    if (block->previous) {
        block->previous->next = block->next;
    } else {
        current->gmp_blocks = block->next;
    }
    if (block->next) {
        block->next->previous = block->previous;
    }
    memory_free(current, block, sizeof(*block) + block->size);
}

static void *gmp_realloc(void *data, size_t old_size, size_t size)
{
    void *fresh = gmp_alloc(size);
    memcpy(fresh, data, old_size < size ? old_size : size);
    gmp_free(data, old_size);
    return fresh;
}

void gmp_enter(struct vm *vm)
{
    current = vm;
    mp_set_memory_functions(gmp_alloc, gmp_realloc, gmp_free);
}

int gmp_abandon(struct vm *vm)
{
    while (vm->gmp_blocks) {
        gmp_free(vm->gmp_blocks + 1, 0);
    }
    return -1;
}

/* ---- between values and mpz ---- */

mpz_srcptr int_view(struct value v, struct int_view *view)
{
    if (value_is_small(v)) {
        int64_t i = value_small_get(v);
        view->limb = i < 0 ? 0 - (mp_limb_t)i : (mp_limb_t)i;
        return mpz_roinit_n(view->z, &view->limb, i < 0 ? -1 : i > 0);
    }
    struct bigint *big = (struct bigint *)value_object(v);
    return mpz_roinit_n(view->z, (const mp_limb_t *)big->limbs, big->size);
}

int int_from_mpz(struct vm *vm, mpz_srcptr z, struct value *ret)
{
    if (mpz_fits_slong_p(z)) {
        long i = mpz_get_si(z);
        if (i <= INT_SMALL_MAX && i >= INT_SMALL_MIN) {
            *ret = value_small(i);
            return 0;
        }
    }
    size_t limbs = mpz_size(z);
    struct bigint *big = object_new(vm, OBJECT_BIGINT, sizeof(*big) + limbs * 8);
    if (!big) {
        return -1;
    }
    memcpy(big->limbs, mpz_limbs_read(z), limbs * 8);
    big->size = mpz_sgn(z) < 0 ? -(int32_t)limbs : (int32_t)limbs;
    *ret = value_of(big);
    return 0;
}

int int_from_i64(struct vm *vm, int64_t i, struct value *ret)
{
    if (i <= INT_SMALL_MAX && i >= INT_SMALL_MIN) {
        *ret = value_small(i);
        return 0;
    }
    mp_limb_t limb = i < 0 ? 0 - (mp_limb_t)i : (mp_limb_t)i;
    mpz_t z;
    return int_from_mpz(vm, mpz_roinit_n(z, &limb, i < 0 ? -1 : 1), ret);
}

int int_from_u64(struct vm *vm, uint64_t i, struct value *ret)
{
    mp_limb_t limb = i;
    mpz_t z;
    return int_from_mpz(vm, mpz_roinit_n(z, &limb, i > 0), ret);
}

bool int_fits_i64(struct value v, int64_t *ret)
{
    struct int_view view;
    mpz_srcptr z = int_view(v, &view);
    if (!mpz_fits_slong_p(z)) {
        return false;
    }
    *ret = mpz_get_si(z);
    return true;
}

int int_sign(struct value v)
{
    if (value_is_small(v)) {
        int64_t i = value_small_get(v);
        return (i > 0) - (i < 0);
    }
    return ((struct bigint *)value_object(v))->size < 0 ? -1 : 1;
}

int int_compare(struct value a, struct value b)
{
    if (value_is_small(a) && value_is_small(b)) {
        return ((int64_t)a.bits > (int64_t)b.bits) - ((int64_t)a.bits < (int64_t)b.bits);
    }
    struct int_view x, y;
    int r = mpz_cmp(int_view(a, &x), int_view(b, &y));
    return (r > 0) - (r < 0);
}

/* mpz_get_d truncates; this rounds to nearest, ties to even, as Python's float(int). */
double int_to_float(struct value v)
{
    if (value_is_small(v)) {
        return (double)value_small_get(v);
    }
    struct int_view view;
    mpz_srcptr z = int_view(v, &view);
    size_t bits = mpz_sizeinbase(z, 2);
    if (bits > 1024) {
        return mpz_sgn(z) < 0 ? -INFINITY : INFINITY;
    }
    /* the top 64 bits, the lowest of them sticky */
    size_t shift = bits - 64;
    size_t limb = shift / 64, off = shift % 64;
    uint64_t top = mpz_getlimbn(z, (mp_size_t)limb) >> off;
    if (off) {
        top |= mpz_getlimbn(z, (mp_size_t)limb + 1) << (64 - off);
    }
    if (shift > 0 && mpz_scan1(z, 0) < shift) {
        top |= 1;
    }
    double d = ldexp((double)top, (int)shift);
    return mpz_sgn(z) < 0 ? -d : d;
}

int int_from_float(struct vm *vm, double d, struct value *ret)
{
    if (d >= -4e18 && d <= 4e18) {
        return int_from_i64(vm, (int64_t)d, ret);
    }
    GMP_GUARD(vm);
    mpz_t z;
    mpz_init_set_d(z, d);
    int r = int_from_mpz(vm, z, ret);
    mpz_clear(z);
    return r;
}

/* ---- arithmetic ---- */

static uint64_t bits_of(struct value v)
{
    struct int_view view;
    return mpz_sizeinbase(int_view(v, &view), 2);
}

/* Sizes beyond any memory, which GMP would abort on. */
static bool too_large(enum operation operation, struct value a, struct value b)
{
    if (operation == OPERATION_MUL) {
        return bits_of(a) + bits_of(b) > BITS_MAX;
    }
    if (operation == OPERATION_POW && !value_same(a, value_small(0)) && !value_same(a, value_small(1)) &&
        !value_same(a, value_small(-1))) {
        return !value_is_small(b) || (double)bits_of(a) * (double)value_small_get(b) > (double)BITS_MAX;
    }
    return bits_of(a) > BITS_MAX || bits_of(b) > BITS_MAX;
}

/* + - * // % on any, ** with an exponent that is not negative; the divisor is not zero. */
int int_arith(struct vm *vm, enum operation operation, struct value a, struct value b, struct value *ret)
{
    if (too_large(operation, a, b)) {
        return vm_fail(vm, "integer too large");
    }
    GMP_GUARD(vm);
    struct int_view va, vb;
    mpz_srcptr x = int_view(a, &va), y = int_view(b, &vb);
    mpz_t z;
    mpz_init(z);
    switch (operation) {
    case OPERATION_ADD:
        mpz_add(z, x, y);
        break;
    case OPERATION_SUB:
        mpz_sub(z, x, y);
        break;
    case OPERATION_MUL:
        mpz_mul(z, x, y);
        break;
    case OPERATION_DIV:
    case OPERATION_FLOOR:
        mpz_fdiv_q(z, x, y);
        break;
    case OPERATION_MOD:
        mpz_fdiv_r(z, x, y);
        break;
    case OPERATION_POW:
        mpz_pow_ui(z, x, value_is_small(b) ? (unsigned long)value_small_get(b) : mpz_tstbit(y, 0) ? 1 : 2);
        break;
    }
    int r = int_from_mpz(vm, z, ret);
    mpz_clear(z);
    return r;
}

int int_pow10(struct vm *vm, int64_t exponent, struct value *ret)
{
    if (exponent <= 18) {
        int64_t p = 1;
        for (int64_t i = 0; i < exponent; i++) {
            p *= 10;
        }
        return int_from_i64(vm, p, ret);
    }
    return int_arith(vm, OPERATION_POW, value_small(10), value_small(exponent), ret);
}

/* a / b as the nearest double, correctly rounded. */
int int_true_divide(struct vm *vm, struct value a, struct value b, double *ret)
{
    double x = int_to_float(a), y = int_to_float(b);
    if (fabs(x) <= 9007199254740992.0 && fabs(y) <= 9007199254740992.0) {
        *ret = x / y; /* both exact, so one rounding */
        return 0;
    }
    GMP_GUARD(vm);
    struct int_view va, vb;
    mpz_srcptr p = int_view(a, &va), q = int_view(b, &vb);
    mpz_t n, d, quotient, rest;
    mpz_inits(n, d, quotient, rest, NULL);
    mpz_abs(n, p);
    mpz_abs(d, q);
    /* scaled so that the quotient has 64 or 65 bits, its last one sticky; subnormals lose at the final ldexp only */
    long shift = (long)mpz_sizeinbase(d, 2) - (long)mpz_sizeinbase(n, 2) + 65;
    if (mpz_sgn(n) == 0) {
        *ret = 0.0;
    } else {
        if (shift > 0) {
            mpz_mul_2exp(n, n, (mp_bitcnt_t)shift);
        } else {
            mpz_mul_2exp(d, d, (mp_bitcnt_t)-shift);
        }
        mpz_tdiv_qr(quotient, rest, n, d);
        bool sticky = mpz_sgn(rest) != 0;
        if (mpz_sizeinbase(quotient, 2) > 64) {
            size_t extra = mpz_sizeinbase(quotient, 2) - 64;
            sticky |= mpz_scan1(quotient, 0) < extra;
            mpz_tdiv_q_2exp(quotient, quotient, extra);
            shift -= (long)extra;
        }
        uint64_t top = mpz_getlimbn(quotient, 0) | sticky;
        double r = shift > 5000 ? 0.0 : shift < -5000 ? INFINITY : ldexp((double)top, (int)-shift);
        *ret = mpz_sgn(p) * mpz_sgn(q) < 0 ? -r : r;
    }
    mpz_clears(n, d, quotient, rest, NULL);
    return 0;
}

/* ---- text ---- */

static int digit_of(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'z' ? c - 'a' + 10
           : c >= 'A' && c <= 'Z' ? c - 'A' + 10
                                  : 99;
}

int int_parse(struct vm *vm, const char *data, size_t length, int base, struct value *ret)
{
    size_t at = length > 0 && (data[0] == '-' || data[0] == '+');
    bool negative = at && data[0] == '-';
    if (at == length) {
        return 1;
    }
    for (size_t i = at; i < length; i++) {
        if (digit_of(data[i]) >= base) {
            return 1;
        }
    }
    if (length - at <= 11 || (base <= 10 && length - at <= 18)) {
        int64_t i = 0;
        for (; at < length; at++) {
            i = i * base + digit_of(data[at]);
        }
        return int_from_i64(vm, negative ? -i : i, ret);
    }
    char *copy = memory_strdup(vm, data + at, length - at);
    if (!copy) {
        return -1;
    }
    size_t size = length - at + 1;
    if (setjmp(vm->gmp_jump)) {
        memory_free(vm, copy, size);
        return gmp_abandon(vm);
    }
    gmp_enter(vm);
    mpz_t z;
    mpz_init_set_str(z, copy, base);
    memory_free(vm, copy, size);
    copy = NULL;
    if (negative) {
        mpz_neg(z, z);
    }
    int r = int_from_mpz(vm, z, ret);
    mpz_clear(z);
    return r;
}

int int_format(struct buffer *buffer, struct value v)
{
    if (value_is_small(v)) {
        char digits[24];
        char *p = digits + sizeof(digits);
        int64_t i = value_small_get(v);
        uint64_t u = i < 0 ? 0 - (uint64_t)i : (uint64_t)i;
        do {
            *--p = (char)('0' + u % 10);
            u /= 10;
        } while (u);
        if (i < 0) {
            *--p = '-';
        }
        buffer_put(buffer, p, (size_t)(digits + sizeof(digits) - p));
        return 0;
    }
    GMP_GUARD(buffer->vm);
    struct int_view view;
    mpz_srcptr z = int_view(v, &view);
    char *room = buffer_room(buffer, mpz_sizeinbase(z, 10) + 2);
    if (!room) {
        return -1;
    }
    mpz_get_str(room, 10, z);
    buffer->length += strlen(room);
    return 0;
}

int int_isqrt(struct vm *vm, struct value v, struct value *ret, bool *ret_exact)
{
    GMP_GUARD(vm);
    struct int_view view;
    mpz_srcptr z = int_view(v, &view);
    mpz_t root, rest;
    mpz_inits(root, rest, NULL);
    mpz_sqrtrem(root, rest, z);
    *ret_exact = mpz_sgn(rest) == 0;
    int r = int_from_mpz(vm, root, ret);
    mpz_clears(root, rest, NULL);
    return r;
}

/* Digits of |v| in base 10; 1 for zero. */
size_t int_digits(struct vm *vm, struct value v)
{
    if (value_is_small(v)) {
        int64_t i = value_small_get(v);
        uint64_t u = i < 0 ? 0 - (uint64_t)i : (uint64_t)i;
        size_t n = 1;
        while (u >= 10) {
            u /= 10;
            n++;
        }
        return n;
    }
    struct buffer buffer;
    buffer_init(&buffer, vm);
    int_format(&buffer, v);
    size_t n = buffer.length - (int_sign(v) < 0);
    buffer_done(&buffer);
    return n;
}
