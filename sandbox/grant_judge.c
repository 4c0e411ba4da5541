/*
 * Would this ceiling allow that? With the rule that says so, one sentence, and
 * the item to paste when it would not.
 */
#include "grant.h"
#include "scope_internal.h"

#include <string.h>

struct nearest {
    const struct policy_item *item;
    size_t likeness;
    size_t same; /* items of the very permission */
};

static bool is_served(const struct policy_item *item)
{
    return !item->ask && !permission_unserved(item->permission);
}

/* Of two items that cover the same, the one that serves better counts: a grant, then a person, then nobody. */
static const struct policy_item *better(const struct policy_item *old, const struct policy_item *new)
{
    return !old || (scope_is_asked(new) && !scope_is_asked(old)) ? new : old;
}

/* The ceiling's item that covers the request, a served one if there is one; or NULL with the nearest that does not. */
static const struct policy_item *find_rule(const struct policy *ceiling, const char *root, const char *home,
                                           const struct scope *request, struct nearest *ret_nearest)
{
    struct nearest nearest = {0};
    const struct policy_item *rule = NULL;
    for (size_t i = 0; i < ceiling->count; i++) {
        const struct policy_item *item = &ceiling->items[i];
        struct scope scope;
        if (scope_read(item->permission, item->name, item->scope, root, home, &scope, NULL) < 0) {
            continue;
        }
        bool covers = scope_covers(&scope, request);
        size_t likeness = scope_likeness(&scope, request);
        nearest.same += item->permission == request->permission;
        scope_done(&scope);
        if (covers && is_served(item)) {
            return item;
        }
        rule = covers ? better(rule, item) : rule;
        if (likeness > nearest.likeness) {
            nearest.likeness = likeness;
            nearest.item = item;
        }
    }
    *ret_nearest = nearest;
    return rule;
}

static void say_nearest(const struct scope *request, const struct nearest *nearest, struct buf *why)
{
    const struct policy_item *item = nearest->item;
    if (!item) {
        buf_addf(why, request->text ? "no %s is granted" : "%s is not granted", request->name);
        return;
    }
    bool same = item->permission == request->permission;
    const char *shown = same && item->scope ? item->scope : item->text;
    buf_addf(why, nearest->same > 1 ? "the nearest that is granted is %s" : "only %s is granted", shown);
}

enum judgement scope_judge(const struct policy *ceiling, const char *root, const char *home,
                           const struct scope *request, const struct policy_item **ret_rule, struct buf *why,
                           struct buf *fix)
{
    struct nearest nearest;
    *ret_rule = NULL;
    if (scope_is_out(request, root)) {
        buf_add_text(why, "./out is every run's own folder, and needs no permission");
        return JUDGED_OUT;
    }
    const char *never = scope_never(request);
    if (never) {
        buf_addf(why, "%s %s", request->name, never);
        return JUDGED_ABOVE;
    }
    const struct policy_item *rule = find_rule(ceiling, root, home, request, &nearest);
    const char *unserved = permission_unserved(rule ? rule->permission : request->permission);
    *ret_rule = rule ? rule : nearest.item;
    if (rule && is_served(rule)) {
        buf_addf(why, "covered by %s", rule->text);
        return JUDGED_COVERED;
    }
    if (rule && scope_is_asked(rule)) {
        buf_addf(why, "%s: a person is asked when it is touched", rule->text);
        return JUDGED_HELD;
    }
    if (rule) {
        buf_addf(why, "%s is in the ceiling, but %s %s", rule->text, unserved ? rule->name : "asking a person for this",
                 unserved ? unserved : "is not served in this build");
        return JUDGED_UNSERVED;
    }
    say_nearest(request, &nearest, why);
    if (unserved) {
        buf_addf(why, "; %s %s", request->name, unserved);
    } else {
        scope_add_item(request, root, home, fix);
    }
    return JUDGED_ABOVE;
}

bool grant_judge(const struct policy *ceiling, const char *root, const char *home, enum permission permission,
                 const char *scope, const struct policy_item **ret_rule, struct buf *ret_why, struct buf *ret_fix)
{
    const struct policy_item *rule = NULL;
    struct buf why, fix;
    struct scope request;
    struct err err;
    bool granted = false;
    buf_init(&why, SCOPE_MAX);
    buf_init(&fix, SCOPE_MAX);
    if (scope_read(permission, NULL, scope, root, home, &request, &err) < 0) {
        buf_add_text(&why, err.text);
    } else {
        enum judgement judgement = scope_judge(ceiling, root, home, &request, &rule, &why, &fix);
        granted = judgement == JUDGED_COVERED || judgement == JUDGED_OUT;
        scope_done(&request);
    }
    if (ret_rule) {
        *ret_rule = rule;
    }
    if (ret_why) {
        buf_add(ret_why, why.data, why.len);
    }
    if (ret_fix) {
        buf_add(ret_fix, fix.data, fix.len);
    }
    buf_done(&why);
    buf_done(&fix);
    return granted;
}

bool grant_covers(const struct policy *ceiling, const char *root, const char *home, enum permission permission,
                  const char *scope)
{
    const struct policy_item *rule;
    struct scope request;
    struct buf why, fix;
    if (scope_read(permission, NULL, scope, root, home, &request, NULL) < 0) {
        return false;
    }
    buf_init(&why, SCOPE_MAX);
    buf_init(&fix, SCOPE_MAX);
    enum judgement judgement = scope_judge(ceiling, root, home, &request, &rule, &why, &fix);
    scope_done(&request);
    buf_done(&why);
    buf_done(&fix);
    return judgement != JUDGED_ABOVE;
}

int grant_add_item(enum permission permission, const char *scope, const char *root, const char *home, struct buf *to)
{
    struct scope request;
    int r = scope_read(permission, NULL, scope, root, home, &request, NULL);
    if (r < 0) {
        return r;
    }
    if (!scope_never(&request)) {
        scope_add_item(&request, root, home, to);
    }
    scope_done(&request);
    return to->failed;
}
