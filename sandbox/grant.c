/*
 * granted = ambient + (declared within the ceiling), as the rows of the
 * permissions pane.
 */
#include "grant.h"
#include "policy_internal.h"
#include "scope_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct compute {
    const struct grant_input *input;
    struct grant *grant;
    size_t capacity; /* of grant->rows */
    struct err *err;
};

static int no_memory(struct err *err)
{
    return err_set(err, -ENOMEM, "out of memory");
}

/* Says which item of the ceiling no native program can be given, and why. */
static int check_ceiling(const struct grant_input *input, struct err *err)
{
    for (size_t i = 0; i < input->ceiling->count; i++) {
        const struct policy_item *item = &input->ceiling->items[i];
        struct scope scope;
        if (item->ask) {
            continue;
        }
        int r = scope_read(item->permission, item->name, item->scope, input->root, input->home, &scope, err);
        if (r < 0) {
            return r;
        }
        const char *never = scope_never(&scope);
        bool hidden = item->permission != PERMISSION_FILE_WRITE && scope_is_out(&scope, input->root);
        scope_done(&scope);
        if (never) {
            return err_set(err, -EINVAL, "%s %s", item->text, never);
        }
        if (hidden) {
            return err_set(err, -EINVAL, "%s cannot be read: every run has an empty ./out of its own in that place",
                           item->text);
        }
    }
    return 0;
}

/* Copies a text that may be NULL; false without memory. */
static bool copy_text(const char *text, char **ret_copy)
{
    *ret_copy = text ? strdup(text) : NULL;
    return !text || *ret_copy;
}

/* A granted scope that is granted already needs no second row. */
static bool has_row(const struct grant *grant, const struct policy_item *item, const struct scope *scope)
{
    for (size_t i = 0; i < grant->count; i++) {
        const struct grant_row *row = &grant->rows[i];
        const char *old = row->absolute ? row->absolute : row->scope;
        const char *new = scope->path ? scope->text : item->ask ? "?" : item->scope;
        if (strcmp(row->name, item->name) == 0 && (old && new ? strcmp(old, new) == 0 : old == new)) {
            return true;
        }
    }
    return false;
}

static int add_row(struct compute *compute, const struct policy_item *item, const struct scope *scope,
                   struct grant_row row, struct buf *why)
{
    struct grant *grant = compute->grant;
    if (grant->count == compute->capacity) {
        size_t capacity = compute->capacity ? compute->capacity * 2 : 8;
        struct grant_row *rows = realloc(grant->rows, capacity * sizeof *rows);
        if (!rows) {
            return no_memory(compute->err);
        }
        grant->rows = rows;
        compute->capacity = capacity;
    }
    row.permission = item->permission;
    row.folder = scope->folder;
    bool copied = copy_text(item->name, &row.name) && copy_text(item->ask ? "?" : item->scope, &row.scope) &&
                  copy_text(scope->path ? scope->text : NULL, &row.absolute);
    row.why = buf_steal(why);
    grant->rows[grant->count++] = row;
    return copied && row.why ? 0 : no_memory(compute->err);
}

static enum grant_state state_of(enum judgement judgement)
{
    switch (judgement) {
    case JUDGED_COVERED:
    case JUDGED_OUT:
        return GRANT_GRANTED;
    case JUDGED_HELD:
        return GRANT_HELD;
    case JUDGED_UNSERVED:
        return GRANT_UNSERVED;
    case JUDGED_ABOVE:
        break;
    }
    return GRANT_TRIMMED;
}

static bool is_ambient(enum permission permission, enum grant_ambient ambient)
{
    return permission == PERMISSION_STDOUT || permission == PERMISSION_TIME ||
           (permission == PERMISSION_RANDOM && ambient != AMBIENT_SYNSEMA);
}

/* Fills the row's state and rule, and says why. False when there is nothing to show: ./out is no permission. */
static bool judge(const struct grant_input *input, const struct policy_item *item, const struct scope *scope,
                  struct grant_row *row, struct buf *why)
{
    if (item->ask) {
        bool asked_by_program = row->origin == GRANT_LINE || row->origin == GRANT_PREAMBLE;
        bool served = scope_is_asked(item);
        row->state = asked_by_program ? GRANT_TRIMMED : served ? GRANT_HELD : GRANT_UNSERVED;
        row->rule = asked_by_program ? NULL : item;
        buf_add_text(why, asked_by_program ? "only a ceiling can say that a person is asked"
                          : served         ? "a person is asked for each when it is touched"
                                           : "asking a person for this is not served in this build");
        return true;
    }
    struct buf fix;
    buf_init(&fix, SCOPE_MAX);
    enum judgement judgement = scope_judge(input->ceiling, input->root, input->home, scope, &row->rule, why, &fix);
    buf_done(&fix);
    row->state = state_of(judgement);
    if (judgement == JUDGED_UNSERVED) { /* the line that refuses the run */
        const char *unserved = permission_unserved(row->rule->permission);
        buf_clear(why);
        buf_addf(why, "%s %s", unserved ? row->rule->name : "asking a person for this",
                 unserved ? unserved : "is not served in this build");
    }
    bool unstoppable = item->permission == PERMISSION_TIME || item->permission == PERMISSION_RANDOM;
    if (judgement == JUDGED_COVERED && unstoppable && input->ambient != AMBIENT_SYNSEMA) {
        buf_add_text(why, "; native code cannot be kept from it");
    }
    return judgement != JUDGED_OUT;
}

