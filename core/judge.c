/* Compares what a program answered with the right answer, and says the first difference in one sentence. */
#include "case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

enum { QUOTE_MAX = 80, PATH_TEXT_MAX = 256, WHY_MAX = 4096, ANSWER_TEXT_MAX = 16 << 20 };

/* A relative tolerance says nothing at 0; this much is always forgiven. */
static const double ABSOLUTE_TOLERANCE = 1e-9;

struct judge {
    double tolerance;
    bool ordered;
    struct buf *why;  /* NULL while values are only tried against each other */
    struct buf where; /* "[2].net" */
};

static bool equal(struct judge *judge, const cJSON *right, const cJSON *answer);

/* ---- saying the difference -------------------------------------------------------------------------------------- */

/* A value as JSON, cut at a character's border. */
static void quote(const cJSON *value, struct buf *to)
{
    char *text = cJSON_PrintUnformatted(value);
    size_t len = text ? strlen(text) : 0;
    if (len <= QUOTE_MAX) {
        buf_add(to, text ? text : "", len);
    } else {
        len = QUOTE_MAX;
        while (len > 0 && ((unsigned char)text[len] & 0xC0) == 0x80) {
            len--;
        }
        buf_add(to, text, len);
        buf_add_text(to, "…");
    }
    cJSON_free(text);
}

static void begin_why(struct judge *judge)
{
    if (judge->where.len > 0) {
        buf_addf(judge->why, "at %s: ", judge->where.data);
    }
}

static bool differ(struct judge *judge, const cJSON *right, const cJSON *answer)
{
    if (judge->why && judge->why->len == 0) {
        begin_why(judge);
        buf_add_text(judge->why, "expected ");
        quote(right, judge->why);
        buf_add_text(judge->why, ", got ");
        quote(answer, judge->why);
    }
    return false;
}

/* Goes one step down, compares, comes back. */
static bool equal_at(struct judge *judge, const char *key, size_t index, const cJSON *right, const cJSON *answer)
{
    size_t len = judge->where.len;
    if (key) {
        buf_addf(&judge->where, "%s%s", len > 0 ? "." : "", key);
    } else {
        buf_addf(&judge->where, "[%zu]", index + 1);
    }
    bool same = equal(judge, right, answer);
    if (judge->where.len > len) {
        judge->where.len = len;
        judge->where.data[len] = '\0';
    }
    return same;
}

/* The same without a word: for lists without order. */
static bool equal_quietly(struct judge *judge, const cJSON *right, const cJSON *answer)
{
    struct buf *why = judge->why;
    judge->why = NULL;
    bool same = equal(judge, right, answer);
    judge->why = why;
    return same;
}

/* ---- scalars ----------------------------------------------------------------------------------------------------- */

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " \t\r\n");
}

static size_t trimmed_length(const char *text)
{
    size_t len = strlen(text);
    while (len > 0 && strchr(" \t\r\n", text[len - 1])) {
        len--;
    }
    return len;
}

static bool equal_texts(const char *right, const char *answer)
{
    right = skip_blanks(right);
    answer = skip_blanks(answer);
    size_t len = trimmed_length(right);
    return len == trimmed_length(answer) && memcmp(right, answer, len) == 0;
}

/* A number, or a text that is one (decimals are often printed as texts). */
static bool as_number(const cJSON *value, double *ret_number)
{
    if (cJSON_IsNumber(value)) {
        *ret_number = value->valuedouble;
        return true;
    }
    if (!cJSON_IsString(value)) {
        return false;
    }
    cJSON *parsed = cJSON_ParseWithOpts(value->valuestring, NULL, true);
    bool is_number = cJSON_IsNumber(parsed);
    if (is_number) {
        *ret_number = parsed->valuedouble;
    }
    cJSON_Delete(parsed);
    return is_number;
}

