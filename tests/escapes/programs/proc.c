/* What /proc, /dev, /sys and inherited descriptors might give away or let change. */
#include "attack.h"

#include <dirent.h>
#include <sys/mman.h>
#include <sys/utsname.h>

static void others(void)
{
    char path[128];
    static const char *const files[] = {"environ", "mem", "maps", "auxv", "root/etc/shadow", "cwd/etc/shadow", "fd/0",
                                        "exe", "stack", "ns/mnt", "map_files", "syscall", "io", "pagemap"};

    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "/proc/1/%s", files[i]);
        try(files[i], read_file(path));
    }
    snprintf(path, sizeof path, "/proc/%s/environ", given("RUNNER_PID"));
    try("runner", read_file(path));
    control("own", read_file("/proc/self/status"));
    control("own-maps", read_file("/proc/self/maps"));
}

static void kernel_files(void)
{
    static const char *const reads[] = {"/proc/kcore", "/proc/kallsyms", "/proc/kmsg", "/proc/iomem", "/proc/keys",
                                        "/proc/config.gz", "/proc/cmdline", "/proc/net/tcp", "/proc/modules",
                                        "/proc/version", "/proc/mounts-of-1", "/sys/class/net", "/sys/kernel/debug",
                                        "/sys/class/dmi/id/product_uuid", "/sys/fs/cgroup"};
    static const char *const writes[] = {"/proc/sysrq-trigger", "/proc/sys/kernel/core_pattern",
                                         "/proc/sys/vm/drop_caches", "/proc/sys/kernel/modprobe",
                                         "/proc/sys/fs/binfmt_misc/register", "/sys/kernel/uevent_helper"};

    for (size_t i = 0; i < sizeof reads / sizeof *reads; i++) {
        try("read", read_file(reads[i]));
    }
    for (size_t i = 0; i < sizeof writes / sizeof *writes; i++) {
        try("write", write_file(writes[i], 0));
    }
    control("own", read_file("/proc/self/status"));
}

static int put(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    ssize_t wrote = fd < 0 ? -1 : write(fd, text, strlen(text));
    int error = errno;

    if (fd >= 0) {
        close(fd);
    }
    errno = error;
    return wrote < 0 ? -1 : 0;
}

/* A process may write its own memory, and nothing else of itself that others decided. */
static void own_entries(void)
{
    static volatile int target = 1;
    int value = 2, fd = open("/proc/self/mem", O_RDWR | O_CLOEXEC);

    try("uid_map", put("/proc/self/uid_map", "0 0 1"));
    try("gid_map", put("/proc/self/gid_map", "0 0 1"));
    try("setgroups", put("/proc/self/setgroups", "allow"));
    try("less-oom", put("/proc/self/oom_score_adj", "-1000"));
    try("exec-attr", put("/proc/self/attr/exec", "unconfined"));
    try("ns", open("/proc/self/ns/mnt", O_WRONLY));
    try("timens", put("/proc/self/timens_offsets", "monotonic 1 0"));
    if (fd >= 0) {
        control("mem", pwrite(fd, &value, sizeof value, (off_t)(intptr_t)&target) == sizeof value && target == 2 ? 0
                                                                                                              : -1);
    } else {
        try("mem", -1);
    }
    control("read", read_file("/proc/self/status"));
}

/* Nothing but 0, 1 and 2, none of them a folder, and no way up from one. */
static void descriptors(void)
{
    const char *found = "none", *folder = "none";

    for (int fd = 3; fd < 4096; fd++) {
        found = fcntl(fd, F_GETFD) >= 0 ? "through" : found;
    }
    for (int fd = 0; fd < 4096; fd++) {
        folder = fchdir(fd) == 0 ? "through" : folder;
    }
    try_word("inherited", found);
    try_word("folders", folder);
    struct stat status;
    try_word("stdin", fstat(0, &status) == 0 && S_ISCHR(status.st_mode) ? "null" : "through");
    for (int fd = 1; fd < 3; fd++) {
        try_word("pipe", fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode) ? "pipe" : "through");
    }
    control("dup", dup(1));
}