/* One item that counts as declared, judged against the ceiling. */
static int declare(struct compute *compute, const struct policy_item *item, enum grant_origin origin, unsigned line)
{
    const struct grant_input *input = compute->input;
    struct grant_row row = {.origin = origin, .line = line, .state = GRANT_TRIMMED};
    struct scope scope;
    struct buf why;
    struct err err;
    buf_init(&why, SCOPE_MAX);
    bool shown = true;
    int r = scope_read(item->permission, item->name, item->scope, input->root, input->home, &scope, &err);
    if (r == -EINVAL) { /* a request for ~ where there is no home */
        scope = (struct scope){.permission = item->permission, .name = item->name};
        buf_add_text(&why, err.text);
    } else if (r == 0) {
        shown = judge(input, item, &scope, &row, &why);
    } else {
        return no_memory(compute->err);
    }
    r = shown && !has_row(compute->grant, item, &scope) ? add_row(compute, item, &scope, row, &why) : 0;
    scope_done(&scope);
    buf_done(&why);
    return r;
}

static int declare_requests(struct compute *compute)
{
    const struct grant_input *input = compute->input;
    for (size_t i = 0; i < input->request_count; i++) {
        const struct grant_request *request = &input->requests[i];
        int r = request->item ? declare(compute, request->item, request->origin, request->line) : 0;
        if (r < 0) {
            return r;
        }
    }
    return 0;
}

/* The ceiling's own items: what is ambient, what nobody serves, and with `all` everything. */
static int declare_ceiling(struct compute *compute, bool all)
{
    const struct grant_input *input = compute->input;
    for (size_t i = 0; i < input->ceiling->count; i++) {
        const struct policy_item *item = &input->ceiling->items[i];
        bool ambient = is_ambient(item->permission, input->ambient);
        if (all || ambient || (item->ask && !scope_is_asked(item)) || permission_unserved(item->permission)) {
            int r = declare(compute, item, ambient ? GRANT_AMBIENT : GRANT_DEFAULT, 0);
            if (r < 0) {
                return r;
            }
        }
    }
    return 0;
}

static bool declares(const struct grant_input *input)
{
    for (size_t i = 0; i < input->request_count; i++) {
        if (input->requests[i].item) {
            return true;
        }
    }
    return false;
}

int grant_compute(const struct grant_input *input, struct grant *ret_grant, struct err *err)
{
    int r = check_ceiling(input, err);
    if (r < 0) {
        return r;
    }
    struct grant grant = {.limits = input->ceiling->limits};
    struct compute compute = {.input = input, .grant = &grant, .err = err};
    for (size_t i = 0; i < input->request_count; i++) {
        if (input->requests[i].limits) {
            limits_narrow(&grant.limits, input->requests[i].limits);
        }
    }
    bool whole = input->ambient == AMBIENT_WHOLE_CEILING;
    if (!whole) {
        r = declare_requests(&compute);
    }
    if (r == 0) {
        r = declare_ceiling(&compute, whole || (input->default_is_ceiling && !declares(input)));
    }
    if (r < 0) {
        grant_done(&grant);
        return r;
    }
    *ret_grant = grant;
    return 0;
}

void grant_done(struct grant *grant)
{
    if (!grant) {
        return;
    }
    for (size_t i = 0; i < grant->count; i++) {
        free(grant->rows[i].name);
        free(grant->rows[i].scope);
        free(grant->rows[i].absolute);
        free(grant->rows[i].why);
    }
    free(grant->rows);
    *grant = (struct grant){0};
}

bool grant_row_counts(const struct grant_row *row)
{
    return row->state == GRANT_GRANTED || row->state == GRANT_HELD;
}

int grant_format(const struct grant *grant, struct buf *to)
{
    const char *comma = "";
    for (size_t i = 0; i < grant->count; i++) {
        const struct grant_row *row = &grant->rows[i];
        if (!grant_row_counts(row)) {
            continue;
        }
        buf_addf(to, "%s%s", comma, row->name);
        comma = ",";
        if (row->state == GRANT_HELD) {
            buf_add_text(to, "=?"); /* whatever was declared: a person decides file by file */
        } else if (row->scope) {
            buf_add_char(to, '=');
            policy_add_scope(to, row->absolute ? row->absolute : row->scope);
        }
    }
    if (!*comma) {
        buf_add_text(to, "none");
    }
    for (int i = 0; i < _LIMIT_MAX; i++) {
        buf_addf(to, ",%s=", limit_name((enum limit)i));
        limit_format((enum limit)i, grant->limits.value[i], to);
    }
    return to->failed;
}
