/* From untrusted bytes to the cells of a screen: what would act, or could not be seen, is spelled out. */
#include "sanitize.h"

#include <stdio.h>
#include <string.h>
#include <utf8proc.h>

enum {
    MARKS_MAX = 4, /* combining marks on one character: as many as a curses cell holds */
    TAB_WIDTH = 8,
};

/* What goes through the text from left to right. */
struct walk {
    unsigned flags;
    cell_fn each;
    void *context;
    struct cell cell;   /* held back while marks may follow */
    size_t marks;       /* on it */
    int32_t last;       /* the last character of the cell; 0: nothing may combine with it */
    int grapheme_state; /* of utf8proc_grapheme_break_stateful() */
    size_t column;
    size_t neutralised;
    bool stopped;
};

struct untrusted untrusted_text(const char *text)
{
    return (struct untrusted){text, text ? strlen(text) : 0};
}

struct untrusted untrusted_bytes(const char *bytes, size_t len)
{
    return (struct untrusted){bytes, len};
}

/* Hands out the cell that was held back. */
static void flush(struct walk *walk)
{
    if (walk->cell.width && !walk->stopped) {
        walk->column += walk->cell.width;
        walk->stopped = !walk->each(walk->context, &walk->cell, false);
    }
    walk->cell = (struct cell){0};
    walk->marks = 0;
    walk->last = 0;
}

static void put_ascii(struct walk *walk, char c, bool neutralised)
{
    flush(walk);
    walk->cell = (struct cell){.text = {c}, .width = 1, .neutralised = neutralised};
}

/* Spells something out: one cell per character, none of which combines with what follows. */
static void put_visible(struct walk *walk, const char *text)
{
    walk->neutralised++;
    for (; *text; text++) {
        put_ascii(walk, *text, true);
    }
    flush(walk);
}

static void put_code_point(struct walk *walk, int32_t point)
{
    char text[16];
    snprintf(text, sizeof(text), "<U+%04X>", (unsigned)point);
    put_visible(walk, text);
}

static void put_control(struct walk *walk, unsigned char c)
{
    if (c == '\t') {
        do {
            put_ascii(walk, ' ', false);
            flush(walk);
        } while (walk->column % TAB_WIDTH && !walk->stopped);
    } else if (c == '\n' && (walk->flags & SANITIZE_LINES)) {
        flush(walk);
        walk->column = 0;
        walk->stopped = walk->stopped || !walk->each(walk->context, NULL, true);
    } else if (c == '\n' || c == '\r') {
        put_visible(walk, c == '\n' ? "\\n" : "\\r");
    } else {
        char text[8];
        snprintf(text, sizeof(text), "\\x%02x", c);
        put_visible(walk, text);
    }
}

/* Letters that show as nothing: Hangul fillers, Khmer inherent vowels, the combining grapheme joiner. */
static bool is_blank_letter(int32_t point)
{
    static const int32_t blanks[] = {0x034f, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x3164, 0xffa0};
    for (size_t i = 0; i < sizeof(blanks) / sizeof(blanks[0]); i++) {
        if (blanks[i] == point) {
            return true;
        }
    }
    return false;
}

static bool is_variation_selector(int32_t point)
{
    return (point >= 0xfe00 && point <= 0xfe0f) || (point >= 0xe0100 && point <= 0xe01ef) ||
           (point >= 0x180b && point <= 0x180f);
}

/*
 * Columns, as wcwidth() of libc and so curses count them, which differ from utf8proc's: vowels and finals of Hangul
 * syllables stand in the cell of their first letter, spacing marks of Indian scripts in one of their own.
 */
static int width_of(int32_t point)
{
    if ((point >= 0x1160 && point <= 0x11ff) || (point >= 0xd7b0 && point <= 0xd7ff)) {
        return 0;
    }
    return utf8proc_category(point) == UTF8PROC_CATEGORY_MC ? 1 : utf8proc_charwidth(point);
}

/* Controls, direction and format characters, unassigned and private ones, line separators: never shown as they are. */
static bool is_hidden(int32_t point)
{
    switch (utf8proc_category(point)) {
    case UTF8PROC_CATEGORY_CN:
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CS:
    case UTF8PROC_CATEGORY_CO:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
        return true;
    default:
        return is_blank_letter(point) || is_variation_selector(point);
    }
}

