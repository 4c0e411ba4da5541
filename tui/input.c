/*
 * Keys from bytes. The terminal's own sequences come from terminfo (curses
 * keeps them once keypad() is on); the usual CSI and SS3 arrows are known too.
 */
#include "input.h"

#include "curses_internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char paste_begin[] = "\033[200~";
static const char paste_end[] = "\033[201~";
enum { PASTE_MARK = sizeof paste_begin - 1, SEQUENCE_MAX = 32 };

struct function_key {
    int code;             /* curses' */
    const char *sequence; /* the usual one, where terminfo differs or is silent */
    const char *name;
    const char *feed; /* for a line editor; NULL: none */
};

static const struct function_key function_keys[] = {
    {KEY_UP, "\033[A", "Up", "\033[A"},           {KEY_UP, "\033OA", "Up", "\033[A"},
    {KEY_DOWN, "\033[B", "Down", "\033[B"},       {KEY_DOWN, "\033OB", "Down", "\033[B"},
    {KEY_RIGHT, "\033[C", "Right", "\033[C"},     {KEY_RIGHT, "\033OC", "Right", "\033[C"},
    {KEY_LEFT, "\033[D", "Left", "\033[D"},       {KEY_LEFT, "\033OD", "Left", "\033[D"},
    {KEY_HOME, "\033[H", "Home", "\033[H"},       {KEY_HOME, "\033OH", "Home", "\033[H"},
    {KEY_HOME, "\033[1~", "Home", "\033[H"},      {KEY_END, "\033[F", "End", "\033[F"},
    {KEY_END, "\033OF", "End", "\033[F"},         {KEY_END, "\033[4~", "End", "\033[F"},
    {KEY_PPAGE, "\033[5~", "PgUp", NULL},         {KEY_NPAGE, "\033[6~", "PgDn", NULL},
    {KEY_BTAB, "\033[Z", "S-Tab", NULL},          {KEY_DC, "\033[3~", "Delete", "\033[3~"},
    {KEY_BACKSPACE, "\177", "Backspace", "\177"},
};
enum { FUNCTION_KEYS = sizeof function_keys / sizeof *function_keys };

void input_init(struct input *input)
{
    memset(input, 0, sizeof *input);
    buf_init(&input->paste, INPUT_PASTE_MAX);
}

void input_done(struct input *input)
{
    buf_done(&input->paste);
}

int input_read(struct input *input, int fd)
{
    ssize_t got = read(fd, input->pending + input->len, sizeof input->pending - input->len);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) {
        return 0;
    }
    if (got <= 0) {
        return -EIO;
    }
    input->len += (size_t)got;
    input->since = monotonic_us();
    return 0;
}

static void drop(struct input *input, size_t count)
{
    memmove(input->pending, input->pending + count, input->len - count);
    input->len -= count;
    input->consumed += count;
}

static void name_key(struct key *key, enum input_type type, const char *name, const void *bytes, size_t len)
{
    key->type = type;
    snprintf(key->name, sizeof key->name, "%s", name);
    key->len = len < sizeof key->bytes ? len : 0;
    memcpy(key->bytes, bytes, key->len);
}

/* How many bytes a UTF-8 sequence has that starts so; 1 for what starts none. */
static size_t utf8_length(unsigned char first)
{
    return first >= 0xf0 && first < 0xf8 ? 4 : first >= 0xe0 ? (first < 0xf0 ? 3 : 1) : first >= 0xc2 ? 2 : 1;
}

/* A character at the front, after `skip` bytes of Esc. Returns the bytes used, 0 for "not yet". */
static size_t take_char(const struct input *input, size_t skip, struct key *ret_key)
{
    const unsigned char *bytes = input->pending + skip;
    size_t have = input->len - skip, need = utf8_length(bytes[0]);
    char name[INPUT_NAME_MAX] = "";
    for (size_t i = 1; i < need && i < have; i++) {
        if ((bytes[i] & 0xc0) != 0x80) {
            need = 1; /* broken: its first byte goes alone, as nothing */
        }
    }
    if (need > have) {
        return 0;
    }
    if (bytes[0] == '\r' || bytes[0] == '\n') {
        snprintf(name, sizeof name, "Enter");
    } else if (bytes[0] == '\t') {
        snprintf(name, sizeof name, "Tab");
    } else if (bytes[0] == 033) {
        snprintf(name, sizeof name, "Esc");
    } else if (bytes[0] == ' ') {
        snprintf(name, sizeof name, "Space");
    } else if (bytes[0] == 0177 || bytes[0] == '\b') {
        snprintf(name, sizeof name, "Backspace");
    } else if (bytes[0] < ' ') {
        snprintf(name, sizeof name, "^%c", bytes[0] + '@');
    } else {
        memcpy(name, bytes, need);
    }
    bool whole = need == 1 ? bytes[0] < 0x80 : true;
    if (skip) {
        char alt[INPUT_NAME_MAX];
        snprintf(alt, sizeof alt, "M-%.12s", name);
        name_key(ret_key, INPUT_ALT, alt, input->pending, skip + need);
    } else {
        name_key(ret_key, INPUT_CHAR, whole ? name : "", bytes, whole ? need : 0);
    }
    return skip + need;
}

