/*
 * The words of the policy language: permissions, limits, and which known word
 * an unknown one was meant to be.
 */
#include "policy.h"
#include "policy_internal.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

#define PERMISSION(text, value, scoped)                                                                                \
    {                                                                                                                  \
        text, text, WORD_PERMISSION, PERMISSION_##value, scoped                                                        \
    }
#define LIMIT(text, value)                                                                                             \
    {                                                                                                                  \
        text, text, WORD_LIMIT, LIMIT_##value, true                                                                    \
    }

static const struct policy_word words[] = {
    PERMISSION("stdout", STDOUT, false),
    PERMISSION("stdin", STDIN, false),
    PERMISSION("time", TIME, false),
    PERMISSION("random", RANDOM, false),
    PERMISSION("env", ENV, true),
    PERMISSION("secret", SECRET, true),
    PERMISSION("file", FILE, true),
    PERMISSION("file.read", FILE_READ, true),
    PERMISSION("file.write", FILE_WRITE, true),
    PERMISSION("net", NET, true),
    PERMISSION("exec", EXEC, true),
    PERMISSION("db", DB, true),
    PERMISSION("llm", LLM, true),
    PERMISSION("sandbox_run", SANDBOX_RUN, false),
    {"file_read", "file.read", WORD_PERMISSION, PERMISSION_FILE_READ, true},
    {"file_write", "file.write", WORD_PERMISSION, PERMISSION_FILE_WRITE, true},
    /* Synsema's further names; its `memory` is the limit here */
    PERMISSION("judge", OTHER, true),
    PERMISSION("serve", OTHER, true),
    PERMISSION("reveal", OTHER, true),
    PERMISSION("sign", OTHER, true),
    PERMISSION("wallet", OTHER, true),
    PERMISSION("spend", OTHER, true),
    PERMISSION("attest", OTHER, true),
    LIMIT("wall", WALL),
    LIMIT("cpu", CPU),
    LIMIT("memory", MEMORY),
    LIMIT("processes", PROCESSES),
    LIMIT("output", OUTPUT),
    LIMIT("disk", DISK),
    {"timeout", "wall", WORD_LIMIT, LIMIT_WALL, true},
    {"none", "none", WORD_NONE, 0, false},
    {"sandbox", "sandbox", WORD_SANDBOX, 0, false},
};
enum { WORDS = sizeof words / sizeof words[0], WORD_MAX = 16 };

const struct policy_word *policy_word_find(const char *text, size_t len)
{
    for (size_t i = 0; i < WORDS; i++) {
        if (strlen(words[i].text) == len && memcmp(words[i].text, text, len) == 0) {
            return &words[i];
        }
    }
    return NULL;
}

static const char *word_name(enum policy_word_kind kind, int value)
{
    for (size_t i = 0; i < WORDS; i++) {
        if (words[i].kind == kind && words[i].value == value) {
            return words[i].name;
        }
    }
    assert(!"a value without a word");
    return "?";
}

const char *permission_name(enum permission permission)
{
    /* the words behind PERMISSION_OTHER have their own names; an item keeps its own */
    return permission == PERMISSION_OTHER ? "other" : word_name(WORD_PERMISSION, (int)permission);
}

const char *limit_name(enum limit limit)
{
    return word_name(WORD_LIMIT, (int)limit);
}

static unsigned smaller(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Edit distance in which exchanging two neighbours counts as one change; letters' case does not count. */
static unsigned edit_distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
    unsigned row[WORD_MAX + 1][WORD_MAX + 1];
    for (size_t i = 0; i <= a_len; i++) {
        row[i][0] = (unsigned)i;
    }
    for (size_t j = 0; j <= b_len; j++) {
        row[0][j] = (unsigned)j;
    }
    for (size_t i = 1; i <= a_len; i++) {
        for (size_t j = 1; j <= b_len; j++) {
            int x = tolower((unsigned char)a[i - 1]), y = tolower((unsigned char)b[j - 1]);
            row[i][j] = smaller(smaller(row[i - 1][j], row[i][j - 1]) + 1, row[i - 1][j - 1] + (x != y));
            if (i > 1 && j > 1 && x == tolower((unsigned char)b[j - 2]) && y == tolower((unsigned char)a[i - 2])) {
                row[i][j] = smaller(row[i][j], row[i - 2][j - 2] + 1);
            }
        }
    }
    return row[a_len][b_len];
}

const char *policy_word_nearest(const char *text, size_t len)
{
    if (len == 0 || len > WORD_MAX) {
        return NULL;
    }
    unsigned best = len <= 3 ? 2 : len <= 5 ? 3 : 4; /* one above what still counts as near */
    const char *nearest = NULL;
    for (size_t i = 0; i < WORDS; i++) {
        unsigned distance = edit_distance(text, len, words[i].text, strlen(words[i].text));
        if (distance < best) {
            best = distance;
            nearest = words[i].name;
        }
    }
    return nearest;
}
