/* Every kind of event with its fields: the one table that log, JSON, reader and docs/session-format.md come from. */
#include "event.h"

#include <string.h>

enum { OPTIONAL = false, REQUIRED = true };

#define LAST_FIELD                                                                                                     \
    {                                                                                                                  \
        NULL, FIELD_ANY, OPTIONAL, NULL                                                                                \
    }
#define FIELDS(kind) static const struct event_field kind##_fields[]
/* clang-format off */
FIELDS(session) = {
    {"format",     FIELD_TEXT,   REQUIRED, "always techo-session"},
    {"version",    FIELD_INT,    REQUIRED, "of the format; this page describes 1"},
    {"id",         FIELD_TEXT,   REQUIRED, "the name of its file without .jsonl: start and a random part"},
    {"start",      FIELD_TEXT,   REQUIRED, "wall clock, UTC: 2025-11-29T20:11:00Z"},
    {"title",      FIELD_TEXT,   OPTIONAL, "the command that it records: escapes, or run sums.py"},
    {"size",       FIELD_OBJECT, OPTIONAL, "of the screen: columns, rows"},
    {"locale",     FIELD_TEXT,   OPTIONAL, "of the process that wrote it"},
    {"root",       FIELD_TEXT,   OPTIONAL, "the session's folder, absolute"},
    {"case",       FIELD_OBJECT, OPTIONAL, "id, title"},
    {"attempts",   FIELD_INT,    OPTIONAL, "how many a question has at most"},
    {"model",      FIELD_TEXT,   OPTIONAL, "provider and name"},
    {"parameters", FIELD_OBJECT, OPTIONAL, "of the model, as sent"},
    {"versions",   FIELD_OBJECT, OPTIONAL, "techo, and what else is known"},
    {"parent",     FIELD_OBJECT, OPTIONAL, "file, seq: the recording that this one branched off"},
    {"file",       FIELD_TEXT,   OPTIONAL, "in `techo sessions list --json` alone: the name of its file"},
    LAST_FIELD};

FIELDS(ceiling) = {
    {"id",     FIELD_TEXT, REQUIRED, "names this ceiling within the session"},
    {"items",  FIELD_LIST, REQUIRED, "objects with id and text, one per policy item"},
    {"source", FIELD_TEXT, REQUIRED, "case.json:7, -c, default, or person"},
    {"parent", FIELD_TEXT, OPTIONAL, "id of the ceiling that it was edited from"},
    LAST_FIELD};

FIELDS(profile) = {
    {"files",  FIELD_LIST, REQUIRED, "objects with path, size, hash (SHA-256), and columns where known"},
    {"shared", FIELD_TEXT, OPTIONAL, "what the model may see: schema or samples"},
    LAST_FIELD};

FIELDS(question) = {
    {"text",     FIELD_TEXT, REQUIRED, "as asked; for a program run by itself, its title"},
    {"id",       FIELD_TEXT, OPTIONAL, "of the case's question, or of the escape"},
    {"language", FIELD_TEXT, OPTIONAL, "that programs are to be written in"},
    {"executor", FIELD_TEXT, OPTIONAL, "where they are to run: python@sandbox"},
    LAST_FIELD};

FIELDS(prompt) = {
    {"body", FIELD_ANY,  OPTIONAL, "as sent, without keys; left out when one of the same hash came before"},
    {"hash", FIELD_TEXT, OPTIONAL, "SHA-256 of the canonical body"},
    LAST_FIELD};

FIELDS(delta) = {
    {"text",    FIELD_TEXT, REQUIRED, "the next piece of the answer"},
    {"channel", FIELD_TEXT, REQUIRED, "program (the code block), prose, thinking, refusal or tool"},
    LAST_FIELD};

