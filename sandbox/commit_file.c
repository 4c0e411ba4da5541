/* One name of one host folder: replaced at once by a complete file, made, or removed. Links are never followed. */
#include "commit_file_internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel_internal.h"
#include "protect_internal.h"

enum { COPY_BYTES = 1 << 16, REMOVE_DEPTH = 64, MODE_KEPT = 0777, TEMPORARY_TRIES = 8 };

static const char changed_meanwhile[] = "it was changed on the host while the program ran";

static bool is_later(const struct timespec *time, const struct timespec *than)
{
    return time->tv_sec != than->tv_sec ? time->tv_sec > than->tv_sec : time->tv_nsec > than->tv_nsec;
}

/* ---- a file ------------------------------------------------------------------------------------------------------ */

/* The content, but no more than `size` bytes of it. */
static int copy(int from, int to, uint64_t size)
{
    char *bytes = malloc(COPY_BYTES);
    int result = bytes ? 0 : -ENOMEM;

    while (!result && size > 0) {
        ssize_t got = read(from, bytes, size < COPY_BYTES ? size : COPY_BYTES);
        if (got <= 0) {
            result = got < 0 ? -errno : 0;
            break;
        }
        size -= (uint64_t)got;
        for (ssize_t done = 0; done < got && !result;) {
            ssize_t wrote = write(to, bytes + done, (size_t)(got - done));
            result = wrote < 0 && errno != EINTR ? -errno : 0;
            done += wrote > 0 ? wrote : 0;
        }
    }
    free(bytes);
    return result;
}

/* A new file beside the one that it will replace; nobody else can open it yet. */
static int make_temporary(int host, char ret_name[32])
{
    int fd = -1;

    for (int i = 0; i < TEMPORARY_TRIES && fd < 0; i++) {
        uint64_t number;
        if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number) {
            return -EIO;
        }
        snprintf(ret_name, 32, ".techo-%016llx", (unsigned long long)number);
        fd = openat(host, ret_name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (fd < 0 && errno != EEXIST) {
            return -errno;
        }
    }
    return fd < 0 ? -EEXIST : fd;
}

/* The owner that is kept, or the folder's. Set-user-id bits are never kept: the content is another. */
static int dress(int fd, int host, const struct stat *old, mode_t mode)
{
    struct stat folder;

    if (fstat(host, &folder)) {
        return -errno;
    }
    if (old || geteuid() == 0) {
        struct stat own;
        uid_t uid = old ? old->st_uid : folder.st_uid;
        gid_t gid = old ? old->st_gid : folder.st_gid;
        if (fstat(fd, &own) || ((own.st_uid != uid || own.st_gid != gid) && fchown(fd, uid, gid))) {
            return -errno;
        }
    }
    return fchmod(fd, (old ? old->st_mode : mode) & MODE_KEPT) ? -errno : 0;
}

static int put_in_place(int host, const char *temporary, const char *name, const struct stat *old)
{
    struct stat now;

    if (!old) {
        return renameat2(host, temporary, host, name, RENAME_NOREPLACE) ? -errno : 0;
    }
    if (fstatat(host, name, &now, AT_SYMLINK_NOFOLLOW) || now.st_ino != old->st_ino || now.st_dev != old->st_dev ||
        is_later(&now.st_ctim, &old->st_ctim)) {
        return -ESTALE;
    }
    return renameat(host, temporary, host, name) ? -errno : 0;
}

static int replace(int from, int host, const char *name, const struct stat *new, const struct stat *old)
{
    char temporary[32];
    int fd = make_temporary(host, temporary), result;

    if (fd < 0) {
        return fd;
    }
    result = copy(from, fd, (uint64_t) new->st_size);
    result = result ? result : dress(fd, host, old, new->st_mode);
    result = !result && fsync(fd) ? -errno : result;
    result = result ? result : put_in_place(host, temporary, name, old);
    if (result) {
        unlinkat(host, temporary, 0);
    }
    close(fd);
    return result;
}

/* Why the file of the layer, or what lies in its place, is not for us; NULL when it is. */
static const char *find_problem(const struct stat *new, const struct stat *old, const struct timespec *started,
                                uint64_t bytes_left)
{
    if (!S_ISREG(new->st_mode)) {
        return "it is no regular file";
    }
    if (new->st_nlink > 1) {
        return "it has several names (hard links)";
    }
    if ((uint64_t) new->st_size > bytes_left) {
        return "it is larger than the limit disk";
    }
    if (old && !S_ISREG(old->st_mode)) {
        return S_ISLNK(old->st_mode) ? "a symbolic link lies there" : "something else than a file lies there";
    }
    return old && is_later(&old->st_ctim, started) ? changed_meanwhile : NULL;
}

