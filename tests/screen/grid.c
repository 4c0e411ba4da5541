/* The rows of the screen as text. */
#include "harness.h"

#include <stdlib.h>
#include <string.h>

enum { ROW_BYTES = 16384 };

static void size_of(const struct screen *screen, int *ret_rows, int *ret_columns)
{
    vterm_get_size(screen_vterm(screen), ret_rows, ret_columns);
}

static size_t add_utf8(char *to, uint32_t c)
{
    if (c < 0x80) {
        to[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        to[0] = (char)(0xc0 | c >> 6);
        to[1] = (char)(0x80 | (c & 63));
        return 2;
    }
    if (c < 0x10000) {
        to[0] = (char)(0xe0 | c >> 12);
        to[1] = (char)(0x80 | (c >> 6 & 63));
        to[2] = (char)(0x80 | (c & 63));
        return 3;
    }
    to[0] = (char)(0xf0 | c >> 18);
    to[1] = (char)(0x80 | (c >> 12 & 63));
    to[2] = (char)(0x80 | (c >> 6 & 63));
    to[3] = (char)(0x80 | (c & 63));
    return 4;
}

const char *screen_row(const struct screen *screen, int y)
{
    static char text[ROW_BYTES];
    size_t len = 0;
    int rows, columns;
    size_of(screen, &rows, &columns);
    for (int x = 0; x < columns;) {
        VTermScreenCell cell = screen_cell(screen, y, x);
        if (cell.chars[0] == 0) {
            text[len++] = ' ';
        }
        for (int i = 0; i < VTERM_MAX_CHARS_PER_CELL && cell.chars[i]; i++) {
            len += add_utf8(text + len, cell.chars[i]);
        }
        x += cell.width > 0 ? cell.width : 1;
    }
    while (len > 0 && text[len - 1] == ' ') {
        len--;
    }
    text[len] = '\0';
    return text;
}

char *screen_text(const struct screen *screen)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    int rows, columns;
    size_of(screen, &rows, &columns);
    for (int y = 0; y < rows; y++) {
        fprintf(to, "%s\n", screen_row(screen, y));
    }
    fclose(to);
    return text;
}

bool screen_has(const struct screen *screen, const char *text)
{
    int y, x;
    return screen_find(screen, text, &y, &x);
}

bool screen_find(const struct screen *screen, const char *text, int *ret_y, int *ret_x)
{
    int rows, columns;
    size_of(screen, &rows, &columns);
    for (int y = 0; y < rows; y++) {
        const char *row = screen_row(screen, y), *found = strstr(row, text);
        if (found) {
            int x = 0;
            for (const char *at = row; at < found; at++) {
                x += ((unsigned char)*at & 0xc0) != 0x80; /* columns, as long as no wide character stands before */
            }
            *ret_y = y;
            *ret_x = x;
            return true;
        }
    }
    return false;
}
