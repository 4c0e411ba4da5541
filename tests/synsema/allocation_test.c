/*
 * Memory that runs out: each program of the arguments is run with its n-th
 * allocation failing and all later ones, for every n up to 2,000 and then
 * every 97th, until the program ends well. Each run must end in an error.
 */
#include "../../synsema/synsema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int ignore(void *context, enum synsema_stream stream, const char *bytes, size_t length)
{
    (void)stream;
    (void)bytes;
    *(size_t *)context += length;
    return 0;
}

static char *read_file(const char *path, size_t *ret_length)
{
    FILE *file = fopen(path, "rb");
    char *data = file ? malloc(1 << 20) : NULL;
    *ret_length = data ? fread(data, 1, 1 << 20, file) : 0;
    if (file) {
        fclose(file);
    }
    return data;
}

/* 1: ended well, 0: ended in an error, -1: ended in an error without a word. */
static int run(const char *source, size_t length, uint64_t n)
{
    size_t printed = 0;
    char error[256];
    struct synsema_options options = {.output = ignore, .context = &printed, .fail_allocation = n};
    struct synsema *engine = synsema_new(&options, error, sizeof(error));
    if (!engine) {
        return error[0] ? 0 : -1;
    }
    const struct synsema_result *result = synsema_run(engine, source, length);
    int r = result->ok ? (printed > 0 ? 1 : -1) : result->error ? 0 : -1;
    synsema_free(engine);
    return r;
}

int main(int argc, char **argv)
{
    unsigned passed = 0, failed = 0;
    for (int i = 1; i < argc; i++) {
        size_t length;
        char *source = read_file(argv[i], &length);
        uint64_t n = 1;
        int r = source ? 0 : -1;
        while (r == 0 && n < 2000000) {
            r = run(source, length, n);
            n += n < 2000 ? 1 : 97;
        }
        printf("%s: %s after %llu allocations\n", argv[i], r == 1 ? "ends well" : "WRONG", (unsigned long long)n);
        passed += r == 1;
        failed += r != 1;
        free(source);
    }
    printf("%u passed, %u failed\n", passed, failed);
    return failed != 0;
}
