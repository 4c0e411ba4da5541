/*
 * Build tool: writes filter_programs.h, the seccomp programs that cells run
 * under, with the help of libseccomp, so that bin/techo needs nothing but
 * libc and loads a ready-made program (1 ms less per run).
 *
 * What is not listed gets ENOSYS: system calls newer than this list, and the
 * ones that libc can do without (clone3, openat2, io_uring). `int` arguments
 * are compared by their low 32 bits, as the kernel reads them; a comparison
 * of all 64 is passed by setting the high ones.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <sched.h>
#include <seccomp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#define LOW32 0xffffffffu
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum variant {
    VARIANT_CGROUP,  /* a cgroup counts the memory */
    VARIANT_SAMPLED, /* it is sampled: what sampling does not see is refused */
    VARIANT_BARE,    /* sampled, and there are neither namespaces nor mounts: the host's files, network and processes */
    VARIANT_OPEN,    /* everything is allowed; what is watched is still notified */
};

static const char *const allowed[] = {
    /* descriptors and data */
    "read", "write", "readv", "writev", "pread64", "pwrite64", "preadv", "pwritev", "preadv2", "pwritev2", "lseek",
    "close", "close_range", "dup", "dup2", "dup3", "pipe", "pipe2", "fsync", "fdatasync", "syncfs", "ftruncate",
    "fallocate", "fadvise64", "readahead", "sync_file_range", "flock", "copy_file_range", "sendfile", "splice", "tee",
    "vmsplice", "eventfd", "eventfd2", "signalfd", "signalfd4", "timerfd_create", "timerfd_settime", "timerfd_gettime",
    "poll", "ppoll", "select", "pselect6", "epoll_create", "epoll_create1", "epoll_ctl", "epoll_wait", "epoll_pwait",
    "epoll_pwait2",
    /* looking at files: far too many to be notified, and no way to read them */
    "fstat", "statfs", "fstatfs", "getdents", "getdents64", "getcwd", "chdir", "fchdir", "umask", "getxattr", "lgetxattr",
    "fgetxattr", "listxattr", "llistxattr", "flistxattr",
    /* memory */
    "munmap", "mremap", "mprotect", "brk", "madvise", "mincore", "msync", "membarrier", "munlock", "munlockall",
    /* threads, processes, signals: the pid namespace holds them */
    "futex", "set_robust_list", "get_robust_list", "rseq", "set_tid_address", "arch_prctl", "fork", "vfork", "exit",
    "exit_group", "wait4", "waitid", "rt_sigaction", "rt_sigprocmask", "rt_sigreturn",
    "rt_sigpending", "rt_sigtimedwait", "rt_sigsuspend", "sigaltstack",
    "restart_syscall", "pause", "alarm", "getitimer", "setitimer", "timer_create", "timer_settime", "timer_gettime",
    "timer_getoverrun", "timer_delete", "pidfd_open", "getpid", "getppid", "gettid", "getpgid",
    "setpgid", "getpgrp", "getsid", "setsid", "sched_yield", "sched_getaffinity",
    "sched_getparam", "sched_getscheduler", "sched_getattr", "sched_get_priority_max", "sched_get_priority_min",
    "sched_rr_get_interval", "getpriority", "getrlimit", "setrlimit", "getrusage", "times", "getcpu",
    /* who and when */
    "getuid", "geteuid", "getgid", "getegid", "getresuid", "getresgid", "getgroups", "setuid", "setgid", "setreuid",
    "setregid", "setresuid", "setresgid", "capget", "uname", "sysinfo", "getrandom", "time", "gettimeofday",
    "clock_gettime", "clock_getres", "nanosleep", "clock_nanosleep",
    /* sockets: the network namespace is empty */
    "listen", "accept", "accept4", "shutdown", "recvfrom", "recvmsg", "recvmmsg", "getsockname",
    "getpeername", "getsockopt",
    /* a program may confine itself further */
    "landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self",
};

/*
 * What needs a namespace or a read-only mount to be harmless. Without: attributes of any file of the same user, read or
 * not, could be changed (Landlock does not look at them), and any process of the same user signalled.
 */
static const char *const contained[] = {
    "fchmod", "fchown", "fsetxattr", "fremovexattr", "kill", "tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo",
    "pidfd_send_signal", "sched_setaffinity",
};
static const char *const contained_changes[] = {
    "chmod", "fchmodat", "chown", "lchown", "fchownat", "utime", "utimes", "utimensat", "futimesat", "setxattr",
    "lsetxattr", "removexattr", "lremovexattr",
};

