/*
 * CPython in a cell. Its base is the interpreter's own file, its standard
 * library, the packages of its virtual environment, shared objects, the C.UTF-8
 * locale and the time zones: never /usr/bin, never a folder of user data.
 */
#include "python_internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../case.h"

enum { SCRIPT_MAX = 1 << 20, VERSION_MAX = 16 };

/* Whom TLS believes: the machine's own list, for runs that may connect somewhere. */
#define CERTIFICATES "/etc/ssl/certs/ca-certificates.crt"

/*
 * The same for every run, so that two runs of one program answer alike: hashes
 * are not randomised, numeric libraries use one thread (the last digits of a
 * sum may depend on how it was split).
 */
static const char *const environment[] = {
    "PATH=/usr/bin:/bin",
    "LANG=C.UTF-8",
    "TZ=UTC",
    "HOME=/home/user",
    "TMPDIR=/tmp",
    "XDG_CACHE_HOME=/tmp/cache",
    "MPLCONFIGDIR=/tmp/matplotlib",
    "MPLBACKEND=Agg",
    ("SSL_CERT_FILE=" CERTIFICATES),
    "PYTHONDONTWRITEBYTECODE=1",
    "PYTHONHASHSEED=0",
    "PYTHONNOUSERSITE=1",
    "OPENBLAS_NUM_THREADS=1",
    "OMP_NUM_THREADS=1",
    "MKL_NUM_THREADS=1",
    "NUMEXPR_NUM_THREADS=1",
    "ARROW_IO_THREADS=1",
    "MALLOC_ARENA_MAX=2",
};

/* What any interpreter on this machine needs or looks for. */
static const char *const shared_base[] = {
    "/lib64/ld-linux-x86-64.so.2",
    "/lib/x86_64-linux-gnu",
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib64",
    "/etc/ld.so.cache",
    "/usr/lib/locale/C.utf8",
    "/usr/share/zoneinfo",
    "/usr/lib/ssl/openssl.cnf",
    CERTIFICATES,
    /* where matplotlib looks for fonts */
    "/usr/share/fonts",
    "/usr/local/share/fonts",
    "/usr/X11/lib/X11/fonts",
    "/usr/X11R6/lib/X11/fonts/TTF",
    "/usr/lib/openoffice/share/fonts/truetype",
};

/* Below the checkout or the place of installation. */
static const char *const candidates[] = {
    "lib/techo/venv/bin/python",
    ".venv/bin/python",
};

struct interpreter {
    char path[PATH_MAX];        /* as it is called: the virtual environment's own name */
    char environment[PATH_MAX]; /* the virtual environment; "" when it is none */
    char prefix[PATH_MAX];      /* the installation that it comes from: "/usr" */
    char version[VERSION_MAX];  /* "3.11" */
};

static bool runnable(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode) && access(path, X_OK) == 0;
}

static int find_path(char *path, size_t size, struct err *err)
{
    const char *named = getenv("TECHO_PYTHON");
    if (named && *named) {
        if (*named != '/' || strlen(named) >= size || !runnable(named)) {
            return err_set(err, -ENOENT,
                           "TECHO_PYTHON=%s is no program; it must be the full path of a Python interpreter", named);
        }
        snprintf(path, size, "%s", named);
        return 0;
    }
    for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++) {
        struct buf full;
        buf_init(&full, size - 1);
        bool found = home_path(candidates[i], &full) == 0 && runnable(full.data);
        if (found) {
            memcpy(path, full.data, full.len + 1);
        }
        buf_done(&full);
        if (found) {
            return 0;
        }
    }
    snprintf(path, size, "/usr/bin/python3");
    if (!runnable(path)) {
        return err_set(err, -ENOENT, "no Python interpreter is here: type `make setup`, or set TECHO_PYTHON to one");
    }
    return 0;
}

/* Cuts the last segment off: "/usr/bin/python3" becomes "/usr/bin". */
static void parent(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash) {
        *slash = '\0';
    }
}

