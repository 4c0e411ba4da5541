/*
 * The policy language: what a program may do, as text. The grammar and what
 * each case means are in docs/policy.md; the permissions' names and the rules
 * for matching scopes are Synsema's.
 */
#ifndef TECHO_SANDBOX_POLICY_H
#define TECHO_SANDBOX_POLICY_H

#include "base.h"

enum permission {
    PERMISSION_STDOUT,
    PERMISSION_STDIN,
    PERMISSION_TIME,
    PERMISSION_RANDOM,
    PERMISSION_ENV,
    PERMISSION_SECRET,
    PERMISSION_FILE, /* both file.read and file.write */
    PERMISSION_FILE_READ,
    PERMISSION_FILE_WRITE,
    PERMISSION_NET,
    PERMISSION_EXEC,
    PERMISSION_DB,
    PERMISSION_LLM,
    PERMISSION_SANDBOX_RUN,
    PERMISSION_OTHER, /* a Synsema name that techo knows and does not serve */
    _PERMISSION_MAX
};

enum limit { LIMIT_WALL, LIMIT_CPU, LIMIT_MEMORY, LIMIT_PROCESSES, LIMIT_OUTPUT, LIMIT_DISK, _LIMIT_MAX };

/* Limits: wall and cpu in microseconds, memory, output and disk in bytes, processes as a count. */
struct limits {
    uint64_t value[_LIMIT_MAX];
    bool given[_LIMIT_MAX]; /* said by the policy, as against the default */
};

struct policy_item {
    enum permission permission;
    bool ask;     /* the scope was exactly "?" */
    char *name;   /* owned; as people write it: "file.read" */
    char *scope;  /* owned; unquoted; NULL when unscoped */
    char *text;   /* owned; the item in canonical form, fit to be pasted: file.read="./a,b" */
    size_t start; /* where it stands in the policy's text, in bytes */
    size_t end;
};

struct policy {
    char *text; /* owned; as given */
    struct policy_item *items; /* owned; the permissions, in order; limits are not among them */
    size_t count;
    struct limits limits;
    bool none; /* the policy says "none" */
};

/* The limits that hold when nothing else is said: wall=20s cpu=20s memory=1G processes=64 output=1M disk=64M. */
void limits_default(struct limits *ret_limits);
/* What `by` gives narrows `limits` where it is smaller; it never raises a limit, not even a default one. */
void limits_narrow(struct limits *limits, const struct limits *by);

/* "file.read"; never NULL. */
const char *permission_name(enum permission permission);
/* "wall" */
const char *limit_name(enum limit limit);
/* A value as the policy language writes it: "20s", "1G", "64". */
int limit_format(enum limit limit, uint64_t value, struct buf *to);

/*
 * Parses `text`. On failure err->text has three lines: the message (with the
 * nearest known name where one is near), the text, and a caret under the
 * fault. Returns -EINVAL, -ENOMEM, or -E2BIG for a text above 64 KiB.
 */
int policy_parse(const char *text, struct policy *ret_policy, struct err *err) MUST_USE;
void policy_done(struct policy *policy);
/* Is there an item of this permission, whatever its scope? */
bool policy_has(const struct policy *policy, enum permission permission);
/* Canonical text of a policy: items joined by commas, then the limits that were given. */
int policy_format(const struct policy *policy, struct buf *to);
/* Adds `scope` as the language writes it: quoted where it must be. */
int policy_add_scope(struct buf *to, const char *scope);

/*
 * The requests that a program's head makes: every line at the start of
 * `source` that is blank, a comment, or `<comment> require ITEM`, where ITEM is
 * a policy item or Synsema's `file.read("./x")`. `comment` is the language's
 * ("#", "--", "//"). The callback gets each item with its 1-based line. A line
 * of limits (`require wall=5s`) comes with `item` NULL and `limits` set; one
 * that does not parse comes with both NULL and `err` set. It still counts as a
 * declaration: such a program must not get its whole ceiling by default.
 */
typedef void (*policy_require_fn)(void *context, unsigned line, const struct policy_item *item,
                                  const struct limits *limits, const struct err *err);
int policy_read_requires(const char *source, const char *comment, policy_require_fn each, void *context);

#endif
