/*
 * libexec/techo/resolve: names to addresses, in a process of its own, so that
 * no slow name server ever holds up a supervisor. Reads one host name per
 * line; answers each with one line: the name and its addresses, separated by
 * blanks, none when there are none.
 */
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

enum { NAME_ROOM = 256, ADDRESS_ROOM = 64 };

static void answer(const char *name)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_ADDRCONFIG};
    struct addrinfo *list = NULL;

    printf("%s", name);
    if (getaddrinfo(name, NULL, &hints, &list) == 0) {
        for (const struct addrinfo *at = list; at; at = at->ai_next) {
            char address[ADDRESS_ROOM];
            if (getnameinfo(at->ai_addr, at->ai_addrlen, address, sizeof address, NULL, 0, NI_NUMERICHOST) == 0) {
                printf(" %s", address);
            }
        }
        freeaddrinfo(list);
    }
    putchar('\n');
    fflush(stdout);
}

int main(void)
{
    char line[NAME_ROOM];

    while (fgets(line, sizeof line, stdin)) {
        size_t len = strcspn(line, "\n");
        if (line[len] != '\n') {
            fprintf(stderr, "resolve: a name is too long\n");
            return 1;
        }
        line[len] = '\0';
        if (len > 0) {
            answer(line);
        }
    }
    return ferror(stdin) || ferror(stdout) ? 1 : 0;
}
