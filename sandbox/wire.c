/*
 * Fields of tag (1 byte), length (4 bytes) and bytes, in this machine's own
 * order: both ends are the same program. Datagrams with descriptors, and
 * sealed memfds for what is too long for one.
 */
#include "wire_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEAD_SIZE = 5, SEALS = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE };

void wire_add(struct buf *to, unsigned tag, const void *bytes, size_t len)
{
    unsigned char head[HEAD_SIZE] = {(unsigned char)tag};
    uint32_t size = (uint32_t)len;

    if (len > UINT32_MAX) {
        to->failed = -EFBIG;
        return;
    }
    memcpy(head + 1, &size, sizeof size);
    buf_add(to, head, sizeof head);
    if (len > 0) {
        buf_add(to, bytes, len);
    }
}

void wire_add_number(struct buf *to, unsigned tag, uint64_t value)
{
    wire_add(to, tag, &value, sizeof value);
}

void wire_add_text(struct buf *to, unsigned tag, const char *text)
{
    if (text) {
        wire_add(to, tag, text, strlen(text) + 1);
    }
}

int wire_next(struct wire_reader *reader, struct wire_field *ret_field)
{
    uint32_t size;

    if (reader->left == 0) {
        return 0;
    }
    if (reader->left < HEAD_SIZE) {
        return -EBADMSG;
    }
    memcpy(&size, reader->at + 1, sizeof size);
    if (size > reader->left - HEAD_SIZE) {
        return -EBADMSG;
    }
    *ret_field = (struct wire_field){(unsigned char)reader->at[0], reader->at + HEAD_SIZE, size};
    reader->at += HEAD_SIZE + size;
    reader->left -= HEAD_SIZE + size;
    return 1;
}

int wire_number(const struct wire_field *field, uint64_t max, uint64_t *ret_value)
{
    uint64_t value;

    if (field->len != sizeof value) {
        return -EBADMSG;
    }
    memcpy(&value, field->bytes, sizeof value);
    if (value > max) {
        return -EBADMSG;
    }
    *ret_value = value;
    return 0;
}

int wire_text(const struct wire_field *field, size_t max, const char **ret_text)
{
    if (field->len == 0 || field->len - 1 > max ||
        memchr(field->bytes, '\0', field->len) != field->bytes + field->len - 1) {
        return -EBADMSG;
    }
    *ret_text = field->bytes;
    return 0;
}

/* ---- tables of members ------------------------------------------------------------------------------------------ */

static void add_member(struct buf *to, unsigned tag, const struct wire_member *member, const void *object)
{
    const char *at = (const char *)object + member->offset;
    char *text;
    size_t len;

    switch (member->type) {
    case WIRE_TEXT:
        memcpy(&text, at, sizeof text);
        wire_add_text(to, tag, text);
        break;
    case WIRE_BYTES:
        memcpy(&text, at, sizeof text);
        memcpy(&len, (const char *)object + member->length_offset, sizeof len);
        wire_add(to, tag, text, len);
        break;
    case WIRE_U64:
        wire_add(to, tag, at, sizeof(uint64_t));
        break;
    case WIRE_U32:
        wire_add_number(to, tag, *(const uint32_t *)(const void *)at);
        break;
    case WIRE_INT:
        wire_add_number(to, tag, (uint64_t)(int64_t) * (const int *)(const void *)at);
        break;
    case WIRE_ENUM:
        wire_add_number(to, tag, *(const unsigned *)(const void *)at);
        break;
    case WIRE_BOOL:
        wire_add_number(to, tag, *(const bool *)at);
        break;
    }
}

void wire_add_members(struct buf *to, const struct wire_member *members, size_t count, const void *object)
{
    for (size_t i = 0; i < count; i++) {
        add_member(to, (unsigned)i + 1, &members[i], object);
    }
}

static int read_bytes(const struct wire_field *field, const struct wire_member *member, void *object)
{
    char **at = (char **)(void *)((char *)object + member->offset);
    size_t len = member->type == WIRE_TEXT ? field->len - 1 : field->len;
    const char *text;

    if (member->type == WIRE_TEXT && wire_text(field, member->max, &text) < 0) {
        return -EBADMSG;
    }
    if (field->len > member->max + 1 || *at) {
        return -EBADMSG; /* too long, or said twice */
    }
    *at = malloc(len + 1);
    if (!*at) {
        return -ENOMEM;
    }
    memcpy(*at, field->bytes, len);
    (*at)[len] = '\0';
    if (member->type == WIRE_BYTES) {
        memcpy((char *)object + member->length_offset, &len, sizeof len);
    }
    return 0;
}

