/* The file of a session: one write per line, so that what was shown survives the end of the process. */
#include "log_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int log_open(struct log *log, const char *path, struct err *err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) {
        int code = -errno;
        return code == -EEXIST ? err_set(err, code, "the session file %s exists already", path)
                               : err_errno(err, code, "cannot make the session file %s", path);
    }
    *log = (struct log){.fd = fd};
    SHA256Init(&log->hash);
    return 0;
}

void log_close(struct log *log)
{
    close_descriptor(&log->fd);
}

static int write_all(int fd, const char *bytes, size_t len)
{
    while (len > 0) {
        ssize_t n = write(fd, bytes, len);
        if (n < 0 && errno != EINTR) {
            return -errno;
        }
        if (n > 0) {
            bytes += n;
            len -= (size_t)n;
        }
    }
    return 0;
}

int log_write(struct log *log, const char *line, size_t len)
{
    if (log->fd < 0) {
        return -EBADF;
    }
    struct buf whole;
    buf_init(&whole, SIZE_MAX / 2);
    buf_add(&whole, line, len);
    int r = buf_add_char(&whole, '\n');
    if (r == 0) {
        r = write_all(log->fd, whole.data, whole.len);
    }
    if (r < 0) {
        /* What does not fit is no line. Where even this fails, readers leave the torn line out. */
        (void)!ftruncate(log->fd, (off_t)log->offset);
        log_close(log);
    } else {
        log->offset += whole.len;
        SHA256Update(&log->hash, (const uint8_t *)whole.data, whole.len);
    }
    buf_done(&whole);
    return r;
}

void log_hash(const struct log *log, char ret_text[LOG_HASH_TEXT])
{
    SHA2_CTX so_far = log->hash;
    uint8_t digest[SHA256_DIGEST_LENGTH];
    SHA256Final(digest, &so_far);
    for (size_t i = 0; i < sizeof(digest); i++) {
        snprintf(ret_text + 2 * i, 3, "%02x", digest[i]);
    }
}
