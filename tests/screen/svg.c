/* The picture as SVG: a rectangle for each run of background, a text for each cell, so that columns stay in line. */
#include "harness.h"

#include <string.h>

enum { CELL_WIDTH = 9, CELL_HEIGHT = 19, FONT_SIZE = 15, MARGIN = 12 };

static void print_colour(FILE *to, const struct screen *screen, VTermColor colour, bool is_default,
                         const char *fallback)
{
    if (is_default) {
        fputs(fallback, to);
        return;
    }
    if (VTERM_COLOR_IS_INDEXED(&colour)) {
        VTermState *state = vterm_obtain_state(screen_vterm(screen));
        vterm_state_convert_color_to_rgb(state, &colour);
    }
    fprintf(to, "#%02x%02x%02x", colour.rgb.red, colour.rgb.green, colour.rgb.blue);
}

static void print_escaped(FILE *to, const VTermScreenCell *cell)
{
    for (int i = 0; i < VTERM_MAX_CHARS_PER_CELL && cell->chars[i]; i++) {
        fprintf(to, "&#%u;", cell->chars[i]);
    }
}

static void print_cell(FILE *to, const struct screen *screen, int y, int x)
{
    VTermScreenCell cell = screen_cell(screen, y, x);
    int left = MARGIN + x * CELL_WIDTH, top = MARGIN + y * CELL_HEIGHT;
    if (!VTERM_COLOR_IS_DEFAULT_BG(&cell.bg)) {
        fprintf(to, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"", left, top, CELL_WIDTH * cell.width,
                CELL_HEIGHT);
        print_colour(to, screen, cell.bg, false, "");
        fputs("\"/>\n", to);
    }
    if (cell.chars[0] == 0 || cell.chars[0] == ' ' || cell.chars[0] == (uint32_t)-1) {
        return;
    }
    fprintf(to, "<text x=\"%d\" y=\"%d\"%s fill=\"", left, top + FONT_SIZE,
            cell.attrs.bold ? " font-weight=\"bold\"" : "");
    print_colour(to, screen, cell.fg, VTERM_COLOR_IS_DEFAULT_FG(&cell.fg), "#d0d0d0");
    fputs("\">", to);
    print_escaped(to, &cell);
    fputs("</text>\n", to);
}

void screen_svg(const struct screen *screen, FILE *to)
{
    struct ack ack = screen_ack(screen);
    int width = 2 * MARGIN + ack.columns * CELL_WIDTH, height = 2 * MARGIN + ack.rows * CELL_HEIGHT;
    fprintf(to,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"DejaVu Sans Mono, Menlo, "
            "Consolas, monospace\" font-size=\"%d\">\n<rect width=\"%d\" height=\"%d\" rx=\"8\" fill=\"#16181d\"/>\n",
            width, height, FONT_SIZE, width, height);
    for (int y = 0; y < ack.rows; y++) {
        for (int x = 0; x < ack.columns; x++) {
            print_cell(to, screen, y, x);
        }
    }
    fputs("</svg>\n", to);
}
