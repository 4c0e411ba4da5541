/*
 * Scopes made comparable: paths absolute, hosts canonical, folders known.
 */
#ifndef TECHO_SANDBOX_SCOPE_INTERNAL_H
#define TECHO_SANDBOX_SCOPE_INTERNAL_H

#include "policy.h"

#include <netinet/in.h>

enum { SCOPE_MAX = 128 * 1024 };

/* What one item of a policy, or one access, names. */
struct scope {
    enum permission permission;
    const char *name; /* borrowed; tells the names behind PERMISSION_OTHER apart */
    char *text;       /* owned: an absolute path or pattern, a host, or the scope as it was written; NULL: unscoped */
    char *port;       /* owned; of a host; NULL: any */
    bool path;        /* `text` is an absolute path or pattern */
    bool folder;      /* ... that is a folder: it means all below */
    bool address;     /* `text` is an IP address */
};

/* -EINVAL when `~` stands there and home is unknown. */
int scope_read(enum permission permission, const char *name, const char *text, const char *root, const char *home,
               struct scope *ret_scope, struct err *err) MUST_USE;
void scope_done(struct scope *scope);

/* Fills text, port and address from host, host:port, [address]:port or a URL. */
int scope_read_host(const char *text, struct scope *scope);
/* May this be a name of a host, or a pattern for names? In lower case, as scope_read_host() leaves it. */
bool scope_is_host(const char *text);
bool scope_is_port(const char *text);
/* An address in its one canonical form, whatever way it was written: 127.1, 0x7f.0.0.1, ::ffff:127.0.0.1. */
bool scope_canonical_address(const char *host, char ret_text[INET6_ADDRSTRLEN]);

static inline bool scope_is_file(enum permission permission)
{
    return permission == PERMISSION_FILE || permission == PERMISSION_FILE_READ || permission == PERMISSION_FILE_WRITE;
}

/* Does what `grant` names hold all that `request` names? */
bool scope_covers(const struct scope *grant, const struct scope *request);
/* How alike two scopes of a permission or its kin are; more is nearer. */
size_t scope_likeness(const struct scope *a, const struct scope *b);

/* Every run's own folder ./out, or something below it. */
bool scope_is_out(const struct scope *scope, const char *root);
/* Why no native program ever gets this, as a phrase to follow its name; NULL when it may. */
const char *scope_never(const struct scope *scope);
/* Is a person asked for this: an item `file.read=?` or `net=?` of the ceiling? */
bool scope_is_asked(const struct policy_item *item);
/* Why this build does not serve it, as a phrase to follow its name; NULL when it does. */
const char *permission_unserved(enum permission permission);

enum judgement {
    JUDGED_COVERED,
    JUDGED_HELD,     /* when a person says so */
    JUDGED_OUT,      /* ./out, which every run has without a permission */
    JUDGED_UNSERVED, /* the ceiling has it, this build does not serve it */
    JUDGED_ABOVE,    /* above the ceiling, or never given to any program */
};
/* See grant_judge(). */
enum judgement scope_judge(const struct policy *ceiling, const char *root, const char *home,
                           const struct scope *request, const struct policy_item **ret_rule, struct buf *why,
                           struct buf *fix);

/* The item that names just this scope, as a person would write it; nothing when there is none. */
void scope_add_item(const struct scope *scope, const char *root, const char *home, struct buf *to);

#endif
