/* Plans what may be written: of each grant the folder that its overlay lies on or, with --direct, the grant itself. */
#include "view_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "confine_internal.h"

static struct view_entry *add(struct view *view, const struct write_pin *pin)
{
    unsigned rights = LANDLOCK_LOOK | LANDLOCK_CHANGE | (view->execute ? LANDLOCK_EXECUTE : 0);
    struct view_entry *entry = view_add(view, PLACE_GRANT, pin->path, -1, !pin->name, rights);

    if (entry) {
        entry->place.item = pin->item;
        entry->late = true;
    }
    return entry;
}

/* An overlay's lower layer, or with --direct the thing itself. */
static int plan_write(struct view *view, const struct write_pin *pin, bool direct, bool map_ids, struct err *err)
{
    struct view_entry *entry = add(view, pin);
    int map = view_owner_map(view, pin->fd, map_ids), fd = -1, result;

    if (!entry) {
        return view_no_room(err);
    }
    if (direct && pin->name) {
        fd = openat(pin->fd, pin->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
        result = fd < 0 ? -errno : view_clone_writable(fd, view->execute, map);
        close_descriptor(&fd);
        entry->fd = result < 0 ? -1 : result;
    } else if (direct) {
        result = view_clone_writable(pin->fd, view->execute, map);
        entry->fd = result < 0 ? -1 : result;
    } else {
        /* when the whole folder is new, there is nothing to lie on */
        result = *pin->missing ? -1 : view_clone(pin->fd, "", false, view->execute, map);
        entry->write = pin;
        entry->lower = result < 0 ? -1 : result;
        result = *pin->missing ? 0 : result;
    }
    return result < 0 ? err_errno(err, result, "cannot show %s in the sandbox", pin->path) : 0;
}

/* What lies in a folder that is written directly, and is not to be written, is mounted read-only on itself. */
static int plan_guard(struct view *view, const struct pin *guard, bool map_ids, struct err *err)
{
    int fd = view_clone(guard->fd, "", false, view->execute, view_owner_map(view, guard->fd, map_ids));
    struct view_entry *entry;

    if (fd < 0) {
        return err_errno(err, fd, "cannot show %s in the sandbox", guard->path);
    }
    entry = view_add(view, PLACE_GRANT, guard->path, fd, guard->folder, LANDLOCK_LOOK);
    if (!entry) {
        close(fd);
        return view_no_room(err);
    }
    entry->place.item = guard->item;
    entry->late = true;
    return 0;
}

int view_plan_writes(struct view *view, const struct cell_options *options, bool map_ids, struct err *err)
{
    const struct pins *pins = options->pins;
    int result = 0;

    for (size_t i = 0; pins && i < pins->write_count && !result; i++) {
        result = plan_write(view, &pins->writes[i], options->request->direct, map_ids, err);
    }
    for (size_t i = 0; pins && i < pins->guard_count && !result; i++) {
        result = plan_guard(view, &pins->guards[i], map_ids, err);
    }
    return result;
}
