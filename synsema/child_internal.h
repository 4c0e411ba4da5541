/* Running one child process to its end. */
#ifndef TECHO_SYNSEMA_CHILD_INTERNAL_H
#define TECHO_SYNSEMA_CHILD_INTERNAL_H

#include "vm_internal.h"

struct child {
    char *const *argv;     /* borrowed; argv[0] is the program's path */
    char *const *envp;     /* borrowed */
    const char *directory; /* borrowed; NULL: the present one */
    const char *input;     /* borrowed */
    size_t input_length;
    int64_t timeout_ms;
    struct buffer *output; /* borrowed; gets its standard output */
    struct buffer *errors; /* and its standard error */
    bool timed_out;
    int status;            /* as waitpid gives it */
};

/* 0, or an errno when it could not be started. Its process group is gone afterwards. */
int child_run(struct child *child);

#endif
