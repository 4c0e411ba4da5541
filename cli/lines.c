/* Events in words, one small function per kind. */
#include "lines.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int line_time(int64_t us, struct buf *to)
{
    if (us < 10000)
        return buf_addf(to, "%.1f ms", (double)us / 1e3);
    if (us < 1000000)
        return buf_addf(to, "%" PRId64 " ms", us / 1000);
    return buf_addf(to, "%.1f s", (double)us / 1e6);
}

int line_count(uint64_t count, const char *one, const char *many, struct buf *to)
{
    return buf_addf(to, "%" PRIu64 " %s", count, count == 1 ? one : many);
}

/* Within the quotes of a shell: what a program chose as a name is no command there. */
static void add_quoted(const char *text, struct buf *to)
{
    for (; *text; text++)
        if (*text == '\'')
            buf_add_text(to, "'\\''");
        else
            buf_add(to, text, 1);
}

void line_fix(const char *ceiling, const char *fix, struct buf *to)
{
    buf_add_text(to, "-c '");
    if (ceiling && *ceiling && strcmp(ceiling, "none") != 0) {
        add_quoted(ceiling, to);
        buf_add_text(to, ",");
    }
    add_quoted(fix, to);
    buf_add_text(to, "'");
}

/* Adds a field's text after `before`, when there is one. */
static void part(const struct event *event, const char *field, const char *before, const char *after, struct buf *to)
{
    const char *text = event_text(event, field, NULL);

    if (text && *text)
        buf_addf(to, "%s%s%s", before, text, after);
}

static void say_line(const struct event *event, struct buf *to)
{
    int64_t line = event_int(event, "line", 0);

    if (line > 0)
        buf_addf(to, ", line %" PRId64, line);
    part(event, "source", ": ", "", to);
}

static void json_text(const cJSON *value, struct buf *to)
{
    char *text = value ? cJSON_PrintUnformatted(value) : NULL;

    if (text)
        buf_add_text(to, text);
    cJSON_free(text);
}

/* The names in a list of texts, or of objects with `key`. */
static void list_names(const cJSON *list, const char *key, struct buf *to)
{
    const cJSON *each;
    const char *before = "";

    cJSON_ArrayForEach(each, list)
    {
        const char *text = cJSON_GetStringValue(cJSON_IsObject(each) ? cJSON_GetObjectItem(each, key) : each);
        if (text) {
            buf_addf(to, "%s%s", before, text);
            before = ", ";
        }
    }
}

static void say_session(const struct event *event, struct buf *to)
{
    buf_addf(to, "session %s of %s", event_text(event, "id", "?"), event_text(event, "start", "?"));
    part(event, "root", " in ", "", to);
    part(event, "model", ", model ", "", to);
}

static void say_ceiling(const struct event *event, struct buf *to)
{
    buf_add_text(to, "ceiling ");
    list_names(event_json(event, "items"), "text", to);
    part(event, "source", " (", ")", to);
}

static void say_profile(const struct event *event, struct buf *to)
{
    buf_add_text(to, "data ");
    line_count((uint64_t)cJSON_GetArraySize(event_json(event, "files")), "file", "files", to);
}

static void say_question(const struct event *event, struct buf *to)
{
    buf_add_text(to, "question ");
    part(event, "id", "", ": ", to);
    part(event, "text", "", "", to);
    part(event, "executor", " [", "]", to);
}

static void say_response(const struct event *event, struct buf *to)
{
    buf_addf(to, "model %s", event_text(event, "finish", "?"));
    if (event_int(event, "total_us", 0) > 0) {
        buf_add_text(to, " in ");
        line_time(event_int(event, "total_us", 0), to);
    }
}

static void say_phase(const struct event *event, struct buf *to)
{
    if (strcmp(event_text(event, "step", ""), "end") != 0)
        return;
    buf_addf(to, "%s %s", event_text(event, "name", "?"), event_text(event, "status", "ended"));
    part(event, "detail", ", ", "", to);
}

static void say_wait(const struct event *event, struct buf *to)
{
    buf_addf(to, "waits for %s", event_text(event, "on", "?"));
    if (event_int(event, "of", 0) > 0)
        buf_addf(to, ", try %" PRId64 " of %" PRId64, event_int(event, "try", 0), event_int(event, "of", 0));
}

