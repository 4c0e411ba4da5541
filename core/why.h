/*
 * Why something is granted or not: one permission under a ceiling, or each
 * refusal of a recorded session, also under another ceiling. Reasons are
 * computed by the same grant_judge() that grants.
 */
#ifndef TECHO_CORE_WHY_H
#define TECHO_CORE_WHY_H

#include "session.h"

struct why_answer {
    char *permission; /* owned; as the policy language writes it: "file.read=./.env", "memory=2G" */
    bool granted;
    char *rule; /* owned; the ceiling's item that covers it, or the nearest that does not; NULL: there is none */
    char *why;  /* owned; one sentence */
    char *fix;  /* owned; the shortest item that would allow it; NULL when granted */
};

struct why_answers {
    struct why_answer *list; /* owned */
    size_t count;
};

/*
 * Judges the items of `permissions` (policy text) under `ceiling` (policy text). Relative scopes mean `root`; `home`
 * is what ~ means, or NULL. -EINVAL for a text that does not parse.
 */
int why_judge(const char *ceiling, const char *permissions, const char *root, const char *home,
              struct why_answers *ret_answers, struct err *err) MUST_USE;
void why_answers_done(struct why_answers *answers);

enum why_kind {
    WHY_ACCESS,  /* the running program was refused */
    WHY_REQUEST, /* it asked for more than the ceiling has */
    WHY_FINDING, /* inspection stopped it */
};

/* All texts are owned and come from the recording: untrusted. */
struct why_refusal {
    enum why_kind kind;
    uint64_t seq, question, attempt, count;
    int64_t t;                   /* microseconds since the session began */
    char *subject;               /* "open ./.env", "net=api.evil.test:443", "os.system(...)" */
    char *permission;            /* the missing item; NULL when none would help */
    char *layer;                 /* that stopped it; NULL for a request */
    unsigned line;               /* of the program; 0 unknown */
    char *source;                /* that line's text; NULL */
    char *why, *fix;             /* as recorded; either may be NULL */
    bool judged;                 /* another ceiling was asked about */
    bool would;                  /* ... and would have granted it */
    char *would_why, *would_fix; /* NULL when not judged, or nothing is missing */
};

struct why_refusals {
    struct why_refusal *list; /* owned; in the order in which they happened */
    size_t count;
};

/*
 * The refusals of a recording that has been read to its end (replay_seek() to replay_count()). `ceiling`: judged again
 * under it; NULL: not. `seq`: only that event's; 0: all. A program that declares its permissions gets only what it
 * declares, under any ceiling; that counts here too.
 */
int why_recording(const struct replay *replay, const char *ceiling, const char *home, uint64_t seq,
                  struct why_refusals *ret_refusals, struct err *err) MUST_USE;
void why_refusals_done(struct why_refusals *refusals);

#endif
