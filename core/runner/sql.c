/*
 * DuckDB in a cell. Its base is the runner libexec/techo/sql, libduckdb.so,
 * the shared objects of the machine and its time zones.
 */
#include "sql_internal.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../case.h"
#include "../engine.h"

static const char *const environment[] = {
    "PATH=/usr/bin:/bin", "LANG=C.UTF-8", "TZ=UTC", "HOME=/home/user", "TMPDIR=/tmp", "MALLOC_ARENA_MAX=2",
};

/* What it needs of the machine, or looks for. */
static const char *const shared_base[] = {
    "/lib64/ld-linux-x86-64.so.2",
    "/lib/x86_64-linux-gnu",
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib64",
    "/etc/ld.so.cache",
    "/usr/lib/locale/C.utf8",
    "/usr/share/zoneinfo",
    "/etc/localtime",
};

/* Below the place of installation or the checkout. */
static const char *const libraries[] = {"lib/techo/libduckdb.so", ".deps/libduckdb.so"};

/* The real path of one of techo's own files; owned; NULL: it is not there. */
static char *find_own(const char *name)
{
    struct buf path;
    buf_init(&path, PATH_MAX);
    char *real = home_path(name, &path) == 0 ? realpath(path.data, NULL) : NULL;
    buf_done(&path);
    return real;
}

static char *find_library(void)
{
    char *found = NULL;
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries && !found; i++) {
        found = find_own(libraries[i]);
    }
    return found;
}

/* DuckDB knows folders and files, no patterns: of a pattern the folder that all its files lie in. The cell is exact. */
static void add_scope(struct cell_builder *builder, const char *scope)
{
    char path[PATH_MAX];
    struct stat info;
    size_t plain = strcspn(scope, "*?[");
    bool pattern = scope[plain] != '\0';
    if (plain >= sizeof path) {
        return;
    }
    snprintf(path, sizeof path, "%.*s", (int)plain, scope);
    if (pattern && strrchr(path, '/')) {
        *strrchr(path, '/') = '\0';
    }
    bool folder = pattern || (stat(path, &info) == 0 && S_ISDIR(info.st_mode));
    cell_builder_arg(builder, folder ? "-a" : "-p");
    cell_builder_arg(builder, *path ? path : "/");
}

static bool is_file(enum permission permission)
{
    return permission == PERMISSION_FILE || permission == PERMISSION_FILE_READ || permission == PERMISSION_FILE_WRITE;
}

/* The folder that every run may write. */
static void add_out(struct cell_builder *builder, const char *root)
{
    struct buf out;
    buf_init(&out, PATH_MAX);
    buf_addf(&out, "%s/out", root);
    cell_builder_arg(builder, "-a");
    cell_builder_arg(builder, out.data ? out.data : "");
    buf_done(&out);
}

/* Three quarters of the limit: DuckDB then spills to a file or says that memory is out, where the limit would kill it. */
static void add_memory(struct cell_builder *builder, uint64_t bytes)
{
    char text[32];
    snprintf(text, sizeof text, "%lluB", (unsigned long long)bytes / 4 * 3);
    cell_builder_arg(builder, "-m");
    cell_builder_arg(builder, text);
}

/* As the documentation recommends it: the data alone. */
static void add_recommended_fence(struct cell_builder *builder, const char *root)
{
    struct buf data;
    buf_init(&data, PATH_MAX);
    buf_addf(&data, "%s/data", root);
    cell_builder_arg(builder, "-f");
    cell_builder_arg(builder, "-a");
    cell_builder_arg(builder, data.data ? data.data : "");
    buf_done(&data);
}

static int add_fence(struct cell_builder *builder, const struct runner_program *program, struct err *err)
{
    struct policy granted;
    if (program->executor->decoy) {
        if (strcmp(program->executor->isolation, "fenced") == 0) {
            add_recommended_fence(builder, program->root);
        }
        return 0;
    }
    int result = policy_parse(program->granted, &granted, err);
    if (result < 0) {
        return result;
    }
    cell_builder_arg(builder, "-f");
    for (size_t i = 0; i < granted.count; i++) {
        if (is_file(granted.items[i].permission) && granted.items[i].scope) {
            add_scope(builder, granted.items[i].scope);
        }
    }
    add_out(builder, program->root);
    add_memory(builder, granted.limits.value[LIMIT_MEMORY]);
    policy_done(&granted);
    return 0;
}

int sql_add(struct cell_builder *builder, const struct runner_program *program, cJSON **ret_versions, struct err *err)
{
    char *runner = find_own("libexec/techo/sql"), *library = find_library();
    int result = 0;
    if (!runner || !library) {
        result = err_set(err, -ENOENT, "%s is not here: type `make setup` and `make`",
                         runner ? "libduckdb.so, which runs SQL," : "libexec/techo/sql, a part of techo,");
    } else {
        cell_builder_arg(builder, runner);
        cell_builder_base(builder, runner);
        cell_builder_base(builder, library);
        for (size_t i = 0; i < sizeof shared_base / sizeof *shared_base; i++) {
            cell_builder_base(builder, shared_base[i]);
        }
        for (size_t i = 0; i < sizeof environment / sizeof *environment; i++) {
            cell_builder_env(builder, environment[i]);
        }
        result = add_fence(builder, program, err);
        cell_builder_arg(builder, library);
        *ret_versions = NULL; /* the library says its version only when it is loaded */
    }
    free(runner);
    free(library);
    return result;
}
