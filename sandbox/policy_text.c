/*
 * Policies as text for people: canonical form, quoting, and the three lines
 * that point at a mistake.
 */
#include "policy.h"
#include "policy_internal.h"

#include <errno.h>
#include <string.h>

enum { FAULT_BEFORE = 100, FAULT_AFTER = 60 }; /* bytes of a long text that are shown around the fault */

static size_t whole_character(const char *text, size_t at)
{
    while (at > 0 && ((unsigned char)text[at] & 0xc0) == 0x80) {
        at--;
    }
    return at;
}

int policy_fault(struct err *err, const char *text, size_t at, const char *format, ...)
{
    struct buf out;
    buf_init(&out, ERR_TEXT_MAX - 1);
    va_list args;
    va_start(args, format);
    buf_vaddf(&out, format, args);
    va_end(args);
    size_t len = strlen(text);
    size_t from = at > FAULT_BEFORE ? whole_character(text, at - FAULT_BEFORE) : 0;
    size_t to = len - at > FAULT_AFTER ? whole_character(text, at + FAULT_AFTER) : len;
    buf_addf(&out, "\n%s", from > 0 ? "…" : "");
    for (size_t i = from; i < to; i++) {
        buf_add_char(&out, policy_is_control(text[i]) ? ' ' : text[i]);
    }
    buf_addf(&out, "%s\n%s", to < len ? "…" : "", from > 0 ? " " : "");
    for (size_t i = from; i < at; i++) {
        if (((unsigned char)text[i] & 0xc0) != 0x80) {
            buf_add_char(&out, ' ');
        }
    }
    buf_add_char(&out, '^');
    int r = err_set(err, out.failed == -ENOMEM ? -ENOMEM : -EINVAL, "%s", out.data ? out.data : "out of memory");
    buf_done(&out);
    return r;
}

static bool must_quote(const char *scope)
{
    size_t len = strlen(scope);
    return len == 0 || scope[0] == '"' || policy_is_blank(scope[0]) || policy_is_blank(scope[len - 1]) ||
           strchr(scope, ',') || strcmp(scope, "\\?") == 0;
}

int policy_add_scope(struct buf *to, const char *scope)
{
    if (strcmp(scope, "?") == 0) {
        return buf_add_text(to, "\\?");
    }
    if (!must_quote(scope)) {
        return buf_add_text(to, scope);
    }
    buf_add_char(to, '"');
    for (const char *c = scope; *c; c++) {
        if (*c == '"' || *c == '\\') {
            buf_add_char(to, '\\');
        }
        buf_add_char(to, *c);
    }
    return buf_add_char(to, '"');
}

int policy_format(const struct policy *policy, struct buf *to)
{
    const char *comma = "";
    if (policy->count == 0) {
        buf_add_text(to, "none");
        comma = ",";
    }
    for (size_t i = 0; i < policy->count; i++) {
        buf_addf(to, "%s%s", comma, policy->items[i].text);
        comma = ",";
    }
    for (int i = 0; i < _LIMIT_MAX; i++) {
        if (policy->limits.given[i]) {
            buf_addf(to, "%s%s=", comma, limit_name((enum limit)i));
            limit_format((enum limit)i, policy->limits.value[i], to);
        }
    }
    return to->failed;
}
