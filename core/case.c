/* Loads a case: case.json and questions.json of a folder. */
#include "case_internal.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const double DEFAULT_TOLERANCE = 1e-9;

static bool has_case(const char *dir)
{
    char path[PATH_MAX];
    struct stat st;
    int written = snprintf(path, sizeof path, "%s/case.json", dir);
    return written > 0 && (size_t)written < sizeof path && stat(path, &st) == 0;
}

/* The case's folder, absolute and real. */
static int find_dir(const char *name_or_dir, char **ret_dir, struct err *err)
{
    if (!strchr(name_or_dir, '/')) {
        struct buf relative, path;
        buf_init(&relative, PATH_MAX);
        buf_init(&path, PATH_MAX);
        buf_addf(&relative, "cases/%s", name_or_dir);
        char *dir = NULL;
        if (*name_or_dir && !relative.failed && home_path(relative.data, &path) == 0 && has_case(path.data)) {
            dir = realpath(path.data, NULL);
        }
        buf_done(&relative);
        buf_done(&path);
        if (dir) {
            *ret_dir = dir;
            return 0;
        }
    }
    if (!has_case(name_or_dir)) {
        return err_set(err, -ENOENT, "%s: no case of this name, and no folder with a case.json", name_or_dir);
    }
    char *dir = realpath(name_or_dir, NULL);
    if (!dir) {
        return err_errno(err, -errno, "%s", name_or_dir);
    }
    *ret_dir = dir;
    return 0;
}

/* Where a key stands, as "case.json:7"; the key's first occurrence is it, since keys of a case are not nested. */
static char *source_of(const char *text, const char *quoted_key)
{
    const char *at = strstr(text, quoted_key);
    unsigned line = 1;
    for (const char *p = text; at && p < at; p++) {
        line += *p == '\n';
    }
    char *source = NULL;
    return asprintf(&source, "case.json:%u", line) < 0 ? NULL : source;
}

static int read_case(struct case_info *kase, struct err *err)
{
    struct buf text;
    cJSON *json;
    int rc = case_read_json(kase->dir, "case.json", &json, &text, err);
    if (rc < 0) {
        return rc;
    }
    struct case_reader reader = {json, "case.json", err};
    if (!cJSON_IsObject(json)) {
        rc = err_set(err, -EINVAL, "case.json: not an object");
    }
    if (rc == 0) {
        rc = case_take_text(&reader, "title", false, kase->id, &kase->title);
    }
    if (rc == 0) {
        rc = case_take_text(&reader, "ceiling", true, NULL, &kase->ceiling);
    }
    if (rc == 0) {
        rc = case_take_text(&reader, "preamble", false, NULL, &kase->preamble);
    }
    if (rc == 0) {
        kase->ceiling_source = source_of(text.data, "\"ceiling\"");
        rc = kase->ceiling_source ? 0 : err_errno(err, -ENOMEM, "case.json");
    }
    cJSON_Delete(json);
    buf_done(&text);
    return rc;
}

static int read_tolerance(const cJSON *json, const char *where, double *ret_tolerance, struct err *err)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, "tolerance");
    if (!item) {
        *ret_tolerance = DEFAULT_TOLERANCE;
        return 0;
    }
    if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble) || item->valuedouble < 0) {
        return err_set(err, -EINVAL, "%s: \"tolerance\" is not a number from 0", where);
    }
    *ret_tolerance = item->valuedouble;
    return 0;
}

