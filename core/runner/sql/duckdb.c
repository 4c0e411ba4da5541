/* Finds DuckDB's functions in its shared library. */
#include "duckdb.h"

#include <dlfcn.h>
#include <string.h>

struct duckdb duckdb;

bool duckdb_load(const char *path, const char **ret_why)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *symbol;

    if (!library) {
        *ret_why = dlerror();
        return false;
    }
#define DUCKDB_FIND(name, result, arguments)                                                                            \
    symbol = dlsym(library, "duckdb_" #name);                                                                           \
    if (!symbol) {                                                                                                      \
        *ret_why = "duckdb_" #name " is missing in it";                                                                 \
        return false;                                                                                                   \
    }                                                                                                                   \
    memcpy(&duckdb.name, &symbol, sizeof symbol); /* ISO C has no cast from an object to a function */
    DUCKDB_FUNCTIONS(DUCKDB_FIND)
#undef DUCKDB_FIND
    return true;
}
