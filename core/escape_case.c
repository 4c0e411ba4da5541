/* Loads the shipped escapes: cases/escapes/ID/escape.json. */
#include "case_internal.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_escape(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && !strchr(entry->d_name, '.'); /* README.md is none */
}

static int read_escape(struct escape_info *escape, struct err *err)
{
    cJSON *json;
    int rc = case_read_json(escape->dir, "escape.json", &json, NULL, err);
    if (rc < 0) {
        return rc;
    }
    char where[NAME_MAX + 32];
    snprintf(where, sizeof where, "%.*s/escape.json", NAME_MAX, escape->id);
    struct case_reader reader = {json, where, err};
    rc = case_take_text(&reader, "title", true, NULL, &escape->title);
    if (rc == 0) {
        rc = case_take_text(&reader, "story", true, NULL, &escape->story);
    }
    if (rc == 0) {
        rc = case_take_text(&reader, "ceiling", false, NULL, &escape->ceiling);
    }
    if (rc == 0) {
        rc = case_take_json(&reader, "programs", cJSON_Object, &escape->programs);
    }
    if (rc == 0) {
        rc = case_take_json(&reader, "controls", cJSON_Object, &escape->controls);
    }
    if (rc == 0) {
        rc = case_take_json(&reader, "expected", cJSON_Object, &escape->expected);
    }
    if (rc == 0) {
        rc = case_take_json(&reader, "effects", cJSON_Array, &escape->effects);
    }
    if (rc == 0 && !(escape->programs && escape->expected && escape->effects)) {
        rc = err_set(err, -EINVAL, "%s: \"programs\", \"expected\" or \"effects\" is missing", where);
    }
    cJSON_Delete(json);
    return rc;
}

static int load_one(const char *parent, const char *id, struct escape_info *escape, struct err *err)
{
    escape->id = strdup(id);
    if (!escape->id || asprintf(&escape->dir, "%s/%s", parent, id) < 0) {
        escape->dir = NULL;
        return err_errno(err, -ENOMEM, "%s", id);
    }
    return read_escape(escape, err);
}

static void free_names(struct dirent **names, int count)
{
    for (int i = 0; i < count; i++) {
        free(names[i]);
    }
    free(names);
}

int escapes_load(struct escape_info **ret_escapes, size_t *ret_count, struct err *err)
{
    struct buf parent;
    buf_init(&parent, PATH_MAX);
    struct dirent **names = NULL;
    int rc = home_path("cases/escapes", &parent);
    int count = rc == 0 ? scandir(parent.data, &names, is_escape, alphasort) : -1;
    if (count < 0) {
        rc = err_errno(err, rc < 0 ? rc : -errno, "the folder cases/escapes");
        buf_done(&parent);
        return rc;
    }
    struct escape_info *escapes = calloc((size_t)count + 1, sizeof *escapes);
    rc = escapes ? 0 : err_errno(err, -ENOMEM, "cases/escapes");
    for (int i = 0; rc == 0 && i < count; i++) {
        rc = load_one(parent.data, names[i]->d_name, &escapes[i], err);
    }
    free_names(names, count);
    buf_done(&parent);
    if (rc < 0) {
        escapes_free(escapes, (size_t)count);
        return rc;
    }
    *ret_escapes = escapes;
    *ret_count = (size_t)count;
    return 0;
}

void escapes_free(struct escape_info *escapes, size_t count)
{
    for (size_t i = 0; escapes && i < count; i++) {
        free(escapes[i].dir);
        free(escapes[i].id);
        free(escapes[i].title);
        free(escapes[i].story);
        free(escapes[i].ceiling);
        cJSON_Delete(escapes[i].programs);
        cJSON_Delete(escapes[i].controls);
        cJSON_Delete(escapes[i].expected);
        cJSON_Delete(escapes[i].effects);
    }
    free(escapes);
}
