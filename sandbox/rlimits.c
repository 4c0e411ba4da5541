/* Resource limits of the program's processes. */
#include "confine_internal.h"

#include <errno.h>
#include <sys/resource.h>

enum { MICROSECONDS = 1000000, STACK_BYTES = 8 << 20, FILES_COUNTED = 1024, FILES_SAMPLED = 256 };

int rlimits_set(const struct limits *limits, bool sampled, bool own_files, uint64_t others)
{
    /* a stream of the caller's may be a file of any size, and of its own the program has only what is sized anyway */
    const rlim_t file = own_files ? limits->value[LIMIT_DISK] : RLIM_INFINITY;
    const rlim_t cpu = (limits->value[LIMIT_CPU] + MICROSECONDS - 1) / MICROSECONDS;
    const rlim_t processes = limits->value[LIMIT_PROCESSES] + others;
    const struct {
        int resource;
        rlim_t soft, hard;
    } table[] = {
        {RLIMIT_CORE, 0, 0},
        {RLIMIT_CPU, cpu, cpu + 1}, /* per process; the supervisor counts the sum */
        {RLIMIT_NPROC, processes, processes},
        {RLIMIT_FSIZE, file, file},
        /* follows what is really used; gives Python a MemoryError */
        {RLIMIT_DATA, limits->value[LIMIT_MEMORY], limits->value[LIMIT_MEMORY]},
        {RLIMIT_STACK, STACK_BYTES, STACK_BYTES},
        {RLIMIT_NOFILE, sampled ? FILES_SAMPLED : FILES_COUNTED, sampled ? FILES_SAMPLED : FILES_COUNTED},
        {RLIMIT_MEMLOCK, 0, 0},
        {RLIMIT_MSGQUEUE, 0, 0},
        {RLIMIT_RTPRIO, 0, 0},
        {RLIMIT_NICE, 0, 0},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct rlimit have, want = {table[i].soft, table[i].hard};
        if (getrlimit(table[i].resource, &have)) {
            return -errno;
        }
        /* what is lower already stays so: raising it is not ours */
        if (have.rlim_max < want.rlim_max) {
            want.rlim_max = have.rlim_max;
        }
        if (want.rlim_cur > want.rlim_max) {
            want.rlim_cur = want.rlim_max;
        }
        if (setrlimit(table[i].resource, &want)) {
            return -errno;
        }
    }
    return 0;
}
