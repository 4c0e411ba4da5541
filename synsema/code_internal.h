/*
 * Code: one 64-bit word per instruction. Operation in bits 0–7, A in 8–23,
 * B in 24–39, C in 40–63 (24 bits, signed where it is a jump). R[x] is a
 * register, K[x] a constant. Jumps count from the next instruction.
 */
#ifndef TECHO_SYNSEMA_CODE_INTERNAL_H
#define TECHO_SYNSEMA_CODE_INTERNAL_H

#include <stdint.h>

#define OPCODES(X)                                                                                                     \
    X(MOVE)       /* R[A] = R[B] */                                                                                    \
    X(TAKE)       /* R[A] = R[B], R[B] = nothing */                                                                    \
    X(LOADK)      /* R[A] = K[C] */                                                                                    \
    X(CLEAR)      /* R[A] = nothing */                                                                                 \
    X(UNDEF)      /* R[A] = undefined */                                                                               \
    X(GETG)       /* R[A] = global C, or the builtin of its name */                                                    \
    X(SETG)       /* global C = R[A] */                                                                                \
    X(NEWBOX)     /* R[A] = a box with undefined */                                                                    \
    X(BOX)        /* R[A] = a box with R[A] */                                                                         \
    X(GETBOX)     /* R[A] = what the box R[B] holds */                                                                 \
    X(SETBOX)     /* the box R[A] holds R[B] */                                                                        \
    X(GETUP)      /* R[A] = what capture C holds */                                                                    \
    X(SETUP)      /* capture C holds R[A] */                                                                           \
    X(TESTREG) X(TESTBOX) X(TESTUP) X(TESTG) /* jump C if variable B is undefined */                                   \
    X(UNDEFINED)  /* error: the name K[C] is undefined; A: after `//` */                                               \
    X(UNSETTABLE) /* error: `set` of the undefined K[C] */                                                             \
    X(ADD) X(SUB) X(MUL) X(DIV) X(FLOOR) X(MOD) X(POW)        /* R[A] = R[B] op R[C] */                                \
    X(EXTEND)     /* adds R[B] … C values to the text R[A] in place and skips C instructions, if it can */              \
    X(ADDK) X(SUBK) X(MULK) X(DIVK) X(FLOORK) X(MODK) X(POWK) /* R[A] = R[B] op K[C] */                                \
    X(NEGATE) X(NOT)                                          /* R[A] = op R[B] */                                     \
    X(EQ) X(NE) X(LT) X(LE) X(GT) X(GE) X(IN) X(NOTIN)        /* R[A] = R[B] op R[C] */                                \
    X(JEQ) X(JNE) X(JLT) X(JLE) X(JGT) X(JGE)                 /* jump C if R[A] op R[B] */                             \
    X(JNEQ) X(JNNE) X(JNLT) X(JNLE) X(JNGT) X(JNGE)           /* jump C if not */                                      \
    X(JEQK) X(JNEK) X(JLTK) X(JLEK) X(JGTK) X(JGEK)           /* jump C if R[A] op K[B] */                             \
    X(JNEQK) X(JNNEK) X(JNLTK) X(JNLEK) X(JNGTK) X(JNGEK)                                                              \
    X(JMP) X(LOOP)  /* C; LOOP goes back and counts a step */                                                          \
    X(JT) X(JF)     /* jump C if R[A] is true, false */                                                                \
    X(TRUTH)        /* R[A] = R[B] as a bool */                                                                        \
    X(GETINDEX)     /* R[A] = R[B][R[C]] */                                                                            \
    X(GETFIELD)     /* R[A] = R[B].field C */                                                                          \
    X(GETKEY)       /* R[A] = R[B]["field C"] */                                                                       \
    X(SETINDEX)     /* R[A][R[B]] = R[C] */                                                                            \
    X(SETFIELD)     /* R[A].field C = R[B] */                                                                          \
    X(SETPATH)      /* path C = R[A] */                                                                                \
    X(UPDATE)       /* path C = its builtin(R[A] …, B arguments); R[A] gets the result */                              \
    X(APPEND)       /* R[A] = append(R[A], R[B]) */                                                                    \
    X(NEWLIST)      /* R[A] = [] with room for C */                                                                    \
    X(LISTADD)      /* R[A] gets the C items R[B] … */                                                                 \
    X(NEWRECORD)    /* R[A] = a map of shape C with values R[B] … */                                                   \
    X(NEWMAP)       /* R[A] = {} */                                                                                    \
    X(MAPPUT)       /* R[A][R[B]] = R[C] */                                                                            \
    X(CONCAT)       /* R[A] = R[B] … C parts as one text */                                                            \
    X(CLOSURE)      /* R[A] = a task of code C */                                                                      \
    X(CALL)         /* R[B] = R[A](R[A+1] … C arguments) */                                                            \
    X(CALLG)        /* R[B] = global (C >> 10)(R[A] … C & 1023 arguments) */                                           \
    X(CALLB)        /* R[B] = builtin (C >> 10)(R[A] … C & 1023 arguments) */                                          \
    X(CALLN)        /* R[B] = R[A](… call site C with names) */                                                        \
    X(CALLP)        /* R[B] = R[A](R[A+1]) as builtins call */                                                         \
    X(RETURN)       /* R[A] */                                                                                         \
    X(STOPPED)      /* `stop` without a loop here */                                                                   \
    X(OUTSIDE)      /* `give` in main code */                                                                          \
    X(RAISE)        /* R[A] */                                                                                         \
    X(FORPREP)      /* R[A], R[A+1], R[A+2] are from, to, step: checks them; jump C if nothing to do */                \
    X(FORLOOP)      /* R[B] = R[A], R[A] += step; jump C at the end */                                                 \
    X(ITER)         /* R[A] = R[B] to be walked, R[A+1] = the place */                                                 \
    X(NEXT)         /* R[B] = the next of R[A]; jump C at the end */                                                   \
    X(MATCHEQ)      /* jump C unless R[A] equals R[B] */                                                               \
    X(MATCHLIST) X(MATCHMIN) /* jump C unless R[A] is a list of B items, of at least B */                              \
    X(MATCHMAP)     /* jump C unless R[A] is a map */                                                                  \
    X(ELEMENT)      /* R[A] = R[B][C], C from the end when negative */                                                 \
    X(REST)         /* R[A] = R[B] without the first C >> 12 and the last C & 4095 */                                  \
    X(MATCHKEY)     /* R[A] = R[B][K[C]] or undefined */                                                               \
    X(VARIANT)      /* R[A] = whether R[A] is variant K[C] of enum R[B] */                                             \
    X(PAYLOADS)     /* error unless the variant R[A] has C fields */                                                   \
    X(PAYLOAD)      /* R[A] = field C of the variant R[B] */                                                           \
    X(ENTER)        /* a sandbox; under R[A] when B */                                                                 \
    X(LEAVE)                                                                                                           \
    X(START)        /* the preamble is over */                                                                         \
    X(REQUIRE)      /* K[C], scope R[A] when B */                                                                      \
    X(INTENT)       /* K[C] */                                                                                         \
    X(BROKEN)       /* the invariant K[C] does not hold */                                                             \
    X(LOG) X(SHOW)  /* R[A]; SHOW with the label K[C] when B */                                                        \
    X(USE)          /* R[A] = the module K[C] */                                                                       \
    X(TEST)         /* runs R[A], the test named K[C] */                                                               \
    X(BADTARGET)    /* `set` of what cannot be set */

enum opcode {
#define X(name) OP_##name,
    OPCODES(X)
#undef X
};

#define CODE(op, a, b, c) ((uint64_t)(op) | (uint64_t)(uint16_t)(a) << 8 | (uint64_t)(uint16_t)(b) << 24 | (uint64_t)(uint32_t)(c) << 40)
#define CODE_OP(i) ((enum opcode)((i) & 0xff))
#define CODE_A(i) ((uint16_t)((i) >> 8))
#define CODE_B(i) ((uint16_t)((i) >> 24))
#define CODE_C(i) ((uint32_t)((i) >> 40))
#define CODE_JUMP(i) ((int32_t)((int64_t)(i) >> 40))

#endif
