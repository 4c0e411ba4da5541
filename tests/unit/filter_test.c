/* The seccomp programs, run in a small interpreter: which call gets which answer. */
#include "../../sandbox/confine_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <cmocka.h>

#define HIGH (1ULL << 32) /* what the kernel does not read of an int argument */
#define ERRNO(number) (SECCOMP_RET_ERRNO | (number))

static const uint32_t allow = SECCOMP_RET_ALLOW, notify = SECCOMP_RET_USER_NOTIF, die = SECCOMP_RET_KILL_PROCESS;

/* Classic BPF, as far as seccomp programs use it. */
static uint32_t run(const struct sock_filter *program, size_t count, const struct seccomp_data *data)
{
    uint32_t a = 0, x = 0, memory[16] = {0};

    for (size_t at = 0; at < count; at++) {
        const struct sock_filter *i = &program[at];
        bool yes;
        switch (i->code) {
        case BPF_LD | BPF_W | BPF_ABS:
            assert_true(i->k % 4 == 0 && i->k + 4 <= sizeof *data);
            memcpy(&a, (const char *)data + i->k, 4);
            continue;
        case BPF_LD | BPF_MEM:
            a = memory[i->k & 15];
            continue;
        case BPF_LDX | BPF_MEM:
            x = memory[i->k & 15];
            continue;
        case BPF_LD | BPF_IMM:
            a = i->k;
            continue;
        case BPF_ST:
            memory[i->k & 15] = a;
            continue;
        case BPF_STX:
            memory[i->k & 15] = x;
            continue;
        case BPF_MISC | BPF_TAX:
            x = a;
            continue;
        case BPF_MISC | BPF_TXA:
            a = x;
            continue;
        case BPF_ALU | BPF_AND | BPF_K:
            a &= i->k;
            continue;
        case BPF_JMP | BPF_JA:
            at += i->k;
            continue;
        case BPF_JMP | BPF_JEQ | BPF_K:
            yes = a == i->k;
            break;
        case BPF_JMP | BPF_JGT | BPF_K:
            yes = a > i->k;
            break;
        case BPF_JMP | BPF_JGE | BPF_K:
            yes = a >= i->k;
            break;
        case BPF_JMP | BPF_JSET | BPF_K:
            yes = a & i->k;
            break;
        case BPF_RET | BPF_K:
            return i->k;
        default:
            fail_msg("an instruction that the interpreter does not know: %#x", i->code);
            return 0;
        }
        at += yes ? i->jt : i->jf;
    }
    fail_msg("the program ran off its end");
    return 0;
}

static uint32_t answer(bool sampled, uint32_t arch, int number, const uint64_t arguments[6])
{
    struct seccomp_data data = {.nr = number, .arch = arch, .instruction_pointer = 0x1000};
    unsigned short count;
    const struct sock_filter *program = filter_program(sampled, &count);

    memcpy(data.args, arguments, sizeof data.args);
    return run(program, count, &data);
}

struct expected {
    const char *what;
    long number;
    uint64_t arguments[6];
    uint32_t answer;
};

static void check(bool sampled, const struct expected *table, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t got = answer(sampled, AUDIT_ARCH_X86_64, (int)table[i].number, table[i].arguments);
        if (got != table[i].answer) {
            fail_msg("%s: %#x instead of %#x", table[i].what, got, table[i].answer);
        }
    }
}

#define CHECK(sampled, table) check(sampled, table, sizeof(table) / sizeof(table)[0])
#define BOTH(table)                                                                                                    \
    do {                                                                                                               \
        CHECK(false, table);                                                                                           \
        CHECK(true, table);                                                                                            \
    } while (0)

