/* Why something is granted or not: judged by grant_judge(), for one permission or for a recording's refusals. */
#include "why.h"

#include "../sandbox/grant.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 64 * 1024 };

/* Where relative scopes and ~ are looked up, and what judges. */
struct judge {
    const struct policy *ceiling; /* borrowed */
    const char *root, *home;      /* borrowed */
};

static int no_memory(struct err *err)
{
    return err_set(err, -ENOMEM, "out of memory");
}

/* ---- one permission ---------------------------------------------------------------------------------------------- */

static void answer_done(struct why_answer *answer)
{
    free(answer->permission);
    free(answer->rule);
    free(answer->why);
    free(answer->fix);
}

void why_answers_done(struct why_answers *answers)
{
    for (size_t i = 0; i < answers->count; i++)
        answer_done(&answers->list[i]);
    free(answers->list);
    *answers = (struct why_answers){0};
}

static int judge_item(const struct judge *judge, const struct policy_item *item, struct why_answer *ret_answer)
{
    struct why_answer answer = {0};
    const struct policy_item *rule = NULL;
    struct buf why, fix;

    buf_init(&why, TEXT_MAX);
    buf_init(&fix, TEXT_MAX);
    answer.granted =
        grant_judge(judge->ceiling, judge->root, judge->home, item->permission, item->scope, &rule, &why, &fix);
    answer.permission = strdup(item->text);
    answer.rule = rule ? strdup(rule->text) : NULL;
    answer.why = buf_steal(&why);
    answer.fix = answer.granted || !fix.len ? NULL : buf_steal(&fix);
    buf_done(&why);
    buf_done(&fix);
    *ret_answer = answer;
    return answer.permission && (!rule || answer.rule) ? 0 : -ENOMEM;
}

static int judge_limit(const struct policy *ceiling, enum limit limit, uint64_t asked, struct why_answer *ret_answer)
{
    struct limits defaults;
    struct buf text, rule, why;
    bool given = ceiling->limits.given[limit];

    limits_default(&defaults);
    const uint64_t most = given ? ceiling->limits.value[limit] : defaults.value[limit];
    buf_init(&text, TEXT_MAX);
    buf_init(&rule, TEXT_MAX);
    buf_init(&why, TEXT_MAX);
    buf_addf(&text, "%s=", limit_name(limit));
    limit_format(limit, asked, &text);
    buf_addf(&rule, "%s=", limit_name(limit));
    limit_format(limit, most, &rule);
    buf_addf(&why, "%s %s%s", asked <= most ? "within" : "above", rule.data ? rule.data : "",
             given ? "" : ", which holds when nothing else is said");
    *ret_answer = (struct why_answer){.granted = asked <= most};
    ret_answer->fix = asked <= most || !text.data ? NULL : strdup(text.data);
    ret_answer->permission = buf_steal(&text);
    ret_answer->rule = given ? buf_steal(&rule) : NULL;
    ret_answer->why = buf_steal(&why);
    buf_done(&rule);
    return ret_answer->permission && ret_answer->why ? 0 : -ENOMEM;
}

static int judge_all(const struct judge *judge, const struct policy *asked, struct why_answers *answers)
{
    int code = 0;

    answers->list = calloc(asked->count + _LIMIT_MAX, sizeof(*answers->list));
    if (!answers->list)
        return -ENOMEM;
    for (size_t i = 0; i < asked->count && code == 0; i++)
        code = judge_item(judge, &asked->items[i], &answers->list[answers->count++]);
    for (int limit = 0; limit < _LIMIT_MAX && code == 0; limit++)
        if (asked->limits.given[limit])
            code = judge_limit(judge->ceiling, (enum limit)limit, asked->limits.value[limit],
                               &answers->list[answers->count++]);
    return code;
}

int why_judge(const char *ceiling_text, const char *permissions, const char *root, const char *home,
              struct why_answers *ret_answers, struct err *err)
{
    struct policy ceiling = {0}, asked = {0};
    struct why_answers answers = {0};
    int code = policy_parse(permissions, &asked, err);

    if (code == 0)
        code = policy_parse(ceiling_text, &ceiling, err);
    if (code == 0 && asked.count == 0 && !memchr(asked.limits.given, true, sizeof(asked.limits.given)))
        code = err_set(err, -EINVAL, "\"%s\" asks for nothing", permissions);
    if (code == 0 && judge_all(&(struct judge){&ceiling, root, home}, &asked, &answers) < 0)
        code = no_memory(err);
    policy_done(&asked);
    policy_done(&ceiling);
    if (code < 0)
        why_answers_done(&answers);
    else
        *ret_answers = answers;
    return code;
}

