/* Reports as bytes: one table of members per kind, used for writing, reading and freeing. */
#include "wire_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEXT_MAX = 16 << 10 };

#define MEMBER(type, object, field)                                                                                    \
    {                                                                                                                  \
        type, offsetof(struct object, field), 0, 0                                                                     \
    }
#define TEXT(object, field)                                                                                            \
    {                                                                                                                  \
        WIRE_TEXT, offsetof(struct object, field), TEXT_MAX, 0                                                         \
    }
#define CHOICE(object, field, values)                                                                                  \
    {                                                                                                                  \
        WIRE_ENUM, offsetof(struct object, field), values, 0                                                           \
    }
#define BYTES(object, field, longest)                                                                                  \
    {                                                                                                                  \
        WIRE_BYTES, offsetof(struct object, field), longest, offsetof(struct object, len)                              \
    }

static const struct wire_member cell_members[] = {
    TEXT(report_cell, level),
    MEMBER(WIRE_U32, report_cell, layers),
    TEXT(report_cell, off),
    MEMBER(WIRE_U64, report_cell, setup_us),
    TEXT(report_cell, resolved_command),
    MEMBER(WIRE_BOOL, report_cell, memory_sampled),
};

static const struct wire_member output_members[] = {
    MEMBER(WIRE_INT, report_output, stream),
    BYTES(report_output, bytes, WIRE_LINE_MAX + 1),
    MEMBER(WIRE_U64, report_output, dropped),
};

static const struct wire_member access_members[] = {
    MEMBER(WIRE_U64, report_access, number),
    MEMBER(WIRE_U64, report_access, t_us),
    TEXT(report_access, call),
    TEXT(report_access, given),
    TEXT(report_access, resolved),
    CHOICE(report_access, want, _WANT_MAX),
    CHOICE(report_access, verdict, ACCESS_ABSENT + 1),
    MEMBER(WIRE_INT, report_access, error),
    CHOICE(report_access, layer, _LAYER_MAX),
    MEMBER(WIRE_BOOL, report_access, answered),
    MEMBER(WIRE_INT, report_access, item),
    MEMBER(WIRE_BOOL, report_access, base),
    CHOICE(report_access, missing, _PERMISSION_MAX),
    MEMBER(WIRE_BOOL, report_access, outside_root),
    MEMBER(WIRE_U32, report_access, line),
    MEMBER(WIRE_U64, report_access, count),
};

static const struct wire_member held_members[] = {
    MEMBER(WIRE_U64, report_held, number),
    CHOICE(report_held, permission, _PERMISSION_MAX),
    TEXT(report_held, path),
    TEXT(report_held, real),
    MEMBER(WIRE_U64, report_held, size),
    TEXT(report_held, call),
    MEMBER(WIRE_U32, report_held, line),
};

static const struct wire_member usage_members[] = {
    MEMBER(WIRE_U64, report_usage, wall_us),   MEMBER(WIRE_U64, report_usage, cpu_us),
    MEMBER(WIRE_U64, report_usage, memory),    MEMBER(WIRE_U64, report_usage, memory_peak),
    MEMBER(WIRE_U32, report_usage, processes), MEMBER(WIRE_U32, report_usage, processes_peak),
    MEMBER(WIRE_U64, report_usage, output[1]), MEMBER(WIRE_U64, report_usage, output[2]),
    MEMBER(WIRE_U64, report_usage, disk),
};

static const struct wire_member used_members[] = {
    MEMBER(WIRE_INT, report_used, item),
    MEMBER(WIRE_U64, report_used, opens),
    MEMBER(WIRE_U64, report_used, files),
    MEMBER(WIRE_U64, report_used, bytes),
};

static const struct wire_member artifact_members[] = {
    TEXT(report_artifact, name),
    MEMBER(WIRE_U64, report_artifact, size),
    TEXT(report_artifact, problem),
};

static const struct wire_member effect_members[] = {
    CHOICE(report_effect, kind, _EFFECT_MAX),
    TEXT(report_effect, path),
    MEMBER(WIRE_U64, report_effect, size),
    TEXT(report_effect, problem),
};

static const struct wire_member exit_members[] = {
    CHOICE(report_exit, status, _STATUS_MAX),   MEMBER(WIRE_INT, report_exit, code),
    MEMBER(WIRE_INT, report_exit, signal),      MEMBER(WIRE_INT, report_exit, limit),
    MEMBER(WIRE_U64, report_exit, limit_value), TEXT(report_exit, message),
    MEMBER(WIRE_U64, report_exit, setup_us),    MEMBER(WIRE_U64, report_exit, run_us),
    MEMBER(WIRE_U32, report_exit, survivors),   MEMBER(WIRE_BOOL, report_exit, unkillable),
    MEMBER(WIRE_U64, report_exit, unlisted),    MEMBER(WIRE_U64, report_exit, unlisted_denied),
};

