/* The DNS stub and the meaning of addresses. */
#include "../../sandbox/net_internal.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/un.h>

#include <cmocka.h>

enum { HEAD = 12, TYPE_A = 1, TYPE_AAAA = 28, TYPE_PTR = 12 };

/* A question for `name`, dots between its labels. */
static size_t ask(uint8_t *packet, const char *name, int type)
{
    size_t at = HEAD;

    memset(packet, 0, HEAD);
    packet[0] = 0xab;
    packet[2] = 1;
    packet[5] = 1;
    while (*name) {
        size_t len = strcspn(name, ".");
        packet[at++] = (uint8_t)len;
        memcpy(packet + at, name, len);
        at += len;
        name += len + (name[len] == '.');
    }
    packet[at++] = 0;
    packet[at++] = 0;
    packet[at++] = (uint8_t)type;
    packet[at++] = 0;
    packet[at++] = 1;
    return at;
}

/* The address that the stub answers, or 0. */
static uint32_t resolve(struct net *net, const char *name)
{
    uint8_t query[DNS_PACKET_MAX], answer[DNS_PACKET_MAX + 16];
    size_t len = net_answer(net, query, ask(query, name, TYPE_A), answer);
    uint32_t address;

    assert_true(len > HEAD);
    assert_int_equal(answer[0], 0xab);
    assert_true(answer[2] & 0x80);
    if (answer[7] == 0) {
        return 0;
    }
    memcpy(&address, answer + len - 4, 4);
    return ntohl(address);
}

static void every_name_gets_a_handle_of_its_own(void **state)
{
    struct net net = {0};

    (void)state;
    assert_int_equal(resolve(&net, "api.example.com"), 0x7f010001);
    assert_int_equal(resolve(&net, "other.example.com"), 0x7f010002);
    assert_int_equal(resolve(&net, "API.Example.COM"), 0x7f010001);
    assert_int_equal(resolve(&net, "localhost"), INADDR_LOOPBACK);
    net_done(&net);
}

static void other_types_have_no_answer(void **state)
{
    static const int types[] = {TYPE_AAAA, TYPE_PTR};
    uint8_t query[DNS_PACKET_MAX], answer[DNS_PACKET_MAX + 16];
    struct net net = {0};

    (void)state;
    for (int i = 0; i < 2; i++) {
        size_t len = net_answer(&net, query, ask(query, "x.y", types[i]), answer);
        assert_true(len > HEAD);
        assert_int_equal(answer[7], 0);
        assert_int_equal(answer[3] & 15, 0);
    }
    assert_int_equal(net.count, 0);
    net_done(&net);
}

static void names_are_bounded(void **state)
{
    struct net net = {0};
    char name[32];

    (void)state;
    for (int i = 0; i < NET_NAMES_MAX; i++) {
        snprintf(name, sizeof name, "n%d.example", i);
        assert_true(resolve(&net, name) != 0);
    }
    assert_int_equal(resolve(&net, "one.more"), 0);
    assert_true(resolve(&net, "n7.example") != 0);
    net_done(&net);
}

static void torn_and_hostile_questions_get_none(void **state)
{
    uint8_t query[DNS_PACKET_MAX + 1] = {0}, answer[DNS_PACKET_MAX + 16];
    struct net net = {0};
    size_t len = ask(query, "a.example", TYPE_A);

    (void)state;
    for (size_t cut = 0; cut < len; cut++) {
        assert_int_equal(net_answer(&net, query, cut, answer), 0);
    }
    query[HEAD] = 0xc0; /* a pointer where a name must stand */
    assert_int_equal(net_answer(&net, query, len, answer), 0);
    memset(query + HEAD, 63, sizeof query - HEAD); /* longer than a name may be */
    assert_int_equal(net_answer(&net, query, DNS_PACKET_MAX, answer), 0);
    assert_int_equal(net_answer(&net, query, DNS_PACKET_MAX + 1, answer), 0);
    len = ask(query, "a.example", TYPE_A);
    query[2] |= 0x80; /* an answer is no question */
    assert_int_equal(net_answer(&net, query, len, answer), 0);
    net_done(&net);
}