/* These name a path without opening it: allowed, but where a person is asked the first touch counts. */
static const char *const looks[] = {
    "stat", "lstat", "newfstatat", "statx", "access", "faccessat", "faccessat2", "readlink", "readlinkat",
};

/* Opens, changes of a path or its attributes, connects, binds, executes. */
static const char *const notified[] = {
    "open",      "openat",   "creat",        "execve",    "connect",   "bind",      "unlink",    "unlinkat",
    "rename",    "renameat", "renameat2",    "mkdir",     "mkdirat",   "rmdir",     "link",      "linkat",
    "symlink",   "symlinkat", "mknod",       "mknodat",   "truncate",
};

/* Known, and refused: libc has no other way, and ENOSYS would be a lie. */
static const char *const refused[] = {
    "ptrace", "kcmp", "bpf", "perf_event_open", "seccomp", "keyctl", "add_key", "request_key", "unshare", "setns",
    "mount", "umount2", "pivot_root", "chroot", "open_tree", "move_mount", "mount_setattr", "fsopen", "fsconfig",
    "fsmount", "fspick", "name_to_handle_at", "open_by_handle_at", "fanotify_init", "fanotify_mark", "quotactl",
    "acct", "swapon", "swapoff", "reboot", "syslog", "sethostname", "setdomainname", "settimeofday", "clock_settime",
    "adjtimex", "clock_adjtime", "sched_setscheduler", "sched_setparam", "sched_setattr", "ioprio_set", "setpriority",
    "mlock", "mlock2", "mlockall", "vhangup", "modify_ldt", "ioperm", "iopl", "setgroups", "setfsuid", "setfsgid",
    "capset",
};

/* Never legitimate in a program that an answer consists of. */
static const char *const killed[] = {
    "kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module",
};

/* One 32-bit argument of a call that may have just these values. */
struct choice {
    const char *call;
    unsigned argument;
    unsigned value;
};

static const struct choice choices[] = {
    /* fcntl: no leases, no directory notification (channels to another run); F_SETPIPE_SZ is left to the variant */
    {"fcntl", 1, F_DUPFD}, {"fcntl", 1, F_GETFD}, {"fcntl", 1, F_SETFD}, {"fcntl", 1, F_GETFL}, {"fcntl", 1, F_SETFL},
    {"fcntl", 1, F_GETLK}, {"fcntl", 1, F_SETLK}, {"fcntl", 1, F_SETLKW},
    {"fcntl", 1, F_GETOWN}, {"fcntl", 1, F_GETSIG}, {"fcntl", 1, F_OFD_GETLK},
    {"fcntl", 1, F_OFD_SETLK}, {"fcntl", 1, F_OFD_SETLKW}, {"fcntl", 1, F_DUPFD_CLOEXEC}, {"fcntl", 1, F_GETPIPE_SZ},
    {"fcntl", 1, F_ADD_SEALS}, {"fcntl", 1, F_GET_SEALS}, {"fcntl", 1, F_GETLEASE},
    /* ioctl: the terminal's harmless ones, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX, FIOASYNC */
    {"ioctl", 1, 0x5401}, {"ioctl", 1, 0x5402}, {"ioctl", 1, 0x5403}, {"ioctl", 1, 0x5404}, {"ioctl", 1, 0x540b},
    {"ioctl", 1, 0x540f}, {"ioctl", 1, 0x5410}, {"ioctl", 1, 0x5413}, {"ioctl", 1, 0x5429}, {"ioctl", 1, 0x541b},
    {"ioctl", 1, 0x5421}, {"ioctl", 1, 0x5450}, {"ioctl", 1, 0x5451}, {"ioctl", 1, 0x5452},
    /* prctl: names, getters, own death signal, subreaper, timer slack, named mappings. PR_SET_DUMPABLE would blind
       the supervisor */
    {"prctl", 0, 1}, {"prctl", 0, 2}, {"prctl", 0, 3}, {"prctl", 0, 7}, {"prctl", 0, 15}, {"prctl", 0, 16},
    {"prctl", 0, 21}, {"prctl", 0, 23}, {"prctl", 0, 25}, {"prctl", 0, 27}, {"prctl", 0, 29}, {"prctl", 0, 30},
    {"prctl", 0, 36}, {"prctl", 0, 37}, {"prctl", 0, 38}, {"prctl", 0, 39}, {"prctl", 0, 40}, {"prctl", 0, 42},
    {"prctl", 0, 0x53564d41},
    /* limits of oneself only: pid 1 has the same user */
    {"prlimit64", 0, 0},
    /* asking, and the plain Linux personality */
    {"personality", 0, 0xffffffff}, {"personality", 0, 0},
};

