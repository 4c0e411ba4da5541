/*
 * From what a program asks for and what its ceiling allows to what it gets:
 * granted = ambient + (declared within the ceiling). Pure functions; the file
 * system is only asked whether a scope names a folder.
 */
#ifndef TECHO_SANDBOX_GRANT_H
#define TECHO_SANDBOX_GRANT_H

#include "policy.h"

enum grant_origin {
    GRANT_LINE,     /* a require at the program's head */
    GRANT_PREAMBLE, /* a require in the session's preamble */
    GRANT_AMBIENT,  /* given without asking: stdout, time, random */
    GRANT_DEFAULT,  /* nothing was declared, so the ceiling counts as declared */
};

enum grant_state {
    GRANT_GRANTED,
    GRANT_TRIMMED, /* asked for, above the ceiling, dropped whole */
    GRANT_HELD,    /* granted when a person says so: `?` */
    GRANT_UNSERVED, /* a permission that this build does not serve; as a part of the ceiling the run is refused */
};

struct grant_request {
    const struct policy_item *item;    /* borrowed; NULL for a require of limits */
    const struct limits *limits;       /* borrowed; what a require of limits gives, else NULL */
    enum grant_origin origin;
    unsigned line; /* 1-based; 0 when it stands on no line */
};

/* One row of the permissions pane. */
struct grant_row {
    enum permission permission;
    enum grant_origin origin;
    enum grant_state state;
    unsigned line;
    char *name;     /* owned: "file.read" */
    char *scope;    /* owned: as asked for; NULL when unscoped */
    char *absolute; /* owned: the scope that is enforced; NULL when unscoped or no path */
    bool folder;    /* the scope names a folder that exists, so it means all below */
    const struct policy_item *rule; /* the ceiling's item that covers it, or the nearest that does not; may be NULL; borrowed */
    char *why; /* owned: one sentence: "covered by file.read=./x.csv", "only ./x.csv is granted" */
};

struct grant {
    struct grant_row *rows; /* owned */
    size_t count;
    struct limits limits;
};

enum grant_ambient { AMBIENT_NATIVE, AMBIENT_SYNSEMA, AMBIENT_WHOLE_CEILING };

struct grant_input {
    const char *root; /* absolute; what relative scopes mean */
    const char *home; /* what ~ means; NULL: ~ is an error */
    const struct policy *ceiling;
    const struct grant_request *requests;
    size_t request_count;
    /* false: a program that declares nothing gets the ambient permissions only (Synsema) */
    bool default_is_ceiling;
    enum grant_ambient ambient;
};

/*
 * Fails with -EINVAL for a ceiling that makes no sense for native code: an
 * unscoped `file`, `/`, a key in `env`, a grant to read below ./out (which the
 * run's own empty folder hides). An item that this build does not serve gives
 * a GRANT_UNSERVED row; such a run is refused with that row's `why`.
 */
int grant_compute(const struct grant_input *input, struct grant *ret_grant, struct err *err) MUST_USE;
void grant_done(struct grant *grant);
/* Is the row among those that the run is started with: granted, or held? */
bool grant_row_counts(const struct grant_row *row);
/*
 * The policy that a run is started with: the granted rows with their absolute
 * scopes, the held ones as `file.read=?`, then every limit. Item N of its
 * parse is the Nth row that counts.
 */
int grant_format(const struct grant *grant, struct buf *to);

/*
 * Would `ceiling` allow this? Judges a request such as file.read=./x or an
 * access (absolute path). ret_rule gets the covering item or, when it is
 * refused, the nearest one (or NULL); ret_why one sentence; ret_fix the
 * shortest item that would have allowed it ("file.read=./.env"). The texts
 * are added to buffers that the caller owns; any of the three may be NULL.
 */
bool grant_judge(const struct policy *ceiling, const char *root, const char *home, enum permission permission,
                 const char *scope, const struct policy_item **ret_rule, struct buf *ret_why, struct buf *ret_fix);

/* Does the ceiling hold this, be it served by this build or not? */
bool grant_covers(const struct policy *ceiling, const char *root, const char *home, enum permission permission,
                  const char *scope);
/* The item that names just this, as a person would write it: file.read=./.env; nothing when no item can. */
int grant_add_item(enum permission permission, const char *scope, const char *root, const char *home, struct buf *to);

/* Lexical: ~ expanded, made absolute against root, empty, "." and ".." segments resolved. Adds to `to`. */
int scope_absolute(const char *scope, const char *root, const char *home, struct buf *to);
/* The other way, for people: "./data/x" when `path` lies below root, "~/x" below home, else as it is. */
int scope_display(const char *path, const char *root, const char *home, struct buf *to);
/* Does `pattern` (absolute; `*` crosses `/`) match the whole of `path`? */
bool scope_matches(const char *pattern, const char *path);

#endif