/* ---- a recording's refusals -------------------------------------------------------------------------------------- */

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

/* NAME="SCOPE", quoted so that any scope is one item. */
static char *item_text(const char *name, const char *scope)
{
    struct buf text;

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
    return buf_steal(&text);
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

/* What the program itself asked for, as a policy; *ret_declares is false when it asked for nothing. */
static int declared_policy(const struct state_attempt *attempt, struct policy *ret_policy, bool *ret_declares)
{
    struct buf text;
    int code = 0;

    buf_init(&text, TEXT_MAX);
    for (size_t i = 0; i < attempt->permission_count; i++) {
        const struct state_permission *row = &attempt->permissions[i];
        if (!row->origin || !row->name || (strcmp(row->origin, "line") != 0 && strcmp(row->origin, "preamble") != 0))
            continue;
        char *item = item_text(row->name, row->scope);
        buf_addf(&text, "%s%s", text.len ? "," : "", item ? item : "");
        free(item);
    }
    *ret_declares = text.len > 0;
    if (text.len)
        code = text.failed ? text.failed : policy_parse(text.data, ret_policy, NULL);
    buf_done(&text);
    return code;
}

/* `declared`: what the program asked for, or NULL when that is everything. */
static void judge_under(const struct judge *judge, const struct policy *declared, struct why_refusal *refusal)
{
    struct policy asked = {0};
    struct why_answer answer = {0};

    refusal->judged = true;
    if (!refusal->permission || policy_parse(refusal->permission, &asked, NULL) < 0 || asked.count != 1) {
        refusal->would_why = strdup("no permission would allow it");
    } else if (judge_item(judge, &asked.items[0], &answer) == 0) {
        const struct policy_item *item = &asked.items[0];
        bool asked_for =
            !declared || refusal->kind != WHY_ACCESS ||
            grant_judge(declared, judge->root, judge->home, item->permission, item->scope, NULL, NULL, NULL);
        refusal->would = answer.granted && asked_for;
        refusal->would_why =
            copy(asked_for || !answer.granted ? answer.why : "within the ceiling, but the program does not declare it");
        refusal->would_fix = copy(answer.fix);
    }
    answer_done(&answer);
    policy_done(&asked);
}

static void judge_attempt(const struct judge *judge, const struct state_attempt *attempt, struct why_refusal *list,
                          size_t count)
{
    struct policy declared = {0};
    bool declares = false;

    if (!judge->ceiling)
        return;
    if (declared_policy(attempt, &declared, &declares) < 0)
        declares = false;
    for (size_t i = 0; i < count; i++)
        judge_under(judge, declares ? &declared : NULL, &list[i]);
    if (declares)
        policy_done(&declared);
}

static int by_seq(const void *a, const void *b)
{
    const struct why_refusal *x = a, *y = b;

    return x->seq < y->seq ? -1 : x->seq > y->seq;
}

int why_recording(const struct replay *replay, const char *ceiling_text, const char *home, uint64_t seq,
                  struct why_refusals *ret_refusals, struct err *err)
{
    const struct state *state = replay_state(replay);
    struct why_refusals refusals = {0};
    struct policy ceiling = {0};
    int code = ceiling_text ? policy_parse(ceiling_text, &ceiling, err) : 0;
    struct collector collector = {.replay = replay, .only = seq, .refusals = &refusals};
    const struct judge judge = {ceiling_text ? &ceiling : NULL, state->root ? state->root : "/", home};

    if (code < 0)
        return code;
    for (size_t i = 0; i < state->question_count && code == 0; i++) {
        collector.question = state->questions[i];
        for (size_t j = 0; j < collector.question->attempt_count && code == 0; j++) {
            size_t before = refusals.count;
            collector.attempt = collector.question->attempts[j];
            code = collect_attempt(&collector);
            if (refusals.count > before)
                judge_attempt(&judge, collector.attempt, refusals.list + before, refusals.count - before);
        }
    }
    policy_done(&ceiling);
    if (code < 0) {
        why_refusals_done(&refusals);
        return no_memory(err);
    }
    if (refusals.count)
        qsort(refusals.list, refusals.count, sizeof(*refusals.list), by_seq);
    *ret_refusals = refusals;
    return 0;
}
