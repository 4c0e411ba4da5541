/*
 * docs/session-format.md holds the tables of kinds and fields as core/event_table.c has them. This test fails when
 * they differ; with --write it puts the tables into the page.
 */
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../core/event.h"

#define PAGE "docs/session-format.md"
#define MARK "session_format_test --write -->\n"

static struct buf page, tables;

static void add_tables(struct buf *to)
{
    for (int kind = 0; kind < _EVENT_MAX; kind++) {
        const char *meaning = event_kind_meaning(kind);
        buf_addf(to, "\n### %s\n\n%c%s.\n\n", event_kind_name(kind), toupper(meaning[0]), meaning + 1);
        buf_add_text(to, "| field | type | | meaning |\n|---|---|---|---|\n");
        for (const struct event_field *field = event_fields(kind); field->name; field++) {
            buf_addf(to, "| `%s` | %s | %s| %s |\n", field->name, field_type_name(field->type),
                     field->required ? "required " : "", field->meaning);
        }
    }
}

/* Where the tables begin in the page. */
static size_t tables_offset(void)
{
    const char *mark = page.data ? strstr(page.data, MARK) : NULL;
    assert_non_null(mark);
    return (size_t)(mark - page.data) + strlen(MARK);
}

static int read_page(void **state)
{
    (void)state;
    char part[4096];
    size_t n;
    buf_init(&page, 1 << 20);
    buf_init(&tables, 1 << 20);
    FILE *stream = fopen(PAGE, "re");
    if (!stream) {
        return -1;
    }
    while ((n = fread(part, 1, sizeof(part), stream)) > 0) {
        buf_add(&page, part, n);
    }
    fclose(stream);
    add_tables(&tables);
    return page.failed || tables.failed;
}

static int forget_page(void **state)
{
    (void)state;
    buf_done(&page);
    buf_done(&tables);
    return 0;
}

static void the_page_shows_the_table_of_events(void **state)
{
    (void)state;
    assert_string_equal(page.data + tables_offset(), tables.data);
}

static void the_tables_are_written_into_the_page(void **state)
{
    (void)state;
    FILE *stream = fopen(PAGE, "we");
    assert_non_null(stream);
    size_t head = tables_offset();
    assert_int_equal(fwrite(page.data, 1, head, stream), head);
    assert_int_equal(fwrite(tables.data, 1, tables.len, stream), tables.len);
    assert_int_equal(fclose(stream), 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest compare[] = {cmocka_unit_test(the_page_shows_the_table_of_events)};
    const struct CMUnitTest rewrite[] = {cmocka_unit_test(the_tables_are_written_into_the_page)};
    bool writes = argc > 1 && strcmp(argv[1], "--write") == 0;
    return writes ? cmocka_run_group_tests(rewrite, read_page, forget_page)
                  : cmocka_run_group_tests(compare, read_page, forget_page);
}
