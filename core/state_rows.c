/* The reducer: rows of permissions, and the accesses that they explain. */
#include <stdlib.h>
#include <string.h>

#include "state_internal.h"

static struct state_permission *find_row(const struct state_attempt *attempt, const char *id)
{
    for (size_t i = 0; i < attempt->permission_count; i++) {
        if (strcmp(attempt->permissions[i].id, id) == 0) {
            return &attempt->permissions[i];
        }
    }
    return NULL;
}

const struct state_permission *state_permission_find(const struct state_attempt *attempt, const char *id)
{
    return id ? find_row(attempt, id) : NULL;
}

/* Is `item` this row as policy text: its name, or name=scope? */
static bool row_is_item(const struct state_permission *row, const char *item)
{
    size_t len = strlen(row->name);
    if (strncmp(row->name, item, len) != 0) {
        return false;
    }
    return row->scope ? item[len] == '=' && strcmp(row->scope, item + len + 1) == 0 : item[len] == '\0';
}

/* The row that explains a denial; NULL while there is none. */
static struct state_permission *find_explanation(const struct state_attempt *attempt, const struct state_access *access)
{
    if (access->permission) {
        return find_row(attempt, access->permission);
    }
    for (size_t i = 0; access->missing && i < attempt->permission_count; i++) {
        if (row_is_item(&attempt->permissions[i], access->missing)) {
            return &attempt->permissions[i];
        }
    }
    return NULL;
}

static uint64_t denied_count(const struct state_access *access)
{
    return access->verdict && strcmp(access->verdict, "denied") == 0 ? access->count : 0;
}

/* Counts the denials that came before the row that explains them. */
static void explain_earlier(struct change *change, struct state_permission *row)
{
    const struct state_attempt *attempt = change->attempt;
    for (size_t i = 0; i < attempt->access_count; i++) {
        uint64_t denied = denied_count(&attempt->accesses[i]);
        if (denied && find_explanation(attempt, &attempt->accesses[i]) == row) {
            row->denied += denied;
            put_text(change, &row->denied_layer, attempt->accesses[i].layer);
        }
    }
}

/* The names of a list, joined by ", ". */
static void take_names(struct change *change, char **to, const char *field)
{
    const cJSON *list = event_json(change->event, field), *item;
    if (!list) {
        return;
    }
    struct buf text;
    buf_init(&text, SIZE_MAX / 2);
    buf_add_text(&text, "");
    cJSON_ArrayForEach(item, list)
    {
        if (cJSON_IsString(item)) {
            buf_add_text(&text, text.len ? ", " : "");
            buf_add_text(&text, item->valuestring);
        }
    }
    change->no_memory |= text.failed;
    put_text(change, to, text.data);
    buf_done(&text);
}

void reduce_permission(struct change *change)
{
    struct state_attempt *attempt = change->attempt;
    struct state_permission *row = find_row(attempt, event_text(change->event, "id", ""));
    bool is_new = !row;
    if (is_new) {
        row = append(change, &attempt->permissions, &attempt->permission_count, sizeof(*row));
        if (!row) {
            return;
        }
        row->seq = change->event->seq;
    }
    put_text(change, &row->id, event_text(change->event, "id", ""));
    put_text(change, &row->name, event_text(change->event, "name", ""));
    take_text(change, &row->scope, "scope");
    take_text(change, &row->state, "state");
    take_text(change, &row->origin, "origin");
    take_unsigned(change, &row->line, "line");
    take_text(change, &row->rule, "nearest");
    take_text(change, &row->rule, "rule");
    take_text(change, &row->why, "why");
    take_text(change, &row->fix, "fix");
    take_names(change, &row->layers, "layers");
    take_text(change, &row->unenforceable, "unenforceable");
    if (is_new && !change->no_memory) {
        explain_earlier(change, row);
    }
}

/* Where the access of this number stands, or is to be put: they are kept by number. */
static size_t access_index(const struct state_attempt *attempt, uint64_t number)
{
    size_t low = 0, high = attempt->access_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (attempt->accesses[middle].number < number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* The access of the event's number, made when there is none; NULL without memory. */
static struct state_access *access_for(struct change *change)
{
    struct state_attempt *attempt = change->attempt;
    uint64_t number = 0;
    take_count(change, &number, "number");
    size_t index = access_index(attempt, number);
    if (index < attempt->access_count && attempt->accesses[index].number == number) {
        return &attempt->accesses[index];
    }
    if (!append(change, &attempt->accesses, &attempt->access_count, sizeof(*attempt->accesses))) {
        return NULL;
    }
    struct state_access *access = &attempt->accesses[index];
    memmove(access + 1, access, (attempt->access_count - 1 - index) * sizeof(*access));
    *access = (struct state_access){.seq = change->event->seq, .number = number, .count = 1};
    return access;
}

void reduce_access(struct change *change)
{
    struct state_access *access = access_for(change);
    if (!access) {
        return;
    }
    uint64_t before = denied_count(access);
    take_int(change, &access->t, "at_us");
    take_text(change, &access->call, "call");
    take_text(change, &access->given, "given");
    take_text(change, &access->resolved, "resolved");
    take_text(change, &access->want, "want");
    take_text(change, &access->verdict, "verdict");
    take_text(change, &access->error, "errno");
    take_text(change, &access->layer, "layer");
    access->answered = event_bool(change->event, "answered", access->answered);
    take_text(change, &access->item, "item");
    take_text(change, &access->missing, "missing");
    take_text(change, &access->permission, "permission");
    take_text(change, &access->nearest, "nearest");
    take_text(change, &access->why, "why");
    take_unsigned(change, &access->line, "line");
    take_text(change, &access->source, "source");
    take_count(change, &access->count, "count");

    uint64_t more = denied_count(access) - before; /* modulo 2^64: it may shrink */
    change->attempt->denials += more;
    struct state_permission *row = find_explanation(change->attempt, access);
    if (row && denied_count(access)) {
        row->denied += more;
        put_text(change, &row->denied_layer, access->layer);
    }
}

void reduce_used(struct change *change)
{
    struct state_permission *row = find_row(change->attempt, event_text(change->event, "item", ""));
    if (!row) {
        change->odd = true;
        return;
    }
    row->used_known = true;
    take_count(change, &row->opens, "opens");
    take_count(change, &row->files, "files");
    take_count(change, &row->bytes, "bytes");
}
