/* Which ceiling holds when nobody named one (docs/policy.md, "Without -c"). */
#include "ceiling.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data_files_internal.h"

/* As many files as a glob of a ceiling may stand for. */
enum { GLOB_MAX = 256 };

static void add_item(const char *scope, size_t length, const char *tail, struct buf *to)
{
    struct buf path;
    buf_init(&path, to->max);
    buf_addf(&path, "./%.*s%s", (int)length, scope, tail);
    buf_add_text(to, ",file.read=");
    policy_add_scope(to, path.data ? path.data : ".");
    buf_done(&path);
}

/* One item per type, which matches in every folder below: file.read=./ and "*.csv". */
static void add_types(const struct data_files *files, struct buf *to)
{
    for (int type = 0; type < DATA_TYPES; type++) {
        for (size_t i = 0; i < files->count; i++) {
            if (files->list[i].type == type) {
                buf_addf(to, ",file.read=./*%s", data_type_suffix((size_t)type));
                break;
            }
        }
    }
}

/* One item per folder at the top that holds data, and one per data file that lies at the top itself. */
static void add_folders(const struct data_files *files, struct buf *to)
{
    const char *last = "";
    size_t last_length = 0;
    for (size_t i = 0; i < files->count; i++) {
        const char *path = files->list[i].path, *slash = strchr(path, '/');
        size_t length = slash ? (size_t)(slash - path) : strlen(path);
        if (length == last_length && memcmp(path, last, length) == 0) {
            continue;
        }
        add_item(path, length, slash ? "/*" : "", to);
        last = path;
        last_length = length;
    }
}

int ceiling_default(const struct case_info *kase, const char *folder, struct buf *ret_policy, struct buf *ret_source)
{
    struct data_files files = {0};
    if (kase && kase->ceiling) {
        buf_add_text(ret_policy, kase->ceiling);
        buf_add_text(ret_source, kase->ceiling_source ? kase->ceiling_source : "case.json");
    } else if (!folder) {
        buf_add_text(ret_policy, "sandbox");
        buf_add_text(ret_source, "default");
    } else {
        int result = data_files_find(folder, "", false, &files);
        if (result < 0) {
            return result;
        }
        buf_add_text(ret_policy, "stdout,time,random");
        if (files.count <= GLOB_MAX && !files.more) {
            add_types(&files, ret_policy);
        } else {
            add_folders(&files, ret_policy);
        }
        buf_add_text(ret_source, "data found in the folder");
    }
    data_files_done(&files);
    return ret_policy->failed ? ret_policy->failed : ret_source->failed;
}

static void add_to_items(cJSON *items, const char *id, const char *text)
{
    cJSON *item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "id", id);
    cJSON_AddStringToObject(item, "text", text);
    cJSON_AddItemToArray(items, item);
}

struct event *ceiling_event(const struct policy *ceiling, unsigned number, const char *source)
{
    char id[32];
    struct event *event = event_new(EVENT_CEILING);
    cJSON *items = cJSON_CreateArray();
    struct buf limits;
    buf_init(&limits, 4096);
    for (size_t i = 0; i < ceiling->count; i++) {
        snprintf(id, sizeof id, "c%u.%zu", number, i + 1);
        add_to_items(items, id, ceiling->items[i].text);
    }
    for (int i = 0; i < _LIMIT_MAX; i++) {
        if (ceiling->limits.given[i]) {
            buf_clear(&limits);
            buf_addf(&limits, "%s=", limit_name((enum limit)i));
            limit_format((enum limit)i, ceiling->limits.value[i], &limits);
            snprintf(id, sizeof id, "c%u.%s", number, limit_name((enum limit)i));
            add_to_items(items, id, limits.data);
        }
    }
    buf_done(&limits);
    snprintf(id, sizeof id, "c%u", number);
    event_set_text(event, "id", id);
    event_set_json(event, "items", items);
    event_set_text(event, "source", source);
    if (number > 1) {
        snprintf(id, sizeof id, "c%u", number - 1);
        event_set_text(event, "parent", id);
    }
    return event;
}
