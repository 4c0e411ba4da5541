/* The end of a run that may write: its files are carried over when it ended well, and forgotten when it did not. */
#include "commit_file_internal.h"
#include "commit_internal.h"
#include "supervisor_state_internal.h"

#include <stdlib.h>
#include <string.h>

enum { MESSAGE_MAX = 16 << 10 };

/* One line: what the run did, and what of it did not come to anything. */
static void say(const struct commit_result *result, struct report_exit *exit)
{
    struct buf message;

    buf_init(&message, MESSAGE_MAX);
    buf_addf(&message, "%s; %llu of its changes %s not written: %s%s", exit->message ? exit->message : "",
             (unsigned long long)result->refused, result->refused == 1 ? "is" : "are",
             result->first.data ? result->first.data : "no memory", result->refused > 1 ? " ..." : "");
    if (message.data) {
        free(exit->message);
        exit->message = buf_steal(&message);
    }
    buf_done(&message);
}

/* What a direct run has put under a protected name, against what it was told, is taken away again. */
static void remove_stray(void *context, int folder, const char *name, const char *path)
{
    struct supervisor *supervisor = context;
    struct commit_step step = {0};
    struct report effect = {.kind = REPORT_EFFECT,
                            .effect = {.kind = EFFECT_REFUSED,
                                       .path = (char *)(uintptr_t)path,
                                       .problem = (char[]){"the name is protected: it was removed again"}}};

    commit_discard(folder, name, &step);
    if (step.error) {
        effect.effect.problem = (char[]){"the name is protected, and it could not be removed"};
    }
    supervisor_report(supervisor, &effect);
}

static void sweep(struct supervisor *supervisor, struct report_exit *exit)
{
    struct err err;

    if (pins_find_strays(&supervisor->pins, supervisor->options->request->own, remove_stray, supervisor, &err) < 0 &&
        exit->status == STATUS_OK) {
        exit->status = STATUS_SETUP;
        exit->code = -1;
        free(exit->message);
        exit->message = strdup(err.text);
    }
}

void supervisor_commit(struct supervisor *supervisor, struct report_exit *exit)
{
    const struct sandbox_request *request = supervisor->options->request;
    const struct commit_options options = {
        .pins = &supervisor->pins,
        .writes_dir = supervisor->cell.writes_dir,
        .root = request->root,
        .own = request->own,
        .bytes_max = supervisor_limit(supervisor, LIMIT_DISK),
        .started = supervisor->wall_started,
        .report = supervisor_report,
        .context = supervisor,
    };
    struct commit_result result;

    if (request->direct && supervisor->pins.write_count) {
        sweep(supervisor, exit);
    }
    if (exit->status != STATUS_OK || supervisor->pins.write_count == 0 || request->direct) {
        return;
    }
    commit_writes(&options, &result);
    if (result.refused || result.failed) {
        say(&result, exit);
    }
    if (result.failed) {
        exit->status = STATUS_SETUP;
        exit->code = -1;
    }
    commit_result_done(&result);
}
