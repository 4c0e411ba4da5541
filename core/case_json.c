/* Reads the JSON files of cases and escapes, with errors that name file and key. */
#include "case_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { JSON_FILE_MAX = 16 << 20 };

static int read_all(int fd, struct buf *to)
{
    char chunk[65536];
    for (;;) {
        ssize_t got = read(fd, chunk, sizeof chunk);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return got < 0 ? -errno : 0;
        }
        int rc = buf_add(to, chunk, (size_t)got);
        if (rc < 0) {
            return rc;
        }
    }
}

int case_read_file(const char *dir, const char *name, size_t max, struct buf *to, struct err *err)
{
    char path[PATH_MAX];
    int written = snprintf(path, sizeof path, "%s/%s", dir, name);
    if (written < 0 || (size_t)written >= sizeof path) {
        return err_set(err, -ENAMETOOLONG, "%s: the path is too long", name);
    }
    /* O_NONBLOCK: a pipe of that name must not hold us up before it is seen to be one */
    CLEANUP(close_descriptor) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        return err_errno(err, -errno, "%s", path);
    }
    struct stat st;
    if (fstat(fd, &st) < 0) {
        return err_errno(err, -errno, "%s", path);
    }
    if (!S_ISREG(st.st_mode)) {
        return err_set(err, -EINVAL, "%s: not a regular file", path);
    }
    if ((uint64_t)st.st_size > max) {
        return err_set(err, -EFBIG, "%s: larger than %zu MiB", path, max >> 20);
    }
    int rc = read_all(fd, to);
    return rc < 0 ? err_errno(err, rc, "%s", path) : 0;
}

static unsigned line_of(const char *text, const char *at)
{
    unsigned line = 1;
    for (const char *p = text; p < at; p++) {
        line += *p == '\n';
    }
    return line;
}

int case_read_json(const char *dir, const char *name, cJSON **ret_json, struct buf *ret_text, struct err *err)
{
    struct buf text;
    buf_init(&text, JSON_FILE_MAX + 1);
    int rc = case_read_file(dir, name, JSON_FILE_MAX, &text, err);
    if (rc < 0) {
        buf_done(&text);
        return rc;
    }
    const char *end = NULL;
    cJSON *json = text.data ? cJSON_ParseWithLengthOpts(text.data, text.len + 1, &end, true) : NULL;
    if (!json) {
        unsigned line = text.data && end ? line_of(text.data, end) : 1;
        buf_done(&text);
        return err_set(err, -EINVAL, "%s/%s:%u: not JSON", dir, name, line);
    }
    if (ret_text) {
        *ret_text = text;
    } else {
        buf_done(&text);
    }
    *ret_json = json;
    return 0;
}

int case_take_text(const struct case_reader *reader, const char *key, bool required, const char *fallback,
                   char **ret_text)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(reader->json, key);
    if (item && !cJSON_IsString(item) && !cJSON_IsNull(item)) {
        return err_set(reader->err, -EINVAL, "%s: \"%s\" is not a text", reader->where, key);
    }
    const char *text = cJSON_IsString(item) ? item->valuestring : fallback;
    if (required && (!text || !*text)) {
        return err_set(reader->err, -EINVAL, "%s: \"%s\" is missing", reader->where, key);
    }
    char *copy = text ? strdup(text) : NULL;
    if (text && !copy) {
        return err_errno(reader->err, -ENOMEM, "%s", reader->where);
    }
    *ret_text = copy;
    return 0;
}

int case_take_json(const struct case_reader *reader, const char *key, int type, cJSON **ret_json)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(reader->json, key);
    if (!item || cJSON_IsNull(item)) {
        *ret_json = NULL;
        return 0;
    }
    if ((item->type & 0xff) != type) {
        return err_set(reader->err, -EINVAL, "%s: \"%s\" is not %s", reader->where, key,
                       type == cJSON_Object ? "an object" : "a list");
    }
    cJSON *copy = cJSON_Duplicate(item, true);
    if (!copy) {
        return err_errno(reader->err, -ENOMEM, "%s", reader->where);
    }
    *ret_json = copy;
    return 0;
}
