/*
 * Runs one SQL program inside a cell, by DuckDB, and says on descriptor 3 what the outside wants to know.
 *
 * usage: sql [-f] [-a FOLDER]... [-p FILE]... [-m MEMORY] LIBRARY PROGRAM [PREAMBLE]
 *
 *   -f         DuckDB's own fence: files of the folders and files below only, no extension from elsewhere, settings locked
 *   -a, -p     a folder, a file that the fence lets through
 *   -m         DuckDB's own limit on memory, as it writes it ("512MB")
 *
 * Several statements run one after another; the last result of a query is printed as JSON: one value, one object for
 * a single row, else a list. Errors are DuckDB's own, with line and caret.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "duckdb.h"
#include "split.h"
#include "value.h"

enum { SAID = 3, SAID_ROWS = 200, SAID_BYTES = 48 << 10, PROGRAM_MAX = 1 << 20, PATHS_MAX = 512 };
enum { RETURNS_ROWS = 3 }; /* DUCKDB_RESULT_TYPE_QUERY_RESULT */

struct options {
    bool fence;
    const char *folders[PATHS_MAX], *files[PATHS_MAX], *memory;
    size_t folder_count, file_count;
};

struct last {
    struct duckdb_result result;
    bool there;
};

/* ---- saying ------------------------------------------------------------------------------------------------------- */

static void say(const char *line, size_t len)
{
    while (len > 0) {
        ssize_t done = write(SAID, line, len);
        if (done < 0 && errno != EINTR) {
            return; /* nobody listens */
        }
        if (done > 0) {
            line += done;
            len -= (size_t)done;
        }
    }
}

/* "LINE 3: SELECT x" in the message: the line, and its text. */
static unsigned find_line(const char *message, const char **ret_text, size_t *ret_len)
{
    const char *at = strstr(message, "\nLINE ");
    unsigned long line = at ? strtoul(at + 6, NULL, 10) : 0;
    const char *text = at ? strchr(at + 6, ':') : NULL;

    *ret_text = text ? text + 1 + (text[1] == ' ') : "";
    *ret_len = strcspn(*ret_text, "\n");
    return (unsigned)line;
}

/* "Parser Error: syntax error at ...": the type before the colon, the sentence after it. */
static void tell(const char *message)
{
    char *line = NULL;
    size_t size = 0, type = strcspn(message, ":\n");
    FILE *memory = open_memstream(&line, &size);
    const char *text;
    size_t text_len;
    unsigned at = find_line(message, &text, &text_len);

    fprintf(stderr, "%s\n", message);
    if (!memory) {
        return;
    }
    const char *sentence = message[type] == ':' ? message + type + 1 + (message[type + 1] == ' ') : message;
    fputs("{\"kind\": \"exception\", \"type\": ", memory);
    json_text(memory, message[type] == ':' ? message : "Error", message[type] == ':' ? type : 5);
    fputs(", \"message\": ", memory);
    json_text(memory, sentence, strcspn(sentence, "\n"));
    if (at) {
        fprintf(memory, ", \"frames\": [{\"line\": %u, \"function\": \"\", \"text\": ", at);
        json_text(memory, text, text_len);
        fputs("}]", memory);
    }
    fputs("}\n", memory);
    fclose(memory);
    say(line, size);
    free(line);
}

/* ---- the last result ---------------------------------------------------------------------------------------------- */

struct table {
    struct duckdb_result *result;
    uint64_t columns, rows, said_rows;
    duckdb_type *types; /* owned, each type too */
    char *first;        /* owned; the first row, before it is known whether there are more */
    size_t first_len;
    FILE *said; /* rows of the grid, as far as they are said */
    char *said_text;
    size_t said_len;
};

/* A row for whoever reads the answer: a value, or an object by the columns' names. */
static void write_row(FILE *to, struct table *table, duckdb_vector *vectors, uint64_t row)
{
    if (table->columns == 1) {
        json_value(to, table->types[0], vectors[0], row);
        return;
    }
    putc('{', to);
    for (uint64_t i = 0; i < table->columns; i++) {
        const char *name = duckdb.column_name(table->result, i);
        fputs(i ? ", " : "", to);
        json_text(to, name, strlen(name));
        fputs(": ", to);
        json_value(to, table->types[i], vectors[i], row);
    }
    putc('}', to);
}

/* The same for the grid: values alone. Bounded, since a grid is looked at. */
static void say_row(struct table *table, duckdb_vector *vectors, uint64_t row)
{
    fflush(table->said);
    if (table->said_rows == SAID_ROWS || table->said_len > SAID_BYTES) {
        return;
    }
    long before = ftell(table->said);
    fputs(table->said_rows ? ", [" : "[", table->said);
    for (uint64_t i = 0; i < table->columns; i++) {
        fputs(i ? ", " : "", table->said);
        json_value(table->said, table->types[i], vectors[i], row);
    }
    putc(']', table->said);
    fflush(table->said);
    if (table->said_len > SAID_BYTES) {
        fseek(table->said, before, SEEK_SET); /* a row that does not fit is left out whole */
        fflush(table->said);
        table->said_rows = SAID_ROWS;
    } else {
        table->said_rows++;
    }
}