void commit_file(int upper, int host, const char *name, const struct timespec *started, uint64_t *bytes_left,
                 struct commit_step *ret_step)
{
    struct stat new, there;
    int from = kernel_openat2(upper, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0,
                              RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV);

    if (from < 0 || fstat(from, &new)) {
        ret_step->error = -errno;
        close_descriptor(&from);
        return;
    }
    bool exists = fstatat(host, name, &there, AT_SYMLINK_NOFOLLOW) == 0;
    ret_step->problem = find_problem(&new, exists ? &there : NULL, started, *bytes_left);
    if (!ret_step->problem) {
        int result = replace(from, host, name, &new, exists ? &there : NULL);
        if (result == -ESTALE || result == -EEXIST) {
            ret_step->problem = changed_meanwhile;
        } else {
            ret_step->error = result;
        }
        *bytes_left -= (uint64_t) new.st_size;
        ret_step->size = (uint64_t) new.st_size;
        ret_step->kind = exists ? EFFECT_CHANGED : EFFECT_CREATED;
    }
    close(from);
}

/* ---- removing and making ----------------------------------------------------------------------------------------- */

/* What is to go, and what keeps it; started NULL: nothing does. */
struct removal {
    const struct timespec *started;
    const char *const *own;
    struct commit_step *step;
    char path[PATH_MAX]; /* on the host */
};

static void remove_folder(struct removal *removal, int host, const char *name, size_t len, int depth);

static void remove_entry(struct removal *removal, int host, const char *name, size_t len, int depth)
{
    struct commit_step *step = removal->step;
    struct stat info;

    if (fstatat(host, name, &info, AT_SYMLINK_NOFOLLOW)) {
        step->error = errno == ENOENT ? 0 : -errno;
    } else if (removal->started && protect_is(removal->path, removal->own)) {
        step->problem = "it holds a protected name";
    } else if (S_ISDIR(info.st_mode)) {
        remove_folder(removal, host, name, len, depth + 1);
    } else if (removal->started && is_later(&info.st_ctim, removal->started)) {
        step->problem = changed_meanwhile;
    } else if (unlinkat(host, name, 0)) {
        step->error = -errno;
    } else {
        step->kind = EFFECT_REMOVED;
    }
}

static void remove_folder(struct removal *removal, int host, const char *name, size_t len, int depth)
{
    struct commit_step *step = removal->step;
    struct dirent **entries;
    int fd = kernel_openat2(host, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0,
                            RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV);
    int count = fd < 0 || depth > REMOVE_DEPTH ? -1 : scandirat(fd, ".", &entries, NULL, alphasort);

    if (count < 0) {
        step->error = depth > REMOVE_DEPTH ? -ELOOP : -errno;
        close_descriptor(&fd);
        return;
    }
    for (int i = 0; i < count; i++) {
        const char *entry = entries[i]->d_name;
        size_t room = sizeof removal->path - len;
        int more = strcmp(entry, ".") && strcmp(entry, "..") && !step->problem && !step->error
                       ? snprintf(removal->path + len, room, "/%s", entry)
                       : 0;
        if (more > 0 && (size_t)more < room) {
            remove_entry(removal, fd, entry, len + (size_t)more, depth);
        }
        removal->path[len] = '\0';
        free(entries[i]);
    }
    free(entries);
    close(fd);
    if (!step->problem && !step->error && unlinkat(host, name, AT_REMOVEDIR)) {
        step->error = -errno;
    }
    step->kind = EFFECT_REMOVED;
}

void commit_remove(int host, const char *name, const char *path, const struct timespec *started, const char *const *own,
                   struct commit_step *ret_step)
{
    struct removal removal = {.started = started, .own = own, .step = ret_step};
    size_t len = strlen(path);

    if (len >= sizeof removal.path) {
        ret_step->error = -ENAMETOOLONG;
        return;
    }
    memcpy(removal.path, path, len + 1);
    remove_entry(&removal, host, name, len, 0);
}

void commit_discard(int host, const char *name, struct commit_step *ret_step)
{
    struct removal removal = {.step = ret_step};

    remove_entry(&removal, host, name, 0, 0);
}

int commit_make_folder(int host, const char *name, mode_t mode)
{
    struct stat folder;
    int fd;

    if (fstat(host, &folder) || mkdirat(host, name, 0700)) {
        return -errno;
    }
    fd = kernel_openat2(host, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0,
                        RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV);
    if (fd < 0 || (geteuid() == 0 && fchown(fd, folder.st_uid, folder.st_gid)) ||
        fchmod(fd, (mode & MODE_KEPT) | S_IRWXU)) {
        int result = -errno;
        close_descriptor(&fd);
        return result;
    }
    return fd;
}
