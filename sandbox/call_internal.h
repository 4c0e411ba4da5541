/*
 * The system calls that the listener is told of: which arguments name what,
 * and what the call wants with it.
 */
#ifndef TECHO_SANDBOX_CALL_INTERNAL_H
#define TECHO_SANDBOX_CALL_INTERNAL_H

#include "sandbox.h"

enum { CALL_NONE = -1 }; /* no such argument; as a folder: the current one */

enum call_kind {
    CALL_PATHS,  /* one or two paths */
    CALL_LOOK,   /* a path that is only looked at; told where a person may be asked */
    CALL_OPEN,   /* a path, and flags that say what is wanted */
    CALL_SOCKET, /* an address: argument 1, its length: argument 2 */
    CALL_SENDTO, /* an address: argument 4, its length: argument 5 */
};

struct call_path {
    signed char path, dirfd; /* argument indexes */
    bool follow;             /* a symlink in the last place is followed */
    bool creates;            /* it makes a new name: EEXIST where there is one */
    enum access_want want;
};

struct call {
    const char *name;
    enum call_kind kind;
    enum access_want want; /* of an address */
    unsigned char path_count;
    struct call_path paths[2];
    signed char flags;  /* the argument with open's flags; CALL_NONE: always O_CREAT|O_WRONLY|O_TRUNC */
    signed char follow; /* the argument with AT_SYMLINK_NOFOLLOW or AT_SYMLINK_FOLLOW, or CALL_NONE */
};

/* NULL when the listener is not told of this call. */
const struct call *call_find(int number);
/* What open's flags ask for. A folder that is opened for reading is WANT_LIST, which flags alone cannot always say. */
enum access_want call_open_want(uint64_t flags);

#endif