/* A signal to whatever process is named. */
static const struct choice owner_choices[] = {{"fcntl", 1, F_SETOWN}, {"fcntl", 1, F_SETSIG}};

/* The same, where the call is refused with an errno that says more than ENOSYS. */
static const struct {
    struct choice choice;
    int error;
} refusals[] = {
    {{"fcntl", 1, F_SETLEASE}, EPERM}, {{"fcntl", 1, F_NOTIFY}, EPERM},
    {{"ioctl", 1, 0x5412}, EPERM}, /* TIOCSTI */
    {{"ioctl", 1, 0x541c}, EPERM}, /* TIOCLINUX */
    {{"ioctl", 1, 0x541d}, EPERM}, /* TIOCCONS */
    {{"ioctl", 1, 0x540e}, EPERM}, /* TIOCSCTTY */
    {{"ioctl", 1, 0x40049409}, EOPNOTSUPP}, /* FICLONE: cp tries it, and then copies */
    {{"prctl", 0, 4}, EPERM},  /* PR_SET_DUMPABLE */
    {{"prctl", 0, 8}, EPERM},  /* PR_SET_KEEPCAPS */
    {{"prctl", 0, 22}, EPERM}, /* PR_SET_SECCOMP */
    {{"prctl", 0, 24}, EPERM}, /* PR_CAPBSET_DROP */
    {{"prctl", 0, 26}, EPERM}, /* PR_SET_TSC */
    {{"prctl", 0, 28}, EPERM}, /* PR_SET_SECUREBITS */
    {{"prctl", 0, 35}, EPERM}, /* PR_SET_MM */
    {{"prctl", 0, 41}, EPERM}, /* PR_SET_THP_DISABLE */
    {{"prctl", 0, 47}, EPERM}, /* PR_CAP_AMBIENT */
    {{"prctl", 0, 0x59616d61}, EPERM}, /* PR_SET_PTRACER */
    {{"personality", 0, 0x0040000}, EPERM}, /* ADDR_NO_RANDOMIZE */
    {{"personality", 0, 0x0400000}, EPERM}, /* READ_IMPLIES_EXEC */
};

/* setsockopt: level and option. No filters, no fast open, no upper-layer protocols, no binding to devices. */
static const struct {
    unsigned level, option;
} socket_options[] = {
    {1, 2}, {1, 6}, {1, 9}, {1, 13}, {1, 15}, {1, 16}, {1, 20}, {1, 21}, /* SOL_SOCKET */
    {6, 1}, {6, 3}, {6, 4}, {6, 5}, {6, 6}, {6, 12}, {6, 18},                           /* TCP */
    {0, 1}, {0, 2}, {0, 10}, {0, 11},                                                   /* IP */
    {41, 16}, {41, 23}, {41, 25}, {41, 26}, {41, 67},                                   /* IPv6 */
};

static scmp_filter_ctx filter;

static void check(int result, const char *what)
{
    if (result < 0) {
        fprintf(stderr, "generate_filter: %s: %s\n", what, strerror(-result));
        exit(1);
    }
}

/* Adds a rule. A call that this libseccomp does not know keeps the default, ENOSYS. */
static void add(uint32_t action, const char *call, unsigned count, const struct scmp_arg_cmp *compare)
{
    int number = seccomp_syscall_resolve_name(call);

    if (number >= 0) {
        check(seccomp_rule_add_array(filter, action, number, count, compare), call);
    }
}

static void add_all(uint32_t action, const char *const *calls, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        add(action, calls[i], 0, NULL);
    }
}

static void add_choice(uint32_t action, const struct choice *choice)
{
    add(action, choice->call, 1, &SCMP_CMP(choice->argument, SCMP_CMP_MASKED_EQ, LOW32, choice->value));
}

static void add_choices(void)
{
    for (size_t i = 0; i < COUNT(choices); i++) {
        add_choice(SCMP_ACT_ALLOW, &choices[i]);
    }
    for (size_t i = 0; i < COUNT(refusals); i++) {
        add_choice(SCMP_ACT_ERRNO((uint32_t)refusals[i].error), &refusals[i].choice);
    }
    for (size_t i = 0; i < COUNT(socket_options); i++) {
        add(SCMP_ACT_ALLOW, "setsockopt", 2,
            (struct scmp_arg_cmp[]){SCMP_A1(SCMP_CMP_MASKED_EQ, LOW32, socket_options[i].level),
                                    SCMP_A2(SCMP_CMP_MASKED_EQ, LOW32, socket_options[i].option)});
    }
}

