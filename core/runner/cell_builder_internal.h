/* Puts a sandbox_request together, piece by piece, with everything that it points to. */
#ifndef TECHO_CORE_CELL_BUILDER_INTERNAL_H
#define TECHO_CORE_CELL_BUILDER_INTERNAL_H

#include "runner.h"

struct cell_builder;

struct cell_builder *cell_builder_new(void); /* NULL without memory */
void cell_builder_free(struct cell_builder *builder);

/*
 * All of these copy what they are given. Without memory the builder remembers
 * it, and cell_builder_finish() fails.
 */
void cell_builder_arg(struct cell_builder *builder, const char *arg);
void cell_builder_env(struct cell_builder *builder, const char *setting); /* "NAME=value" */
void cell_builder_inject(struct cell_builder *builder, const char *path, const void *data, size_t len);
/* A base path, there or not, with every symlink on the way to its target listed too. */
void cell_builder_base(struct cell_builder *builder, const char *path);
/* Consumes the builder, whatever comes of it. */
int cell_builder_finish(struct cell_builder *builder, const char *root, const char *granted, enum sandbox_notify notify,
                        struct runner_cell *ret_cell, struct err *err) MUST_USE;

#endif
