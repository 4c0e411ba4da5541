/*
 * Any bytes for a screen. What comes out is well-formed UTF-8 of characters that
 * are seen and do not act, one base character per cell, in as many columns as
 * were said.
 */
#include "../../core/sanitize.h"

#include <assert.h>
#include <string.h>
#include <utf8proc.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct walk {
    unsigned flags;
    size_t columns;
};

static void check_character(int32_t point, bool first, unsigned flags)
{
    utf8proc_category_t category = utf8proc_category(point);
    bool joiner = !first && (point == 0x200c || point == 0x200d);
    assert(point >= 0x20 && (point < 0x7f || point >= 0xa0));
    assert(point < 0x80 || !(flags & SANITIZE_ASCII));
    assert(category != UTF8PROC_CATEGORY_CN && category != UTF8PROC_CATEGORY_CC && category != UTF8PROC_CATEGORY_CO &&
           category != UTF8PROC_CATEGORY_ZL && category != UTF8PROC_CATEGORY_ZP);
    assert(category != UTF8PROC_CATEGORY_CF || joiner);
    assert(point < 0xfe00 || point > 0xfe0f);
    assert(!first || category != UTF8PROC_CATEGORY_MN);
}

static bool check_cell(void *context, const struct cell *cell, bool row_end)
{
    struct walk *walk = context;
    if (row_end) {
        assert(!cell && (walk->flags & SANITIZE_LINES));
        return true;
    }
    size_t len = strlen(cell->text), characters = 0;
    assert(len > 0 && len < CELL_BYTES_MAX && (cell->width == 1 || cell->width == 2));
    for (size_t at = 0; at < len; characters++) {
        int32_t point;
        utf8proc_ssize_t length =
            utf8proc_iterate((const uint8_t *)cell->text + at, (utf8proc_ssize_t)(len - at), &point);
        assert(length > 0);
        check_character(point, characters == 0, walk->flags);
        at += (size_t)length;
    }
    assert(characters <= 5);
    walk->columns += cell->width;
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct untrusted text = untrusted_bytes((const char *)data, size);
    for (unsigned flags = 0; flags <= (SANITIZE_LINES | SANITIZE_ASCII); flags++) {
        struct walk walk = {.flags = flags};
        sanitize_cells(text, flags, check_cell, &walk);
        assert(walk.columns == sanitize_width(text, flags));
    }
    return 0;
}