/* The folder that pyvenv.cfg names as the home of the original interpreter. */
static bool read_environment_home(const char *folder, char *home, size_t size)
{
    char path[PATH_MAX + 16], line[PATH_MAX];
    snprintf(path, sizeof path, "%s/pyvenv.cfg", folder);
    FILE *file = fopen(path, "re");
    bool found = false;
    while (file && !found && fgets(line, sizeof line, file)) {
        const char *value = strchr(line, '=');
        found = strncmp(line, "home", 4) == 0 && value;
        if (found) {
            value += 1 + strspn(value + 1, " ");
            snprintf(home, size, "%.*s", (int)strcspn(value, "\r\n"), value);
        }
    }
    if (file) {
        fclose(file);
    }
    return found;
}

/* "3.11" from the name of the real file, python3.11. */
static bool read_version(const char *path, char *version, size_t size)
{
    char real[PATH_MAX];
    if (!realpath(path, real)) {
        return false;
    }
    const char *name = strrchr(real, '/') + 1;
    if (strncmp(name, "python3.", 8) != 0 || strlen(name) - 6 >= size) {
        return false;
    }
    snprintf(version, size, "%s", name + 6);
    return true;
}

/* The interpreter's own name in its folder's real path: the folder may be reached by a link, as a checkout's .venv. */
static void make_folder_real(char *path, size_t size)
{
    char folder[PATH_MAX], name[NAME_MAX + 1];
    snprintf(name, sizeof name, "%s", strrchr(path, '/') + 1);
    parent(path);
    if (!realpath(*path ? path : "/", folder)) {
        folder[0] = '\0';
    }
    int length = snprintf(path, size, "%s/%s", folder, name);
    if (length < 0 || (size_t)length >= size) {
        path[0] = '\0';
    }
}

static int find_interpreter(struct interpreter *it, struct err *err)
{
    *it = (struct interpreter){0};
    int result = find_path(it->path, sizeof it->path, err);
    if (result < 0) {
        return result;
    }
    make_folder_real(it->path, sizeof it->path);
    if (!read_version(it->path, it->version, sizeof it->version)) {
        return err_set(err, -ENOENT, "%s does not lead to a file named python3.N", it->path);
    }
    snprintf(it->environment, sizeof it->environment, "%s", it->path);
    parent(it->environment);
    parent(it->environment);
    if (!read_environment_home(it->environment, it->prefix, sizeof it->prefix)) {
        it->environment[0] = '\0';
        if (!realpath(it->path, it->prefix)) {
            return err_errno(err, -errno, "%s", it->path);
        }
        parent(it->prefix);
    }
    parent(it->prefix); /* .../bin */
    return 0;
}

static void add_base(struct cell_builder *builder, const char *format, ...) PRINTF_LIKE(2, 3);
static void add_base(struct cell_builder *builder, const char *format, ...)
{
    struct buf path;
    va_list args;
    buf_init(&path, PATH_MAX - 1);
    va_start(args, format);
    buf_vaddf(&path, format, args);
    va_end(args);
    if (!path.failed) {
        cell_builder_base(builder, path.data);
    }
    buf_done(&path);
}

/*
 * What the interpreter looks for beside its own file as it starts; none of it
 * is there in an ordinary installation.
 */
static void add_looked_for(struct cell_builder *builder, const struct interpreter *it)
{
    char real[PATH_MAX];
    if (!realpath(it->path, real)) {
        return;
    }
    add_base(builder, "%s._pth", it->path);
    add_base(builder, "%s._pth", real);
    parent(real);
    add_base(builder, "%s/pybuilddir.txt", real);
    if (!*it->environment) {
        add_base(builder, "%s/pyvenv.cfg", real);
        add_base(builder, "%s/pyvenv.cfg", it->prefix);
    }
}

