/* Frames: edges are collected as directions per cell, so that edges that meet get the right corner. */
#include "draw.h"

#include <stdlib.h>

enum { EDGE_UP = 1, EDGE_RIGHT = 2, EDGE_DOWN = 4, EDGE_LEFT = 8 };

struct frame {
    int rows, columns;
    unsigned char edges[];
};

struct frame *frame_new(int rows, int columns)
{
    size_t cells = (size_t)(rows > 0 ? rows : 0) * (size_t)(columns > 0 ? columns : 0);
    struct frame *frame = calloc(1, sizeof *frame + cells);
    if (frame) {
        frame->rows = rows;
        frame->columns = columns;
    }
    return frame;
}

static void edge_add(struct frame *frame, int y, int x, unsigned directions)
{
    if (y >= 0 && y < frame->rows && x >= 0 && x < frame->columns) {
        frame->edges[y * frame->columns + x] |= (unsigned char)directions;
    }
}

void frame_add(struct frame *frame, struct region region)
{
    if (!frame || region.h < 2 || region.w < 2) {
        return;
    }
    int bottom = region.y + region.h - 1, right = region.x + region.w - 1;
    for (int x = region.x; x <= right; x++) {
        unsigned directions = (x > region.x ? EDGE_LEFT : 0u) | (x < right ? EDGE_RIGHT : 0u);
        edge_add(frame, region.y, x, directions);
        edge_add(frame, bottom, x, directions);
    }
    for (int y = region.y; y <= bottom; y++) {
        unsigned directions = (y > region.y ? EDGE_UP : 0u) | (y < bottom ? EDGE_DOWN : 0u);
        edge_add(frame, y, region.x, directions);
        edge_add(frame, y, right, directions);
    }
}

void frame_draw(const struct frame *frame)
{
    static const char *const corners[] = {" ", "│", "─", "└", "│", "│", "┌", "├",
                                          "─", "┘", "─", "┴", "┐", "┤", "┬", "┼"};
    if (!frame) {
        return;
    }
    for (int y = 0; y < frame->rows; y++) {
        struct region row = {y, 0, 1, frame->columns};
        for (int x = 0; x < frame->columns; x++) {
            unsigned edges = frame->edges[y * frame->columns + x];
            if (edges) {
                struct line line = line_at(row, 0);
                line.at = x;
                bool upright = edges == EDGE_UP || edges == EDGE_DOWN || edges == (EDGE_UP | EDGE_DOWN);
                bool flat = !(edges & (EDGE_UP | EDGE_DOWN));
                line_text(&line, ROLE_FRAME, draw_ascii() ? (upright ? "|" : flat ? "-" : "+") : corners[edges]);
            }
        }
    }
}

void frame_free(struct frame *frame)
{
    free(frame);
}
