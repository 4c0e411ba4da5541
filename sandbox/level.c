/* Levels: found before a cell is made, described afterwards. */
#include "level_internal.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel_internal.h"
#include "privilege_internal.h"

enum { BARE_ABI_MIN = 3 }; /* of Landlock: the first that covers truncate() */

/* What needs a mount or a network namespace of the cell's own. */
static int refuse_at_bare(const struct cell_options *options, struct err *err)
{
    for (size_t i = 0; i < options->granted->count; i++) {
        const struct policy_item *item = &options->granted->items[i];
        const char *problem = NULL;

        if (item->ask) {
            problem = "nothing can be put in view later";
        } else if (item->permission == PERMISSION_FILE || item->permission == PERMISSION_FILE_WRITE) {
            problem = "nothing can be written apart from the host's files";
        } else if (item->permission == PERMISSION_NET) {
            problem = "no network can be made apart from the host's";
        }
        if (problem) {
            return err_set(err, -EOPNOTSUPP, "%s needs level L0, and here is L2: %s; %s", item->text, problem,
                           options->bare);
        }
    }
    return 0;
}

int level_find(const struct cell_options *options, uint32_t *ret_off, bool *ret_bare, struct err *err)
{
    int abi;

    *ret_bare = options->bare != NULL;
    *ret_off = options->request->without;
    if (*ret_off && !options->decoy) {
        return err_set(err, -EOPNOTSUPP, "a layer can be switched off in a decoy cell only");
    }
    if (!options->bare) {
        return 0;
    }
    abi = kernel_landlock_abi();
    if (abi < BARE_ABI_MIN) {
        return err_set(err, -EOPNOTSUPP,
                       "files cannot be kept apart here (L4): Landlock has version %d of %d that are needed; %s",
                       abi < 0 ? 0 : abi, BARE_ABI_MIN, options->bare);
    }
    *ret_off |= 1u << LAYER_NAMESPACES | 1u << LAYER_MOUNTS;
    return refuse_at_bare(options, err);
}

static void describe_off(const struct level_facts *facts, struct cell *cell)
{
    for (int i = 0; i < _LAYER_MAX; i++) {
        const char *name = sandbox_layer_name((enum sandbox_layer)i);
        if (facts->options->request->without & 1u << i) {
            buf_addf(&cell->off, "%s: switched off by --without\n", name);
        } else if (facts->off & 1u << i) {
            buf_addf(&cell->off, "%s: %s\n", name, facts->options->bare);
        }
    }
}

static void lose(struct cell *cell, enum sandbox_layer layer)
{
    cell->layers &= ~(1u << layer);
}

void level_describe(const struct level_facts *facts, struct cell *cell)
{
    bool no_landlock = facts->no_landlock && !(facts->off & 1u << LAYER_LANDLOCK);

    snprintf(cell->level, sizeof cell->level, "%s", facts->bare ? "L2" : no_landlock ? "L3" : "L0");
    cell->layers = ((1u << _LAYER_MAX) - 1) & ~facts->off;
    describe_off(facts, cell);
    if (!facts->cgroup) { /* why was said when it was tried */
        lose(cell, LAYER_CGROUP);
    }
    if (no_landlock) {
        lose(cell, LAYER_LANDLOCK);
        buf_addf(&cell->off, "landlock: this kernel has none (%s)\n", strerror(facts->no_landlock));
    }
    if (facts->unwatched) {
        lose(cell, LAYER_NOTIFY);
        buf_addf(&cell->off, "notify: observation off: this process is watched by another already (%s); %s\n",
                 strerror(facts->unwatched), "what is denied makes no row");
    }
    if (facts->without_proc) {
        cell->without_proc = true;
        buf_addf(&cell->off, "mounts: %s without proc: parts of /proc are masked here, so the cell has none (%s)\n",
                 cell->level, strerror(facts->without_proc));
    }
    if (!(facts->off & 1u << LAYER_NAMESPACES) && !facts->user_namespace) {
        buf_addf(&cell->off, "namespaces: no user namespace: %s; the program is uid %d\n", privilege_userns_advice(),
                 NOBODY);
    }
}

uint64_t level_count_tasks(void)
{
    DIR *list = opendir("/proc");
    struct dirent *entry;
    uint64_t count = 0;

    while (list && (entry = readdir(list))) {
        char path[300];
        struct stat status;
        snprintf(path, sizeof path, "/proc/%s/task", entry->d_name);
        if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9' && !stat(path, &status) && status.st_uid == geteuid()) {
            count += status.st_nlink - 2; /* one folder to a task */
        }
    }
    if (list) {
        closedir(list);
    }
    return count;
}
