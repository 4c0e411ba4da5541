/* Walks the upper layers and decides, path by path, what becomes of it. The work on one file is commit_file.c's. */
#include "commit_internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "commit_file_internal.h"
#include "kernel_internal.h"
#include "protect_internal.h"
#include "view_internal.h"

enum { DEPTH_MAX = 64, REPORTS_MAX = 1000, WORDS_MAX = 8192 };

/* The walk of all grants. */
struct commit {
    const struct commit_options *options;
    struct commit_result *result;
    const struct write_pin *pin;
    uint64_t bytes_left;
    char path[PATH_MAX]; /* of what is being looked at, on the host */
};

/* A folder in both worlds. */
struct pair {
    int upper, host; /* host: -1 while it does not exist */
    size_t len;      /* of commit->path */
    int depth;
};

static void tell(struct commit *commit, enum effect_kind kind, uint64_t size, const char *problem)
{
    struct commit_result *result = commit->result;
    struct report effect = {
        .kind = REPORT_EFFECT,
        .effect = {.kind = kind, .path = commit->path, .size = size, .problem = (char *)(uintptr_t)problem}};

    if (kind == EFFECT_REFUSED && !result->refused++) {
        buf_addf(&result->first, "%s: %s", commit->path, problem);
    }
    result->done += kind != EFFECT_REFUSED;
    if (result->done + result->refused <= REPORTS_MAX) {
        commit->options->report(commit->options->context, &effect);
    }
}

static void refuse(struct commit *commit, const char *problem)
{
    tell(commit, EFFECT_REFUSED, 0, problem);
}

/* The host said no: that is no refusal of ours. */
static void fail(struct commit *commit, int error)
{
    commit->result->failed = true;
    refuse(commit, strerror(-error));
}

static void conclude(struct commit *commit, const struct commit_step *step)
{
    if (step->problem) {
        refuse(commit, step->problem);
    } else if (step->error) {
        fail(commit, step->error);
    } else if (step->kind != EFFECT_NONE) {
        tell(commit, step->kind, step->size, NULL);
    }
}

static bool is_out(const struct commit *commit)
{
    char out[PATH_MAX];
    const char *root = commit->options->root;
    int len = snprintf(out, sizeof out, "%s/out", strcmp(root, "/") ? root : "");

    return len > 0 && (size_t)len < sizeof out && !strcmp(commit->path, out);
}

/* ---- folders ----------------------------------------------------------------------------------------------------- */

static int open_folder(int parent, const char *name)
{
    int fd = kernel_openat2(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0,
                            RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV);

    return fd < 0 ? -errno : fd;
}

static bool is_opaque(int upper)
{
    char value;

    return fgetxattr(upper, "user.overlay.opaque", &value, 1) == 1 && value == 'y';
}

/* The host's folder of the name, made where it is missing. */
static int reach_folder(struct commit *commit, int host, const char *name, mode_t mode)
{
    int fd = open_folder(host, name);

    if (fd != -ENOENT) {
        return fd;
    }
    fd = commit_make_folder(host, name, mode);
    if (fd >= 0) {
        tell(commit, EFFECT_FOLDER, 0, NULL);
    }
    return fd;
}

static void walk(struct commit *commit, const struct pair *pair);

static void commit_folder(struct commit *commit, const struct pair *pair, const char *name, mode_t mode)
{
    struct pair below = {
        .upper = open_folder(pair->upper, name), .len = strlen(commit->path), .depth = pair->depth + 1};

    if (below.upper < 0) {
        fail(commit, below.upper);
        return;
    }
    if (is_opaque(below.upper)) { /* it was removed, and made anew */
        struct commit_step step = {0};
        commit_remove(pair->host, name, commit->path, &commit->options->started, commit->options->own, &step);
        if (step.problem || step.error) {
            conclude(commit, &step);
            close(below.upper);
            return;
        }
    }
    below.host = reach_folder(commit, pair->host, name, mode);
    if (below.host == -ENOTDIR || below.host == -ELOOP || below.host == -EXDEV) {
        refuse(commit, "something else than a folder lies there");
    } else if (below.host < 0) {
        fail(commit, below.host);
    } else {
        walk(commit, &below);
        close(below.host);
    }
    close(below.upper);
}

/* ---- entries ----------------------------------------------------------------------------------------------------- */

/* A file that was shown as a place to write to, and that nobody touched. */
static bool is_untouched(const struct commit *commit, const struct stat *info)
{
    return commit->pin->name && !commit->pin->exists && info->st_size == 0 && info->st_mtime == 0;
}

