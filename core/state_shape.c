/* The members of a state, as tables: for copying, freeing and printing it. What is not here is lost by a copy. */
#include "state_internal.h"

/* One member of `struct owner`; `...` says more where the type needs it. */
#define MEMBER(kind, owner, field, ...)                                                                                \
    {                                                                                                                  \
        .name = #field, .type = kind, .offset = offsetof(struct owner, field), __VA_ARGS__                             \
    }
#define TEXT(owner, field) MEMBER(MEMBER_TEXT, owner, field, )
#define U64(owner, field) MEMBER(MEMBER_U64, owner, field, )
#define I64(owner, field) MEMBER(MEMBER_I64, owner, field, )
#define UINT(owner, field) MEMBER(MEMBER_UINT, owner, field, )
#define INT(owner, field) MEMBER(MEMBER_INT, owner, field, )
#define BOOL(owner, field) MEMBER(MEMBER_BOOL, owner, field, )
#define BUF(owner, field) MEMBER(MEMBER_BUF, owner, field, )
#define JSON(owner, field) MEMBER(MEMBER_JSON, owner, field, )
#define TEXTS(owner, field, counter) MEMBER(MEMBER_TEXTS, owner, field, .count_offset = offsetof(struct owner, counter))
#define STRUCTS(owner, field, inner, number)                                                                           \
    MEMBER(MEMBER_STRUCTS, owner, field, .shape = &inner##_shape, .count = number)
#define ARRAY(owner, field, counter, inner)                                                                            \
    MEMBER(MEMBER_ARRAY, owner, field, .shape = &inner##_shape, .count_offset = offsetof(struct owner, counter))
#define POINTERS(owner, field, counter, inner)                                                                         \
    MEMBER(MEMBER_POINTERS, owner, field, .shape = &inner##_shape, .count_offset = offsetof(struct owner, counter))
#define SHARED(owner, field, counter, inner)                                                                           \
    MEMBER(MEMBER_SHARED, owner, field, .shape = &inner##_shape, .count_offset = offsetof(struct owner, counter))

/* The shape of a structure of the same name, from its members. */
#define SHAPE(owner)                                                                                                   \
    static const struct shape owner##_shape = {.size = sizeof(struct owner),                                           \
                                               .members = owner##_members,                                             \
                                               .member_count = sizeof(owner##_members) / sizeof(owner##_members[0])}

static const struct member state_item_members[] = {TEXT(state_item, id), TEXT(state_item, text)};
SHAPE(state_item);

static const struct member state_ceiling_members[] = {
    U64(state_ceiling, seq),
    TEXT(state_ceiling, id),
    TEXT(state_ceiling, source),
    TEXT(state_ceiling, text),
    ARRAY(state_ceiling, items, item_count, state_item),
};
SHAPE(state_ceiling);

static const struct member state_file_members[] = {
    TEXT(state_file, path),
    TEXT(state_file, hash),
    U64(state_file, size),
};
SHAPE(state_file);

static const struct member state_phase_members[] = {
    TEXT(state_phase, name), TEXT(state_phase, detail), I64(state_phase, begin),
    I64(state_phase, end),   TEXT(state_phase, status),
};
SHAPE(state_phase);

static const struct member state_finding_members[] = {
    U64(state_finding, seq),         TEXT(state_finding, rule),     TEXT(state_finding, severity),
    TEXT(state_finding, permission), TEXT(state_finding, text),     UINT(state_finding, line),
    UINT(state_finding, column),     UINT(state_finding, end_line), UINT(state_finding, end_column),
    BOOL(state_finding, blocked),
};
SHAPE(state_finding);

static const struct member state_permission_members[] = {
    U64(state_permission, seq),         TEXT(state_permission, id),     TEXT(state_permission, name),
    TEXT(state_permission, scope),      TEXT(state_permission, state),  TEXT(state_permission, origin),
    UINT(state_permission, line),       TEXT(state_permission, rule),   TEXT(state_permission, why),
    TEXT(state_permission, fix),        TEXT(state_permission, layers), TEXT(state_permission, unenforceable),
    BOOL(state_permission, used_known), U64(state_permission, opens),   U64(state_permission, files),
    U64(state_permission, bytes),       U64(state_permission, denied),  TEXT(state_permission, denied_layer),
};
SHAPE(state_permission);

static const struct member state_access_members[] = {
    U64(state_access, seq),      U64(state_access, number),      I64(state_access, t),
    TEXT(state_access, call),    TEXT(state_access, given),      TEXT(state_access, resolved),
    TEXT(state_access, want),    TEXT(state_access, verdict),    TEXT(state_access, error),
    TEXT(state_access, layer),   BOOL(state_access, answered),   TEXT(state_access, item),
    TEXT(state_access, missing), TEXT(state_access, permission), TEXT(state_access, nearest),
    TEXT(state_access, why),     UINT(state_access, line),       TEXT(state_access, source),
    U64(state_access, count),
};
SHAPE(state_access);

static const struct member state_output_members[] = {
    BUF(state_output, bytes),
    U64(state_output, total),
    U64(state_output, dropped),
    U64(state_output, neutralised),
};
SHAPE(state_output);

static const struct member state_usage_members[] = {
    I64(state_usage, wall_us),     I64(state_usage, cpu_us),    U64(state_usage, memory),
    U64(state_usage, memory_peak), U64(state_usage, processes), U64(state_usage, processes_peak),
    U64(state_usage, output),      U64(state_usage, disk),
};
SHAPE(state_usage);

static const struct member state_artifact_members[] = {
    U64(state_artifact, seq),      TEXT(state_artifact, name), TEXT(state_artifact, hash),
    TEXT(state_artifact, problem), U64(state_artifact, size),
};
SHAPE(state_artifact);

static const struct member state_exit_members[] = {
    BOOL(state_exit, done),    TEXT(state_exit, status), TEXT(state_exit, message),
    TEXT(state_exit, limit),   INT(state_exit, code),    INT(state_exit, signal),
    I64(state_exit, setup_us), I64(state_exit, run_us),  U64(state_exit, survivors),
    U64(state_exit, unlisted), U64(state_exit, unlisted_denied), BOOL(state_exit, unkillable),
};
SHAPE(state_exit);

static const struct member state_response_members[] = {
    TEXT(state_response, finish),   I64(state_response, ttft_us),    I64(state_response, total_us),
    U64(state_response, tokens_in), U64(state_response, tokens_out), U64(state_response, retries),
};
SHAPE(state_response);

static const struct member state_effect_members[] = {
    TEXT(state_effect, what),
    TEXT(state_effect, path),
    I64(state_effect, size),
    TEXT(state_effect, problem),
    JSON(state_effect, before),
    JSON(state_effect, after),
};
SHAPE(state_effect);

/* All but `holders`, which is of the structure and not of what it says. */
static const struct member state_attempt_members[] = {
    U64(state_attempt, seq),
    U64(state_attempt, number),
    U64(state_attempt, lane),
    TEXT(state_attempt, executor),
    TEXT(state_attempt, language),
    STRUCTS(state_attempt, response, state_response, 1),
    BUF(state_attempt, prose),
    TEXT(state_attempt, hash),
    TEXT(state_attempt, by),
    BUF(state_attempt, text),
    BOOL(state_attempt, complete),
    UINT(state_attempt, preamble_lines),
    TEXT(state_attempt, preamble),
    ARRAY(state_attempt, phases, phase_count, state_phase),
    ARRAY(state_attempt, findings, finding_count, state_finding),
    ARRAY(state_attempt, permissions, permission_count, state_permission),
    ARRAY(state_attempt, accesses, access_count, state_access),
    U64(state_attempt, denials),
    TEXT(state_attempt, level), BOOL(state_attempt, decoy),
    TEXTS(state_attempt, layers, layer_count),
    TEXTS(state_attempt, off, off_count),
    JSON(state_attempt, limits),
    I64(state_attempt, run_begin),
    STRUCTS(state_attempt, output, state_output, 3),
    STRUCTS(state_attempt, usage, state_usage, 1),
    STRUCTS(state_attempt, exit, state_exit, 1),
    TEXT(state_attempt, exception_type),
    TEXT(state_attempt, exception_text),
    JSON(state_attempt, exception_frames),
    JSON(state_attempt, result),
    ARRAY(state_attempt, artifacts, artifact_count, state_artifact),
    JSON(state_attempt, answer),
    TEXT(state_attempt, verdict),
    TEXT(state_attempt, verdict_why),
    TEXT(state_attempt, verdict_by),
    JSON(state_attempt, expected),
    ARRAY(state_attempt, effects, effect_count, state_effect),
    TEXT(state_attempt, least),
};
const struct shape state_attempt_shape = {
    .size = sizeof(struct state_attempt),
    .members = state_attempt_members,
    .member_count = sizeof(state_attempt_members) / sizeof(state_attempt_members[0]),
};

static const struct member state_question_members[] = {
    U64(state_question, seq),
    TEXT(state_question, id),
    TEXT(state_question, text),
    TEXT(state_question, language),
    TEXT(state_question, executor),
    SHARED(state_question, attempts, attempt_count, state_attempt),
    ARRAY(state_question, phases, phase_count, state_phase),
    TEXT(state_question, model_wait),
    I64(state_question, wait_until),
    TEXT(state_question, verdict),
    JSON(state_question, prompt),
    BOOL(state_question, open),
};
SHAPE(state_question);

/* All but `current`, which points into `questions`. */
static const struct member state_members[] = {
    U64(state, last_seq),
    I64(state, last_t),
    TEXT(state, id),
    TEXT(state, title),
    TEXT(state, version),
    TEXT(state, root),
    TEXT(state, case_id),
    TEXT(state, case_title),
    TEXT(state, model),
    TEXT(state, locale),
    TEXT(state, start),
    U64(state, attempts_max),
    U64(state, columns),
    U64(state, rows),
    STRUCTS(state, ceiling, state_ceiling, 1),
    ARRAY(state, phases, phase_count, state_phase),
    TEXT(state, shared),
    ARRAY(state, files, file_count, state_file),
    POINTERS(state, questions, question_count, state_question),
    TEXT(state, note),
    U64(state, errors),
    BOOL(state, ended),
    TEXT(state, end_status),
};
const struct shape state_shape = {
    .size = sizeof(struct state),
    .members = state_members,
    .member_count = sizeof(state_members) / sizeof(state_members[0]),
};