static int read_member(const struct wire_field *field, const struct wire_member *member, void *object)
{
    char *at = (char *)object + member->offset;
    uint64_t value;

    if (member->type == WIRE_TEXT || member->type == WIRE_BYTES) {
        return read_bytes(field, member, object);
    }
    if (wire_number(field, UINT64_MAX, &value) < 0) {
        return -EBADMSG;
    }
    switch (member->type) {
    case WIRE_U32:
        if (value > UINT32_MAX) {
            return -EBADMSG;
        }
        memcpy(at, &(uint32_t){(uint32_t)value}, sizeof(uint32_t));
        return 0;
    case WIRE_INT:
        if ((int64_t)value < INT_MIN || (int64_t)value > INT_MAX) {
            return -EBADMSG;
        }
        memcpy(at, &(int){(int)(int64_t)value}, sizeof(int));
        return 0;
    case WIRE_ENUM:
        if (value >= member->max) {
            return -EBADMSG;
        }
        memcpy(at, &(unsigned){(unsigned)value}, sizeof(unsigned));
        return 0;
    case WIRE_BOOL:
        if (value > 1) {
            return -EBADMSG;
        }
        memcpy(at, &(bool){value == 1}, sizeof(bool));
        return 0;
    default:
        memcpy(at, &value, sizeof value);
        return 0;
    }
}

int wire_read_members(const char *bytes, size_t len, const struct wire_member *members, size_t count, void *object)
{
    struct wire_reader reader = {bytes, len};
    struct wire_field field;
    int result;

    while ((result = wire_next(&reader, &field)) == 1) {
        if (field.tag == 0 || field.tag > count) {
            return -EBADMSG;
        }
        result = read_member(&field, &members[field.tag - 1], object);
        if (result < 0) {
            return result;
        }
    }
    return result;
}

void wire_free_members(const struct wire_member *members, size_t count, void *object)
{
    for (size_t i = 0; i < count; i++) {
        if (members[i].type == WIRE_TEXT || members[i].type == WIRE_BYTES) {
            char **at = (char **)(void *)((char *)object + members[i].offset);
            free(*at);
            *at = NULL;
        }
    }
}

/* ---- datagrams and memfds --------------------------------------------------------------------------------------- */

int wire_send(int socket, const void *bytes, size_t len, const int *fds, size_t fd_count, bool wait)
{
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int) * WIRE_FDS_MAX)] = {0};
    struct iovec part = {.iov_base = (void *)(uintptr_t)bytes, .iov_len = len};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    ssize_t sent;

    if (fd_count > 0) {
        message.msg_control = control;
        message.msg_controllen = CMSG_SPACE(sizeof(int) * fd_count);
        struct cmsghdr *head = CMSG_FIRSTHDR(&message);
        head->cmsg_level = SOL_SOCKET;
        head->cmsg_type = SCM_RIGHTS;
        head->cmsg_len = CMSG_LEN(sizeof(int) * fd_count);
        memcpy(CMSG_DATA(head), fds, sizeof(int) * fd_count);
    }
    do {
        sent = sendmsg(socket, &message, MSG_NOSIGNAL | (wait ? 0 : MSG_DONTWAIT));
    } while (sent < 0 && errno == EINTR);
    return sent < 0 ? -errno : 0;
}

static void take_fds(struct msghdr *message, int *fds, size_t max_fds, size_t *ret_fds)
{
    size_t taken = 0;

    for (struct cmsghdr *head = CMSG_FIRSTHDR(message); head; head = CMSG_NXTHDR(message, head)) {
        if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS) {
            continue;
        }
        size_t count = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < count; i++) {
            int fd;
            memcpy(&fd, CMSG_DATA(head) + i * sizeof fd, sizeof fd);
            if (taken < max_fds) {
                fds[taken++] = fd;
            } else {
                close(fd);
            }
        }
    }
    *ret_fds = taken;
}

ssize_t wire_receive(int socket, void *bytes, size_t len, int *fds, size_t max_fds, size_t *ret_fds, bool wait)
{
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int) * WIRE_FDS_MAX)];
    struct iovec part = {.iov_base = bytes, .iov_len = len};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    size_t taken = 0;
    ssize_t got;

    do {
        got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | (wait ? 0 : MSG_DONTWAIT));
    } while (got < 0 && errno == EINTR);
    if (got < 0) {
        return -errno;
    }
    take_fds(&message, fds, max_fds, &taken);
    if (message.msg_flags & MSG_TRUNC) {
        while (taken > 0) {
            close(fds[--taken]);
        }
        got = -EBADMSG;
    }
    if (ret_fds) {
        *ret_fds = taken;
    }
    return got;
}

int wire_seal(const char *name, const void *bytes, size_t len)
{
    int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    size_t done = 0;

    if (fd < 0) {
        return -errno;
    }
    while (done < len) {
        ssize_t wrote = write(fd, (const char *)bytes + done, len - done);
        if (wrote < 0 && errno != EINTR) {
            int error = -errno;
            close(fd);
            return error;
        }
        done += wrote > 0 ? (size_t)wrote : 0;
    }
    if (fcntl(fd, F_ADD_SEALS, SEALS | F_SEAL_SEAL) < 0) {
        int error = -errno;
        close(fd);
        return error;
    }
    return fd;
}

int wire_map(int fd, size_t max, void **ret_bytes, size_t *ret_len)
{
    int seals = fcntl(fd, F_GET_SEALS);
    struct stat info;
    void *bytes;

    if (seals < 0 || (seals & SEALS) != SEALS || fstat(fd, &info) < 0 || info.st_size <= 0 ||
        (uint64_t)info.st_size > max) {
        return -EBADMSG;
    }
    bytes = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes == MAP_FAILED) {
        return -errno;
    }
    *ret_bytes = bytes;
    *ret_len = (size_t)info.st_size;
    return 0;
}
