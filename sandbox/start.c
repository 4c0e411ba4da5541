/* Overwrites arguments and environment where the kernel put them. */
#include "start_internal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char **arguments, **settings;

void start_remember(char **argv)
{
    arguments = argv;
    settings = environ;
}

static void overwrite(char *const *texts)
{
    for (; texts && *texts; texts++) {
        explicit_bzero(*texts, strlen(*texts));
    }
}

void start_forget_arguments(const char *name)
{
    size_t room = arguments && arguments[0] ? strlen(arguments[0]) : 0;

    overwrite(arguments);
    for (size_t i = 0; i < room && name[i]; i++) {
        arguments[0][i] = name[i];
    }
}

void start_forget_environment(void)
{
    overwrite(settings);
    settings = NULL;
    clearenv();
}
