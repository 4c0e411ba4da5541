/* Loads the seccomp program that was generated at build time. */
#include "confine_internal.h"

#include <linux/filter.h>

#include "filter_programs.h"
#include "kernel_internal.h"

const struct sock_filter *filter_program(bool sampled, unsigned short *ret_len)
{
    *ret_len = sampled ? sizeof filter_sampled / sizeof *filter_sampled : sizeof filter_cgroup / sizeof *filter_cgroup;
    return sampled ? filter_sampled : filter_cgroup;
}

int filter_load(bool sampled)
{
    struct sock_fprog program;
    int listener;

    program.filter = (struct sock_filter *)filter_program(sampled, &program.len);
    listener = kernel_seccomp(SECCOMP_SET_MODE_FILTER,
                              SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, &program);
    if (listener < 0 && errno == EINVAL) { /* before Linux 5.19 */
        listener = kernel_seccomp(SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
    }
    return listener < 0 ? -errno : listener;
}
