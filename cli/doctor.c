/* techo doctor: each guarantee, the layer that gives it on this machine, and what came of trying to break it. */
#include "commands.h"

#include <string.h>

#include "exits.h"
#include "print.h"
#include "task.h"

static void report(struct task *task, const struct sandbox_probe *probe)
{
    struct event *event = event_new(EVENT_PROBE);

    print_row("%-16s %-12s %-6s %s", probe->guarantee, probe->layer, probe->holds ? "holds" : "FAILS",
              probe->text ? probe->text : "");
    if (!event)
        return;
    event_set_text(event, "guarantee", probe->guarantee);
    event_set_text(event, "layer", probe->layer);
    event_set_bool(event, "holds", probe->holds);
    event_set_text(event, "result", probe->text);
    session_emit(task->session, event);
}

/* A guarantee may come from several layers: one that holds is enough. */
static bool held(const struct sandbox_probe *probes, size_t count, const char *guarantee)
{
    for (size_t i = 0; i < count; i++)
        if (probes[i].holds && strcmp(probes[i].guarantee, guarantee) == 0)
            return true;
    return false;
}

int command_doctor(const struct arguments *arguments)
{
    struct sandbox_probe *probes = NULL;
    size_t count = 0;
    struct task task;
    struct err err = {0};
    bool all = true;

    if (task_open(&task, arguments, NULL, TASK_SPAWNER | TASK_QUIET, &err) < 0) {
        print_failure(&err);
        return EXIT_USAGE;
    }
    if (sandbox_doctor(SANDBOX_SPAWNER_FD, &probes, &count, &err) < 0) {
        print_failure(&err);
        task_end(&task, "failed", NULL);
        task_done(&task);
        return EXIT_CHECK_FAILED;
    }
    for (size_t i = 0; i < count; i++) {
        report(&task, &probes[i]);
        all &= held(probes, count, probes[i].guarantee);
    }
    print_row("%s", all && count ? "Every guarantee holds here." : "NOT every guarantee holds here.");
    sandbox_probes_free(probes, count);
    task_end(&task, all && count ? "ok" : "failed", NULL);
    task_done(&task);
    return all && count ? EXIT_DONE : EXIT_CHECK_FAILED;
}
