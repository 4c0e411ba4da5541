/* Equality by value, hashes that agree with it, and the order of < and >. */
#include "bigint_internal.h"

#include <math.h>
#include <stdlib.h>

#define NESTING_MAX 2000

/* MIX: would be equal but for a decimal that meets a float. */
enum verdict { DIFFERENT, SAME, MIX, FAILED };

bool value_is_number(struct value v)
{
    return value_is_small(v) || value_is_inline_float(v) ||
           (value_is_object(v) && value_object(v)->type <= OBJECT_DECIMAL);
}

static int compare_float(double a, double b)
{
    return a != a || b != b ? 2 : (a > b) - (a < b);
}

static int compare_int_float(struct value i, double d)
{
    if (d != d) {
        return 2;
    }
    if (value_is_small(i)) {
        int64_t n = value_small_get(i);
        if (n <= (INT64_C(1) << 53) && n >= -(INT64_C(1) << 53)) {
            return compare_float((double)n, d);
        }
        if (d >= 0x1p62 || d < -0x1p62) {
            return d > 0 ? -1 : 1;
        }
        int64_t whole = (int64_t)d;
        return n != whole ? (n > whole) - (n < whole) : compare_float(0.0, d - (double)whole);
    }
    struct int_view view;
    int r = mpz_cmp_d(int_view(i, &view), d);
    return (r > 0) - (r < 0);
}

int number_compare(struct vm *vm, struct value a, struct value b, int *ret)
{
    if (value_is_small(a) && value_is_small(b)) {
        *ret = ((int64_t)a.bits > (int64_t)b.bits) - ((int64_t)a.bits < (int64_t)b.bits);
        return 0;
    }
    bool fa = value_is_float(a), fb = value_is_float(b);
    if (value_is_decimal(a) || value_is_decimal(b)) {
        if (fa || fb) {
            return vm_fail(vm, MIX_ERROR);
        }
        return decimal_compare(vm, a, b, ret);
    }
    if (fa && fb) {
        *ret = compare_float(value_float_get(a), value_float_get(b));
    } else if (fa) {
        int r = compare_int_float(b, value_float_get(a));
        *ret = r == 2 ? 2 : -r;
    } else if (fb) {
        *ret = compare_int_float(a, value_float_get(b));
    } else {
        *ret = int_compare(a, b);
    }
    return 0;
}

double number_to_float(struct value v)
{
    if (value_is_float(v)) {
        return value_float_get(v);
    }
    if (!value_is_decimal(v)) {
        return int_to_float(v);
    }
    const struct decimal *decimal = value_decimal(v);
    if (value_is_small(decimal->coefficient) &&
        llabs((long long)value_small_get(decimal->coefficient)) <= (1LL << 53) && decimal->scale <= 22) {
        double power = 1;
        for (int i = 0; i < decimal->scale; i++) {
            power *= 10;
        }
        return (double)value_small_get(decimal->coefficient) / power;
    }
    /* digits beyond the 800th cannot change the nearest double but for ties, which need fewer */
    double c = int_to_float(decimal->coefficient);
    if (isfinite(c) && decimal->scale == 0) {
        return c;
    }
    struct int_view view;
    mpz_srcptr z = int_view(decimal->coefficient, &view);
    size_t size = mpz_sizeinbase(z, 10) + 32;
    char *text = malloc(size);
    if (!text) {
        return c * pow(10, -decimal->scale);
    }
    mpz_get_str(text, 10, z);
    size_t n = strlen(text);
    char exponent[24] = "e-";
    size_t k = 2;
    char digits[16];
    size_t m = 0;
    for (int s = decimal->scale; s > 0 || m == 0; s /= 10) {
        digits[m++] = (char)('0' + s % 10);
    }
    while (m > 0) {
        exponent[k++] = digits[--m];
    }
    memcpy(text + n, exponent, k);
    text[n + k] = '\0';
    double d = strtod(text, NULL);
    free(text);
    return d;
}

static enum verdict equal(struct vm *vm, struct value a, struct value b);

static enum verdict equal_numbers(struct vm *vm, struct value a, struct value b)
{
    int order;
    bool fa = value_is_float(a), fb = value_is_float(b);
    if ((fa && value_is_decimal(b)) || (fb && value_is_decimal(a))) {
        double d = value_float_get(fa ? a : b);
        return d != d ? DIFFERENT : MIX;
    }
    if (number_compare(vm, a, b, &order)) {
        return FAILED;
    }
    return order == 0 ? SAME : DIFFERENT;
}

