/*
 * Not an attack: runs a command on a machine that lacks something, by a filter of its own.
 *
 *     poorer userns|landlock|listener COMMAND [ARGUMENT...]
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define FAIL(error) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (error))
#define PASS BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static struct sock_filter no_userns[] = {
    LOAD(nr),      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_unshare, 0, 3),
    LOAD(args[0]), BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_NEWUSER, 0, 1),
    FAIL(EPERM),   PASS,
};
static struct sock_filter no_landlock[] = {
    LOAD(nr),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_landlock_create_ruleset, 0, 1),
    FAIL(EOPNOTSUPP),
    PASS,
};
static struct sock_filter watched[] = {PASS};

static const struct {
    const char *lack;
    struct sock_filter *filter;
    unsigned short len;
    unsigned flags;
} machines[] = {
    {"userns", no_userns, sizeof no_userns / sizeof *no_userns, 0},
    {"landlock", no_landlock, sizeof no_landlock / sizeof *no_landlock, 0},
    {"listener", watched, 1, SECCOMP_FILTER_FLAG_NEW_LISTENER}, /* one is there already */
};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc > 2 && i < sizeof machines / sizeof *machines; i++) {
        struct sock_fprog program = {machines[i].len, machines[i].filter};
        if (strcmp(argv[1], machines[i].lack) == 0) {
            if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
                syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, machines[i].flags, &program) < 0) {
                perror("poorer");
                return 1;
            }
            execv(argv[2], argv + 2);
            perror(argv[2]);
            return 1;
        }
    }
    fprintf(stderr, "usage: poorer userns|landlock|listener COMMAND [ARGUMENT...]\n");
    return 2;
}