static void say_program(const struct event *event, struct buf *to)
{
    struct buf text;
    unsigned number = 1;

    buf_addf(to, "program, %s, by %s, attempt %" PRIu64, event_text(event, "language", "?"),
             event_text(event, "by", "?"), event->attempt);
    buf_init(&text, to->max);
    if (event_bytes(event, "text", &text) == 0 && text.len) {
        for (const char *at = text.data, *end = at + text.len; at < end;) {
            const char *stop = memchr(at, '\n', (size_t)(end - at));
            size_t len = (size_t)((stop ? stop : end) - at);
            buf_addf(to, "\n%4u  ", number++);
            buf_add(to, at, len);
            at += len + 1;
        }
    }
    buf_done(&text);
}

static void say_finding(const struct event *event, struct buf *to)
{
    const cJSON *line = cJSON_GetObjectItem(event_json(event, "span"), "line");

    buf_addf(to, "%s %s", event_bool(event, "blocked", false) ? "BLOCKED" : event_text(event, "severity", "finding"),
             event_text(event, "rule", "?"));
    if (cJSON_IsNumber(line))
        buf_addf(to, ", line %d", line->valueint);
    part(event, "text", ": ", "", to);
    part(event, "permission", "; what would cover it: ", "", to);
}

static void say_permission(const struct event *event, struct buf *to)
{
    buf_addf(to, "%s %s", event_text(event, "state", "?"), event_text(event, "name", "?"));
    part(event, "scope", "=", "", to);
    part(event, "origin", " (", "", to);
    if (event_int(event, "line", 0) > 0)
        buf_addf(to, " %" PRId64, event_int(event, "line", 0));
    buf_add_text(to, event_text(event, "origin", NULL) ? ")" : "");
    part(event, "why", ": ", "", to);
    part(event, "fix", "; fix: ", "", to);
}

static void say_run(const struct event *event, struct buf *to)
{
    buf_addf(to, "runs in %s", event_text(event, "executor", "?"));
    part(event, "level", " at ", "", to);
    buf_add_text(to, ": ");
    list_names(event_json(event, "layers"), "layer", to);
    if (cJSON_GetArraySize(event_json(event, "off")) > 0) {
        buf_add_text(to, "; without ");
        list_names(event_json(event, "off"), "layer", to);
    }
}

static void say_output(const struct event *event, struct buf *to)
{
    size_t start;

    const char *stream = event_int(event, "stream", 1) == 2 ? "stderr | " : "stdout | ";

    buf_add_text(to, stream);
    if (event_int(event, "dropped", 0) > 0)
        buf_addf(to, "[%" PRId64 " bytes dropped here]\n%s", event_int(event, "dropped", 0), stream);
    start = to->len;
    if (event_bytes(event, "bytes", to) == 0)
        while (to->len > start && to->data[to->len - 1] == '\n')
            to->data[--to->len] = '\0';
}

/* NULL when the state does not know it. */
static const struct state_permission *find_row(const struct event *event, const char *id, const struct state *state)
{
    const struct state_question *question = state ? state_question(state, event->question) : NULL;
    const struct state_attempt *attempt = question ? state_attempt(question, event->lane, event->attempt) : NULL;

    return attempt && id ? state_permission_find(attempt, id) : NULL;
}

static void say_access(const struct event *event, const struct state *state, struct buf *to)
{
    const char *verdict = event_text(event, "verdict", "?");
    const struct state_permission *row = find_row(event, event_text(event, "permission", NULL), state);

    buf_addf(to, "%s %s %s", strcmp(verdict, "denied") == 0 ? "DENIED" : verdict, event_text(event, "call", "access"),
             event_text(event, "resolved", event_text(event, "given", "?")));
    part(event, "want", " (", ")", to);
    part(event, "missing", ": ", " is not granted", to);
    part(event, "why", ", ", "", to);
    part(event, "layer", event_bool(event, "answered", false) ? "; answered \302\267 " : "; stopped by ", "", to);
    say_line(event, to);
    if (event_int(event, "count", 1) > 1)
        buf_addf(to, " (%" PRId64 " times)", event_int(event, "count", 1));
    if (row && row->fix) {
        buf_add_text(to, "; fix: ");
        line_fix(state->ceiling.text, row->fix, to);
    }
}

