/* Modules (§14): files beside the importing one, run once; their alias reads and sets what they export. */
#include "machine_internal.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct export *module_export(const struct module *module, struct value name)
{
    for (uint32_t i = 0; i < module->export_count; i++) {
        if (value_same(module->exports[i].name, name) ||
            (value_is_text(name) && text_equal(value_text(module->exports[i].name), value_text(name)))) {
            return &module->exports[i];
        }
    }
    return NULL;
}

struct module *module_new(struct vm *vm, const char *file, const char *path, const char *source, size_t length)
{
    struct module *module = object_new(vm, OBJECT_MODULE, sizeof(*module));
    if (!module) {
        return NULL;
    }
    struct object object = module->object;
    *module = (struct module){.object = object, .next = vm->modules};
    module->file = memory_strdup(vm, file, strlen(file));
    module->path = path ? memory_strdup(vm, path, strlen(path)) : NULL;
    module->source = memory_strdup(vm, source, length);
    module->source_length = length;
    if (!module->file || !module->source || (path && !module->path)) {
        return NULL;
    }
    vm->modules = module;
    return module;
}

/* Makes room for the module's variables. */
int module_prepare(struct vm *vm, struct module *module)
{
    uint32_t n = module->main->registers;
    module->register_count = n;
    module->globals = memory_alloc(vm, (n + 1) * sizeof(struct value));
    if (!module->globals) {
        return -1;
    }
    for (uint32_t i = 0; i <= n; i++) {
        module->globals[i] = i < module->global_count ? VALUE_UNDEFINED : VALUE_NOTHING;
    }
    return 0;
}

/* The file's folder joined with the path, "./" left out. */
static char *resolve_path(struct vm *vm, const struct module *from, const char *path)
{
    const char *base = from->path ? from->path : vm->options.directory ? NULL : from->file;
    struct buffer buffer;
    buffer_init(&buffer, vm);
    const char *slash = base ? strrchr(base, '/') : NULL;
    if (!base && vm->options.directory) {
        buffer_printf(&buffer, "%s/", vm->options.directory);
    } else if (slash) {
        buffer_put(&buffer, base, (size_t)(slash - base) + 1);
    }
    buffer_puts(&buffer, path + (strncmp(path, "./", 2) == 0 ? 2 : 0));
    char *copy = buffer.failed ? NULL : memory_strdup(vm, buffer.data, buffer.length);
    buffer_done(&buffer);
    return copy;
}

static int read_source(struct vm *vm, const char *path, const char *shown, struct buffer *source)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
        if (fd >= 0) {
            close(fd);
        }
        return vm_fail(vm, "module not found: %s", shown);
    }
    for (;;) {
        char *room = buffer_room(source, 65536);
        ssize_t n = room ? read(fd, room, 65536) : -1;
        if (n <= 0) {
            break;
        }
        source->length += (size_t)n;
    }
    close(fd);
    return source->failed ? -1 : 0;
}

static int bad_path(struct vm *vm, const char *path)
{
    size_t n = strlen(path);
    if (n < 4 || strcmp(path + n - 4, ".syn") != 0) {
        return vm_fail(vm, "module path must end in .syn: %s", path);
    }
    if (path[0] == '/' || strstr(path, "../") || strcmp(path, "..") == 0) {
        return vm_fail(vm, "module path cannot leave the importing directory: %s", path);
    }
    return 0;
}

static int run(struct vm *vm, struct module *module)
{
    struct value ignored = VALUE_NOTHING;
    module->loading = true;
    module->main = compile_module(vm, module);
    if (!module->main) {
        if (vm->error.kind == ERROR_PARSE || vm->error.kind == ERROR_LEX) {
            vm->error.kind = ERROR_RUN; /* the importing program may catch it */
        }
        return -1;
    }
    if (module_prepare(vm, module) || run_module_code(vm, module, &ignored)) {
        return -1;
    }
    value_drop(vm, ignored);
    module->loading = false;
    return 0;
}

int module_load(struct vm *vm, struct module *from, struct value name, struct value *ret)
{
    const char *shown = value_text(name)->data;
    char *path = bad_path(vm, shown) ? NULL : resolve_path(vm, from, shown);
    if (!path) {
        return -1;
    }
    for (struct module *module = vm->modules; module; module = module->next) {
        if (module->path && strcmp(module->path, path) == 0) {
            if (module->loading) {
                return vm_fail(vm, "circular import: module '%s' is already being loaded", shown);
            }
            *ret = value_keep(value_of(module));
            return 0;
        }
    }
    struct buffer source;
    buffer_init(&source, vm);
    struct module *module = NULL;
    if (read_source(vm, path, shown, &source) == 0) {
        module = module_new(vm, shown, path, source.data ? source.data : "", source.length);
    }
    buffer_done(&source);
    if (!module) {
        return -1;
    }
    bool started = vm->started;
    int r = run(vm, module);
    vm->started = started;
    if (r) {
        module->path[0] = '\0'; /* a later `use` tries again */
        return -1;
    }
    *ret = value_keep(value_of(module));
    return 0;
}
