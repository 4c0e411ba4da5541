/* Finds data files below a folder, bounded: what is profiled, and what an own folder's default ceiling names. */
#ifndef TECHO_CORE_DATA_FILES_INTERNAL_H
#define TECHO_CORE_DATA_FILES_INTERNAL_H

#include "../sandbox/base.h"

enum { DATA_TYPES = 9, DATA_FILES_MAX = 1024, DATA_ENTRIES_MAX = 20000, DATA_DEPTH_MAX = 12 };

struct data_file {
    char *path; /* owned; relative to the folder: "data/sales/2024.csv" */
    uint64_t size;
    int type; /* index for data_type_suffix(), or -1 */
};

struct data_files {
    struct data_file *list; /* owned; sorted by path */
    size_t count;
    bool more; /* there was more than the bounds allow */
};

/* ".csv"; NULL past the last. */
const char *data_type_suffix(size_t index);
/*
 * Regular files below folder/below ("" or "data"), not through symlinks, never
 * of a name that begins with a dot; only data types unless `any_type`.
 * A folder that is missing or unreadable has no files.
 */
int data_files_find(const char *folder, const char *below, bool any_type, struct data_files *ret_files);
void data_files_done(struct data_files *files);

#endif
