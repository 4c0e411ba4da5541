/* The table of watched system calls, by number. */
#include "call_internal.h"

#include <fcntl.h>
#include <sys/syscall.h>

#define AT(dirfd_, path_, follow_, want_)                                                                              \
    {                                                                                                                  \
        .path = (path_), .dirfd = (dirfd_), .follow = (follow_), .want = (want_)                                       \
    }
#define NEW(dirfd_, path_)                                                                                             \
    {                                                                                                                  \
        .path = (path_), .dirfd = (dirfd_), .creates = true, .want = WANT_CHANGE                                       \
    }
#define HERE(path_, follow_, want_) AT(CALL_NONE, path_, follow_, want_)
#define ONE(name_, at_flags_, place_)                                                                                  \
    {                                                                                                                  \
        .name = (name_), .kind = CALL_PATHS, .path_count = 1, .paths = {place_}, .flags = CALL_NONE,                   \
        .follow = (at_flags_)                                                                                          \
    }
#define TWO(name_, at_flags_, first_, second_)                                                                         \
    {                                                                                                                  \
        .name = (name_), .kind = CALL_PATHS, .path_count = 2, .paths = {first_, second_}, .flags = CALL_NONE,          \
        .follow = (at_flags_)                                                                                          \
    }
#define OPEN(name_, flags_, place_)                                                                                    \
    {                                                                                                                  \
        .name = (name_), .kind = CALL_OPEN, .path_count = 1, .paths = {place_}, .flags = (flags_), .follow = CALL_NONE \
    }
#define LOOK(name_, at_flags_, place_)                                                                                 \
    {                                                                                                                  \
        .name = (name_), .kind = CALL_LOOK, .path_count = 1, .paths = {place_}, .flags = CALL_NONE,                    \
        .follow = (at_flags_)                                                                                          \
    }
#define ADDRESS(name_, kind_, want_)                                                                                   \
    {                                                                                                                  \
        .name = (name_), .kind = (kind_), .want = (want_), .flags = CALL_NONE                                          \
    }

