/* Who may be reached: addresses in every dress, granted names, and the ranges that no name opens. */
#include "../../sandbox/net_rules_internal.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static socklen_t make_address(const char *text, unsigned port, struct sockaddr_storage *ret_address)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port)};

    memset(ret_address, 0, sizeof *ret_address);
    if (inet_pton(AF_INET, text, &v4.sin_addr) == 1) {
        memcpy(ret_address, &v4, sizeof v4);
        return sizeof v4;
    }
    assert_int_equal(inet_pton(AF_INET6, text, &v6.sin6_addr), 1);
    memcpy(ret_address, &v6, sizeof v6);
    return sizeof v6;
}

static void an_address_means_one_host(void **state)
{
    (void)state;
    static const struct {
        const char *given, *host;
        bool is_address;
        int family; /* where the cell's kernel looks for it */
    } trials[] = {
        {"127.1.0.1", "api.test", false, AF_INET},
        {"::ffff:127.1.0.1", "api.test", false, AF_INET},
        {"127.1.0.2", "127.1.0.2", true, AF_INET}, /* no handle */
        {"127.1.0.0", "127.1.0.0", true, AF_INET},
        {"10.0.0.1", "10.0.0.1", true, AF_INET},
        {"::ffff:10.0.0.1", "10.0.0.1", true, AF_INET},
        {"::ffff:a00:1", "10.0.0.1", true, AF_INET},
        {"0.0.0.0", "127.0.0.1", true, AF_INET},
        {"::ffff:0.0.0.0", "127.0.0.1", true, AF_INET},
        {"::", "::1", true, AF_INET6},
        {"FD00:0:0::2", "fd00::2", true, AF_INET6},
        {"::10.0.0.1", "::10.0.0.1", true, AF_INET6}, /* another address, which nothing translates */
    };
    char name[] = "api.test", *names[] = {name};
    const struct net net = {.names = names, .count = 1};
    for (size_t i = 0; i < COUNT(trials); i++) {
        struct sockaddr_storage address;
        struct net_target target;
        socklen_t len = make_address(trials[i].given, 443, &address);
        assert_true(net_find_target(&net, &address, len, &target));
        assert_string_equal(target.host, trials[i].host);
        assert_int_equal(target.is_address, trials[i].is_address);
        assert_int_equal(target.port, 443);
        assert_int_equal(target.at.ss_family, trials[i].family);
    }
}

static void what_is_no_address_of_the_internet_is_none(void **state)
{
    (void)state;
    const struct net net = {0};
    struct sockaddr_storage address;
    struct net_target target;
    socklen_t len = make_address("10.0.0.1", 1, &address);
    assert_false(net_find_target(&net, &address, len - 1, &target));
    address.ss_family = AF_UNIX;
    assert_false(net_find_target(&net, &address, len, &target));
    address.ss_family = AF_UNSPEC;
    assert_false(net_find_target(&net, &address, len, &target));
    len = make_address("::1", 1, &address);
    assert_false(net_find_target(&net, &address, 16, &target));
    assert_true(net_find_target(&net, &address, len, &target));
}

