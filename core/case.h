/*
 * A case: a folder with case.json (title, default ceiling, preamble),
 * questions.json (with the right answers) and data/. An escape is a folder of
 * cases/escapes/ with escape.json and one program per language.
 */
#ifndef TECHO_CORE_CASE_H
#define TECHO_CORE_CASE_H

#include "../sandbox/base.h"

#include <cjson/cJSON.h>

struct case_question {
    char *id, *text, *language; /* language of the text: "en", "es" */
    cJSON *answer;              /* the right one; NULL: not known */
    cJSON *also;                /* an object: further right values, judged where the answer has them; NULL */
    double tolerance;           /* relative, for numbers */
    bool ordered;               /* a list's order counts */
};

struct case_info {
    char *dir; /* absolute and real */
    char *id, *title, *ceiling, *ceiling_source, *preamble;
    struct case_question *questions;
    size_t question_count;
};

/* A NAME of a shipped case, or a folder with case.json. */
int case_load(const char *name_or_dir, struct case_info **ret_case, struct err *err) MUST_USE;
void case_free(struct case_info *kase);
const struct case_question *case_find(const struct case_info *kase, const char *id);

struct escape_info {
    char *dir, *id, *title, *story;
    char *ceiling;   /* items added to the analytics case's ceiling; NULL */
    cJSON *programs; /* {"python": "attack.py"} */
    cJSON *controls; /* {"python": "control.py"}: what must still work; NULL */
    cJSON *expected; /* {"python@sandbox": "contained"} */
    cJSON *effects;  /* what to check afterwards: cases/escapes/README.md */
};
/* All of the shipped ones, sorted by id. */
int escapes_load(struct escape_info **ret_escapes, size_t *ret_count, struct err *err) MUST_USE;
void escapes_free(struct escape_info *escapes, size_t count);

/* Where the program's own files are (cases, sessions, themes, libexec): from /proc/self/exe, or TECHO_HOME. */
int home_path(const char *relative, struct buf *to);

/*
 * Compares an answer with the right one: numbers within the tolerance, texts
 * after trimming, lists (in order or as bags), objects (what the right one does
 * not have is not looked at), tables (rows as objects or as lists, or
 * {columns, rows}). A value alone stands for a list or an object that holds
 * only it. ret_why gets one sentence on the first difference; it quotes the
 * answer, which is untrusted.
 */
bool judge_answer(const struct case_question *question, const cJSON *answer, struct buf *ret_why);
/* What a program printed, as a value: JSON, else the trimmed text as a string; NULL when nothing was printed. */
cJSON *judge_parse(const char *bytes, size_t len);

#endif
