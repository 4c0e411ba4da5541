/* The permission rows of one attempt. */
#include "rows_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 64 << 10 };

struct event *place_event(const struct place *place, enum event_kind kind)
{
    struct event *event = event_new(kind);
    if (event) {
        event->question = place->question;
        event->attempt = place->attempt;
    }
    return event;
}

uint64_t place_emit(const struct place *place, struct event *event)
{
    return event ? session_emit(place->session, event) : 0;
}

int item_format(const char *name, const char *scope, struct buf *to)
{
    buf_add_text(to, name);
    if (scope) {
        buf_add_char(to, '=');
        policy_add_scope(to, scope);
    }
    return to->failed;
}

/* ---- one row ------------------------------------------------------------------------------------------------------
 */

/* `ask`: the scope is the question mark that asks a person, and no pattern. */
static struct row *add_row(struct rows *rows, enum permission permission, const char *name, const char *scope, bool ask)
{
    struct row *list = realloc(rows->list, (rows->count + 1) * sizeof *list);
    if (!list) {
        return NULL;
    }
    rows->list = list;
    struct row *row = &list[rows->count];
    struct buf text;
    *row = (struct row){.permission = permission};
    buf_init(&text, TEXT_MAX);
    if (ask) {
        buf_addf(&text, "%s=?", name);
    } else {
        item_format(name, scope, &text);
    }
    row->text = text.failed ? NULL : buf_steal(&text);
    buf_done(&text);
    if (!row->text) {
        return NULL;
    }
    if (policy_parse(row->text, &row->as_rule, NULL) < 0) {
        row->as_rule = (struct policy){0}; /* matches nothing */
    }
    snprintf(row->id, sizeof row->id, "p%zu", ++rows->count);
    return row;
}

void rows_done(struct rows *rows)
{
    if (!rows) {
        return;
    }
    for (size_t i = 0; i < rows->count; i++) {
        free(rows->list[i].text);
        policy_done(&rows->list[i].as_rule);
    }
    free(rows->list);
    free(rows->items);
    free(rows->request);
    policy_done(&rows->granted);
    *rows = (struct rows){0};
}

/* ---- events -------------------------------------------------------------------------------------------------------
 */

static const char *const origins[] = {
    [GRANT_LINE] = "line", [GRANT_PREAMBLE] = "preamble", [GRANT_AMBIENT] = "ambient", [GRANT_DEFAULT] = "default"};
static const char *const states[] = {
    [GRANT_GRANTED] = "granted", [GRANT_TRIMMED] = "trimmed", [GRANT_HELD] = "held", [GRANT_UNSERVED] = "trimmed"};

/* What enforces a permission in the sandbox, and what cannot be enforced at all. */
static const struct {
    const char *layers[3];
    const char *unenforceable;
} enforcement[_PERMISSION_MAX] = {
    [PERMISSION_STDOUT] = {{"supervisor"}, NULL},
    [PERMISSION_STDIN] = {{"supervisor"}, NULL},
    [PERMISSION_TIME] = {{NULL}, "every process can read the clock"},
    [PERMISSION_RANDOM] = {{NULL}, "every process can draw random numbers"},
    [PERMISSION_ENV] = {{"supervisor"}, NULL},
    [PERMISSION_FILE] = {{"mounts", "landlock"}, NULL},
    [PERMISSION_FILE_READ] = {{"mounts", "landlock"}, NULL},
    [PERMISSION_FILE_WRITE] = {{"mounts", "landlock"}, NULL},
    [PERMISSION_NET] = {{"namespaces", "supervisor"}, NULL},
    [PERMISSION_EXEC] = {{"mounts"}, NULL},
};

static void set_enforcement(struct event *event, enum permission permission, bool command)
{
    if (command && permission == PERMISSION_EXEC) {
        event_set_text(event, "unenforceable", "/usr is in view of any command");
        return;
    }
    cJSON *layers = cJSON_CreateArray();
    for (size_t i = 0; i < 3 && enforcement[permission].layers[i]; i++) {
        cJSON_AddItemToArray(layers, cJSON_CreateString(enforcement[permission].layers[i]));
    }
    if (cJSON_GetArraySize(layers)) {
        event_set_json(event, "layers", layers);
    } else {
        cJSON_Delete(layers);
    }
    event_set_text(event, "unenforceable", enforcement[permission].unenforceable);
}

