/* libexec/techo/synsema: runs one Synsema program. `synsema [OPTION…] FILE|- [-- ARG…]`; see usage below. */
#include "report_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define MEMORY_DEFAULT (UINT64_C(4) << 30)
#define STACK_BYTES ((rlim_t)64 * 1024 * 1024)

static const char usage[] =
    "usage: synsema [--sandbox | --cap-set CEILING] [--profile native|pure] [--test] [--check] [--filename NAME]\n"
    "               [--memory BYTES] [--steps N] [--format json] FILE|- [-- ARG...]\n";

struct request {
    struct synsema_options options;
    const char *file;
    bool check;
    bool json;
    struct report report;
    bool sandbox;
};

static int wrong(const char *what)
{
    fprintf(stderr, "synsema: %s\n%s", what, usage);
    return 2;
}

static bool takes_value(const char *option)
{
    static const char *const options[] = {"--cap-set", "--profile", "--filename", "--memory", "--steps", "--format"};
    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
        if (strcmp(options[i], option) == 0) {
            return true;
        }
    }
    return false;
}

static int set_value(struct request *request, const char *option, const char *value)
{
    char *end = NULL;
    errno = 0;
    if (strcmp(option, "--cap-set") == 0) {
        request->options.ceiling = value;
    } else if (strcmp(option, "--filename") == 0) {
        request->options.filename = value;
    } else if (strcmp(option, "--format") == 0) {
        request->json = strcmp(value, "json") == 0;
        return request->json ? 0 : wrong("the only format is json");
    } else if (strcmp(option, "--profile") == 0) {
        request->options.pure = strcmp(value, "pure") == 0;
        return request->options.pure || strcmp(value, "native") == 0 ? 0 : wrong("profile is native or pure");
    } else {
        unsigned long long n = strtoull(value, &end, 10);
        if (errno || end == value || *end) {
            return wrong("a number was expected");
        }
        *(strcmp(option, "--memory") == 0 ? &request->options.memory_limit : &request->options.step_limit) = n;
    }
    return 0;
}

static int parse(int argc, char **argv, struct request *request)
{
    int i = 1;
    for (; i < argc && argv[i][0] == '-' && argv[i][1] && strcmp(argv[i], "--") != 0; i++) {
        if (takes_value(argv[i])) {
            if (i + 1 == argc) {
                return wrong("an option lacks its value");
            }
            int r = set_value(request, argv[i], argv[i + 1]);
            i++;
            if (r) {
                return r;
            }
        } else if (strcmp(argv[i], "--sandbox") == 0) {
            request->sandbox = true;
        } else if (strcmp(argv[i], "--test") == 0) {
            request->options.tests = true;
        } else if (strcmp(argv[i], "--check") == 0) {
            request->check = true;
        } else {
            return wrong("unknown option");
        }
    }
    if (request->sandbox && request->options.ceiling) {
        return wrong("--sandbox and --cap-set are mutually exclusive; choose one");
    }
    if (request->sandbox) {
        request->options.ceiling = "stdout,time";
    }
    if (i == argc) {
        return wrong("no file");
    }
    request->file = argv[i++];
    if (i < argc && strcmp(argv[i], "--") == 0) {
        i++;
    }
    request->options.args = (const char *const *)&argv[i];
    request->options.arg_count = (size_t)(argc - i);
    return 0;
}

static char *read_all(const char *path, size_t *ret_length)
{
    int fd = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    size_t length = 0, capacity = 65536;
    char *data = fd < 0 ? NULL : malloc(capacity);
    while (data) {
        ssize_t n = read(fd, data + length, capacity - length);
        if (n <= 0) {
            if (n < 0) {
                free(data);
                data = NULL;
            }
            break;
        }
        length += (size_t)n;
        if (length == capacity) {
            capacity *= 2;
            char *more = realloc(data, capacity);
            if (!more) {
                free(data);
            }
            data = more;
        }
    }
    if (fd > 0) {
        close(fd);
    }
    *ret_length = length;
    return data;
}

/* Nested calls from builtins need the C stack; the kernel looks at the limit when the stack grows. */
static void raise_stack_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < STACK_BYTES) {
        limit.rlim_cur = limit.rlim_max == RLIM_INFINITY || limit.rlim_max > STACK_BYTES ? STACK_BYTES : limit.rlim_max;
        setrlimit(RLIMIT_STACK, &limit);
    }
}

/* Keeps the lines for the report. */
static int keep(void *context, enum synsema_stream stream, const char *bytes, size_t length)
{
    struct request *request = context;
    if (stream == SYNSEMA_STDERR) {
        fwrite(bytes, 1, length, stderr);
        return 0;
    }
    return report_add(&request->report, bytes, length - 1);
}

int main(int argc, char **argv)
{
    struct request request = {.options.memory_limit = MEMORY_DEFAULT};
    int r = parse(argc, argv, &request);
    if (r) {
        return r;
    }
    size_t length;
    char *source = read_all(request.file, &length);
    if (!source) {
        fprintf(stderr, "synsema: %s: %s\n", request.file, strerror(errno));
        return 2;
    }
    if (!request.options.filename) {
        request.options.filename = strcmp(request.file, "-") == 0 ? "<stdin>" : request.file;
    }
    if (request.json) {
        request.options.output = keep;
        request.options.context = &request;
    }
    raise_stack_limit();
    char error[512];
    struct synsema *engine = synsema_new(&request.options, error, sizeof(error));
    if (!engine) {
        fprintf(stderr, "synsema: %s\n", error);
        return 2;
    }
    const struct synsema_result *result =
        request.check ? synsema_check(engine, source, length) : synsema_run(engine, source, length);
    if (request.json) {
        report_write(&request.report, engine, result, stdout);
        report_done(&request.report);
    } else if (result->error) {
        fprintf(stderr, "%s\n", result->error);
    }
    int status = result->exit;
    if (request.options.tests && result->ok) {
        printf("%u passed, %u failed (%u total)\n", result->tests_passed, result->tests_failed,
               result->tests_passed + result->tests_failed);
        status = result->tests_failed ? 1 : 0;
    }
    synsema_free(engine);
    free(source);
    return status;
}
