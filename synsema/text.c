/*
 * Text: valid UTF-8 with its count of scalars. Texts that are all ASCII are
 * indexed directly.
 */
#include "machine_internal.h"

#include <sys/auxv.h>

#define ROUND(n) (((n) + 15) & ~(size_t)15)

uint32_t utf8_next(const char *data, size_t *position)
{
    const unsigned char *p = (const unsigned char *)data + *position;
    if (p[0] < 0x80) {
        *position += 1;
        return p[0];
    }
    if (p[0] < 0xe0) {
        *position += 2;
        return (uint32_t)(p[0] & 0x1f) << 6 | (p[1] & 0x3f);
    }
    if (p[0] < 0xf0) {
        *position += 3;
        return (uint32_t)(p[0] & 0x0f) << 12 | (uint32_t)(p[1] & 0x3f) << 6 | (p[2] & 0x3f);
    }
    *position += 4;
    return (uint32_t)(p[0] & 0x07) << 18 | (uint32_t)(p[1] & 0x3f) << 12 | (uint32_t)(p[2] & 0x3f) << 6 | (p[3] & 0x3f);
}

size_t utf8_put(char *to, uint32_t c)
{
    if (c < 0x80) {
        to[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        to[0] = (char)(0xc0 | c >> 6);
        to[1] = (char)(0x80 | (c & 0x3f));
        return 2;
    }
    if (c < 0x10000) {
        to[0] = (char)(0xe0 | c >> 12);
        to[1] = (char)(0x80 | (c >> 6 & 0x3f));
        to[2] = (char)(0x80 | (c & 0x3f));
        return 3;
    }
    to[0] = (char)(0xf0 | c >> 18);
    to[1] = (char)(0x80 | (c >> 12 & 0x3f));
    to[2] = (char)(0x80 | (c >> 6 & 0x3f));
    to[3] = (char)(0x80 | (c & 0x3f));
    return 4;
}

/* Length of the sequence at `p` if it is valid, else 0. */
static size_t sequence(const unsigned char *p, size_t left)
{
    if (p[0] < 0x80) {
        return 1;
    }
    size_t n = p[0] >= 0xc2 && p[0] < 0xe0 ? 2 : p[0] >= 0xe0 && p[0] < 0xf0 ? 3 : p[0] >= 0xf0 && p[0] < 0xf5 ? 4 : 0;
    if (n == 0 || left < n) {
        return 0;
    }
    for (size_t i = 1; i < n; i++) {
        if ((p[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    bool bad = (p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] >= 0xa0) || (p[0] == 0xf0 && p[1] < 0x90) ||
               (p[0] == 0xf4 && p[1] >= 0x90);
    return bad ? 0 : n;
}

bool utf8_valid(const char *data, size_t length, size_t *ret_chars, size_t *ret_bad)
{
    const unsigned char *p = (const unsigned char *)data;
    size_t chars = 0;
    size_t i = 0;
    while (i < length) {
        while (i + 8 <= length) {
            uint64_t word;
            memcpy(&word, p + i, 8);
            if (word & UINT64_C(0x8080808080808080)) {
                break;
            }
            i += 8;
            chars += 8;
        }
        if (i == length) {
            break;
        }
        size_t n = sequence(p + i, length - i);
        if (n == 0) {
            *ret_bad = i;
            return false;
        }
        i += n;
        chars++;
    }
    *ret_chars = chars;
    return true;
}

void text_count(struct text *text)
{
    size_t continuation = 0;
    for (size_t i = 0; i < text->length; i++) {
        continuation += ((unsigned char)text->data[i] & 0xc0) == 0x80;
    }
    text->chars = text->length - (uint32_t)continuation;
}

struct text *text_make(struct vm *vm, size_t length)
{
    if (length > TEXT_MAX) {
        vm_fail_memory(vm);
        return NULL;
    }
    size_t size = ROUND(sizeof(struct text) + length + 1);
    struct text *text = object_new(vm, OBJECT_TEXT, size);
    if (!text) {
        return NULL;
    }
    text->hash = 0;
    text->length = (uint32_t)length;
    text->chars = (uint32_t)length;
    text->capacity = (uint32_t)(size - sizeof(struct text));
    text->data[length] = '\0';
    return text;
}

static int ascii_text(struct vm *vm, unsigned char c, struct value *ret)
{
    if (value_is_nothing(vm->ascii[c])) {
        struct text *text = text_make(vm, 1);
        if (!text) {
            return -1;
        }
        text->data[0] = (char)c;
        vm->ascii[c] = value_of(text);
    }
    *ret = value_keep(vm->ascii[c]);
    return 0;
}

int text_new(struct vm *vm, const char *data, size_t length, struct value *ret)
{
    if (length == 1 && (unsigned char)data[0] < 0x80) {
        return ascii_text(vm, (unsigned char)data[0], ret);
    }
    struct text *text = text_make(vm, length);
    if (!text) {
        return -1;
    }
    memcpy(text->data, data, length);
    text_count(text);
    *ret = value_of(text);
    return 0;
}

int text_from(struct vm *vm, const char *string, struct value *ret)
{
    return text_new(vm, string, strlen(string), ret);
}

int text_new_lossy(struct vm *vm, const char *data, size_t length, struct value *ret)
{
    size_t chars, bad;
    if (utf8_valid(data, length, &chars, &bad)) {
        return text_new(vm, data, length, ret);
    }
    struct buffer buffer;
    buffer_init(&buffer, vm);
    const unsigned char *p = (const unsigned char *)data;
    for (size_t i = 0; i < length;) {
        size_t n = sequence(p + i, length - i);
        if (n) {
            buffer_put(&buffer, data + i, n);
            i += n;
            continue;
        }
        buffer_puts(&buffer, "\xef\xbf\xbd");
        /* the longest start of a valid sequence is one replacement */
        size_t k = 1;
        size_t want = p[i] >= 0xf0 && p[i] < 0xf5 ? 4 : p[i] >= 0xe0 ? 3 : 1;
        unsigned char low = p[i] == 0xe0 ? 0xa0 : p[i] == 0xf0 ? 0x90 : 0x80;
        unsigned char high = p[i] == 0xed ? 0x9f : p[i] == 0xf4 ? 0x8f : 0xbf;
        while (p[i] < 0xf5 && k < want && i + k < length && p[i + k] >= (k == 1 ? low : 0x80) &&
               p[i + k] <= (k == 1 ? high : 0xbf)) {
            k++;
        }
        i += k;
    }
    return buffer_text(&buffer, ret);
}

static uint64_t mix(uint64_t a, uint64_t b)
{
    __uint128_t product = (__uint128_t)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t seed(void)
{
    static uint64_t value;
    if (!value) {
        const void *random = (const void *)getauxval(AT_RANDOM);
        value = UINT64_C(0x9e3779b97f4a7c15);
        if (random) {
            memcpy(&value, random, sizeof(value));
            value |= 1;
        }
    }
    return value;
}

/* Keyed, since data may be hostile. */
uint32_t text_hash(struct text *text)
{
    if (text->object.flags & TEXT_HASHED) {
        return text->hash;
    }
    uint64_t h = seed() ^ text->length;
    const char *p = text->data;
    size_t left = text->length;
    for (; left >= 16; left -= 16, p += 16) {
        uint64_t a, b;
        memcpy(&a, p, 8);
        memcpy(&b, p + 8, 8);
        h = mix(a ^ UINT64_C(0xa0761d6478bd642f), b ^ h);
    }
    uint64_t a = 0, b = 0;
    memcpy(&a, p, left < 8 ? left : 8);
    if (left > 8) {
        memcpy(&b, p + 8, left - 8);
    }
    h = mix(a ^ UINT64_C(0xe7037ed1a0b428db), b ^ h ^ UINT64_C(0x8ebc6af09c88c6e3));
    text->hash = (uint32_t)(h ^ h >> 32);
    text->object.flags |= TEXT_HASHED;
    return text->hash;
}

bool text_equal(const struct text *a, const struct text *b)
{
    return a == b || (a->length == b->length && memcmp(a->data, b->data, a->length) == 0);
}

int text_compare(const struct text *a, const struct text *b)
{
    int r = memcmp(a->data, b->data, a->length < b->length ? a->length : b->length);
    return r ? (r < 0 ? -1 : 1) : (a->length > b->length) - (a->length < b->length);
}

size_t text_offset(const struct text *text, size_t index)
{
    if (text->chars == text->length) {
        return index;
    }
    size_t at = 0;
    if (index > text->chars / 2) { /* from the end */
        at = text->length;
        for (size_t left = text->chars - index; left > 0; left--) {
            do {
                at--;
            } while (((unsigned char)text->data[at] & 0xc0) == 0x80);
        }
        return at;
    }
    for (; index > 0; index--) {
        do {
            at++;
        } while (((unsigned char)text->data[at] & 0xc0) == 0x80);
    }
    return at;
}

int text_slice(struct vm *vm, struct value v, size_t from, size_t to, struct value *ret)
{
    const struct text *text = value_text(v);
    if (from == 0 && to == text->chars) {
        *ret = value_keep(v);
        return 0;
    }
    size_t start = text_offset(text, from);
    return text_new(vm, text->data + start, text_offset(text, to) - start, ret);
}

static int intern_grow(struct vm *vm)
{
    size_t capacity = vm->interned.capacity ? vm->interned.capacity * 2 : 256;
    struct text **slots = memory_alloc(vm, capacity * sizeof(*slots));
    if (!slots) {
        return -1;
    }
    memset(slots, 0, capacity * sizeof(*slots));
    for (size_t i = 0; i < vm->interned.capacity; i++) {
        struct text *text = vm->interned.slots[i];
        if (text) {
            size_t at = text->hash & (capacity - 1);
            while (slots[at]) {
                at = (at + 1) & (capacity - 1);
            }
            slots[at] = text;
        }
    }
    memory_free(vm, vm->interned.slots, vm->interned.capacity * sizeof(*slots));
    vm->interned.slots = slots;
    vm->interned.capacity = capacity;
    return 0;
}

static struct text **intern_place(struct vm *vm, struct text *text)
{
    size_t mask = vm->interned.capacity - 1;
    size_t at = text_hash(text) & mask;
    while (vm->interned.slots[at] &&
           !(vm->interned.slots[at]->hash == text->hash && text_equal(vm->interned.slots[at], text))) {
        at = (at + 1) & mask;
    }
    return &vm->interned.slots[at];
}

int text_intern(struct vm *vm, const char *data, size_t length, struct value *ret)
{
    if (vm->interned.count * 2 >= vm->interned.capacity && intern_grow(vm)) {
        return -1;
    }
    struct value v;
    if (text_new(vm, data, length, &v)) {
        return -1;
    }
    struct text **place = intern_place(vm, value_text(v));
    if (!*place) {
        value_text(v)->object.flags |= TEXT_INTERNED;
        *place = value_text(value_keep(v));
        vm->interned.count++;
    }
    *ret = value_keep(value_of(*place));
    value_drop(vm, v);
    return 0;
}