/* The row that granted it, as people write it; its id when the state does not know it. */
static void say_row(const struct event *event, const struct state *state, struct buf *to)
{
    const char *id = event_text(event, "item", "?");
    const struct state_permission *row = find_row(event, id, state);

    if (row && row->name)
        buf_addf(to, "%s%s%s", row->name, row->scope ? "=" : "", row->scope ? row->scope : "");
    else
        buf_add_text(to, id);
}

static void say_used(const struct event *event, const struct state *state, struct buf *to)
{
    buf_add_text(to, "used ");
    say_row(event, state, to);
    buf_add_text(to, ": ");
    line_count((uint64_t)event_int(event, "opens", 0), "access", "accesses", to);
    buf_add_text(to, ", ");
    line_count((uint64_t)event_int(event, "files", 0), "file", "files", to);
    buf_addf(to, ", %" PRId64 " bytes", event_int(event, "bytes", 0));
}

static void say_least(const struct event *event, struct buf *to)
{
    buf_addf(to, "least ceiling for this run: %s", event_text(event, "text", "none"));
}

static void say_exception(const struct event *event, struct buf *to)
{
    const cJSON *last = event_json(event, "frames");
    const char *source;

    buf_add_text(to, event_text(event, "type", "exception"));
    part(event, "message", ": ", "", to);
    last = cJSON_GetArrayItem(last, cJSON_GetArraySize(last) - 1);
    if (cJSON_IsNumber(cJSON_GetObjectItem(last, "line")))
        buf_addf(to, ", line %d", cJSON_GetObjectItem(last, "line")->valueint);
    source = cJSON_GetStringValue(cJSON_GetObjectItem(last, "text"));
    if (source && *source)
        buf_addf(to, ": %s", source);
}

static void say_artifact(const struct event *event, struct buf *to)
{
    buf_addf(to, "./out/%s", event_text(event, "name", "?"));
    buf_addf(to, ", %" PRId64 " bytes", event_int(event, "size", 0));
    part(event, "problem", ": ", "", to);
}

/* Nothing but the exit status is known, and that is said already. */
static bool exit_is_plain(const struct event *event)
{
    char plain[32];

    snprintf(plain, sizeof(plain), "exit %" PRId64, event_int(event, "code", -1));
    return strcmp(event_text(event, "message", ""), plain) == 0;
}

static void say_exit(const struct event *event, struct buf *to)
{
    buf_addf(to, "%s", event_text(event, "status", "?"));
    if (event_int(event, "code", -1) > 0)
        buf_addf(to, " (exit %" PRId64 ")", event_int(event, "code", -1));
    if (event_int(event, "signal", 0) > 0)
        buf_addf(to, " (signal %" PRId64 ")", event_int(event, "signal", 0));
    if (event_int(event, "run_us", 0) > 0) {
        buf_add_text(to, " after ");
        line_time(event_int(event, "run_us", 0), to);
        buf_add_text(to, " and ");
        line_time(event_int(event, "setup_us", 0), to);
        buf_add_text(to, " of isolation");
    }
    if (!exit_is_plain(event))
        part(event, "message", ": ", "", to);
    if (event_int(event, "survivors", 0) > 0)
        buf_addf(to, "; %" PRId64 " processes were left over and killed", event_int(event, "survivors", 0));
    if (event_bool(event, "unkillable", false))
        buf_add_text(to, "; something of it did not die");
    if (event_int(event, "unlisted", 0) > 0)
        buf_addf(to, "; %" PRId64 " more accesses are not listed, %" PRId64 " of them denied",
                 event_int(event, "unlisted", 0), event_int(event, "unlisted_denied", 0));
}

static void say_effect(const struct event *event, struct buf *to)
{
    const char *what = event_text(event, "what", "?"), *path = event_text(event, "path", NULL);

    if (path) {
        bool refused = strcmp(what, "refused") == 0;
        buf_addf(to, "%s %s", refused ? "not written:" : what, path);
        part(event, "problem", ": ", "", to);
        return;
    }
    buf_addf(to, "effect %s: ", what);
    json_text(event_json(event, "after"), to);
}

