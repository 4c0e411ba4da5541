/* Protected names: which paths no run ever writes. */
#include "../../sandbox/protect_internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const char *const own[] = {"/home/u/.local/state/techo", "/var/keys", NULL};

static void names_that_other_programs_trust(void **state)
{
    static const char *const paths[] = {
        "/r/.git",
        "/r/.git/hooks/pre-commit",
        "/r/.git/config",
        "/r/deep/er/.git/x",
        "/r/.GIT/hooks/x",
        "/r/.bashrc",
        "/r/.bash_profile",
        "/r/.BashRC",
        "/home/u/.profile",
        "/home/u/.config/systemd/user/x.service",
        "/home/u/.config/autostart/x.desktop",
        "/home/u/.config/techo/config.ini",
        "/home/u/.local/state/techo/sessions/x.jsonl",
        "/elsewhere/state/techo/x",
        "/r/lib/site-packages/evil.pth",
        "/r/sitecustomize.py",
        "/home/u/.ssh/authorized_keys",
        "/home/u/.ssh",
        "/r/.vscode/tasks.json",
        "/var/keys",
        "/var/keys/a",
    };

    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        if (!protect_is(paths[i], own)) {
            fail_msg("%s is not protected", paths[i]);
        }
    }
    (void)state;
}

static void names_that_only_look_like_them(void **state)
{
    static const char *const paths[] = {
        "/",           "/r",          "/r/git/hooks/x", "/r/.gitignore",  "/r/.github/x", "/r/bashrc",
        "/r/x.bashrc", "/r/x.pth.md", "/r/profile",     "/r/.config",     "/r/.config/x", "/r/systemd/x",
        "/r/.local/x", "/r/techo/x",  "/var/keysx",     "/r/state/other",
    };

    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        if (protect_is(paths[i], own)) {
            fail_msg("%s is protected", paths[i]);
        }
    }
    assert_false(protect_is("/var/keys/a", NULL));
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_that_other_programs_trust),
        cmocka_unit_test(names_that_only_look_like_them),
    };
    return cmocka_run_group_tests_name("protect", tests, NULL, NULL);
}
