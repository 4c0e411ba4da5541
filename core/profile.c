/* The session's data files: path, size, hash. */
#include "profile_internal.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "hash_internal.h"

/* What is hashed at most, so that a folder of large files does not hold up the start. */
enum { HASHED_BYTES_MAX = 64 << 20 };

int profile_find(const char *root, struct data_files *ret_files)
{
    struct data_files files;
    int result = data_files_find(root, "data", true, &files);
    if (result == 0 && files.count == 0) {
        data_files_done(&files);
        result = data_files_find(root, "", false, &files);
    }
    if (result == 0) {
        *ret_files = files;
    }
    return result;
}

static void add_hash(int root, const struct data_file *file, uint64_t *left, cJSON *object)
{
    char hash[HASH_TEXT_SIZE];
    struct stat info;
    CLEANUP(close_descriptor) int fd = openat(root, file->path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &info) != 0 || !S_ISREG(info.st_mode) || (uint64_t)info.st_size > *left) {
        return;
    }
    if (hash_file(fd, *left, hash) == 0) {
        *left -= (uint64_t)info.st_size;
        cJSON_AddStringToObject(object, "hash", hash);
    }
}

struct event *profile_event(const char *root, const struct data_files *files)
{
    uint64_t left = HASHED_BYTES_MAX;
    CLEANUP(close_descriptor) int folder = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (files->count == 0 || folder < 0) {
        return NULL;
    }
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < files->count; i++) {
        cJSON *object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "path", files->list[i].path);
        cJSON_AddNumberToObject(object, "size", (double)files->list[i].size);
        add_hash(folder, &files->list[i], &left, object);
        cJSON_AddItemToArray(list, object);
    }
    struct event *event = event_new(EVENT_PROFILE);
    if (!event) {
        cJSON_Delete(list);
        return NULL;
    }
    event_set_json(event, "files", list);
    return event;
}