FIELDS(response) = {
    {"finish",     FIELD_TEXT, REQUIRED, "complete, truncated, refused, empty, several, tool or failed"},
    {"finish_raw", FIELD_TEXT, OPTIONAL, "in the provider's word"},
    {"ttft_us",    FIELD_INT,  OPTIONAL, "time to the first token"},
    {"total_us",   FIELD_INT,  OPTIONAL, "time to the last"},
    {"tokens_in",  FIELD_INT,  OPTIONAL, "of the prompt"},
    {"tokens_out", FIELD_INT,  OPTIONAL, "of the answer"},
    {"cost",       FIELD_REAL, OPTIONAL, "US dollars"},
    {"retries",    FIELD_INT,  OPTIONAL, "that came before"},
    {"request_id", FIELD_TEXT, OPTIONAL, "the provider's"},
    {"model",      FIELD_TEXT, OPTIONAL, "that really answered"},
    LAST_FIELD};

FIELDS(phase) = {
    {"name",   FIELD_TEXT, REQUIRED, "profile, model, inspect, grant, run, answer; question ends the whole question"},
    {"step",   FIELD_TEXT, REQUIRED, "begin or end"},
    {"status", FIELD_TEXT, OPTIONAL, "ok, failed, blocked, cancelled ..."},
    {"detail", FIELD_TEXT, OPTIONAL, "a few words for the pipeline line: warn:1, 2/3, ok 84ms"},
    LAST_FIELD};

FIELDS(wait) = {
    {"on",    FIELD_TEXT, REQUIRED, "what is waited for, in words: model: 429"},
    {"until", FIELD_INT,  OPTIONAL, "the t at which it is tried again"},
    {"try",   FIELD_INT,  OPTIONAL, "which try comes next"},
    {"of",    FIELD_INT,  OPTIONAL, "how many there are"},
    LAST_FIELD};

FIELDS(program) = {
    {"by",             FIELD_TEXT,  REQUIRED, "model, person or recorded"},
    {"language",       FIELD_TEXT,  REQUIRED, "python, sql ..."},
    {"text",           FIELD_BYTES, OPTIONAL, "the program; left out when a program of the same hash came before"},
    {"hash",           FIELD_TEXT,  OPTIONAL, "SHA-256 of the text"},
    {"preamble",       FIELD_BYTES, OPTIONAL, "the text that is put before it"},
    {"preamble_lines", FIELD_INT,   OPTIONAL, "how many lines that is"},
    {"parent",         FIELD_INT,   OPTIONAL, "seq of the program that it was edited from"},
    LAST_FIELD};

FIELDS(finding) = {
    {"rule",       FIELD_TEXT,   REQUIRED, "of the inspection: process, dynamic-code, network, read ..."},
    {"severity",   FIELD_TEXT,   REQUIRED, "block, warn or note"},
    {"text",       FIELD_TEXT,   OPTIONAL, "one sentence"},
    {"span",       FIELD_OBJECT, OPTIONAL, "line, column, end_line, end_column: from 1, columns in bytes"},
    {"permission", FIELD_TEXT,   OPTIONAL, "the policy item that would cover it"},
    {"blocked",    FIELD_BOOL,   OPTIONAL, "it keeps the program from running"},
    LAST_FIELD};

FIELDS(permission) = {
    {"id",            FIELD_TEXT, REQUIRED, "of the row within the attempt; the same id again changes the row"},
    {"name",          FIELD_TEXT, REQUIRED, "file.read, net ..."},
    {"state",         FIELD_TEXT, REQUIRED, "declared, found, granted, trimmed, held or denied"},
    {"scope",         FIELD_TEXT, OPTIONAL, "as people write it: ./data/*; left out when unscoped"},
    {"origin",        FIELD_TEXT, OPTIONAL, "line, preamble, ambient, default, found or tried"},
    {"line",          FIELD_INT,  OPTIONAL, "where it was declared, found or tried"},
    {"rule",          FIELD_TEXT, OPTIONAL, "the ceiling's item that covers it"},
    {"nearest",       FIELD_TEXT, OPTIONAL, "when none does: the item that comes nearest"},
    {"why",           FIELD_TEXT, OPTIONAL, "one sentence"},
    {"fix",           FIELD_TEXT, OPTIONAL, "the shortest item that would have allowed it"},
    {"layers",        FIELD_LIST, OPTIONAL, "names of the layers that enforce it"},
    {"unenforceable", FIELD_TEXT, OPTIONAL, "why it cannot be enforced here"},
    LAST_FIELD};