static enum verdict equal_lists(struct vm *vm, const struct list *a, const struct list *b)
{
    if (a->length != b->length) {
        return DIFFERENT;
    }
    enum verdict all = SAME;
    for (size_t i = 0; i < a->length && all != DIFFERENT && all != FAILED; i++) {
        enum verdict one = equal(vm, a->items[i], b->items[i]);
        all = one == SAME ? all : one;
    }
    return all;
}

static enum verdict equal_maps(struct vm *vm, const struct map *a, const struct map *b)
{
    if (map_length(a) != map_length(b)) {
        return DIFFERENT;
    }
    size_t position = 0;
    struct value key, v;
    while (a->shape != b->shape && map_next(a, &position, &key, &v)) {
        if (!map_find(b, key)) {
            return DIFFERENT;
        }
    }
    enum verdict all = SAME;
    position = 0;
    while (all != DIFFERENT && all != FAILED && map_next(a, &position, &key, &v)) {
        struct value *other = map_find(b, key);
        enum verdict one = other ? equal(vm, v, *other) : DIFFERENT;
        all = one == SAME ? all : one;
    }
    return all;
}

static enum verdict equal_objects(struct vm *vm, struct value a, struct value b)
{
    enum object_type type = value_object(a)->type;
    switch (type) {
    case OBJECT_TEXT:
        return text_equal(value_text(a), value_text(b));
    case OBJECT_BYTES:
        return value_bytes(a)->length == value_bytes(b)->length &&
               memcmp(value_bytes(a)->data, value_bytes(b)->data, value_bytes(a)->length) == 0;
    case OBJECT_LIST:
        return equal_lists(vm, value_list(a), value_list(b));
    case OBJECT_MAP:
        return equal_maps(vm, value_map(a), value_map(b));
    default: {
        bool same;
        if (!kinds[type] || !kinds[type]->equal) {
            return a.bits == b.bits;
        }
        return kinds[type]->equal(vm, a, b, &same) ? FAILED : same ? SAME : DIFFERENT;
    }
    }
}

static enum verdict equal(struct vm *vm, struct value a, struct value b)
{
    if (value_same(a, b) && !value_is_object(a)) {
        return SAME;
    }
    if (value_is_bool(a)) {
        a = value_small(value_truthy(a));
    }
    if (value_is_bool(b)) {
        b = value_small(value_truthy(b));
    }
    if (value_is_number(a) && value_is_number(b)) {
        return equal_numbers(vm, a, b);
    }
    if (value_is(a, OBJECT_COMPLEX) || value_is(b, OBJECT_COMPLEX)) {
        bool swap = !value_is(a, OBJECT_COMPLEX);
        struct value c = swap ? b : a, other = swap ? a : b;
        const struct complex_number *z = (struct complex_number *)value_object(c);
        if (value_is(other, OBJECT_COMPLEX)) {
            const struct complex_number *w = (struct complex_number *)value_object(other);
            return z->re == w->re && z->im == w->im;
        }
        return value_is_number(other) && z->im == 0 && number_to_float(other) == z->re;
    }
    if (!value_is_object(a) || !value_is_object(b)) {
        return value_same(a, b);
    }
    if (value_object(a)->type != value_object(b)->type) {
        return DIFFERENT;
    }
    if (vm->nesting >= NESTING_MAX) {
        vm_fail(vm, "values nested more than %d deep", NESTING_MAX);
        return FAILED;
    }
    vm->nesting++;
    enum verdict verdict = equal_objects(vm, a, b);
    vm->nesting--;
    return verdict;
}

int value_equal(struct vm *vm, struct value a, struct value b, bool *ret)
{
    enum verdict verdict = equal(vm, a, b);
    *ret = verdict == SAME;
    return verdict == MIX ? vm_fail_here(vm, MIX_ERROR) : verdict == FAILED ? -1 : 0;
}

/* ---- hashes ---- */

static uint64_t mix64(uint64_t h)
{
    h ^= h >> 32;
    h *= UINT64_C(0xd6e8feb86659fd93);
    h ^= h >> 32;
    h *= UINT64_C(0xd6e8feb86659fd93);
    return h ^ h >> 32;
}

static uint64_t hash_float(double d)
{
    if (d != d) {
        return 0x7ff8;
    }
    if (d >= -0x1p62 && d < 0x1p62 && d == (double)(int64_t)d) {
        return mix64((uint64_t)(int64_t)d);
    }
    uint64_t bits;
    memcpy(&bits, &d, sizeof(bits));
    return mix64(bits);
}

