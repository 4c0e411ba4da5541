/* Descendants by /proc: to count them, and to stop them all. */
#include "family_internal.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEXT_MAX = 4096, LOOKS_MAX = 1000 };

static bool read_text(int folder, const char *name, char ret_text[TEXT_MAX])
{
    int fd = openat(folder, name, O_RDONLY | O_CLOEXEC);
    ssize_t len;

    if (fd < 0) {
        return false;
    }
    len = read(fd, ret_text, TEXT_MAX - 1);
    close(fd);
    ret_text[len > 0 ? len : 0] = '\0';
    return len > 0;
}

size_t family_add_children(pid_t pid, pid_t *list, size_t count)
{
    char path[64], text[TEXT_MAX];
    struct dirent *entry;
    DIR *tasks;

    snprintf(path, sizeof path, "/proc/%d/task", pid);
    tasks = opendir(path);
    while (tasks && (entry = readdir(tasks))) {
        char name[300], *at = text;
        snprintf(name, sizeof name, "%s/children", entry->d_name);
        if (entry->d_name[0] == '.' || !read_text(dirfd(tasks), name, text)) {
            continue;
        }
        for (long child; count < FAMILY_MAX && (child = strtol(at, &at, 10)) > 0;) {
            list[count++] = (pid_t)child;
        }
    }
    if (tasks) {
        closedir(tasks);
    }
    return count;
}

/* Stopped, or dead: it makes no other process. */
static bool is_still(pid_t pid)
{
    char path[64], text[TEXT_MAX], *at;

    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    if (!read_text(AT_FDCWD, path, text) || !(at = strrchr(text, ')')) || strlen(at) < 3) {
        return true;
    }
    return strchr("TtZX", at[2]);
}

size_t family_stop(pid_t *list)
{
    size_t count = 0;
    bool still = false;

    for (int looks = 0; !still && looks < LOOKS_MAX; looks++) {
        still = true;
        count = family_add_children(getpid(), list, 0);
        for (size_t i = 0; i < count; i++) {
            if (!is_still(list[i])) {
                kill(list[i], SIGSTOP);
                still = false;
            }
            count = family_add_children(list[i], list, count);
        }
    }
    return count;
}
