/*
 * What a command says. Results go to standard output, people's text to standard error. Everything that came from a
 * program, a model, a file or the network passes the sanitiser on its way to a terminal; a program's own output is
 * passed on byte for byte where standard output is no terminal. A closed or full output is remembered, never fatal.
 */
#ifndef TECHO_CLI_PRINT_H
#define TECHO_CLI_PRINT_H

#include "../core/core.h"

/* `json`: standard output carries events, and nothing else. Fills closed standard descriptors with /dev/null. */
void print_init(bool json);
bool print_is_json(void);

/* A line on standard error. The whole line is sanitised, arguments and all. */
void print_person(const char *format, ...) PRINTF_LIKE(1, 2);
/* "techo: " and the error; a policy's error keeps its three lines. */
void print_failure(const struct err *err);
/* A line of a result on standard output, sanitised; nothing with --json. */
void print_row(const char *format, ...) PRINTF_LIKE(1, 2);
/* A program's bytes: stream 1 or 2, on the descriptor of that number; nothing with --json. */
void print_bytes(int stream, const char *bytes, size_t len);

/* An event as one line of JSON; the `end` event only once. Nothing without --json. */
void print_event(const struct event *event);
/*
 * The last word: an `end` event with this status when --json asked for one and none was printed (the command failed
 * before there was a session). Returns `status`, or the command's failure status when results could not be delivered.
 */
int print_finish(const char *end_status, int status, int failure);

#endif
