/* Copying, freeing and printing structures by their tables. */
#include "shape_internal.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define AT(object, member, type) (*(type *)(void *)((char *)(object) + (member)->offset))
#define CONST_AT(object, member, type) (*(const type *)(const void *)((const char *)(object) + (member)->offset))

static size_t count_of(const void *object, const struct member *member)
{
    return *(const size_t *)(const void *)((const char *)object + member->count_offset);
}

static size_t room_for(size_t count)
{
    size_t room = 1;
    while (room < count) {
        room *= 2;
    }
    return room;
}

void *array_grow(void *array_pointer, size_t count, size_t size)
{
    char *array;
    memcpy(&array, array_pointer, sizeof(array));
    if ((count & (count - 1)) == 0) { /* 0 or a full power of two */
        array = realloc(array, room_for(count + 1) * size);
        if (!array) {
            return NULL;
        }
        memcpy(array_pointer, &array, sizeof(array));
    }
    return memset(array + count * size, 0, size);
}

static void free_many(const struct member *member, char *array, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (member->type == MEMBER_ARRAY) {
            shape_done(member->shape, array + i * member->shape->size);
            continue;
        }
        void *element = ((void **)(void *)array)[i];
        if (element && member->type == MEMBER_SHARED && --*(size_t *)element > 0) {
            continue;
        }
        if (element && member->type != MEMBER_TEXTS) {
            shape_done(member->shape, element);
        }
        free(element);
    }
    free(array);
}

void shape_done(const struct shape *shape, void *object)
{
    for (const struct member *member = shape->members; member < shape->members + shape->member_count; member++) {
        switch (member->type) {
        case MEMBER_TEXT:
            free(AT(object, member, char *));
            break;
        case MEMBER_BUF:
            buf_done(&AT(object, member, struct buf));
            break;
        case MEMBER_JSON:
            cJSON_Delete(AT(object, member, cJSON *));
            break;
        case MEMBER_STRUCTS:
            for (size_t i = 0; i < member->count; i++) {
                shape_done(member->shape, (char *)object + member->offset + i * member->shape->size);
            }
            break;
        case MEMBER_TEXTS:
        case MEMBER_ARRAY:
        case MEMBER_POINTERS:
        case MEMBER_SHARED:
            free_many(member, AT(object, member, char *), count_of(object, member));
            break;
        default:
            break;
        }
    }
}

static bool copy_text(char **to, const char *from)
{
    *to = from ? strdup(from) : NULL;
    return *to || !from;
}

static int copy_pointer(const struct member *member, void **to, void *from)
{
    if (member->type == MEMBER_SHARED) {
        ++*(size_t *)from;
        *to = from;
        return 0;
    }
    if (member->type == MEMBER_TEXTS) {
        return copy_text((char **)to, from) ? 0 : -ENOMEM;
    }
    *to = calloc(1, member->shape->size);
    return *to ? shape_copy(member->shape, *to, from) : -ENOMEM;
}

static int copy_many(const struct member *member, void *to, const void *from)
{
    size_t count = count_of(from, member);
    const char *source = CONST_AT(from, member, char *);
    size_t size = member->type == MEMBER_ARRAY ? member->shape->size : sizeof(void *);
    if (count == 0) {
        return 0;
    }
    char *array = calloc(room_for(count), size);
    if (!array) {
        return -ENOMEM;
    }
    AT(to, member, char *) = array;
    memcpy((char *)to + member->count_offset, &count, sizeof(count));
    for (size_t i = 0; i < count; i++) {
        int r = member->type == MEMBER_ARRAY ? shape_copy(member->shape, array + i * size, source + i * size)
                                             : copy_pointer(member, (void **)(void *)(array + i * size),
                                                            ((void *const *)(const void *)source)[i]);
        if (r < 0) {
            return r;
        }
    }
    return 0;
}

static int copy_structs(const struct member *member, void *to, const void *from)
{
    for (size_t i = 0; i < member->count; i++) {
        size_t offset = member->offset + i * member->shape->size;
        int r = shape_copy(member->shape, (char *)to + offset, (const char *)from + offset);
        if (r < 0) {
            return r;
        }
    }
    return 0;
}

static int copy_buf(struct buf *to, const struct buf *from)
{
    buf_init(to, from->max);
    return from->len ? buf_add(to, from->data, from->len) : 0;
}

static int copy_json(cJSON **to, const cJSON *from)
{
    *to = from ? cJSON_Duplicate(from, true) : NULL;
    return *to || !from ? 0 : -ENOMEM;
}

