/* Where the program's own files are: from the place of the running executable, or TECHO_HOME. */
#include "case.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool has(const char *folder, const char *relative)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/%s", folder, relative);
    return length > 0 && (size_t)length < sizeof path && access(path, F_OK) == 0;
}

/* Cuts `path` back to its nearest ancestor (or itself) that holds `relative`. */
static bool nearest_with(char *path, const char *relative)
{
    while (!has(path, relative)) {
        if (!*path) {
            return false;
        }
        *strrchr(path, '/') = '\0';
    }
    return true;
}

/*
 * PREFIX is the nearest folder above the executable with libexec/techo: a
 * checkout, build/MODE, or where techo was installed. Programs are below it;
 * data is in PREFIX/share/techo, or beside or above it in a checkout.
 */
static int find(const char *relative, char *folder, size_t size)
{
    const char *home = getenv("TECHO_HOME");
    if (home && *home == '/') {
        return snprintf(folder, size, "%s", home) < (int)size ? 0 : -ENAMETOOLONG;
    }
    ssize_t length = readlink("/proc/self/exe", folder, size - 1);
    if (length < 0) {
        return -errno;
    }
    folder[length] = '\0';
    if (!nearest_with(folder, "libexec/techo")) {
        return -ENOENT;
    }
    if (strncmp(relative, "libexec/", 8) == 0 || strncmp(relative, "lib/", 4) == 0) {
        return 0;
    }
    if (has(folder, "share/techo")) {
        size_t used = strlen(folder);
        return snprintf(folder + used, size - used, "/share/techo") < (int)(size - used) ? 0 : -ENAMETOOLONG;
    }
    return nearest_with(folder, "cases") ? 0 : -ENOENT;
}

int home_path(const char *relative, struct buf *to)
{
    char folder[PATH_MAX];
    int result = find(relative, folder, sizeof folder);
    return result < 0 ? result : buf_addf(to, "%s/%s", folder, relative);
}
