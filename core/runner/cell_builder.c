/* Puts a sandbox_request together. Each list is an array of owned texts that ends with NULL. */
#include "cell_builder_internal.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINKS_MAX = 16 };

struct texts {
    char **list; /* owned, each text too; ends with NULL */
    size_t count;
};

struct cell_builder {
    struct texts args, env, base, inject_paths;
    struct sandbox_base *base_list; /* owned; borrows from `base` */
    struct sandbox_inject *inject;  /* owned; its data too, its paths are borrowed from `inject_paths` */
    size_t inject_count;
    char *root, *granted; /* owned */
    bool failed;          /* out of memory somewhere */
};

static char *texts_add(struct texts *texts, const char *text)
{
    char **list = realloc(texts->list, (texts->count + 2) * sizeof *list);
    if (!list) {
        return NULL;
    }
    texts->list = list;
    list[texts->count] = strdup(text);
    list[texts->count + 1] = NULL;
    return list[texts->count] ? list[texts->count++] : NULL;
}

static void texts_done(struct texts *texts)
{
    for (size_t i = 0; i < texts->count; i++) {
        free(texts->list[i]);
    }
    free(texts->list);
}

struct cell_builder *cell_builder_new(void)
{
    return calloc(1, sizeof(struct cell_builder));
}

void cell_builder_free(struct cell_builder *builder)
{
    if (!builder) {
        return;
    }
    for (size_t i = 0; i < builder->inject_count; i++) {
        free((void *)builder->inject[i].data);
    }
    texts_done(&builder->args);
    texts_done(&builder->env);
    texts_done(&builder->base);
    texts_done(&builder->inject_paths);
    free(builder->base_list);
    free(builder->inject);
    free(builder->root);
    free(builder->granted);
    free(builder);
}

void cell_builder_arg(struct cell_builder *builder, const char *arg)
{
    builder->failed |= !texts_add(&builder->args, arg);
}

void cell_builder_env(struct cell_builder *builder, const char *setting)
{
    builder->failed |= !texts_add(&builder->env, setting);
}

void cell_builder_inject(struct cell_builder *builder, const char *path, const void *data, size_t len)
{
    struct sandbox_inject *list = realloc(builder->inject, (builder->inject_count + 1) * sizeof *list);
    char *name = texts_add(&builder->inject_paths, path), *copy = malloc(len + 1);
    if (list) {
        builder->inject = list;
    }
    if (!list || !name || !copy) {
        free(copy);
        builder->failed = true;
        return;
    }
    memcpy(copy, data, len);
    list[builder->inject_count++] = (struct sandbox_inject){.path = name, .data = copy, .len = len};
}

static bool listed(const struct texts *texts, const char *text)
{
    for (size_t i = 0; i < texts->count; i++) {
        if (strcmp(texts->list[i], text) == 0) {
            return true;
        }
    }
    return false;
}

/* Where the symlink leads, one step, as an absolute path. */
static bool link_target(const char *path, char *target, size_t size)
{
    char text[PATH_MAX];
    ssize_t length = readlink(path, text, sizeof text - 1);
    if (length <= 0) {
        return false;
    }
    text[length] = '\0';
    struct buf full;
    buf_init(&full, size - 1);
    if (*text != '/') {
        buf_add(&full, path, (size_t)(strrchr(path, '/') - path) + 1);
    }
    buf_add_text(&full, text);
    struct buf normal;
    buf_init(&normal, size - 1);
    bool ok = !full.failed && scope_absolute(full.data, "/", NULL, &normal) == 0 && normal.len > 0;
    if (ok) {
        memcpy(target, normal.data, normal.len + 1);
    }
    buf_done(&full);
    buf_done(&normal);
    return ok;
}

void cell_builder_base(struct cell_builder *builder, const char *path)
{
    char step[PATH_MAX];
    struct stat info;
    if (strlen(path) >= sizeof step) {
        return;
    }
    memcpy(step, path, strlen(path) + 1);
    for (int links = 0; links < LINKS_MAX && !listed(&builder->base, step); links++) {
        builder->failed |= !texts_add(&builder->base, step);
        if (lstat(step, &info) != 0 || !S_ISLNK(info.st_mode) || !link_target(step, step, sizeof step)) {
            return;
        }
    }
}

/* The setting of a variable of this process, in the place of the builder's own. */
static void pass_variable(struct cell_builder *builder, const char *name)
{
    const char *value = getenv(name);
    size_t len = strlen(name);
    struct buf setting;
    if (!value) {
        return;
    }
    buf_init(&setting, 1 << 20);
    buf_addf(&setting, "%s=%s", name, value);
    char *text = buf_steal(&setting);
    for (size_t i = 0; text && i < builder->env.count; i++) {
        if (strncmp(builder->env.list[i], text, len + 1) == 0) {
            free(builder->env.list[i]);
            builder->env.list[i] = text;
            return;
        }
    }
    builder->failed |= !text || !texts_add(&builder->env, text);
    free(text);
}

/* The variables that env=NAME grants. */
static int pass_granted_variables(struct cell_builder *builder, const char *granted, struct err *err)
{
    struct policy policy;
    int result = policy_parse(granted, &policy, err);
    if (result < 0) {
        return result;
    }
    for (size_t i = 0; i < policy.count; i++) {
        if (policy.items[i].permission == PERMISSION_ENV && policy.items[i].scope) {
            pass_variable(builder, policy.items[i].scope);
        }
    }
    policy_done(&policy);
    return 0;
}

int cell_builder_finish(struct cell_builder *builder, const char *root, const char *granted, enum sandbox_notify notify,
                        struct runner_cell *ret_cell, struct err *err)
{
    int result = pass_granted_variables(builder, granted, err);
    if (result < 0) {
        cell_builder_free(builder);
        return result;
    }
    builder->root = strdup(root);
    builder->granted = strdup(granted);
    builder->base_list = calloc(builder->base.count + 1, sizeof *builder->base_list);
    if (builder->failed || !builder->root || !builder->granted || !builder->base_list) {
        cell_builder_free(builder);
        return err_set(err, -ENOMEM, "out of memory");
    }
    for (size_t i = 0; i < builder->base.count; i++) {
        builder->base_list[i].path = builder->base.list[i];
    }
    *ret_cell = (struct runner_cell){
        .memory = builder,
        .request =
            {
                .root = builder->root,
                .granted = builder->granted,
                .base = builder->base_list,
                .base_count = builder->base.count,
                .inject = builder->inject,
                .inject_count = builder->inject_count,
                .argv = (const char *const *)builder->args.list,
                .env = (const char *const *)builder->env.list,
                .notify = notify,
                .stdin_fd = -1,
            },
    };
    return 0;
}

void runner_cell_done(struct runner_cell *cell)
{
    if (cell) {
        cell_builder_free(cell->memory);
        cJSON_Delete(cell->versions);
        *cell = (struct runner_cell){.request.stdin_fd = -1};
    }
}