/* Fills `question`, which the case owns already. */
static int read_question(const cJSON *json, size_t index, struct case_question *question, struct err *err)
{
    char where[64];
    snprintf(where, sizeof where, "questions.json: question %zu", index + 1);
    struct case_reader reader = {json, where, err};
    if (!cJSON_IsObject(json)) {
        return err_set(err, -EINVAL, "%s is not an object", where);
    }
    int rc = case_take_text(&reader, "id", true, NULL, &question->id);
    if (rc == 0) {
        rc = case_take_text(&reader, "text", true, NULL, &question->text);
    }
    if (rc == 0) {
        rc = case_take_text(&reader, "language", false, "en", &question->language);
    }
    if (rc == 0) {
        rc = case_take_json(&reader, "also", cJSON_Object, &question->also);
    }
    if (rc == 0) {
        rc = read_tolerance(json, where, &question->tolerance, err);
    }
    const cJSON *ordered = cJSON_GetObjectItemCaseSensitive(json, "ordered");
    if (rc == 0 && ordered && !cJSON_IsBool(ordered)) {
        rc = err_set(err, -EINVAL, "%s: \"ordered\" is neither true nor false", where);
    }
    if (rc < 0) {
        return rc;
    }
    question->ordered = cJSON_IsTrue(ordered);
    const cJSON *answer = cJSON_GetObjectItemCaseSensitive(json, "answer");
    if (answer) {
        question->answer = cJSON_Duplicate(answer, true);
        return question->answer ? 0 : err_errno(err, -ENOMEM, "%s", where);
    }
    return 0;
}

static int read_questions(struct case_info *kase, struct err *err)
{
    cJSON *json;
    int rc = case_read_json(kase->dir, "questions.json", &json, NULL, err);
    if (rc < 0) {
        return rc;
    }
    int count = cJSON_GetArraySize(json);
    if (!cJSON_IsArray(json) || count == 0) {
        cJSON_Delete(json);
        return err_set(err, -EINVAL, "questions.json: not a list of questions");
    }
    kase->questions = calloc((size_t)count, sizeof *kase->questions);
    if (!kase->questions) {
        cJSON_Delete(json);
        return err_errno(err, -ENOMEM, "questions.json");
    }
    const cJSON *item;
    cJSON_ArrayForEach(item, json)
    {
        struct case_question *question = &kase->questions[kase->question_count];
        rc = read_question(item, kase->question_count, question, err);
        if (rc == 0 && case_find(kase, question->id)) {
            rc = err_set(err, -EINVAL, "questions.json: two questions are called \"%s\"", question->id);
        }
        kase->question_count++; /* a half-read one is freed with the rest */
        if (rc < 0) {
            break;
        }
    }
    cJSON_Delete(json);
    return rc;
}

int case_load(const char *name_or_dir, struct case_info **ret_case, struct err *err)
{
    struct case_info *kase = calloc(1, sizeof *kase);
    if (!kase) {
        return err_errno(err, -ENOMEM, "%s", name_or_dir);
    }
    int rc = find_dir(name_or_dir, &kase->dir, err);
    if (rc == 0) {
        kase->id = strdup(strrchr(kase->dir, '/') + 1);
        rc = kase->id ? read_case(kase, err) : err_errno(err, -ENOMEM, "%s", name_or_dir);
    }
    if (rc == 0) {
        rc = read_questions(kase, err);
    }
    if (rc < 0) {
        case_free(kase);
        return rc;
    }
    *ret_case = kase;
    return 0;
}

void case_free(struct case_info *kase)
{
    if (!kase) {
        return;
    }
    for (size_t i = 0; i < kase->question_count; i++) {
        struct case_question *question = &kase->questions[i];
        free(question->id);
        free(question->text);
        free(question->language);
        cJSON_Delete(question->answer);
        cJSON_Delete(question->also);
    }
    free(kase->questions);
    free(kase->dir);
    free(kase->id);
    free(kase->title);
    free(kase->ceiling);
    free(kase->ceiling_source);
    free(kase->preamble);
    free(kase);
}

const struct case_question *case_find(const struct case_info *kase, const char *id)
{
    for (size_t i = 0; i < kase->question_count; i++) {
        if (strcmp(kase->questions[i].id, id) == 0) {
            return &kase->questions[i];
        }
    }
    return NULL;
}
