/* Makes and removes throw-away copies of folders. */
#include "throwaway.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "data_files_internal.h"
#include "tree_internal.h"

enum { COPY_MAX = 256 << 20 };

static const char planted[] = "API_TOKEN=this-folder-is-a-decoy\n";

static int make_parents(const char *copy, const char *relative)
{
    char path[PATH_MAX];
    int len = snprintf(path, sizeof path, "%s/%s", copy, relative);
    if (len < 0 || len >= (int)sizeof path) {
        return -ENAMETOOLONG;
    }
    for (char *slash = strchr(path + strlen(copy) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(path, 0755) < 0 && errno != EEXIST) {
            return -errno;
        }
        *slash = '/';
    }
    return 0;
}

static int copy_one(const char *folder, const char *copy, const char *relative)
{
    char from[PATH_MAX], to[PATH_MAX];
    if (snprintf(from, sizeof from, "%s/%s", folder, relative) >= (int)sizeof from ||
        snprintf(to, sizeof to, "%s/%s", copy, relative) >= (int)sizeof to) {
        return -ENAMETOOLONG;
    }
    int result = make_parents(copy, relative);
    return result < 0 ? result : tree_copy_file(from, to);
}

static int copy_all(const char *folder, const char *copy, struct err *err)
{
    struct data_files files;
    uint64_t total = 0;
    int result = data_files_find(folder, "", true, &files);
    for (size_t i = 0; result == 0 && i < files.count; i++) {
        total += files.list[i].size;
        result = total > COPY_MAX ? -EFBIG : copy_one(folder, copy, files.list[i].path);
        if (result == -EACCES || result == -ENOENT) {
            result = 0; /* what cannot be read now could not be read by the program either */
        }
    }
    data_files_done(&files);
    return result < 0 ? err_errno(err, result, "cannot make a throw-away copy of %s", folder) : 0;
}

static int plant(const char *copy, struct err *err)
{
    char path[PATH_MAX + 8];
    snprintf(path, sizeof path, "%s/.env", copy);
    FILE *file = fopen(path, "wxe");
    int result = !file || fputs(planted, file) < 0 ? -errno : 0;
    if (file && fclose(file) != 0 && result == 0) {
        result = -errno;
    }
    return result < 0 ? err_errno(err, result, "cannot plant %s", path) : 0;
}

int throwaway_make(const char *folder, char **ret_path, struct err *err)
{
    const char *parent = getenv("TMPDIR");
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/techo-decoy-XXXXXX", parent && *parent == '/' ? parent : "/var/tmp") >=
        (int)sizeof path) {
        return err_set(err, -ENAMETOOLONG, "the path of TMPDIR is too long");
    }
    if (!mkdtemp(path)) {
        return err_errno(err, -errno, "cannot make a throw-away folder %s", path);
    }
    char *copy = realpath(path, NULL);
    int result = copy ? copy_all(folder, copy, err) : err_errno(err, -errno, "%s", path);
    if (result == 0) {
        result = plant(copy, err);
    }
    if (result < 0) {
        tree_remove(path);
        free(copy);
        return result;
    }
    *ret_path = copy;
    return 0;
}

void throwaway_free(char *path)
{
    if (path) {
        tree_remove(path);
    }
    free(path);
}