static const struct call calls[] = {
    [SYS_openat] = OPEN("openat", 2, AT(0, 1, true, WANT_READ)),
    [SYS_execve] = ONE("execve", CALL_NONE, HERE(0, true, WANT_EXEC)),
    [SYS_execveat] = ONE("execveat", 4, AT(0, 1, true, WANT_EXEC)),
    [SYS_truncate] = ONE("truncate", CALL_NONE, HERE(0, true, WANT_WRITE)),
    [SYS_unlinkat] = ONE("unlinkat", CALL_NONE, AT(0, 1, false, WANT_CHANGE)),
    [SYS_mkdirat] = ONE("mkdirat", CALL_NONE, NEW(0, 1)),
    [SYS_mknodat] = ONE("mknodat", CALL_NONE, NEW(0, 1)),
    [SYS_symlinkat] = ONE("symlinkat", CALL_NONE, NEW(1, 2)),
    [SYS_fchmodat] = ONE("fchmodat", CALL_NONE, AT(0, 1, true, WANT_CHANGE)),
#ifdef SYS_fchmodat2
    [SYS_fchmodat2] = ONE("fchmodat2", 3, AT(0, 1, true, WANT_CHANGE)),
#endif
    [SYS_fchownat] = ONE("fchownat", 4, AT(0, 1, true, WANT_CHANGE)),
    [SYS_utimensat] = ONE("utimensat", 3, AT(0, 1, true, WANT_CHANGE)),
    [SYS_setxattr] = ONE("setxattr", CALL_NONE, HERE(0, true, WANT_CHANGE)),
    [SYS_lsetxattr] = ONE("lsetxattr", CALL_NONE, HERE(0, false, WANT_CHANGE)),
    [SYS_removexattr] = ONE("removexattr", CALL_NONE, HERE(0, true, WANT_CHANGE)),
    [SYS_lremovexattr] = ONE("lremovexattr", CALL_NONE, HERE(0, false, WANT_CHANGE)),
    [SYS_renameat2] = TWO("renameat2", CALL_NONE, AT(0, 1, false, WANT_CHANGE), AT(2, 3, false, WANT_CHANGE)),
    [SYS_linkat] = TWO("linkat", 4, AT(0, 1, false, WANT_READ), NEW(2, 3)),
    [SYS_newfstatat] = LOOK("newfstatat", 3, AT(0, 1, true, WANT_READ)),
    [SYS_statx] = LOOK("statx", 2, AT(0, 1, true, WANT_READ)),
    [SYS_faccessat] = LOOK("faccessat", CALL_NONE, AT(0, 1, true, WANT_READ)),
    [SYS_faccessat2] = LOOK("faccessat2", 3, AT(0, 1, true, WANT_READ)),
    [SYS_readlinkat] = LOOK("readlinkat", CALL_NONE, AT(0, 1, false, WANT_READ)),
    [SYS_connect] = ADDRESS("connect", CALL_SOCKET, WANT_CONNECT),
    [SYS_bind] = ADDRESS("bind", CALL_SOCKET, WANT_BIND),
    [SYS_sendto] = ADDRESS("sendto", CALL_SENDTO, WANT_SEND),
#ifdef SYS_renameat
    [SYS_renameat] = TWO("renameat", CALL_NONE, AT(0, 1, false, WANT_CHANGE), AT(2, 3, false, WANT_CHANGE)),
#endif
#ifdef SYS_open /* calls that only older architectures have */
    [SYS_open] = OPEN("open", 1, HERE(0, true, WANT_READ)),
    [SYS_stat] = LOOK("stat", CALL_NONE, HERE(0, true, WANT_READ)),
    [SYS_lstat] = LOOK("lstat", CALL_NONE, HERE(0, false, WANT_READ)),
    [SYS_access] = LOOK("access", CALL_NONE, HERE(0, true, WANT_READ)),
    [SYS_readlink] = LOOK("readlink", CALL_NONE, HERE(0, false, WANT_READ)),
    [SYS_creat] = OPEN("creat", CALL_NONE, HERE(0, true, WANT_WRITE)),
    [SYS_unlink] = ONE("unlink", CALL_NONE, HERE(0, false, WANT_CHANGE)),
    [SYS_rmdir] = ONE("rmdir", CALL_NONE, HERE(0, false, WANT_CHANGE)),
    [SYS_mkdir] = ONE("mkdir", CALL_NONE, NEW(CALL_NONE, 0)),
    [SYS_mknod] = ONE("mknod", CALL_NONE, NEW(CALL_NONE, 0)),
    [SYS_symlink] = ONE("symlink", CALL_NONE, NEW(CALL_NONE, 1)),
    [SYS_link] = TWO("link", CALL_NONE, HERE(0, false, WANT_READ), NEW(CALL_NONE, 1)),
    [SYS_rename] = TWO("rename", CALL_NONE, HERE(0, false, WANT_CHANGE), HERE(1, false, WANT_CHANGE)),
    [SYS_chmod] = ONE("chmod", CALL_NONE, HERE(0, true, WANT_CHANGE)),
    [SYS_chown] = ONE("chown", CALL_NONE, HERE(0, true, WANT_CHANGE)),
    [SYS_lchown] = ONE("lchown", CALL_NONE, HERE(0, false, WANT_CHANGE)),
    [SYS_utime] = ONE("utime", CALL_NONE, HERE(0, true, WANT_CHANGE)),
    [SYS_utimes] = ONE("utimes", CALL_NONE, HERE(0, true, WANT_CHANGE)),
    [SYS_futimesat] = ONE("futimesat", CALL_NONE, AT(0, 1, true, WANT_CHANGE)),
#endif
};

const struct call *call_find(int number)
{
    if (number < 0 || (size_t)number >= sizeof calls / sizeof calls[0] || !calls[number].name) {
        return NULL;
    }
    return &calls[number];
}

enum access_want call_open_want(uint64_t flags)
{
    if (flags & O_PATH) {
        return flags & O_DIRECTORY ? WANT_LIST : WANT_READ;
    }
    /* O_TMPFILE includes O_DIRECTORY, and writes */
    if ((flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC)) || (flags & O_TMPFILE) == O_TMPFILE) {
        return WANT_WRITE;
    }
    return flags & O_DIRECTORY ? WANT_LIST : WANT_READ;
}