static void what_programs_need_is_allowed(void **state __attribute__((unused)))
{
    static const struct expected table[] = {
        {"read", SYS_read, {0}, allow},
        {"stat of a path is not notified", SYS_newfstatat, {0}, allow},
        {"fork", SYS_fork, {0}, allow},
        {"clone for a thread", SYS_clone, {CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD}, allow},
        {"clone as fork", SYS_clone, {17}, allow},
        {"private anonymous memory", SYS_mmap, {0, 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS}, allow},
        {"a shared file mapping", SYS_mmap, {0, 4096, 3, MAP_SHARED, 5}, allow},
        {"a private file mapping", SYS_mmap, {0, 4096, 5, MAP_PRIVATE, 5}, allow},
        {"fcntl F_SETFL", SYS_fcntl, {3, F_SETFL}, allow},
        {"ioctl TCGETS", SYS_ioctl, {1, 0x5401}, allow},
        {"prctl PR_SET_NAME", SYS_prctl, {15}, allow},
        {"its own limits", SYS_prlimit64, {0, 7}, allow},
        {"a UNIX socket", SYS_socket, {AF_UNIX, SOCK_STREAM}, ERRNO(EACCES)},
        {"a pair", SYS_socketpair, {AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC}, allow},
        {"a pair of packets", SYS_socketpair, {AF_UNIX, SOCK_SEQPACKET}, allow},
        {"a pair of datagrams", SYS_socketpair, {AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC}, ERRNO(EACCES)},
        {"a TCP socket", SYS_socket, {AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 6}, allow},
        {"a UDP socket of IPv6", SYS_socket, {AF_INET6, SOCK_DGRAM | SOCK_NONBLOCK}, allow},
        {"send on a connected socket", SYS_sendto, {3, 0x1000, 1, MSG_NOSIGNAL, 0}, allow},
        {"sendmsg", SYS_sendmsg, {3, 0x1000, MSG_NOSIGNAL}, allow},
        {"SO_REUSEADDR", SYS_setsockopt, {3, SOL_SOCKET, SO_REUSEADDR}, allow},
        {"personality, asking", SYS_personality, {0xffffffff}, allow},
        {"landlock, to tighten", SYS_landlock_restrict_self, {0}, allow},
    };
    BOTH(table);
}

static void what_touches_paths_and_peers_is_notified(void **state __attribute__((unused)))
{
    static const struct expected table[] = {
        {"open", SYS_open, {0}, notify},
        {"openat", SYS_openat, {0}, notify},
        {"creat", SYS_creat, {0}, notify},
        {"execve", SYS_execve, {0}, notify},
        {"execveat of a path", SYS_execveat, {3, 0x1000, 0, 0, 0}, notify},
        {"connect", SYS_connect, {0}, notify},
        {"bind", SYS_bind, {0}, notify},
        {"sendto an address", SYS_sendto, {3, 0x1000, 1, 0, 0x2000, 16}, notify},
        {"sendto an address above 4 GiB", SYS_sendto, {3, 0x1000, 1, 0, 0x7f0000000000, 16}, notify},
        {"unlink", SYS_unlink, {0}, notify},
        {"unlinkat", SYS_unlinkat, {0}, notify},
        {"rename", SYS_rename, {0}, notify},
        {"renameat", SYS_renameat, {0}, notify},
        {"renameat2", SYS_renameat2, {0}, notify},
        {"mkdir", SYS_mkdir, {0}, notify},
        {"mkdirat", SYS_mkdirat, {0}, notify},
        {"rmdir", SYS_rmdir, {0}, notify},
        {"link", SYS_link, {0}, notify},
        {"linkat", SYS_linkat, {0}, notify},
        {"symlink", SYS_symlink, {0}, notify},
        {"symlinkat", SYS_symlinkat, {0}, notify},
        {"mknod", SYS_mknod, {0}, notify},
        {"mknodat", SYS_mknodat, {0}, notify},
        {"truncate", SYS_truncate, {0}, notify},
        {"chmod", SYS_chmod, {0}, notify},
        {"fchmodat", SYS_fchmodat, {0}, notify},
        {"chown", SYS_chown, {0}, notify},
        {"lchown", SYS_lchown, {0}, notify},
        {"fchownat", SYS_fchownat, {0}, notify},
        {"utime", SYS_utime, {0}, notify},
        {"utimes", SYS_utimes, {0}, notify},
        {"utimensat", SYS_utimensat, {0}, notify},
        {"futimesat", SYS_futimesat, {0}, notify},
        {"setxattr", SYS_setxattr, {0}, notify},
        {"lsetxattr", SYS_lsetxattr, {0}, notify},
        {"removexattr", SYS_removexattr, {0}, notify},
        {"lremovexattr", SYS_lremovexattr, {0}, notify},
    };
    BOTH(table);
}

