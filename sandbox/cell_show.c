/* Shows one more file in a cell that runs: see show_internal.h. */
#include "cell_internal.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "inside_internal.h"
#include "wire_internal.h"

enum { SHOW_MS = 2000 };

/* Init answers at once; its last word may come first, when the program has ended by then. */
static int hear_shown(struct cell *cell)
{
    struct pollfd answer = {.fd = cell->control, .events = POLLIN};
    struct inside_message message;

    if (poll(&answer, 1, SHOW_MS) != 1) {
        return -ETIMEDOUT;
    }
    int result = inside_receive(cell->control, MSG_DONTWAIT, &message, NULL, NULL);
    if (result == 1 && message.kind == INSIDE_END) {
        cell->last_word = message.end;
        cell->has_last_word = true;
        return -ESRCH;
    }
    return result != 1 ? -ECONNRESET : message.kind == INSIDE_SHOWN ? message.code : -EPROTO;
}

static int add_place(struct cell *cell, const char *path, int item)
{
    struct cell_place *places = realloc(cell->places, (cell->place_count + 1) * sizeof *places);

    if (!places) {
        return -ENOMEM;
    }
    cell->places = places;
    places[cell->place_count] = (struct cell_place){.path = strdup(path), .kind = PLACE_GRANT, .item = item};
    if (!places[cell->place_count].path) {
        return -ENOMEM;
    }
    cell->place_count++;
    return 0;
}

int cell_show(struct cell *cell, int fd, const char *path, int item)
{
    struct idmap_cache *maps = NULL;
    struct privilege_ids ids;
    struct stat info;
    int tree, result;

    privilege_ids_find(&ids);
    if (fstat(fd, &info)) {
        return -errno;
    }
    tree = view_clone(fd, "", false, false, ids.root ? idmap_find(&maps, info.st_uid, info.st_gid) : -1);
    result = tree < 0 ? tree : wire_send(cell->control, path, strlen(path) + 1, &tree, 1, true);
    close_descriptor(&(int){tree < 0 ? -1 : tree});
    idmap_done(maps);
    result = result ? result : hear_shown(cell);
    return result ? result : add_place(cell, path, item);
}
