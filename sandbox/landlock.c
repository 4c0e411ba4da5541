/* Landlock: file access by what the view shows, and no signals or abstract sockets beyond the cell. */
#include "confine_internal.h"

#include "kernel_internal.h"

#define LOOK_FILE LANDLOCK_ACCESS_FS_READ_FILE
#define CHANGE_FILE (LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_TRUNCATE)
#define CHANGE_FOLDER                                                                                                  \
    (LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_DIR |                    \
     LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |                       \
     LANDLOCK_ACCESS_FS_MAKE_SYM | LANDLOCK_ACCESS_FS_REFER)
#define DEVICE_NODES (LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_BLOCK)

/* The file rights that a kernel of this ABI handles. */
static uint64_t handled(int abi)
{
    uint64_t rights = LOOK_FILE | LANDLOCK_ACCESS_FS_READ_DIR | LANDLOCK_ACCESS_FS_EXECUTE | CHANGE_FILE |
                      CHANGE_FOLDER | DEVICE_NODES | LANDLOCK_ACCESS_FS_IOCTL_DEV;

    if (abi < 2) {
        rights &= ~LANDLOCK_ACCESS_FS_REFER;
    }
    if (abi < 3) {
        rights &= ~LANDLOCK_ACCESS_FS_TRUNCATE;
    }
    if (abi < 5) {
        rights &= ~LANDLOCK_ACCESS_FS_IOCTL_DEV;
    }
    return rights;
}

int landlock_new(void)
{
    int abi = kernel_landlock_abi();
    struct kernel_landlock_ruleset ruleset = {.handled_access_fs = handled(abi)};
    size_t size = abi >= 6 ? sizeof ruleset : sizeof ruleset.handled_access_fs;
    int fd;

    if (abi < 1) {
        return -EOPNOTSUPP;
    }
    if (abi >= 6) {
        ruleset.scoped = KERNEL_SCOPE_ABSTRACT_UNIX | KERNEL_SCOPE_SIGNAL;
    }
    fd = kernel_landlock_create(&ruleset, size);
    return fd < 0 ? -errno : fd;
}

int landlock_allow(int ruleset, int fd, bool folder, unsigned rights)
{
    static int abi;
    uint64_t access = 0;

    if (!abi) {
        abi = kernel_landlock_abi();
    }
    if (rights & LANDLOCK_LOOK) {
        access |= LOOK_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
    }
    if (rights & LANDLOCK_LIST) {
        access |= LANDLOCK_ACCESS_FS_READ_DIR;
    }
    if (rights & LANDLOCK_EXECUTE) {
        access |= LANDLOCK_ACCESS_FS_EXECUTE;
    }
    if (rights & LANDLOCK_CHANGE) {
        access |= CHANGE_FILE | CHANGE_FOLDER;
    }
    if (rights & LANDLOCK_DEVICE) {
        access |= CHANGE_FILE | LANDLOCK_ACCESS_FS_IOCTL_DEV;
    }
    if (!folder) {
        access &= ~(CHANGE_FOLDER | LANDLOCK_ACCESS_FS_READ_DIR);
    }
    access &= handled(abi);
    return access && kernel_landlock_allow(ruleset, fd, access) ? -errno : 0;
}

int landlock_enter(int ruleset)
{
    return kernel_landlock_restrict(ruleset) ? -errno : 0;
}
