/* Turns what the supervisor reports of one run into events. Accesses are in cell_access.c, what it wrote in
 * cell_output.c. */
#include "cell_client_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../engine.h"
#include "cell_report_internal.h"

static const double NUMBER_MAX = 9007199254740992; /* 2^53: what JSON numbers hold exactly */

void cell_client_init(struct cell_client *client)
{
    buf_init(&client->output, CLIENT_OUTPUT_MAX);
    buf_init(&client->errors, 2 * CLIENT_ERRORS_MAX);
    buf_init(&client->missing, 64 << 10);
    buf_init(&client->exception, 16 << 10);
}

void cell_client_done(struct cell_client *client)
{
    buf_done(&client->output);
    buf_done(&client->errors);
    buf_done(&client->missing);
    buf_done(&client->exception);
    free(client->message);
}

/* ---- the cell -----------------------------------------------------------------------------------------------------
 */

static cJSON *layer_names(uint32_t layers)
{
    cJSON *list = cJSON_CreateArray();
    for (int i = 0; i < _LAYER_MAX; i++) {
        if (layers & (1u << i)) {
            cJSON_AddItemToArray(list, cJSON_CreateString(sandbox_layer_name((enum sandbox_layer)i)));
        }
    }
    return list;
}

/* "cgroup: not delegated\n..." as [{layer, why}]. */
static cJSON *off_list(const char *off)
{
    cJSON *list = cJSON_CreateArray();
    while (off && *off) {
        size_t length = strcspn(off, "\n"), name = strcspn(off, ":\n");
        const char *why = off + name + (off[name] == ':');
        size_t blanks = strspn(why, " ");
        char *layer = strndup(off, name), *text = strndup(why + blanks, (size_t)(off + length - why) - blanks);
        if (layer && text) {
            cJSON *object = cJSON_CreateObject();
            cJSON_AddStringToObject(object, "layer", layer);
            cJSON_AddStringToObject(object, "why", text);
            cJSON_AddItemToArray(list, object);
        }
        free(layer);
        free(text);
        off += length + (off[length] == '\n');
    }
    return list;
}

static cJSON *limit_values(const char *granted)
{
    struct policy policy;
    if (policy_parse(granted, &policy, NULL) < 0) {
        return NULL;
    }
    cJSON *object = cJSON_CreateObject();
    for (int i = 0; i < _LIMIT_MAX; i++) {
        cJSON_AddNumberToObject(object, limit_name((enum limit)i), (double)policy.limits.value[i]);
    }
    policy_done(&policy);
    return object;
}

static void on_cell(struct cell_client *client, const struct report_cell *cell)
{
    const struct sandbox_request *request = client->request;
    struct event *event = place_event(&client->place, EVENT_RUN);
    cJSON *argv = cJSON_CreateArray(), *base = cJSON_CreateArray();
    for (size_t i = 0; request->argv[i]; i++) {
        cJSON_AddItemToArray(argv, cJSON_CreateString(request->argv[i]));
    }
    for (size_t i = 0; i < request->base_count; i++) {
        cJSON_AddItemToArray(base, cJSON_CreateString(request->base[i].path));
    }
    event_set_text(event, "executor", client->executor ? client->executor->name : "command@sandbox");
    event_set_text(event, "level", cell->level);
    event_set_json(event, "layers", layer_names(cell->layers));
    event_set_json(event, "off", off_list(cell->off));
    event_set_bool(event, "warm", false);
    event_set_json(event, "argv", argv);
    event_set_json(event, "base", base);
    event_set_json(event, "limits", limit_values(request->granted));
    event_set_json(event, "versions", cJSON_Duplicate(client->versions, true));
    if (request->decoy) {
        event_set_bool(event, "decoy", true);
    }
    event_set_text(event, "notify", request->notify == NOTIFY_OBSERVE ? "observe" : "answer");
    place_emit(&client->place, event);
}

/* ---- output -------------------------------------------------------------------------------------------------------
 */

