/* Messages between a cell's maker, its init, and the program's process before it executes. */
#include "inside_internal.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int inside_send(int socket, const struct inside_message *message, const int *descriptors, size_t count)
{
    struct iovec part = {(void *)message, sizeof *message};
    union {
        char bytes[CMSG_SPACE(INSIDE_DESCRIPTORS * sizeof(int))];
        struct cmsghdr align;
    } extra;
    struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1};

    if (count) {
        memset(&extra, 0, sizeof extra);
        header.msg_control = extra.bytes;
        header.msg_controllen = CMSG_SPACE(count * sizeof(int));
        struct cmsghdr *rights = CMSG_FIRSTHDR(&header);
        rights->cmsg_level = SOL_SOCKET;
        rights->cmsg_type = SCM_RIGHTS;
        rights->cmsg_len = CMSG_LEN(count * sizeof(int));
        memcpy(CMSG_DATA(rights), descriptors, count * sizeof(int));
    }
    return sendmsg(socket, &header, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

static void take_extra(struct msghdr *header, int *descriptors, pid_t *pid)
{
    for (struct cmsghdr *extra = CMSG_FIRSTHDR(header); extra; extra = CMSG_NXTHDR(header, extra)) {
        if (extra->cmsg_level != SOL_SOCKET) {
            continue;
        }
        if (extra->cmsg_type == SCM_RIGHTS) {
            size_t count = (extra->cmsg_len - CMSG_LEN(0)) / sizeof(int);
            for (size_t i = 0; i < count; i++) {
                int fd;
                memcpy(&fd, CMSG_DATA(extra) + i * sizeof fd, sizeof fd);
                if (descriptors && i < INSIDE_DESCRIPTORS) {
                    descriptors[i] = fd;
                } else {
                    close(fd);
                }
            }
        } else if (extra->cmsg_type == SCM_CREDENTIALS && pid) {
            struct ucred sender;
            memcpy(&sender, CMSG_DATA(extra), sizeof sender);
            *pid = sender.pid;
        }
    }
}

int inside_receive(int socket, int flags, struct inside_message *ret, int *ret_descriptors, pid_t *ret_pid)
{
    struct iovec part = {ret, sizeof *ret};
    union {
        char bytes[CMSG_SPACE(INSIDE_DESCRIPTORS * sizeof(int)) + CMSG_SPACE(sizeof(struct ucred))];
        struct cmsghdr align;
    } extra;
    struct msghdr header = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = extra.bytes, .msg_controllen = sizeof extra.bytes};
    ssize_t len;

    for (size_t i = 0; ret_descriptors && i < INSIDE_DESCRIPTORS; i++) {
        ret_descriptors[i] = -1;
    }
    do {
        len = recvmsg(socket, &header, flags | MSG_CMSG_CLOEXEC);
    } while (len < 0 && errno == EINTR);
    if (len <= 0) {
        return len < 0 ? -errno : 0;
    }
    take_extra(&header, ret_descriptors, ret_pid);
    ret->text[sizeof ret->text - 1] = '\0';
    ret->folder[sizeof ret->folder - 1] = '\0';
    return len == sizeof *ret ? 1 : -EPROTO;
}
