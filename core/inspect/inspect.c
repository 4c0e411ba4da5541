/*
 * How grave are the facts that a language's reader found? One table says what
 * each kind of fact needs, and what it is when the ceiling does not cover it.
 */
#include "inspect.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 8192 };

enum severity { NOTHING, NOTE, WARN, BLOCK };
static const char *const severity_names[] = {[NOTHING] = "", [NOTE] = "note", [WARN] = "warn", [BLOCK] = "block"};

enum need { NEEDS_NOTHING, NEEDS_PATH, NEEDS_COMMAND, NEEDS_EXEC, NEEDS_HOST };

struct rule {
    const char *kind; /* as the reader calls the fact */
    const char *name;
    enum need need;
    enum permission permission;
    enum severity inside; /* of the root, for a path; else unused */
    enum severity severity;
    const char *says; /* between what does it and what it is done to */
};

static const struct rule rules[] = {
    {"read", "read", NEEDS_PATH, PERMISSION_FILE_READ, WARN, BLOCK, "reads"},
    {"list", "read", NEEDS_PATH, PERMISSION_FILE_READ, NOTHING, BLOCK, "lists"},
    {"write", "write", NEEDS_PATH, PERMISSION_FILE_WRITE, BLOCK, BLOCK, "writes"},
    {"change", "change", NEEDS_PATH, PERMISSION_FILE_WRITE, BLOCK, BLOCK, "changes"},
    {"delete", "delete", NEEDS_PATH, PERMISSION_FILE_WRITE, BLOCK, BLOCK, "deletes"},
    {"process", "process", NEEDS_COMMAND, PERMISSION_EXEC, NOTHING, BLOCK, "starts a program"},
    {"code", "dynamic-code", NEEDS_EXEC, PERMISSION_EXEC, NOTHING, BLOCK, "runs code that is made at run time"},
    {"pickle", "pickle", NEEDS_EXEC, PERMISSION_EXEC, NOTHING, BLOCK, "runs whatever code its data hold"},
    {"native", "native-code", NEEDS_EXEC, PERMISSION_EXEC, NOTHING, BLOCK, "calls native code"},
    {"network", "network", NEEDS_HOST, PERMISSION_NET, NOTHING, BLOCK, "connects to"},
    {"introspection", "introspection", NEEDS_NOTHING, PERMISSION_OTHER, NOTHING, WARN, "reaches into the interpreter"},
    {"endless", "endless-loop", NEEDS_NOTHING, PERMISSION_OTHER, NOTHING, WARN, "has no way out"},
    {"text", "invisible-text", NEEDS_NOTHING, PERMISSION_OTHER, NOTHING, WARN,
     "makes the text read otherwise than it runs"},
    {"uninspected", "uninspected", NEEDS_NOTHING, PERMISSION_OTHER, NOTHING, BLOCK, "is not inspected"},
};

/* One fact of the reader, checked; texts are borrowed from the JSON. */
struct fact {
    const struct rule *rule;
    const char *what, *path, *host, *command;
    int port; /* 0: not said */
    unsigned line, column, end_line, end_column;
};

const char *inspect_tool(const char *language)
{
    return strcmp(language, "python") == 0 ? "inspect_python.py" : NULL;
}

static const char *text_of(const cJSON *object, const char *key)
{
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));
}

static unsigned number_of(const cJSON *object, const char *key, unsigned least)
{
    const cJSON *number = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsNumber(number) && number->valueint > (int)least ? (unsigned)number->valueint : least;
}

static bool read_fact(const cJSON *json, struct fact *ret_fact)
{
    struct fact fact = {
        .what = text_of(json, "what"),
        .path = text_of(json, "path"),
        .host = text_of(json, "host"),
        .command = text_of(json, "command"),
        .port = (int)number_of(json, "port", 0),
        .line = number_of(json, "line", 1),
        .column = number_of(json, "column", 1),
    };
    fact.end_line = number_of(json, "end_line", fact.line);
    fact.end_column = number_of(json, "end_column", 1);
    const char *kind = text_of(json, "kind");
    for (size_t i = 0; kind && i < sizeof rules / sizeof rules[0]; i++) {
        if (strcmp(rules[i].kind, kind) == 0) {
            fact.rule = &rules[i];
        }
    }
    *ret_fact = fact;
    return fact.rule && fact.what;
}

/* ---- paths ------------------------------------------------------------------------------------------------------- */

static bool is_below(const char *path, const char *folder)
{
    size_t len = strlen(folder);
    while (len > 0 && folder[len - 1] == '/') {
        len--;
    }
    return strncmp(path, folder, len) == 0 && (path[len] == '/' || path[len] == '\0');
}