/* ---- what the harness says ----------------------------------------------------------------------------------------
 */

static void copy_field(struct event *event, const char *field, const cJSON *from, int wanted)
{
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(from, field);
    if (!value || !(value->type & wanted)) {
        return;
    }
    if (cJSON_IsString(value)) {
        event_set_text(event, field, value->valuestring);
    } else if (cJSON_IsNumber(value)) {
        double number = value->valuedouble; /* whatever the program says: bounded before it is cast */
        event_set_int(event, field, (int64_t)(number > NUMBER_MAX ? NUMBER_MAX : number < -NUMBER_MAX ? -NUMBER_MAX : number));
    } else {
        event_set_json(event, field, cJSON_Duplicate(value, true));
    }
}

static void on_exception(struct cell_client *client, const cJSON *said)
{
    const char *type = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(said, "type"));
    const char *message = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(said, "message"));
    const cJSON *frames = cJSON_GetObjectItemCaseSensitive(said, "frames");
    const cJSON *last = cJSON_GetArrayItem(frames, cJSON_GetArraySize(frames) - 1);
    const cJSON *line = cJSON_GetObjectItemCaseSensitive(last, "line");
    struct event *event = place_event(&client->place, EVENT_EXCEPTION);
    event_set_text(event, "type", type ? type : "Exception");
    copy_field(event, "message", said, cJSON_String);
    copy_field(event, "frames", said, cJSON_Array);
    copy_field(event, "errno", said, cJSON_Number);
    copy_field(event, "filename", said, cJSON_String);
    place_emit(&client->place, event);
    buf_clear(&client->exception);
    buf_addf(&client->exception, "%s: %.2000s", type ? type : "Exception", message ? message : "");
    if (cJSON_IsNumber(line)) {
        buf_addf(&client->exception, " (line %d)", line->valueint);
    }
}

static void on_result(struct cell_client *client, const cJSON *said)
{
    if (!cJSON_IsArray(cJSON_GetObjectItemCaseSensitive(said, "columns")) ||
        !cJSON_IsArray(cJSON_GetObjectItemCaseSensitive(said, "rows"))) {
        return;
    }
    struct event *event = place_event(&client->place, EVENT_RESULT);
    copy_field(event, "columns", said, cJSON_Array);
    copy_field(event, "types", said, cJSON_Array);
    copy_field(event, "rows", said, cJSON_Array);
    copy_field(event, "total", said, cJSON_Number);
    place_emit(&client->place, event);
}

/* Whole lines, from a process that may say anything: what is no known message is left out. */
static void on_said(struct cell_client *client, const struct report_output *said)
{
    const char *at = said->bytes, *end = said->bytes + said->len;
    while (at < end && client->said_count < CLIENT_SAID_MAX) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((newline ? newline : end) - at);
        client->said_count++;
        cJSON *message = cJSON_ParseWithLength(at, length);
        const char *kind = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(message, "kind"));
        if (kind && strcmp(kind, "exception") == 0) {
            on_exception(client, message);
        } else if (kind && strcmp(kind, "result") == 0) {
            on_result(client, message);
        }
        cJSON_Delete(message);
        at += length + 1;
    }
}

/* ---- usage and the end --------------------------------------------------------------------------------------------
 */

static void on_usage(struct cell_client *client, const struct report_usage *usage)
{
    struct event *event = place_event(&client->place, EVENT_USAGE);
    event_set_int(event, "wall_us", usage->wall_us);
    event_set_int(event, "cpu_us", usage->cpu_us);
    event_set_int(event, "memory", (int64_t)usage->memory);
    event_set_int(event, "memory_peak", (int64_t)usage->memory_peak);
    event_set_int(event, "processes", usage->processes);
    event_set_int(event, "processes_peak", usage->processes_peak);
    event_set_int(event, "output", (int64_t)(usage->output[1] + usage->output[2]));
    event_set_int(event, "disk", (int64_t)usage->disk);
    place_emit(&client->place, event);
}

