/* Rows of accesses, de-duplicated and capped, and the set of files that were used. */
#include "access_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FILES_FIRST = 256, FILES_MAX = 1 << 20 };

int accesses_init(struct accesses *accesses, size_t item_count)
{
    *accesses = (struct accesses){.used_count = item_count};
    accesses->rows = malloc(ACCESS_ROWS_MAX * sizeof *accesses->rows); /* untouched until a row is added */
    accesses->used = calloc(item_count + 1, sizeof *accesses->used);
    if (!accesses->rows || !accesses->used) {
        accesses_done(accesses);
        return -ENOMEM;
    }
    for (size_t i = 0; i < item_count; i++) {
        accesses->used[i].item = (int)i;
    }
    return 0;
}

static void row_done(struct access_row *row)
{
    free(row->access.call);
    free(row->access.given);
    free(row->access.resolved);
    *row = (struct access_row){0};
}

void accesses_done(struct accesses *accesses)
{
    for (size_t i = 0; i < accesses->count; i++) {
        row_done(&accesses->rows[i]);
    }
    row_done(&accesses->hidden);
    free(accesses->rows);
    free(accesses->used);
    free(accesses->files);
    *accesses = (struct accesses){0};
}

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

static uint64_t hash_access(const struct report_access *access)
{
    uint64_t hash = hash_bytes(UINT64_C(0xcbf29ce484222325), access->call, strlen(access->call) + 1);

    hash = hash_bytes(hash, access->resolved, strlen(access->resolved) + 1);
    return hash_bytes(hash, &access->want, sizeof access->want);
}

static struct access_row *find_equal(struct accesses *accesses, const struct report_access *access, uint64_t hash)
{
    for (size_t i = 0; i < accesses->count; i++) {
        struct access_row *row = &accesses->rows[i];
        if (row->hash == hash && row->access.want == access->want && row->access.verdict == access->verdict &&
            strcmp(row->access.call, access->call) == 0 && strcmp(row->access.resolved, access->resolved) == 0) {
            return row;
        }
    }
    return NULL;
}

static void report_row(struct access_row *row, report_fn report, void *context)
{
    struct report to_send = {.kind = REPORT_ACCESS, .access = row->access};

    row->reported = row->access.count;
    report(context, &to_send);
}

static bool row_set(struct access_row *row, const struct report_access *access, uint64_t hash)
{
    *row = (struct access_row){.hash = hash, .access = *access};
    row->access.call = strdup(access->call);
    row->access.given = strdup(access->given);
    row->access.resolved = strdup(access->resolved);
    row->access.count = 1;
    if (row->access.call && row->access.given && row->access.resolved) {
        return true;
    }
    row_done(row);
    return false;
}

static void add_beyond(struct accesses *accesses, const struct report_access *access)
{
    accesses->beyond++;
    if (access->verdict == ACCESS_DENIED) {
        accesses->beyond_denied++;
        row_done(&accesses->hidden);
        accesses->last_denied = row_set(&accesses->hidden, access, 0) ? &accesses->hidden : NULL;
    }
}

void accesses_add(struct accesses *accesses, const struct report_access *access, report_fn report, void *context)
{
    uint64_t hash = hash_access(access);
    struct access_row *row = find_equal(accesses, access, hash);
    bool denied = access->verdict == ACCESS_DENIED;
    bool full = accesses->count == ACCESS_ROWS_MAX || (!denied && accesses->others == ACCESS_OTHERS_MAX);

    if (row) {
        row->access.count++;
        row->access.line = access->line ? access->line : row->access.line;
    } else if (full || !row_set(&accesses->rows[accesses->count], access, hash)) {
        add_beyond(accesses, access);
        return;
    } else {
        row = &accesses->rows[accesses->count];
        row->access.number = ++accesses->count;
        accesses->others += !denied;
        report_row(row, report, context);
    }
    if (denied) {
        accesses->last_denied = row;
    }
}

void accesses_flush(struct accesses *accesses, bool all, report_fn report, void *context)
{
    for (size_t i = 0; i < accesses->count; i++) {
        struct access_row *row = &accesses->rows[i];
        if (row->access.count >= 2 * row->reported || (all && row->access.count > row->reported)) {
            report_row(row, report, context);
        }
    }
}

const struct report_access *accesses_last_denied(const struct accesses *accesses)
{
    return accesses->last_denied ? &accesses->last_denied->access : NULL;
}

/* ---- used ------------------------------------------------------------------------------------------------------- */

static struct used_file *find_place(struct used_file *files, size_t room, const struct used_file *file)
{
    uint64_t hash = hash_bytes((uint64_t)file->item, &file->inode, sizeof file->inode);
    size_t at = (size_t)(hash ^ hash >> 32 ^ file->device) & (room - 1);

    while (files[at].item >= 0 &&
           !(files[at].item == file->item && files[at].device == file->device && files[at].inode == file->inode)) {
        at = (at + 1) & (room - 1);
    }
    return &files[at];
}

static bool make_room(struct accesses *accesses)
{
    size_t room = accesses->file_room ? accesses->file_room * 2 : FILES_FIRST;
    struct used_file *files;

    if (accesses->file_count * 2 < accesses->file_room) {
        return true;
    }
    files = room <= FILES_MAX ? malloc(room * sizeof *files) : NULL;
    if (!files) {
        return false;
    }
    for (size_t i = 0; i < room; i++) {
        files[i].item = -1;
    }
    for (size_t i = 0; i < accesses->file_room; i++) {
        if (accesses->files[i].item >= 0) {
            *find_place(files, room, &accesses->files[i]) = accesses->files[i];
        }
    }
    free(accesses->files);
    accesses->files = files;
    accesses->file_room = room;
    return true;
}

void accesses_use(struct accesses *accesses, int item, dev_t device, ino_t inode, uint64_t size)
{
    struct used_file file = {item, device, inode}, *place;

    if (item < 0 || (size_t)item >= accesses->used_count) {
        return;
    }
    accesses->used[item].opens++;
    if (!make_room(accesses)) {
        return;
    }
    place = find_place(accesses->files, accesses->file_room, &file);
    if (place->item < 0) {
        *place = file;
        accesses->file_count++;
        accesses->used[item].files++;
        accesses->used[item].bytes += size;
    }
}

void accesses_use_host(struct accesses *accesses, int item, const char *host, uint64_t bytes)
{
    if (host) { /* distinct hosts are told apart as files are */
        accesses_use(accesses, item, 0, (ino_t)hash_bytes(UINT64_C(0xcbf29ce484222325), host, strlen(host)), 0);
    }
    if (item >= 0 && (size_t)item < accesses->used_count) {
        accesses->used[item].bytes += bytes;
    }
}

void accesses_report_used(const struct accesses *accesses, report_fn report, void *context)
{
    for (size_t i = 0; i < accesses->used_count; i++) {
        if (accesses->used[i].opens > 0) {
            struct report used = {.kind = REPORT_USED, .used = accesses->used[i]};
            report(context, &used);
        }
    }
}
