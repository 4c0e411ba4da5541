/* The refusals of a recorded session, in the order in which they happened, and what another ceiling would have said. */
#include "why.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../sandbox/policy.h"

enum { TEXT_MAX = 64 * 1024 };

void why_refusals_done(struct why_refusals *refusals)
{
    for (size_t i = 0; i < refusals->count; i++) {
        struct why_refusal *refusal = &refusals->list[i];
        free(refusal->subject);
        free(refusal->permission);
        free(refusal->layer);
        free(refusal->source);
        free(refusal->why);
        free(refusal->fix);
        free(refusal->would_why);
        free(refusal->would_fix);
    }
    free(refusals->list);
    *refusals = (struct why_refusals){0};
}

static char *copy(const char *text)
{
    return text ? strdup(text) : NULL;
}

/* NAME="SCOPE", quoted so that any scope is one item, then as the policy language would write it itself. */
static char *item_text(const char *name, const char *scope)
{
    struct policy policy = {0};
    struct buf text;
    char *item;

    buf_init(&text, TEXT_MAX);
    buf_add_text(&text, name);
    if (scope) {
        buf_add_text(&text, "=\"");
        for (const char *at = scope; *at; at++) {
            if (*at == '"' || *at == '\\')
                buf_add_char(&text, '\\');
            buf_add_char(&text, *at);
        }
        buf_add_char(&text, '"');
    }
    item = buf_steal(&text);
    if (item && policy_parse(item, &policy, NULL) == 0 && policy.count == 1) {
        free(item);
        item = copy(policy.items[0].text);
    }
    policy_done(&policy);
    return item;
}

/* What is collected, and from where. */
struct collector {
    const struct replay *replay; /* borrowed */
    uint64_t only;               /* the one event wanted; 0: all */
    struct why_refusals *refusals;
    const struct state_question *question; /* borrowed; where the collector is */
    const struct state_attempt *attempt;   /* borrowed */
};

static struct why_refusal *add(struct collector *collector, uint64_t seq)
{
    struct why_refusals *refusals = collector->refusals;
    struct why_refusal *more = realloc(refusals->list, (refusals->count + 1) * sizeof(*more));
    bool known = seq > 0 && seq <= replay_count(collector->replay);

    if (!more)
        return NULL;
    refusals->list = more;
    more += refusals->count++;
    *more = (struct why_refusal){.seq = seq, .count = 1};
    more->question = collector->question->seq;
    more->attempt = collector->attempt->number;
    more->t = known ? replay_event(collector->replay, seq - 1)->t : 0;
    return more;
}

static bool wanted(const struct collector *collector, uint64_t seq)
{
    return collector->only == 0 || collector->only == seq;
}

static int add_access(struct why_refusal *refusal, const struct state_access *access)
{
    struct buf subject;

    if (!refusal)
        return -ENOMEM;
    buf_init(&subject, TEXT_MAX);
    buf_addf(&subject, "%s %s", access->call ? access->call : "access",
             access->resolved ? access->resolved
             : access->given  ? access->given
                              : "?");
    refusal->kind = WHY_ACCESS;
    refusal->subject = buf_steal(&subject);
    refusal->count = access->count ? access->count : 1;
    refusal->permission = copy(access->missing);
    refusal->layer = copy(access->layer);
    refusal->line = access->line;
    refusal->source = copy(access->source);
    refusal->why = copy(access->why);
    refusal->fix = copy(access->missing);
    return refusal->subject ? 0 : -ENOMEM;
}

static int add_request(struct why_refusal *refusal, const struct state_permission *row)
{
    if (!refusal)
        return -ENOMEM;
    refusal->kind = WHY_REQUEST;
    refusal->permission = item_text(row->name, row->scope);
    refusal->subject = copy(refusal->permission);
    refusal->line = row->line;
    refusal->why = copy(row->why);
    refusal->fix = copy(row->fix);
    return refusal->subject ? 0 : -ENOMEM;
}

static int add_finding(struct why_refusal *refusal, const struct state_finding *finding)
{
    if (!refusal)
        return -ENOMEM;
    refusal->kind = WHY_FINDING;
    refusal->subject = copy(finding->text ? finding->text : finding->rule);
    refusal->permission = copy(finding->permission);
    refusal->layer = strdup("inspection");
    refusal->line = finding->line;
    refusal->fix = copy(finding->permission);
    return refusal->layer ? 0 : -ENOMEM;
}

static bool is_refused_request(const struct state_permission *row)
{
    return row->state && row->origin && (strcmp(row->state, "trimmed") == 0 || strcmp(row->state, "denied") == 0) &&
           strcmp(row->origin, "tried") != 0;
}

