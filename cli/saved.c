/* Saved sessions by name: where they lie, and which file a word means. */
#include "saved.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

int saved_folder(struct buf *to, struct err *err)
{
    struct buf path;
    const char *slash;
    int code;

    buf_init(&path, to->max);
    code = session_default_path(&path, err);
    slash = code == 0 ? strrchr(path.data, '/') : NULL;
    if (slash)
        buf_add(to, path.data, (size_t)(slash - path.data));
    buf_done(&path);
    return code;
}

int saved_find(const char *name, struct buf *to, struct err *err)
{
    static const char *const endings[] = {"", ".jsonl"};

    buf_add_text(to, name);
    if (strchr(name, '/') || access(name, F_OK) == 0)
        return to->failed;
    for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
        buf_clear(to);
        if (saved_folder(to, NULL) < 0)
            break;
        buf_addf(to, "/%s%s", name, endings[i]);
        if (!to->failed && access(to->data, F_OK) == 0)
            return 0;
    }
    return err_set(err, -ENOENT, "no such session: %s (neither a file nor one of `techo sessions`)", name);
}
