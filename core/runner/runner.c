/* From a program and what it is granted to a request for the sandbox. */
#include "runner.h"

#include <errno.h>
#include <string.h>

#include "../case.h"
#include "../engine.h"
#include "python_internal.h"

static const char program_path[] = "/techo/program.py";
static const char preamble_path[] = "/techo/preamble.py";

static int add_python_program(struct cell_builder *builder, const struct runner_program *program, cJSON **ret_versions,
                              struct err *err)
{
    int result = python_add(builder, ret_versions, err);
    if (result == 0) {
        result = python_add_script(builder, "python_harness.py", err);
    }
    if (result < 0) {
        return result;
    }
    cell_builder_arg(builder, program_path);
    cell_builder_inject(builder, program_path, program->text, program->len);
    if (program->preamble) {
        cell_builder_arg(builder, preamble_path);
        cell_builder_inject(builder, preamble_path, program->preamble, strlen(program->preamble));
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
    int result = add_python_program(builder, program, &versions, err);
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