static void emit_used(struct cell_client *client, const struct row *row)
{
    struct event *event = place_event(&client->place, EVENT_USED);
    event_set_text(event, "item", row->id);
    event_set_int(event, "opens", (int64_t)row->opens);
    event_set_int(event, "files", (int64_t)row->files);
    event_set_int(event, "bytes", (int64_t)row->bytes);
    place_emit(&client->place, event);
}

static void on_used(struct cell_client *client, const struct report_used *used)
{
    struct rows *rows = client->rows;
    if (used->item < 0 || (size_t)used->item >= rows->item_count) {
        return;
    }
    struct row *row = &rows->list[rows->items[used->item]];
    row->opens = used->opens;
    row->files = used->files;
    row->bytes = used->bytes;
    emit_used(client, row);
}

/* Standard output is used by printing; no system call that is watched tells of it. */
static void count_printed(struct cell_client *client)
{
    for (size_t i = 0; client->output.len && i < client->rows->item_count; i++) {
        struct row *row = &client->rows->list[client->rows->items[i]];
        if (row->permission == PERMISSION_STDOUT && !row->opens) {
            row->opens = 1;
            row->bytes = client->output.len;
            emit_used(client, row);
            return;
        }
    }
}

static void on_end(struct cell_client *client, const struct report_exit *end)
{
    cell_output_flush(client);
    count_printed(client);
    struct event *event = place_event(&client->place, EVENT_EXIT);
    event_set_text(event, "status", sandbox_status_name(end->status));
    if (end->code >= 0) {
        event_set_int(event, "code", end->code);
    }
    if (end->signal) {
        event_set_int(event, "signal", end->signal);
    }
    if (end->limit >= 0) {
        event_set_text(event, "limit", limit_name((enum limit)end->limit));
        event_set_int(event, "value", (int64_t)end->limit_value);
    }
    event_set_text(event, "message", end->message);
    event_set_int(event, "setup_us", end->setup_us);
    event_set_int(event, "run_us", end->run_us);
    event_set_int(event, "survivors", end->survivors);
    event_set_bool(event, "unkillable", end->unkillable);
    if (end->unlisted) {
        event_set_int(event, "unlisted", (int64_t)end->unlisted);
        event_set_int(event, "unlisted_denied", (int64_t)end->unlisted_denied);
    }
    place_emit(&client->place, event);
    client->exited = true;
    client->status = end->status;
    client->code = end->code;
    client->run_us = end->run_us;
    client->message = end->message ? strdup(end->message) : NULL;
}

void cell_client_end(struct cell_client *client, enum sandbox_status status, const char *message)
{
    struct event *event = place_event(&client->place, EVENT_EXIT);
    event_set_text(event, "status", sandbox_status_name(status));
    event_set_text(event, "message", message);
    place_emit(&client->place, event);
    client->exited = true;
    client->status = status;
    client->code = -1;
    free(client->message);
    client->message = message ? strdup(message) : NULL;
}

void cell_client_report(struct cell_client *client, const struct report *report)
{
    switch (report->kind) {
    case REPORT_CELL:
        on_cell(client, &report->cell);
        break;
    case REPORT_OUTPUT:
        cell_output_report(client, &report->output);
        break;
    case REPORT_SAID:
        on_said(client, &report->said);
        break;
    case REPORT_ACCESS:
        cell_access_report(client, &report->access);
        break;
    case REPORT_HELD: /* the engine's */
        break;
    case REPORT_USAGE:
        on_usage(client, &report->usage);
        break;
    case REPORT_USED:
        on_used(client, &report->used);
        break;
    case REPORT_ARTIFACT:
        cell_artifact_report(client, &report->artifact);
        break;
    case REPORT_EFFECT:
        cell_effect_report(client, &report->effect);
        break;
    case REPORT_EXIT:
        on_end(client, &report->exit);
        break;
    }
}
