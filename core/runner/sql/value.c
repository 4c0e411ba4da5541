/* Values of DuckDB's vectors as JSON. */
#include "value.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS_MAX = 48 };

void json_text(FILE *to, const char *text, size_t len)
{
    putc('"', to);
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == '"' || c == '\\') {
            fprintf(to, "\\%c", c);
        } else if (c < 0x20) {
            fprintf(to, "\\u%04x", c);
        } else {
            putc(c, to);
        }
    }
    putc('"', to);
}

/* ---- numbers ------------------------------------------------------------------------------------------------------ */

/* The shortest text that reads back as the same number; JSON has no infinity. */
static void write_real(FILE *to, double value, int most)
{
    char text[40];

    if (!isfinite(value)) {
        fprintf(to, isnan(value) ? "\"nan\"" : value > 0 ? "\"inf\"" : "\"-inf\"");
        return;
    }
    for (int digits = most == 9 ? 6 : 15; digits <= most; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (most == 9 ? strtof(text, NULL) == (float)value : strtod(text, NULL) == value) {
            break;
        }
    }
    fputs(text, to);
}

/* With `scale` digits behind the point. */
static void write_digits(FILE *to, unsigned __int128 value, bool negative, unsigned scale)
{
    char text[DIGITS_MAX];
    size_t at = sizeof text;

    text[--at] = '\0';
    for (unsigned i = 0; value || i <= scale; i++) {
        if (i == scale && scale) {
            text[--at] = '.';
        }
        text[--at] = (char)('0' + (int)(value % 10));
        value /= 10;
    }
    if (negative) {
        text[--at] = '-';
    }
    fputs(text + at, to);
}

static void write_signed(FILE *to, __int128 value, unsigned scale)
{
    write_digits(to, value < 0 ? -(unsigned __int128)value : (unsigned __int128)value, value < 0, scale);
}

static __int128 read_integer(int id, const void *data, uint64_t row)
{
    __int128 wide;

    switch (id) {
    case DUCKDB_TINYINT:
        return ((const int8_t *)data)[row];
    case DUCKDB_SMALLINT:
        return ((const int16_t *)data)[row];
    case DUCKDB_INTEGER:
        return ((const int32_t *)data)[row];
    case DUCKDB_UTINYINT:
        return ((const uint8_t *)data)[row];
    case DUCKDB_USMALLINT:
        return ((const uint16_t *)data)[row];
    case DUCKDB_UINTEGER:
        return ((const uint32_t *)data)[row];
    case DUCKDB_UBIGINT:
        return ((const uint64_t *)data)[row];
    case DUCKDB_HUGEINT:
        memcpy(&wide, (const char *)data + row * sizeof wide, sizeof wide); /* low half first, not aligned for us */
        return wide;
    default:
        return ((const int64_t *)data)[row];
    }
}

/* ---- days and moments --------------------------------------------------------------------------------------------- */

/* Days since 1970 as a date of the Gregorian calendar. */
static void write_day(FILE *to, int64_t days)
{
    int64_t shifted = days + 719468; /* since 1 March of the year 0 */
    int64_t era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
    int64_t of_era = shifted - era * 146097;
    int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
    int64_t month = (5 * of_year + 2) / 153;

    fprintf(to, "%04" PRId64 "-%02" PRId64 "-%02" PRId64, year + era * 400 + (month >= 10),
            month < 10 ? month + 3 : month - 9, of_year - (153 * month + 2) / 5 + 1);
}

static void write_time(FILE *to, int64_t micros)
{
    int64_t seconds = micros / 1000000;

    fprintf(to, "%02" PRId64 ":%02" PRId64 ":%02" PRId64, seconds / 3600, seconds / 60 % 60, seconds % 60);
    if (micros % 1000000) {
        fprintf(to, ".%06" PRId64, micros % 1000000);
    }
}

static void write_moment(FILE *to, int64_t value, int64_t per_second, const char *zone)
{
    int64_t seconds = value / per_second, rest = value % per_second;

    if (value == INT64_MAX || value == -INT64_MAX) {
        fputs(value > 0 ? "\"infinity\"" : "\"-infinity\"", to);
        return;
    }
    if (rest < 0) {
        rest += per_second;
        seconds--;
    }
    int64_t days = seconds >= 0 ? seconds / 86400 : -((86399 - seconds) / 86400);
    putc('"', to);
    write_day(to, days);
    putc(zone[0] ? 'T' : ' ', to);
    write_time(to, (seconds - days * 86400) * 1000000 + rest * 1000000 / per_second);
    fprintf(to, "%s\"", zone);
}

static void write_interval(FILE *to, const struct duckdb_interval *interval)
{
    int64_t micros = interval->micros;

    fprintf(to, "\"%" PRId32 " months %" PRId32 " days %s", interval->months, interval->days, micros < 0 ? "-" : "");
    write_time(to, micros < 0 ? -micros : micros);
    putc('"', to);
}

/* ---- texts -------------------------------------------------------------------------------------------------------- */

