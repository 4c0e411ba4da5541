/*
 * libexec/techo/resolve: names to addresses, in a process of its own, so that
 * no slow name server ever holds up a supervisor. Reads one host name per
 * line; answers each, as soon as it is known, with one line: the name and its
 * addresses, separated by blanks, none when there are none. It needs no right
 * for that, and gives up what it has.
 */
#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <netdb.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { NAME_ROOM = 256, ADDRESS_ROOM = 64, LINE_ROOM = 1000, NOBODY = 65534 };

/* The line must be one piece, and fit the reader's room. */
static void answer(const char *name)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_ADDRCONFIG};
    struct addrinfo *list = NULL;
    char line[LINE_ROOM];
    size_t len = (size_t)snprintf(line, sizeof line, "%s", name);

    if (getaddrinfo(name, NULL, &hints, &list) == 0) {
        for (const struct addrinfo *at = list; at; at = at->ai_next) {
            char address[ADDRESS_ROOM];
            if (getnameinfo(at->ai_addr, at->ai_addrlen, address, sizeof address, NULL, 0, NI_NUMERICHOST) == 0 &&
                len + strlen(address) + 2 < sizeof line) {
                len += (size_t)snprintf(line + len, sizeof line - len, " %s", address);
            }
        }
        freeaddrinfo(list);
    }
    flockfile(stdout);
    printf("%s\n", line);
    fflush(stdout);
    funlockfile(stdout);
}

static void *answer_and_free(void *name)
{
    answer(name);
    free(name);
    return NULL;
}

/* A slow name does not wait in front of the others. The reader bounds how many it asks for at once. */
static void start_answer(const char *line)
{
    char *name = strdup(line);
    pthread_t thread;

    if (name && pthread_create(&thread, NULL, answer_and_free, name) == 0) {
        pthread_detach(thread);
        return;
    }
    free(name);
    answer(line);
}

static int give_up_rights(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    const struct __user_cap_data_struct none[2] = {{0}};

    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    if (geteuid() == 0) {
        /* EPERM, EINVAL: root of a namespace that has no other user */
        if ((setgroups(0, NULL) && errno != EPERM) || (setresgid(NOBODY, NOBODY, NOBODY) && errno != EINVAL) ||
            (setresuid(NOBODY, NOBODY, NOBODY) && errno != EINVAL)) {
            return -1;
        }
    }
    if (syscall(SYS_capset, &header, none) || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) {
        return -1;
    }
    return prctl(PR_SET_PDEATHSIG, SIGKILL);
}

int main(void)
{
    char line[NAME_ROOM];

    if (give_up_rights()) {
        return 1;
    }
    while (fgets(line, sizeof line, stdin)) {
        size_t len = strcspn(line, "\n");
        if (line[len] != '\n') {
            fprintf(stderr, "resolve: a name is too long\n");
            return 1;
        }
        line[len] = '\0';
        if (len > 0) {
            start_answer(line);
        }
    }
    _exit(0); /* nobody is left who would read an answer */
}
