/* Saved sessions by name: which file a word means. */
#include "saved.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

int saved_find(const char *name, struct buf *to, struct err *err)
{
    static const char *const endings[] = {"", ".jsonl"};

    buf_add_text(to, name);
    if (strchr(name, '/') || access(name, F_OK) == 0)
        return to->failed;
    for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
        buf_clear(to);
        if (session_folder(to, NULL) < 0)
            break;
        buf_addf(to, "/%s%s", name, endings[i]);
        if (!to->failed && access(to->data, F_OK) == 0)
            return 0;
    }
    return err_set(err, -ENOENT, "no such session: %s (neither a file nor one of `techo sessions`)", name);
}
