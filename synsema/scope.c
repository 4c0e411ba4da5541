/* Scopes (§10.3): paths are made comparable without looking at the disk, hosts lose what is not host or port, globs. */
#include "capability_internal.h"

#include <ctype.h>
#include <stdlib.h>

bool glob_matches(const char *pattern, const char *text)
{
    const char *star = NULL, *back = NULL;
    while (*text) {
        if (*pattern == '*') {
            star = pattern++;
            back = text;
            continue;
        }
        size_t position = 0;
        if (*pattern == '?') {
            utf8_next(text, &position);
            pattern++;
            text += position;
            continue;
        }
        if (*pattern == *text) {
            pattern++;
            text++;
            continue;
        }
        if (!star) {
            return false;
        }
        pattern = star + 1;
        text = ++back;
    }
    while (*pattern == '*') {
        pattern++;
    }
    return *pattern == '\0';
}

/* Adds one segment of a path: drops "." and empty ones, lets ".." take the one before it. */
static void add_segment(struct buffer *path, const char *segment, size_t length, bool absolute)
{
    if (length == 0 || (length == 1 && segment[0] == '.')) {
        return;
    }
    size_t root = absolute ? 1 : 0;
    if (length == 2 && memcmp(segment, "..", 2) == 0) {
        size_t last = path->length;
        while (last > root && path->data[last - 1] != '/') {
            last--;
        }
        bool up = path->length - last == 2 && memcmp(path->data + last, "..", 2) == 0;
        if (path->length > root && !up) {
            path->length = last > root ? last - 1 : root;
            return;
        }
        if (absolute) {
            return;
        }
    }
    if (path->length > root) {
        buffer_char(path, '/');
    }
    buffer_put(path, segment, length);
}

char *path_normalize(struct vm *vm, const char *given)
{
    struct buffer whole, path;
    buffer_init(&whole, vm);
    buffer_init(&path, vm);
    const char *home = getenv("HOME");
    home = home ? home : getenv("USERPROFILE");
    if (given[0] == '~' && (given[1] == '\0' || given[1] == '/') && home) {
        buffer_puts(&whole, home);
        given++;
    }
    for (; *given; given++) {
        buffer_char(&whole, *given == '\\' ? '/' : *given);
    }
    buffer_char(&whole, '\0');
    char *copy = NULL;
    if (!whole.failed) {
        bool absolute = whole.data[0] == '/';
        if (absolute) {
            buffer_char(&path, '/');
        }
        for (const char *p = whole.data; *p;) {
            size_t n = strcspn(p, "/");
            add_segment(&path, p, n, absolute);
            p += n;
            p += *p == '/';
        }
        if (path.length == 0) {
            buffer_char(&path, '.');
        }
        copy = path.failed ? NULL : memory_strdup(vm, path.data, path.length);
    }
    buffer_done(&whole);
    buffer_done(&path);
    return copy;
}

/* host or host:port of a host or URL, in lower case */
static char *host_normalize(struct vm *vm, const char *given)
{
    const char *scheme = strstr(given, "://");
    const char *start = scheme ? scheme + 3 : given;
    size_t n = strcspn(start, "/?#");
    for (size_t i = 0; i < n; i++) {
        if (start[i] == '@') {
            start += i + 1;
            n -= i + 1;
            i = 0;
        }
    }
    char *host = memory_strdup(vm, start, n);
    for (size_t i = 0; host && i < n; i++) {
        host[i] = (char)tolower((unsigned char)host[i]);
    }
    return host;
}

/* scheme://host/segment in lower case, without credentials, port and query */
static char *database_normalize(struct vm *vm, const char *given)
{
    struct buffer url;
    buffer_init(&url, vm);
    const char *rest = strstr(given, "://") + 3;
    buffer_put(&url, given, (size_t)(rest - given));
    size_t n = strcspn(rest, "/?#");
    const char *at = memrchr(rest, '@', n);
    const char *host = at ? at + 1 : rest;
    buffer_put(&url, host, strcspn(host, ":/?#"));
    rest += n;
    if (*rest == '/') {
        buffer_put(&url, rest, 1 + strcspn(rest + 1, "/?#"));
    }
    char *copy = url.failed ? NULL : memory_strdup(vm, url.data, url.length);
    buffer_done(&url);
    for (char *p = copy; p && *p; p++) {
        *p = (char)tolower((unsigned char)*p);
    }
    return copy;
}

int scope_normalize(struct vm *vm, enum capability capability, const char *scope, char **ret)
{
    switch (capability) {
    case CAPABILITY_FILE:
    case CAPABILITY_FILE_READ:
    case CAPABILITY_FILE_WRITE:
        *ret = path_normalize(vm, scope);
        break;
    case CAPABILITY_DB:
        *ret = strstr(scope, "://") ? database_normalize(vm, scope) : path_normalize(vm, scope);
        break;
    case CAPABILITY_NET:
        *ret = host_normalize(vm, scope);
        break;
    default:
        *ret = memory_strdup(vm, scope, strlen(scope));
    }
    return *ret ? 0 : -1;
}

static bool host_covers(const char *grant, const char *wanted)
{
    const char *grant_port = strrchr(grant, ':'), *port = strrchr(wanted, ':');
    size_t n = grant_port ? (size_t)(grant_port - grant) : strlen(grant);
    size_t m = port ? (size_t)(port - wanted) : strlen(wanted);
    if (grant_port && (!port || strcmp(grant_port, port) != 0)) {
        return false;
    }
    char pattern[256], host[256];
    if (n >= sizeof(pattern) || m >= sizeof(host)) {
        return false;
    }
    memcpy(pattern, grant, n);
    pattern[n] = '\0';
    memcpy(host, wanted, m);
    host[m] = '\0';
    return glob_matches(pattern, host);
}

bool grant_covers(struct vm *vm, const struct grant *grant, enum capability capability, const char *scope)
{
    (void)vm;
    bool file = grant->capability == CAPABILITY_FILE &&
                (capability == CAPABILITY_FILE_READ || capability == CAPABILITY_FILE_WRITE);
    if (grant->capability != capability && !file) {
        return false;
    }
    if (!grant->scope) {
        return true;
    }
    if (!scope) {
        return false;
    }
    return capability == CAPABILITY_NET ? host_covers(grant->scope, scope)
                                        : strcmp(grant->scope, scope) == 0 || glob_matches(grant->scope, scope);
}
