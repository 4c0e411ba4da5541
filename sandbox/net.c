/* The DNS stub and the meaning of addresses. No socket of the host is ever opened here. */
#include "net_internal.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>

enum {
    DNS_HEAD = 12,
    DNS_TYPE_A = 1,
    DNS_CLASS_IN = 1,
    DNS_ANSWER = 16,
    DNS_BURST = 64,
    HANDLES = 0x7f010000, /* 127.1.0.0/16 */
    DNS_PORT = 53,
};

void net_done(struct net *net)
{
    for (size_t i = 0; i < net->count; i++) {
        free(net->names[i]);
    }
    free(net->names);
    *net = (struct net){0};
}

/* The handle's number from 1, or 0 when there are too many names. */
static size_t handle_of(struct net *net, const char *name)
{
    for (size_t i = 0; i < net->count; i++) {
        if (strcmp(net->names[i], name) == 0) {
            return i + 1;
        }
    }
    if (net->count == NET_NAMES_MAX) {
        return 0;
    }
    if (!net->names) {
        net->names = calloc(NET_NAMES_MAX, sizeof *net->names);
    }
    char *copy = net->names ? strdup(name) : NULL;
    if (!copy) {
        return 0;
    }
    net->names[net->count++] = copy;
    return net->count;
}

/* The question's name as text; returns the bytes it took, or 0. */
static size_t read_name(const uint8_t *bytes, size_t len, char ret_name[NET_NAME_MAX + 1])
{
    size_t at = 0, out = 0;

    while (at < len && bytes[at] != 0) {
        size_t label = bytes[at++];
        if (label > 63 || at + label > len || out + label + 1 > NET_NAME_MAX) {
            return 0;
        }
        if (out > 0) {
            ret_name[out++] = '.';
        }
        for (size_t i = 0; i < label; i++) {
            uint8_t c = bytes[at++];
            ret_name[out++] = c > ' ' && c < 0x7f && c != '.' ? (char)tolower(c) : '?';
        }
    }
    ret_name[out] = '\0';
    return at < len && out > 0 ? at + 1 : 0;
}

static bool is_local_name(const char *name)
{
    const char *dot = strrchr(name, '.');

    return strcmp(dot ? dot + 1 : name, "localhost") == 0;
}

size_t net_answer(struct net *net, const uint8_t *query, size_t len, uint8_t ret_answer[DNS_PACKET_MAX + 16])
{
    char name[NET_NAME_MAX + 1];
    size_t name_len, question;

    if (len < DNS_HEAD || len > DNS_PACKET_MAX || query[2] & 0x80 || query[4] != 0 || query[5] != 1) {
        return 0;
    }
    name_len = read_name(query + DNS_HEAD, len - DNS_HEAD, name);
    question = DNS_HEAD + name_len + 4;
    if (name_len == 0 || question > len) {
        return 0;
    }
    const uint8_t *kind = query + DNS_HEAD + name_len;
    bool wants_address = kind[0] == 0 && kind[1] == DNS_TYPE_A && kind[2] == 0 && kind[3] == DNS_CLASS_IN;
    uint32_t address = INADDR_LOOPBACK;
    uint8_t failure = 0;

    if (wants_address && !is_local_name(name)) {
        size_t handle = handle_of(net, name);
        address = HANDLES | (uint32_t)handle;
        failure = handle == 0 ? 2 : 0; /* server failure: too many names */
    }
    bool answers = wants_address && !failure;
    memcpy(ret_answer, query, question);
    ret_answer[2] = 0x81; /* a response; recursion was desired */
    ret_answer[3] = 0x80 | failure;
    memset(ret_answer + 6, 0, 6);
    if (!answers) {
        return question;
    }
    ret_answer[7] = 1;
    const uint8_t record[DNS_ANSWER - 4] = {0xc0, DNS_HEAD, 0, DNS_TYPE_A, 0, DNS_CLASS_IN, 0, 0, 0, 60, 0, 4};
    memcpy(ret_answer + question, record, sizeof record);
    address = htonl(address);
    memcpy(ret_answer + question + sizeof record, &address, sizeof address);
    return question + DNS_ANSWER;
}

void net_serve(struct net *net, int dns)
{
    uint8_t query[DNS_PACKET_MAX + 1], answer[DNS_PACKET_MAX + DNS_ANSWER];

    for (int i = 0; i < DNS_BURST; i++) {
        struct sockaddr_storage from;
        socklen_t from_len = sizeof from;
        ssize_t len = recvfrom(dns, query, sizeof query, MSG_DONTWAIT, (struct sockaddr *)&from, &from_len);
        if (len < 0) {
            return;
        }
        size_t answer_len = net_answer(net, query, (size_t)len, answer);
        if (answer_len > 0) {
            (void)sendto(dns, answer, answer_len, MSG_DONTWAIT | MSG_NOSIGNAL, (struct sockaddr *)&from, from_len);
        }
    }
}

/* ---- addresses -------------------------------------------------------------------------------------------------- */

static enum address_kind describe_v4(const struct net *net, uint32_t address, unsigned port, char *ret_text)
{
    struct in_addr raw = {htonl(address)};
    char text[INET_ADDRSTRLEN];
    size_t handle = address & 0xffff;

