/* From a program and what it is granted to a request for the sandbox. */
#include "runner.h"

#include <errno.h>
#include <string.h>

#include "../case.h"
#include "../engine.h"
#include "python_internal.h"
#include "sql_internal.h"

/* Puts a text in view as /techo/NAME.SUFFIX, and adds it as an argument. */
static void add_text(struct cell_builder *builder, const char *name, const char *suffix, const char *text, size_t len)
{
    struct buf path;
    buf_init(&path, 4096);
    buf_addf(&path, "/techo/%s%s", name, suffix);
    cell_builder_arg(builder, path.data);
    cell_builder_inject(builder, path.data, text, len);
    buf_done(&path);
}

static int add_python(struct cell_builder *builder, const struct runner_program *program, cJSON **ret_versions,
                      struct err *err)
{
    bool restricted = strcmp(program->executor->isolation, "restricted") == 0;
    int result = python_add(builder, ret_versions, err);
    if (result == 0) {
        result = python_add_script(builder, "python_harness.py", err);
    }
    if (result == 0 && restricted) {
        cell_builder_arg(builder, "--restricted");
    }
    return result;
}

/* What a language's programs are run with; the program and its preamble come behind as arguments. */
static const struct {
    const char *language;
    int (*add)(struct cell_builder *builder, const struct runner_program *program, cJSON **ret_versions,
               struct err *err);
} languages[] = {
    {"python", add_python},
    {"sql", sql_add},
};

static int add_program(struct cell_builder *builder, const struct runner_program *program, cJSON **ret_versions,
                       struct err *err)
{
    const char *language = program->executor->language, *suffix = program->executor->suffix;
    int result = err_set(err, -ENOENT, "nothing runs %s here", language);
    for (size_t i = 0; i < sizeof languages / sizeof *languages; i++) {
        if (strcmp(languages[i].language, language) == 0) {
            result = languages[i].add(builder, program, ret_versions, err);
        }
    }
    if (result < 0) {
        return result;
    }
    add_text(builder, "program", suffix, program->text, program->len);
    if (program->preamble) {
        add_text(builder, "preamble", suffix, program->preamble, strlen(program->preamble));
    }
    return 0;
}

int runner_prepare(const struct runner_program *program, struct runner_cell *ret_cell, struct err *err)
{
    struct cell_builder *builder = cell_builder_new();
    if (!builder) {
        return err_set(err, -ENOMEM, "out of memory");
    }
    cJSON *versions = NULL;
    int result = add_program(builder, program, &versions, err);
    if (result < 0) {
        cJSON_Delete(versions);
        cell_builder_free(builder);
        return result;
    }
    result = cell_builder_finish(builder, program->root, program->granted, program->notify, ret_cell, err);
    if (result < 0) {
        cJSON_Delete(versions);
        return result;
    }
    ret_cell->request.said = true;
    ret_cell->versions = versions;
    return 0;
}

int runner_prepare_tool(const char *script, const void *input, size_t len, struct runner_cell *ret_cell,
                        struct err *err)
{
    struct cell_builder *builder = cell_builder_new();
    if (!builder) {
        return err_set(err, -ENOMEM, "out of memory");
    }
    struct buf root;
    buf_init(&root, 4096);
    int result = home_path("libexec/techo", &root); /* a folder that is there; nothing of it is granted */
    if (result < 0) {
        err_errno(err, result, "techo's own files are not found");
    }
    if (result == 0) {
        result = python_add(builder, NULL, err);
    }
    if (result == 0) {
        result = python_add_script(builder, script, err);
    }
    if (result < 0) {
        cell_builder_free(builder);
    } else {
        cell_builder_inject(builder, "/input", input, len);
        result = cell_builder_finish(builder, root.data, "stdout,wall=10s,output=4M", NOTIFY_ANSWER, ret_cell, err);
    }
    buf_done(&root);
    return result;
}

int runner_prepare_command(const char *root, const char *granted, const char *const *argv, enum sandbox_notify notify,
                           struct runner_cell *ret_cell, struct err *err)
{
    struct cell_builder *builder = cell_builder_new();
    if (!builder) {
        return err_set(err, -ENOMEM, "out of memory");
    }
    for (size_t i = 0; argv[i]; i++) {
        cell_builder_arg(builder, argv[i]);
    }
    for (size_t i = 0; sandbox_command_base[i]; i++) {
        cell_builder_base(builder, sandbox_command_base[i]);
    }
    for (size_t i = 0; sandbox_command_env[i]; i++) {
        cell_builder_env(builder, sandbox_command_env[i]);
    }
    return cell_builder_finish(builder, root, granted, notify, ret_cell, err);
}
