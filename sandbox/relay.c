/* Listeners, what they accept, and the loop that serves them. */
#include "relay_internal.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "connection_internal.h"
#include "listen_internal.h"

enum { EVENTS = 64, ACCEPTS = 16, PAUSE_MS = 50 };

int relay_watch(const struct relay *relay, int operation, int fd, uint32_t events, enum relay_about about, size_t index)
{
    struct epoll_event event = {.events = events, .data.u64 = (uint64_t)index << 8 | about};

    return epoll_ctl(relay->epoll, operation, fd, &event) < 0 ? -errno : 0;
}

/* ---- beginning and end ------------------------------------------------------------------------------------------ */

int relay_init(struct relay *relay, const struct policy *granted, int inside, relay_fn news, void *context)
{
    *relay = (struct relay){.epoll = -1, .timer = -1, .inside = inside, .tokens = RELAY_RATE, .news = news};
    relay->context = context;
    resolver_init(&relay->resolver);
    int result = net_rules_init(&relay->rules, granted);
    if (result < 0 || (relay->rules.count == 0 && !relay->rules.asks)) {
        return result;
    }
    relay->listeners = calloc(RELAY_LISTENERS, sizeof *relay->listeners);
    relay->connections = calloc(RELAY_CONNECTIONS, sizeof *relay->connections);
    relay->epoll = epoll_create1(EPOLL_CLOEXEC);
    relay->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    if (!relay->listeners || !relay->connections || relay->epoll < 0 || relay->timer < 0 ||
        relay_watch(relay, EPOLL_CTL_ADD, relay->timer, EPOLLIN, ABOUT_TIMER, 0) < 0) {
        relay_done(relay);
        return -ENOMEM;
    }
    for (size_t i = 0; i < RELAY_LISTENERS; i++) {
        relay->listeners[i].fd = -1;
    }
    relay->tokens_us = monotonic_us();
    return 0;
}

void relay_done(struct relay *relay)
{
    for (size_t i = 0; relay->connections && i < RELAY_CONNECTIONS; i++) {
        connection_done(&relay->connections[i]);
    }
    for (size_t i = 0; relay->listeners && i < RELAY_LISTENERS; i++) {
        close_descriptor(&relay->listeners[i].fd);
    }
    free(relay->connections);
    free(relay->listeners);
    relay->connections = NULL;
    relay->listeners = NULL;
    if (relay->rules.items) {
        resolver_done(&relay->resolver);
        close_descriptor(&relay->timer);
        close_descriptor(&relay->epoll);
    }
    net_rules_done(&relay->rules);
}

/* ---- listeners -------------------------------------------------------------------------------------------------- */

int relay_find(const struct relay *relay, const struct net_target *target)
{
    return net_rules_find(&relay->rules, target->host, target->is_address, target->port);
}

int relay_open(struct relay *relay, const struct net_target *target, int item)
{
    struct listener *listener = NULL;

    for (size_t i = 0; i < RELAY_LISTENERS; i++) {
        struct listener *each = &relay->listeners[i];
        if (each->fd >= 0 && memcmp(&each->target.at, &target->at, sizeof target->at) == 0) {
            return 0;
        }
        listener = !listener && each->fd < 0 ? each : listener;
    }
    if (!listener) { /* one that has not been asked for lately, as far as that can be said */
        listener = &relay->listeners[relay->next_listener++ % RELAY_LISTENERS];
        close_descriptor(&listener->fd);
    }
    int fd = cell_listen(relay->inside, (const struct sockaddr *)&target->at, target->at_len);
    if (fd == -EADDRINUSE) {
        return 0; /* the program talks to itself */
    }
    if (fd < 0) {
        return fd;
    }
    *listener = (struct listener){.fd = fd, .target = *target, .item = item};
    return relay_watch(relay, EPOLL_CTL_ADD, fd, relay->paused ? 0 : EPOLLIN, ABOUT_LISTENER,
                       (size_t)(listener - relay->listeners));
}

int relay_allow(struct relay *relay, const struct net_target *target, int item)
{
    int result = net_rules_allow(&relay->rules, target, item);

    return result ? result : relay_open(relay, target, item);
}

