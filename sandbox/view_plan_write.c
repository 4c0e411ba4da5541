/* Plans what may be written: of each grant the folder that its overlay lies on. */
#include "view_internal.h"

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

int view_plan_writes(struct view *view, const struct cell_options *options, bool map_ids, struct err *err)
{
    const struct pins *pins = options->pins;

    for (size_t i = 0; pins && i < pins->write_count; i++) {
        const struct write_pin *pin = &pins->writes[i];
        struct view_entry *entry = add(view, pin);
        if (!entry) {
            return view_no_room(err);
        }
        entry->write = pin;
        if (*pin->missing) {
            continue; /* the whole folder is new */
        }
        int lower = view_clone(pin->fd, "", false, view->execute, view_owner_map(view, pin->fd, map_ids));
        if (lower < 0) {
            return err_errno(err, lower, "cannot show %s in the sandbox", pin->path);
        }
        entry->lower = lower;
    }
    return 0;
}
