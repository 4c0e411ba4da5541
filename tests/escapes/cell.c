/*
 * Runs one program in a cell, just as techo does (spawner, supervisor, cell),
 * and prints everything that was reported as one JSON object. Other than
 * `techo exec`, it shows nothing of this machine but what -b names.
 *
 *     cell -r ROOT -c CEILING [-o] [-b PATH]... [-e NAME=VALUE]... -- PROGRAM [ARGUMENT...]
 *
 * -o: observe, so that nothing answers for the kernel. -D FOLDER: in a decoy cell around that throw-away folder;
 * -w LAYER: without that layer, there only. -n COUNT: so many runs by one spawner, an object a line; between them it
 * waits for a line of input.
 */
#include "../../sandbox/sandbox.h"
#include "../../sandbox/spawner_internal.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LIST_MAX = 64, POLICY_MAX = 64 << 10, OUTPUT_KEPT = 256 << 10 };

struct job {
    const char *ceiling;
    char root[PATH_MAX];
    enum sandbox_notify notify;
    struct sandbox_base base[LIST_MAX];
    size_t base_count;
    const char *env[LIST_MAX + 1];
    size_t env_count;
    const char *const *argv;
    const char *decoy; /* NULL: none */
    uint32_t without;
    int runs;
};

struct result {
    cJSON *all, *accesses, *artifacts; /* borrowed from `all` but for `all` itself */
    struct buf output[3];
    bool ended;
};

static _Noreturn void usage(void)
{
    dprintf(STDERR_FILENO, "usage: cell -r ROOT -c CEILING [-o] [-b PATH] [-e NAME=VALUE] -- PROGRAM [ARGUMENT...]\n");
    exit(2);
}

static uint32_t layer_named(const char *name)
{
    for (int i = 0; i < _LAYER_MAX; i++) {
        if (strcmp(name, sandbox_layer_name((enum sandbox_layer)i)) == 0) {
            return 1U << i;
        }
    }
    usage();
}

static void read_arguments(int argc, char **argv, struct job *job)
{
    static const char *const standard[] = {"PATH=/usr/bin:/bin", "HOME=/home/user", "TMPDIR=/tmp", "LANG=C.UTF-8",
                                           "TZ=UTC"};

    for (size_t i = 0; i < sizeof standard / sizeof *standard; i++) {
        job->env[job->env_count++] = standard[i];
    }
    for (int option; (option = getopt(argc, argv, "+r:c:ob:e:D:w:n:")) != -1;) {
        if (job->base_count == LIST_MAX || job->env_count == LIST_MAX) {
            usage();
        }
        switch (option) {
        case 'r':
            if (!realpath(optarg, job->root)) {
                usage();
            }
            break;
        case 'c':
            job->ceiling = optarg;
            break;
        case 'o':
            job->notify = NOTIFY_OBSERVE;
            break;
        case 'D':
            job->decoy = optarg;
            break;
        case 'w':
            job->without |= layer_named(optarg);
            break;
        case 'n':
            job->runs = atoi(optarg);
            break;
        case 'b':
            job->base[job->base_count++].path = optarg;
            break;
        case 'e':
            job->env[job->env_count++] = optarg;
            break;
        default:
            usage();
        }
    }
    if (!job->ceiling || !job->root[0] || optind == argc) {
        usage();
    }
    job->argv = (const char *const *)argv + optind;
}

/* The ceiling is the grant, as in `techo exec`. */
static int read_ceiling(const struct job *job, struct buf *granted, struct err *err)
{
    struct policy ceiling = {0};
    struct grant grant = {0};
    int result = policy_parse(job->ceiling, &ceiling, err);
    const struct grant_input input = {.root = job->root,
                                      .home = getenv("HOME"),
                                      .ceiling = &ceiling,
                                      .default_is_ceiling = true,
                                      .ambient = AMBIENT_WHOLE_CEILING};

    result = result ? result : grant_compute(&input, &grant, err);
    for (size_t i = 0; result == 0 && i < grant.count; i++) {
        if (grant.rows[i].state == GRANT_UNSERVED) {
            result = err_set(err, -EOPNOTSUPP, "%s: %s", grant.rows[i].name, grant.rows[i].why);
        }
    }
    result = result ? result : grant_format(&grant, granted);
    grant_done(&grant);
    policy_done(&ceiling);
    return result;
}

