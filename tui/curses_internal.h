/* The one place that says which curses: wide, and without its function-like macros. */
#ifndef TECHO_TUI_CURSES_INTERNAL_H
#define TECHO_TUI_CURSES_INTERNAL_H

#define NCURSES_WIDECHAR 1
#define NCURSES_NOMACROS 1
#include <curses.h>

#endif
