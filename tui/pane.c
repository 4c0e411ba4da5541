/* What panes share: the table of them, scrolling, lines of a text. */
#include "pane.h"

#include <string.h>
#include <strings.h>

const struct pane_kind *pane_kind(enum pane pane)
{
    static const struct pane_kind *const kinds[_PANE_MAX] = {&pane_permissions, &pane_program, &pane_output,
                                                             &pane_happened};
    return kinds[pane];
}

int pane_first_row(int scroll, int automatic, int rows, int height)
{
    int last = rows > height ? rows - height : 0;
    int first = scroll == SCROLL_AUTOMATIC ? automatic : scroll;
    return first > last ? last : first < 0 ? 0 : first;
}

struct text_reader text_reader(const struct buf *text, size_t most)
{
    return (struct text_reader){text->data, text->len ? text->data + text->len : text->data, most};
}

bool text_next(struct text_reader *reader, struct untrusted *ret_line)
{
    if (reader->at >= reader->end) {
        return false;
    }
    size_t left = (size_t)(reader->end - reader->at);
    size_t look = reader->most && left > reader->most ? reader->most : left;
    const char *newline = memchr(reader->at, '\n', look);
    size_t len = newline ? (size_t)(newline - reader->at) : look;
    if (!newline && look < left) {
        while (len > 1 && ((unsigned char)reader->at[len] & 0xc0) == 0x80) {
            len--; /* a piece ends between characters */
        }
    }
    *ret_line = untrusted_bytes(reader->at, len);
    reader->at += len + (newline ? 1 : 0);
    return true;
}

int text_lines(const struct buf *text, size_t most)
{
    struct text_reader reader = text_reader(text, most);
    struct untrusted line;
    int lines = 0;
    while (text_next(&reader, &line)) {
        lines++;
    }
    return lines;
}

bool text_holds(struct untrusted line, const char *words)
{
    size_t want = strlen(words);
    for (size_t i = 0; want > 0 && i + want <= line.len; i++) {
        if (strncasecmp(line.bytes + i, words, want) == 0) {
            return true;
        }
    }
    return false;
}
