/*
 * What becomes of an access: computed from what the cell shows, so that a row
 * says what the kernel's layers do even where the supervisor answered in
 * their stead. Pure functions.
 */
#ifndef TECHO_SANDBOX_VERDICT_INTERNAL_H
#define TECHO_SANDBOX_VERDICT_INTERNAL_H

#include "cell_internal.h"
#include "lookup_internal.h"

struct view {
    const char *root;                /* borrowed: the request's */
    const struct policy *granted;    /* borrowed */
    struct cell *cell;               /* borrowed */
    const struct sandbox_base *base; /* borrowed: the request's; what of it is missing is looked for, and no row */
    size_t base_count;
    const char *const *own; /* borrowed: the request's; see protect_is() */
    bool guarded;           /* the supervisor answers for protected names; else only the commit leaves them out */
};

struct verdict {
    enum access_verdict verdict;
    bool row;   /* worth a line: not the interpreter's own business */
    bool count; /* an open of a granted file, counted for what was used */
    bool base;
    int error; /* what the kernel answers; 0 when allowed */
    enum sandbox_layer layer;
    int item; /* the granting item, or -1 */
    enum permission missing;
    bool outside_root;
};

/* `creates`: the call makes a new name, and says EEXIST by itself where there is one. */
struct verdict verdict_of_path(const struct view *view, const struct lookup *lookup, enum access_want want,
                               bool creates);

/* Where an address leads. */
enum address_kind {
    ADDRESS_OWN,    /* the cell's own loopback, or a socket without a host */
    ADDRESS_HANDLE, /* a name that the DNS stub answered */
    ADDRESS_OTHER,
};
struct verdict verdict_of_address(const struct view *view, enum address_kind kind, enum access_want want);

#endif
