/* Accesses of a run as events. */
#include "cell_report_internal.h"

#include <string.h>

static const char *const verdicts[] = {
    [ACCESS_ALLOWED] = "allowed", [ACCESS_DENIED] = "denied", [ACCESS_ABSENT] = "absent"};

enum { TEXT_MAX = 64 << 10 };

/* What a refused access lacked, and why. */
struct refusal {
    struct buf scope;   /* as people write it: ./.env */
    struct buf missing; /* the policy item: file.read=./.env */
    struct buf why, fix;
    const struct policy_item *nearest; /* of the granted ones; borrowed */
};

static void refusal_init(struct refusal *refusal)
{
    *refusal = (struct refusal){0};
    buf_init(&refusal->scope, TEXT_MAX);
    buf_init(&refusal->missing, TEXT_MAX);
    buf_init(&refusal->why, TEXT_MAX);
    buf_init(&refusal->fix, TEXT_MAX);
}

static void refusal_done(struct refusal *refusal)
{
    buf_done(&refusal->scope);
    buf_done(&refusal->missing);
    buf_done(&refusal->why);
    buf_done(&refusal->fix);
}

static bool is_path(enum permission permission)
{
    return permission == PERMISSION_FILE || permission == PERMISSION_FILE_READ || permission == PERMISSION_FILE_WRITE ||
           permission == PERMISSION_EXEC;
}

/*
 * Judged against what is granted, which names the nearest item; and against the
 * ceiling, since what it has already needs no more than a require.
 */
static void judge(const struct cell_client *client, const struct report_access *access, struct refusal *to)
{
    const char *root = client->root, *home = client->home, *name = permission_name(access->missing);
    if (is_path(access->missing) && access->resolved[0] == '/') {
        scope_display(access->resolved, root, home, &to->scope);
    } else {
        buf_add_text(&to->scope, access->resolved);
    }
    if (grant_add_item(access->missing, access->resolved, root, home, &to->missing) < 0 || to->missing.len == 0) {
        item_format(name, to->scope.len ? to->scope.data : NULL, &to->missing); /* no item can name it */
    }
    bool granted = grant_judge(&client->rows->granted, root, home, access->missing, access->resolved, &to->nearest,
                               &to->why, NULL);
    if (to->nearest && to->nearest->ask) {
        buf_clear(&to->why);
        buf_addf(&to->why, "%s: nobody allowed it", to->nearest->text);
    }
    bool in_ceiling = grant_judge(client->ceiling, root, home, access->missing, access->resolved, NULL, NULL, &to->fix);
    if (in_ceiling && client->declared && !granted) {
        buf_clear(&to->why);
        buf_clear(&to->fix);
        buf_addf(&to->why, "the ceiling has it, the program did not ask: it needs a line `require %s`",
                 to->missing.data);
    }
}

static void set_refusal(struct event *event, const struct refusal *refusal)
{
    event_set_text(event, "missing", refusal->missing.data);
    event_set_text(event, "nearest", refusal->nearest ? refusal->nearest->text : NULL);
    event_set_text(event, "why", refusal->why.len ? refusal->why.data : NULL);
}

/* The row that explains the refusal: one that was trimmed, or a new one for what was tried. */
static const struct row *explain(struct cell_client *client, const struct report_access *access,
                                 const struct refusal *refusal)
{
    const struct row *row = rows_explain(client->rows, client->root, client->home, access->missing, access->resolved);
    if (row) {
        return row;
    }
    row = rows_add_tried(client->rows, access->missing, refusal->scope.data);
    if (!row) {
        return NULL;
    }
    struct event *event = place_event(&client->place, EVENT_PERMISSION);
    event_set_text(event, "id", row->id);
    event_set_text(event, "name", permission_name(access->missing));
    event_set_text(event, "scope", refusal->scope.data);
    event_set_text(event, "state", "denied");
    event_set_text(event, "origin", "tried");
    if (access->line) {
        event_set_int(event, "line", access->line);
    }
    event_set_text(event, "nearest", refusal->nearest ? refusal->nearest->text : NULL);
    event_set_text(event, "why", refusal->why.len ? refusal->why.data : NULL);
    event_set_text(event, "fix", refusal->fix.len ? refusal->fix.data : NULL);
    place_emit(&client->place, event);
    return row;
}

/* Each missing item once, as the model is told. */
static void remember_missing(struct cell_client *client, const char *missing)
{
    struct buf line;
    buf_init(&line, TEXT_MAX + 2);
    buf_addf(&line, "%s\n", missing);
    bool known =
        client->missing.len && line.len && memmem(client->missing.data, client->missing.len, line.data, line.len);
    if (!known && client->missing_count < CLIENT_MISSING_MAX && !line.failed) {
        client->missing_count++;
        buf_add(&client->missing, line.data, line.len);
    }
    buf_done(&line);
}

/* Adds the text of the program's line, without blanks around. */
static void set_source(struct event *event, const char *program, unsigned line)
{
    const char *at = program;
    for (unsigned i = 1; at && i < line; i++) {
        at = strchr(at, '\n');
        at = at ? at + 1 : NULL;
    }
    if (!at || !line) {
        return;
    }
    struct buf text;
    size_t blanks = strspn(at, " \t"), length = strcspn(at + blanks, "\r\n");
    buf_init(&text, TEXT_MAX);
    buf_add(&text, at + blanks, length);
    event_set_text(event, "source", text.len ? text.data : NULL);
    buf_done(&text);
}

static struct event *describe(const struct cell_client *client, const struct report_access *access)
{
    struct event *event = place_event(&client->place, EVENT_ACCESS);
    event_set_int(event, "number", (int64_t)access->number);
    event_set_text(event, "verdict", verdicts[access->verdict]);
    event_set_int(event, "at_us", access->t_us);
    event_set_text(event, "call", access->call);
    event_set_text(event, "given", access->given);
    event_set_text(event, "resolved", access->resolved);
    event_set_text(event, "want", access_want_name(access->want));
    if (access->error) {
        event_set_text(event, "errno", strerrorname_np(access->error));
    }
    if (access->line) {
        event_set_int(event, "line", access->line);
        set_source(event, client->program, access->line);
    }
    if (access->count > 1) {
        event_set_int(event, "count", (int64_t)access->count);
    }
    return event;
}

void cell_access_report(struct cell_client *client, const struct report_access *access)
{
    if (access->base && access->verdict == ACCESS_ALLOWED) {
        return;
    }
    struct event *event = describe(client, access);
    if (access->item >= 0 && (size_t)access->item < client->rows->item_count) {
        event_set_text(event, "item", client->rows->list[client->rows->items[access->item]].id);
    }
    if (access->verdict != ACCESS_DENIED) {
        place_emit(&client->place, event);
        return;
    }
    struct refusal refusal;
    refusal_init(&refusal);
    judge(client, access, &refusal);
    const struct row *row = explain(client, access, &refusal);
    event_set_text(event, "layer", sandbox_layer_name(access->layer));
    event_set_bool(event, "answered", access->answered);
    event_set_text(event, "permission", row ? row->id : NULL);
    set_refusal(event, &refusal);
    place_emit(&client->place, event);
    remember_missing(client, refusal.missing.data);
    refusal_done(&refusal);
}
