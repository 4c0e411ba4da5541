/* What the files about sessions share. */
#ifndef TECHO_CORE_SESSION_INTERNAL_H
#define TECHO_CORE_SESSION_INTERNAL_H

#include <stdbool.h>
#include <time.h>

enum { SESSION_ID_MAX = 64 };

/* "20251129-201100-5f3a9c01": the time (UTC) and a random part, so that names sort by time. */
void session_make_id(time_t now, char ret_id[SESSION_ID_MAX]);
/* The id of a session that is kept in this file: its name without .jsonl. False when that is too long for one. */
bool session_id_of_path(const char *path, char ret_id[SESSION_ID_MAX]);

#endif