/* New tasks, but no new namespaces. Of clone's flags the kernel reads the low 32 bits. */
static void add_clone(void)
{
    static const uint64_t namespaces[] = {CLONE_NEWNS,   CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC,
                                          CLONE_NEWUSER, CLONE_NEWPID,    CLONE_NEWNET};
    uint64_t all = 0;

    for (size_t i = 0; i < COUNT(namespaces); i++) {
        all |= namespaces[i];
        add(SCMP_ACT_ERRNO(EPERM), "clone", 1, &SCMP_A0(SCMP_CMP_MASKED_EQ, namespaces[i], namespaces[i]));
    }
    add(SCMP_ACT_ALLOW, "clone", 1, &SCMP_A0(SCMP_CMP_MASKED_EQ, all, 0));
}

static void add_pairs(void)
{
    struct scmp_arg_cmp compare[2] = {SCMP_A0(SCMP_CMP_MASKED_EQ, LOW32, AF_UNIX)};

    compare[1] = SCMP_A1(SCMP_CMP_MASKED_EQ, 0xf, SOCK_STREAM);
    add(SCMP_ACT_ALLOW, "socketpair", 2, compare);
    compare[1] = SCMP_A1(SCMP_CMP_MASKED_EQ, 0xf, SOCK_SEQPACKET);
    add(SCMP_ACT_ALLOW, "socketpair", 2, compare);
    compare[1] = SCMP_A1(SCMP_CMP_MASKED_EQ, 0xf, SOCK_DGRAM);
    add(SCMP_ACT_ERRNO(EACCES), "socketpair", 2, compare);
}

/*
 * TCP and UDP over INET. No socket with a name in the file system: one that lies in a granted folder belongs to a
 * service of this machine, and neither a read-only mount nor Landlock keeps a program from connecting to it. Pairs are
 * harmless, but for datagram ones, which may still be sent anywhere. What programs are known to try besides gets the errno
 * that they fall back from; a filter grows with each, and the kernel compiles it anew for each run.
 */
static void add_socket(enum variant variant)
{
    static const unsigned families[] = {AF_INET, AF_INET6}, types[] = {SOCK_STREAM, SOCK_DGRAM};
    static const unsigned protocols[] = {0, 6, 17}, other_types[] = {SOCK_RAW, SOCK_SEQPACKET, SOCK_PACKET};
    static const unsigned other_protocols[] = {1, 58, 132, 262}; /* ping, ping, SCTP, MPTCP */
    static const unsigned other_families[] = {AF_NETLINK, AF_PACKET, AF_KEY, AF_CAN, AF_TIPC, AF_BLUETOOTH, AF_ALG,
                                              AF_VSOCK, AF_SMC, AF_XDP};

    for (size_t f = 0; f < COUNT(other_families); f++) {
        add(SCMP_ACT_ERRNO(EAFNOSUPPORT), "socket", 1, &SCMP_A0(SCMP_CMP_MASKED_EQ, LOW32, other_families[f]));
    }
    add(SCMP_ACT_ERRNO(EACCES), "socket", 1, &SCMP_A0(SCMP_CMP_MASKED_EQ, LOW32, AF_UNIX));
    add_pairs();
    if (variant == VARIANT_BARE) { /* the host's network would be in reach */
        add(SCMP_ACT_ERRNO(EACCES), "socket", 1, &SCMP_A0(SCMP_CMP_MASKED_EQ, LOW32, AF_INET));
        add(SCMP_ACT_ERRNO(EACCES), "socket", 1, &SCMP_A0(SCMP_CMP_MASKED_EQ, LOW32, AF_INET6));
        return;
    }
    for (size_t f = 0; f < COUNT(families); f++) {
        struct scmp_arg_cmp compare[3] = {SCMP_A0(SCMP_CMP_MASKED_EQ, LOW32, families[f])};
        for (size_t t = 0; t < COUNT(other_types); t++) {
            compare[1] = SCMP_A1(SCMP_CMP_MASKED_EQ, 0xf, other_types[t]);
            add(SCMP_ACT_ERRNO(EPERM), "socket", 2, compare);
        }
        for (size_t t = 0; t < COUNT(types); t++) {
            compare[1] = SCMP_A1(SCMP_CMP_MASKED_EQ, 0xf, types[t]);
            for (size_t p = 0; p < COUNT(protocols); p++) {
                compare[2] = SCMP_A2(SCMP_CMP_MASKED_EQ, LOW32, protocols[p]);
                add(SCMP_ACT_ALLOW, "socket", 3, compare);
            }
            for (size_t p = 0; p < COUNT(other_protocols); p++) {
                compare[2] = SCMP_A2(SCMP_CMP_MASKED_EQ, LOW32, other_protocols[p]);
                add(SCMP_ACT_ERRNO(EPROTONOSUPPORT), "socket", 3, compare);
            }
        }
    }
}

