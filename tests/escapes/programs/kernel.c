/* System calls that no answer needs: refused by the filter, whatever their arguments. */
#include "attack.h"

#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* What the kernel would refuse with EFAULT, had the call reached it. */
#define BAD ((void *)8)

static void mounts(void)
{
    struct {
        uint64_t set, clear, propagation, userns;
    } attr = {0, MOUNT_ATTR_RDONLY, 0, 0};

    try("remount", mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND, NULL));
    try("bind", mount("/", "/tmp", NULL, MS_BIND, NULL));
    try("tmpfs", mount("x", "/tmp", "tmpfs", 0, NULL));
    try("umount", umount2("/tmp", MNT_DETACH));
    try("umount-proc", umount2("/proc", 0));
    try("pivot_root", syscall(SYS_pivot_root, "/tmp", "/tmp"));
    try("chroot", chroot("/tmp"));
    try("open_tree", syscall(SYS_open_tree, AT_FDCWD, "/", 1));
    try("move_mount", syscall(SYS_move_mount, AT_FDCWD, "/tmp", AT_FDCWD, "/", 0));
    try("mount_setattr", syscall(SYS_mount_setattr, AT_FDCWD, "/", 0, &attr, sizeof attr));
    try("fsopen", syscall(SYS_fsopen, "tmpfs", 0));
    try("fspick", syscall(SYS_fspick, AT_FDCWD, "/", 0));
    try("fsconfig", syscall(SYS_fsconfig, 1, 0, 0, 0, 0));
    try("fsmount", syscall(SYS_fsmount, 1, 0, 0));
    try("listmount", syscall(458, BAD, BAD, 1, 0));
    try("statmount", syscall(457, BAD, BAD, 1, 0));
    control("chdir", chdir("/tmp"));
}

static long clone_with(unsigned long flags)
{
    long pid = syscall(SYS_clone, flags | SIGCHLD, 0, 0, 0, 0);

    if (pid == 0) {
        _exit(0);
    }
    if (pid > 0) {
        waitpid((pid_t)pid, NULL, 0);
    }
    return pid;
}

static void namespaces(void)
{
    static const struct {
        const char *name;
        int flag;
    } kinds[] = {{"user", CLONE_NEWUSER}, {"mount", CLONE_NEWNS}, {"pid", CLONE_NEWPID},       {"net", CLONE_NEWNET},
                 {"ipc", CLONE_NEWIPC},   {"uts", CLONE_NEWUTS},  {"cgroup", CLONE_NEWCGROUP}, {"time", 0x80}};
    char name[32];

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        snprintf(name, sizeof name, "unshare-%s", kinds[i].name);
        try(name, unshare(kinds[i].flag));
        snprintf(name, sizeof name, "clone-%s", kinds[i].name);
        if (kinds[i].flag != 0x80) { /* which clone reads as a part of the signal */
            try(name, clone_with((unsigned long)kinds[i].flag));
        }
    }
    try("user-and-mount", unshare(CLONE_NEWUSER | CLONE_NEWNS));
    try("clone-user-mount", clone_with(CLONE_NEWUSER | CLONE_NEWNS));
    try("setns", setns(open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC), 0));
    try("clone3", syscall(SYS_clone3, BAD, 64));
    try("clone3-empty", syscall(SYS_clone3, 0, 0));
    control("clone", clone_with(0));
}

static void *return_argument(void *argument)
{
    return argument;
}

/* clone3 is answered with ENOSYS, so that libc falls back to clone and threads still start. */
static void clone3(void)
{
    pthread_t thread;
    struct {
        uint64_t flags, pidfd, child, parent, signal, stack, stack_size, tls;
    } arguments = {.signal = SIGCHLD};
    long pid = syscall(SYS_clone3, &arguments, sizeof arguments);

    if (pid == 0) {
        _exit(0);
    }
    try("clone3", pid);
    int result = pthread_create(&thread, NULL, return_argument, NULL);
    errno = result;
    control("thread", result ? -1 : pthread_join(thread, NULL));
}

