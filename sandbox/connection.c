/*
 * One connection: its name is resolved, its addresses are tried one after the
 * other, its bytes are carried.
 */
#include "connection_internal.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

static void tell(struct relay *relay, const struct connection *connection, enum relay_event event,
                 const struct sockaddr_storage *address, uint64_t bytes, int error)
{
    char asked[NET_TEXT_MAX], at[NET_TEXT_MAX] = "";

    snprintf(asked, sizeof asked, strchr(connection->target.host, ':') ? "[%s]:%u" : "%s:%u", connection->target.host,
             connection->target.port);
    if (address) {
        net_format_address((const struct sockaddr *)address, at);
    }
    const struct relay_news news = {event, asked, at, {connection->items[0], connection->items[1]}, bytes, error};
    relay->news(relay->context, &news);
}

void connection_done(struct connection *connection)
{
    if (connection->state == CONNECTION_FREE) {
        return;
    }
    close_descriptor(&connection->cell);
    close_descriptor(&connection->host);
    pipe_done(&connection->out);
    pipe_done(&connection->in);
    connection->state = CONNECTION_FREE;
}

/* The other sides learn of it as of a connection that broke. */
static void break_connection(struct connection *connection)
{
    const struct linger reset = {.l_onoff = 1};

    (void)setsockopt(connection->cell, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    if (connection->host >= 0) {
        (void)setsockopt(connection->host, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    }
    connection_done(connection);
}

/* A side that waits for nothing is not watched: its end would be told again and again. */
static void watch_side(const struct relay *relay, int fd, int wanted, int *events, enum relay_about about, size_t index)
{
    if (wanted == *events) {
        return;
    }
    int operation = wanted < 0 ? EPOLL_CTL_DEL : *events < 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
    (void)relay_watch(relay, operation, fd, (uint32_t)wanted, about, index);
    *events = wanted;
}

static void watch_sides(const struct relay *relay, struct connection *connection)
{
    size_t index = (size_t)(connection - relay->connections);
    int cell = (pipe_wants_input(&connection->out) ? EPOLLIN : 0) | (pipe_wants_output(&connection->in) ? EPOLLOUT : 0);
    int host = (pipe_wants_input(&connection->in) ? EPOLLIN : 0) | (pipe_wants_output(&connection->out) ? EPOLLOUT : 0);

    watch_side(relay, connection->cell, cell ? cell : -1, &connection->cell_events, ABOUT_CELL, index);
    watch_side(relay, connection->host, host ? host : -1, &connection->host_events, ABOUT_HOST, index);
}

static void carry(struct relay *relay, struct connection *connection)
{
    uint64_t moved = 0;
    int result = pipe_pump(&connection->out, connection->cell, connection->host, &moved);

    if (result == 0) {
        result = pipe_pump(&connection->in, connection->host, connection->cell, &moved);
    }
    if (moved > 0) {
        tell(relay, connection, RELAY_BYTES, NULL, moved, 0);
    }
    if (result < 0) {
        break_connection(connection);
    } else if (connection->out.shut && connection->in.shut) {
        connection_done(connection);
    } else {
        watch_sides(relay, connection);
    }
}

static void set_port(struct sockaddr_storage *address, unsigned port)
{
    /* sin6_port stands at the same place */
    ((struct sockaddr_in *)address)->sin_port = htons((uint16_t)port);
}

/* 0: begun; -errno. */
static int begin_connect(struct connection *connection, const struct sockaddr_storage *address)
{
    const int on = 1;
    socklen_t len = address->ss_family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
    int fd = socket(address->ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    if (fd < 0) {
        return -errno;
    }
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (connect(fd, (const struct sockaddr *)address, len) < 0 && errno != EINPROGRESS) {
        int result = -errno;
        close(fd);
        return result;
    }
    connection->host = fd;
    connection->state = CONNECTION_CONNECTING;
    return 0;
}

/* Tries the addresses one after the other; breaks the connection when none is left. */
static void connect_next(struct relay *relay, struct connection *connection)
{
    const struct resolved *addresses = &connection->addresses;
    const struct sockaddr_storage *refused = NULL, *failed = NULL;

    close_descriptor(&connection->host);
    connection->host_events = -1;
    while (connection->next < addresses->count) {
        struct sockaddr_storage *address = &connection->addresses.list[connection->next++];
        set_port(address, connection->target.port);
        connection->items[1] = -1;
        if (!connection->target.is_address && net_is_special((const struct sockaddr *)address)) {
            connection->items[1] = net_rules_find_address(&relay->rules, (const struct sockaddr *)address);
            if (connection->items[1] < 0) {
                refused = address;
                continue;
            }
        }
        int result = begin_connect(connection, address);
        if (result == 0) {
            watch_side(relay, connection->host, EPOLLOUT, &connection->host_events, ABOUT_HOST,
                       (size_t)(connection - relay->connections));
            return;
        }
        failed = address;
        connection->error = -result;
    }
    if (!failed && connection->error) {
        failed = &connection->addresses.list[addresses->count - 1];
    }
    if (failed || refused) {
        tell(relay, connection, failed ? RELAY_FAILED : RELAY_REFUSED, failed ? failed : refused, 0, connection->error);
    } else {
        tell(relay, connection, RELAY_NO_NAME, NULL, 0, 0);
    }
    break_connection(connection);
}

static void connected(struct relay *relay, struct connection *connection)
{
    socklen_t len = sizeof connection->error;

    connection->error = 0;
    if (getsockopt(connection->host, SOL_SOCKET, SO_ERROR, &connection->error, &len) < 0) {
        connection->error = errno;
    }
    if (connection->error) {
        connect_next(relay, connection);
        return;
    }
    connection->state = CONNECTION_OPEN;
    tell(relay, connection, RELAY_CONNECTED, &connection->addresses.list[connection->next - 1], 0, 0);
    carry(relay, connection);
}

void connection_resolve(struct relay *relay, struct connection *connection)
{
    const struct resolved *found = resolver_find(&relay->resolver, connection->target.host);

    if (!found) {
        return; /* asked again when there is an answer */
    }
    connection->addresses = *found;
    connect_next(relay, connection);
}

void connection_begin(struct relay *relay, struct connection *connection, const struct listener *listener, int fd)
{
    const int on = 1;

    *connection = (struct connection){
        .state = CONNECTION_RESOLVING,
        .target = listener->target,
        .items = {listener->item, -1},
        .cell = fd,
        .host = -1,
        .out = {.read = -1, .write = -1},
        .in = {.read = -1, .write = -1},
        .cell_events = -1,
        .host_events = -1,
    };
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (pipe_open(&connection->out) < 0 || pipe_open(&connection->in) < 0) {
        break_connection(connection);
        return;
    }
    /* until it is open, only a reset is of interest */
    watch_side(relay, fd, 0, &connection->cell_events, ABOUT_CELL, (size_t)(connection - relay->connections));
    if (connection->target.is_address) {
        connection->addresses.list[0] = connection->target.at;
        connection->addresses.count = 1;
        connect_next(relay, connection);
    } else {
        connection_resolve(relay, connection);
    }
}

void connection_serve(struct relay *relay, struct connection *connection, enum relay_about about, uint32_t events)
{
    if (connection->state == CONNECTION_FREE) {
        return; /* ended by an event before this one */
    }
    if (about == ABOUT_CELL && connection->state != CONNECTION_OPEN) {
        if (events & (EPOLLERR | EPOLLHUP)) {
            break_connection(connection);
        }
    } else if (connection->state == CONNECTION_CONNECTING) {
        connected(relay, connection);
    } else if (events & EPOLLERR) {
        break_connection(connection);
    } else if (connection->state == CONNECTION_OPEN) {
        carry(relay, connection);
    }
}