/* MSG_FASTOPEN connects without connect(): refused everywhere. `sendto` with an address is notified. */
static void add_send(void)
{
    static const struct {
        const char *call;
        unsigned flags;
    } sends[] = {{"sendmsg", 2}, {"sendmmsg", 3}};

    for (size_t i = 0; i < COUNT(sends); i++) {
        add(SCMP_ACT_ERRNO(EOPNOTSUPP), sends[i].call, 1,
            &SCMP_CMP(sends[i].flags, SCMP_CMP_MASKED_EQ, MSG_FASTOPEN, MSG_FASTOPEN));
        add(SCMP_ACT_ALLOW, sends[i].call, 1, &SCMP_CMP(sends[i].flags, SCMP_CMP_MASKED_EQ, MSG_FASTOPEN, 0));
    }
    add(SCMP_ACT_ERRNO(EOPNOTSUPP), "sendto", 1, &SCMP_A3(SCMP_CMP_MASKED_EQ, MSG_FASTOPEN, MSG_FASTOPEN));
    add(SCMP_ACT_ALLOW, "sendto", 2,
        (struct scmp_arg_cmp[]){SCMP_A3(SCMP_CMP_MASKED_EQ, MSG_FASTOPEN, 0), SCMP_A4(SCMP_CMP_EQ, 0, 0)});
    add(SCMP_ACT_NOTIFY, "sendto", 2,
        (struct scmp_arg_cmp[]){SCMP_A3(SCMP_CMP_MASKED_EQ, MSG_FASTOPEN, 0), SCMP_A4(SCMP_CMP_NE, 0, 0)});
}

/* No program out of a descriptor alone: AT_EMPTY_PATH with a memfd would be one that no mount ever showed. */
static void add_execveat(void)
{
    add(SCMP_ACT_ERRNO(EPERM), "execveat", 1, &SCMP_A4(SCMP_CMP_MASKED_EQ, AT_EMPTY_PATH, AT_EMPTY_PATH));
    add(SCMP_ACT_NOTIFY, "execveat", 1, &SCMP_A4(SCMP_CMP_MASKED_EQ, AT_EMPTY_PATH, 0));
}

/* The size of a socket's buffers, which the kernel trims silently as well. */
static void add_buffer_sizes(uint32_t action)
{
    static const unsigned options[] = {SO_SNDBUF, SO_RCVBUF};

    for (size_t i = 0; i < COUNT(options); i++) {
        add(action, "setsockopt", 2,
            (struct scmp_arg_cmp[]){SCMP_A1(SCMP_CMP_MASKED_EQ, LOW32, SOL_SOCKET),
                                    SCMP_A2(SCMP_CMP_MASKED_EQ, LOW32, options[i])});
    }
}

/*
 * Memory that no process's resident size shows: shared anonymous pages, dropped from the page tables after they were
 * touched, memory files, big pipes and big socket buffers (a request
 * for those is said to be met). A cgroup counts them; sampling does not.
 */