static int collect_attempt(struct collector *collector)
{
    const struct state_attempt *attempt = collector->attempt;
    int code = 0;

    for (size_t i = 0; i < attempt->finding_count && code == 0; i++) {
        const struct state_finding *finding = &attempt->findings[i];
        if (finding->blocked && wanted(collector, finding->seq))
            code = add_finding(add(collector, finding->seq), finding);
    }
    for (size_t i = 0; i < attempt->permission_count && code == 0; i++) {
        const struct state_permission *row = &attempt->permissions[i];
        if (is_refused_request(row) && wanted(collector, row->seq))
            code = add_request(add(collector, row->seq), row);
    }
    for (size_t i = 0; i < attempt->access_count && code == 0; i++) {
        const struct state_access *access = &attempt->accesses[i];
        if (access->verdict && strcmp(access->verdict, "denied") == 0 && wanted(collector, access->seq))
            code = add_access(add(collector, access->seq), access);
    }
    return code;
}

/* What judges again: another ceiling. */
struct judge {
    const char *ceiling, *root, *home; /* borrowed; ceiling NULL: nothing is judged again */
};

/* What the program itself asked for, as policy text; empty when it asked for nothing. */
static void declared_items(const struct state_attempt *attempt, struct buf *to)
{
    for (size_t i = 0; i < attempt->permission_count; i++) {
        const struct state_permission *row = &attempt->permissions[i];
        if (!row->origin || !row->name || (strcmp(row->origin, "line") != 0 && strcmp(row->origin, "preamble") != 0))
            continue;
        char *item = item_text(row->name, row->scope);
        buf_addf(to, "%s%s", to->len ? "," : "", item ? item : "");
        free(item);
    }
}

/* Does the policy `text` cover the one permission? */
static bool covers(const struct judge *judge, const char *text, const char *permission)
{
    struct why_answers answers = {0};
    bool yes = why_judge(text, permission, judge->root, judge->home, &answers, NULL) == 0 && answers.list[0].granted;

    why_answers_done(&answers);
    return yes;
}

/* `declared`: what the program asked for, or NULL when that is everything. */
static void judge_again(const struct judge *judge, const char *declared, struct why_refusal *refusal)
{
    struct why_answers answers = {0};
    const char *permission = refusal->permission;

    refusal->judged = true;
    if (!permission || why_judge(judge->ceiling, permission, judge->root, judge->home, &answers, NULL) < 0) {
        refusal->would_why = strdup("no permission would allow it");
        return;
    }
    refusal->would = answers.list[0].granted;
    refusal->would_fix = copy(answers.list[0].fix);
    if (refusal->would && declared && refusal->kind == WHY_ACCESS && !covers(judge, declared, permission)) {
        refusal->would = false;
        refusal->would_why = strdup("within the ceiling, but the program does not declare it");
    } else {
        refusal->would_why = copy(answers.list[0].why);
    }
    why_answers_done(&answers);
}

static void judge_attempt(const struct judge *judge, const struct state_attempt *attempt, struct why_refusal *list,
                          size_t count)
{
    struct buf declared;

    if (!judge->ceiling)
        return;
    buf_init(&declared, TEXT_MAX);
    declared_items(attempt, &declared);
    for (size_t i = 0; i < count; i++)
        judge_again(judge, declared.len && !declared.failed ? declared.data : NULL, &list[i]);
    buf_done(&declared);
}

static int by_seq(const void *a, const void *b)
{
    const struct why_refusal *x = a, *y = b;

    return x->seq < y->seq ? -1 : x->seq > y->seq;
}

int why_recording(const struct replay *replay, const char *ceiling, const char *home, uint64_t seq,
                  struct why_refusals *ret_refusals, struct err *err)
{
    const struct state *state = replay_state(replay);
    struct why_refusals refusals = {0};
    struct policy policy = {0};
    int code = ceiling ? policy_parse(ceiling, &policy, err) : 0;
    struct collector collector = {.replay = replay, .only = seq, .refusals = &refusals};
    const struct judge judge = {ceiling, state->root ? state->root : "/", home};

    policy_done(&policy);
    if (code < 0)
        return code;
    for (size_t i = 0; i < state->question_count && code == 0; i++) {
        collector.question = state->questions[i];
        for (size_t j = 0; j < collector.question->attempt_count && code == 0; j++) {
            size_t before = refusals.count;
            collector.attempt = collector.question->attempts[j];
            code = collect_attempt(&collector);
            if (refusals.count > before)
                judge_attempt(&judge, collector.attempt, &refusals.list[before], refusals.count - before);
        }
    }
    if (code < 0) {
        why_refusals_done(&refusals);
        return err_set(err, code, "out of memory");
    }
    if (refusals.count)
        qsort(refusals.list, refusals.count, sizeof(*refusals.list), by_seq);
    *ret_refusals = refusals;
    return 0;
}
