/* How the sandbox shows this machine to any command, as against a language's runner: `techo exec`. */
#include "sandbox.h"

const char *const sandbox_command_base[] = {
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/etc/alternatives",
    "/etc/ld.so.cache",
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
    NULL,
};

const char *const sandbox_command_env[] = {
    "PATH=/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin",
    "HOME=/home/user",
    "TMPDIR=/tmp",
    "LANG=C.UTF-8",
    "TZ=UTC",
    NULL,
};
