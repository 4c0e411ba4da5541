/*
 * What a scope names, and whether one holds another. Lexical, but for one
 * question to the file system: is this path a folder?
 */
#include "grant.h"
#include "policy_internal.h"
#include "scope_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- paths ------------------------------------------------------------------------------------------------------- */

/* Appends the segments of `path` to the absolute path that starts at to->data[base]. */
static void add_segments(const char *path, size_t base, struct buf *to)
{
    while (*path && !to->failed) {
        path += strspn(path, "/");
        size_t len = strcspn(path, "/");
        if (len == 2 && path[0] == '.' && path[1] == '.') {
            while (to->len > base && to->data[--to->len] != '/') {
            }
            if (to->data) {
                to->data[to->len] = '\0';
            }
        } else if (len > 0 && !(len == 1 && path[0] == '.')) {
            buf_add_char(to, '/');
            buf_add(to, path, len);
        }
        path += len;
    }
}

int scope_absolute(const char *scope, const char *root, const char *home, struct buf *to)
{
    size_t base = to->len;
    if (scope[0] == '~' && (scope[1] == '\0' || scope[1] == '/')) {
        if (!home) {
            return -EINVAL;
        }
        add_segments(home, base, to);
        scope++;
    } else if (scope[0] != '/') {
        add_segments(root, base, to);
    }
    add_segments(scope, base, to);
    if (to->len == base) {
        buf_add_char(to, '/');
    }
    return to->failed;
}

/* The part of `path` below `folder`: "" for the folder itself, NULL when it lies elsewhere. */
static const char *below(const char *path, const char *folder)
{
    size_t len = folder ? strlen(folder) : 0;
    while (len > 0 && folder[len - 1] == '/') {
        len--;
    }
    if (!folder || strncmp(path, folder, len) != 0) {
        return NULL;
    }
    return path[len] == '/' ? path + len + 1 : path[len] == '\0' ? path + len : NULL;
}

int scope_display(const char *path, const char *root, const char *home, struct buf *to)
{
    const char *rest = strcmp(root, "/") == 0 ? NULL : below(path, root);
    if (rest) {
        return buf_addf(to, "%s%s", *rest ? "./" : ".", rest);
    }
    rest = below(path, home);
    if (rest) {
        return buf_addf(to, "%s%s", *rest ? "~/" : "~", rest);
    }
    return buf_add_text(to, path);
}

/* One character: `?` takes a whole one of UTF-8. */
static const char *next_character(const char *text)
{
    text++;
    while (((unsigned char)*text & 0xc0) == 0x80) {
        text++;
    }
    return text;
}

/* With `within`, `text` is a pattern too, and must name nothing that `pattern` does not: its `*` is more than one `?`.
 */
static bool match(const char *pattern, const char *text, bool within)
{
    const char *star = NULL, *retry = NULL;
    while (*text) {
        if (*pattern == '*') {
            star = ++pattern;
            retry = text;
        } else if (*pattern == '?' && !(within && *text == '*')) {
            pattern++;
            text = next_character(text);
        } else if (*pattern == *text && *pattern != '?') {
            pattern++;
            text++;
        } else if (star) {
            pattern = star;
            text = ++retry;
        } else {
            return false;
        }
    }
    while (*pattern == '*') {
        pattern++;
    }
    return *pattern == '\0';
}

bool scope_matches(const char *pattern, const char *path)
{
    return match(pattern, path, false);
}

static bool names_folder(const char *path)
{
    struct stat st;
    return !strpbrk(path, "*?") && stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* "./data/" is a folder even before it is there */
static bool ends_in_slash(const char *text)
{
    size_t len = strlen(text);
    return len > 1 && text[len - 1] == '/' && !strpbrk(text, "*?");
}

static bool covers_path(const struct scope *grant, const struct scope *request)
{
    if (grant->folder) {
        const char *rest = below(request->text, grant->text);
        return rest && (*rest || request->folder);
    }
    if (!request->folder) {
        return match(grant->text, request->text, true);
    }
    /* the folder and all below, which is what D/ and a star name too */
    struct buf all;
    buf_init(&all, SCOPE_MAX);
    buf_addf(&all, "%s/*", strcmp(request->text, "/") == 0 ? "" : request->text);
    bool covered = !all.failed && match(grant->text, all.data, true);
    buf_done(&all);
    return covered;
}

/* ---- hosts and commands ------------------------------------------------------------------------------------------ */

static bool covers_host(const struct scope *grant, const struct scope *request)
{
    if (grant->port && (!request->port || strcmp(grant->port, request->port) != 0)) {
        return false;
    }
    /* an address is granted by itself only, never by a pattern for names */
    return request->address ? strcmp(grant->text, request->text) == 0 : match(grant->text, request->text, true);
}

/* "/usr/bin/ls" is what the plain name "ls" runs; NULL for a path that no plain name stands for. */
static const char *plain_command(const char *path)
{
    static const char *const folders[] = {"/usr/bin", "/bin", "/usr/sbin", "/sbin", "/usr/local/bin"};
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        const char *rest = below(path, folders[i]);
        if (rest && *rest && !strchr(rest, '/')) {
            return rest;
        }
    }
    return NULL;
}

