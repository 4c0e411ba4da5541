/*
 * Hosts and addresses in their one canonical form.
 */
#include "scope_internal.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool scope_canonical_address(const char *host, char ret_text[INET6_ADDRSTRLEN])
{
    struct in_addr v4;
    struct in6_addr v6;
    if (inet_aton(host, &v4)) {
        v4.s_addr = v4.s_addr == htonl(INADDR_ANY) ? htonl(INADDR_LOOPBACK) : v4.s_addr; /* as connect() takes it */
        return inet_ntop(AF_INET, &v4, ret_text, INET6_ADDRSTRLEN) != NULL;
    }
    if (inet_pton(AF_INET6, host, &v6) != 1) {
        return false;
    }
    if (IN6_IS_ADDR_V4MAPPED(&v6)) {
        return inet_ntop(AF_INET, &v6.s6_addr[12], ret_text, INET6_ADDRSTRLEN) != NULL;
    }
    v6 = IN6_IS_ADDR_UNSPECIFIED(&v6) ? in6addr_loopback : v6;
    return inet_ntop(AF_INET6, &v6, ret_text, INET6_ADDRSTRLEN) != NULL;
}

/* 443 for 0443. What is no port stays as it is, and is refused or matches nothing. */
static void add_port(const char *text, size_t len, struct buf *to)
{
    while (len > 1 && text[0] == '0') {
        text++;
        len--;
    }
    buf_add(to, text, len);
}

bool scope_is_port(const char *text)
{
    size_t len = strspn(text, "0123456789");

    return len > 0 && len <= 5 && text[len] == '\0' && strtoul(text, NULL, 10) - 1 < 65535;
}

bool scope_is_host(const char *text)
{
    size_t len = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-_.*?");

    return len > 0 && text[len] == '\0' && text[0] != '.' && text[0] != '-' && !strstr(text, "..");
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
        add_port(port, (size_t)(end - port), &number);
        scope->port = buf_steal(&number);
    }
    bool no_port = port && port < end && !scope->port;
    char address[INET6_ADDRSTRLEN];
    if (!name.failed && name.data && scope_canonical_address(name.data, address)) {
        buf_clear(&name);
        buf_add_text(&name, address);
        scope->address = true;
    }
    scope->text = buf_steal(&name);
    return scope->text && !no_port ? 0 : -ENOMEM;
}