static void say_verdict(const struct event *event, struct buf *to)
{
    buf_addf(to, "verdict: %s", event_text(event, "verdict", "?"));
    part(event, "why", ", ", "", to);
}

static void say_probe(const struct event *event, struct buf *to)
{
    buf_addf(to, "%s by %s: %s", event_text(event, "guarantee", "?"), event_text(event, "layer", "?"),
             event_bool(event, "holds", false) ? "holds" : "DOES NOT HOLD");
    part(event, "result", ", ", "", to);
}

static void say_text(const struct event *event, struct buf *to)
{
    part(event, "text", event->kind == EVENT_ERROR ? "error: " : "note: ", "", to);
}

static void say_marker(const struct event *event, struct buf *to)
{
    part(event, "label", "mark ", "", to);
}

static void say_decision(const struct event *event, struct buf *to)
{
    buf_addf(to, "decided %s: %s", event_text(event, "of", "?"), event_text(event, "choice", "?"));
}

static void say_end(const struct event *event, struct buf *to)
{
    buf_addf(to, "end: %s", event_text(event, "status", "?"));
}

/* Kinds without words here say nothing to people: prompt bodies, pieces of answers, measurements, check points. */
static void (*const words[_EVENT_MAX])(const struct event *event, struct buf *to) = {
    [EVENT_SESSION] = say_session,
    [EVENT_CEILING] = say_ceiling,
    [EVENT_PROFILE] = say_profile,
    [EVENT_QUESTION] = say_question,
    [EVENT_RESPONSE] = say_response,
    [EVENT_PHASE] = say_phase,
    [EVENT_WAIT] = say_wait,
    [EVENT_PROGRAM] = say_program,
    [EVENT_FINDING] = say_finding,
    [EVENT_PERMISSION] = say_permission,
    [EVENT_RUN] = say_run,
    [EVENT_OUTPUT] = say_output,
    [EVENT_LEAST] = say_least,
    [EVENT_EXCEPTION] = say_exception,
    [EVENT_ARTIFACT] = say_artifact,
    [EVENT_EXIT] = say_exit,
    [EVENT_EFFECT] = say_effect,
    [EVENT_VERDICT] = say_verdict,
    [EVENT_PROBE] = say_probe,
    [EVENT_NOTE] = say_text,
    [EVENT_ERROR] = say_text,
    [EVENT_MARKER] = say_marker,
    [EVENT_DECISION] = say_decision,
    [EVENT_END] = say_end,
};

bool line_of_event(const struct event *event, const struct state *state, struct buf *to)
{
    size_t before = to->len;

    if (event->kind == EVENT_USED)
        say_used(event, state, to);
    else if (event->kind == EVENT_ACCESS)
        say_access(event, state, to);
    else if (words[event->kind])
        words[event->kind](event, to);
    return to->len > before && !to->failed;
}

static bool text_is(const struct event *event, const char *field, const char *word)
{
    return strcmp(event_text(event, field, ""), word) == 0;
}

bool line_is_notable(const struct event *event)
{
    switch (event->kind) {
    case EVENT_FINDING:
        return !text_is(event, "severity", "note");
    case EVENT_PERMISSION:
        return text_is(event, "state", "trimmed") || text_is(event, "state", "held") ||
               (event_text(event, "unenforceable", NULL) && !text_is(event, "origin", "ambient"));
    case EVENT_ACCESS: /* the first of a row; its repeats are counted in the log */
        return text_is(event, "verdict", "denied") && event_int(event, "count", 1) == 1;
    case EVENT_EXIT:
        return !text_is(event, "status", "ok") || event_int(event, "unlisted_denied", 0) > 0 ||
               event_bool(event, "unkillable", false);
    case EVENT_VERDICT:
        return text_is(event, "verdict", "right") || text_is(event, "verdict", "wrong");
    case EVENT_WAIT:
    case EVENT_ARTIFACT:
    case EVENT_NOTE:
    case EVENT_ERROR:
        return true;
    default:
        return false;
    }
}