static const struct {
    const char *name;
    long number;
} surface[] = {
    {"bpf", SYS_bpf},
    {"perf_event_open", SYS_perf_event_open},
    {"userfaultfd", SYS_userfaultfd},
    {"keyctl", SYS_keyctl},
    {"add_key", SYS_add_key},
    {"request_key", SYS_request_key},
    {"fanotify_init", SYS_fanotify_init},
    {"inotify_init1", SYS_inotify_init1},
    {"quotactl", SYS_quotactl},
    {"syslog", SYS_syslog},
    {"swapon", SYS_swapon},
    {"acct", SYS_acct},
    {"reboot", SYS_reboot},
    {"settimeofday", SYS_settimeofday},
    {"clock_settime", SYS_clock_settime},
    {"adjtimex", SYS_adjtimex},
    {"clock_adjtime", SYS_clock_adjtime},
    {"lookup_dcookie", SYS_lookup_dcookie},
    {"ioperm", SYS_ioperm},
    {"iopl", SYS_iopl},
    {"modify_ldt", SYS_modify_ldt},
    {"nfsservctl", SYS_nfsservctl},
    {"_sysctl", SYS__sysctl},
    {"uselib", SYS_uselib},
    {"ustat", SYS_ustat},
    {"sysfs", SYS_sysfs},
    {"pkey_alloc", SYS_pkey_alloc},
    {"pkey_mprotect", SYS_pkey_mprotect},
    {"memfd_secret", SYS_memfd_secret},
    {"io_uring_setup", SYS_io_uring_setup},
    {"io_uring_enter", SYS_io_uring_enter},
    {"io_uring_register", SYS_io_uring_register},
    {"io_setup", SYS_io_setup},
    {"process_vm_readv", SYS_process_vm_readv},
    {"process_vm_writev", SYS_process_vm_writev},
    {"process_madvise", SYS_process_madvise},
    {"process_mrelease", SYS_process_mrelease},
    {"pidfd_getfd", SYS_pidfd_getfd},
    {"ptrace", SYS_ptrace},
    {"kcmp", SYS_kcmp},
    {"migrate_pages", SYS_migrate_pages},
    {"move_pages", SYS_move_pages},
    {"mbind", SYS_mbind},
    {"set_mempolicy", SYS_set_mempolicy},
    {"shmget", SYS_shmget},
    {"semget", SYS_semget},
    {"msgget", SYS_msgget},
    {"mq_open", SYS_mq_open},
    {"vhangup", SYS_vhangup},
    {"remap_file_pages", SYS_remap_file_pages},
    {"futex_waitv", SYS_futex_waitv},
    {"name_to_handle_at", SYS_name_to_handle_at},
    {"open_by_handle_at", SYS_open_by_handle_at},
    {"rseq-like-new", 471},
};

static void calls(void)
{
    for (size_t i = 0; i < sizeof surface / sizeof *surface; i++) {
        try(surface[i].name, syscall(surface[i].number, BAD, BAD, BAD, BAD, BAD, BAD));
    }
    control("getpid", syscall(SYS_getpid));
    long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, 1); /* to confine oneself further is allowed */
    control("landlock", abi < 0 && errno == EOPNOTSUPP ? 0 : abi); /* where the kernel has it */
}

static long number;

static int one_bad_call(void)
{
    errno = 0;
    long result = syscall(number, -1L, -1L, -1L, -1L, -1L, -1L);
    return result >= 0 ? 0 : errno;
}

/*
 * Every number from 0 to 1023 with arguments that make no sense. What the runner compares with its table: which
 * numbers reach the kernel (anything but EPERM, ENOSYS and the death of the process).
 */
static void sweep(void)
{
    static const long unsafe[] = {SYS_vfork, SYS_exit, SYS_exit_group, SYS_pause, SYS_rt_sigreturn, SYS_write};
    struct rlimit none = {0, 0};

    setrlimit(RLIMIT_CORE, &none);
    for (number = 0; number < 1024; number++) {
        bool skip = false;
        for (size_t i = 0; i < sizeof unsafe / sizeof *unsafe; i++) {
            skip = skip || number == unsafe[i];
        }
        int status = skip ? -1 : in_child(one_bad_call);
        const char *word = skip                     ? "not-called"
                           : status == 256 + SIGSYS ? "killed"
                           : status == ENOSYS       ? "ENOSYS"
                           : status == EPERM        ? "EPERM"
                                                    : "reached";
        printf("number %ld %s\n", number, word);
    }
    fflush(stdout);
    control("getpid", syscall(SYS_getpid));
}

static int by_x32(void)
{
    long result = syscall(0x40000000 | SYS_getpid);
    return result >= 0 ? 0 : errno;
}

static int by_x86_64(void)
{
    return syscall(SYS_getpid) > 0 ? 0 : errno;
}

static int by_x32_open(void)
{
    long result = syscall(0x40000000 | SYS_open, "/etc/shadow", O_RDONLY);
    return result >= 0 ? 0 : errno;
}

static int by_int80(void)
{
    long result;
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(20L), "b"(0L) : "memory", "r8", "r9", "r10", "r11");
    return result >= 0 ? 0 : (int)-result;
}

static int by_kexec(void)
{
    return syscall(SYS_kexec_load, BAD, 1, BAD, 0) < 0 ? errno : 0;
}

static int by_module(void)
{
    return syscall(SYS_init_module, BAD, 1, BAD) < 0 ? errno : 0;
}

static void ignore_and_return(int signal)
{
    (void)signal;
}

/* A handler for SIGSYS does not help: the process is killed. */
static int with_handler(void)
{
    signal(SIGSYS, ignore_and_return);
    return by_x32();
}

