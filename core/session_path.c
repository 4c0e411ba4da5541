/* Where sessions are kept, and how they are called. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "session.h"
#include "session_internal.h"

void session_make_id(time_t now, char ret_id[SESSION_ID_MAX])
{
    struct tm utc = {0};
    uint32_t noise = 0;
    gmtime_r(&now, &utc);
    if (getrandom(&noise, sizeof(noise), 0) != sizeof(noise)) {
        noise = (uint32_t)monotonic_us();
    }
    size_t len = strftime(ret_id, SESSION_ID_MAX, "%Y%m%d-%H%M%S", &utc);
    snprintf(ret_id + len, SESSION_ID_MAX - len, "-%08x", noise);
}

bool session_id_of_path(const char *path, char ret_id[SESSION_ID_MAX])
{
    static const char ending[] = ".jsonl";
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t len = strlen(name), tail = sizeof(ending) - 1;
    if (len > tail && strcmp(name + len - tail, ending) == 0) {
        len -= tail;
    }
    if (len == 0 || len >= SESSION_ID_MAX) {
        return false;
    }
    memcpy(ret_id, name, len);
    ret_id[len] = '\0';
    return true;
}

/* Makes every folder of the path; those that are there stay as they are. */
static int make_folders(char *path)
{
    for (char *at = path + 1;; at++) {
        char end = *at;
        if (end == '/' || end == '\0') {
            *at = '\0';
            int r = mkdir(path, 0700) < 0 && errno != EEXIST ? -errno : 0;
            *at = end;
            if (r < 0 || end == '\0') {
                return r;
            }
        }
    }
}

int session_folder(struct buf *to, struct err *err)
{
    const char *state_home = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    if (state_home && state_home[0] == '/') { /* the specification has relative ones ignored */
        buf_addf(to, "%s/techo/sessions", state_home);
    } else if (home && home[0] == '/') {
        buf_addf(to, "%s/.local/state/techo/sessions", home);
    } else {
        return err_set(err, -ENOENT, "neither XDG_STATE_HOME nor HOME says where sessions are kept");
    }
    return to->failed ? err_errno(err, to->failed, "the folder of sessions") : 0;
}

int session_default_path(struct buf *to, struct err *err)
{
    char id[SESSION_ID_MAX];
    struct buf folder;
    buf_init(&folder, 4096);
    int r = session_folder(&folder, err);
    if (r == 0 && (r = make_folders(folder.data)) < 0) {
        err_errno(err, r, "cannot make the folder of sessions %s", folder.data);
    }
    if (r == 0) {
        session_make_id(time(NULL), id);
        r = buf_addf(to, "%s/%s.jsonl", folder.data, id);
    }
    buf_done(&folder);
    return r;
}