FIELDS(run) = {
    {"executor", FIELD_TEXT,   REQUIRED, "language@isolation"},
    {"level",    FIELD_TEXT,   OPTIONAL, "L0 ... L4"},
    {"layers",   FIELD_LIST,   OPTIONAL, "names of the layers in force"},
    {"off",      FIELD_LIST,   OPTIONAL, "objects with layer and why, for each layer that is not"},
    {"warm",     FIELD_BOOL,   OPTIONAL, "the interpreter was running already"},
    {"argv",     FIELD_LIST,   OPTIONAL, "the command"},
    {"limits",   FIELD_OBJECT, OPTIONAL, "wall, cpu (microseconds), memory, output, disk (bytes), processes"},
    {"base",     FIELD_LIST,   OPTIONAL, "paths that the interpreter needs, shown read-only"},
    {"versions", FIELD_OBJECT, OPTIONAL, "of the interpreter and its libraries"},
    {"notify",   FIELD_TEXT,   OPTIONAL, "answer or observe"},
    {"decoy",    FIELD_BOOL,   OPTIONAL, "in a decoy cell, a throw-away world in which layers may be off: --unsafe was typed"},
    LAST_FIELD};

FIELDS(output) = {
    {"stream",      FIELD_INT,   REQUIRED, "1 output, 2 errors"},
    {"bytes",       FIELD_BYTES, REQUIRED, "what the program wrote"},
    {"dropped",     FIELD_INT,   OPTIONAL, "bytes of this stream that are missing before these; on the first of its tail"},
    {"neutralised", FIELD_INT,   OPTIONAL, "things in them that a screen shows instead of obeying"},
    LAST_FIELD};

FIELDS(access) = {
    {"number",     FIELD_INT,  REQUIRED, "1, 2, ... within the run; the same number again changes that access"},
    {"verdict",    FIELD_TEXT, REQUIRED, "allowed, denied or absent"},
    {"at_us",      FIELD_INT,  OPTIONAL, "time since the program started"},
    {"call",       FIELD_TEXT, OPTIONAL, "the system call"},
    {"given",      FIELD_TEXT, OPTIONAL, "path or address as the program gave it"},
    {"resolved",   FIELD_TEXT, OPTIONAL, "absolute path, or host:port"},
    {"want",       FIELD_TEXT, OPTIONAL, "read, write, change, list, exec, connect, bind or send"},
    {"errno",      FIELD_TEXT, OPTIONAL, "name of the error that the program got: EACCES"},
    {"layer",      FIELD_TEXT, OPTIONAL, "that refuses it; computed"},
    {"answered",   FIELD_BOOL, OPTIONAL, "the supervisor answered in that layer's stead"},
    {"item",       FIELD_TEXT, OPTIONAL, "id of the permission row that grants it"},
    {"missing",    FIELD_TEXT, OPTIONAL, "when denied: the policy item that is missing"},
    {"permission", FIELD_TEXT, OPTIONAL, "id of the row that explains a denial, where missing does not name it"},
    {"nearest",    FIELD_TEXT, OPTIONAL, "the granted item that comes nearest"},
    {"why",        FIELD_TEXT, OPTIONAL, "one sentence"},
    {"line",       FIELD_INT,  OPTIONAL, "of the program, as it said itself"},
    {"source",     FIELD_TEXT, OPTIONAL, "that line's text"},
    {"count",      FIELD_INT,  OPTIONAL, "how often it was tried; 1 when left out"},
    LAST_FIELD};

