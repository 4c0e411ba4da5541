/* Reading the JSON files of cases and escapes: texts, lists and numbers, with errors that name file and key. */
#ifndef TECHO_CORE_CASE_INTERNAL_H
#define TECHO_CORE_CASE_INTERNAL_H

#include "case.h"

/* A regular file of at most `max` bytes; `dir`/`name`. */
int case_read_file(const char *dir, const char *name, size_t max, struct buf *to, struct err *err) MUST_USE;
/* The same, parsed; the text is left in `ret_text` when that is not NULL (initialised by the caller). */
int case_read_json(const char *dir, const char *name, cJSON **ret_json, struct buf *ret_text, struct err *err) MUST_USE;

struct case_reader {
    const cJSON *json;
    const char *where; /* "analytics/case.json", for messages */
    struct err *err;
};
/* A copy of the text at `key`. Missing or null: -EINVAL when `required`, else `fallback`'s copy (NULL: NULL). */
int case_take_text(const struct case_reader *reader, const char *key, bool required, const char *fallback,
                   char **ret_text) MUST_USE;
/* A copy of the object or list (`type`: cJSON_Object, cJSON_Array) at `key`; NULL when missing. */
int case_take_json(const struct case_reader *reader, const char *key, int type, cJSON **ret_json) MUST_USE;

#endif