static const char *text_start(const struct duckdb_text *text)
{
    const char *start = text->within;

    if (text->length > sizeof text->within) {
        memcpy(&start, text->within + 4, sizeof start);
    }
    return start;
}

static void write_blob(FILE *to, const struct duckdb_text *blob)
{
    const char *bytes = text_start(blob);

    putc('"', to);
    for (uint32_t i = 0; i < blob->length; i++) {
        fprintf(to, "%02x", (unsigned char)bytes[i]);
    }
    putc('"', to);
}

static void write_uuid(FILE *to, unsigned __int128 value)
{
    value ^= (unsigned __int128)1 << 127; /* kept so that it sorts as a signed number */
    putc('"', to);
    for (int i = 0; i < 32; i++) {
        fprintf(to, "%s%x", i == 8 || i == 12 || i == 16 || i == 20 ? "-" : "", (unsigned)(value >> (124 - 4 * i)) & 15);
    }
    putc('"', to);
}

static void write_enum(FILE *to, duckdb_type type, const void *data, uint64_t row)
{
    char *text = duckdb.enum_dictionary_value(type, (uint64_t)read_integer(duckdb.enum_internal_type(type), data, row));

    json_text(to, text ? text : "", text ? strlen(text) : 0);
    duckdb.free(text);
}

/* ---- nested ------------------------------------------------------------------------------------------------------- */

static void write_items(FILE *to, duckdb_type child, duckdb_vector vector, uint64_t from, uint64_t count)
{
    putc('[', to);
    for (uint64_t i = 0; i < count; i++) {
        fputs(i ? ", " : "", to);
        json_value(to, child, vector, from + i);
    }
    putc(']', to);
    duckdb.destroy_logical_type(&child);
}

static void write_struct(FILE *to, duckdb_type type, duckdb_vector vector, uint64_t row)
{
    putc('{', to);
    for (uint64_t i = 0; i < duckdb.struct_type_child_count(type); i++) {
        char *name = duckdb.struct_type_child_name(type, i);
        duckdb_type child = duckdb.struct_type_child_type(type, i);
        fputs(i ? ", " : "", to);
        json_text(to, name, strlen(name));
        fputs(": ", to);
        json_value(to, child, duckdb.struct_vector_get_child(vector, i), row);
        duckdb.destroy_logical_type(&child);
        duckdb.free(name);
    }
    putc('}', to);
}

/* A map's keys may be of any type: those that are no texts are written as the text of their JSON. */
static void write_map(FILE *to, duckdb_type type, duckdb_vector vector, const struct duckdb_range *range)
{
    duckdb_vector pairs = duckdb.list_vector_get_child(vector);
    duckdb_type key = duckdb.map_type_key_type(type), value = duckdb.map_type_value_type(type);

    putc('{', to);
    for (uint64_t i = 0; i < range->length; i++) {
        char *text = NULL;
        size_t size = 0;
        FILE *memory = open_memstream(&text, &size);
        fputs(i ? ", " : "", to);
        if (memory) {
            json_value(memory, key, duckdb.struct_vector_get_child(pairs, 0), range->offset + i);
            fclose(memory);
            if (*text == '"') {
                fputs(text, to);
            } else {
                json_text(to, text, size);
            }
        }
        free(text);
        fputs(": ", to);
        json_value(to, value, duckdb.struct_vector_get_child(pairs, 1), range->offset + i);
    }
    putc('}', to);
    duckdb.destroy_logical_type(&key);
    duckdb.destroy_logical_type(&value);
}

static void write_nested(FILE *to, int id, duckdb_type type, duckdb_vector vector, uint64_t row)
{
    const void *data = duckdb.vector_get_data(vector);

    if (id == DUCKDB_LIST) {
        const struct duckdb_range *range = (const struct duckdb_range *)data + row;
        write_items(to, duckdb.list_type_child_type(type), duckdb.list_vector_get_child(vector), range->offset,
                    range->length);
    } else if (id == DUCKDB_ARRAY) {
        uint64_t size = duckdb.array_type_array_size(type);
        write_items(to, duckdb.array_type_child_type(type), duckdb.array_vector_get_child(vector), row * size, size);
    } else if (id == DUCKDB_STRUCT) {
        write_struct(to, type, vector, row);
    } else {
        write_map(to, type, vector, (const struct duckdb_range *)data + row);
    }
}

