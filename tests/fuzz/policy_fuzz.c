/*
 * Any bytes as a policy, and as a program's head. What parses must have a
 * canonical form that parses to itself, and grants nothing beyond a ceiling
 * that allows nothing.
 */
#include "../../sandbox/grant.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_canonical(const struct policy *policy)
{
    struct policy again;
    struct buf form, second;
    buf_init(&form, 1 << 20);
    buf_init(&second, 1 << 20);
    int r = policy_format(policy, &form);
    assert(r == 0);
    if (form.len <= 64 * 1024) { /* the canonical form may be longer, and a policy has a largest size */
        r = policy_parse(form.data, &again, NULL);
        assert(r == 0);
        assert(again.count == policy->count);
        r = policy_format(&again, &second);
        assert(r == 0 && strcmp(form.data, second.data) == 0);
        policy_done(&again);
    }
    buf_done(&form);
    buf_done(&second);
}

static void check_grant(const struct policy *policy)
{
    enum { REQUESTS_MAX = 64 };
    struct grant_request requests[REQUESTS_MAX];
    struct policy none;
    struct grant grant;
    size_t count = policy->count < REQUESTS_MAX ? policy->count : REQUESTS_MAX;
    for (size_t i = 0; i < count; i++) {
        requests[i] = (struct grant_request){.item = &policy->items[i], .origin = GRANT_LINE};
    }
    int r = policy_parse("none", &none, NULL);
    assert(r == 0);
    struct grant_input input = {
        .root = "/r", .home = "/h", .requests = requests, .request_count = count, .ceiling = &none};
    r = grant_compute(&input, &grant, NULL);
    assert(r == 0);
    for (size_t i = 0; i < grant.count; i++) {
        assert(grant.rows[i].state == GRANT_TRIMMED);
    }
    grant_done(&grant);
    input.ceiling = policy;
    if (grant_compute(&input, &grant, NULL) == 0) {
        grant_done(&grant);
    }
    policy_done(&none);
}

static void ignore_require(void *context, unsigned line, const struct policy_item *item, const struct limits *limits,
                           const struct err *err)
{
    (void)context;
    (void)line;
    assert((item != NULL) + (limits != NULL) + (err != NULL) == 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    struct policy policy;
    struct err err;
    if (!text) {
        return 0;
    }
    if (size > 0) {
        memcpy(text, data, size);
    }
    text[size] = '\0';
    if (policy_parse(text, &policy, &err) == 0) {
        check_canonical(&policy);
        check_grant(&policy);
        policy_done(&policy);
    } else {
        assert(err.code < 0 && err.text[0]);
    }
    policy_read_requires(text, "#", ignore_require, NULL);
    free(text);
    return 0;
}
