/* What the attack programs share: see attack.h. */
#include "attack.h"

#include <sys/wait.h>

static void say(const char *kind, const char *name, const char *word)
{
    char line[256];
    int len = snprintf(line, sizeof line, "%s %s %s\n", kind, name, word);
    ssize_t wrote = write(STDOUT_FILENO, line, (size_t)len); /* at once: some cases are killed */
    (void)wrote;
}

static const char *outcome(long result, const char *good)
{
    const char *name = strerrorname_np(errno);

    return result >= 0 ? good : name ? name : "unknown";
}

void try(const char *name, long result)
{
    say("try", name, outcome(result, "through"));
}

void try_word(const char *name, const char *word)
{
    say("try", name, word);
}

void control(const char *name, long result)
{
    say("control", name, outcome(result, "works"));
}

const char *given(const char *name)
{
    const char *value = getenv(name);

    if (!value) {
        fprintf(stderr, "%s is not set\n", name);
        exit(2);
    }
    return value;
}

int read_file(const char *path)
{
    char byte;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : read(fd, &byte, 1);
    int error = errno;

    if (fd >= 0) {
        close(fd);
    }
    errno = error;
    return got < 0 ? -1 : 0;
}

int write_file(const char *path, int flags)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC | flags, 0600);

    if (fd < 0) {
        return -1;
    }
    close(fd);
    return 0;
}

int in_child(int (*child)(void))
{
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        _exit(child());
    }
    if (pid < 0 || waitpid(pid, &status, 0) < 0) {
        return -1;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 256 + WTERMSIG(status);
}

int attack_main(int argc, char **argv, const struct attack_case *cases, size_t count)
{
    for (size_t i = 0; argc > 1 && i < count; i++) {
        if (strcmp(argv[1], cases[i].name) == 0) {
            cases[i].run();
            return 0;
        }
    }
    fprintf(stderr, "usage: %s CASE\n", argv[0]);
    return 2;
}
