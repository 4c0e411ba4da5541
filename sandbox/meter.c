/*
 * Sampling. The time of a process's ended children is in its own count, so the
 * sum over the tree, init included, is that of all that ever ran; but not of
 * children whose parent ignores their end. So the sum is also made the other
 * way: each process by itself, and those that are gone as they were last seen.
 */
#include "meter_internal.h"

#include "buffers_internal.h"
#include "family_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { TEXT_MAX = 4096, FULL_PERCENT = 99 };

void meter_init(struct meter *meter, const struct cell *cell)
{
    *meter = (struct meter){.cell = cell};
}

/* The whole of a small file as text; false when it cannot be read. */
static bool read_text(int folder, const char *name, char ret_text[TEXT_MAX])
{
    int fd = openat(folder, name, O_RDONLY | O_CLOEXEC);
    ssize_t len;

    if (fd < 0) {
        return false;
    }
    len = read(fd, ret_text, TEXT_MAX - 1);
    close(fd);
    ret_text[len > 0 ? len : 0] = '\0';
    return len > 0;
}

static bool read_number(int folder, const char *name, uint64_t *ret_value)
{
    char text[TEXT_MAX];

    if (folder < 0 || !read_text(folder, name, text)) {
        return false;
    }
    *ret_value = strtoull(text, NULL, 10);
    return true;
}

/* "key 12" on a line of its own. */
static uint64_t read_key(int folder, const char *name, const char *key)
{
    char text[TEXT_MAX];
    size_t len = strlen(key);

    if (folder < 0 || !read_text(folder, name, text)) {
        return 0;
    }
    for (char *line = text; line && *line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, len) == 0 && line[len] == ' ') {
            return strtoull(line + len, NULL, 10);
        }
    }
    return 0;
}

struct process {
    uint64_t ticks, with_children, pages;
    uint32_t threads;
};

/* A process that was seen, and the ticks that it had used then. */
struct seen {
    pid_t pid;
    uint64_t ticks;
};

/* /proc/PID/stat: the fields after the command, which may hold any byte. */
static bool read_process(pid_t pid, struct process *ret_process)
{
    char path[64], text[TEXT_MAX], *at;
    uint64_t fields[24] = {0};

    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    if (!read_text(AT_FDCWD, path, text) || !(at = strrchr(text, ')')) || strlen(at) < 4) {
        return false;
    }
    at += 3; /* the state's letter is field 3; what follows is numbers, from field 4 */
    for (size_t i = 4; i <= 23 + 1 && *at; i++) {
        fields[i - 1] = strtoull(at + 1, &at, 10);
    }
    *ret_process = (struct process){
        .ticks = fields[13] + fields[14],
        .with_children = fields[13] + fields[14] + fields[15] + fields[16],
        .threads = (uint32_t)fields[19],
        .pages = fields[23],
    };
    return true;
}

void meter_read_counts(struct meter *meter)
{
    int memory = meter->cell->cgroup_memory, processes = meter->cell->cgroup_pids;
    struct report_usage *usage = &meter->usage;
    struct statvfs disk;
    uint64_t value;

    /* version 2's names, then version 1's */
    if (read_number(memory, "memory.current", &value) || read_number(memory, "memory.usage_in_bytes", &value)) {
        usage->memory = value;
    }
    if (read_number(memory, "memory.peak", &value) || read_number(memory, "memory.max_usage_in_bytes", &value)) {
        usage->memory_peak = value;
    }
    usage->memory_peak = usage->memory > usage->memory_peak ? usage->memory : usage->memory_peak;
    meter->memory_hit = meter->memory_hit || read_key(memory, "memory.events", "oom_kill") > 0 ||
                        read_key(memory, "memory.oom_control", "oom_kill") > 0;
    if (read_number(processes, "pids.peak", &value) && value > meter->tasks_peak) { /* Linux 6.8 */
        meter->tasks_peak = (uint32_t)value;
    }
    meter->processes_hit = meter->processes_hit || read_key(processes, "pids.events", "max") > 0;
    if (fstatvfs(meter->cell->out_dir, &disk) == 0 && disk.f_blocks > 0) {
        uint64_t used = disk.f_blocks - disk.f_bfree;
        usage->disk = used * disk.f_frsize;
        meter->disk_full = meter->disk_full || used * 100 >= disk.f_blocks * FULL_PERCENT ||
                           (disk.f_files > 0 && disk.f_ffree * 100 <= disk.f_files * (100 - FULL_PERCENT));
    }
}

