/*
 * Any bytes as the lines of a session file. A line that is read must read back
 * equal, events must go into a state whatever they say, and a copy of the state
 * must be equal to it.
 */
#include "../../core/state.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct buf new_buf(void)
{
    struct buf buf;
    buf_init(&buf, 1 << 28);
    return buf;
}

static void check_line(const struct event *event)
{
    struct buf first = new_buf(), second = new_buf();
    struct event *again = NULL;
    struct err err;
    int r = event_format(event, &first);
    assert(r == 0 && !memchr(first.data, '\n', first.len));
    r = event_parse(first.data, first.len, &again, &err);
    assert(r == 0);
    r = event_format(again, &second);
    assert(r == 0 && strcmp(first.data, second.data) == 0);
    event_free(again);
    buf_done(&first);
    buf_done(&second);
}

static void check_copy(const struct state *state)
{
    struct buf first = new_buf(), second = new_buf();
    struct state *copy = state_copy(state);
    assert(copy);
    int r = state_format(state, &first);
    assert(r == 0);
    r = state_format(copy, &second);
    assert(r == 0 && strcmp(first.data, second.data) == 0);
    state_free(copy);
    buf_done(&first);
    buf_done(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct state *state = state_new();
    const char *line = (const char *)data, *end = line + size;
    while (line < end) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        size_t len = (size_t)((newline ? newline : end) - line);
        struct event *event = NULL;
        struct err err;
        if (event_parse(line, len, &event, &err) == 0) {
            check_line(event);
            int r = state_apply(state, event);
            assert(r == 0);
            event_free(event);
        } else {
            assert(strlen(err.text) > 0 && !strchr(err.text, '\n') && !strchr(err.text, '\x1b'));
        }
        line += len + (newline ? 1 : 0);
    }
    check_copy(state);
    state_free(state);
    return 0;
}
