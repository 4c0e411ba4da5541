/* Integers as GMP sees them, for the files that need more than vm_internal.h gives. */
#ifndef TECHO_SYNSEMA_BIGINT_INTERNAL_H
#define TECHO_SYNSEMA_BIGINT_INTERNAL_H

#include <gmp.h>

#include "machine_internal.h"

/* Every use of mpz stands after it: when memory is short, the function returns -1 with the error set. */
#define GMP_GUARD(vm)                                                                                                  \
    do {                                                                                                               \
        if (setjmp((vm)->gmp_jump)) {                                                                                  \
            return gmp_abandon(vm);                                                                                    \
        }                                                                                                              \
        gmp_enter(vm);                                                                                                 \
    } while (0)

void gmp_enter(struct vm *vm);
int gmp_abandon(struct vm *vm);

struct int_view {
    mpz_t z;
    mp_limb_t limb;
};
/* The integer for reading; points into `view` or the value. */
mpz_srcptr int_view(struct value v, struct int_view *view);
int int_from_mpz(struct vm *vm, mpz_srcptr z, struct value *ret);

int int_pow10(struct vm *vm, int64_t exponent, struct value *ret);
int int_true_divide(struct vm *vm, struct value a, struct value b, double *ret);
int int_isqrt(struct vm *vm, struct value v, struct value *ret, bool *ret_exact);
int decimal_compare(struct vm *vm, struct value a, struct value b, int *ret); /* decimals and integers */
void decimal_put(struct buffer *buffer, struct value v);
size_t int_digits(struct vm *vm, struct value v);

#endif