static void a_host_is_granted_by_its_own_item(void **state)
{
    (void)state;
    static const struct {
        const char *policy, *host;
        bool is_address;
        unsigned port;
        int item;
    } trials[] = {
        {"net=api.test:443", "api.test", false, 443, 0},
        {"net=api.test:443", "api.test", false, 80, -1},
        {"net=api.test:443", "xapi.test", false, 443, -1},
        {"stdout,net=a.test,net=*.b.test:80", "x.b.test", false, 80, 2},
        {"net=*.b.test", "b.test", false, 80, -1},
        {"net=*.b.test", "x.b.test.evil", false, 80, -1},
        {"net=API.test.", "api.test", false, 1, 0},
        {"net", "api.test", false, 65535, 0},
        {"net", "api.test", false, 0, -1},
        {"net", "8.8.8.8", true, 53, -1},
        {"net", "8.8.8.8", false, 53, -1}, /* a name that is an address */
        {"net", "0x8080808", false, 53, -1},
        {"net", "134744072", false, 53, -1},
        {"net=8.8.8.8", "134744072", false, 53, 0},
        {"net=8.8.*", "8.8.8.8", true, 53, -1},
        {"net=0x7f.1:80", "127.0.0.1", true, 80, 0},
        {"net=[::ffff:10.0.0.1]:80", "10.0.0.1", true, 80, 0},
        {"net=[fd00::2]:80", "fd00::2", true, 80, 0},
        {"net=[fd00::2]:80", "fd00::3", true, 80, -1},
        {"net", "a?b.test", false, 80, -1}, /* what the stub makes of bytes that no name has */
        {"net", "*.test", false, 80, -1},
        {"net", "a b.test", false, 80, -1},
        {"net", "-oops.test", false, 80, -1},
        {"net=xn--mnchen-3ya.test", "xn--mnchen-3ya.test", false, 80, 0},
        {"net=apple.test", "xn--pple-43d.test", false, 80, -1}, /* looks like it */
        {"net=?", "api.test", false, 80, -1},
        {"stdout", "api.test", false, 80, -1},
    };
    for (size_t i = 0; i < COUNT(trials); i++) {
        struct policy policy;
        struct net_rules rules;
        assert_int_equal(policy_parse(trials[i].policy, &policy, NULL), 0);
        assert_int_equal(net_rules_init(&rules, &policy), 0);
        int item = net_rules_find(&rules, trials[i].host, trials[i].is_address, trials[i].port);
        if (item != trials[i].item) {
            print_error("%s: %s:%u\n", trials[i].policy, trials[i].host, trials[i].port);
        }
        assert_int_equal(item, trials[i].item);
        net_rules_done(&rules);
        policy_done(&policy);
    }
}

static void some_ranges_are_open_to_no_name(void **state)
{
    (void)state;
    static const struct {
        const char *address;
        bool special;
    } trials[] = {
        {"0.0.0.0", true},         {"0.255.0.1", true},        {"1.0.0.1", false},
        {"9.255.255.255", false},  {"10.0.0.0", true},         {"10.255.255.255", true},
        {"11.0.0.0", false},       {"100.63.255.255", false},  {"100.64.0.1", true},
        {"100.127.255.255", true}, {"100.128.0.0", false},     {"127.0.0.1", true},
        {"127.255.0.1", true},     {"169.253.255.255", false}, {"169.254.169.254", true},
        {"172.15.255.255", false}, {"172.16.0.1", true},       {"172.31.255.255", true},
        {"172.32.0.0", false},     {"192.0.0.8", true},        {"192.168.0.1", true},
        {"192.169.0.1", false},    {"198.18.0.1", true},       {"198.19.255.255", true},
        {"198.20.0.0", false},     {"203.0.113.5", false},     {"223.255.255.255", false},
        {"224.0.0.1", true},       {"240.0.0.1", true},        {"255.255.255.255", true},
        {"::", true},              {"::1", true},              {"::10.0.0.1", true},
        {"::8.8.8.8", true},       {"::ffff:10.0.0.1", true},  {"::ffff:8.8.8.8", false},
        {"64:ff9b::a00:1", true},  {"64:ff9b::808:808", false}, {"64:ff9b:1::808:808", true},
        {"2002:7f00:1::", true},   {"2002:808:808::", false},  {"2001::1", true},
        {"2001:4860::1", false},   {"2606:4700::1", false},    {"fc00::1", true},
        {"fdff::1", true},         {"fe80::1", true},          {"febf::1", true},
        {"fec0::1", true},         {"ff02::1", true},
    };
    for (size_t i = 0; i < COUNT(trials); i++) {
        struct sockaddr_storage address;
        make_address(trials[i].address, 1, &address);
        if (net_is_special((const struct sockaddr *)&address) != trials[i].special) {
            fail_msg("%s", trials[i].address);
        }
    }
}

static void an_address_is_written_in_one_way(void **state)
{
    (void)state;
    static const char *const trials[][2] = {
        {"10.0.0.1", "10.0.0.1:80"}, {"::ffff:10.0.0.1", "10.0.0.1:80"}, {"FD00::0:2", "[fd00::2]:80"}};
    for (size_t i = 0; i < COUNT(trials); i++) {
        struct sockaddr_storage address;
        char text[NET_TEXT_MAX];
        make_address(trials[i][0], 80, &address);
        net_format_address((const struct sockaddr *)&address, text);
        assert_string_equal(text, trials[i][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_address_means_one_host),
        cmocka_unit_test(what_is_no_address_of_the_internet_is_none),
        cmocka_unit_test(a_host_is_granted_by_its_own_item),
        cmocka_unit_test(some_ranges_are_open_to_no_name),
        cmocka_unit_test(an_address_is_written_in_one_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