static void pause_listeners(struct relay *relay, bool pause)
{
    const struct itimerspec soon = {.it_value.tv_nsec = PAUSE_MS * 1000000L};

    for (size_t i = 0; relay->paused != pause && i < RELAY_LISTENERS; i++) {
        if (relay->listeners[i].fd >= 0) {
            (void)relay_watch(relay, EPOLL_CTL_MOD, relay->listeners[i].fd, pause ? 0 : EPOLLIN, ABOUT_LISTENER, i);
        }
    }
    relay->paused = pause;
    if (pause) {
        (void)timerfd_settime(relay->timer, 0, &soon, NULL);
    }
}

/* The helper's descriptor changes when it has to be started anew. */
static void watch_resolver(struct relay *relay)
{
    bool there = relay->resolver.from >= 0;

    if (there && !relay->resolver_watched) {
        (void)relay_watch(relay, EPOLL_CTL_ADD, relay->resolver.from, EPOLLIN, ABOUT_RESOLVER, 0);
    }
    relay->resolver_watched = there;
}

static void serve_resolver(struct relay *relay)
{
    resolver_read(&relay->resolver);
    relay->resolver_watched = relay->resolver_watched && relay->resolver.from >= 0;
    for (size_t i = 0; i < RELAY_CONNECTIONS; i++) {
        if (relay->connections[i].state == CONNECTION_RESOLVING) {
            connection_resolve(relay, &relay->connections[i]);
        }
    }
    watch_resolver(relay);
}

/* ---- accepting -------------------------------------------------------------------------------------------------- */

static struct connection *find_room(struct relay *relay)
{
    int64_t now = monotonic_us();

    relay->tokens += (double)(now - relay->tokens_us) * RELAY_RATE / 1e6;
    relay->tokens = relay->tokens > RELAY_RATE ? RELAY_RATE : relay->tokens;
    relay->tokens_us = now;
    for (size_t i = 0; relay->tokens >= 1 && i < RELAY_CONNECTIONS; i++) {
        if (relay->connections[i].state == CONNECTION_FREE) {
            return &relay->connections[i];
        }
    }
    return NULL;
}

static void serve_listener(struct relay *relay, const struct listener *listener)
{
    for (int i = 0; i < ACCEPTS && listener->fd >= 0; i++) {
        struct connection *connection = find_room(relay);
        if (!connection) {
            pause_listeners(relay, true);
            return;
        }
        int fd = accept4(listener->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0) {
            return;
        }
        relay->tokens -= 1;
        connection_begin(relay, connection, listener, fd);
        watch_resolver(relay);
    }
}

static void serve_timer(struct relay *relay)
{
    uint64_t times;
    ssize_t len = read(relay->timer, &times, sizeof times);

    (void)len;
    pause_listeners(relay, false); /* if it was too early, it pauses again */
}

/* ---- the loop --------------------------------------------------------------------------------------------------- */

void relay_serve(struct relay *relay)
{
    struct epoll_event events[EVENTS];
    int count = epoll_wait(relay->epoll, events, EVENTS, 0);

    for (int i = 0; i < count; i++) {
        enum relay_about about = events[i].data.u64 & 0xff;
        size_t index = events[i].data.u64 >> 8;
        switch (about) {
        case ABOUT_LISTENER:
            serve_listener(relay, &relay->listeners[index]);
            break;
        case ABOUT_RESOLVER:
            serve_resolver(relay);
            break;
        case ABOUT_TIMER:
            serve_timer(relay);
            break;
        default:
            connection_serve(relay, &relay->connections[index], about, events[i].events);
            break;
        }
    }
}

static bool delivers(const struct relay *relay)
{
    for (size_t i = 0; i < RELAY_CONNECTIONS; i++) {
        const struct connection *connection = &relay->connections[i];
        if (connection->state != CONNECTION_FREE && !connection->out.shut) {
            return true;
        }
    }
    return false;
}

void relay_finish(struct relay *relay, int milliseconds)
{
    int64_t now = monotonic_us(), until = now + milliseconds * INT64_C(1000);

    if (relay->epoll < 0) {
        return;
    }
    relay_serve(relay);
    for (; delivers(relay) && now < until; now = monotonic_us()) {
        struct pollfd ready = {relay->epoll, POLLIN, 0};
        (void)poll(&ready, 1, (int)((until - now + 999) / 1000));
        relay_serve(relay);
    }
}
