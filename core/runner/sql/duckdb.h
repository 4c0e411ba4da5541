/*
 * The part of DuckDB's C API that the runner uses, found in libduckdb.so when
 * it starts: nothing is needed to build it. After duckdb.h of DuckDB 1.5 (MIT);
 * sizes and numbers are that ABI's, stable since 1.2.
 */
#ifndef TECHO_RUNNER_SQL_DUCKDB_H
#define TECHO_RUNNER_SQL_DUCKDB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct duckdb_database_ *duckdb_database;
typedef struct duckdb_connection_ *duckdb_connection;
typedef struct duckdb_config_ *duckdb_config;
typedef struct duckdb_extracted_ *duckdb_extracted;
typedef struct duckdb_prepared_ *duckdb_prepared;
typedef struct duckdb_chunk_ *duckdb_chunk;
typedef struct duckdb_vector_ *duckdb_vector;
typedef struct duckdb_type_ *duckdb_type;

enum { DUCKDB_SUCCESS = 0 };

enum duckdb_type_id {
    DUCKDB_BOOLEAN = 1,
    DUCKDB_TINYINT = 2,
    DUCKDB_SMALLINT = 3,
    DUCKDB_INTEGER = 4,
    DUCKDB_BIGINT = 5,
    DUCKDB_UTINYINT = 6,
    DUCKDB_USMALLINT = 7,
    DUCKDB_UINTEGER = 8,
    DUCKDB_UBIGINT = 9,
    DUCKDB_FLOAT = 10,
    DUCKDB_DOUBLE = 11,
    DUCKDB_TIMESTAMP = 12,
    DUCKDB_DATE = 13,
    DUCKDB_TIME = 14,
    DUCKDB_INTERVAL = 15,
    DUCKDB_HUGEINT = 16,
    DUCKDB_VARCHAR = 17,
    DUCKDB_BLOB = 18,
    DUCKDB_DECIMAL = 19,
    DUCKDB_TIMESTAMP_S = 20,
    DUCKDB_TIMESTAMP_MS = 21,
    DUCKDB_TIMESTAMP_NS = 22,
    DUCKDB_ENUM = 23,
    DUCKDB_LIST = 24,
    DUCKDB_STRUCT = 25,
    DUCKDB_MAP = 26,
    DUCKDB_UUID = 27,
    DUCKDB_TIMESTAMP_TZ = 31,
    DUCKDB_UHUGEINT = 32,
    DUCKDB_ARRAY = 33,
};

struct duckdb_result {
    uint64_t column_count, row_count, rows_changed; /* deprecated; kept for their room */
    void *columns;
    char *message;
    void *internal;
};

struct duckdb_text { /* a value of a vector of texts */
    uint32_t length;
    char within[12]; /* the text when it is that short; else four bytes of it and a pointer to all */
};

struct duckdb_range { /* a value of a vector of lists */
    uint64_t offset, length;
};

struct duckdb_interval {
    int32_t months, days;
    int64_t micros;
};

/* name, result, arguments */
#define DUCKDB_FUNCTIONS(X)                                                                                             \
    X(create_config, int, (duckdb_config *))                                                                            \
    X(set_config, int, (duckdb_config, const char *, const char *))                                                     \
    X(destroy_config, void, (duckdb_config *))                                                                          \
    X(open_ext, int, (const char *, duckdb_database *, duckdb_config, char **))                                         \
    X(connect, int, (duckdb_database, duckdb_connection *))                                                             \
    X(query, int, (duckdb_connection, const char *, struct duckdb_result *))                                            \
    X(extract_statements, uint64_t, (duckdb_connection, const char *, duckdb_extracted *))                              \
    X(extract_statements_error, const char *, (duckdb_extracted))                                                       \
    X(prepare_extracted_statement, int, (duckdb_connection, duckdb_extracted, uint64_t, duckdb_prepared *))             \
    X(prepare_error, const char *, (duckdb_prepared))                                                                   \
    X(execute_prepared, int, (duckdb_prepared, struct duckdb_result *))                                                 \
    X(destroy_prepare, void, (duckdb_prepared *))                                                                       \
    X(destroy_extracted, void, (duckdb_extracted *))                                                                    \
    X(result_error, const char *, (struct duckdb_result *))                                                             \
    X(result_return_type, int, (struct duckdb_result))                                                                  \
    X(destroy_result, void, (struct duckdb_result *))                                                                   \
    X(column_count, uint64_t, (struct duckdb_result *))                                                                 \
    X(column_name, const char *, (struct duckdb_result *, uint64_t))                                                    \
    X(column_logical_type, duckdb_type, (struct duckdb_result *, uint64_t))                                             \
    X(fetch_chunk, duckdb_chunk, (struct duckdb_result))                                                                \
    X(destroy_data_chunk, void, (duckdb_chunk *))                                                                       \
    X(data_chunk_get_size, uint64_t, (duckdb_chunk))                                                                    \
    X(data_chunk_get_vector, duckdb_vector, (duckdb_chunk, uint64_t))                                                   \
    X(vector_get_data, void *, (duckdb_vector))                                                                         \
    X(vector_get_validity, uint64_t *, (duckdb_vector))                                                                 \
    X(list_vector_get_child, duckdb_vector, (duckdb_vector))                                                            \
    X(struct_vector_get_child, duckdb_vector, (duckdb_vector, uint64_t))                                                \
    X(array_vector_get_child, duckdb_vector, (duckdb_vector))                                                           \
    X(get_type_id, int, (duckdb_type))                                                                                  \
    X(destroy_logical_type, void, (duckdb_type *))                                                                      \
    X(list_type_child_type, duckdb_type, (duckdb_type))                                                                 \
    X(array_type_child_type, duckdb_type, (duckdb_type))                                                                \
    X(array_type_array_size, uint64_t, (duckdb_type))                                                                   \
    X(map_type_key_type, duckdb_type, (duckdb_type))                                                                    \
    X(map_type_value_type, duckdb_type, (duckdb_type))                                                                  \
    X(struct_type_child_count, uint64_t, (duckdb_type))                                                                 \
    X(struct_type_child_name, char *, (duckdb_type, uint64_t))                                                          \
    X(struct_type_child_type, duckdb_type, (duckdb_type, uint64_t))                                                     \
    X(decimal_scale, uint8_t, (duckdb_type))                                                                            \
    X(decimal_internal_type, int, (duckdb_type))                                                                        \
    X(enum_internal_type, int, (duckdb_type))                                                                           \
    X(enum_dictionary_value, char *, (duckdb_type, uint64_t))                                                           \
    X(free, void, (void *))

#define DUCKDB_FIELD(name, result, arguments) result(*name) arguments;
struct duckdb {
    DUCKDB_FUNCTIONS(DUCKDB_FIELD)
};
#undef DUCKDB_FIELD

extern struct duckdb duckdb;

/* Loads the library; false: *ret_why (borrowed) says what is missing. */
bool duckdb_load(const char *path, const char **ret_why);

#endif
