/*
 * The doctor: for each guarantee a throw-away cell, in observe mode, so that
 * the kernel's layers alone must hold. The program in it is bin/techo itself,
 * which needs no other file.
 */
#include "probe_internal.h"

#include "supervisor_internal.h"
#include "wire_internal.h"

#include <errno.h>
#include <limits.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

struct probe {
    const char *guarantee;
    enum sandbox_layer layer; /* that gives it; memory: where no control group counts it */
    enum sandbox_layer bare;  /* that gives it at L2 */
    const char *granted;
    enum sandbox_status status, or_status; /* how the run must end */
    const char *tried;                     /* what was tried */
    const char *bare_tried;                /* the same at L2, where it differs */
};

static const struct probe probes[] = {
    {"files", LAYER_MOUNTS, LAYER_LANDLOCK, "wall=5s", STATUS_OK, STATUS_OK,
     "opened files of the host, changed its own program: refused; its own files open", NULL},
    {"network", LAYER_NAMESPACES, LAYER_SECCOMP, "wall=5s", STATUS_OK, STATUS_OK,
     "connected to a server of the host and to public addresses: refused; its own server answers",
     "asked for INET and UNIX sockets: refused; a pair of sockets works"},
    {"processes", LAYER_NAMESPACES, LAYER_SECCOMP, "wall=5s", STATUS_OK, STATUS_OK,
     "signalled a process of the host, left one behind that ignores signals: it is gone", NULL},
    {"kernel surface", LAYER_SECCOMP, LAYER_SECCOMP, "wall=5s", STATUS_OK, STATUS_OK,
     "called mount, bpf, ptrace, io_uring and others: refused before the kernel looked at the arguments", NULL},
    {"secrets", LAYER_SUPERVISOR, LAYER_SUPERVISOR, "wall=5s", STATUS_OK, STATUS_OK,
     "looked for inherited variables, descriptors and the environment of process 1: nothing", NULL},
    {"memory", LAYER_RLIMITS, LAYER_RLIMITS, "memory=64M,wall=5s", STATUS_OK, STATUS_MEMORY,
     "touched 512M with memory=64M: stopped", NULL},
    {"cpu", LAYER_SUPERVISOR, LAYER_SUPERVISOR, "cpu=100ms,wall=5s", STATUS_CPU, STATUS_CPU,
     "looped without end with cpu=100ms: killed", NULL},
    {"wall", LAYER_SUPERVISOR, LAYER_SUPERVISOR, "wall=100ms", STATUS_WALL, STATUS_WALL,
     "slept without end with wall=100ms: killed", NULL},
    {"output", LAYER_SUPERVISOR, LAYER_SUPERVISOR, "stdout,output=4K,wall=5s", STATUS_OUTPUT, STATUS_OUTPUT,
     "wrote 16M with output=4K: killed", NULL},
    {"disk", LAYER_MOUNTS, LAYER_LANDLOCK, "disk=1M,wall=5s", STATUS_OK, STATUS_DISK,
     "filled /tmp with disk=1M: no space left", "made a file in /tmp: refused, as everywhere"},
};

/* What the run of a probe said. */
struct seen {
    struct report_exit end;
    bool sampled, made;
    char level[8];
    struct buf layers; /* in force, and why the others are not */
};

/* "in force: namespaces, mounts; landlock: this kernel has none" */
static void note_level(const struct report_cell *cell, struct seen *seen)
{
    const char *before = "in force: ";

    snprintf(seen->level, sizeof seen->level, "%s", cell->level);
    buf_init(&seen->layers, ERR_TEXT_MAX * 4);
    for (int i = 0; i < _LAYER_MAX; i++) {
        if (cell->layers & 1u << i) {
            buf_addf(&seen->layers, "%s%s", before, sandbox_layer_name((enum sandbox_layer)i));
            before = ", ";
        }
    }
    for (const char *line = cell->off; *line;) {
        size_t len = strcspn(line, "\n");
        buf_addf(&seen->layers, "; %.*s", (int)len, line);
        line += len + (line[len] == '\n');
    }
}

static void take(void *context, struct report *report)
{
    struct seen *seen = context;

    if (report->kind == REPORT_CELL) {
        seen->made = true;
        seen->sampled = report->cell.memory_sampled;
        note_level(&report->cell, seen);
    } else if (report->kind == REPORT_EXIT) {
        seen->end = report->exit;
        seen->end.message = strdup(report->exit.message ? report->exit.message : "");
    }
}

