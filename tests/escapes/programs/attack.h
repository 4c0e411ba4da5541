/*
 * What the attack programs share. A program is a table of cases; the case to run is its first argument. Each
 * thing that it tries becomes one line on standard output:
 *
 *     try NAME ERRNO|through      what must be refused
 *     control NAME works|ERRNO    the same means where they are allowed: a case without one proves nothing
 *
 * The programs are static, so that a cell needs to show nothing but them.
 */
#ifndef TECHO_ATTACK_H
#define TECHO_ATTACK_H

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

struct attack_case {
    const char *name;
    void (*run)(void);
};

/* `result` < 0: refused with errno. */
void try(const char *name, long result);
/* What came of it in one word of the case's own: "through" is reserved for an attack that succeeded. */
void try_word(const char *name, const char *word);
void control(const char *name, long result);
/* The environment that the runner gives: PORT, OUTSIDE, ... */
const char *given(const char *name);
/* Opens, reads a byte when it can, closes. 0 or -1 with errno. */
int read_file(const char *path);
/* Opens with O_WRONLY and `flags`, closes. */
int write_file(const char *path, int flags);
/* Runs `child` in a new process and returns its exit status, or 256 + signal. */
int in_child(int (*child)(void));

int attack_main(int argc, char **argv, const struct attack_case *cases, size_t count);
#define ATTACKS(...)                                                                                                   \
    int main(int argc, char **argv)                                                                                    \
    {                                                                                                                  \
        static const struct attack_case cases[] = {__VA_ARGS__};                                                       \
        return attack_main(argc, argv, cases, sizeof cases / sizeof *cases);                                           \
    }

#endif
