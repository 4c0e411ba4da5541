/*
 * The table of protected names. They are compared without regard to case,
 * since file systems exist on which .GIT is .git.
 */
#include "protect_internal.h"

#include <fnmatch.h>
#include <string.h>

/* One name, or two that follow each other. Whatever lies below a protected folder is protected, too. */
static const struct {
    const char *first, *second;
} names[] = {
    /* repositories: hooks and settings are executed by the next git command, a prompt's too */
    {".git", NULL},
    {".gitmodules", NULL},
    {".hg", NULL},
    {".svn", NULL},
    {".husky", NULL},
    /* shells */
    {".bashrc", NULL},
    {".bash_*", NULL},
    {".profile", NULL},
    {".zshrc", NULL},
    {".zshenv", NULL},
    {".zprofile", NULL},
    {".zlogin", NULL},
    {".zlogout", NULL},
    {".kshrc", NULL},
    {".cshrc", NULL},
    {".tcshrc", NULL},
    {".login", NULL},
    {".logout", NULL},
    {".envrc", NULL},
    {".inputrc", NULL},
    {".pam_environment", NULL},
    /* sessions */
    {".xprofile", NULL},
    {".xsession*", NULL},
    {".xinitrc", NULL},
    {".config", "autostart"},
    {".config", "systemd"},
    {".config", "fish"},
    {".config", "git"},
    {".config", "environment.d"},
    {".local", "bin"},
    {".local", "lib"},
    /* programs that start with what they find */
    {".gitconfig", NULL},
    {".vimrc", NULL},
    {".exrc", NULL},
    {".nvimrc", NULL},
    {".gdbinit", NULL},
    {".lldbinit", NULL},
    {".pythonrc*", NULL},
    {"*.pth", NULL},
    {"sitecustomize.py", NULL},
    {"usercustomize.py", NULL},
    {".vscode", NULL},
    {".idea", NULL},
    /* keys, and who may come in */
    {".ssh", NULL},
    {".gnupg", NULL},
    {".aws", NULL},
    {".netrc", NULL},
    {".pgpass", NULL},
    {".npmrc", NULL},
    {".pypirc", NULL},
    {".rhosts", NULL},
    /* our own */
    {".config", "techo"},
    {"state", "techo"},
};

static bool segment_is(const char *segment, size_t len, const char *pattern)
{
    char name[256];

    if (len >= sizeof name) {
        return false;
    }
    memcpy(name, segment, len);
    name[len] = '\0';
    return fnmatch(pattern, name, FNM_CASEFOLD) == 0;
}

/* Does the protected name `index` begin at `segment`? */
static bool begins(size_t index, const char *segment, size_t len)
{
    const char *next = segment + len + strspn(segment + len, "/");

    return segment_is(segment, len, names[index].first) &&
           (!names[index].second || segment_is(next, strcspn(next, "/"), names[index].second));
}

static bool is_within(const char *path, const char *folder)
{
    size_t len = strlen(folder);

    return len > 1 && !strncmp(path, folder, len) && (path[len] == '\0' || path[len] == '/');
}

bool protect_is(const char *path, const char *const *own)
{
    for (; own && *own; own++) {
        if (is_within(path, *own)) {
            return true;
        }
    }
    for (const char *at = path + strspn(path, "/"); *at;) {
        size_t len = strcspn(at, "/");
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            if (begins(i, at, len)) {
                return true;
            }
        }
        at += len + strspn(at + len, "/");
    }
    return false;
}