static void what_libc_can_do_without_is_missing(void **state __attribute__((unused)))
{
    static const struct expected table[] = {
        {"clone3", SYS_clone3, {0}, ERRNO(ENOSYS)},
        {"openat2", SYS_openat2, {0}, ERRNO(ENOSYS)},
        {"io_uring_setup", SYS_io_uring_setup, {0}, ERRNO(ENOSYS)},
        {"process_vm_readv", SYS_process_vm_readv, {0}, ERRNO(ENOSYS)},
        {"memfd_secret", SYS_memfd_secret, {0}, ERRNO(ENOSYS)},
        {"userfaultfd", SYS_userfaultfd, {0}, ERRNO(ENOSYS)},
        {"pidfd_getfd", SYS_pidfd_getfd, {0}, ERRNO(ENOSYS)},
        {"shmget", SYS_shmget, {0}, ERRNO(ENOSYS)},
        {"mq_open", SYS_mq_open, {0}, ERRNO(ENOSYS)},
        {"a memory file that may be executed", SYS_memfd_create, {0x1000, 1}, ERRNO(ENOSYS)},
        {"another process's limits", SYS_prlimit64, {1, 7}, ERRNO(ENOSYS)},
    };
    BOTH(table);
    for (long number = 450; number < 1024; number++) { /* newer than the list */
        assert_int_equal(answer(false, AUDIT_ARCH_X86_64, (int)number, (const uint64_t[6]){0}), ERRNO(ENOSYS));
    }
}

static void what_is_known_and_forbidden_is_refused(void **state __attribute__((unused)))
{
    static const struct expected table[] = {
        {"ptrace", SYS_ptrace, {0}, ERRNO(EPERM)},
        {"bpf", SYS_bpf, {0}, ERRNO(EPERM)},
        {"unshare", SYS_unshare, {0}, ERRNO(EPERM)},
        {"setns", SYS_setns, {0}, ERRNO(EPERM)},
        {"mount", SYS_mount, {0}, ERRNO(EPERM)},
        {"move_mount", SYS_move_mount, {0}, ERRNO(EPERM)},
        {"pivot_root", SYS_pivot_root, {0}, ERRNO(EPERM)},
        {"chroot", SYS_chroot, {0}, ERRNO(EPERM)},
        {"open_by_handle_at", SYS_open_by_handle_at, {0}, ERRNO(EPERM)},
        {"another filter", SYS_seccomp, {0}, ERRNO(EPERM)},
        {"a new user namespace", SYS_clone, {CLONE_NEWUSER | 17}, ERRNO(EPERM)},
        {"a new mount namespace, as a thread", SYS_clone, {CLONE_NEWNS | CLONE_VM}, ERRNO(EPERM)},
        {"PR_SET_DUMPABLE", SYS_prctl, {4}, ERRNO(EPERM)},
        {"PR_SET_SECCOMP", SYS_prctl, {22, 1}, ERRNO(EPERM)},
        {"PR_SET_PTRACER", SYS_prctl, {0x59616d61, (uint64_t)-1}, ERRNO(EPERM)},
        {"TIOCSTI", SYS_ioctl, {0, 0x5412}, ERRNO(EPERM)},
        {"TIOCLINUX", SYS_ioctl, {0, 0x541c}, ERRNO(EPERM)},
        {"a netlink socket", SYS_socket, {AF_NETLINK, SOCK_RAW}, ERRNO(EAFNOSUPPORT)},
        {"a vsock", SYS_socket, {AF_VSOCK, SOCK_STREAM}, ERRNO(EAFNOSUPPORT)},
        {"a raw socket", SYS_socket, {AF_INET, SOCK_RAW, 1}, ERRNO(EPERM)},
        {"multipath TCP", SYS_socket, {AF_INET, SOCK_STREAM, 262}, ERRNO(EPROTONOSUPPORT)},
        {"sendto with MSG_FASTOPEN", SYS_sendto, {3, 0x1000, 1, MSG_FASTOPEN, 0x2000, 16}, ERRNO(EOPNOTSUPP)},
        {"sendmsg with MSG_FASTOPEN", SYS_sendmsg, {3, 0x1000, MSG_FASTOPEN}, ERRNO(EOPNOTSUPP)},
        {"sendmmsg with MSG_FASTOPEN", SYS_sendmmsg, {3, 0x1000, 1, MSG_FASTOPEN}, ERRNO(EOPNOTSUPP)},
        {"TCP_FASTOPEN_CONNECT", SYS_setsockopt, {3, 6, 30}, ERRNO(ENOSYS)},
        {"a socket filter", SYS_setsockopt, {3, SOL_SOCKET, 26}, ERRNO(ENOSYS)},
        {"a descriptor executed", SYS_execveat, {3, 0x1000, 0, 0, AT_EMPTY_PATH}, ERRNO(EPERM)},
        {"a lease", SYS_fcntl, {3, F_SETLEASE}, ERRNO(EPERM)},
        {"no address randomisation", SYS_personality, {0x40000}, ERRNO(EPERM)},
        {"a module", SYS_init_module, {0}, die},
        {"a kernel", SYS_kexec_load, {0}, die},
    };
    BOTH(table);
}

