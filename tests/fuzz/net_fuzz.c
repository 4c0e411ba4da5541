/*
 * Any bytes as a query of the name server's, and as an address of connect(): an answer stays within its room and
 * repeats its question, and a text of an address ends within its own.
 */
#include "../../sandbox/net_internal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_query(struct net *net, const uint8_t *data, size_t size)
{
    uint8_t answer[DNS_PACKET_MAX + 16];
    size_t len = net_answer(net, data, size, answer);

    assert(len <= sizeof answer);
    if (len > 0) {
        assert(len >= 12 && memcmp(answer, data, 2) == 0 && answer[2] & 0x80);
        assert(size >= 12 && memcmp(answer + 12, data + 12, (len < size ? len : size) - 12 > 4 ? 4 : 0) == 0);
    }
    assert(net->count <= NET_NAMES_MAX);
}

static void check_address(const struct net *net, const uint8_t *data, size_t size)
{
    struct sockaddr_storage address = {0};
    struct net_target target;
    char text[NET_TEXT_MAX];
    bool path, row;

    memcpy(&address, data, size < sizeof address ? size : sizeof address);
    size_t len = size < sizeof address ? size : sizeof address;
    net_describe(net, &address, len, text, &path, &row);
    assert(memchr(text, '\0', sizeof text));
    if (net_find_target(net, &address, len, &target)) {
        assert(memchr(target.host, '\0', sizeof target.host) && target.port <= 0xffff);
        assert(target.at.ss_family == AF_INET || target.at.ss_family == AF_INET6);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct net net = {0};
    uint8_t *exact = malloc(size ? size : 1); /* so that a byte beyond is seen */

    if (exact) {
        memcpy(exact, data, size);
        check_query(&net, exact, size);
        check_query(&net, exact, size); /* the name is known now */
        check_address(&net, exact, size);
    }
    free(exact);
    net_done(&net);
    return 0;
}
