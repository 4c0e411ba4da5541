/* Ids, capabilities, and the one outer namespace that an ordinary user needs. */
#include "privilege_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cell_internal.h"

struct capabilities {
    struct __user_cap_header_struct header;
    struct __user_cap_data_struct data[2];
};

static const struct capabilities no_capabilities = {.header = {.version = _LINUX_CAPABILITY_VERSION_3}};

static int capabilities_get(struct capabilities *ret)
{
    *ret = no_capabilities;
    return syscall(SYS_capget, &ret->header, ret->data) ? -errno : 0;
}

bool privilege_has(int capability)
{
    struct capabilities have;

    return !capabilities_get(&have) && (have.data[capability / 32].effective >> (capability % 32) & 1);
}

/* Is id 65534 mapped here? Then so are many, and root may hand it out. */
static bool nobody_is_mapped(void)
{
    char text[256];
    unsigned inner, outer, count;
    int fd = open("/proc/self/uid_map", O_RDONLY | O_CLOEXEC);
    ssize_t len = fd < 0 ? -1 : read(fd, text, sizeof text - 1);

    if (fd >= 0) {
        close(fd);
    }
    if (len <= 0) {
        return true; /* no /proc to ask: the map will be refused if this is wrong */
    }
    text[len] = '\0';
    for (const char *line = text; line && sscanf(line, "%u %u %u", &inner, &outer, &count) == 3;) {
        if (inner <= NOBODY && NOBODY - inner < count) {
            return true;
        }
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
    return false;
}

void privilege_ids_find(struct privilege_ids *ret_ids)
{
    uid_t uid = geteuid();
    gid_t gid = getegid();

    if (uid == 0 && privilege_has(CAP_SYS_ADMIN) && privilege_has(CAP_SETUID) && nobody_is_mapped()) {
        *ret_ids = (struct privilege_ids){true, NOBODY, NOBODY, NOBODY, NOBODY};
        return;
    }
    *ret_ids = (struct privilege_ids){
        .outer_uid = uid, .inner_uid = uid ? uid : NOBODY, .outer_gid = gid, .inner_gid = gid ? gid : NOBODY};
}

int privilege_drop_bounding(void)
{
    int capability = 0;

    while (!prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)) {
        capability++;
    }
    return errno == EINVAL ? 0 : -errno; /* EINVAL: there are no more */
}

/* Keeps what `kept` has in effect and permits; nothing is ever inherited. */
static int keep_only(const struct capabilities *kept)
{
    struct capabilities have = *kept;

    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    if (syscall(SYS_capset, &have.header, have.data) || capabilities_get(&have)) {
        return -errno;
    }
    for (int i = 0; i < 2; i++) {
        if (have.data[i].effective != kept->data[i].effective || have.data[i].permitted != kept->data[i].permitted ||
            have.data[i].inheritable) {
            return -EPERM;
        }
    }
    return 0;
}

int privilege_drop(void)
{
    return keep_only(&no_capabilities);
}

int privilege_drop_but(int capability)
{
    struct capabilities kept = no_capabilities;

    kept.data[capability / 32].effective = kept.data[capability / 32].permitted = 1u << capability % 32;
    return keep_only(&kept);
}

static int write_text(pid_t pid, const char *name, const char *text)
{
    char path[64];
    int fd, result;

    if (pid) {
        snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    } else {
        snprintf(path, sizeof path, "/proc/self/%s", name);
    }
    fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) {
        return -errno;
    }
    result = write(fd, text, strlen(text)) < 0 ? -errno : 0;
    close(fd);
    return result;
}

int privilege_map(pid_t pid, const struct privilege_ids *ids, bool deny_setgroups)
{
    char users[64], groups[64];
    int result = deny_setgroups ? write_text(pid, "setgroups", "deny") : 0;

    snprintf(users, sizeof users, "%u %u 1", ids->inner_uid, ids->outer_uid);
    snprintf(groups, sizeof groups, "%u %u 1", ids->inner_gid, ids->outer_gid);
    if (!result) {
        result = write_text(pid, "uid_map", users);
    }
    return result ? result : write_text(pid, "gid_map", groups);
}

static bool switch_says(const char *path, char word)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    char value = 0;
    ssize_t len = fd < 0 ? -1 : read(fd, &value, 1);

    close_descriptor(&fd);
    return len == 1 && value == word;
}

static const char apparmor_switch[] = "/proc/sys/kernel/apparmor_restrict_unprivileged_userns";

const char *privilege_userns_advice(void)
{
    static const struct {
        const char *path;
        char refuses;
        const char *advice;
    } switches[] = {
        {apparmor_switch, '1',
         "AppArmor refuses user namespaces here: `make setup` installs the profile that allows them to techo"},
        {"/proc/sys/kernel/unprivileged_userns_clone", '0',
         "user namespaces are switched off here: sysctl kernel.unprivileged_userns_clone=1 switches them on"},
        {"/proc/sys/user/max_user_namespaces", '0',
         "user namespaces are switched off here: sysctl user.max_user_namespaces=10000 switches them on"},
    };
    for (size_t i = 0; i < sizeof switches / sizeof *switches; i++) {
        if (switch_says(switches[i].path, switches[i].refuses)) {
            return switches[i].advice;
        }
    }
    return "user namespaces are refused here: in a container, its seccomp profile or settings must allow them";
}

/* CAP_SYS_ADMIN outlives execve only when it is inheritable and ambient. */
static int keep_admin(void)
{
    struct capabilities have;
    int result = capabilities_get(&have);

    if (result) {
        return result;
    }
    have.data[CAP_SYS_ADMIN / 32].inheritable |= 1u << (CAP_SYS_ADMIN % 32);
    if (syscall(SYS_capset, &have.header, have.data) ||
        prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_SYS_ADMIN, 0, 0)) {
        return -errno;
    }
    return 0;
}

/* Where AppArmor refuses them to this program and would not with its profile, less is not taken for granted: L1. */
static int refuse_namespaces(const char *what, int error, struct err *err)
{
    bool profile = switch_says(apparmor_switch, '1');

    return err_set(err, profile ? -EOPNOTSUPP : -EPERM, "%s%s (%s: %s)", profile ? "no sandbox here (L1): " : "",
                   privilege_userns_advice(), what, strerror(-error));
}

int cell_enter_outer(struct err *err)
{
    struct privilege_ids ids;
    int result;

    privilege_ids_find(&ids);
    if (ids.root) {
        return 0;
    }
    ids.inner_uid = ids.outer_uid;
    ids.inner_gid = ids.outer_gid;
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS)) {
        return refuse_namespaces("unshare", -errno, err);
    }
    result = privilege_map(0, &ids, true);
    if (result) {
        return refuse_namespaces("writing the map of ids", result, err);
    }
    if (mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL)) {
        return refuse_namespaces("making the mounts slave", -errno, err);
    }
    result = keep_admin();
    return result ? refuse_namespaces("keeping CAP_SYS_ADMIN", result, err) : 0;
}