void json_value(FILE *to, duckdb_type type, duckdb_vector vector, uint64_t row)
{
    const uint64_t *valid = duckdb.vector_get_validity(vector);
    const void *data = duckdb.vector_get_data(vector);
    int id = duckdb.get_type_id(type);

    if (valid && !(valid[row / 64] >> (row % 64) & 1)) {
        fputs("null", to);
        return;
    }
    switch (id) {
    case DUCKDB_BOOLEAN:
        fputs(((const bool *)data)[row] ? "true" : "false", to);
        break;
    case DUCKDB_FLOAT:
        write_real(to, (double)((const float *)data)[row], 9);
        break;
    case DUCKDB_DOUBLE:
        write_real(to, ((const double *)data)[row], 17);
        break;
    case DUCKDB_TINYINT:
    case DUCKDB_SMALLINT:
    case DUCKDB_INTEGER:
    case DUCKDB_BIGINT:
    case DUCKDB_UTINYINT:
    case DUCKDB_USMALLINT:
    case DUCKDB_UINTEGER:
    case DUCKDB_UBIGINT:
    case DUCKDB_HUGEINT:
        write_signed(to, read_integer(id, data, row), 0);
        break;
    case DUCKDB_UHUGEINT:
        write_digits(to, (unsigned __int128)read_integer(DUCKDB_HUGEINT, data, row), false, 0);
        break;
    case DUCKDB_DECIMAL:
        write_signed(to, read_integer(duckdb.decimal_internal_type(type), data, row), duckdb.decimal_scale(type));
        break;
    case DUCKDB_DATE:
        putc('"', to);
        write_day(to, ((const int32_t *)data)[row]);
        putc('"', to);
        break;
    case DUCKDB_TIME:
        putc('"', to);
        write_time(to, ((const int64_t *)data)[row]);
        putc('"', to);
        break;
    case DUCKDB_TIMESTAMP:
    case DUCKDB_TIMESTAMP_TZ:
        write_moment(to, ((const int64_t *)data)[row], 1000000, id == DUCKDB_TIMESTAMP ? "" : "Z");
        break;
    case DUCKDB_TIMESTAMP_S:
        write_moment(to, ((const int64_t *)data)[row], 1, "");
        break;
    case DUCKDB_TIMESTAMP_MS:
        write_moment(to, ((const int64_t *)data)[row], 1000, "");
        break;
    case DUCKDB_TIMESTAMP_NS:
        write_moment(to, ((const int64_t *)data)[row], 1000000000, "");
        break;
    case DUCKDB_INTERVAL:
        write_interval(to, (const struct duckdb_interval *)data + row);
        break;
    case DUCKDB_VARCHAR:
        json_text(to, text_start((const struct duckdb_text *)data + row), ((const struct duckdb_text *)data)[row].length);
        break;
    case DUCKDB_BLOB:
        write_blob(to, (const struct duckdb_text *)data + row);
        break;
    case DUCKDB_UUID:
        write_uuid(to, (unsigned __int128)read_integer(DUCKDB_HUGEINT, data, row));
        break;
    case DUCKDB_ENUM:
        write_enum(to, type, data, row);
        break;
    case DUCKDB_LIST:
    case DUCKDB_ARRAY:
    case DUCKDB_STRUCT:
    case DUCKDB_MAP:
        write_nested(to, id, type, vector, row);
        break;
    default:
        fputs("\"(cast this to VARCHAR to see it)\"", to);
    }
}

void write_type(FILE *to, duckdb_type type)
{
    static const char *const names[] = {
        [DUCKDB_BOOLEAN] = "BOOLEAN",     [DUCKDB_TINYINT] = "TINYINT",           [DUCKDB_SMALLINT] = "SMALLINT",
        [DUCKDB_INTEGER] = "INTEGER",     [DUCKDB_BIGINT] = "BIGINT",             [DUCKDB_UTINYINT] = "UTINYINT",
        [DUCKDB_USMALLINT] = "USMALLINT", [DUCKDB_UINTEGER] = "UINTEGER",         [DUCKDB_UBIGINT] = "UBIGINT",
        [DUCKDB_FLOAT] = "FLOAT",         [DUCKDB_DOUBLE] = "DOUBLE",             [DUCKDB_TIMESTAMP] = "TIMESTAMP",
        [DUCKDB_DATE] = "DATE",           [DUCKDB_TIME] = "TIME",                 [DUCKDB_INTERVAL] = "INTERVAL",
        [DUCKDB_HUGEINT] = "HUGEINT",     [DUCKDB_VARCHAR] = "VARCHAR",           [DUCKDB_BLOB] = "BLOB",
        [DUCKDB_DECIMAL] = "DECIMAL",     [DUCKDB_TIMESTAMP_S] = "TIMESTAMP_S",   [DUCKDB_TIMESTAMP_MS] = "TIMESTAMP_MS",
        [DUCKDB_ENUM] = "ENUM",           [DUCKDB_TIMESTAMP_NS] = "TIMESTAMP_NS", [DUCKDB_LIST] = "LIST",
        [DUCKDB_STRUCT] = "STRUCT",       [DUCKDB_MAP] = "MAP",                   [DUCKDB_UUID] = "UUID",
        [DUCKDB_UHUGEINT] = "UHUGEINT",   [DUCKDB_TIMESTAMP_TZ] = "TIMESTAMPTZ",  [DUCKDB_ARRAY] = "ARRAY",
    };
    int id = duckdb.get_type_id(type);

    fputs(id > 0 && id < (int)(sizeof names / sizeof *names) && names[id] ? names[id] : "OTHER", to);
}