static int by_pid(const void *a, const void *b)
{
    const struct seen *left = a, *right = b;

    return (left->pid > right->pid) - (left->pid < right->pid);
}

/* The ticks of processes that were seen the last time, and are gone now. `now` is sorted, and becomes the last. */
static uint64_t count_gone(struct seen *now, size_t count)
{
    static struct seen last[FAMILY_MAX]; /* a supervisor has one run */
    static size_t last_count;
    uint64_t gone = 0;
    size_t at = 0;

    qsort(now, count, sizeof *now, by_pid);
    for (size_t i = 0; i < last_count; i++) {
        while (at < count && now[at].pid < last[i].pid) {
            at++;
        }
        bool same = at < count && now[at].pid == last[i].pid && now[at].ticks >= last[i].ticks;
        gone += same ? 0 : last[i].ticks;
    }
    memcpy(last, now, count * sizeof *now);
    last_count = count;
    return gone;
}

void meter_sample(struct meter *meter)
{
    static struct seen now[FAMILY_MAX];
    static pid_t tree[FAMILY_MAX]; /* a supervisor has one thread */
    long tick = sysconf(_SC_CLK_TCK), page = sysconf(_SC_PAGESIZE);
    struct report_usage *usage = &meter->usage;
    uint64_t ticks = 0, with_children = 0, pages = 0;
    size_t count = 1, seen = 0;

    usage->processes = meter->tasks = 0;
    tree[0] = meter->cell->init;
    for (size_t i = 0; i < count; i++) {
        struct process process;
        if (!read_process(tree[i], &process)) {
            continue;
        }
        ticks += process.ticks;
        with_children += process.with_children;
        now[seen++] = (struct seen){tree[i], process.ticks};
        if (i > 0) {
            pages += process.pages;
            usage->processes++;
            meter->tasks += process.threads;
        }
        count = family_add_children(tree[i], tree, count);
    }
    meter->gone_ticks += count_gone(now, seen);
    ticks += meter->gone_ticks;
    ticks = ticks > with_children ? ticks : with_children;
    int64_t cpu = (int64_t)(ticks * 1000000 / (uint64_t)tick);
    usage->cpu_us = cpu > usage->cpu_us ? cpu : usage->cpu_us;
    usage->processes_peak = usage->processes > usage->processes_peak ? usage->processes : usage->processes_peak;
    meter->tasks_peak = meter->tasks > meter->tasks_peak ? meter->tasks : meter->tasks_peak;
    meter->memory_resident = pages * (uint64_t)page;
    bool own_network = meter->cell->layers & (1u << LAYER_NAMESPACES);
    meter->memory_buffers = meter->cell->memory_sampled && own_network ? buffers_most(meter->cell->init) : 0;
    usage->memory = meter->memory_resident;
    meter_read_counts(meter);
}

void meter_finish(struct meter *meter, uint32_t at_end)
{
    struct rusage all;

    if (getrusage(RUSAGE_CHILDREN, &all) == 0) {
        uint64_t most = (uint64_t)all.ru_maxrss * 1024;
        int64_t cpu = (all.ru_utime.tv_sec + all.ru_stime.tv_sec) * INT64_C(1000000) + all.ru_utime.tv_usec +
                      all.ru_stime.tv_usec;
        /* samples are cut down to ticks; they are more where processes were never waited for, as all that die with init */
        meter->usage.cpu_us = meter->usage.cpu_us > cpu ? meter->usage.cpu_us : cpu;
        meter->usage.memory_peak = most > meter->usage.memory_peak ? most : meter->usage.memory_peak;
    }
    meter->usage.processes_peak = at_end > meter->usage.processes_peak ? at_end : meter->usage.processes_peak;
    meter->tasks_peak = at_end > meter->tasks_peak ? at_end : meter->tasks_peak;
    meter->usage.memory = 0;
    meter->usage.processes = 0;
}