    if ((address & 0xffff0000) == HANDLES && handle >= 1 && handle <= net->count) {
        snprintf(ret_text, NET_TEXT_MAX, "%s:%u", net->names[handle - 1], port);
        return ADDRESS_HANDLE;
    }
    snprintf(ret_text, NET_TEXT_MAX, "%s:%u", inet_ntop(AF_INET, &raw, text, sizeof text), port);
    return address >> 24 == IN_LOOPBACKNET || address == INADDR_ANY ? ADDRESS_OWN : ADDRESS_OTHER;
}

static enum address_kind describe_v6(const struct net *net, const struct sockaddr_in6 *v6, char *ret_text)
{
    char text[INET6_ADDRSTRLEN];
    unsigned port = ntohs(v6->sin6_port);

    if (IN6_IS_ADDR_V4MAPPED(&v6->sin6_addr)) {
        uint32_t address;
        memcpy(&address, &v6->sin6_addr.s6_addr[12], sizeof address);
        return describe_v4(net, ntohl(address), port, ret_text);
    }
    snprintf(ret_text, NET_TEXT_MAX, "[%s]:%u", inet_ntop(AF_INET6, &v6->sin6_addr, text, sizeof text), port);
    return IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr) || IN6_IS_ADDR_UNSPECIFIED(&v6->sin6_addr) ? ADDRESS_OWN
                                                                                           : ADDRESS_OTHER;
}

static enum address_kind describe_unix(const struct sockaddr_un *address, size_t len, char *ret_text, bool *ret_path)
{
    size_t most = len - offsetof(struct sockaddr_un, sun_path);

    if (most > 0 && address->sun_path[0] != '\0') {
        snprintf(ret_text, NET_TEXT_MAX, "%.*s", (int)strnlen(address->sun_path, most), address->sun_path);
        *ret_path = true;
    }
    return ADDRESS_OWN;
}

enum address_kind net_describe(const struct net *net, const struct sockaddr_storage *address, size_t len,
                               char ret_text[NET_TEXT_MAX], bool *ret_path, bool *ret_row)
{
    const struct sockaddr_in *v4 = (const struct sockaddr_in *)address;
    const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)address;
    enum address_kind kind = ADDRESS_OWN;

    *ret_path = *ret_row = false;
    ret_text[0] = '\0';
    if (len < sizeof(sa_family_t)) {
        return ADDRESS_OWN;
    }
    if (address->ss_family == AF_INET && len >= sizeof *v4) {
        kind = describe_v4(net, ntohl(v4->sin_addr.s_addr), ntohs(v4->sin_port), ret_text);
        *ret_row = !(kind == ADDRESS_OWN && ntohs(v4->sin_port) == DNS_PORT); /* the stub itself */
    } else if (address->ss_family == AF_INET6 && len >= offsetof(struct sockaddr_in6, sin6_scope_id)) {
        kind = describe_v6(net, v6, ret_text);
        *ret_row = true;
    } else if (address->ss_family == AF_UNIX) {
        kind = describe_unix((const struct sockaddr_un *)address, len, ret_text, ret_path);
        *ret_row = *ret_path;
    }
    return kind;
}

/* ---- targets ---------------------------------------------------------------------------------------------------- */

static void target_v4(const struct net *net, uint32_t address, struct net_target *target)
{
    size_t handle = address & 0xffff;

    address = address == INADDR_ANY ? INADDR_LOOPBACK : address; /* which is what connecting to it does */
    struct sockaddr_in v4 = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)target->port), .sin_addr.s_addr = htonl(address)};
    memcpy(&target->at, &v4, sizeof v4);
    target->at_len = sizeof v4;
    target->is_address = !((address & 0xffff0000) == HANDLES && handle >= 1 && handle <= net->count);
    if (target->is_address) {
        inet_ntop(AF_INET, &v4.sin_addr, target->host, sizeof target->host);
    } else {
        snprintf(target->host, sizeof target->host, "%s", net->names[handle - 1]);
    }
}

bool net_find_target(const struct net *net, const struct sockaddr_storage *address, size_t len,
                     struct net_target *ret_target)
{
    const struct sockaddr_in *v4 = (const struct sockaddr_in *)address;
    struct sockaddr_in6 v6;

    *ret_target = (struct net_target){0};
    if (address->ss_family == AF_INET && len >= sizeof *v4) {
        ret_target->port = ntohs(v4->sin_port);
        target_v4(net, ntohl(v4->sin_addr.s_addr), ret_target);
        return true;
    }
    if (address->ss_family != AF_INET6 || len < offsetof(struct sockaddr_in6, sin6_scope_id)) {
        return false;
    }
    memcpy(&v6, address, sizeof v6);
    ret_target->port = ntohs(v6.sin6_port);
    if (IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr)) {
        uint32_t inner;
        memcpy(&inner, &v6.sin6_addr.s6_addr[12], sizeof inner);
        target_v4(net, ntohl(inner), ret_target);
        return true;
    }
    if (IN6_IS_ADDR_UNSPECIFIED(&v6.sin6_addr)) {
        v6.sin6_addr = in6addr_loopback;
    }
    v6.sin6_flowinfo = v6.sin6_scope_id = 0;
    memcpy(&ret_target->at, &v6, sizeof v6);
    ret_target->at_len = sizeof v6;
    ret_target->is_address = true;
    return inet_ntop(AF_INET6, &v6.sin6_addr, ret_target->host, sizeof ret_target->host) != NULL;
}
