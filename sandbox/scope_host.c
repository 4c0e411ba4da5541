/*
 * Hosts and addresses in their one canonical form.
 */
#include "scope_internal.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <string.h>

/* An address in its one canonical form, whatever way it was written: 127.1, 0x7f.0.0.1, ::ffff:127.0.0.1. */
static bool canonical_address(const char *host, char ret_text[INET6_ADDRSTRLEN])
{
    struct in_addr v4;
    struct in6_addr v6;
    if (inet_aton(host, &v4)) {
        return inet_ntop(AF_INET, &v4, ret_text, INET6_ADDRSTRLEN) != NULL;
    }
    if (inet_pton(AF_INET6, host, &v6) != 1) {
        return false;
    }
    if (IN6_IS_ADDR_V4MAPPED(&v6)) {
        return inet_ntop(AF_INET, &v6.s6_addr[12], ret_text, INET6_ADDRSTRLEN) != NULL;
    }
    return inet_ntop(AF_INET6, &v6, ret_text, INET6_ADDRSTRLEN) != NULL;
}

/* A host with its port, out of host, host:port, [address]:port or a URL. */
int scope_read_host(const char *text, struct scope *scope)
{
    const char *scheme = strstr(text, "://");
    const char *host = scheme ? scheme + 3 : text;
    size_t len = strcspn(host, "/?#");
    const char *user = memrchr(host, '@', len);
    if (user) {
        len -= (size_t)(user + 1 - host);
        host = user + 1;
    }
    const char *end = host + len, *port = NULL;
    const char *close = host[0] == '[' ? memchr(host, ']', len) : NULL;
    if (close) {
        host++;
        port = close + 1 < end && close[1] == ':' ? close + 2 : NULL;
        len = (size_t)(close - host);
    } else {
        const char *colon = memchr(host, ':', len);
        if (colon && colon == memrchr(host, ':', len)) {
            port = colon + 1;
            len = (size_t)(colon - host);
        }
    }
    if (len > 0 && host[len - 1] == '.') { /* the dot of a full domain name */
        len--;
    }
    struct buf name, number;
    buf_init(&name, SCOPE_MAX);
    buf_init(&number, SCOPE_MAX);
    for (size_t i = 0; i < len; i++) {
        buf_add_char(&name, (char)tolower((unsigned char)host[i]));
    }
    if (port && port < end) {
        buf_add(&number, port, (size_t)(end - port));
        scope->port = buf_steal(&number);
    }
    bool no_port = port && port < end && !scope->port;
    char address[INET6_ADDRSTRLEN];
    if (!name.failed && name.data && canonical_address(name.data, address)) {
        buf_clear(&name);
        buf_add_text(&name, address);
        scope->address = true;
    }
    scope->text = buf_steal(&name);
    return scope->text && !no_port ? 0 : -ENOMEM;
}