static void high_bits_of_an_int_change_nothing(void **state __attribute__((unused)))
{
    static const struct expected table[] = {
        {"a UNIX socket", SYS_socket, {AF_UNIX | HIGH, SOCK_STREAM}, ERRNO(EACCES)},
        {"a pair", SYS_socketpair, {AF_UNIX | HIGH, SOCK_STREAM}, allow},
        {"a pair of datagrams", SYS_socketpair, {AF_UNIX, SOCK_DGRAM | HIGH}, ERRNO(EACCES)},
        {"a netlink socket", SYS_socket, {AF_NETLINK | HIGH, SOCK_RAW}, ERRNO(EAFNOSUPPORT)},
        {"a raw socket", SYS_socket, {AF_INET | HIGH, SOCK_RAW | HIGH}, ERRNO(EPERM)},
        {"TIOCSTI", SYS_ioctl, {0, 0x5412 | HIGH}, ERRNO(EPERM)},
        {"PR_SET_DUMPABLE", SYS_prctl, {4 | HIGH}, ERRNO(EPERM)},
        {"a lease", SYS_fcntl, {3, F_SETLEASE | HIGH}, ERRNO(EPERM)},
        {"sendto with MSG_FASTOPEN", SYS_sendto, {3, 0x1000, 1, MSG_FASTOPEN | HIGH}, ERRNO(EOPNOTSUPP)},
        {"a new user namespace", SYS_clone, {CLONE_NEWUSER | HIGH}, ERRNO(EPERM)},
    };
    BOTH(table);
}

static void other_architectures_kill(void **state __attribute__((unused)))
{
    const uint64_t none[6] = {0};

    assert_int_equal(answer(false, AUDIT_ARCH_I386, 5, none), die);
    assert_int_equal(answer(true, AUDIT_ARCH_I386, 5, none), die);
    assert_int_equal(answer(false, AUDIT_ARCH_X86_64, 0x40000000 | SYS_read, none), die); /* x32 */
    assert_int_equal(answer(false, AUDIT_ARCH_X86_64, SYS_read, none), allow);
}

static void without_a_cgroup_memory_that_is_not_seen_is_refused(void **state __attribute__((unused)))
{
    static const struct expected counted[] = {
        {"shared anonymous memory", SYS_mmap, {0, 4096, 3, MAP_SHARED | MAP_ANONYMOUS}, allow},
        {"a sealed memory file", SYS_memfd_create, {0x1000, 8}, allow},
        {"a bigger pipe", SYS_fcntl, {3, F_SETPIPE_SZ}, allow},
        {"a big buffer", SYS_setsockopt, {3, SOL_SOCKET, SO_SNDBUF}, allow},
    };
    static const struct expected sampled[] = {
        {"shared anonymous memory", SYS_mmap, {0, 4096, 3, MAP_SHARED | MAP_ANONYMOUS}, ERRNO(ENOMEM)},
        {"the same, validated", SYS_mmap, {0, 4096, 3, MAP_SHARED_VALIDATE | MAP_ANONYMOUS}, ERRNO(ENOMEM)},
        {"a sealed memory file", SYS_memfd_create, {0x1000, 8}, ERRNO(ENOSYS)},
        {"a bigger pipe", SYS_fcntl, {3, F_SETPIPE_SZ}, ERRNO(EPERM)},
        {"a big buffer", SYS_setsockopt, {3, SOL_SOCKET, SO_SNDBUF}, ERRNO(0)},
        {"a big buffer to read", SYS_setsockopt, {3, SOL_SOCKET | HIGH, SO_RCVBUF | HIGH}, ERRNO(0)},
    };
    CHECK(false, counted);
    CHECK(true, sampled);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_programs_need_is_allowed),
        cmocka_unit_test(what_touches_paths_and_peers_is_notified),
        cmocka_unit_test(what_libc_can_do_without_is_missing),
        cmocka_unit_test(what_is_known_and_forbidden_is_refused),
        cmocka_unit_test(high_bits_of_an_int_change_nothing),
        cmocka_unit_test(other_architectures_kill),
        cmocka_unit_test(without_a_cgroup_memory_that_is_not_seen_is_refused),
    };
    return cmocka_run_group_tests_name("filter", tests, NULL, NULL);
}
