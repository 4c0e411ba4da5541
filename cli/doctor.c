/* techo doctor: each guarantee, the layer that gives it on this machine, and what came of trying to break it. */
#include "commands.h"

#include <string.h>

#include "exits.h"
#include "job.h"
#include "print.h"

static void report(struct job *job, const struct sandbox_probe *probe)
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
    session_emit(job->session, event);
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
    struct job job;
    struct err err = {0};
    bool all = true;

    if (job_open(&job, arguments, NULL, JOB_SPAWNER | JOB_QUIET, &err) < 0) {
        print_failure(&err);
        return EXIT_USAGE;
    }
    if (sandbox_doctor(SANDBOX_SPAWNER_FD, &probes, &count, &err) < 0) {
        print_failure(&err);
        job_end(&job, "failed", NULL);
        job_done(&job);
        return EXIT_CHECK_FAILED;
    }
    for (size_t i = 0; i < count; i++) {
        report(&job, &probes[i]);
        all &= held(probes, count, probes[i].guarantee);
    }
    print_row("%s", all && count ? "Every guarantee holds here." : "NOT every guarantee holds here.");
    sandbox_probes_free(probes, count);
    job_end(&job, all && count ? "ok" : "failed", NULL);
    job_done(&job);
    return all && count ? EXIT_DONE : EXIT_CHECK_FAILED;
}
