/*
 * A request as bytes. What is read borrows its texts from those bytes, which
 * lie in a sealed memfd: a program of 50 MB is not copied.
 */
#include "wire_internal.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum tag {
    TAG_ROOT = 1,
    TAG_GRANTED,
    TAG_NOTIFY,
    TAG_SAID,
    TAG_TERMINAL,
    TAG_DIRECT,
    TAG_OWN,
    TAG_BASE,
    TAG_INJECT_PATH, /* followed by TAG_INJECT_DATA */
    TAG_INJECT_DATA,
    TAG_ARG,
    TAG_ENV,
    TAG_DECOY,
    TAG_WITHOUT,
    TAG_DECOY_PORT,
};

enum { TEXT_MAX = 1 << 20, ARG_MAX_BYTES = 128 << 10 };

static void write_list(struct buf *to, unsigned tag, const char *const *list)
{
    for (size_t i = 0; list && list[i]; i++) {
        wire_add_text(to, tag, list[i]);
    }
}

int request_write(const struct sandbox_request *request, struct buf *to, struct err *err)
{
    wire_add_text(to, TAG_ROOT, request->root);
    wire_add_text(to, TAG_GRANTED, request->granted);
    wire_add_number(to, TAG_NOTIFY, request->notify);
    wire_add_number(to, TAG_SAID, request->said);
    wire_add_number(to, TAG_TERMINAL, request->terminal);
    wire_add_number(to, TAG_DIRECT, request->direct);
    for (size_t i = 0; request->own && request->own[i]; i++) {
        wire_add_text(to, TAG_OWN, request->own[i]);
    }
    wire_add_text(to, TAG_DECOY, request->decoy);
    wire_add_number(to, TAG_WITHOUT, request->without);
    wire_add_number(to, TAG_DECOY_PORT, request->decoy_port);
    for (size_t i = 0; i < request->base_count; i++) {
        wire_add_text(to, TAG_BASE, request->base[i].path);
    }
    for (size_t i = 0; i < request->inject_count; i++) {
        wire_add_text(to, TAG_INJECT_PATH, request->inject[i].path);
        wire_add(to, TAG_INJECT_DATA, request->inject[i].data, request->inject[i].len);
    }
    write_list(to, TAG_ARG, request->argv);
    write_list(to, TAG_ENV, request->env);
    return to->failed ? err_errno(err, to->failed, "the request is too big") : 0;
}

/* ---- reading ---------------------------------------------------------------------------------------------------- */

struct counts {
    size_t base, inject, arg, env, own;
};

static int count_lists(const char *bytes, size_t len, struct counts *ret_counts)
{
    struct wire_reader reader = {bytes, len};
    struct wire_field field;
    struct counts counts = {0};
    int result;

    while ((result = wire_next(&reader, &field)) == 1) {
        counts.base += field.tag == TAG_BASE;
        counts.own += field.tag == TAG_OWN;
        counts.inject += field.tag == TAG_INJECT_PATH;
        counts.arg += field.tag == TAG_ARG;
        counts.env += field.tag == TAG_ENV;
    }
    if (result < 0 || counts.base > WIRE_LIST_MAX || counts.own > WIRE_LIST_MAX || counts.inject > WIRE_LIST_MAX || counts.arg > WIRE_LIST_MAX ||
        counts.env > WIRE_LIST_MAX) {
        return -EBADMSG;
    }
    *ret_counts = counts;
    return 0;
}

static int read_path(const struct wire_field *field, const char **ret_path)
{
    int result = wire_text(field, PATH_MAX - 1, ret_path);

    return result < 0 ? result : (*ret_path)[0] == '/' ? 0 : -EBADMSG;
}

