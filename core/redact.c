/* Takes registered secrets out of events before anything keeps or shows them. */
#include "redact_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "shape_internal.h"
#include "text_internal.h"

int secrets_add(struct secrets *secrets, const char *text)
{
    char *copy = strdup(text);
    char **place = copy ? array_grow(&secrets->texts, secrets->count, sizeof(*place)) : NULL;
    if (!place) {
        free(copy);
        return -ENOMEM;
    }
    *place = copy;
    secrets->count++;
    return 0;
}

void secrets_done(struct secrets *secrets)
{
    for (size_t i = 0; i < secrets->count; i++) {
        explicit_bzero(secrets->texts[i], strlen(secrets->texts[i]));
        free(secrets->texts[i]);
    }
    free(secrets->texts);
    *secrets = (struct secrets){0};
}

/* The first secret in the bytes; NULL. */
static const char *find(const struct secrets *secrets, const char *bytes, size_t len, size_t *ret_len)
{
    const char *first = NULL;
    for (size_t i = 0; i < secrets->count; i++) {
        size_t length = strlen(secrets->texts[i]);
        const char *at = memmem(bytes, len, secrets->texts[i], length);
        if (at && (!first || at < first || (at == first && length > *ret_len))) {
            first = at;
            *ret_len = length;
        }
    }
    return first;
}

/* Adds the bytes without secrets. */
static void add_redacted(const struct secrets *secrets, const char *bytes, size_t len, struct buf *to)
{
    size_t length = 0;
    const char *end = bytes + len, *at;
    while ((at = find(secrets, bytes, (size_t)(end - bytes), &length))) {
        buf_add(to, bytes, (size_t)(at - bytes));
        buf_add_text(to, REDACTED);
        bytes = at + length;
    }
    buf_add(to, bytes, (size_t)(end - bytes));
}

static bool holds_secret(const struct secrets *secrets, const char *bytes, size_t len)
{
    size_t length = 0;
    return find(secrets, bytes, len, &length);
}

static int redact_string(const struct secrets *secrets, char **text)
{
    if (!*text || !holds_secret(secrets, *text, strlen(*text))) {
        return 0;
    }
    struct buf clean;
    buf_init(&clean, SIZE_MAX / 2);
    add_redacted(secrets, *text, strlen(*text), &clean);
    char *copy = clean.failed ? NULL : cJSON_malloc(clean.len + 1);
    if (copy) {
        memcpy(copy, clean.data, clean.len + 1);
        cJSON_free(*text);
        *text = copy;
    }
    buf_done(&clean);
    return copy ? 0 : -ENOMEM;
}

/* {"base64": ...}: what is inside may hold a secret too. */
static int redact_encoded(const struct secrets *secrets, cJSON *encoded)
{
    struct buf bytes, clean, text;
    buf_init(&bytes, SIZE_MAX / 2);
    buf_init(&clean, SIZE_MAX / 2);
    buf_init(&text, SIZE_MAX / 2);
    int r = 0;
    if (base64_decode(&bytes, encoded->valuestring, strlen(encoded->valuestring)) == 0 &&
        holds_secret(secrets, bytes.data, bytes.len)) {
        add_redacted(secrets, bytes.data, bytes.len, &clean);
        base64_encode(&text, clean.data, clean.len);
        bool done = !clean.failed && !text.failed && cJSON_SetValuestring(encoded, text.data ? text.data : "");
        r = done ? 0 : -ENOMEM;
    }
    buf_done(&bytes);
    buf_done(&clean);
    buf_done(&text);
    return r;
}

static int redact_all(const struct secrets *secrets, cJSON *item)
{
    for (; item; item = item->next) {
        bool encoded = item->string && item->valuestring && strcmp(item->string, "base64") == 0;
        int r = encoded ? redact_encoded(secrets, item) : redact_string(secrets, &item->valuestring);
        if (r == 0 && item->string && !(item->type & cJSON_StringIsConst)) {
            r = redact_string(secrets, &item->string);
        }
        if (r == 0) {
            r = redact_all(secrets, item->child);
        }
        if (r < 0) {
            return r;
        }
    }
    return 0;
}

int secrets_redact(const struct secrets *secrets, struct event *event)
{
    return secrets->count ? redact_all(secrets, event->body->child) : 0;
}
