/* Fuzz target: the lexer, parser, generator and machine of Synsema, with small limits. */
#include <stddef.h>
#include <stdint.h>

#include "../../synsema/synsema.h"

static int ignore(void *context, enum synsema_stream stream, const char *bytes, size_t length)
{
    (void)context;
    (void)stream;
    (void)bytes;
    (void)length;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct synsema_options options = {.output = ignore,
                                      .ceiling = "stdout",
                                      .directory = "/nonexistent",
                                      .memory_limit = 64 << 20,
                                      .step_limit = 20000,
                                      .depth_limit = 200,
                                      .pure = true,
                                      .tests = true};
    char error[128];
    struct synsema *engine = synsema_new(&options, error, sizeof(error));
    if (engine) {
        synsema_run(engine, (const char *)data, size);
        synsema_free(engine);
    }
    return 0;
}
