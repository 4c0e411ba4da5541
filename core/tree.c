/* Folders as wholes: copied, removed. */
#include "tree_internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OPEN_FOLDERS_MAX = 16 };

int tree_copy_file(const char *from, const char *to)
{
    struct stat info;
    CLEANUP(close_descriptor) int in = open(from, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (in < 0 || fstat(in, &info) != 0) {
        return -errno;
    }
    CLEANUP(close_descriptor) int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (out < 0) {
        return -errno;
    }
    for (off_t left = info.st_size; left > 0;) {
        ssize_t sent = sendfile(out, in, NULL, (size_t)left);
        if (sent <= 0) {
            return sent < 0 ? -errno : -EIO;
        }
        left -= sent;
    }
    return 0;
}

static int copy_folder(const char *from, const char *to);

static int copy_entry(const char *from, const char *to, const char *name)
{
    char source[PATH_MAX], target[PATH_MAX];
    struct stat info;
    if (snprintf(source, sizeof source, "%s/%s", from, name) >= (int)sizeof source ||
        snprintf(target, sizeof target, "%s/%s", to, name) >= (int)sizeof target) {
        return -ENAMETOOLONG;
    }
    if (lstat(source, &info) != 0) {
        return -errno;
    }
    if (S_ISDIR(info.st_mode)) {
        return copy_folder(source, target);
    }
    return S_ISREG(info.st_mode) ? tree_copy_file(source, target) : 0;
}

static int copy_folder(const char *from, const char *to)
{
    int result = mkdir(to, 0755) == 0 ? 0 : -errno;
    DIR *folder = result == 0 ? opendir(from) : NULL;
    if (!folder) {
        return result ? result : -errno;
    }
    struct dirent *entry;
    while (result == 0 && (entry = readdir(folder))) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            result = copy_entry(from, to, entry->d_name);
        }
    }
    closedir(folder);
    return result;
}

int tree_copy(const char *from, const char *to, struct err *err)
{
    int result = copy_folder(from, to);
    return result < 0 ? err_errno(err, result, "copying %s", from) : 0;
}

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *where)
{
    (void)info;
    (void)type;
    (void)where;
    remove(path); /* what cannot be removed stays; the rest goes */
    return 0;
}

void tree_remove(const char *path)
{
    nftw(path, remove_one, OPEN_FOLDERS_MAX, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}
