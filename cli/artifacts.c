/* --out DIR: artifacts are kept while events come, and written once at the end. */
#include "artifacts.h"

#include <stdlib.h>
#include <string.h>

#include "print.h"

int artifacts_open(const struct arguments *arguments, struct artifacts *ret_artifacts, struct err *err)
{
    struct artifacts artifacts = {.dir = arguments->value[OPTION_OUT], .folder = -1};
    int code = artifacts.dir ? artifact_folder(artifacts.dir, &artifacts.folder, err) : 0;

    if (code == 0)
        *ret_artifacts = artifacts;
    return code;
}

/* What earlier attempts at the question left is no part of its answer. */
static void forget_earlier(struct artifacts *artifacts, const struct event *event)
{
    size_t kept = 0;

    for (size_t i = 0; i < artifacts->count; i++) {
        struct event *each = artifacts->list[i];
        if (each->question == event->question && each->lane == event->lane && each->attempt < event->attempt)
            event_free(each);
        else
            artifacts->list[kept++] = each;
    }
    artifacts->count = kept;
}

static void keep(struct artifacts *artifacts, const struct event *event)
{
    struct event **list = realloc(artifacts->list, (artifacts->count + 1) * sizeof(*list));
    struct event *copy = list ? event_copy(event) : NULL;

    if (list)
        artifacts->list = list;
    if (copy)
        list[artifacts->count++] = copy;
    else
        artifacts->failed = true;
}

void artifacts_take(void *context, const struct event *event, const struct state *state)
{
    struct artifacts *artifacts = context;

    (void)state;
    if (event->kind == EVENT_PROGRAM)
        forget_earlier(artifacts, event);
    else if (event->kind == EVENT_ARTIFACT)
        keep(artifacts, event);
}

bool artifacts_write(const struct artifacts *artifacts)
{
    bool good = !artifacts->failed;
    size_t len = artifacts->dir ? strlen(artifacts->dir) : 0;
    const char *slash = len && artifacts->dir[len - 1] == '/' ? "" : "/";

    if (artifacts->failed)
        print_person("techo: out of memory: not every file is written to %s", artifacts->dir);
    for (size_t i = 0; i < artifacts->count; i++) {
        struct err err;
        if (artifact_save(artifacts->folder, artifacts->list[i], &err) == 0) {
            print_person("techo: wrote %s%s%s", artifacts->dir, slash, event_text(artifacts->list[i], "name", ""));
        } else {
            print_person("techo: not written to %s: %s", artifacts->dir, err.text);
            good = false;
        }
    }
    return good;
}

void artifacts_done(struct artifacts *artifacts)
{
    for (size_t i = 0; i < artifacts->count; i++)
        event_free(artifacts->list[i]);
    free(artifacts->list);
    close_descriptor(&artifacts->folder);
    *artifacts = (struct artifacts){.folder = -1};
}