static void devices(void)
{
    static const char *const names[] = {"mem", "kmsg", "fuse", "kvm", "loop0", "loop-control", "dri", "vhost-vsock", "tty",
                                        "tty0", "uinput", "sda", "vda", "port", "console", "ptmx", "pts/0", "snd", "net/tun",
                                        "vsock", "hwrng", "log", "userfaultfd", "bus/usb"};
    char path[64];

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "/dev/%s", names[i]);
        int fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
        try(names[i], fd < 0 ? open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) : fd);
    }
    control("null", write_file("/dev/null", 0));
    control("urandom", read_file("/dev/urandom"));
}

/* What a stranger would like to know of the machine: made up, or absent. */
static void identity(void)
{
    struct utsname name;
    char cwd[4096], line[4096] = "";
    FILE *mounts = fopen("/proc/self/mountinfo", "re");
    const char *shown = "nothing";

    uname(&name);
    try_word("name", strcmp(name.nodename, "sandbox") ? "through" : "sandbox");
    try("machine-id", read_file("/etc/machine-id"));
    try("boot-id", read_file("/proc/sys/kernel/random/boot_id"));
    try("product", read_file("/sys/class/dmi/id/product_uuid"));
    try("mac", read_file("/sys/class/net/eth0/address"));
    try("hosts", access("/etc/hostname", F_OK));
    try("root-device", read_file("/etc/fstab"));
    while (mounts && fgets(line, sizeof line, mounts)) { /* a host path beyond what is granted */
        shown = strstr(line, given("OUTSIDE")) || strstr(line, "/old") ? "through" : shown;
    }
    try_word("mounts", shown);
    control("root", getcwd(cwd, sizeof cwd) && strcmp(cwd, given("ROOT")) == 0 ? 0 : -1);
}

static void environment(void)
{
    extern char **environ;
    static const char *const wanted[] = {"PATH=", "HOME=/home/user", "TMPDIR=/tmp", "LANG=C.UTF-8", "TZ=UTC", "SELF=",
                                         "OUTSIDE=", "ROOT=", "HOST_HOME=", "PORT=", "RUNNER_PID=", "ABSTRACT="};
    const char *found = "listed";

    for (char **each = environ; *each; each++) {
        bool known = false;
        for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
            known = known || strncmp(*each, wanted[i], strlen(wanted[i])) == 0;
        }
        found = known ? found : "through";
    }
    try_word("others", found);
    try_word("key", getenv("ATTACK_API_KEY") ? "through" : "absent");
    try_word("preload", getenv("LD_PRELOAD") ? "through" : "absent");
    try_word("agent", getenv("SSH_AUTH_SOCK") ? "through" : "absent");
    try_word("proxy", getenv("https_proxy") ? "through" : "absent");
    control("own", getenv("HOME") ? 0 : -1);
}

/* Whatever an earlier run left: nothing. It leaves something itself, for the run after it. */
static void leftovers(void)
{
    static const char *const places[] = {"/tmp", "/dev/shm", "/home/user", "out"};
    char path[512];

    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        DIR *folder = opendir(places[i]);
        const char *word = folder ? "empty" : "missing";
        for (struct dirent *entry; folder && (entry = readdir(folder));) {
            snprintf(path, sizeof path, "%s/%s/", places[i], entry->d_name);
            bool own = strncmp(given("SELF"), path, strlen(path)) == 0; /* a folder that leads to this program */
            bool dots = entry->d_name[0] == '.' && strspn(entry->d_name, ".") == strlen(entry->d_name);
            word = own || dots ? word : "through";
        }
        try_word(places[i][0] == '/' ? places[i] + 1 : places[i], word);
        snprintf(path, sizeof path, "%s/left", places[i]);
        control("leave", write_file(path, O_CREAT));
    }
}

ATTACKS({"others", others}, {"kernel-files", kernel_files}, {"own-entries", own_entries}, {"descriptors", descriptors},
        {"devices", devices}, {"identity", identity}, {"environment", environment}, {"leftovers", leftovers})