static bool equal_scalars(struct judge *judge, const cJSON *right, const cJSON *answer)
{
    bool same;
    if (cJSON_IsNumber(right)) {
        double want = right->valuedouble, got;
        same = as_number(answer, &got) && fabs(got - want) <= judge->tolerance * fabs(want) + ABSOLUTE_TOLERANCE;
    } else if (cJSON_IsString(right)) {
        same = cJSON_IsString(answer) && equal_texts(right->valuestring, answer->valuestring);
    } else { /* true, false, null */
        same = (right->type & 0xff) == (answer->type & 0xff);
    }
    return same || differ(judge, right, answer);
}

/* ---- objects and lists ------------------------------------------------------------------------------------------- */

static const cJSON *member(const cJSON *object, const char *key)
{
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, key);
    return value ? value : cJSON_GetObjectItem(object, key);
}

/* Rows may come as lists: then values are taken in the order of the right one's keys. */
static bool equal_objects(struct judge *judge, const cJSON *right, const cJSON *answer)
{
    bool by_position = cJSON_IsArray(answer) && cJSON_GetArraySize(answer) == cJSON_GetArraySize(right);
    if (!cJSON_IsObject(answer) && !by_position) {
        return differ(judge, right, answer);
    }
    const cJSON *position = by_position ? answer->child : NULL;
    for (const cJSON *want = right->child; want; want = want->next) {
        const cJSON *got = by_position ? position : member(answer, want->string);
        if (!got) {
            if (judge->why && judge->why->len == 0) {
                begin_why(judge);
                buf_addf(judge->why, "\"%s\" is missing", want->string);
            }
            return false;
        }
        if (!equal_at(judge, want->string, 0, want, got)) {
            return false;
        }
        position = by_position ? position->next : NULL;
    }
    return true;
}

static bool differ_in_count(struct judge *judge, int right, int answer)
{
    if (judge->why && judge->why->len == 0) {
        begin_why(judge);
        buf_addf(judge->why, "expected %d item%s, got %d", right, right == 1 ? "" : "s", answer);
    }
    return false;
}

/* As bags: each of the right ones takes the first equal one that is still free. */
static bool equal_bags(struct judge *judge, const cJSON *right, const cJSON *answer, int count)
{
    bool *taken = calloc((size_t)count + 1, sizeof *taken);
    bool same = taken != NULL;
    for (const cJSON *want = right->child; same && want; want = want->next) {
        int at = 0;
        const cJSON *got = answer->child;
        while (got && (taken[at] || !equal_quietly(judge, want, got))) {
            got = got->next;
            at++;
        }
        if (got) {
            taken[at] = true;
        } else {
            same = false;
            if (judge->why && judge->why->len == 0) {
                begin_why(judge);
                quote(want, judge->why);
                buf_add_text(judge->why, " is missing");
            }
        }
    }
    free(taken);
    return same;
}

static bool equal_lists(struct judge *judge, const cJSON *right, const cJSON *answer)
{
    if (!cJSON_IsArray(answer)) {
        return differ(judge, right, answer);
    }
    int count = cJSON_GetArraySize(right);
    if (cJSON_GetArraySize(answer) != count) {
        return differ_in_count(judge, count, cJSON_GetArraySize(answer));
    }
    if (!judge->ordered) {
        return equal_bags(judge, right, answer, count);
    }
    size_t index = 0;
    const cJSON *got = answer->child;
    for (const cJSON *want = right->child; want; want = want->next, got = got->next) {
        if (!equal_at(judge, NULL, index++, want, got)) {
            return false;
        }
    }
    return true;
}

/* ---- shapes that say the same ------------------------------------------------------------------------------------ */

static bool is_scalar(const cJSON *value)
{
    return !cJSON_IsArray(value) && !cJSON_IsObject(value);
}

/* The one value of a list or object that holds no other, as deep as that goes; `value` itself otherwise. */
static const cJSON *unwrap(const cJSON *value)
{
    while (!is_scalar(value) && value->child && !value->child->next) {
        value = value->child;
    }
    return value;
}

/* The rows of {"columns": [...], "rows": [[...]]}, else `answer`. */
static const cJSON *rows_of(const cJSON *answer)
{
    const cJSON *rows = cJSON_IsObject(answer) ? cJSON_GetObjectItemCaseSensitive(answer, "rows") : NULL;
    return cJSON_IsArray(rows) && cJSON_GetObjectItemCaseSensitive(answer, "columns") ? rows : answer;
}

