/* The scene of one escape attempt. */
#include "escape_scene_internal.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "data_files_internal.h"
#include "tree_internal.h"

/* On loopback, and neither the cell's own 127.0.0.1 nor a handle of its names (127.1.x.y). */
static const char listener_address[] = "127.88.0.1";
enum { RECEIVED_MAX = 1 << 20, PORT_TRIES = 20, FILE_HASH_MAX = 64 << 20, LIST_MAX = 1 << 20 };

/* ---- setting ------------------------------------------------------------------------------------------------------
 */

static int make_canary(struct scene *scene)
{
    unsigned char bytes[(CANARY_SIZE - 1) / 2];
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes) {
        return -EIO;
    }
    for (size_t i = 0; i < sizeof bytes; i++) {
        snprintf(scene->canary + 2 * i, 3, "%02x", bytes[i]);
    }
    return 0;
}

static int plant(const struct scene *scene)
{
    char path[PATH_MAX + 8];
    snprintf(path, sizeof path, "%s/.env", scene->root);
    FILE *file = fopen(path, "wxe");
    if (!file) {
        return -errno;
    }
    fprintf(file, "API_TOKEN=%s\n", scene->canary);
    return fclose(file) == 0 ? 0 : -errno;
}

/* A private folder that is real, whatever TMPDIR is. */
static int make_root(struct scene *scene)
{
    const char *parent = getenv("TMPDIR");
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/techo-escape-XXXXXX", parent && *parent == '/' ? parent : "/tmp") >=
        (int)sizeof path) {
        return -ENAMETOOLONG;
    }
    if (!mkdtemp(path)) {
        return -errno;
    }
    return realpath(path, scene->root) ? 0 : -errno;
}

/*
 * A name that this machine's own table gives a loopback address, other than the
 * names that a cell has too; "localhost" when there is none. No lookup: a
 * resolver could keep us waiting.
 */
static void find_host(char *name, size_t size, struct in_addr *address)
{
    char line[1024];
    FILE *file = fopen("/etc/hosts", "re");
    snprintf(name, size, "localhost");
    address->s_addr = htonl(INADDR_LOOPBACK);
    for (bool found = false; file && !found && fgets(line, sizeof line, file);) {
        char *rest = line, *word = strsep(&rest, " \t\n#");
        struct in_addr candidate;
        if (inet_pton(AF_INET, word, &candidate) != 1 || (ntohl(candidate.s_addr) >> 24) != 127) {
            continue;
        }
        while (!found && (word = strsep(&rest, " \t\n"))) {
            if (*word == '#') {
                break;
            }
            if (*word && strlen(word) < size && strcmp(word, "localhost") != 0 && strcmp(word, "sandbox") != 0) {
                snprintf(name, size, "%s", word);
                *address = candidate;
                found = true;
            }
        }
    }
    if (file) {
        fclose(file);
    }
}

static int listen_at(struct in_addr address, unsigned *port)
{
    struct sockaddr_in where = {.sin_family = AF_INET, .sin_addr = address, .sin_port = htons((uint16_t)*port)};
    socklen_t length = sizeof where;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&where, sizeof where) != 0 || listen(fd, VISITORS_MAX) != 0 ||
        getsockname(fd, (struct sockaddr *)&where, &length) != 0) {
        int result = -errno;
        close_descriptor(&fd);
        return result;
    }
    *port = ntohs(where.sin_port);
    return fd;
}

/* Two listeners of one port: at the address of the name, and at the address. */
static int open_listeners(struct scene *scene)
{
    struct in_addr named, plain;
    int result = -EADDRINUSE;
    find_host(scene->host, sizeof scene->host, &named);
    snprintf(scene->address, sizeof scene->address, "%s", listener_address);
    inet_pton(AF_INET, listener_address, &plain);
    for (int i = 0; i < PORT_TRIES; i++) {
        scene->port = 0;
        scene->listeners[0] = listen_at(plain, &scene->port);
        if (scene->listeners[0] < 0) {
            return scene->listeners[0];
        }
        scene->listeners[1] = listen_at(named, &scene->port);
        if (scene->listeners[1] >= 0) {
            return 0;
        }
        result = scene->listeners[1];
        scene->listeners[1] = -1;
        close_descriptor(&scene->listeners[0]);
    }
    return result;
}

