/* Takes artifacts out of a session. Every step goes by descriptor, one part of the name at a time. */
#include "artifact.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { CONTENT_MAX = 16 << 20, PART_MAX = 256 };

int artifact_folder(const char *path, int *ret_fd, struct err *err)
{
    int fd = mkdir(path, 0777) < 0 && errno != EEXIST ? -1 : open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0) {
        return err_errno(err, -errno, "cannot use the folder %s", path);
    }
    *ret_fd = fd;
    return 0;
}

static int open_below(int folder, const char *part, uint64_t flags, uint64_t mode)
{
    struct open_how how = {
        .flags = flags | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY,
        .mode = mode,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
    };
    long fd = syscall(SYS_openat2, folder, part, &how, sizeof how);

    return fd < 0 ? -errno : (int)fd;
}

/* What begins with a dot configures other programs more often than not, and includes the two names of folders. */
static bool part_is_plain(const char *part, size_t len)
{
    return len > 0 && len < PART_MAX && part[0] != '.';
}

static bool name_is_plain(const char *name)
{
    for (const char *at = name;; at++) {
        size_t len = strcspn(at, "/");
        if (!part_is_plain(at, len)) {
            return false;
        }
        at += len;
        if (!*at) {
            return true;
        }
    }
}

/* The folder `part` of `folder`, made when it is not there. Closes `folder`. */
static int enter(int folder, const char *part)
{
    int fd = mkdirat(folder, part, 0777) < 0 && errno != EEXIST ? -errno
                                                                : open_below(folder, part, O_RDONLY | O_DIRECTORY, 0);
    close(folder);
    return fd;
}

/* A new file of this name, folders made. */
static int create(int folder, const char *name)
{
    char part[PART_MAX];
    int fd = fcntl(folder, F_DUPFD_CLOEXEC, 0), file;

    for (const char *slash; fd >= 0 && (slash = strchr(name, '/')); name = slash + 1) {
        size_t len = (size_t)(slash - name);
        memcpy(part, name, len);
        part[len] = '\0';
        fd = enter(fd, part);
    }
    if (fd < 0) {
        return fd;
    }
    file = open_below(fd, name, O_WRONLY | O_CREAT | O_EXCL, 0666);
    close(fd);
    return file;
}

static int write_all(int fd, const struct buf *content)
{
    for (size_t done = 0; done < content->len;) {
        ssize_t wrote = write(fd, content->data + done, content->len - done);
        if (wrote < 0 && errno != EINTR) {
            return -errno;
        }
        done += wrote > 0 ? (size_t)wrote : 0;
    }
    return 0;
}

static int write_file(int folder, const char *name, const struct buf *content, struct err *err)
{
    int fd = create(folder, name), code;

    if (fd == -EEXIST) {
        return err_set(err, fd, "%s is there already, and is not replaced", name);
    }
    if (fd == -ELOOP || fd == -ENOTDIR) {
        return err_set(err, fd, "%s: a part of the name is a link or no folder there", name);
    }
    if (fd < 0) {
        return err_errno(err, fd, "cannot write %s", name);
    }
    code = write_all(fd, content);
    if (close(fd) < 0 && code == 0) {
        code = -errno;
    }
    return code < 0 ? err_errno(err, code, "cannot write all of %s", name) : 0;
}

/* Why there is nothing to write; 0 when there is. */
static int check_content(const struct event *artifact, const char *name, struct err *err)
{
    const char *problem = event_text(artifact, "problem", NULL);
    int64_t size = event_int(artifact, "size", 0);

    if (problem) {
        return err_set(err, -ENODATA, "%s was not taken over: %s", name, problem);
    }
    if (size > 0 && !event_json(artifact, "bytes")) {
        return err_set(err, -ENODATA, "%s has %" PRId64 " bytes; of files above 1 MiB a session keeps the hash alone: %s",
                       name, size, event_text(artifact, "hash", "unknown"));
    }
    return 0;
}

int artifact_save(int folder, const struct event *artifact, struct err *err)
{
    const char *name = event_text(artifact, "name", "");
    struct buf content;
    int code = check_content(artifact, name, err);

    if (code < 0) {
        return code;
    }
    if (!name_is_plain(name)) {
        return err_set(err, -EINVAL, "%s: nothing is written to a name with a part that is empty or begins with a dot",
                       name);
    }
    buf_init(&content, CONTENT_MAX);
    code = event_json(artifact, "bytes") ? event_bytes(artifact, "bytes", &content) : 0;
    code = code < 0 ? err_errno(err, code, "cannot read %s in the session", name)
                    : write_file(folder, name, &content, err);
    buf_done(&content);
    return code;
}
