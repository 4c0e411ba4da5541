/* Finds data files below a folder. */
#include "data_files_internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const suffixes[DATA_TYPES] = {
    ".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".parquet", ".arrow", ".feather", ".xlsx",
};

struct walk {
    struct data_files *files;
    struct buf path; /* of the folder now read, relative; "" at the top */
    bool any_type;
    unsigned entries, depth;
    int result;
};

const char *data_type_suffix(size_t index)
{
    return index < DATA_TYPES ? suffixes[index] : NULL;
}

static int type_of(const char *name)
{
    const char *dot = strrchr(name, '.');
    for (int i = 0; dot && i < DATA_TYPES; i++) {
        if (strcasecmp(dot, suffixes[i]) == 0) {
            return i;
        }
    }
    return -1;
}

static void add(struct walk *walk, const struct stat *info, int type)
{
    struct data_files *files = walk->files;
    if (files->count == DATA_FILES_MAX) {
        files->more = true;
        return;
    }
    struct data_file *list = realloc(files->list, (files->count + 1) * sizeof *list);
    char *path = strdup(walk->path.data);
    if (list) {
        files->list = list;
    }
    if (!list || !path) {
        free(path);
        walk->result = -ENOMEM;
        return;
    }
    list[files->count++] = (struct data_file){.path = path, .size = (uint64_t)info->st_size, .type = type};
}

static void read_folder(struct walk *walk, int fd);

static void read_entry(struct walk *walk, int folder, const char *name)
{
    struct stat info;
    size_t length = walk->path.len;
    if (*name == '.' || fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) != 0) {
        return;
    }
    if (++walk->entries > DATA_ENTRIES_MAX) {
        walk->files->more = true;
        return;
    }
    if (buf_addf(&walk->path, "%s%s", length ? "/" : "", name) < 0) {
        buf_clear(&walk->path);
        walk->result = -ENAMETOOLONG;
        return;
    }
    int type = type_of(name);
    if (S_ISREG(info.st_mode) && (type >= 0 || walk->any_type)) {
        add(walk, &info, type);
    } else if (S_ISDIR(info.st_mode)) {
        if (walk->depth < DATA_DEPTH_MAX) {
            read_folder(walk, openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        } else {
            walk->files->more = true;
        }
    }
    walk->path.data[length] = '\0';
    walk->path.len = length;
}

/* Takes `fd`. */
static void read_folder(struct walk *walk, int fd)
{
    DIR *stream = fd >= 0 ? fdopendir(fd) : NULL;
    struct dirent *entry;
    if (!stream) {
        close_descriptor(&fd);
        return;
    }
    walk->depth++;
    while (walk->result == 0 && (entry = readdir(stream))) {
        read_entry(walk, fd, entry->d_name);
    }
    walk->depth--;
    closedir(stream);
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct data_file *)a)->path, ((const struct data_file *)b)->path);
}

int data_files_find(const char *folder, const char *below, bool any_type, struct data_files *ret_files)
{
    struct data_files files = {0};
    struct walk walk = {.files = &files, .any_type = any_type};
    buf_init(&walk.path, PATH_MAX);
    buf_add_text(&walk.path, below);
    CLEANUP(close_descriptor) int top = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (top >= 0) {
        read_folder(&walk, openat(top, *below ? below : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    }
    int result = walk.result ? walk.result : walk.path.failed;
    buf_done(&walk.path);
    if (result < 0) {
        data_files_done(&files);
        return result;
    }
    if (files.count) {
        qsort(files.list, files.count, sizeof *files.list, by_path);
    }
    *ret_files = files;
    return 0;
}

void data_files_done(struct data_files *files)
{
    if (!files) {
        return;
    }
    for (size_t i = 0; i < files->count; i++) {
        free(files->list[i].path);
    }
    free(files->list);
    *files = (struct data_files){0};
}