static void take_row(struct table *table, duckdb_vector *vectors, uint64_t row)
{
    if (table->rows == 0) {
        FILE *memory = open_memstream(&table->first, &table->first_len);
        if (memory) {
            write_row(memory, table, vectors, row);
            fclose(memory);
        }
    } else {
        if (table->rows == 1) {
            printf("[\n%s", table->first);
        }
        fputs(",\n", stdout);
        write_row(stdout, table, vectors, row);
    }
    if (table->said) {
        say_row(table, vectors, row);
    }
    table->rows++;
}

static void take_chunks(struct table *table)
{
    duckdb_vector *vectors = calloc(table->columns, sizeof *vectors);
    duckdb_chunk chunk;

    while (vectors && (chunk = duckdb.fetch_chunk(*table->result))) {
        for (uint64_t i = 0; i < table->columns; i++) {
            vectors[i] = duckdb.data_chunk_get_vector(chunk, i);
        }
        for (uint64_t row = 0; row < duckdb.data_chunk_get_size(chunk); row++) {
            take_row(table, vectors, row);
        }
        duckdb.destroy_data_chunk(&chunk);
    }
    free(vectors);
}

static void say_table(struct table *table)
{
    char *line = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&line, &size);

    if (!memory) {
        return;
    }
    fputs("{\"kind\": \"result\", \"columns\": [", memory);
    for (uint64_t i = 0; i < table->columns; i++) {
        const char *name = duckdb.column_name(table->result, i);
        fputs(i ? ", " : "", memory);
        json_text(memory, name, strlen(name));
    }
    fputs("], \"types\": [", memory);
    for (uint64_t i = 0; i < table->columns; i++) {
        fputs(i ? ", \"" : "\"", memory);
        write_type(memory, table->types[i]);
        putc('"', memory);
    }
    fprintf(memory, "], \"rows\": [%.*s], \"total\": %llu}\n", (int)table->said_len, table->said_text,
            (unsigned long long)table->rows);
    fclose(memory);
    say(line, size);
    free(line);
}

static void print_result(struct duckdb_result *result)
{
    struct table table = {.result = result, .columns = duckdb.column_count(result)};

    table.types = calloc(table.columns, sizeof *table.types);
    for (uint64_t i = 0; table.types && i < table.columns; i++) {
        table.types[i] = duckdb.column_logical_type(result, i);
    }
    table.said = open_memstream(&table.said_text, &table.said_len);
    if (table.types && table.said) {
        take_chunks(&table);
        printf(table.rows > 1 ? "\n]\n" : "%s\n", table.rows ? table.first : "[]");
        fclose(table.said);
        say_table(&table);
        free(table.said_text);
    }
    for (uint64_t i = 0; table.types && i < table.columns; i++) {
        duckdb.destroy_logical_type(&table.types[i]);
    }
    free(table.types);
    free(table.first);
}

/* ---- running ------------------------------------------------------------------------------------------------------ */

static void keep(struct last *last, struct duckdb_result *result)
{
    if (duckdb.result_return_type(*result) != RETURNS_ROWS) {
        duckdb.destroy_result(result);
        return;
    }
    if (last->there) {
        duckdb.destroy_result(&last->result);
    }
    *last = (struct last){*result, true};
}

static bool run_statement(duckdb_connection connection, duckdb_extracted statements, uint64_t index, struct last *last)
{
    duckdb_prepared prepared = NULL;
    struct duckdb_result result = {0};
    bool done = false;

    if (duckdb.prepare_extracted_statement(connection, statements, index, &prepared) != DUCKDB_SUCCESS) {
        tell(duckdb.prepare_error(prepared));
    } else if (duckdb.execute_prepared(prepared, &result) != DUCKDB_SUCCESS) {
        tell(duckdb.result_error(&result));
        duckdb.destroy_result(&result);
    } else {
        keep(last, &result);
        done = true;
    }
    duckdb.destroy_prepare(&prepared);
    return done;
}

static bool run_piece(duckdb_connection connection, const char *text, struct last *last)
{
    duckdb_extracted statements = NULL;
    uint64_t count = duckdb.extract_statements(connection, text, &statements);
    const char *error = count ? NULL : duckdb.extract_statements_error(statements);
    bool done = !error;

    if (error) {
        tell(error);
    }
    for (uint64_t i = 0; done && i < count; i++) {
        done = run_statement(connection, statements, i, last);
    }
    duckdb.destroy_extracted(&statements);
    return done;
}

/*
 * One statement after another. What stands before it becomes blanks, so that
 * DuckDB's errors tell the program's own lines; `says`: each is told as the
 * place where the next accesses come from.
 */
