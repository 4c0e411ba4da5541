/* Who may be reached: the granted items of `net`, and the addresses that only their own item opens. */
#ifndef TECHO_SANDBOX_NET_RULES_INTERNAL_H
#define TECHO_SANDBOX_NET_RULES_INTERNAL_H

#include "net_internal.h"
#include "scope_internal.h"

struct net_rules {
    struct scope *scopes; /* owned */
    int *items;           /* owned; index of each in the granted policy */
    size_t count;
    bool asks; /* an item net=? is there: more may come */
};

/* `granted` must outlive the rules. 0 or -ENOMEM. */
int net_rules_init(struct net_rules *rules, const struct policy *granted);
void net_rules_done(struct net_rules *rules);
/* From now on `item` (a net=?) opens just this host and port, too. 0 or -errno. */
int net_rules_allow(struct net_rules *rules, const struct net_target *target, int item);

/* The granted item that opens this, or -1. `host`: a name in lower case or, with `is_address`, a canonical address. */
int net_rules_find(const struct net_rules *rules, const char *host, bool is_address, unsigned port);
/* The same for an address of the host's side. */
int net_rules_find_address(const struct net_rules *rules, const struct sockaddr *address);

/*
 * Loopback, private, link-local, shared, multicast and reserved ranges, in
 * IPv6's ways of carrying them too: no name leads there unless the address
 * is granted as well.
 */
bool net_is_special(const struct sockaddr *address);

/* "10.0.0.5:80", "[fe80::1]:80"; an IPv4 address within IPv6 as IPv4. */
void net_format_address(const struct sockaddr *address, char ret_text[NET_TEXT_MAX]);

#endif