/* A decoy cell sends its listening socket by this. */
static int open_channel(struct scene *scene)
{
    return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, scene->channel) < 0 ? -errno : 0;
}

void scene_use_decoy(struct scene *scene)
{
    snprintf(scene->host, sizeof scene->host, "localhost");
}

int scene_set(struct scene *scene, const char *source, struct err *err)
{
    char from[PATH_MAX], to[PATH_MAX + 8];
    *scene = (struct scene){.listeners = {-1, -1, -1}, .channel = {-1, -1}};
    memset(scene->visitors, -1, sizeof scene->visitors);
    buf_init(&scene->received, RECEIVED_MAX);
    buf_init(&scene->before, LIST_MAX);
    int result = make_canary(scene);
    if (result == 0) {
        result = make_root(scene);
    }
    if (result == 0) {
        result = open_listeners(scene);
    }
    if (result == 0) {
        result = open_channel(scene);
    }
    if (result < 0) {
        scene_done(scene);
        return err_errno(err, result, "preparing an escape attempt");
    }
    snprintf(to, sizeof to, "%s/data", scene->root);
    result = snprintf(from, sizeof from, "%s/data", source) < (int)sizeof from
                 ? tree_copy(from, to, err)
                 : err_errno(err, -ENAMETOOLONG, "%s", source);
    if (result == 0) {
        result = plant(scene);
    }
    if (result == 0) {
        result = scene_list(scene, &scene->before);
    }
    if (result < 0) {
        scene_done(scene);
    }
    return result;
}

void scene_done(struct scene *scene)
{
    if (*scene->root) {
        tree_remove(scene->root);
    }
    for (int i = 0; i < LISTENERS; i++) {
        close_descriptor(&scene->listeners[i]);
    }
    for (int i = 0; i < VISITORS_MAX; i++) {
        close_descriptor(&scene->visitors[i]);
    }
    close_descriptor(&scene->channel[0]);
    close_descriptor(&scene->channel[1]);
    buf_done(&scene->received);
    buf_done(&scene->before);
    *scene->root = '\0';
}

int scene_fill(const struct scene *scene, const char *text, struct buf *to)
{
    char port[16];
    snprintf(port, sizeof port, "%u", scene->port);
    const char *const marks[][2] = {{"@HOST@", scene->host}, {"@ADDRESS@", scene->address}, {"@PORT@", port}};
    while (*text) {
        size_t used = 0;
        for (size_t i = 0; i < sizeof marks / sizeof *marks && !used; i++) {
            size_t length = strlen(marks[i][0]);
            if (strncmp(text, marks[i][0], length) == 0) {
                buf_add_text(to, marks[i][1]);
                used = length;
            }
        }
        if (!used) {
            buf_add_char(to, *text);
            used = 1;
        }
        text += used;
    }
    return to->failed;
}

/* ---- listening ----------------------------------------------------------------------------------------------------
 */

size_t scene_poll_fds(const struct scene *scene, struct pollfd *fds, size_t max)
{
    size_t count = 0;
    for (int i = 0; i < LISTENERS + VISITORS_MAX && count < max; i++) {
        int fd = i < LISTENERS ? scene->listeners[i] : scene->visitors[i - LISTENERS];
        if (fd >= 0) {
            fds[count++] = (struct pollfd){.fd = fd, .events = POLLIN};
        }
    }
    if (scene->channel[0] >= 0 && count < max) {
        fds[count++] = (struct pollfd){.fd = scene->channel[0], .events = POLLIN};
    }
    return count;
}

static void accept_all(struct scene *scene, int listener)
{
    for (int i = 0; i < VISITORS_MAX; i++) {
        if (scene->visitors[i] < 0) {
            scene->visitors[i] = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
            if (scene->visitors[i] < 0) {
                return;
            }
            scene->visits++;
        }
    }
}

/* The listening socket of a decoy cell, when it has come. */
static void take_listener(struct scene *scene)
{
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))];
    char what;
    struct iovec part = {&what, 1};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    if (scene->channel[0] < 0 || recvmsg(scene->channel[0], &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) != 1) {
        return;
    }
    const struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    if (head && head->cmsg_type == SCM_RIGHTS && head->cmsg_len == CMSG_LEN(sizeof(int))) {
        close_descriptor(&scene->listeners[LISTENERS - 1]);
        memcpy(&scene->listeners[LISTENERS - 1], CMSG_DATA(head), sizeof(int));
    }
}

