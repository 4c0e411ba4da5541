/* One event: making it, filling its fields, reading them. The table of kinds is in event_table.c. */
#include "event.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "event_internal.h"
#include "text_internal.h"

static const int64_t INT_MAX_EXACT = (int64_t)1 << 53; /* beyond it a JSON number loses digits */

struct event *event_new(enum event_kind kind)
{
    struct event *event = calloc(1, sizeof(*event));
    if (!event) {
        return NULL;
    }
    event->kind = kind;
    event->body = cJSON_CreateObject();
    if (!event->body) {
        free(event);
        return NULL;
    }
    return event;
}

struct event *event_copy(const struct event *event)
{
    struct event *copy = malloc(sizeof(*copy));
    if (copy) {
        *copy = *event;
        copy->body = cJSON_Duplicate(event->body, true);
        if (!copy->body) {
            free(copy);
            copy = NULL;
        }
    }
    return copy;
}

void event_free(struct event *event)
{
    if (event) {
        cJSON_Delete(event->body);
        free(event);
    }
}

bool field_holds(enum field_type type, const cJSON *item)
{
    switch (type) {
    case FIELD_TEXT:
        return cJSON_IsString(item);
    case FIELD_INT:
        return cJSON_IsNumber(item) && fabs(item->valuedouble) <= 0x1p53 &&
               item->valuedouble == trunc(item->valuedouble);
    case FIELD_REAL:
        return cJSON_IsNumber(item) && isfinite(item->valuedouble);
    case FIELD_BOOL:
        return cJSON_IsBool(item);
    case FIELD_BYTES:
        return cJSON_IsString(item) || (cJSON_IsObject(item) && cJSON_GetArraySize(item) == 1 &&
                                        cJSON_IsString(cJSON_GetObjectItemCaseSensitive(item, "base64")));
    case FIELD_LIST:
        return cJSON_IsArray(item);
    case FIELD_OBJECT:
        return cJSON_IsObject(item);
    case FIELD_ANY:
        return true;
    }
    return false;
}

/* Takes value; NULL stands for no memory. A field that the kind lacks, or that cannot hold it, is a bug. */
static void put(struct event *event, const char *field, cJSON *value)
{
    const struct event_field *known = event_field_find(event->kind, field);
    assert(known && (!value || field_holds(known->type, value)));
    cJSON_DeleteItemFromObjectCaseSensitive(event->body, field);
    if (!value || !cJSON_AddItemToObject(event->body, field, value)) {
        cJSON_Delete(value);
        event->failed = true;
    }
}

/* A string item of `len` bytes, made UTF-8; NULL without memory. */
static cJSON *string_item(const char *bytes, size_t len)
{
    struct buf text;
    buf_init(&text, SIZE_MAX / 2);
    buf_add_text(&text, "");
    text_add_utf8(&text, bytes, len);
    cJSON *item = text.failed ? NULL : cJSON_CreateString(text.data ? text.data : "");
    buf_done(&text);
    return item;
}

void event_set_text(struct event *event, const char *field, const char *text)
{
    if (event && text) {
        put(event, field, string_item(text, strlen(text)));
    }
}

cJSON *event_bytes_item(const void *bytes, size_t len)
{
    if (len == 0 || (!memchr(bytes, 0, len) && text_is_utf8(bytes, len))) {
        return string_item(len ? bytes : "", len);
    }
    struct buf text;
    buf_init(&text, SIZE_MAX / 2);
    cJSON *object = base64_encode(&text, bytes, len) ? NULL : cJSON_CreateObject();
    if (object && !cJSON_AddStringToObject(object, "base64", text.data)) {
        cJSON_Delete(object);
        object = NULL;
    }
    buf_done(&text);
    return object;
}

void event_set_bytes(struct event *event, const char *field, const void *bytes, size_t len)
{
    if (event) {
        put(event, field, event_bytes_item(bytes, len));
    }
}

void event_set_int(struct event *event, const char *field, int64_t value)
{
    if (event) {
        value = value > INT_MAX_EXACT ? INT_MAX_EXACT : value < -INT_MAX_EXACT ? -INT_MAX_EXACT : value;
        put(event, field, cJSON_CreateNumber((double)value));
    }
}

void event_set_real(struct event *event, const char *field, double value)
{
    if (event && isfinite(value)) {
        put(event, field, cJSON_CreateNumber(value));
    }
}

void event_set_bool(struct event *event, const char *field, bool value)
{
    if (event) {
        put(event, field, cJSON_CreateBool(value));
    }
}

/* Makes *text UTF-8 in place; false without memory. */
static bool repair(char **text)
{
    if (!*text || text_is_utf8(*text, strlen(*text))) {
        return true;
    }
    struct buf good;
    buf_init(&good, SIZE_MAX / 2);
    text_add_utf8(&good, *text, strlen(*text));
    char *copy = good.failed ? NULL : cJSON_malloc(good.len + 1);
    if (copy) {
        memcpy(copy, good.data, good.len + 1);
        cJSON_free(*text);
        *text = copy;
    }
    buf_done(&good);
    return copy;
}

static bool repair_all(cJSON *item)
{
    for (; item; item = item->next) {
        bool own_key = item->string && !(item->type & cJSON_StringIsConst);
        if ((own_key && !repair(&item->string)) || !repair(&item->valuestring) || !repair_all(item->child)) {
            return false;
        }
    }
    return true;
}

void event_set_json(struct event *event, const char *field, cJSON *value)
{
    if (!event || !value) {
        cJSON_Delete(value);
        return;
    }
    event->failed |= !repair_all(value);
    put(event, field, value);
}

const cJSON *event_json(const struct event *event, const char *field)
{
    return cJSON_GetObjectItemCaseSensitive(event->body, field);
}

const char *event_text(const struct event *event, const char *field, const char *fallback)
{
    const cJSON *item = event_json(event, field);
    return cJSON_IsString(item) ? item->valuestring : fallback;
}

int64_t event_int(const struct event *event, const char *field, int64_t fallback)
{
    const cJSON *item = event_json(event, field);
    return cJSON_IsNumber(item) && fabs(item->valuedouble) <= (double)INT_MAX_EXACT ? (int64_t)item->valuedouble
                                                                                    : fallback;
}

double event_real(const struct event *event, const char *field, double fallback)
{
    const cJSON *item = event_json(event, field);
    return cJSON_IsNumber(item) ? item->valuedouble : fallback;
}

bool event_bool(const struct event *event, const char *field, bool fallback)
{
    const cJSON *item = event_json(event, field);
    return cJSON_IsBool(item) ? cJSON_IsTrue(item) : fallback;
}

int event_bytes(const struct event *event, const char *field, struct buf *to)
{
    const cJSON *item = event_json(event, field);
    if (cJSON_IsString(item)) {
        return buf_add_text(to, item->valuestring);
    }
    const cJSON *encoded = cJSON_GetObjectItemCaseSensitive(item, "base64");
    if (cJSON_IsString(encoded)) {
        return base64_decode(to, encoded->valuestring, strlen(encoded->valuestring));
    }
    return 0;
}