static void commit_entry(struct commit *commit, const struct pair *pair, const char *name)
{
    struct commit_step step = {0};
    struct stat info;

    if (fstatat(pair->upper, name, &info, AT_SYMLINK_NOFOLLOW)) {
        fail(commit, -errno);
    } else if (is_out(commit) || (S_ISREG(info.st_mode) && is_untouched(commit, &info))) {
        return;
    } else if (protect_is(commit->path, commit->options->own)) {
        refuse(commit, "the name is protected: other programs trust what lies there");
    } else if (S_ISDIR(info.st_mode)) {
        commit_folder(commit, pair, name, info.st_mode);
    } else if (S_ISREG(info.st_mode)) {
        commit_file(pair->upper, pair->host, name, &commit->options->started, &commit->bytes_left, &step);
        conclude(commit, &step);
    } else if (S_ISCHR(info.st_mode) && info.st_rdev == 0) { /* overlayfs: removed */
        commit_remove(pair->host, name, commit->path, &commit->options->started, commit->options->own, &step);
        conclude(commit, &step);
    } else {
        refuse(commit, S_ISLNK(info.st_mode) ? "a symbolic link is not carried over" : "it is no regular file");
    }
}

static void walk(struct commit *commit, const struct pair *pair)
{
    struct dirent **entries;
    int count = pair->depth > DEPTH_MAX ? -1 : scandirat(pair->upper, ".", &entries, NULL, alphasort);

    if (count < 0) {
        refuse(commit, pair->depth > DEPTH_MAX ? "the folders are too deep" : strerror(errno));
        return;
    }
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        size_t room = sizeof commit->path - pair->len;
        if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0) {
            if ((size_t)snprintf(commit->path + pair->len, room, "/%s", name) < room) {
                commit_entry(commit, pair, name);
            } else {
                commit->path[pair->len] = '\0';
                refuse(commit, "a path below is too long");
            }
            commit->path[pair->len] = '\0';
        }
        free(entries[i]);
    }
    free(entries);
}

/* ---- grants ------------------------------------------------------------------------------------------------------ */

/* The folder that the grant's layer lies on; what of it did not exist is made now. */
static int reach_base(struct commit *commit, const struct write_pin *pin)
{
    char name[NAME_MAX + 1];
    size_t len = (size_t)(pin->missing - pin->folder);
    int fd = open_folder(pin->fd, ".");

    memcpy(commit->path, pin->folder, len);
    while (len > 0 && commit->path[len - 1] == '/') {
        len--;
    }
    commit->path[len] = '\0';
    for (const char *at = pin->missing; fd >= 0 && *at;) {
        size_t part = strcspn(at, "/");
        if (part > NAME_MAX) {
            close(fd);
            return -ENAMETOOLONG;
        }
        memcpy(name, at, part);
        name[part] = '\0';
        len += (size_t)snprintf(commit->path + len, sizeof commit->path - len, "/%s", name);
        int next = reach_folder(commit, fd, name, 0755);
        close(fd);
        fd = next;
        at += part + strspn(at + part, "/");
    }
    return fd;
}

static bool is_empty(int folder)
{
    struct dirent **entries;
    int count = scandirat(folder, ".", &entries, NULL, NULL);

    for (int i = 0; i < count; i++) {
        free(entries[i]);
    }
    if (count >= 0) {
        free(entries);
    }
    return count <= 2;
}

/* Nothing was written there: a folder or file that did not exist is not made. */
static bool is_idle(const struct commit *commit, int upper)
{
    struct stat info;

    if (commit->pin->name) {
        return fstatat(upper, commit->pin->name, &info, AT_SYMLINK_NOFOLLOW) || is_untouched(commit, &info);
    }
    return is_empty(upper);
}

static void commit_grant(struct commit *commit, size_t index)
{
    const struct write_pin *pin = commit->pin;
    struct pair pair = {.host = -1};
    char name[32];

    snprintf(name, sizeof name, "%zu/upper", index);
    snprintf(commit->path, sizeof commit->path, "%s", pin->path);
    pair.upper = open_folder(commit->options->writes_dir, name);
    if (pair.upper < 0) {
        fail(commit, pair.upper);
        return;
    }
    if (!is_idle(commit, pair.upper)) {
        pair.host = reach_base(commit, pin);
        if (pair.host < 0) {
            fail(commit, pair.host);
        } else {
            pair.len = strlen(commit->path);
            walk(commit, &pair);
        }
    }
    close(pair.upper);
    close_descriptor(&pair.host);
}

void commit_writes(const struct commit_options *options, struct commit_result *ret_result)
{
    struct commit *commit = calloc(1, sizeof *commit);

    *ret_result = (struct commit_result){0};
    buf_init(&ret_result->first, WORDS_MAX);
    if (!commit) {
        ret_result->failed = true;
        return;
    }
    commit->options = options;
    commit->result = ret_result;
    commit->bytes_left = options->bytes_max;
    for (size_t i = 0; i < options->pins->write_count; i++) {
        commit->pin = &options->pins->writes[i];
        commit_grant(commit, i);
    }
    free(commit);
}

void commit_result_done(struct commit_result *result)
{
    buf_done(&result->first);
}
