/* Changes what a watched call names while it is being judged. What the kernel then does must still be allowed. */
#include "attack.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>

enum { TRIES = 10000 };
static atomic_bool done;

/* Two texts, one after the other, into one buffer until it is done. */
static char shared[128];
static const void *first, *second;
static size_t shared_len;

static void *flip(void *nothing)
{
    while (!done) {
        memcpy(shared, first, shared_len);
        memcpy(shared, second, shared_len);
    }
    return nothing;
}

static pthread_t start_flipping(const void *a, const void *b, size_t len)
{
    pthread_t thread;

    first = a;
    second = b;
    shared_len = len;
    memcpy(shared, a, len);
    done = false;
    control("thread", -pthread_create(&thread, NULL, flip, NULL));
    return thread;
}

static void stop_flipping(pthread_t thread)
{
    done = true;
    pthread_join(thread, NULL);
}

/* Only the data begin with an "a". */
static bool is_data(int fd)
{
    char byte = 0;
    return read(fd, &byte, 1) == 1 && byte == 'a';
}

static void opens(void)
{
    static const char allowed[32] = "data/a.txt", denied[32] = ".env";
    const char *word = "data-only";
    long opened = 0;
    pthread_t thread = start_flipping(allowed, denied, sizeof allowed);

    for (int i = 0; i < TRIES; i++) {
        int fd = open(shared, O_RDONLY | O_CLOEXEC);
        if (fd >= 0) {
            word = is_data(fd) ? word : "through";
            opened++;
            close(fd);
        }
    }
    stop_flipping(thread);
    try_word("open", word);
    control("opened", opened ? 0 : -1);
}

static void *swap_folder(void *nothing)
{
    while (!done) {
        rename("out/way", "out/folder");
        rename("out/link", "out/way");
        rename("out/way", "out/link");
        rename("out/folder", "out/way");
    }
    return nothing;
}