/* ---- what is reported ------------------------------------------------------------------------------------------- */

static void add_layers(cJSON *to, uint32_t layers)
{
    cJSON *list = cJSON_AddArrayToObject(to, "layers");

    for (int i = 0; i < _LAYER_MAX; i++) {
        if (layers & 1U << i) {
            cJSON_AddItemToArray(list, cJSON_CreateString(sandbox_layer_name((enum sandbox_layer)i)));
        }
    }
}

/* The bytes are the program's: what is not ASCII becomes a question mark. */
static void add_text(cJSON *to, const char *name, const char *bytes, size_t len)
{
    char *text = malloc(len + 1);

    for (size_t i = 0; text && i < len; i++) {
        text[i] = bytes[i] > 0 ? bytes[i] : '?';
    }
    if (text) {
        text[len] = '\0';
        cJSON_AddStringToObject(to, name, text);
    }
    free(text);
}

static cJSON *add_object(cJSON *list)
{
    cJSON *object = cJSON_CreateObject();

    cJSON_AddItemToArray(list, object);
    return object;
}

static void add_access(cJSON *list, const struct report_access *access)
{
    static const char *const verdicts[] = {"allowed", "denied", "absent"};
    cJSON *row = NULL, *number;
    const char *given = access->given ? access->given : "", *resolved = access->resolved ? access->resolved : "";

    cJSON_ArrayForEach(row, list) /* a later report of the same number updates the count */
    {
        number = cJSON_GetObjectItem(row, "number");
        if (number && number->valuedouble == (double)access->number) {
            cJSON_SetNumberValue(cJSON_GetObjectItem(row, "count"), (double)access->count);
            return;
        }
    }
    row = add_object(list);
    cJSON_AddNumberToObject(row, "number", (double)access->number);
    cJSON_AddStringToObject(row, "call", access->call);
    add_text(row, "given", given, strlen(given));
    add_text(row, "resolved", resolved, strlen(resolved));
    cJSON_AddStringToObject(row, "want", access_want_name(access->want));
    cJSON_AddStringToObject(row, "verdict", verdicts[access->verdict]);
    cJSON_AddNumberToObject(row, "errno", access->error);
    if (access->verdict == ACCESS_DENIED) {
        cJSON_AddStringToObject(row, "layer", sandbox_layer_name(access->layer));
        cJSON_AddBoolToObject(row, "answered", access->answered);
        cJSON_AddStringToObject(row, "missing", permission_name(access->missing));
    }
    cJSON_AddNumberToObject(row, "count", (double)access->count);
}

static void add_exit(cJSON *to, const struct report_exit *end)
{
    cJSON_AddStringToObject(to, "status", sandbox_status_name(end->status));
    cJSON_AddNumberToObject(to, "code", end->code);
    cJSON_AddNumberToObject(to, "signal", end->signal);
    cJSON_AddStringToObject(to, "message", end->message ? end->message : "");
    cJSON_AddNumberToObject(to, "survivors", end->survivors);
    cJSON_AddBoolToObject(to, "unkillable", end->unkillable);
    cJSON_AddNumberToObject(to, "run_us", (double)end->run_us);
}