/* Arabic, Syriac and the scripts of India, in which joiners are part of the spelling. */
static bool uses_joiners(int32_t point)
{
    return (point >= 0x0600 && point <= 0x08ff) || (point >= 0x0900 && point <= 0x0dff);
}

/* Does the character belong into the cell before it? `next` follows it, or is 0. */
static bool combines(struct walk *walk, int32_t point, int32_t next)
{
    if (walk->last == 0) {
        return false;
    }
    bool joiner = (point == 0x200c || point == 0x200d) && uses_joiners(walk->last) && uses_joiners(next);
    if (!joiner && (is_hidden(point) || width_of(point) != 0)) {
        return false;
    }
    return !utf8proc_grapheme_break_stateful(walk->last, point, &walk->grapheme_state) && walk->marks < MARKS_MAX;
}

/* A selector that only says how to draw the symbol before it (as text, as a picture) is left out: widths differ. */
static bool is_presentation(const struct walk *walk, int32_t point)
{
    return (point == 0xfe0e || point == 0xfe0f) && walk->last >= 0x80 && walk->marks == 0 &&
           utf8proc_category(walk->last) >= UTF8PROC_CATEGORY_SM &&
           utf8proc_category(walk->last) <= UTF8PROC_CATEGORY_SO;
}

static void put_character(struct walk *walk, const char *bytes, size_t length, int32_t point, int32_t next)
{
    size_t used = strlen(walk->cell.text);
    if (walk->flags & SANITIZE_ASCII) {
        put_code_point(walk, point);
    } else if (is_presentation(walk, point)) {
        walk->marks = MARKS_MAX;
    } else if (combines(walk, point, next) && used + length < CELL_BYTES_MAX) {
        memcpy(walk->cell.text + used, bytes, length);
        walk->cell.text[used + length] = '\0';
        walk->marks++;
        walk->last = point;
    } else if (is_hidden(point) || width_of(point) <= 0) {
        put_code_point(walk, point);
    } else {
        flush(walk);
        memcpy(walk->cell.text, bytes, length);
        walk->cell.width = (uint8_t)width_of(point);
        walk->last = point;
        walk->grapheme_state = 0;
    }
}

/* Decodes one character; 0 when the bytes are no well-formed UTF-8. */
static size_t decode(const char *bytes, size_t len, int32_t *ret_point)
{
    utf8proc_ssize_t length = utf8proc_iterate((const utf8proc_uint8_t *)bytes, (utf8proc_ssize_t)len, ret_point);
    return length > 0 ? (size_t)length : 0;
}

size_t sanitize_cells(struct untrusted text, unsigned flags, cell_fn each, void *context)
{
    struct walk walk = {.flags = flags, .each = each, .context = context};
    for (size_t at = 0; at < text.len && !walk.stopped;) {
        unsigned char c = (unsigned char)text.bytes[at];
        int32_t point = 0, next = 0;
        size_t length = 1;
        if (c >= 0x20 && c < 0x7f) {
            put_ascii(&walk, (char)c, false);
            walk.last = c;
            walk.grapheme_state = 0;
        } else if (c < 0x80) {
            put_control(&walk, c);
        } else if ((length = decode(text.bytes + at, text.len - at, &point)) == 0) {
            put_control(&walk, c);
            length = 1;
        } else {
            if (decode(text.bytes + at + length, text.len - at - length, &next) == 0) {
                next = 0;
            }
            put_character(&walk, text.bytes + at, length, point, next);
        }
        at += length;
    }
    flush(&walk);
    return walk.neutralised;
}

static bool add_cell(void *context, const struct cell *cell, bool row_end)
{
    struct buf *to = context;
    return row_end ? buf_add_char(to, '\n') == 0 : buf_add_text(to, cell->text) == 0;
}

size_t sanitize_text(struct untrusted text, unsigned flags, struct buf *to)
{
    return sanitize_cells(text, flags, add_cell, to);
}

static bool count_columns(void *context, const struct cell *cell, bool row_end)
{
    size_t *columns = context;
    *columns += row_end ? 0 : cell->width;
    return true;
}

size_t sanitize_width(struct untrusted text, unsigned flags)
{
    size_t columns = 0;
    sanitize_cells(text, flags, count_columns, &columns);
    return columns;
}