/* One field; `at` counts what each list holds already. */
static int read_field(const struct wire_field *field, struct request_copy *copy, struct counts *at)
{
    struct sandbox_request *request = &copy->request;
    uint64_t value = 0;
    int result;

    switch (field->tag) {
    case TAG_ROOT:
        return read_path(field, &request->root);
    case TAG_GRANTED:
        return wire_text(field, TEXT_MAX, &request->granted);
    case TAG_NOTIFY:
        result = wire_number(field, NOTIFY_OBSERVE, &value);
        request->notify = (enum sandbox_notify)value;
        return result;
    case TAG_SAID:
        result = wire_number(field, 1, &value);
        request->said = value;
        return result;
    case TAG_TERMINAL:
        result = wire_number(field, 1, &value);
        request->terminal = value;
        return result;
    case TAG_DIRECT:
        result = wire_number(field, 1, &value);
        request->direct = value;
        return result;
    case TAG_OWN:
        return read_path(field, &copy->own[at->own++]);
    case TAG_DECOY:
        return read_path(field, &request->decoy);
    case TAG_WITHOUT:
        result = wire_number(field, (1u << _LAYER_MAX) - 1, &value);
        request->without = (uint32_t)value;
        return result;
    case TAG_DECOY_PORT:
        result = wire_number(field, UINT16_MAX, &value);
        request->decoy_port = (uint16_t)value;
        return result;
    case TAG_BASE:
        return read_path(field, &copy->base[at->base++].path);
    case TAG_INJECT_PATH:
        return read_path(field, &copy->inject[at->inject++].path);
    case TAG_INJECT_DATA:
        if (at->inject == 0 || copy->inject[at->inject - 1].data) {
            return -EBADMSG;
        }
        copy->inject[at->inject - 1].data = field->bytes;
        copy->inject[at->inject - 1].len = field->len;
        return 0;
    case TAG_ARG:
        return wire_text(field, ARG_MAX_BYTES, &copy->argv[at->arg++]);
    case TAG_ENV:
        return wire_text(field, ARG_MAX_BYTES, &copy->env[at->env++]);
    default:
        return -EBADMSG;
    }
}

static int read_fields(const char *bytes, size_t len, struct request_copy *copy)
{
    struct wire_reader reader = {bytes, len};
    struct wire_field field;
    struct counts counts, at = {0};
    int result = count_lists(bytes, len, &counts);

    if (result < 0) {
        return result;
    }
    copy->own = calloc(counts.own + 1, sizeof *copy->own);
    copy->base = calloc(counts.base + 1, sizeof *copy->base);
    copy->inject = calloc(counts.inject + 1, sizeof *copy->inject);
    copy->argv = calloc(counts.arg + 1, sizeof *copy->argv);
    copy->env = calloc(counts.env + 1, sizeof *copy->env);
    if (!copy->own || !copy->base || !copy->inject || !copy->argv || !copy->env) {
        return -ENOMEM;
    }
    while ((result = wire_next(&reader, &field)) == 1) {
        result = read_field(&field, copy, &at);
        if (result < 0) {
            return result;
        }
    }
    for (size_t i = 0; i < at.inject; i++) {
        if (!copy->inject[i].data) {
            return -EBADMSG;
        }
    }
    copy->request.own = copy->own;
    copy->request.base = copy->base;
    copy->request.base_count = at.base;
    copy->request.inject = copy->inject;
    copy->request.inject_count = at.inject;
    copy->request.argv = copy->argv;
    copy->request.env = copy->env;
    copy->request.stdin_fd = -1;
    return result < 0 || !copy->request.root || !copy->request.granted || at.arg == 0 ? -EBADMSG : 0;
}

int request_read(const char *bytes, size_t len, struct request_copy *ret_copy, struct err *err)
{
    struct request_copy copy = {0};
    int result = read_fields(bytes, len, &copy);

    if (result < 0) {
        request_copy_done(&copy);
        return err_errno(err, result, "the request cannot be read");
    }
    *ret_copy = copy;
    return 0;
}

int request_open(int memfd, struct request_copy *ret_copy, struct err *err)
{
    void *mapped;
    size_t len;
    int result = wire_map(memfd, WIRE_REQUEST_MAX, &mapped, &len);

    if (result < 0) {
        return err_errno(err, result, "the request cannot be mapped");
    }
    result = request_read(mapped, len, ret_copy, err);
    if (result < 0) {
        munmap(mapped, len);
        return result;
    }
    ret_copy->mapped = mapped;
    ret_copy->mapped_len = len;
    return 0;
}

void request_copy_done(struct request_copy *copy)
{
    if (!copy) {
        return;
    }
    free(copy->own);
    free(copy->base);
    free(copy->inject);
    free(copy->argv);
    free(copy->env);
    if (copy->mapped) {
        munmap(copy->mapped, copy->mapped_len);
    }
    *copy = (struct request_copy){.request = {.stdin_fd = -1}};
}
