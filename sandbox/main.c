/*
 * bin/techo: the smallest process first. `exec` runs here; every other
 * command is the application's, which finds the spawner on descriptor 3 when
 * its command can run programs, as judged from the arguments alone.
 */
#include "exec_internal.h"
#include "probe_internal.h"
#include "sandbox.h"
#include "spawner_internal.h"
#include "start_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EXIT_TECHO_FAILED = 125 };

/* Commands that run nothing. Whatever else is said may run programs, the screen included. */
static const char *const quiet_commands[] = {"why",  "export", "sessions", "models",
                                             "help", "--help", "-h",       "--version"};

static bool runs_programs(int argc, char **argv)
{
    for (size_t i = 0; argc > 1 && i < sizeof quiet_commands / sizeof quiet_commands[0]; i++) {
        if (strcmp(argv[1], quiet_commands[i]) == 0) {
            return false;
        }
    }
    return true;
}

/* A standard stream that is closed becomes one that fails, so that no other file takes its number. */
static void occupy_standard_streams(void)
{
    for (int fd = 0; fd < 3; fd++) {
        if (fcntl(fd, F_GETFD) < 0) {
            (void)open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
        }
    }
}

static int find_application(char ret_path[PATH_MAX])
{
    char self[PATH_MAX];
    ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
    char *name;

    if (len <= 0) {
        return -ENOENT;
    }
    self[len] = '\0';
    for (int i = 0; i < 2; i++) { /* PREFIX/bin/techo */
        name = strrchr(self, '/');
        if (!name) {
            return -ENOENT;
        }
        *name = '\0';
    }
    return snprintf(ret_path, PATH_MAX, "%s/libexec/techo/app", self) < PATH_MAX ? 0 : -ENAMETOOLONG;
}

static int run_application(int argc, char **argv)
{
    char path[PATH_MAX];
    struct err err;
    int socket;

    if (find_application(path) < 0 || access(path, X_OK) < 0) {
        dprintf(STDERR_FILENO, "techo: libexec/techo/app is not beside this program\n");
        return EXIT_TECHO_FAILED;
    }
    close(SANDBOX_SPAWNER_FD); /* whatever was inherited there is not the spawner */
    if (runs_programs(argc, argv)) {
        if (spawner_start(&socket, &err) < 0) {
            dprintf(STDERR_FILENO, "techo: %s\n", err.text);
            return EXIT_TECHO_FAILED;
        }
        if (socket == SANDBOX_SPAWNER_FD) {
            fcntl(socket, F_SETFD, 0);
        } else {
            dup2(socket, SANDBOX_SPAWNER_FD);
            close(socket);
        }
    }
    execv(path, argv);
    dprintf(STDERR_FILENO, "techo: %s: %s\n", path, strerror(errno));
    return EXIT_TECHO_FAILED;
}

int main(int argc, char **argv)
{
    start_remember(argv);
    occupy_standard_streams();
    if (argc == 2 && strcmp(argv[1], SPAWNER_ARGUMENT) == 0) {
        return spawner_main(SANDBOX_SPAWNER_FD);
    }
    if (argc >= 2 && strcmp(argv[1], PROBE_ARGUMENT) == 0) {
        return probe_inside(argc, argv);
    }
    if (argc >= 2 && strcmp(argv[1], "exec") == 0) {
        int status = exec_main(argc - 2, argv + 2);
        if (status >= 0) {
            return status;
        }
    }
    return run_application(argc, argv);
}