/* Every run has these for itself, or may read them as a part of its interpreter: no permission is needed. */
static bool is_own(const char *path, bool reads)
{
    static const char *const private[] = {"/tmp", "/dev/shm", "/dev/null", "/dev/stdout", "/dev/stderr"};
    static const char *const base[] = {"/usr",      "/lib",         "/lib64",     "/dev/stdin",
                                       "/dev/zero", "/dev/urandom", "/dev/random"};
    for (size_t i = 0; i < sizeof private / sizeof private[0]; i++) {
        if (is_below(path, private[i])) {
            return true;
        }
    }
    for (size_t i = 0; reads && i < sizeof base / sizeof base[0]; i++) {
        if (is_below(path, base[i])) {
            return true;
        }
    }
    return false;
}

static enum severity judge_path(const struct inspect_input *input, const struct fact *fact)
{
    if (!fact->path) { /* only a deletion is told without knowing of what */
        return NOTE;
    }
    struct buf absolute;
    buf_init(&absolute, TEXT_MAX);
    enum severity severity = fact->rule->severity;
    if (scope_absolute(fact->path, input->root, input->home, &absolute) == 0) {
        bool inside = is_below(absolute.data, input->root);
        bool reads = fact->rule->permission == PERMISSION_FILE_READ;
        if (!inside && is_own(absolute.data, reads)) {
            severity = NOTHING;
        } else if (inside && reads && strchr(fact->path, '*')) { /* which files these are, only the run can tell */
            severity = NOTHING;
        } else if (inside) {
            severity = fact->rule->inside;
        }
    }
    buf_done(&absolute);
    return severity;
}

/* ---- from facts to findings -------------------------------------------------------------------------------------- */

/* The cell's own host, which every run reaches. */
static bool is_own_host(const char *host)
{
    static const char *const own[] = {"localhost", "127.0.0.1", "::1", "[::1]"};
    for (size_t i = 0; host && i < sizeof own / sizeof own[0]; i++) {
        size_t len = strlen(own[i]);
        if (strncmp(host, own[i], len) == 0 && (host[len] == '\0' || host[len] == ':')) {
            return true;
        }
    }
    return false;
}

/* What the fact needs, as the scope of its permission; NULL: unscoped. False without memory. */
static bool scope_of(const struct fact *fact, struct buf *to, const char **ret_scope)
{
    const char *scope = NULL;
    switch (fact->rule->need) {
    case NEEDS_PATH:
        scope = fact->path;
        break;
    case NEEDS_COMMAND:
        scope = fact->command;
        break;
    case NEEDS_HOST:
        scope = fact->host;
        if (scope && fact->port) {
            buf_addf(to, strchr(scope, ':') && scope[0] != '[' ? "[%s]:%d" : "%s:%d", scope, fact->port);
            scope = to->data;
        }
        break;
    case NEEDS_EXEC:
    case NEEDS_NOTHING:
        break;
    }
    *ret_scope = scope;
    return !to->failed;
}

static bool is_declared(const struct inspect_input *input, enum permission permission, const char *scope)
{
    for (size_t i = 0; i < input->declared_count; i++) {
        const struct policy_item *item = input->declared[i].item;
        if (item && !item->ask) {
            struct policy one = {.items = (struct policy_item *)item, .count = 1};
            if (grant_covers(&one, input->root, input->home, permission, scope)) {
                return true;
            }
        }
    }
    return false;
}

static void say(const struct inspect_input *input, const struct fact *fact, const char *scope, bool declared,
                struct buf *text)
{
    buf_addf(text, "%s %s", fact->what, fact->rule->says);
    if (fact->rule->need == NEEDS_PATH && fact->path) {
        struct buf absolute;
        buf_init(&absolute, TEXT_MAX);
        buf_add_char(text, ' ');
        if (scope_absolute(fact->path, input->root, input->home, &absolute) == 0) {
            scope_display(absolute.data, input->root, input->home, text);
        } else {
            buf_add_text(text, fact->path);
        }
        buf_done(&absolute);
        buf_add_text(text, ", which is not granted");
    } else if (fact->rule->need == NEEDS_PATH) {
        buf_add_text(text, " something whose name is made at run time");
    } else if (fact->rule->need == NEEDS_HOST) {
        buf_addf(text, " %s", scope ? scope : "a host whose name is made at run time");
    } else if (scope) {
        buf_addf(text, ": %s", scope);
    }
    if (declared) {
        buf_add_text(text, "; it is declared, and trimmed");
    }
}