static void take(struct result *result, const struct report *report)
{
    const struct report_output *output = &report->output;
    cJSON *cell;

    switch (report->kind) {
    case REPORT_CELL:
        cell = cJSON_AddObjectToObject(result->all, "cell");
        cJSON_AddStringToObject(cell, "level", report->cell.level);
        cJSON_AddStringToObject(cell, "off", report->cell.off ? report->cell.off : "");
        cJSON_AddBoolToObject(cell, "sampled", report->cell.memory_sampled);
        add_layers(cell, report->cell.layers);
        break;
    case REPORT_OUTPUT:
        if (result->output[output->stream].len + output->len <= OUTPUT_KEPT) {
            buf_add(&result->output[output->stream], output->bytes, output->len);
        }
        break;
    case REPORT_ACCESS:
        add_access(result->accesses, &report->access);
        break;
    case REPORT_ARTIFACT:
        if (report->artifact.fd >= 0) {
            close(report->artifact.fd);
        }
        cell = add_object(result->artifacts);
        add_text(cell, "name", report->artifact.name, strlen(report->artifact.name));
        cJSON_AddNumberToObject(cell, "size", (double)report->artifact.size);
        break;
    case REPORT_USAGE:
        cJSON_DeleteItemFromObject(result->all, "usage");
        cell = cJSON_AddObjectToObject(result->all, "usage");
        cJSON_AddNumberToObject(cell, "memory_peak", (double)report->usage.memory_peak);
        cJSON_AddNumberToObject(cell, "processes_peak", report->usage.processes_peak);
        cJSON_AddNumberToObject(cell, "cpu_us", (double)report->usage.cpu_us);
        cJSON_AddNumberToObject(cell, "disk", (double)report->usage.disk);
        break;
    case REPORT_EXIT:
        result->ended = true;
        add_exit(cJSON_AddObjectToObject(result->all, "exit"), &report->exit);
        break;
    default:
        break;
    }
}

static int run(const struct job *job, int spawner, const char *granted, struct result *result, struct err *err)
{
    const struct sandbox_request request = {.root = job->root,
                                            .granted = granted,
                                            .base = job->base,
                                            .base_count = job->base_count,
                                            .argv = job->argv,
                                            .env = job->env,
                                            .notify = job->notify,
                                            .decoy = job->decoy,
                                            .without = job->without,
                                            .stdin_fd = -1};
    int run = -1, status = sandbox_start(spawner, &request, &run, err);

    while (status == 0 && !result->ended) {
        struct pollfd event = {.fd = run, .events = POLLIN};
        struct report report = {0};
        int got;
        if (poll(&event, 1, -1) < 0) {
            continue;
        }
        while ((got = sandbox_receive(run, &report, err)) == 1) {
            take(result, &report);
            report_done(&report);
        }
        status = got < 0 && !result->ended ? got : 0;
    }
    close_descriptor(&run);
    return status;
}

static void run_and_print(const struct job *job, int spawner)
{
    struct result result = {.all = cJSON_CreateObject()};
    struct buf granted;
    struct err err = {0};

    buf_init(&granted, POLICY_MAX);
    buf_init(&result.output[1], OUTPUT_KEPT);
    buf_init(&result.output[2], OUTPUT_KEPT);
    result.accesses = cJSON_AddArrayToObject(result.all, "accesses");
    result.artifacts = cJSON_AddArrayToObject(result.all, "artifacts");
    if (read_ceiling(job, &granted, &err) < 0 || run(job, spawner, granted.data, &result, &err) < 0) {
        cJSON_AddStringToObject(result.all, "error", err.text);
    }
    add_text(result.all, "out", result.output[1].data, result.output[1].len);
    add_text(result.all, "err", result.output[2].data, result.output[2].len);
    char *text = cJSON_PrintUnformatted(result.all);
    puts(text);
    fflush(stdout);
    free(text);
    buf_done(&granted);
    buf_done(&result.output[1]);
    buf_done(&result.output[2]);
    cJSON_Delete(result.all);
}

int main(int argc, char **argv)
{
    static struct job job = {.notify = NOTIFY_ANSWER, .runs = 1};
    struct err err = {0};
    int spawner;

    if (argc == 2 && strcmp(argv[1], SPAWNER_ARGUMENT) == 0) {
        return spawner_main(SANDBOX_SPAWNER_FD);
    }
    read_arguments(argc, argv, &job);
    if (spawner_start(&spawner, &err) < 0) {
        dprintf(STDERR_FILENO, "cell: %s\n", err.text);
        return 1;
    }
    for (int i = 0; i < job.runs; i++) {
        if (i > 0 && getchar() == EOF) {
            return 1;
        }
        run_and_print(&job, spawner);
    }
    return 0;
}
