/*
 * Any text as a scope and any as a path: what a name is resolved to is absolute and has no dots left, says the same
 * again, and a ceiling that grants one folder never covers anything outside it, however it is written.
 */
#include "../../sandbox/grant.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char root[] = "/case", home[] = "/home/user";

static void check_absolute(const char *path)
{
    assert(path[0] == '/');
    for (const char *at = path; (at = strchr(at, '/')); at++) {
        size_t len = strcspn(at + 1, "/");
        assert(len > 0 || at == path || at[1] == '\0'); /* no empty segment */
        assert(!(len == 1 && at[1] == '.') && !(len == 2 && at[1] == '.' && at[2] == '.'));
    }
}

static void check_scope(const char *text)
{
    struct buf first, second, shown;

    buf_init(&first, 1 << 16);
    buf_init(&second, 1 << 16);
    buf_init(&shown, 1 << 16);
    if (scope_absolute(text, root, home, &first) == 0 && first.data) {
        check_absolute(first.data);
        int r = scope_absolute(first.data, root, home, &second);
        assert(r == 0 && strcmp(first.data, second.data) == 0);
        r = scope_display(first.data, root, home, &shown);
        assert(r == 0 && shown.data);
    }
    buf_done(&first);
    buf_done(&second);
    buf_done(&shown);
}

static bool is_below(const char *path, const char *folder)
{
    size_t len = strlen(folder);
    return strncmp(path, folder, len) == 0 && (path[len] == '\0' || path[len] == '/');
}

static void check_ceiling(const char *text)
{
    static const enum permission permissions[] = {PERMISSION_FILE, PERMISSION_FILE_READ, PERMISSION_FILE_WRITE};
    struct policy ceiling;
    struct buf absolute;
    int r = policy_parse("file=./data", &ceiling, NULL);

    assert(r == 0);
    buf_init(&absolute, 1 << 16);
    for (size_t i = 0; i < sizeof permissions / sizeof *permissions && *text; i++) {
        buf_clear(&absolute);
        if (grant_covers(&ceiling, root, home, permissions[i], text)) {
            r = scope_absolute(text, root, home, &absolute);
            /* ./out is every run's own */
            assert(r == 0 && (is_below(absolute.data, "/case/data") || is_below(absolute.data, "/case/out")));
        }
    }
    buf_done(&absolute);
    policy_done(&ceiling);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);

    if (!text || size > 8192) {
        free(text);
        return 0;
    }
    memcpy(text, data, size);
    text[size] = '\0';
    check_scope(text);
    check_ceiling(text);
    char *path = strchr(text, '\n'); /* pattern and path */
    if (path) {
        *path++ = '\0';
        bool all = scope_matches("*", path);
        assert(all);
        (void)scope_matches(text, path);
    }
    free(text);
    return 0;
}
