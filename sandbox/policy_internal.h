/*
 * What the files of the policy language share: the table of words, the parser
 * of limits, and the three-line error.
 */
#ifndef TECHO_SANDBOX_POLICY_INTERNAL_H
#define TECHO_SANDBOX_POLICY_INTERNAL_H

#include "policy.h"

enum policy_word_kind { WORD_PERMISSION, WORD_LIMIT, WORD_NONE, WORD_SANDBOX };

struct policy_word {
    const char *text; /* as people may write it */
    const char *name; /* as it is shown: file_read is file.read */
    enum policy_word_kind kind;
    int value;   /* enum permission or enum limit */
    bool scoped; /* it may have a scope */
};

/* NULL when `text` is no word of the language. */
const struct policy_word *policy_word_find(const char *text, size_t len);
/* The known word that is a typing error away, or NULL. */
const char *policy_word_nearest(const char *text, size_t len);

/* -EINVAL and a phrase that says what is wrong with the value. */
int limit_parse(enum limit limit, const char *text, uint64_t *ret_value, const char **ret_problem);

/* Fills *err with the message, the line `text` and a caret below the byte `at`; returns -EINVAL. */
int policy_fault(struct err *err, const char *text, size_t at, const char *format, ...) PRINTF_LIKE(4, 5);

static inline bool policy_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static inline bool policy_is_control(char c)
{
    return (unsigned char)c < 0x20 || c == 0x7f;
}

#endif