static void emit_row(const struct rows_input *input, const struct grant_row *from, const struct row *row)
{
    struct event *event = place_event(input->place, EVENT_PERMISSION);
    if (!event) {
        return;
    }
    event_set_text(event, "id", row->id);
    event_set_text(event, "name", from->name);
    event_set_text(event, "scope", from->scope);
    event_set_text(event, "state", states[from->state]);
    event_set_text(event, "origin", origins[from->origin]);
    if (from->line) {
        event_set_int(event, "line", from->line);
    }
    if (from->rule) {
        event_set_text(event, row->granted ? "rule" : "nearest", from->rule->text);
    }
    event_set_text(event, "why", from->why);
    if (!row->granted) {
        struct buf fix;
        buf_init(&fix, TEXT_MAX);
        if (!grant_judge(input->ceiling, input->root, input->home, from->permission, from->scope, NULL, NULL, &fix) &&
            fix.len) {
            event_set_text(event, "fix", fix.data);
        }
        buf_done(&fix);
    }
    set_enforcement(event, from->permission, input->command);
    place_emit(input->place, event);
}

/* ---- from a grant -------------------------------------------------------------------------------------------------
 */

static int add_granted(struct rows *rows, const char *text, struct buf *shown)
{
    size_t *items = realloc(rows->items, (rows->item_count + 1) * sizeof *items);
    if (!items) {
        return -ENOMEM;
    }
    rows->items = items;
    items[rows->item_count++] = rows->count - 1;
    rows->list[rows->count - 1].granted = true;
    return buf_addf(shown, "%s%s", shown->len ? "," : "", text);
}

static int build(const struct rows_input *input, struct rows *rows, struct buf *shown)
{
    for (size_t i = 0; i < input->grant->count; i++) {
        const struct grant_row *from = &input->grant->rows[i];
        bool ask = from->state == GRANT_HELD && !from->absolute && from->scope && !strcmp(from->scope, "?");
        const struct row *row = add_row(rows, from->permission, from->name, from->scope, ask);
        if (!row) {
            return -ENOMEM;
        }
        char any[64]; /* of what is held a person decides one by one, whatever was asked for */
        snprintf(any, sizeof any, "%s=?", from->name);
        const char *text = from->state == GRANT_HELD ? any : row->text;
        int result = grant_row_counts(from) ? add_granted(rows, text, shown) : 0;
        if (result < 0) {
            return result;
        }
        emit_row(input, from, row);
    }
    return rows->item_count == 0 ? buf_add_text(shown, "none") : shown->failed;
}

int rows_from_grant(const struct rows_input *input, struct rows *ret_rows, struct err *err)
{
    struct rows rows = {0};
    struct buf shown, request;
    buf_init(&shown, TEXT_MAX);
    buf_init(&request, 16 * TEXT_MAX);
    int result = build(input, &rows, &shown);
    if (result == 0) {
        result = grant_format(input->grant, &request);
    }
    if (result < 0) {
        err_errno(err, result, "permissions");
    } else {
        result = policy_parse(shown.data, &rows.granted, err);
    }
    rows.request = result == 0 ? buf_steal(&request) : NULL;
    buf_done(&shown);
    buf_done(&request);
    if (result < 0) {
        rows_done(&rows);
        return result;
    }
    *ret_rows = rows;
    return 0;
}

/* ---- what was tried -----------------------------------------------------------------------------------------------
 */

const struct row *rows_explain(const struct rows *rows, const char *root, const char *home, enum permission missing,
                               const char *scope)
{
    for (size_t i = 0; i < rows->count; i++) {
        const struct row *row = &rows->list[i];
        if (!row->granted && grant_judge(&row->as_rule, root, home, missing, scope, NULL, NULL, NULL)) {
            return row;
        }
    }
    return NULL;
}

const struct row *rows_add_tried(struct rows *rows, enum permission permission, const char *scope)
{
    return rows->count < ROWS_MAX ? add_row(rows, permission, permission_name(permission), scope, false) : NULL;
}

/* ---- what was used ------------------------------------------------------------------------------------------------
 */

void rows_use(struct rows *rows, const char *id)
{
    for (size_t i = 0; i < rows->count; i++) {
        if (!strcmp(rows->list[i].id, id)) {
            rows->list[i].granted = true;
            rows->list[i].opens = 1;
        }
    }
}

/* What a person allowed stands there file by file. */
static bool is_question(const struct row *row)
{
    return row->as_rule.count && row->as_rule.items[0].ask;
}

int rows_least(const struct rows *rows, const struct place *place, struct buf *to)
{
    struct event *event = place_event(place, EVENT_LEAST);
    cJSON *items = cJSON_CreateArray();
    for (size_t i = 0; i < rows->count; i++) {
        if (rows->list[i].granted && rows->list[i].opens && !is_question(&rows->list[i])) {
            buf_addf(to, "%s%s", to->len ? "," : "", rows->list[i].text);
            cJSON_AddItemToArray(items, cJSON_CreateString(rows->list[i].id));
        }
    }
    if (to->len == 0) {
        buf_add_text(to, "none");
    }
    event_set_text(event, "text", to->data);
    event_set_json(event, "items", items);
    place_emit(place, event);
    return to->failed;
}
