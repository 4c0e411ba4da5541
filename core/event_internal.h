/* What event.c, event_line.c and session.c share. */
#ifndef TECHO_CORE_EVENT_INTERNAL_H
#define TECHO_CORE_EVENT_INTERNAL_H

#include "event.h"

/* May a field of this type hold the item? */
bool field_holds(enum field_type type, const cJSON *item);
/* The value of a FIELD_BYTES field: a string, or {"base64": ...}. NULL without memory. */
cJSON *event_bytes_item(const void *bytes, size_t len);

#endif