static int copy_member(const struct member *member, void *to, const void *from)
{
    switch (member->type) {
    case MEMBER_TEXT:
        return copy_text(&AT(to, member, char *), CONST_AT(from, member, char *)) ? 0 : -ENOMEM;
    case MEMBER_U64:
    case MEMBER_I64:
        AT(to, member, uint64_t) = CONST_AT(from, member, uint64_t);
        return 0;
    case MEMBER_UINT:
    case MEMBER_INT:
        AT(to, member, unsigned) = CONST_AT(from, member, unsigned);
        return 0;
    case MEMBER_BOOL:
        AT(to, member, bool) = CONST_AT(from, member, bool);
        return 0;
    case MEMBER_BUF:
        return copy_buf(&AT(to, member, struct buf), &CONST_AT(from, member, struct buf));
    case MEMBER_JSON:
        return copy_json(&AT(to, member, cJSON *), CONST_AT(from, member, cJSON *));
    case MEMBER_STRUCTS:
        return copy_structs(member, to, from);
    case MEMBER_TEXTS:
    case MEMBER_ARRAY:
    case MEMBER_POINTERS:
    case MEMBER_SHARED:
        return copy_many(member, to, from);
    }
    return 0;
}

int shape_copy(const struct shape *shape, void *to, const void *from)
{
    for (size_t i = 0; i < shape->member_count; i++) {
        int r = copy_member(&shape->members[i], to, from);
        if (r < 0) {
            return r;
        }
    }
    return 0;
}

static void add_json(struct buf *to, cJSON *item, bool owned)
{
    char *text = item ? cJSON_PrintUnformatted(item) : NULL;
    buf_add_text(to, text ? text : "null");
    cJSON_free(text);
    if (owned) {
        cJSON_Delete(item);
    }
}

static void format_many(const struct member *member, const char *array, size_t count, struct buf *to)
{
    buf_add_char(to, '[');
    for (size_t i = 0; i < count; i++) {
        buf_add_text(to, i ? "," : "");
        if (member->type == MEMBER_ARRAY || member->type == MEMBER_STRUCTS) {
            shape_format(member->shape, array + i * member->shape->size, to);
        } else if (member->type != MEMBER_TEXTS) {
            shape_format(member->shape, ((void *const *)(const void *)array)[i], to);
        } else {
            add_json(to, cJSON_CreateString(((char *const *)(const void *)array)[i]), true);
        }
    }
    buf_add_char(to, ']');
}

static void format_buf(const struct buf *buf, struct buf *to)
{
    buf_add_char(to, '"');
    for (size_t i = 0; i < buf->len; i++) {
        unsigned char c = (unsigned char)buf->data[i];
        buf_addf(to, c < 0x20 || c > 0x7e || c == '"' || c == '\\' ? "\\u%04x" : "%c", c);
    }
    buf_add_char(to, '"');
}

static void format_member(const struct member *member, const void *object, struct buf *to)
{
    const char *text;
    switch (member->type) {
    case MEMBER_TEXT:
        text = CONST_AT(object, member, char *);
        add_json(to, text ? cJSON_CreateString(text) : NULL, true);
        return;
    case MEMBER_U64:
        buf_addf(to, "%" PRIu64, CONST_AT(object, member, uint64_t));
        return;
    case MEMBER_I64:
        buf_addf(to, "%" PRId64, CONST_AT(object, member, int64_t));
        return;
    case MEMBER_UINT:
        buf_addf(to, "%u", CONST_AT(object, member, unsigned));
        return;
    case MEMBER_INT:
        buf_addf(to, "%d", CONST_AT(object, member, int));
        return;
    case MEMBER_BOOL:
        buf_add_text(to, CONST_AT(object, member, bool) ? "true" : "false");
        return;
    case MEMBER_BUF:
        format_buf(&CONST_AT(object, member, struct buf), to);
        return;
    case MEMBER_JSON:
        add_json(to, AT(object, member, cJSON *), false);
        return;
    case MEMBER_STRUCTS:
        format_many(member, (const char *)object + member->offset, member->count, to);
        return;
    case MEMBER_TEXTS:
    case MEMBER_ARRAY:
    case MEMBER_POINTERS:
    case MEMBER_SHARED:
        format_many(member, CONST_AT(object, member, char *), count_of(object, member), to);
        return;
    }
}

int shape_format(const struct shape *shape, const void *object, struct buf *to)
{
    buf_add_char(to, '{');
    for (size_t i = 0; i < shape->member_count; i++) {
        buf_addf(to, "%s\"%s\":", i ? "," : "", shape->members[i].name);
        format_member(&shape->members[i], object, to);
    }
    return buf_add_char(to, '}');
}
