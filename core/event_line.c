/* Events as lines of a file: one JSON object each, checked against the table when read. */
#include "event.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "event_internal.h"
#include "sanitize.h"
#include "text_internal.h"

static void add_number(struct buf *to, const char *name, uint64_t value)
{
    if (value) {
        buf_addf(to, ",\"%s\":%" PRIu64, name, value);
    }
}

int event_format(const struct event *event, struct buf *to)
{
    char *body = cJSON_PrintUnformatted(event->body);
    if (!body) {
        return to->failed = to->failed ? to->failed : -ENOMEM;
    }
    buf_addf(to, "{\"seq\":%" PRIu64 ",\"t\":%" PRId64 ",\"kind\":\"%s\"", event->seq, event->t,
             event_kind_name(event->kind));
    add_number(to, "question", event->question);
    add_number(to, "lane", event->lane);
    add_number(to, "attempt", event->attempt);
    add_number(to, "cause", event->cause);
    if (body[1] != '}') {
        buf_add_char(to, ',');
    }
    buf_add_text(to, body + 1);
    cJSON_free(body);
    return to->failed;
}

/* JSON can name the character NUL, our texts cannot hold it; the writer never does (bytes go as base64). */
static bool names_nul(const char *line, size_t len)
{
    for (size_t at = 0; at + 1 < len; at++) {
        if (line[at] == '\\') {
            if (len - at >= 6 && memcmp(line + at, "\\u0000", 6) == 0) {
                return true;
            }
            at++;
        }
    }
    return false;
}

/* A whole number of 0 or more, as JSON carries it exactly. */
static bool is_count(const cJSON *item)
{
    return cJSON_IsNumber(item) && item->valuedouble >= 0 && item->valuedouble <= 0x1p53 &&
           item->valuedouble == floor(item->valuedouble);
}

/* Takes the header's member out of `root`. An absent one is 0 unless required. */
static int take_count(cJSON *root, const char *name, bool required, uint64_t *ret_value, struct err *err)
{
    cJSON *item = cJSON_DetachItemFromObjectCaseSensitive(root, name);
    bool good = item ? is_count(item) : !required;
    *ret_value = item && good ? (uint64_t)item->valuedouble : 0;
    cJSON_Delete(item);
    if (!good) {
        return err_set(err, -EINVAL, "%s is %s", name, item ? "no whole number" : "missing");
    }
    if (cJSON_GetObjectItemCaseSensitive(root, name)) {
        return err_set(err, -EINVAL, "%s is given twice", name);
    }
    return 0;
}

static int take_kind(cJSON *root, enum event_kind *ret_kind, struct err *err)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(root, "kind");
    if (!cJSON_IsString(item)) {
        return err_set(err, -EINVAL, "kind is missing");
    }
    int kind = event_kind_find(item->valuestring);
    if (kind < 0) {
        struct buf name;
        buf_init(&name, 200);
        sanitize_text(untrusted_text(item->valuestring), 0, &name);
        err_set(err, -EINVAL, "there is no kind \"%s\"", name.data ? name.data : "");
        buf_done(&name);
        return -EINVAL;
    }
    *ret_kind = (enum event_kind)kind;
    cJSON_DeleteItemFromObjectCaseSensitive(root, "kind");
    return cJSON_GetObjectItemCaseSensitive(root, "kind") ? err_set(err, -EINVAL, "kind is given twice") : 0;
}

static int take_header(struct event *event, cJSON *root, struct err *err)
{
    uint64_t t = 0;
    const struct {
        const char *name;
        bool required;
        uint64_t *value;
    } counts[] = {{"seq", true, &event->seq},
                  {"t", true, &t},
                  {"question", false, &event->question},
                  {"lane", false, &event->lane},
                  {"attempt", false, &event->attempt},
                  {"cause", false, &event->cause}};
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        int r = take_count(root, counts[i].name, counts[i].required, counts[i].value, err);
        if (r < 0) {
            return r;
        }
    }
    event->t = (int64_t)t;
    return take_kind(root, &event->kind, err);
}

static int check_fields(const struct event *event, struct err *err)
{
    for (const struct event_field *field = event_fields(event->kind); field->name; field++) {
        const cJSON *item = event_json(event, field->name);
        if (!item && field->required) {
            return err_set(err, -EINVAL, "%s of %s is missing", field->name, event_kind_name(event->kind));
        }
        if (item && !field_holds(field->type, item)) {
            return err_set(err, -EINVAL, "%s of %s must be: %s", field->name, event_kind_name(event->kind),
                           field_type_name(field->type));
        }
    }
    return 0;
}

static int parse_object(const char *line, size_t len, cJSON **ret_root, struct err *err)
{
    if (memchr(line, 0, len) || !text_is_utf8(line, len)) {
        return err_set(err, -EINVAL, "it is not UTF-8 text");
    }
    if (names_nul(line, len)) {
        return err_set(err, -EINVAL, "a text holds the character NUL");
    }
    const char *end = NULL;
    errno = 0;
    cJSON *root = cJSON_ParseWithLengthOpts(line, len, &end, false);
    if (!root && errno == ENOMEM) {
        return err_errno(err, -ENOMEM, "an event");
    }
    bool whole = root && cJSON_IsObject(root);
    for (; whole && end < line + len; end++) {
        whole = strchr(" \t\r\n", *end);
    }
    if (!whole) {
        cJSON_Delete(root);
        return err_set(err, -EINVAL, "it is not one JSON object");
    }
    *ret_root = root;
    return 0;
}

int event_parse(const char *line, size_t len, struct event **ret_event, struct err *err)
{
    struct event *event = event_new(EVENT_NOTE);
    if (!event) {
        return err_errno(err, -ENOMEM, "an event");
    }
    cJSON *root = NULL;
    int r = parse_object(line, len, &root, err);
    if (r == 0) {
        cJSON_Delete(event->body);
        event->body = root;
        r = take_header(event, root, err);
    }
    if (r == 0 && event->seq == 0) {
        r = err_set(err, -EINVAL, "seq is 0");
    }
    if (r == 0) {
        r = check_fields(event, err);
    }
    if (r < 0) {
        event_free(event);
        return r;
    }
    *ret_event = event;
    return 0;
}