#define KIND(members, field)                                                                                           \
    {                                                                                                                  \
        members, sizeof members / sizeof members[0], offsetof(struct report, field)                                    \
    }
static const struct {
    const struct wire_member *members;
    size_t count, offset;
} kinds[] = {
    [REPORT_CELL] = KIND(cell_members, cell),
    [REPORT_OUTPUT] = KIND(output_members, output),
    [REPORT_SAID] = KIND(output_members, said),
    [REPORT_ACCESS] = KIND(access_members, access),
    [REPORT_HELD] = KIND(held_members, held),
    [REPORT_USAGE] = KIND(usage_members, usage),
    [REPORT_USED] = KIND(used_members, used),
    [REPORT_ARTIFACT] = KIND(artifact_members, artifact),
    [REPORT_EFFECT] = KIND(effect_members, effect),
    [REPORT_EXIT] = KIND(exit_members, exit),
};
enum { KIND_COUNT = sizeof kinds / sizeof kinds[0] };

int report_write(const struct report *report, struct buf *to)
{
    buf_add_char(to, (char)report->kind);
    wire_add_members(to, kinds[report->kind].members, kinds[report->kind].count,
                     (const char *)report + kinds[report->kind].offset);
    return to->failed;
}

/* What the tables cannot say. */
static bool makes_sense(const struct report *report)
{
    switch (report->kind) {
    case REPORT_CELL:
        return report->cell.level && report->cell.off && report->cell.resolved_command;
    case REPORT_OUTPUT:
        return report->output.bytes && (report->output.stream == 1 || report->output.stream == 2);
    case REPORT_SAID:
        return report->said.bytes && report->said.stream == 3;
    case REPORT_ACCESS:
        return report->access.call && report->access.given && report->access.resolved;
    case REPORT_HELD:
        return report->held.path && report->held.real && report->held.call;
    case REPORT_ARTIFACT:
        return report->artifact.name;
    case REPORT_EFFECT:
        return report->effect.path && (report->effect.kind != EFFECT_REFUSED || report->effect.problem);
    case REPORT_EXIT:
        return report->exit.message && report->exit.limit >= -1 && report->exit.limit < _LIMIT_MAX;
    default:
        return true;
    }
}

int report_read(const char *bytes, size_t len, struct report *ret_report)
{
    struct report report;
    int result;

    memset(&report, 0, sizeof report);
    if (len == 0 || (unsigned char)bytes[0] >= KIND_COUNT) {
        return -EBADMSG;
    }
    report.kind = (enum report_kind)bytes[0];
    if (report.kind == REPORT_ARTIFACT) {
        report.artifact.fd = -1;
    }
    result = wire_read_members(bytes + 1, len - 1, kinds[report.kind].members, kinds[report.kind].count,
                               (char *)&report + kinds[report.kind].offset);
    if (result == 0 && !makes_sense(&report)) {
        result = -EBADMSG;
    }
    if (result < 0) {
        report_done(&report);
        return result;
    }
    *ret_report = report;
    return 0;
}

void report_done(struct report *report)
{
    if (!report) {
        return;
    }
    if (report->kind == REPORT_ARTIFACT) {
        close_descriptor(&report->artifact.fd);
    }
    wire_free_members(kinds[report->kind].members, kinds[report->kind].count,
                      (char *)report + kinds[report->kind].offset);
}

/* ---- probes ----------------------------------------------------------------------------------------------------- */

static const struct wire_member probe_members[] = {
    TEXT(sandbox_probe, guarantee),
    TEXT(sandbox_probe, layer),
    MEMBER(WIRE_BOOL, sandbox_probe, holds),
    TEXT(sandbox_probe, text),
};
enum { PROBE_MEMBERS = sizeof probe_members / sizeof probe_members[0] };

int probe_write(const struct sandbox_probe *probe, struct buf *to)
{
    wire_add_members(to, probe_members, PROBE_MEMBERS, probe);
    return to->failed;
}

int probe_read(const char *bytes, size_t len, struct sandbox_probe *ret_probe)
{
    struct sandbox_probe probe = {0};
    int result = wire_read_members(bytes, len, probe_members, PROBE_MEMBERS, &probe);

    if (result == 0 && (!probe.guarantee || !probe.layer || !probe.text)) {
        result = -EBADMSG;
    }
    if (result < 0) {
        wire_free_members(probe_members, PROBE_MEMBERS, &probe);
        return result;
    }
    *ret_probe = probe;
    return 0;
}

void sandbox_probes_free(struct sandbox_probe *probes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        wire_free_members(probe_members, PROBE_MEMBERS, &probes[i]);
    }
    free(probes);
}
