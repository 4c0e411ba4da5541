/* Granted hosts as scopes, and the table of ranges that a name never opens. */
#include "net_rules_internal.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int net_rules_init(struct net_rules *rules, const struct policy *granted)
{
    *rules = (struct net_rules){
        .scopes = calloc(granted->count + 1, sizeof *rules->scopes),
        .items = calloc(granted->count + 1, sizeof *rules->items),
    };
    if (!rules->scopes || !rules->items) {
        net_rules_done(rules);
        return -ENOMEM;
    }
    for (size_t i = 0; i < granted->count; i++) {
        const struct policy_item *item = &granted->items[i];
        struct scope *scope = &rules->scopes[rules->count];
        rules->asks = rules->asks || (item->permission == PERMISSION_NET && item->ask);
        if (item->permission != PERMISSION_NET || item->ask) {
            continue;
        }
        if (scope_read(PERMISSION_NET, NULL, item->scope, "/", NULL, scope, NULL) < 0) {
            net_rules_done(rules);
            return -ENOMEM;
        }
        rules->items[rules->count++] = (int)i;
    }
    return 0;
}

void net_rules_done(struct net_rules *rules)
{
    for (size_t i = 0; i < rules->count; i++) {
        scope_done(&rules->scopes[i]);
    }
    free(rules->scopes);
    free(rules->items);
    *rules = (struct net_rules){0};
}

int net_rules_allow(struct net_rules *rules, const struct net_target *target, int item)
{
    struct scope *scopes = realloc(rules->scopes, (rules->count + 1) * sizeof *scopes);
    int *items = scopes ? realloc(rules->items, (rules->count + 1) * sizeof *items) : NULL;
    char number[16], canonical[INET6_ADDRSTRLEN];
    bool address = target->is_address || scope_canonical_address(target->host, canonical);

    rules->scopes = scopes ? scopes : rules->scopes;
    rules->items = items ? items : rules->items;
    if (!scopes || !items) {
        return -ENOMEM;
    }
    snprintf(number, sizeof number, "%u", target->port);
    struct scope scope = {.permission = PERMISSION_NET,
                          .name = permission_name(PERMISSION_NET),
                          .text = strdup(address && !target->is_address ? canonical : target->host),
                          .port = strdup(number),
                          .address = address};
    if (!scope.text || !scope.port || strpbrk(scope.text, "*?") || scope_never(&scope)) {
        scope_done(&scope);
        return -EINVAL;
    }
    scopes[rules->count] = scope;
    items[rules->count++] = item;
    return 0;
}

int net_rules_find(const struct net_rules *rules, const char *host, bool is_address, unsigned port)
{
    char number[16], address[INET6_ADDRSTRLEN];

    snprintf(number, sizeof number, "%u", port);
    if (!is_address && scope_canonical_address(host, address)) { /* asked of the stub as if it were a name */
        host = address;
        is_address = true;
    }
    const struct scope wanted = {
        .permission = PERMISSION_NET,
        .name = permission_name(PERMISSION_NET),
        .text = (char *)(uintptr_t)host, /* only read */
        .port = number,
        .address = is_address,
    };
    if (port == 0 || scope_never(&wanted) || strpbrk(host, "*?")) {
        return -1;
    }
    for (size_t i = 0; i < rules->count; i++) {
        if (scope_covers(&rules->scopes[i], &wanted)) {
            return rules->items[i];
        }
    }
    return -1;
}

/* ---- addresses -------------------------------------------------------------------------------------------------- */

struct range4 {
    uint32_t start;
    unsigned bits;
};

/* IANA's special-purpose registry, but for the ranges of documentation, which lead nowhere. */
static const struct range4 special4[] = {
    {0x00000000, 8},  /* this network */
    {0x0a000000, 8},  /* private */
    {0x64400000, 10}, /* shared with the provider */
    {0x7f000000, 8},  /* loopback */
    {0xa9fe0000, 16}, /* link-local; clouds keep their credentials there */
    {0xac100000, 12}, /* private */
    {0xc0000000, 24}, /* protocol assignments */
    {0xc0a80000, 16}, /* private */
    {0xc6120000, 15}, /* benchmarking */
    {0xe0000000, 3},  /* multicast, reserved, broadcast */
};