static void add_interpreter(struct cell_builder *builder, const struct interpreter *it)
{
    cell_builder_base(builder, it->path);
    add_looked_for(builder, it);
    if (strncmp(it->prefix, "/usr", 4) != 0) {
        add_base(builder, "%s/lib", it->prefix); /* an installation of its own: nothing else lies there */
    }
    add_base(builder, "%s/lib/python%s", it->prefix, it->version);
    add_base(builder, "%s/lib/python%s/sitecustomize.py", it->prefix, it->version);
    add_base(builder, "%s/lib/libpython%s.so.1.0", it->prefix, it->version);
    if (*it->environment) {
        add_base(builder, "%s/pyvenv.cfg", it->environment);
        add_base(builder, "%s/lib/python%s", it->environment, it->version);
    } else {
        add_base(builder, "%s/lib/python3", it->prefix); /* Debian's packages */
    }
    for (size_t i = 0; i < sizeof shared_base / sizeof *shared_base; i++) {
        cell_builder_base(builder, shared_base[i]);
    }
}

/* "pandas-2.2.3.dist-info" of a library that answers are made with. */
static void add_version(cJSON *versions, const char *entry)
{
    static const char *const libraries[] = {"pandas", "numpy", "pyarrow", "matplotlib"};
    const char *end = strstr(entry, ".dist-info");
    for (size_t i = 0; end && i < sizeof libraries / sizeof *libraries; i++) {
        size_t length = strlen(libraries[i]);
        if (strncmp(entry, libraries[i], length) == 0 && entry[length] == '-') {
            char version[64];
            snprintf(version, sizeof version, "%.*s", (int)(end - entry - (ptrdiff_t)length - 1), entry + length + 1);
            cJSON_AddStringToObject(versions, libraries[i], version);
        }
    }
}

static cJSON *read_versions(const struct interpreter *it)
{
    cJSON *versions = cJSON_CreateObject();
    char path[PATH_MAX + 64];
    struct dirent *entry;
    cJSON_AddStringToObject(versions, "python", it->version);
    snprintf(path, sizeof path, "%s/lib/python%s/site-packages", *it->environment ? it->environment : it->prefix,
             it->version);
    DIR *folder = opendir(path);
    while (folder && (entry = readdir(folder))) {
        add_version(versions, entry->d_name);
    }
    if (folder) {
        closedir(folder);
    }
    return versions;
}

int python_add(struct cell_builder *builder, cJSON **ret_versions, struct err *err)
{
    struct interpreter it;
    int result = find_interpreter(&it, err);
    if (result < 0) {
        return result;
    }
    cell_builder_arg(builder, it.path);
    add_interpreter(builder, &it);
    for (size_t i = 0; i < sizeof environment / sizeof *environment; i++) {
        cell_builder_env(builder, environment[i]);
    }
    if (ret_versions) {
        *ret_versions = read_versions(&it);
    }
    return 0;
}

static int read_script(const char *path, struct buf *to)
{
    CLEANUP(close_descriptor) int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return -errno;
    }
    char bytes[16384];
    ssize_t got;
    while ((got = read(fd, bytes, sizeof bytes)) > 0) {
        buf_add(to, bytes, (size_t)got);
    }
    return got < 0 ? -errno : to->failed;
}

int python_add_script(struct cell_builder *builder, const char *script, struct err *err)
{
    struct buf path, name, text;
    buf_init(&path, PATH_MAX - 1);
    buf_init(&name, PATH_MAX - 1);
    buf_init(&text, SCRIPT_MAX);
    buf_addf(&name, "libexec/techo/%s", script);
    int result = name.failed ? name.failed : home_path(name.data, &path);
    if (result == 0) {
        result = read_script(path.data, &text);
    }
    buf_clear(&name);
    buf_addf(&name, "/techo/%s", script);
    if (result < 0) {
        err_errno(err, result, "libexec/techo/%s, a part of techo, cannot be read", script);
    } else {
        cell_builder_inject(builder, name.data, text.len ? text.data : "", text.len);
        cell_builder_arg(builder, name.data);
    }
    buf_done(&path);
    buf_done(&name);
    buf_done(&text);
    return result;
}
