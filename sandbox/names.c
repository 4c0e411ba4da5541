/* The words of reports: one table per enum. */
#include "sandbox.h"

#include <assert.h>
#include <string.h>

static const char *const statuses[_STATUS_MAX] = {
    [STATUS_OK] = "ok",           [STATUS_ERROR] = "error",
    [STATUS_SIGNAL] = "signal",   [STATUS_WALL] = "wall",
    [STATUS_CPU] = "cpu",         [STATUS_MEMORY] = "memory",
    [STATUS_OUTPUT] = "output",   [STATUS_PROCESSES] = "processes",
    [STATUS_DISK] = "disk",       [STATUS_DENIED] = "denied",
    [STATUS_BLOCKED] = "blocked", [STATUS_REFUSED] = "refused",
    [STATUS_SETUP] = "setup",     [STATUS_CANCELLED] = "cancelled",
};

static const char *const layers[_LAYER_MAX] = {
    [LAYER_NAMESPACES] = "namespaces", [LAYER_MOUNTS] = "mounts",         [LAYER_LANDLOCK] = "landlock",
    [LAYER_SECCOMP] = "seccomp",       [LAYER_RLIMITS] = "rlimits",       [LAYER_CGROUP] = "cgroup",
    [LAYER_NOTIFY] = "notify",         [LAYER_SUPERVISOR] = "supervisor",
};

static const char *const wants[_WANT_MAX] = {
    [WANT_READ] = "read", [WANT_WRITE] = "write",     [WANT_CHANGE] = "change", [WANT_LIST] = "list",
    [WANT_EXEC] = "exec", [WANT_CONNECT] = "connect", [WANT_BIND] = "bind",     [WANT_SEND] = "send",
};

static const char *const effects[_EFFECT_MAX] = {
    [EFFECT_NONE] = "none",       [EFFECT_CREATED] = "created", [EFFECT_CHANGED] = "changed",
    [EFFECT_REMOVED] = "removed", [EFFECT_FOLDER] = "folder",   [EFFECT_REFUSED] = "refused",
};

const char *sandbox_status_name(enum sandbox_status status)
{
    assert((unsigned)status < _STATUS_MAX);
    return statuses[status];
}

int sandbox_layer_find(const char *name)
{
    for (int i = 0; i < _LAYER_MAX; i++) {
        if (strcmp(layers[i], name) == 0) {
            return i;
        }
    }
    return -1;
}

const char *sandbox_layer_name(enum sandbox_layer layer)
{
    assert((unsigned)layer < _LAYER_MAX);
    return layers[layer];
}

const char *effect_kind_name(enum effect_kind kind)
{
    assert((unsigned)kind < _EFFECT_MAX);
    return effects[kind];
}

const char *access_want_name(enum access_want want)
{
    assert((unsigned)want < _WANT_MAX);
    return wants[want];
}