/* A folder on the way becomes a link that leads out, and a folder again. */
static void components(void)
{
    const char *word = "data-only";
    pthread_t thread;
    int opened = 0;

    mkdir("out/way", 0700);
    int fd = open("out/way/.env", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    control("make", write(fd, "a", 1));
    close(fd);
    symlink("..", "out/link");
    done = false;
    control("thread", -pthread_create(&thread, NULL, swap_folder, NULL));
    for (int i = 0; i < TRIES; i++) {
        fd = open("out/way/.env", O_RDONLY | O_CLOEXEC);
        if (fd >= 0) {
            word = is_data(fd) ? word : "through";
            opened++;
            close(fd);
        }
    }
    done = true;
    pthread_join(thread, NULL);
    try_word("open", word);
    control("opened", opened ? 0 : -1);
}

static int own_server(struct sockaddr_in *ret_address)
{
    socklen_t len = sizeof *ret_address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    *ret_address = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    bind(fd, (struct sockaddr *)ret_address, sizeof *ret_address);
    listen(fd, 128);
    getsockname(fd, (struct sockaddr *)ret_address, &len);
    return fd;
}

/* Its own server, whose address is let through, and one outside. */
static void connects(void)
{
    struct sockaddr_in own, outside = {.sin_family = AF_INET, .sin_port = htons(80)}, at;
    const char *word = "own-only";
    socklen_t len = sizeof at;
    int connected = 0, server = own_server(&own);

    inet_aton("192.0.2.1", &outside.sin_addr);
    pthread_t thread = start_flipping(&own, &outside, sizeof own);
    for (int i = 0; i < TRIES && strcmp(word, "through") != 0; i++) {
        int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (connect(fd, (struct sockaddr *)shared, sizeof own) == 0) {
            getpeername(fd, (struct sockaddr *)&at, &len);
            word = at.sin_addr.s_addr == own.sin_addr.s_addr ? word : "through";
            connected++;
        }
        close(fd);
        for (int peer; (peer = accept(server, NULL, NULL)) >= 0;) {
            close(peer);
        }
    }
    stop_flipping(thread);
    try_word("connect", word);
    control("connected", connected ? 0 : -1);
}

static int target, other;

static void *replace_descriptor(void *nothing)
{
    while (!done) {
        dup2(other, target);
        dup2(1, target);
    }
    return nothing;
}

/* Another file takes the socket's number while its connect is judged. */
static void descriptors(void)
{
    struct sockaddr_in outside = {.sin_family = AF_INET, .sin_port = htons(80)}, own;
    const char *word = "refused";
    pthread_t thread;

    inet_aton("192.0.2.1", &outside.sin_addr);
    other = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    target = fcntl(other, F_DUPFD_CLOEXEC, 100);
    done = false;
    control("thread", -pthread_create(&thread, NULL, replace_descriptor, NULL));
    for (int i = 0; i < TRIES && strcmp(word, "through") != 0; i++) {
        word = connect(target, (struct sockaddr *)&outside, sizeof outside) ? word : "through";
    }
    done = true;
    pthread_join(thread, NULL);
    try_word("connect", word);
    control("listen", own_server(&own));
    control("own", connect(other, (struct sockaddr *)&own, sizeof own));
}

static volatile int alarms;

static void count_alarm(int number)
{
    (void)number;
    alarms++;
}

/* A signal every 100 microseconds: each connect happens once or not at all. */
static void signal_storm(void)
{
    struct itimerval often = {{0, 100}, {0, 100}}, never = {{0, 0}, {0, 0}};
    struct sockaddr_in own;
    int connected = 0, accepted = 0, server = own_server(&own);
    struct sigaction action = {.sa_handler = count_alarm};

    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < 1000; i++) {
        int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        int result;
        do {
            result = connect(fd, (struct sockaddr *)&own, sizeof own);
        } while (result < 0 && errno == EINTR);
        connected += result == 0;
        for (int peer; (peer = accept(server, NULL, NULL)) >= 0;) {
            accepted++;
            close(peer);
        }
        close(fd);
    }
    setitimer(ITIMER_REAL, &never, NULL);
    for (int peer; (peer = accept(server, NULL, NULL)) >= 0;) {
        accepted++;
        close(peer);
    }
    try_word("twice", accepted > connected ? "through" : "once");
    control("storm", alarms > 10 ? 0 : -1);
    control("connected", connected > 0 ? 0 : -1);
}

static void *execute_again(void *nothing)
{
    static char name[] = "races", argument[] = "executed";
    char *const argv[] = {name, argument, NULL};

    execv(shared, argv);
    return nothing;
}

static int execute_flipping(void)
{
    pthread_t threads[2], flipper;
    static char allowed[128], denied[128] = "/usr/bin/true";
    static char name[] = "races", argument[] = "executed";
    char *const argv[] = {name, argument, NULL};

    snprintf(allowed, sizeof allowed, "%s", given("SELF"));
    first = allowed;
    second = denied;
    shared_len = sizeof allowed;
    memcpy(shared, allowed, sizeof allowed);
    pthread_create(&flipper, NULL, flip, NULL);
    pthread_create(&threads[0], NULL, execute_again, NULL);
    pthread_create(&threads[1], NULL, execute_again, NULL);
    for (int i = 0; i < 100; i++) {
        execv(shared, argv);
    }
    return 1;
}

/* Two threads execute at once, and a third changes what: only the program itself ever starts. */
static void executions(void)
{
    const char *word = "itself-only";
    int executed = 0;

    for (int i = 0; i < 50; i++) {
        int status = in_child(execute_flipping);
        executed += status == 42;
        word = status == 0 ? "through" : word; /* what /usr/bin/true would have ended with */
    }
    try_word("execute", word);
    control("executed", executed ? 0 : -1);
}

static void executed(void)
{
    exit(42);
}

ATTACKS({"opens", opens}, {"components", components}, {"connects", connects}, {"descriptors", descriptors},
        {"signal-storm", signal_storm}, {"executions", executions}, {"executed", executed})