static void bytes_that_no_name_has_are_replaced(void **state)
{
    struct net net = {0};

    (void)state;
    assert_true(resolve(&net, "a\x1b[2Jb.example") != 0);
    assert_string_equal(net.names[0], "a?[2jb.example");
    net_done(&net);
}

struct address {
    const char *text;
    int port;
    enum address_kind kind;
    const char *described;
    bool row;
};

static void describe(const struct net *net, const struct address *trial)
{
    struct sockaddr_storage storage = {0};
    struct sockaddr_in *v4 = (struct sockaddr_in *)&storage;
    struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)&storage;
    char text[NET_TEXT_MAX];
    bool is_path, row;

    if (strchr(trial->text, ':')) {
        v6->sin6_family = AF_INET6;
        v6->sin6_port = htons((uint16_t)trial->port);
        assert_int_equal(inet_pton(AF_INET6, trial->text, &v6->sin6_addr), 1);
    } else {
        v4->sin_family = AF_INET;
        v4->sin_port = htons((uint16_t)trial->port);
        assert_int_equal(inet_pton(AF_INET, trial->text, &v4->sin_addr), 1);
    }
    assert_int_equal(net_describe(net, &storage, sizeof *v6, text, &is_path, &row), trial->kind);
    assert_string_equal(text, trial->described);
    assert_false(is_path);
    assert_int_equal(row, trial->row);
}

static void addresses_are_named(void **state)
{
    static const struct address trials[] = {
        {"127.1.0.1", 443, ADDRESS_HANDLE, "api.evil.test:443", true},
        {"::ffff:127.1.0.1", 80, ADDRESS_HANDLE, "api.evil.test:80", true},
        {"127.1.0.2", 80, ADDRESS_OWN, "127.1.0.2:80", true},  /* no handle yet */
        {"127.0.0.1", 53, ADDRESS_OWN, "127.0.0.1:53", false}, /* the stub */
        {"127.0.0.1", 8080, ADDRESS_OWN, "127.0.0.1:8080", true},
        {"0.0.0.0", 80, ADDRESS_OWN, "0.0.0.0:80", true},
        {"::1", 80, ADDRESS_OWN, "[::1]:80", true},
        {"169.254.169.254", 80, ADDRESS_OTHER, "169.254.169.254:80", true},
        {"::ffff:10.0.0.1", 80, ADDRESS_OTHER, "10.0.0.1:80", true},
        {"2001:db8::1", 80, ADDRESS_OTHER, "[2001:db8::1]:80", true},
    };
    struct net net = {0};

    (void)state;
    resolve(&net, "api.evil.test");
    for (size_t i = 0; i < sizeof trials / sizeof *trials; i++) {
        describe(&net, &trials[i]);
    }
    net_done(&net);
}

static void sockets_with_a_path_are_paths(void **state)
{
    struct sockaddr_storage storage = {0};
    struct sockaddr_un *address = (struct sockaddr_un *)&storage;
    struct net net = {0};
    char text[NET_TEXT_MAX];
    bool is_path, row;

    (void)state;
    address->sun_family = AF_UNIX;
    memcpy(address->sun_path, "/run/docker.sock", 17);
    net_describe(&net, &storage, sizeof *address, text, &is_path, &row);
    assert_true(is_path);
    assert_string_equal(text, "/run/docker.sock");
    address->sun_path[0] = '\0'; /* abstract: of the cell's own network namespace */
    assert_int_equal(net_describe(&net, &storage, sizeof *address, text, &is_path, &row), ADDRESS_OWN);
    assert_false(is_path);
    for (size_t len = 0; len < sizeof *address; len++) { /* whatever length the program says */
        (void)net_describe(&net, &storage, len, text, &is_path, &row);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_name_gets_a_handle_of_its_own),
        cmocka_unit_test(other_types_have_no_answer),
        cmocka_unit_test(names_are_bounded),
        cmocka_unit_test(torn_and_hostile_questions_get_none),
        cmocka_unit_test(bytes_that_no_name_has_are_replaced),
        cmocka_unit_test(addresses_are_named),
        cmocka_unit_test(sockets_with_a_path_are_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
