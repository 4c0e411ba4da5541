/* What the files about sessions share. */
#ifndef TECHO_CORE_SESSION_INTERNAL_H
#define TECHO_CORE_SESSION_INTERNAL_H

#include <time.h>

enum { SESSION_ID_MAX = 64 };

/* "20251129-201100-5f3a9c01": the time (UTC) and a random part, so that names sort by time. */
void session_make_id(time_t now, char ret_id[SESSION_ID_MAX]);

#endif