static int hash_list(struct vm *vm, const struct list *list, uint64_t *ret)
{
    uint64_t h = list->length + 1;
    for (size_t i = 0; i < list->length; i++) {
        uint64_t one;
        if (value_hash(vm, list->items[i], &one)) {
            return -1;
        }
        h = mix64(h ^ one) + i;
    }
    *ret = h;
    return 0;
}

static int hash_map(struct vm *vm, const struct map *map, uint64_t *ret)
{
    uint64_t h = map_length(map) + 7;
    size_t position = 0;
    struct value key, v;
    while (map_next(map, &position, &key, &v)) {
        uint64_t one;
        if (value_hash(vm, v, &one)) {
            return -1;
        }
        uint64_t k = value_is_small(key) ? key.bits : text_hash(value_text(key));
        h += mix64(one ^ mix64(k)); /* in any order */
    }
    *ret = h;
    return 0;
}

static int hash_object(struct vm *vm, struct value v, uint64_t *ret)
{
    switch (value_object(v)->type) {
    case OBJECT_FLOAT:
    case OBJECT_BIGINT:
    case OBJECT_DECIMAL:
        *ret = hash_float(number_to_float(v));
        return 0;
    case OBJECT_COMPLEX: {
        const struct complex_number *z = (struct complex_number *)value_object(v);
        *ret = z->im == 0 ? hash_float(z->re) : mix64(hash_float(z->re) + 3 * hash_float(z->im));
        return 0;
    }
    case OBJECT_TEXT:
        *ret = mix64(text_hash(value_text(v)));
        return 0;
    case OBJECT_BYTES: {
        uint64_t h = value_bytes(v)->length;
        for (size_t i = 0; i < value_bytes(v)->length; i++) {
            h = h * UINT64_C(0x100000001b3) ^ value_bytes(v)->data[i];
        }
        *ret = mix64(h);
        return 0;
    }
    case OBJECT_LIST:
        return hash_list(vm, value_list(v), ret);
    case OBJECT_MAP:
        return hash_map(vm, value_map(v), ret);
    default: {
        const struct kind *kind = kinds[value_object(v)->type];
        *ret = mix64(kind && kind->hash ? kind->hash(v) : v.bits);
        return 0;
    }
    }
}

int value_hash(struct vm *vm, struct value v, uint64_t *ret)
{
    if (value_is_small(v)) {
        *ret = mix64((uint64_t)value_small_get(v));
        return 0;
    }
    if (value_is_inline_float(v)) {
        *ret = hash_float(value_inline_float(v));
        return 0;
    }
    if (!value_is_object(v)) {
        *ret = mix64(value_is_bool(v) ? value_truthy(v) : UINT64_C(0xabcdef));
        return 0;
    }
    if (vm->nesting >= NESTING_MAX) {
        return vm_fail(vm, "values nested more than %d deep", NESTING_MAX);
    }
    vm->nesting++;
    int r = hash_object(vm, v, ret);
    vm->nesting--;
    return r;
}

/* ---- order ---- */

static bool is_time(struct value v)
{
    return value_is_object(v) && value_object(v)->type >= OBJECT_DATE && value_object(v)->type <= OBJECT_DURATION;
}

int value_compare(struct vm *vm, struct value a, struct value b, const char *sign, int *ret)
{
    if (value_is_number(a) && value_is_number(b)) {
        return number_compare(vm, a, b, ret) ? (vm->error.kind == ERROR_RUN ? vm_fail_here(vm, MIX_ERROR) : -1) : 0;
    }
    if (value_is_text(a) && value_is_text(b)) {
        *ret = text_compare(value_text(a), value_text(b));
        return 0;
    }
    if (value_is(a, OBJECT_COMPLEX) || value_is(b, OBJECT_COMPLEX)) {
        return vm_fail_here(vm, "complex numbers are not ordered");
    }
    if (value_is(a, OBJECT_ARRAY) || value_is(b, OBJECT_ARRAY)) {
        return vm_fail_here(vm, "arrays do not support ordering comparisons (use elementwise functions)");
    }
    if (is_time(a) && is_time(b)) {
        enum object_type type = value_object(a)->type;
        if (type != value_object(b)->type) {
            return vm_fail_here(vm, "cannot order a %s and a %s", value_type_name(a), value_type_name(b));
        }
        if (kinds[type] && kinds[type]->compare) {
            return kinds[type]->compare(vm, a, b, ret);
        }
    }
    return vm_fail_here(vm, "Unsupported operation: %s %s %s", value_type_name(a), sign, value_type_name(b));
}
