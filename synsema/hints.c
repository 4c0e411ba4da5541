/* What is said about the habits of other languages (reference A.5 and §2). */
#include "machine_internal.h"

struct hint {
    const char *word;
    const char *text;
};

static const struct hint statements[] = {
    {"return", "`give <value>` returns from a task"},
    {"def", "a task is `task name(params)`, its body indented"},
    {"function", "a task is `task name(params)`, its body indented"},
    {"fn", "a task is `task name(params)`, its body indented"},
    {"func", "a task is `task name(params)`, its body indented"},
    {"for", "loop with `each item in collection`"},
    {"if", "branch with `when <condition>`"},
    {"elif", "branch further with `otherwise when <condition>`"},
    {"else", "the other branch is `otherwise`"},
    {"import", "load a module with `use \"./file.syn\" as name`"},
    {"from", "load a module with `use \"./file.syn\" as name`"},
    {"class", "describe records with `type Name`"},
    {"except", "catch errors with `try` … `recover err`"},
    {"catch", "catch errors with `try` … `recover err`"},
    {"finally", "there is no `finally`: put cleanup after the block"},
    {"var", "declare with `let name be value`"},
    {"const", "declare with `let name be value`"},
    {"pass", "leave the branch out"},
    {"break", "leave a loop with `stop`"},
    {"continue", "skip to the next item by wrapping the rest of the body in `when`"},
    {"throw", "raise an error with `raise \"message\"`"},
    {NULL, NULL},
};

static const struct hint undefined[] = {
    {"len", "length(x)"},
    {"str", "text(x)"},
    {"None", "nothing"},
    {"null", "nothing"},
    {"nil", "nothing"},
    {"undefined", "nothing"},
    {"True", "true"},
    {"False", "false"},
    {"filter", "where(items, (x) => condition)"},
    {"map", "apply(items, (x) => value)"},
    {"sorted", "sort(items) or sort_by(items, (x) => key)"},
    {"zip", "zip_with(a, b, (x, y) => …)"},
    {"isinstance", "type_of(x) or is_integer / is_text / is_list / is_map"},
    {"input", "read_line()"},
    {"open", "read_file(path) / write_file(path, text)"},
    {"dict", "a map literal {\"key\": value}"},
    {"list", "a list literal [a, b] (list(x) is not a conversion here)"},
    {"self", "tasks receive what they use as parameters; there are no methods"},
    {"this", "tasks receive what they use as parameters; there are no methods"},
    {"console", "print(x)"},
    {"json", "json_encode(x) / json_decode(text)"},
    {"math", "the math functions are builtins: sqrt(x), floor(x), pi"},
    {"dropna", "drop_missing(rows)"},
    {"fillna", "fill_missing(rows, value)"},
    {"isna", "is_missing(x)"},
    {"isnull", "is_missing(x)"},
    {"groupby", "group_by(rows, key), or summarize(rows, key, {…}) for per-group figures"},
    {"value_counts", "count_by(rows, key)"},
    {"read_csv", "csv_parse(read_file(path), {\"types\": {…}})"},
    {"to_csv", "csv_encode(rows)"},
    {NULL, NULL},
};

static const struct hint methods[] = {
    {"append", "set xs to append(xs, item)"},
    {"push", "set xs to append(xs, item)"},
    {"extend", "set xs to xs + other"},
    {"pop", "slice(xs, 0, -1) for the rest, xs[-1] for the last"},
    {"insert", "set xs to insert(xs, i, item)"},
    {"remove", "where(xs, (x) => x != item)"},
    {"sort", "sort(xs) or sort_by(xs, key)"},
    {"reverse", "reverse(xs)"},
    {"index", "index_of(xs, item)"},
    {"count", "count_where(xs, (x) => x == item), or count(xs) for the present values"},
    {"keys", "keys(m)"},
    {"values", "values(m)"},
    {"items", "items(m)"},
    {"get", "get(m, key, default)"},
    {"update", "merge(m, other)"},
    {"upper", "upper(s)"},
    {"lower", "lower(s)"},
    {"strip", "trim(s)"},
    {"trim", "trim(s)"},
    {"split", "split(s, sep)"},
    {"join", "join(items, sep)"},
    {"replace", "replace(s, old, new)"},
    {"startswith", "starts_with(s, prefix)"},
    {"startsWith", "starts_with(s, prefix)"},
    {"endswith", "ends_with(s, suffix)"},
    {"endsWith", "ends_with(s, suffix)"},
    {"find", "index_of(s, piece)"},
    {"format", "fmt(template, {name: value}) or `…{x}…`"},
    {"length", "length(x)"},
    {"map", "apply(xs, f)"},
    {"filter", "where(xs, f)"},
    {"forEach", "each x in xs"},
    {NULL, NULL},
};

static const char *find(const struct hint *hints, const char *word, size_t length)
{
    for (; hints->word; hints++) {
        if (strlen(hints->word) == length && memcmp(hints->word, word, length) == 0) {
            return hints->text;
        }
    }
    return NULL;
}

const char *hint_statement(const char *word, size_t length)
{
    return find(statements, word, length);
}

const char *hint_name(const char *word, size_t length)
{
    return find(undefined, word, length);
}

const char *hint_method(const char *word, size_t length)
{
    return find(methods, word, length);
}