static bool run_text(duckdb_connection connection, const char *text, bool says, struct last *last)
{
    char *piece = strdup(text), position[24];
    size_t at = 0, line = 1;
    bool done = piece != NULL;

    while (done && text[at]) {
        size_t length = statement_length(text + at);
        size_t blank = strspn(text + at, " \t\r\n");
        for (size_t i = at; i < at + blank; i++) {
            line += text[i] == '\n';
        }
        if (says && blank < length) {
            say(position, (size_t)snprintf(position, sizeof position, "@%zu\n", line));
        }
        memcpy(piece + at, text + at, length);
        piece[at + length] = '\0';
        done = run_piece(connection, piece, last);
        for (size_t i = at; i < at + length; i++) {
            line += i >= at + blank && text[i] == '\n';
            piece[i] = text[i] == '\n' ? '\n' : ' ';
        }
        at += length;
    }
    free(piece);
    return done;
}

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "re");
    char *text = calloc(1, PROGRAM_MAX + 2);
    size_t len = file && text ? fread(text, 1, PROGRAM_MAX + 1, file) : 0;

    if (file) {
        fclose(file);
    }
    if (len == 0 || len > PROGRAM_MAX) {
        fprintf(stderr, "sql: %s cannot be read\n", path);
        free(text);
        return NULL;
    }
    return text;
}

/* ---- opening ------------------------------------------------------------------------------------------------------ */

static void write_list(FILE *to, const char *setting, const char *const *paths, size_t count)
{
    fprintf(to, "SET %s = [", setting);
    for (size_t i = 0; i < count; i++) {
        fputs(i ? ", '" : "'", to);
        for (const char *at = paths[i]; *at; at++) {
            fprintf(to, *at == '\'' ? "''" : "%c", *at);
        }
        putc('\'', to);
    }
    fputs("];\n", to);
}

/* What DuckDB's documentation recommends for programs of strangers. */
static char *fence_text(const struct options *options)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);

    if (!to) {
        return NULL;
    }
    write_list(to, "allowed_directories", options->folders, options->folder_count);
    write_list(to, "allowed_paths", options->files, options->file_count);
    fputs("SET autoinstall_known_extensions = false;\nSET autoload_known_extensions = false;\n"
          "SET allow_community_extensions = false;\nSET enable_external_access = false;\n"
          "SET lock_configuration = true;\n",
          to);
    fclose(to);
    return text;
}

static bool open_database(const struct options *options, duckdb_connection *ret_connection)
{
    duckdb_database database = NULL;
    duckdb_config config = NULL;
    struct duckdb_result nothing = {0};
    char *why = NULL, *fence = options->fence ? fence_text(options) : NULL;
    bool done = duckdb.create_config(&config) == DUCKDB_SUCCESS && (fence || !options->fence);

    done = done && (!options->memory || duckdb.set_config(config, "memory_limit", options->memory) == DUCKDB_SUCCESS);
    done = done && duckdb.set_config(config, "threads", "2") == DUCKDB_SUCCESS;
    done = done && duckdb.open_ext(NULL, &database, config, &why) == DUCKDB_SUCCESS;
    done = done && duckdb.connect(database, ret_connection) == DUCKDB_SUCCESS;
    duckdb.destroy_config(&config);
    if (done && duckdb.query(*ret_connection, "SET TimeZone = 'UTC'; SET temp_directory = '/tmp/duckdb'", &nothing)) {
        why = (char *)duckdb.result_error(&nothing);
        done = false;
    }
    if (done && fence && duckdb.query(*ret_connection, fence, &nothing) != DUCKDB_SUCCESS) {
        why = (char *)duckdb.result_error(&nothing);
        done = false;
    }
    free(fence);
    if (!done) {
        fprintf(stderr, "sql: DuckDB cannot be opened: %s\n", why ? why : "out of memory");
    }
    return done;
}

static bool read_options(int argc, char **argv, struct options *options)
{
    int option;

    while ((option = getopt(argc, argv, "+fa:p:m:")) != -1) {
        if (option == 'f') {
            options->fence = true;
        } else if (option == 'm') {
            options->memory = optarg;
        } else if (option == 'a' && options->folder_count < PATHS_MAX) {
            options->folders[options->folder_count++] = optarg;
        } else if (option == 'p' && options->file_count < PATHS_MAX) {
            options->files[options->file_count++] = optarg;
        } else {
            return false;
        }
    }
    return argc - optind == 2 || argc - optind == 3;
}

int main(int argc, char **argv)
{
    struct options options = {0};
    struct last last = {0};
    duckdb_connection connection;
    const char *why;

    if (!read_options(argc, argv, &options)) {
        fprintf(stderr, "usage: sql [-f] [-a FOLDER]... [-p FILE]... [-m MEMORY] LIBRARY PROGRAM [PREAMBLE]\n");
        return 2;
    }
    char *program = read_text(argv[optind + 1]), *preamble = argc - optind == 3 ? read_text(argv[optind + 2]) : NULL;
    bool done = program && (preamble || argc - optind == 2);
    if (done && !duckdb_load(argv[optind], &why)) {
        fprintf(stderr, "sql: DuckDB cannot be loaded: %s\n", why);
        done = false;
    }
    done = done && open_database(&options, &connection);
    done = done && (!preamble || run_text(connection, preamble, false, &last));
    done = done && run_text(connection, program, true, &last);
    if (done && last.there) {
        print_result(&last.result);
    }
    fflush(NULL);
    _exit(done ? 0 : 1); /* what DuckDB holds, the kernel takes back faster */
}
