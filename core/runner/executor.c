/* The executors: where a program of each language can run. */
#include "../engine.h"

#include <string.h>

static const struct executor executors[] = {
    {
        .name = "python@sandbox",
        .short_name = "py",
        .language = "python",
        .isolation = "sandbox",
        .suffix = ".py",
        .comment = "#",
        .about = "CPython with pandas, pyarrow and matplotlib in techo's sandbox",
    },
    {
        .name = "sql@sandbox",
        .short_name = "sql",
        .language = "sql",
        .isolation = "sandbox",
        .suffix = ".sql",
        .comment = "--",
        .about = "DuckDB with its own fence, in techo's sandbox",
    },
    {
        .name = "python@process",
        .short_name = "proc",
        .language = "python",
        .isolation = "process",
        .suffix = ".py",
        .comment = "#",
        .about = "CPython in a process of its own, nothing else; in a decoy cell",
        .decoy = true,
    },
    {
        .name = "python@restricted",
        .short_name = "restr",
        .language = "python",
        .isolation = "restricted",
        .suffix = ".py",
        .comment = "#",
        .about = "RestrictedPython in a process of its own; in a decoy cell",
        .decoy = true,
    },
    {
        .name = "sql@duckdb",
        .short_name = "duck",
        .language = "sql",
        .isolation = "duckdb",
        .suffix = ".sql",
        .comment = "--",
        .about = "DuckDB with nothing set; in a decoy cell",
        .decoy = true,
    },
    {
        .name = "sql@fenced",
        .short_name = "fence",
        .language = "sql",
        .isolation = "fenced",
        .suffix = ".sql",
        .comment = "--",
        .about = "DuckDB with its own fence alone; in a decoy cell",
        .decoy = true,
    },
};

const struct executor *executor_at(size_t index)
{
    return index < sizeof executors / sizeof *executors ? &executors[index] : NULL;
}

const struct executor *executor_find(const char *name)
{
    const struct executor *executor;
    for (size_t i = 0; (executor = executor_at(i)); i++) {
        if (strcmp(executor->name, name) == 0 || strcmp(executor->short_name, name) == 0) {
            return executor;
        }
    }
    return NULL;
}

const struct executor *executor_for_language(const char *language)
{
    const struct executor *executor;
    for (size_t i = 0; (executor = executor_at(i)); i++) {
        if (strcmp(executor->language, language) == 0) {
            return executor;
        }
    }
    return NULL;
}