/* 1: *ret_finding is set; 0: nothing to tell. */
static int judge(const struct inspect_input *input, const struct fact *fact, struct inspect_finding *ret_finding)
{
    const struct rule *rule = fact->rule;
    struct buf host, permission, text;
    const char *scope;
    buf_init(&host, TEXT_MAX);
    buf_init(&permission, TEXT_MAX);
    buf_init(&text, TEXT_MAX);
    int r = scope_of(fact, &host, &scope) ? 0 : -ENOMEM;
    enum severity severity = rule->need == NEEDS_PATH  ? judge_path(input, fact)
                             : is_own_host(fact->host) ? NOTHING
                                                       : rule->severity;
    bool named = rule->need != NEEDS_NOTHING && !(rule->need == NEEDS_PATH && !scope);
    bool declared = false;
    if (named && severity != NOTHING &&
        grant_covers(input->ceiling, input->root, input->home, rule->permission, scope)) {
        severity = NOTHING;
    }
    if (r == 0 && severity != NOTHING) {
        declared = named && is_declared(input, rule->permission, scope);
        if (declared && severity == BLOCK) {
            severity = WARN;
        }
        if (named) {
            grant_add_item(rule->permission, scope, input->root, input->home, &permission);
        }
        say(input, fact, scope, declared, &text);
        *ret_finding = (struct inspect_finding){
            .rule = strdup(rule->name),
            .severity = strdup(severity_names[severity]),
            .permission = permission.len > 0 ? buf_steal(&permission) : NULL,
            .text = buf_steal(&text),
            .line = fact->line,
            .column = fact->column,
            .end_line = fact->end_line,
            .end_column = fact->end_column,
        };
        r = 1;
    }
    buf_done(&host);
    buf_done(&permission);
    buf_done(&text);
    return r;
}

static int compare_findings(const void *a, const void *b)
{
    const struct inspect_finding *x = a, *y = b;
    if (x->line != y->line) {
        return x->line > y->line ? 1 : -1;
    }
    if (x->column != y->column) {
        return x->column > y->column ? 1 : -1;
    }
    int r = strcmp(x->rule, y->rule);
    return r ? r : strcmp(x->text, y->text);
}

static void finding_done(struct inspect_finding *finding)
{
    free(finding->rule);
    free(finding->severity);
    free(finding->permission);
    free(finding->text);
}

/* One file in two spellings is told once. */
static void drop_repeats(struct inspection *inspection)
{
    size_t kept = 0;
    for (size_t i = 0; i < inspection->count; i++) {
        if (kept > 0 && compare_findings(&inspection->findings[kept - 1], &inspection->findings[i]) == 0) {
            finding_done(&inspection->findings[i]);
        } else {
            inspection->findings[kept++] = inspection->findings[i];
        }
    }
    inspection->count = kept;
}

static int judge_facts(const struct inspect_input *input, const cJSON *facts, struct inspection *inspection,
                       struct err *err)
{
    const cJSON *json;
    inspection->findings = calloc((size_t)cJSON_GetArraySize(facts) + 1, sizeof *inspection->findings);
    if (!inspection->findings) {
        return err_set(err, -ENOMEM, "out of memory");
    }
    cJSON_ArrayForEach(json, facts)
    {
        struct fact fact;
        if (!read_fact(json, &fact)) {
            return err_set(err, -EBADMSG, "the inspector told of something that this version does not know");
        }
        struct inspect_finding *finding = &inspection->findings[inspection->count];
        int r = judge(input, &fact, finding);
        inspection->count += r > 0;
        if (r < 0 || (r > 0 && (!finding->rule || !finding->severity || !finding->text))) {
            return err_set(err, -ENOMEM, "out of memory");
        }
    }
    qsort(inspection->findings, inspection->count, sizeof *inspection->findings, compare_findings);
    drop_repeats(inspection);
    return 0;
}

int inspect_judge(const struct inspect_input *input, struct inspection *ret_inspection, struct err *err)
{
    struct inspection inspection = {0};
    cJSON *json = cJSON_ParseWithLength(input->output, input->len);
    const cJSON *syntax_error = cJSON_GetObjectItemCaseSensitive(json, "syntax_error");
    const cJSON *facts = cJSON_GetObjectItemCaseSensitive(json, "facts");
    int r;
    if (!cJSON_IsBool(syntax_error) || !cJSON_IsArray(facts)) {
        r = err_set(err, -EBADMSG, "the inspector ended without an answer");
    } else {
        inspection.syntax_error = cJSON_IsTrue(syntax_error);
        r = judge_facts(input, facts, &inspection, err);
    }
    cJSON_Delete(json);
    if (r < 0) {
        inspection_done(&inspection);
        return r;
    }
    *ret_inspection = inspection;
    return 0;
}

void inspection_done(struct inspection *inspection)
{
    if (!inspection) {
        return;
    }
    for (size_t i = 0; i < inspection->count; i++) {
        finding_done(&inspection->findings[i]);
    }
    free(inspection->findings);
    *inspection = (struct inspection){0};
}