static void run_probe(const struct probe *probe, int port, const char *bare, struct seen *seen)
{
    char self[PATH_MAX], port_text[16], pid_text[16];
    ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
    const struct sandbox_base base[] = {{self}};
    const char *const argv[] = {self, PROBE_ARGUMENT, probe->guarantee, port_text, pid_text, bare ? "bare" : "", NULL};
    const char *const env[] = {"PROBE=1", NULL};
    const struct sandbox_request request = {
        .root = "/usr",
        .granted = probe->granted,
        .base = base,
        .base_count = 1,
        .argv = argv,
        .env = env,
        .notify = NOTIFY_OBSERVE,
        .stdin_fd = -1,
    };
    const struct supervisor_options options = {.request = &request,
                                               .stdio = {-1, -1, -1},
                                               .client = -1,
                                               .signals = -1,
                                               .report = take,
                                               .context = seen,
                                               .bare = bare};

    self[len > 0 ? len : 0] = '\0';
    snprintf(port_text, sizeof port_text, "%d", port);
    snprintf(pid_text, sizeof pid_text, "%d", getpid());
    supervisor_run(&options);
}

static bool holds(const struct probe *probe, const struct seen *seen)
{
    bool left = strcmp(probe->guarantee, "processes") != 0 || seen->end.survivors == 1;
    bool ended = seen->end.status == probe->status || seen->end.status == probe->or_status;

    return ended && left && !seen->end.unkillable;
}

static void describe(const struct probe *probe, const struct seen *seen, bool held, bool bare, struct buf *text)
{
    const char *tried = bare && probe->bare_tried ? probe->bare_tried : probe->tried;

    if (held) {
        buf_add_text(text, tried);
    } else if (seen->end.status == STATUS_ERROR && seen->end.code == PROBE_BROKEN) {
        buf_addf(text, "NOT HELD. Tried: %s", tried);
    } else if (seen->end.status == STATUS_ERROR && seen->end.code == PROBE_NO_CONTROL) {
        buf_add_text(text, "not known: what must work does not, so the attempt proves nothing");
    } else {
        buf_addf(text, "%s: %s", sandbox_status_name(seen->end.status), seen->end.message);
    }
}

static void send_probe(int socket, const struct sandbox_probe *probe)
{
    struct buf bytes;

    buf_init(&bytes, WIRE_INLINE_MAX);
    if (probe_write(probe, &bytes) == 0) {
        (void)wire_send(socket, bytes.data, bytes.len, NULL, 0, true);
    }
    buf_done(&bytes);
}

/* In a process of its own, so that each probe counts its own children only. */
static void probe_one(int socket, const struct probe *probe, int port, const char *bare)
{
    struct seen seen = {0};
    struct buf text;

    run_probe(probe, port, bare, &seen);
    bool held = holds(probe, &seen);
    bool counted = seen.made && !seen.sampled && strcmp(probe->guarantee, "memory") == 0;
    buf_init(&text, ERR_TEXT_MAX);
    describe(probe, &seen, held, bare, &text);
    if (probe == probes && seen.made) { /* what the others rest on, once */
        send_probe(socket, &(struct sandbox_probe){"level", seen.level, true, seen.layers.data});
    }
    const struct sandbox_probe result = {
        .guarantee = probe->guarantee,
        .layer = sandbox_layer_name(counted ? LAYER_CGROUP
                                    : bare  ? probe->bare
                                            : probe->layer),
        .holds = held,
        .text = text.data,
    };
    send_probe(socket, &result);
    _exit(0);
}

/* A server of the host that nobody inside may reach. */
static int listen_here(int *ret_port)
{
    struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof own;
    int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    *ret_port = 1;
    if (server >= 0 && bind(server, (struct sockaddr *)&own, sizeof own) == 0 && listen(server, 1) == 0 &&
        getsockname(server, (struct sockaddr *)&own, &len) == 0) {
        *ret_port = ntohs(own.sin_port);
    }
    return server;
}

void probe_report(int socket, const struct err *outer)
{
    const char *bare = outer->code == -EPERM ? outer->text : NULL;
    bool refused = outer->code < 0 && !bare;
    int port, server = listen_here(&port);

    for (size_t i = 0; i < sizeof probes / sizeof probes[0]; i++) {
        pid_t child = refused ? -1 : fork();
        if (child == 0) {
            probe_one(socket, &probes[i], port, bare);
        }
        if (child > 0) {
            waitpid(child, NULL, 0);
            continue;
        }
        const struct sandbox_probe result = {
            .guarantee = probes[i].guarantee,
            .layer = sandbox_layer_name(probes[i].layer),
            .text = (char *)(uintptr_t)(refused ? outer->text : "no process for the probe"),
        };
        send_probe(socket, &result);
    }
    close_descriptor(&server);
}
