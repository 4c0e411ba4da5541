/* Bytes and texts of events: UTF-8 and base64. */
#ifndef TECHO_CORE_TEXT_INTERNAL_H
#define TECHO_CORE_TEXT_INTERNAL_H

#include "../sandbox/base.h"

/* Well-formed UTF-8: no overlong forms, surrogates or values above U+10FFFF. */
bool text_is_utf8(const char *bytes, size_t len);
/* Adds the bytes; those that belong to no well-formed sequence as the four characters \xNN. */
int text_add_utf8(struct buf *to, const char *bytes, size_t len);
int base64_encode(struct buf *to, const void *bytes, size_t len);
/* -EINVAL for anything but whole, padded groups; then `to` may hold a part. */
int base64_decode(struct buf *to, const char *text, size_t len);

/* Says on a line of its own that so many bytes of an output are missing here. */
void text_add_gap(struct buf *to, uint64_t bytes);

#endif
