/*
 * What the C library of Debian 12 does not know of the kernel yet, and small
 * wrappers of calls that it has no function for.
 */
#ifndef TECHO_SANDBOX_KERNEL_INTERNAL_H
#define TECHO_SANDBOX_KERNEL_INTERNAL_H

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <linux/openat2.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef LANDLOCK_ACCESS_FS_TRUNCATE
#define LANDLOCK_ACCESS_FS_TRUNCATE (1ULL << 14) /* ABI 3 */
#endif
#ifndef LANDLOCK_ACCESS_FS_IOCTL_DEV
#define LANDLOCK_ACCESS_FS_IOCTL_DEV (1ULL << 15) /* ABI 5 */
#endif
enum { KERNEL_PIDFD_THREAD = O_EXCL }; /* Linux 6.9 */
enum { KERNEL_SCOPE_ABSTRACT_UNIX = 1, KERNEL_SCOPE_SIGNAL = 2 }; /* Landlock ABI 6 */

/* struct landlock_ruleset_attr as of ABI 6. */
struct kernel_landlock_ruleset {
    uint64_t handled_access_fs;
    uint64_t handled_access_net;
    uint64_t scoped;
};

static inline int kernel_landlock_abi(void)
{
    return (int)syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
}

static inline int kernel_landlock_create(const struct kernel_landlock_ruleset *ruleset, size_t size)
{
    return (int)syscall(SYS_landlock_create_ruleset, ruleset, size, 0);
}

static inline int kernel_landlock_allow(int ruleset, int fd, uint64_t access)
{
    struct landlock_path_beneath_attr rule = {.allowed_access = access, .parent_fd = fd};

    return (int)syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
}

static inline int kernel_landlock_restrict(int ruleset)
{
    return (int)syscall(SYS_landlock_restrict_self, ruleset, 0);
}

static inline int kernel_openat2(int folder, const char *path, uint64_t flags, uint64_t mode, uint64_t resolve)
{
    struct open_how how = {.flags = flags, .mode = mode, .resolve = resolve};

    return (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
}

static inline pid_t kernel_clone3(struct clone_args *args)
{
    return (pid_t)syscall(SYS_clone3, args, sizeof *args);
}

static inline int kernel_pivot_root(const char *new_root, const char *put_old)
{
    return (int)syscall(SYS_pivot_root, new_root, put_old);
}

static inline int kernel_seccomp(unsigned operation, unsigned flags, void *argument)
{
    return (int)syscall(SYS_seccomp, operation, flags, argument);
}

#endif
