/* SHA-256 in hexadecimal, as events carry it. */
#ifndef TECHO_CORE_HASH_INTERNAL_H
#define TECHO_CORE_HASH_INTERNAL_H

#include "../sandbox/base.h"

enum { HASH_TEXT_SIZE = 65 };

void hash_bytes(const void *bytes, size_t len, char ret_text[HASH_TEXT_SIZE]);
/* Of a whole file from its beginning, at most `max` bytes: -EFBIG when it is longer. */
int hash_file(int fd, uint64_t max, char ret_text[HASH_TEXT_SIZE]);

#endif