FIELDS(usage) = {
    {"wall_us",        FIELD_INT, OPTIONAL, "elapsed"},
    {"cpu_us",         FIELD_INT, OPTIONAL, "of all processes"},
    {"memory",         FIELD_INT, OPTIONAL, "bytes now"},
    {"memory_peak",    FIELD_INT, OPTIONAL, "bytes at most"},
    {"processes",      FIELD_INT, OPTIONAL, "now"},
    {"processes_peak", FIELD_INT, OPTIONAL, "at most"},
    {"output",         FIELD_INT, OPTIONAL, "bytes written on both streams, dropped ones too"},
    {"disk",           FIELD_INT, OPTIONAL, "bytes in ./out, /tmp and the like"},
    LAST_FIELD};

FIELDS(used) = {
    {"item",  FIELD_TEXT, REQUIRED, "id of the permission row that granted the accesses"},
    {"opens", FIELD_INT,  OPTIONAL, "successful accesses"},
    {"files", FIELD_INT,  OPTIONAL, "distinct files; of net: distinct addresses"},
    {"bytes", FIELD_INT,  OPTIONAL, "sum of their sizes at first open; of net: carried both ways"},
    LAST_FIELD};

FIELDS(least) = {
    {"text",  FIELD_TEXT, REQUIRED, "policy text: the least ceiling that this run needed"},
    {"items", FIELD_LIST, OPTIONAL, "ids of the granting items that were used"},
    LAST_FIELD};

FIELDS(exception) = {
    {"type",     FIELD_TEXT, REQUIRED, "ValueError ..."},
    {"message",  FIELD_TEXT, OPTIONAL, "in the language's own words"},
    {"frames",   FIELD_LIST, OPTIONAL, "objects with line, function, text: the program's own frames, outermost first"},
    {"errno",    FIELD_INT,  OPTIONAL, "of an operating system error"},
    {"filename", FIELD_TEXT, OPTIONAL, "that the error names"},
    LAST_FIELD};

FIELDS(result) = {
    {"columns", FIELD_LIST, REQUIRED, "names"},
    {"types",   FIELD_LIST, OPTIONAL, "names of types, one per column"},
    {"rows",    FIELD_LIST, REQUIRED, "lists of values; the first ones when there are many"},
    {"total",   FIELD_INT,  OPTIONAL, "how many rows there are"},
    LAST_FIELD};

FIELDS(artifact) = {
    {"name",    FIELD_TEXT,  REQUIRED, "relative to ./out"},
    {"size",    FIELD_INT,   OPTIONAL, "bytes"},
    {"hash",    FIELD_TEXT,  OPTIONAL, "SHA-256"},
    {"bytes",   FIELD_BYTES, OPTIONAL, "the content, up to 1 MB"},
    {"problem", FIELD_TEXT,  OPTIONAL, "why it was not taken over"},
    LAST_FIELD};

FIELDS(exit) = {
    {"status",     FIELD_TEXT, REQUIRED, "ok, error, or what stopped it: signal wall cpu ... (docs/policy.md)"},
    {"code",       FIELD_INT,  OPTIONAL, "the program's exit status"},
    {"signal",     FIELD_INT,  OPTIONAL, "that ended it"},
    {"limit",      FIELD_TEXT, OPTIONAL, "name of the limit that was hit"},
    {"value",      FIELD_INT,  OPTIONAL, "that limit, in its base unit"},
    {"message",    FIELD_TEXT, OPTIONAL, "what ended it, and the item that raises a limit"},
    {"setup_us",   FIELD_INT,  OPTIONAL, "to make the cell"},
    {"run_us",     FIELD_INT,  OPTIONAL, "from the program's first instruction to its end"},
    {"survivors",  FIELD_INT,  OPTIONAL, "processes that were still there, and were killed"},
    {"unkillable", FIELD_BOOL, OPTIONAL, "something did not die"},
    {"unlisted",   FIELD_INT,  OPTIONAL, "accesses without an event of their own: there were too many"},
    {"unlisted_denied", FIELD_INT, OPTIONAL, "of them refused"},
    LAST_FIELD};

