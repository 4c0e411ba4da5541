/*
 * What no program ever gets, and what this build does not serve.
 */
#include "scope_internal.h"

#include "protect_internal.h"

#include <string.h>
#include <strings.h>

/* A part of the name, between underscores, that is one of the short words or ends in one of the long ones. */
static bool is_key(const char *variable)
{
    static const char *const words[] = {"KEY",     "KEYS",     "APIKEY", "TOKEN",      "TOKENS",     "SECRET",
                                        "SECRETS", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL", "CREDENTIALS"};
    enum { LONG_WORD = 5 };
    for (const char *at = variable; *at;) {
        size_t len = strcspn(at, "_");
        for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
            size_t word_len = strlen(words[i]);
            if ((len == word_len || (len > word_len && word_len >= LONG_WORD)) &&
                strncasecmp(at + len - word_len, words[i], word_len) == 0) {
                return true;
            }
        }
        at += len + (at[len] == '_');
    }
    return false;
}

static const char *never_host(const struct scope *scope)
{
    for (const char *c = scope->text; *c; c++) {
        if ((unsigned char)*c >= 0x80) {
            return "is not as the network writes it: give the name's xn-- form";
        }
    }
    if (!scope->address && !scope_is_host(scope->text)) {
        return "names no host: net=api.example.com:443";
    }
    return scope->port && !scope_is_port(scope->port) ? "has no port: a port is a number from 1 to 65535" : NULL;
}

/* What may be written is one file, or a folder and all below: what a pattern would match later nobody knows. */
static bool is_loose_pattern(const char *path)
{
    size_t pattern = strcspn(path, "*?"), len = strlen(path);

    return pattern < len && !(pattern == len - 1 && pattern > 0 && path[pattern] == '*' && path[pattern - 1] == '/');
}

static const char *file_never(const struct scope *scope)
{
    if (!scope->text || scope->text[strspn(scope->text, "/*?")] == '\0') {
        return "would be every file of this machine; name a folder: file.read=./data";
    }
    if (scope->permission == PERMISSION_FILE_READ) {
        return NULL;
    }
    if (is_loose_pattern(scope->text)) {
        return "is a pattern; what may be written is one file, or a folder: file.write=./D/*";
    }
    return protect_is(scope->text, NULL) ? "names what other programs trust, and no run writes it" : NULL;
}

const char *scope_never(const struct scope *scope)
{
    if (scope->permission == PERMISSION_NET) {
        return never_host(scope);
    }
    if (scope_is_file(scope->permission)) {
        return file_never(scope);
    }
    if (scope->permission == PERMISSION_ENV) {
        if (!scope->text || strpbrk(scope->text, "*?")) {
            return "could be a key; name one variable: env=LANG";
        }
        return is_key(scope->text) ? "looks like a key, and no program gets one" : NULL;
    }
    if (scope->permission == PERMISSION_EXEC && scope->text && strpbrk(scope->text, "*?")) {
        return "is a pattern; name each command: exec=ls";
    }
    return NULL;
}

bool scope_is_asked(const struct policy_item *item)
{
    return item->ask && (item->permission == PERMISSION_FILE_READ || item->permission == PERMISSION_NET);
}

const char *permission_unserved(enum permission permission)
{
    switch (permission) {
    case PERMISSION_STDOUT:
    case PERMISSION_STDIN:
    case PERMISSION_TIME:
    case PERMISSION_RANDOM:
    case PERMISSION_ENV:
    case PERMISSION_FILE:
    case PERMISSION_FILE_READ:
    case PERMISSION_FILE_WRITE:
    case PERMISSION_NET:
    case PERMISSION_EXEC:
        return NULL;
    default:
        return "is not served in this build";
    }
}