static void try_killed(const char *name, int (*child)(void))
{
    int status = in_child(child);

    try_word(name, status == 256 + SIGSYS    ? "killed"
                   : status == 256 + SIGSEGV ? "no-such-interface" /* a kernel without it */
                   : status                  ? strerrorname_np(status)
                                             : "through");
}

static void other_interfaces(void)
{
    try_killed("x32", by_x32);
    try_killed("x32-open", by_x32_open);
    try_killed("int80", by_int80);
    try_killed("kexec", by_kexec);
    try_killed("module", by_module);
    try_killed("handled", with_handler);
    control("x86-64", in_child(by_x86_64) == 0 ? 0 : -1);
}

static void personalities(void)
{
    try("no-randomize", personality(ADDR_NO_RANDOMIZE));
    try("read-implies-exec", personality(READ_IMPLIES_EXEC));
    try("mmap-page-zero", personality(MMAP_PAGE_ZERO));
    try("per-linux32", personality(PER_LINUX32));
    control("query", personality(0xffffffff));
}

static void prctls(void)
{
    try("dumpable", prctl(PR_SET_DUMPABLE, 0, 0, 0, 0));
    try("ptracer", prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0));
    try("mm", prctl(PR_SET_MM, PR_SET_MM_BRK, 0, 0, 0));
    try("strict", prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0, 0, 0));
    try("capbset", prctl(PR_CAPBSET_DROP, 0, 0, 0, 0));
    try("securebits", prctl(PR_SET_SECUREBITS, 0, 0, 0, 0));
    try("keepcaps", prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0));
    try("ambient", prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, 0, 0, 0));
    try("tsc", prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0));
    try("thp", prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0));
    try("new-privs", prctl(PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0));
    try("speculation", prctl(PR_SET_SPECULATION_CTRL, 0, 0, 0, 0));
    try("unknown", prctl(12345, 0, 0, 0, 0));
    control("name", prctl(PR_SET_NAME, "attack", 0, 0, 0));
    control("get-no-new-privs", prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? 0 : -1);
}

static void own_filters(void)
{
    struct sock_filter program[] = {{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_USER_NOTIF}};
    struct sock_fprog filter = {1, program};

    try("listener", syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &filter));
    program[0].k = SECCOMP_RET_TRACE;
    try("trace", syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter));
    program[0].k = SECCOMP_RET_ALLOW;
    try("allow", syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter));
    try("prctl", prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0));
    control("mode", prctl(PR_GET_SECCOMP, 0, 0, 0, 0) == 2 ? 0 : -1);
}

static void ioctls(void)
{
    int pair[2], count = 0, block = 3;
    char c = 'x';

    try("TIOCSTI", ioctl(0, TIOCSTI, &c));
    try("TIOCLINUX", ioctl(0, TIOCLINUX, &block));
    try("TIOCSCTTY", ioctl(0, TIOCSCTTY, 0));
    try("TIOCCONS", ioctl(0, TIOCCONS, 0));
    try("TIOCSTI-high", syscall(SYS_ioctl, 0, 0x100000000UL | TIOCSTI, &c));
    try("FIDEDUPERANGE", ioctl(0, 0xc0189436UL, BAD));
    try("FICLONERANGE", ioctl(0, 0x4020940dUL, BAD));
    try("FS_IOC_SETFLAGS", ioctl(0, 0x40086602UL, BAD));
    try("SIOCGIFCONF", ioctl(0, 0x8912, BAD));
    try("SIOCETHTOOL", ioctl(0, 0x8946, BAD));
    control("pipe", pipe(pair));
    control("FIONREAD", ioctl(pair[0], FIONREAD, &count));
}

static void scheduling(void)
{
    struct sched_param real_time = {.sched_priority = 1};

    try("nice", setpriority(PRIO_PROCESS, 0, -20));
    try("others", setpriority(PRIO_PROCESS, 1, 19));
    try("fifo", sched_setscheduler(0, SCHED_FIFO, &real_time));
    try("param", sched_setparam(0, &real_time));
    try("attr", syscall(SYS_sched_setattr, 0, BAD, 0));
    try("ioprio", syscall(SYS_ioprio_set, 1, 0, 1 << 13));
    try("mlock", syscall(SYS_mlock, BAD, 4096));
    try("mlockall", syscall(SYS_mlockall, 1));
    try("rlimit-of-init", prlimit(1, RLIMIT_CORE, &(struct rlimit){0, 0}, NULL));
    control("yield", sched_yield());
    control("getpriority", getpriority(PRIO_PROCESS, 0) + 1);
}

ATTACKS({"mounts", mounts}, {"namespaces", namespaces}, {"clone3", clone3}, {"calls", calls}, {"sweep", sweep},
        {"other-interfaces", other_interfaces}, {"personalities", personalities}, {"prctls", prctls},
        {"own-filters", own_filters}, {"ioctls", ioctls}, {"scheduling", scheduling})
