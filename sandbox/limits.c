/*
 * Limits as values and as text: 20s, 1.5G, 64.
 */
#include "policy.h"
#include "policy_internal.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>

/* Room for the multiples that are kept (sixteen times `output`), and for a limit as a time on the clock. */
#define VALUE_MAX (INT64_MAX / 64)

enum unit_kind { UNIT_TIME, UNIT_SIZE, UNIT_COUNT };

static const struct {
    enum unit_kind unit;
    uint64_t standard;
} kinds[_LIMIT_MAX] = {
    [LIMIT_WALL] = {UNIT_TIME, 20 * UINT64_C(1000000)}, [LIMIT_CPU] = {UNIT_TIME, 20 * UINT64_C(1000000)},
    [LIMIT_MEMORY] = {UNIT_SIZE, UINT64_C(1) << 30},    [LIMIT_PROCESSES] = {UNIT_COUNT, 64},
    [LIMIT_OUTPUT] = {UNIT_SIZE, UINT64_C(1) << 20},    [LIMIT_DISK] = {UNIT_SIZE, UINT64_C(64) << 20},
};

struct unit {
    const char *name;
    uint64_t factor;
};
/* the greatest first: limit_format() takes the first that divides */
static const struct unit size_units[] = {
    {"T", UINT64_C(1) << 40},
    {"G", UINT64_C(1) << 30},
    {"M", UINT64_C(1) << 20},
    {"K", UINT64_C(1) << 10},
    {"B", 1},
    {0},
};
static const struct unit time_units[] = {
    {"h", UINT64_C(3600000000)},
    {"m", UINT64_C(60000000)},
    {"s", UINT64_C(1000000)},
    {"ms", UINT64_C(1000)},
    {"us", 1},
    {0},
};

void limits_default(struct limits *ret_limits)
{
    *ret_limits = (struct limits){0};
    for (int i = 0; i < _LIMIT_MAX; i++) {
        ret_limits->value[i] = kinds[i].standard;
    }
}

void limits_narrow(struct limits *limits, const struct limits *by)
{
    for (int i = 0; i < _LIMIT_MAX; i++) {
        if (by->given[i] && by->value[i] < limits->value[i]) {
            limits->value[i] = by->value[i];
            limits->given[i] = true;
        }
    }
}

int limit_format(enum limit limit, uint64_t value, struct buf *to)
{
    if (kinds[limit].unit == UNIT_COUNT) {
        return buf_addf(to, "%" PRIu64, value);
    }
    if (kinds[limit].unit == UNIT_SIZE) {
        const struct unit *unit = size_units;
        while (value % unit->factor != 0) {
            unit++;
        }
        return buf_addf(to, "%" PRIu64 "%s", value / unit->factor, unit->name);
    }
    /* seconds with what decimals they need, milliseconds below one second */
    const struct unit *unit = &time_units[value >= UINT64_C(1000000) || value == 0 ? 2 : value >= 1000 ? 3 : 4];
    buf_addf(to, "%" PRIu64, value / unit->factor);
    uint64_t rest = value % unit->factor;
    if (rest > 0) {
        buf_add_char(to, '.');
        for (uint64_t factor = unit->factor / 10; rest > 0; factor /= 10) {
            buf_add_char(to, (char)('0' + rest / factor));
            rest %= factor;
        }
    }
    return buf_add_text(to, unit->name);
}

/* The digits at *text as value * 10^decimals; false when there are none, or too many. */
static bool read_number(const char **text, uint64_t *ret_digits, unsigned *ret_decimals)
{
    uint64_t digits = 0;
    unsigned decimals = 0, count = 0;
    bool point = false;
    const char *at = *text;
    for (;; at++) {
        if (*at == '.' && !point && count > 0 && at[1] >= '0' && at[1] <= '9') {
            point = true;
        } else if (*at >= '0' && *at <= '9') {
            if (digits > (UINT64_MAX - 9) / 10) {
                return false;
            }
            digits = digits * 10 + (uint64_t)(*at - '0');
            decimals += point;
            count++;
        } else {
            break;
        }
    }
    *text = at;
    *ret_digits = digits;
    *ret_decimals = decimals;
    return count > 0;
}

static const struct unit *find_unit(enum unit_kind kind, const char *name)
{
    const struct unit *unit = kind == UNIT_TIME ? time_units : size_units;
    for (; unit->name; unit++) {
        /* 512m and 512M are the same size; m and ms are different times */
        if (kind == UNIT_SIZE ? strcasecmp(unit->name, name) == 0 : strcmp(unit->name, name) == 0) {
            return unit;
        }
    }
    return NULL;
}

int limit_parse(enum limit limit, const char *text, uint64_t *ret_value, const char **ret_problem)
{
    static const char *const needs[] = {
        [UNIT_TIME] = "is no time; write a number and a unit: 500ms, 1.5s, 2m, 1h",
        [UNIT_SIZE] = "is no size; write a number and a unit: 512K, 64M, 1G",
        [UNIT_COUNT] = "is no count; write a whole number: 64",
    };
    enum unit_kind kind = kinds[limit].unit;
    uint64_t digits;
    unsigned decimals;
    *ret_problem = needs[kind];
    if (!read_number(&text, &digits, &decimals)) {
        return -EINVAL;
    }
    if (digits == 0) {
        *ret_problem = "is 0; a limit must leave something";
        return -EINVAL;
    }
    static const struct unit one = {"", 1};
    const struct unit *unit = kind == UNIT_COUNT ? (*text || decimals > 0 ? NULL : &one) : find_unit(kind, text);
    if (!unit) {
        return -EINVAL;
    }
    unsigned __int128 value = (unsigned __int128)digits * unit->factor;
    while (decimals-- > 0) {
        value /= 10;
    }
    if (value == 0) {
        *ret_problem = "is less than the smallest unit";
        return -EINVAL;
    }
    if (value > (kind == UNIT_COUNT ? INT32_MAX : VALUE_MAX)) {
        *ret_problem = "is too large";
        return -EINVAL;
    }
    *ret_value = (uint64_t)value;
    return 0;
}
