/* A throw-away copy of a session's folder, for a decoy cell: whatever a program does to it, nothing is lost. */
#ifndef TECHO_CORE_THROWAWAY_H
#define TECHO_CORE_THROWAWAY_H

#include "../sandbox/base.h"

/*
 * Copies the regular files of a folder, none whose name begins with a dot (so no secret comes along), and plants a .env
 * of its own. *ret_path becomes the copy's absolute, real path, owned: give it to throwaway_free(). -EFBIG above 256 MB.
 */
int throwaway_make(const char *folder, char **ret_path, struct err *err) MUST_USE;
/* Removes the copy, and frees the path; NULL is nothing. */
void throwaway_free(char *path);

#endif