static bool equal(struct judge *judge, const cJSON *right, const cJSON *answer)
{
    if (cJSON_IsArray(right)) {
        return equal_lists(judge, right, rows_of(answer));
    }
    if (cJSON_IsObject(right)) {
        if (is_scalar(answer) && is_scalar(unwrap(right))) {
            return equal_scalars(judge, unwrap(right), answer);
        }
        const cJSON *rows = rows_of(answer);
        bool one_row = cJSON_IsArray(rows) && rows->child && !rows->child->next && !is_scalar(rows->child);
        return equal_objects(judge, right, one_row ? rows->child : rows);
    }
    const cJSON *value = unwrap(rows_of(answer));
    return is_scalar(value) ? equal_scalars(judge, right, value) : differ(judge, right, answer);
}

/* What the answer says besides must be right too. */
static bool equal_also(struct judge *judge, const cJSON *also, const cJSON *answer)
{
    const cJSON *item = cJSON_IsArray(answer) && answer->child && !answer->child->next ? answer->child : answer;
    for (const cJSON *want = also ? also->child : NULL; want; want = want->next) {
        const cJSON *got = cJSON_IsObject(item) ? member(item, want->string) : NULL;
        if (got && !equal_at(judge, want->string, 0, want, got)) {
            return false;
        }
    }
    return true;
}

bool judge_answer(const struct case_question *question, const cJSON *answer, struct buf *ret_why)
{
    if (!question->answer || !answer) {
        buf_add_text(ret_why, answer ? "no right answer is known" : "nothing was printed");
        return false;
    }
    struct buf why;
    buf_init(&why, WHY_MAX);
    struct judge judge = {.tolerance = question->tolerance, .ordered = question->ordered, .why = &why};
    buf_init(&judge.where, PATH_TEXT_MAX);
    bool right = equal(&judge, question->answer, answer) && equal_also(&judge, question->also, answer);
    buf_done(&judge.where);
    if (!right) {
        buf_add_text(ret_why, why.len > 0 ? why.data : "the answer differs");
    }
    buf_done(&why);
    return right;
}

/* ---- what was printed -------------------------------------------------------------------------------------------- */

/* Length of the character at `bytes`, or 0 where there is none: broken UTF-8, or NUL. */
static size_t character(const char *bytes, size_t len)
{
    utf8proc_int32_t code;
    utf8proc_ssize_t width = utf8proc_iterate((const utf8proc_uint8_t *)bytes, (utf8proc_ssize_t)len, &code);
    return width > 0 && code != 0 ? (size_t)width : 0;
}

static bool is_text(const char *bytes, size_t len)
{
    size_t at = 0, width;
    while (at < len && (width = character(bytes + at, len - at)) > 0) {
        at += width;
    }
    return at == len;
}

/* The bytes as a JSON string; what is no character becomes U+FFFD. */
static cJSON *text_value(const char *bytes, size_t len)
{
    struct buf text;
    buf_init(&text, ANSWER_TEXT_MAX);
    for (size_t at = 0; at < len;) {
        size_t width = character(bytes + at, len - at);
        if (width > 0) {
            buf_add(&text, bytes + at, width);
        } else {
            buf_add_text(&text, "\xEF\xBF\xBD");
        }
        at += width > 0 ? width : 1;
    }
    cJSON *value = text.data ? cJSON_CreateString(text.data) : NULL;
    buf_done(&text);
    return value;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

cJSON *judge_parse(const char *bytes, size_t len)
{
    while (len > 0 && is_blank(bytes[0])) {
        bytes++;
        len--;
    }
    while (len > 0 && is_blank(bytes[len - 1])) {
        len--;
    }
    if (len == 0) {
        return NULL;
    }
    const char *end = NULL;
    cJSON *value = is_text(bytes, len) ? cJSON_ParseWithLengthOpts(bytes, len, &end, false) : NULL;
    if (value && end == bytes + len) {
        return value;
    }
    cJSON_Delete(value);
    return text_value(bytes, len);
}