static const struct {
    unsigned char start[16];
    unsigned bits;
    int carries; /* the byte at which an IPv4 address stands that is meant; -1: none, the whole range is special */
} special6[] = {
    {{0, [10] = 0xff, [11] = 0xff}, 96, 12},        /* IPv4-mapped */
    {{0x00, 0x64, 0xff, 0x9b}, 96, 12},             /* translated to IPv4 */
    {{0x20, 0x02}, 16, 2},                          /* 6to4 */
    {{0}, 96, -1},                                  /* ::, ::1, IPv4-compatible */
    {{0x00, 0x64, 0xff, 0x9b, 0x00, 0x01}, 48, -1}, /* translated, locally */
    {{0x20, 0x01}, 23, -1},                         /* protocol assignments, Teredo among them */
    {{0xfc}, 7, -1},                                /* private */
    {{0xfe, 0x80}, 10, -1},                         /* link-local */
    {{0xfe, 0xc0}, 10, -1},                         /* site-local */
    {{0xff}, 8, -1},                                /* multicast */
};

static bool is_special4(uint32_t address)
{
    for (size_t i = 0; i < sizeof special4 / sizeof special4[0]; i++) {
        if ((address ^ special4[i].start) >> (32 - special4[i].bits) == 0) {
            return true;
        }
    }
    return false;
}

static bool starts_with(const unsigned char *bytes, const unsigned char *start, unsigned bits)
{
    unsigned whole = bits / 8, rest = bits % 8;

    return memcmp(bytes, start, whole) == 0 && (rest == 0 || (bytes[whole] ^ start[whole]) >> (8 - rest) == 0);
}

static uint32_t read4(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

bool net_is_special(const struct sockaddr *address)
{
    if (address->sa_family == AF_INET) {
        return is_special4(ntohl(((const struct sockaddr_in *)address)->sin_addr.s_addr));
    }
    if (address->sa_family != AF_INET6) {
        return true;
    }
    const unsigned char *bytes = ((const struct sockaddr_in6 *)address)->sin6_addr.s6_addr;
    for (size_t i = 0; i < sizeof special6 / sizeof special6[0]; i++) {
        if (starts_with(bytes, special6[i].start, special6[i].bits)) {
            return special6[i].carries < 0 || is_special4(read4(bytes + special6[i].carries));
        }
    }
    return false;
}

/* The address alone, as a scope has it; false for no address. */
static bool format_host(const struct sockaddr *address, char ret_text[INET6_ADDRSTRLEN], unsigned *ret_port)
{
    if (address->sa_family == AF_INET) {
        const struct sockaddr_in *v4 = (const struct sockaddr_in *)address;
        *ret_port = ntohs(v4->sin_port);
        return inet_ntop(AF_INET, &v4->sin_addr, ret_text, INET6_ADDRSTRLEN);
    }
    if (address->sa_family != AF_INET6) {
        return false;
    }
    const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)address;
    *ret_port = ntohs(v6->sin6_port);
    return IN6_IS_ADDR_V4MAPPED(&v6->sin6_addr)
               ? inet_ntop(AF_INET, &v6->sin6_addr.s6_addr[12], ret_text, INET6_ADDRSTRLEN) != NULL
               : inet_ntop(AF_INET6, &v6->sin6_addr, ret_text, INET6_ADDRSTRLEN) != NULL;
}

int net_rules_find_address(const struct net_rules *rules, const struct sockaddr *address)
{
    char host[INET6_ADDRSTRLEN];
    unsigned port;

    return format_host(address, host, &port) ? net_rules_find(rules, host, true, port) : -1;
}

void net_format_address(const struct sockaddr *address, char ret_text[NET_TEXT_MAX])
{
    char host[INET6_ADDRSTRLEN];
    unsigned port;

    ret_text[0] = '\0';
    if (format_host(address, host, &port)) {
        snprintf(ret_text, NET_TEXT_MAX, strchr(host, ':') ? "[%s]:%u" : "%s:%u", host, port);
    }
}
