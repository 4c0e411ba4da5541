/* Why a permission is granted or not under a ceiling: judged by grant_judge(), in words. */
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