FIELDS(effect) = {
    {"what",    FIELD_TEXT, REQUIRED, "of a written path: created, changed, removed, folder, refused; else what was checked"},
    {"path",    FIELD_TEXT, OPTIONAL, "of what was written outside ./out, as people write it"},
    {"size",    FIELD_INT,  OPTIONAL, "bytes of a written file"},
    {"problem", FIELD_TEXT, OPTIONAL, "why the path was not written"},
    {"before",  FIELD_ANY,  OPTIONAL, "after an escape attempt: the value before the run"},
    {"after",   FIELD_ANY,  OPTIONAL, "its value afterwards"},
    LAST_FIELD};

FIELDS(verdict) = {
    {"verdict",   FIELD_TEXT, REQUIRED, "right, wrong, none, no known answer; of an escape: contained, escaped ..."},
    {"answer",    FIELD_ANY,  OPTIONAL, "what was printed, as a value"},
    {"by",        FIELD_TEXT, OPTIONAL, "judge or person"},
    {"expected",  FIELD_ANY,  OPTIONAL, "the right answer; of an escape the expected outcome"},
    {"tolerance", FIELD_REAL, OPTIONAL, "relative, for numbers"},
    {"why",       FIELD_TEXT, OPTIONAL, "the first difference"},
    LAST_FIELD};

FIELDS(decision) = {
    {"of",       FIELD_TEXT, REQUIRED, "what was decided: id of a permission row, or words"},
    {"choice",   FIELD_TEXT, REQUIRED, "deny, once, session, never ..."},
    {"by",       FIELD_TEXT, OPTIONAL, "person, or the option that answers for one"},
    {"after_us", FIELD_INT,  OPTIONAL, "time that it took"},
    LAST_FIELD};

FIELDS(probe) = {
    {"guarantee", FIELD_TEXT, REQUIRED, "files, network ..."},
    {"layer",     FIELD_TEXT, REQUIRED, "that gives it here"},
    {"holds",     FIELD_BOOL, REQUIRED, "it was tried and could not be broken"},
    {"result",    FIELD_TEXT, OPTIONAL, "what was tried and what came of it, or what would mend it"},
    LAST_FIELD};

FIELDS(keyframe) = {
    {"previous", FIELD_INT,    REQUIRED, "byte offset of the keyframe before this one; 0 when this is the first"},
    {"offset",   FIELD_INT,    REQUIRED, "byte offset of this line"},
    {"sha256",   FIELD_TEXT,   REQUIRED, "of all bytes of the file before this line"},
    {"state",    FIELD_OBJECT, REQUIRED, "counts to compare: questions, attempts, accesses, denials"},
    LAST_FIELD};

FIELDS(marker) = {
    {"label", FIELD_TEXT, REQUIRED, "of a place to come back to"},
    LAST_FIELD};

FIELDS(note) = {
    {"text", FIELD_TEXT, REQUIRED, "something that people should know"},
    LAST_FIELD};

FIELDS(resize) = {
    {"columns", FIELD_INT, REQUIRED, "of the screen from here on"},
    {"rows",    FIELD_INT, REQUIRED, "the same"},
    LAST_FIELD};

FIELDS(error) = {
    {"text", FIELD_TEXT, REQUIRED, "what went wrong with techo itself, one line"},
    LAST_FIELD};

FIELDS(end) = {
    {"status",         FIELD_TEXT, REQUIRED, "of the last run, or ok, failed, cancelled, closed"},
    {"right",          FIELD_INT,  OPTIONAL, "bench: questions answered right"},
    {"wrong",          FIELD_INT,  OPTIONAL, "bench: answered wrong"},
    {"failed",         FIELD_INT,  OPTIONAL, "bench: without an answer"},
    {"contained",      FIELD_INT,  OPTIONAL, "escapes: attacks that were stopped"},
    {"escaped",        FIELD_INT,  OPTIONAL, "escapes: attacks that got out"},
    {"not_applicable", FIELD_INT,  OPTIONAL, "escapes: attacks that the executor has no way to try"},
    {"unexpected",     FIELD_INT,  OPTIONAL, "escapes: outcomes that are not the expected ones"},
    {"total",          FIELD_INT,  OPTIONAL, "how many there were"},
    LAST_FIELD};

