/* A run as one JSON object, for run_program and other programs (§12, §13). */
#include "report_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int report_add(struct report *report, const char *line, size_t length)
{
    if (report->count == report->capacity) {
        size_t capacity = report->capacity ? report->capacity * 2 : 64;
        char **lines = realloc(report->lines, capacity * sizeof(*lines));
        if (!lines) {
            return -1;
        }
        report->lines = lines;
        report->capacity = capacity;
    }
    char *copy = strndup(line, length);
    if (!copy) {
        return -1;
    }
    report->lines[report->count++] = copy;
    return 0;
}

void report_done(struct report *report)
{
    for (size_t i = 0; i < report->count; i++) {
        free(report->lines[i]);
    }
    free(report->lines);
    *report = (struct report){0};
}

static void put_text(FILE *to, const char *text)
{
    fputc('"', to);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\') {
            fprintf(to, "\\%c", c);
        } else if (c < 0x20 || c == 0x7f) {
            fprintf(to, "\\u%04x", c);
        } else {
            fputc(c, to);
        }
    }
    fputc('"', to);
}

static void put_audit(FILE *to, const struct synsema *engine)
{
    for (size_t i = 0; i < synsema_audit_count(engine); i++) {
        struct synsema_audit entry = synsema_audit_entry(engine, i);
        fputs(i ? ", {\"capability\": " : "{\"capability\": ", to);
        put_text(to, entry.capability);
        fprintf(to, ", \"granted\": %s, \"source\": ", entry.granted ? "true" : "false");
        put_text(to, entry.source);
        fputs(", \"reason\": ", to);
        put_text(to, entry.reason);
        fputs(", \"origin\": ", to);
        put_text(to, entry.origin);
        fputc('}', to);
    }
}

void report_write(const struct report *report, const struct synsema *engine, const struct synsema_result *result,
                  FILE *to)
{
    fprintf(to, "{\"ok\": %s, \"output\": [", result->ok ? "true" : "false");
    for (size_t i = 0; i < report->count; i++) {
        fputs(i ? ", " : "", to);
        put_text(to, report->lines[i]);
    }
    fputs("], \"errors\": [", to);
    if (result->error) {
        put_text(to, result->error);
    }
    fputs("], \"audit\": [", to);
    put_audit(to, engine);
    fprintf(to, "], \"exit\": %d, \"steps\": %llu, \"llm_tokens\": 0}\n", result->exit,
            (unsigned long long)result->steps);
}