static bool covers_command(const struct scope *grant, const struct scope *request)
{
    const char *command = request->text;
    if (request->path && !grant->path) {
        command = plain_command(request->text);
    } else if (request->path != grant->path) {
        return false;
    }
    return command && match(grant->text, command, true);
}

/* ---- scopes ------------------------------------------------------------------------------------------------------ */

int scope_read(enum permission permission, const char *name, const char *text, const char *root, const char *home,
               struct scope *ret_scope, struct err *err)
{
    struct scope scope = {.permission = permission, .name = name ? name : permission_name(permission)};
    int r = 0;
    if (permission == PERMISSION_NET) {
        r = scope_read_host(text ? text : "*", &scope); /* without a scope: every name */
    } else if (text) {
        struct buf own;
        buf_init(&own, SCOPE_MAX);
        scope.path = scope_is_file(permission) || (permission == PERMISSION_EXEC && strchr(text, '/'));
        r = scope.path ? scope_absolute(text, root, home, &own) : buf_add_text(&own, text);
        if (r == 0) {
            scope.text = buf_steal(&own);
            scope.folder = scope_is_file(permission) && (ends_in_slash(text) || names_folder(scope.text));
        }
        buf_done(&own);
    }
    if (r < 0) {
        scope_done(&scope);
        return r == -EINVAL ? err_set(err, r, "%s=%s: there is no home folder that ~ could mean", scope.name, text)
                            : err_errno(err, r, "a scope cannot be read");
    }
    *ret_scope = scope;
    return 0;
}

void scope_done(struct scope *scope)
{
    free(scope->text);
    free(scope->port);
    scope->text = scope->port = NULL;
}

bool scope_covers(const struct scope *grant, const struct scope *request)
{
    bool same = grant->permission == request->permission && strcmp(grant->name, request->name) == 0;
    if (!same && !(grant->permission == PERMISSION_FILE && scope_is_file(request->permission))) {
        return false;
    }
    if (!grant->text || !request->text) {
        return !grant->text;
    }
    if (scope_is_file(request->permission)) {
        return covers_path(grant, request);
    }
    switch (request->permission) {
    case PERMISSION_NET:
        return covers_host(grant, request);
    case PERMISSION_EXEC:
        return covers_command(grant, request);
    default:
        return match(grant->text, request->text, true);
    }
}

size_t scope_likeness(const struct scope *a, const struct scope *b)
{
    enum { SAME_PERMISSION = 1 << 24, KIN = 1 << 23 };
    size_t likeness = 1;
    if (a->permission == b->permission && strcmp(a->name, b->name) == 0) {
        likeness += SAME_PERMISSION;
    } else if (scope_is_file(a->permission) && scope_is_file(b->permission)) {
        likeness += KIN;
    } else {
        return 0;
    }
    if (!a->text || !b->text) {
        return likeness;
    }
    size_t a_len = strlen(a->text), b_len = strlen(b->text), same = 0;
    bool backwards = a->permission == PERMISSION_NET; /* names of hosts are alike at their end */
    while (same < a_len && same < b_len &&
           (backwards ? a->text[a_len - 1 - same] == b->text[b_len - 1 - same] : a->text[same] == b->text[same])) {
        same++;
    }
    return likeness + same;
}

bool scope_is_out(const struct scope *scope, const char *root)
{
    const char *rest = scope_is_file(scope->permission) && scope->text ? below(scope->text, root) : NULL;
    return rest && strncmp(rest, "out", 3) == 0 && (rest[3] == '\0' || rest[3] == '/');
}

void scope_add_item(const struct scope *scope, const char *root, const char *home, struct buf *to)
{
    if (scope->text && !scope->text[0]) { /* no item can name it */
        return;
    }
    for (const char *c = scope->text ? scope->text : ""; *c; c++) {
        if (policy_is_control(*c)) {
            return;
        }
    }
    buf_add_text(to, scope->name);
    if (!scope->text) {
        return;
    }
    struct buf shown;
    buf_init(&shown, SCOPE_MAX);
    const char *command = scope->permission == PERMISSION_EXEC && scope->path ? plain_command(scope->text) : NULL;
    if (command) {
        buf_add_text(&shown, command);
    } else if (scope->path) {
        scope_display(scope->text, root, home, &shown);
    } else if (scope->port) {
        buf_addf(&shown, strchr(scope->text, ':') ? "[%s]:%s" : "%s:%s", scope->text, scope->port);
    } else {
        buf_add_text(&shown, scope->text);
    }
    buf_add_char(to, '=');
    policy_add_scope(to, shown.data ? shown.data : "");
    buf_done(&shown);
}
