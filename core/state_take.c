/* The reducer: taking fields of an event into the state. */
#include <stdlib.h>
#include <string.h>

#include "state_internal.h"

void put_text(struct change *change, char **to, const char *text)
{
    if (!text) {
        return;
    }
    char *copy = strdup(text);
    if (!copy) {
        change->no_memory = true;
        return;
    }
    free(*to);
    *to = copy;
}

void take_text(struct change *change, char **to, const char *field)
{
    put_text(change, to, event_text(change->event, field, NULL));
}

void take_int(const struct change *change, int64_t *to, const char *field)
{
    *to = event_int(change->event, field, *to);
}

void take_count(const struct change *change, uint64_t *to, const char *field)
{
    int64_t value = event_int(change->event, field, -1);
    *to = value < 0 ? *to : (uint64_t)value;
}

void take_unsigned(const struct change *change, unsigned *to, const char *field)
{
    int64_t value = event_int(change->event, field, -1);
    *to = value < 0 || value > UINT32_MAX ? *to : (unsigned)value;
}

void take_json(struct change *change, cJSON **to, const char *field)
{
    const cJSON *item = event_json(change->event, field);
    if (!item) {
        return;
    }
    cJSON *copy = cJSON_Duplicate(item, true);
    if (!copy) {
        change->no_memory = true;
        return;
    }
    cJSON_Delete(*to);
    *to = copy;
}

void *append(struct change *change, void *array_pointer, size_t *count, size_t size)
{
    void *element = array_grow(array_pointer, *count, size);
    if (!element) {
        change->no_memory = true;
        return NULL;
    }
    ++*count;
    return element;
}

uint64_t json_count(const cJSON *object, const char *member, uint64_t fallback)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, member);
    return cJSON_IsNumber(item) && item->valuedouble >= 0 && item->valuedouble <= UINT32_MAX
               ? (uint64_t)item->valuedouble
               : fallback;
}

const char *json_text(const cJSON *object, const char *member)
{
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, member));
}