static void add_memory(enum variant variant)
{
    static const unsigned noexec_seal = 8; /* MFD_NOEXEC_SEAL, Linux 6.3 */
    const uint64_t shared_anonymous = MAP_SHARED | MAP_ANONYMOUS;

    if (variant == VARIANT_CGROUP) {
        add(SCMP_ACT_ALLOW, "mmap", 0, NULL);
        add(SCMP_ACT_ALLOW, "memfd_create", 1, &SCMP_A1(SCMP_CMP_MASKED_EQ, noexec_seal, noexec_seal));
        add_choice(SCMP_ACT_ALLOW, &(struct choice){"fcntl", 1, F_SETPIPE_SZ});
        add_buffer_sizes(SCMP_ACT_ALLOW);
        return;
    }
    add(SCMP_ACT_ERRNO(ENOMEM), "mmap", 1, &SCMP_A3(SCMP_CMP_MASKED_EQ, shared_anonymous, shared_anonymous));
    add(SCMP_ACT_ALLOW, "mmap", 1, &SCMP_A3(SCMP_CMP_MASKED_EQ, shared_anonymous, 0));
    add(SCMP_ACT_ALLOW, "mmap", 1, &SCMP_A3(SCMP_CMP_MASKED_EQ, shared_anonymous, MAP_SHARED));
    add(SCMP_ACT_ALLOW, "mmap", 1, &SCMP_A3(SCMP_CMP_MASKED_EQ, shared_anonymous, MAP_ANONYMOUS));
    add_choice(SCMP_ACT_ERRNO(EPERM), &(struct choice){"fcntl", 1, F_SETPIPE_SZ});
    add_buffer_sizes(SCMP_ACT_ERRNO(0));
}

/* What only the cell's own namespaces and mounts make harmless. */
static void add_contained(enum variant variant)
{
    bool bare = variant == VARIANT_BARE;

    add_all(bare ? SCMP_ACT_ERRNO(EPERM) : SCMP_ACT_ALLOW, contained, COUNT(contained));
    add_all(bare ? SCMP_ACT_ERRNO(EPERM) : SCMP_ACT_NOTIFY, contained_changes, COUNT(contained_changes));
    for (size_t i = 0; i < COUNT(owner_choices); i++) {
        add_choice(bare ? SCMP_ACT_ERRNO(EPERM) : SCMP_ACT_ALLOW, &owner_choices[i]);
    }
}

static void add_rules(enum variant variant, bool asking)
{
    add_all(SCMP_ACT_NOTIFY, notified, COUNT(notified));
    if (variant == VARIANT_OPEN) {
        add_all(SCMP_ACT_NOTIFY, contained_changes, COUNT(contained_changes));
        return;
    }
    add_all(SCMP_ACT_ALLOW, allowed, COUNT(allowed));
    add_all(asking ? SCMP_ACT_NOTIFY : SCMP_ACT_ALLOW, looks, COUNT(looks));
    add_all(SCMP_ACT_ERRNO(EPERM), refused, COUNT(refused));
    add_all(SCMP_ACT_KILL_PROCESS, killed, COUNT(killed));
    add(SCMP_ACT_ERRNO(0), "sync", 0, NULL); /* a whole machine's flush: said to be done */
    add_choices();
    add_contained(variant);
    add_clone();
    add_socket(variant);
    add_send();
    add_execveat();
    add_memory(variant);
}

static void write_program(enum variant variant, bool asking, const char *name)
{
    static struct sock_filter program[4096];
    int fd = memfd_create("filter", MFD_CLOEXEC);

    filter = seccomp_init(variant == VARIANT_OPEN ? SCMP_ACT_ALLOW : SCMP_ACT_ERRNO(ENOSYS));
    if (!filter || fd < 0) {
        check(-ENOMEM, "seccomp_init");
    }
    check(seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2), "optimise");
    check(seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH,
                           variant == VARIANT_OPEN ? SCMP_ACT_ALLOW : SCMP_ACT_KILL_PROCESS),
          "bad architecture");
    add_rules(variant, asking);
    check(seccomp_export_bpf(filter, fd), "export");
    seccomp_release(filter);

    ssize_t len = pread(fd, program, sizeof(program), 0);
    close(fd);
    if (len <= 0 || (size_t)len == sizeof(program)) {
        check(-EFBIG, name);
    }
    printf("static const struct sock_filter %s[] = {\n", name);
    for (size_t i = 0; i < (size_t)len / sizeof(program[0]); i++) {
        printf("    {0x%02x, %u, %u, 0x%08x},\n", program[i].code, program[i].jt, program[i].jf, program[i].k);
    }
    printf("};\n\n");
}

int main(void)
{
    printf("/* Made by generate_filter. */\n#include <linux/filter.h>\n\n");
    write_program(VARIANT_CGROUP, false, "filter_cgroup");
    write_program(VARIANT_SAMPLED, false, "filter_sampled");
    write_program(VARIANT_CGROUP, true, "filter_cgroup_asking");
    write_program(VARIANT_SAMPLED, true, "filter_sampled_asking");
    write_program(VARIANT_BARE, false, "filter_bare");
    write_program(VARIANT_OPEN, false, "filter_open");
    return ferror(stdout) || fflush(stdout) ? 1 : 0;
}
