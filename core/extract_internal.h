/*
 * Takes the program out of a model's answer while it grows: the first fenced
 * block that names the wanted language, or no language. An answer that is
 * nothing but code, without a fence, is a program too.
 */
#ifndef TECHO_CORE_EXTRACT_INTERNAL_H
#define TECHO_CORE_EXTRACT_INTERNAL_H

#include "../sandbox/base.h"

enum { EXTRACT_MAX = 4 << 20 };

enum extract_finish {
    EXTRACT_COMPLETE,
    EXTRACT_TRUNCATED, /* the answer ended inside the block */
    EXTRACT_REFUSED,   /* words, no code */
    EXTRACT_EMPTY,     /* nothing at all, or an empty block */
    EXTRACT_SEVERAL,   /* more than one block of the language: which is meant is not certain, the first is taken */
};
const char *extract_finish_name(enum extract_finish finish);

/* Called for each piece as soon as it is certain what it is. */
typedef void (*extract_fn)(void *context, bool program, const char *text, size_t len);

struct extract {
    const char *language; /* borrowed: "python" */
    extract_fn each;
    void *context;
    struct buf line;    /* the line that is not complete */
    struct buf program; /* what was taken so far */
    struct buf prose;
    unsigned blocks; /* of the language, begun */
    size_t fence;    /* ticks of the open fence; 0: outside */
    char tick;       /* '`' or '~' */
    bool taking;     /* the open block is the program */
};

void extract_init(struct extract *extract, const char *language, extract_fn each, void *context);
void extract_done(struct extract *extract);
void extract_feed(struct extract *extract, const char *text, size_t len);
/* The answer is over. `cut`: the provider says that it was truncated. */
enum extract_finish extract_end(struct extract *extract, bool cut);

#endif