static const struct function_key *function_by_code(int code)
{
    for (size_t i = 0; i < FUNCTION_KEYS; i++) {
        if (function_keys[i].code == code) {
            return &function_keys[i];
        }
    }
    return NULL;
}

/*
 * The length of a control sequence of a shape that every terminal uses: SS3 and one byte, or CSI up to its final byte.
 * A byte that cannot be part of it ends it before. 0 when its end has not come.
 */
static size_t sequence_length(const struct input *input)
{
    const unsigned char *bytes = input->pending;
    for (size_t i = 2; i < input->len && i < SEQUENCE_MAX; i++) {
        if (bytes[i] < 0x20 || bytes[i] > 0x7e) {
            return i;
        }
        if (bytes[i] >= 0x40 || bytes[1] == 'O') {
            return i + 1;
        }
    }
    return input->len >= SEQUENCE_MAX ? SEQUENCE_MAX : 0;
}

static size_t take_escape(struct input *input, bool waited, struct key *ret_key)
{
    char text[SEQUENCE_MAX + 1];
    if (input->len == 1) {
        return waited ? take_char(input, 0, ret_key) : 0;
    }
    if (input->pending[1] != '[' && input->pending[1] != 'O') {
        return input->pending[1] == 033 ? take_char(input, 0, ret_key) : take_char(input, 1, ret_key);
    }
    size_t len = sequence_length(input);
    if (len == 0) {
        return waited ? take_char(input, 1, ret_key) : 0;
    }
    snprintf(text, sizeof text, "%.*s", (int)len, (const char *)input->pending);
    int code = key_defined(text);
    const struct function_key *function = code > 0 ? function_by_code(code) : NULL;
    for (size_t i = 0; !function && i < FUNCTION_KEYS; i++) {
        function = strcmp(function_keys[i].sequence, text) == 0 ? &function_keys[i] : NULL;
    }
    if (function) {
        const char *feed = function->feed ? function->feed : "";
        name_key(ret_key, INPUT_FUNCTION, function->name, feed, strlen(feed));
    } else {
        name_key(ret_key, INPUT_FUNCTION, "", "", 0);
    }
    return len;
}

/* Collects a paste. True when its end came, or will not come: a connection may break off inside one. */
static bool take_paste(struct input *input, bool given_up)
{
    unsigned char *end = memmem(input->pending, input->len, paste_end, PASTE_MARK);
    size_t keep = end || given_up ? 0 : PASTE_MARK - 1, text;
    if (end) {
        text = (size_t)(end - input->pending);
    } else {
        text = input->len > keep ? input->len - keep : 0;
    }
    size_t room = INPUT_PASTE_MAX - input->paste.len;
    buf_add(&input->paste, input->pending, text < room ? text : room);
    drop(input, text + (end ? PASTE_MARK : 0));
    input->pasting = !end && !given_up;
    return !input->pasting;
}

bool input_next(struct input *input, int64_t now, struct key *ret_key)
{
    while (input->len > 0 || input->pasting) {
        bool waited = now - input->since >= INPUT_ESCAPE_US;
        if (input->pasting) {
            if (!take_paste(input, now - input->since >= INPUT_PASTE_US)) {
                return false;
            }
            name_key(ret_key, INPUT_PASTE, "", "", 0);
            return true;
        }
        if (input->len >= PASTE_MARK && memcmp(input->pending, paste_begin, PASTE_MARK) == 0) {
            drop(input, PASTE_MARK);
            buf_clear(&input->paste);
            input->pasting = true;
            continue;
        }
        size_t used = input->pending[0] == 033 ? take_escape(input, waited, ret_key) : take_char(input, 0, ret_key);
        if (used == 0 && !(waited && input->pending[0] != 033)) {
            return false;
        }
        drop(input, used ? used : input->len); /* the rest of a broken character will not come */
        if (used && ret_key->name[0]) {
            return true;
        }
    }
    return false;
}

int64_t input_deadline(const struct input *input)
{
    if (input->pasting) {
        return input->since + INPUT_PASTE_US;
    }
    return input->len > 0 ? input->since + INPUT_ESCAPE_US : -1;
}