static const struct {
    const char *name, *meaning;
    const struct event_field *fields;
} kinds[_EVENT_MAX] = {
#define KIND(upper, lower, text) [EVENT_##upper] = {#lower, text, lower##_fields}
    KIND(SESSION,    session,    "the header: always the first line"),
    KIND(CEILING,    ceiling,    "the most that programs may get from here on"),
    KIND(PROFILE,    profile,    "the data files"),
    KIND(QUESTION,   question,   "asks; opens a question that later events name by its seq"),
    KIND(PROMPT,     prompt,     "what is sent to the model"),
    KIND(DELTA,      delta,      "a piece of the model's answer"),
    KIND(RESPONSE,   response,   "the model's answer is over"),
    KIND(PHASE,      phase,      "a step of the pipeline begins or ends"),
    KIND(WAIT,       wait,       "the model keeps us waiting; any later step of the question ends it"),
    KIND(PROGRAM,    program,    "the program of an attempt; replaces what deltas gave"),
    KIND(FINDING,    finding,    "inspection found something before the run"),
    KIND(PERMISSION, permission, "a row of the permissions: made, or changed"),
    KIND(RUN,        run,        "the cell is made and the program starts"),
    KIND(OUTPUT,     output,     "the program wrote"),
    KIND(ACCESS,     access,     "the program tried something"),
    KIND(USAGE,      usage,      "what it has consumed so far"),
    KIND(USED,       used,       "what a granted permission was used for"),
    KIND(LEAST,      least,      "the ceiling that would have been enough"),
    KIND(EXCEPTION,  exception,  "the program failed, in its language's words"),
    KIND(RESULT,     result,     "a table that the program gave"),
    KIND(ARTIFACT,   artifact,   "a file that it left in ./out"),
    KIND(EXIT,       exit,       "the run is over"),
    KIND(EFFECT,     effect,     "something that a run changed on the host; a trace that an escape attempt left, or did not"),
    KIND(VERDICT,    verdict,    "the answer, judged"),
    KIND(DECISION,   decision,   "a person decided"),
    KIND(PROBE,      probe,      "doctor tried a guarantee"),
    KIND(KEYFRAME,   keyframe,   "a check point every 2,000 events"),
    KIND(MARKER,     marker,     "a named place"),
    KIND(NOTE,       note,       "a remark for people"),
    KIND(RESIZE,     resize,     "the screen changed its size"),
    KIND(ERROR,      error,      "techo itself failed at something"),
    KIND(END,        end,        "the last line"),
#undef KIND
};
/* clang-format on */

const char *event_kind_name(enum event_kind kind)
{
    return kinds[kind].name;
}

const char *event_kind_meaning(enum event_kind kind)
{
    return kinds[kind].meaning;
}

int event_kind_find(const char *name)
{
    for (int kind = 0; kind < _EVENT_MAX; kind++) {
        if (strcmp(kinds[kind].name, name) == 0) {
            return kind;
        }
    }
    return -1;
}

const struct event_field *event_fields(enum event_kind kind)
{
    return kinds[kind].fields;
}

const struct event_field *event_field_find(enum event_kind kind, const char *name)
{
    for (const struct event_field *field = kinds[kind].fields; field->name; field++) {
        if (strcmp(field->name, name) == 0) {
            return field;
        }
    }
    return NULL;
}

const char *field_type_name(enum field_type type)
{
    static const char *const names[] = {
        [FIELD_TEXT] = "text",   [FIELD_INT] = "integer", [FIELD_REAL] = "number",   [FIELD_BOOL] = "true or false",
        [FIELD_BYTES] = "bytes", [FIELD_LIST] = "list",   [FIELD_OBJECT] = "object", [FIELD_ANY] = "any value",
    };
    return names[type];
}
