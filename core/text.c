/* UTF-8 checks and base64, for bytes that have to fit into JSON. */
#include "text_internal.h"

#include <inttypes.h>
#include <errno.h>
#include <string.h>
#include <utf8proc.h>

/* Length of the well-formed sequence at `bytes`, or 0. */
static size_t sequence_length(const char *bytes, size_t len)
{
    utf8proc_int32_t point;
    utf8proc_ssize_t length = utf8proc_iterate((const utf8proc_uint8_t *)bytes, (utf8proc_ssize_t)len, &point);
    return length > 0 ? (size_t)length : 0;
}

bool text_is_utf8(const char *bytes, size_t len)
{
    for (size_t at = 0; at < len;) {
        size_t length = (unsigned char)bytes[at] < 0x80 ? 1 : sequence_length(bytes + at, len - at);
        if (length == 0) {
            return false;
        }
        at += length;
    }
    return true;
}

int text_add_utf8(struct buf *to, const char *bytes, size_t len)
{
    size_t plain = 0; /* well-formed bytes not added yet start here */
    size_t at = 0;
    while (at < len) {
        size_t length = (unsigned char)bytes[at] < 0x80 ? 1 : sequence_length(bytes + at, len - at);
        if (length == 0) {
            buf_add(to, bytes + plain, at - plain);
            buf_addf(to, "\\x%02x", (unsigned char)bytes[at]);
            plain = at + 1;
            length = 1;
        }
        at += length;
    }
    return buf_add(to, bytes + plain, len - plain);
}

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

int base64_encode(struct buf *to, const void *bytes, size_t len)
{
    const unsigned char *in = bytes;
    for (size_t at = 0; at < len; at += 3) {
        size_t left = len - at;
        uint32_t group =
            (uint32_t)in[at] << 16 | (left > 1 ? (uint32_t)in[at + 1] << 8 : 0) | (left > 2 ? in[at + 2] : 0);
        char out[4] = {digits[group >> 18], digits[group >> 12 & 63], left > 1 ? digits[group >> 6 & 63] : '=',
                       left > 2 ? digits[group & 63] : '='};
        buf_add(to, out, sizeof(out));
    }
    return to->failed;
}

static int digit_value(char c)
{
    const char *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) : -1;
}

int base64_decode(struct buf *to, const char *text, size_t len)
{
    if (len % 4 != 0) {
        return -EINVAL;
    }
    for (size_t at = 0; at < len; at += 4) {
        size_t padding =
            at + 4 < len ? 0 : (size_t)(text[at + 3] == '=') + (text[at + 2] == '=' && text[at + 3] == '=');
        uint32_t group = 0;
        for (size_t i = 0; i < 4; i++) {
            int value = i < 4 - padding ? digit_value(text[at + i]) : 0;
            if (value < 0) {
                return -EINVAL;
            }
            group = group << 6 | (uint32_t)value;
        }
        char out[3] = {(char)(group >> 16), (char)(group >> 8), (char)group};
        buf_add(to, out, 3 - padding);
    }
    return to->failed;
}

void text_add_gap(struct buf *to, uint64_t bytes)
{
    if (to->len && to->data[to->len - 1] != '\n') {
        buf_add_char(to, '\n');
    }
    buf_addf(to, "[%" PRIu64 " bytes dropped here]\n", bytes);
}
