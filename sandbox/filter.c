/* Loads the seccomp program that was generated at build time. */
#include "confine_internal.h"

#include <assert.h>
#include <linux/filter.h>
#include <string.h>

#include "filter_programs.h"
#include "kernel_internal.h"

#define PROGRAM(name)                                                                                                  \
    {                                                                                                                  \
        name, sizeof(name) / sizeof *(name)                                                                            \
    }

static const struct {
    const struct sock_filter *program;
    unsigned short len;
} programs[_FILTER_MAX] = {
    [FILTER_COUNTED] = PROGRAM(filter_cgroup),
    [FILTER_SAMPLED] = PROGRAM(filter_sampled),
    [FILTER_COUNTED_ASKING] = PROGRAM(filter_cgroup_asking),
    [FILTER_SAMPLED_ASKING] = PROGRAM(filter_sampled_asking),
    [FILTER_BARE] = PROGRAM(filter_bare),
    [FILTER_OPEN] = PROGRAM(filter_open),
};

const struct sock_filter *filter_program(enum filter_kind kind, unsigned short *ret_len)
{
    assert((unsigned)kind < _FILTER_MAX);
    *ret_len = programs[kind].len;
    return programs[kind].program;
}

static int load_watched(struct sock_fprog *program)
{
    int listener = kernel_seccomp(SECCOMP_SET_MODE_FILTER,
                                  SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, program);

    if (listener < 0 && errno == EINVAL) { /* before Linux 5.19 */
        listener = kernel_seccomp(SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, program);
    }
    return listener < 0 ? -errno : listener;
}

/* The same program, in which nothing is notified: the layers below decide alone. */
static int load_unwatched(struct sock_fprog *program)
{
    static struct sock_filter copy[4096];

    assert(program->len <= sizeof copy / sizeof *copy);
    memcpy(copy, program->filter, program->len * sizeof *copy);
    for (unsigned short i = 0; i < program->len; i++) {
        if (copy[i].code == (BPF_RET | BPF_K) && copy[i].k == SECCOMP_RET_USER_NOTIF) {
            copy[i].k = SECCOMP_RET_ALLOW;
        }
    }
    program->filter = copy;
    return kernel_seccomp(SECCOMP_SET_MODE_FILTER, 0, program) ? -errno : 0;
}

int filter_load(enum filter_kind kind, bool watched, int *ret_listener, int *ret_unwatched)
{
    struct sock_fprog program;
    int listener = -1;

    program.filter = (struct sock_filter *)filter_program(kind, &program.len);
    *ret_unwatched = 0;
    if (watched) {
        listener = load_watched(&program);
        if (listener < 0 && listener != -EBUSY) {
            return listener;
        }
        *ret_unwatched = listener < 0 ? -listener : 0;
    }
    *ret_listener = listener < 0 ? -1 : listener;
    return listener < 0 ? load_unwatched(&program) : 0;
}
