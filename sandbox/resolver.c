/* The helper's other end, and a small cache. */
#include "resolver_internal.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { KEEP_US = 60000000, KEEP_FAILURE_US = 1000000 };

void resolver_init(struct resolver *resolver)
{
    *resolver = (struct resolver){.to = -1, .from = -1};
}

static void stop_helper(struct resolver *resolver)
{
    if (resolver->helper > 0) {
        kill(resolver->helper, SIGKILL);
        (void)waitpid(resolver->helper, NULL, 0);
    }
    resolver->helper = 0;
    close_descriptor(&resolver->to);
    close_descriptor(&resolver->from);
    resolver->line_len = 0;
}

void resolver_done(struct resolver *resolver)
{
    stop_helper(resolver);
    free(resolver->names);
    resolver->names = NULL;
}

/* PREFIX/bin/techo has it in PREFIX/libexec/techo. */
static int find_helper(char ret_path[PATH_MAX])
{
    static const char beside[] = "/libexec/techo/resolve";
    ssize_t len = readlink("/proc/self/exe", ret_path, PATH_MAX - sizeof beside);

    if (len <= 0) {
        return -ENOENT;
    }
    ret_path[len] = '\0';
    for (int i = 0; i < 2; i++) {
        char *slash = strrchr(ret_path, '/');
        if (!slash) {
            return -ENOENT;
        }
        *slash = '\0';
    }
    memcpy(ret_path + strlen(ret_path), beside, sizeof beside);
    return 0;
}

/* With an empty environment and no descriptor but its three. */
static int spawn(const char *path, int input, int output, pid_t *ret_helper)
{
    static char name[] = "resolve";
    char *const argv[] = {name, NULL}, *const env[] = {NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    int error;

    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_adddup2(&actions, input, 0);
    posix_spawn_file_actions_adddup2(&actions, output, 1);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addclosefrom_np(&actions, 3);
    posix_spawn_file_actions_addchdir_np(&actions, "/");
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
    error = posix_spawn(ret_helper, path, &actions, &attributes, argv, env);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return -error;
}

static int start_helper(struct resolver *resolver)
{
    char path[PATH_MAX];
    int input[2], output[2];
    int result = find_helper(path);

    if (result == 0 && pipe2(input, O_CLOEXEC) < 0) {
        return -errno;
    }
    if (result == 0 && pipe2(output, O_CLOEXEC) < 0) {
        result = -errno;
        close(input[0]);
        close(input[1]);
    }
    if (result < 0) {
        return result;
    }
    result = spawn(path, input[0], output[1], &resolver->helper);
    close(input[0]);
    close(output[1]);
    resolver->to = input[1];
    resolver->from = output[0];
    if (result < 0) {
        resolver->helper = 0;
        stop_helper(resolver);
        return result;
    }
    fcntl(resolver->to, F_SETFL, O_NONBLOCK);
    fcntl(resolver->from, F_SETFL, O_NONBLOCK);
    return 0;
}

/* The place of a name: its own, or the one that was used longest ago. NULL when all are being asked for. */
static struct resolved *find_place(struct resolver *resolver, const char *name)
{
    struct resolved *oldest = NULL;

    if (!resolver->names) {
        resolver->names = calloc(RESOLVER_NAMES, sizeof *resolver->names);
    }
    for (size_t i = 0; resolver->names && i < RESOLVER_NAMES; i++) {
        struct resolved *place = &resolver->names[i];
        if (strcmp(place->name, name) == 0) {
            return place;
        }
        if (!place->waiting && (!oldest || place->asked_us < oldest->asked_us)) {
            oldest = place;
        }
    }
    if (oldest) {
        *oldest = (struct resolved){0};
        snprintf(oldest->name, sizeof oldest->name, "%s", name);
    }
    return oldest;
}

/* The helper reads lines faster than any name server answers; one that does not is no helper. */
static bool ask(struct resolver *resolver, const char *name)
{
    char line[NET_NAME_MAX + 2];
    int len = snprintf(line, sizeof line, "%s\n", name);

    return (resolver->helper > 0 || start_helper(resolver) == 0) && write(resolver->to, line, (size_t)len) == len;
}

const struct resolved *resolver_find(struct resolver *resolver, const char *name)
{
    static const struct resolved nothing;
    struct resolved *place = find_place(resolver, name);
    int64_t now = monotonic_us();

    if (!place) {
        return &nothing;
    }
    if (place->waiting) {
        return NULL;
    }
    if (place->known_us && now - place->known_us < (place->count ? KEEP_US : KEEP_FAILURE_US)) {
        return place;
    }
    place->asked_us = now;
    place->count = 0;
    if (!ask(resolver, name)) {
        place->known_us = now;
        return place;
    }
    place->waiting = true;
    return NULL;
}

static void take_address(struct resolved *place, const char *text)
{
    struct sockaddr_storage *at = &place->list[place->count];
    struct sockaddr_in v4 = {.sin_family = AF_INET};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};

    if (place->count == RESOLVER_ADDRESSES) {
        return;
    }
    if (inet_pton(AF_INET, text, &v4.sin_addr) == 1) {
        memcpy(at, &v4, sizeof v4);
        place->count++;
    } else if (inet_pton(AF_INET6, text, &v6.sin6_addr) == 1) {
        memcpy(at, &v6, sizeof v6);
        place->count++;
    }
}

/* "name address address" */
static void take_line(struct resolver *resolver, char *line)
{
    char *rest = NULL, *name = strtok_r(line, " ", &rest);

    for (size_t i = 0; name && resolver->names && i < RESOLVER_NAMES; i++) {
        struct resolved *place = &resolver->names[i];
        if (!place->waiting || strcmp(place->name, name) != 0) {
            continue;
        }
        for (char *address; (address = strtok_r(NULL, " ", &rest));) {
            take_address(place, address);
        }
        place->waiting = false;
        place->known_us = monotonic_us();
        return;
    }
}

/* Whatever is still waited for will not come. */
static void give_up(struct resolver *resolver)
{
    stop_helper(resolver);
    for (size_t i = 0; resolver->names && i < RESOLVER_NAMES; i++) {
        if (resolver->names[i].waiting) {
            resolver->names[i].waiting = false;
            resolver->names[i].known_us = monotonic_us();
        }
    }
}

void resolver_read(struct resolver *resolver)
{
    size_t room = sizeof resolver->line - 1 - resolver->line_len;
    ssize_t len = room > 0 ? read(resolver->from, resolver->line + resolver->line_len, room) : 0;
    char *line = resolver->line, *end;

    if (len <= 0) {
        if (len == 0 || errno != EAGAIN) {
            give_up(resolver);
        }
        return;
    }
    resolver->line_len += (size_t)len;
    resolver->line[resolver->line_len] = '\0';
    while ((end = strchr(line, '\n'))) {
        *end = '\0';
        take_line(resolver, line);
        line = end + 1;
    }
    resolver->line_len -= (size_t)(line - resolver->line);
    memmove(resolver->line, line, resolver->line_len);
}