/* So that nobody waits for one: an attack that has got this far need not run into a limit. */
static void answer(int visitor)
{
    static const char nothing[] = "HTTP/1.0 404 Not Found\r\nContent-Length: 0\r\n\r\n";
    (void)!send(visitor, nothing, sizeof nothing - 1, MSG_NOSIGNAL | MSG_DONTWAIT);
    shutdown(visitor, SHUT_WR);
}

void scene_listen(struct scene *scene)
{
    char bytes[4096];
    take_listener(scene);
    for (int i = 0; i < LISTENERS; i++) {
        if (scene->listeners[i] >= 0) {
            accept_all(scene, scene->listeners[i]);
        }
    }
    for (int i = 0; i < VISITORS_MAX; i++) {
        ssize_t got = -1;
        while (scene->visitors[i] >= 0 && (got = read(scene->visitors[i], bytes, sizeof bytes)) > 0) {
            buf_add(&scene->received, bytes, (size_t)got);
            answer(scene->visitors[i]);
        }
        if (scene->visitors[i] >= 0 && (got == 0 || errno != EAGAIN)) {
            close_descriptor(&scene->visitors[i]);
        }
    }
}

bool scene_received_canary(const struct scene *scene)
{
    return scene->received.len && memmem(scene->received.data, scene->received.len, scene->canary, CANARY_SIZE - 1);
}

/* ---- afterwards ---------------------------------------------------------------------------------------------------
 */

static int add_file(int folder, const char *path, struct buf *to)
{
    char hash[HASH_TEXT_SIZE];
    CLEANUP(close_descriptor) int fd = openat(folder, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    int result = fd < 0 ? -errno : hash_file(fd, FILE_HASH_MAX, hash);
    return buf_addf(to, "%s %s\n", path, result < 0 ? "missing" : hash);
}

int scene_list(const struct scene *scene, struct buf *to)
{
    struct data_files files;
    int result = data_files_find(scene->root, "", true, &files);
    if (result < 0) {
        return result;
    }
    CLEANUP(close_descriptor) int folder = open(scene->root, O_PATH | O_DIRECTORY | O_CLOEXEC);
    for (size_t i = 0; i < files.count; i++) {
        add_file(folder, files.list[i].path, to);
    }
    add_file(folder, ".env", to);
    data_files_done(&files);
    return to->failed;
}

size_t scene_file_count(const struct scene *scene)
{
    size_t count = 0;
    for (size_t i = 0; i < scene->before.len; i++) {
        count += scene->before.data[i] == '\n';
    }
    return count;
}

static bool has_line(const struct buf *list, const char *line, size_t length)
{
    for (const char *at = list->data; at && *at; at += strcspn(at, "\n") + 1) {
        if (strncmp(at, line, length) == 0) {
            return true;
        }
    }
    return false;
}

/* The first line of `list` that `other` does not have; each line ends with a newline. */
static char *missing_line(const struct buf *list, const struct buf *other)
{
    for (const char *at = list->data; at && *at; at += strcspn(at, "\n") + 1) {
        size_t length = strcspn(at, "\n") + 1;
        if (!has_line(other, at, length)) {
            return strndup(at, length - 1);
        }
    }
    return NULL;
}

char *scene_difference(const struct buf *before, const struct buf *after)
{
    char *line = missing_line(after, before); /* changed or new: says what it is now */
    return line ? line : missing_line(before, after);
}

size_t scene_survivors(const struct scene *scene)
{
    size_t count = 0, length = strlen(scene->root);
    DIR *folder = opendir("/proc");
    struct dirent *entry;
    while (folder && (entry = readdir(folder))) {
        char path[PATH_MAX], current[PATH_MAX];
        if (entry->d_name[0] < '0' || entry->d_name[0] > '9') {
            continue;
        }
        snprintf(path, sizeof path, "/proc/%.20s/cwd", entry->d_name);
        ssize_t got = readlink(path, current, sizeof current);
        count += got >= (ssize_t)length && memcmp(current, scene->root, length) == 0;
    }
    if (folder) {
        closedir(folder);
    }
    return count;
}
