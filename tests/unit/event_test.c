/* Events: setting and reading fields, and the lines that they become. */
#include "../../core/event.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NOTE_HEAD "{\"seq\":1,\"t\":2,\"kind\":\"note\""

static char *line_of(const struct event *event)
{
    struct buf line;
    buf_init(&line, 1 << 20);
    assert_int_equal(event_format(event, &line), 0);
    return buf_steal(&line);
}

static struct event *parse(const char *line)
{
    struct event *event = NULL;
    struct err err = {0};
    if (event_parse(line, strlen(line), &event, &err) < 0) {
        fail_msg("%s: %s", line, err.text);
    }
    return event;
}

static struct event *output_of(const void *bytes, size_t len)
{
    struct event *event = event_new(EVENT_OUTPUT);
    event->seq = 9;
    event_set_int(event, "stream", 1);
    event_set_bytes(event, "bytes", bytes, len);
    return event;
}

static void every_kind_has_a_name_a_meaning_and_described_fields(void **state)
{
    (void)state;
    for (int kind = 0; kind < _EVENT_MAX; kind++) {
        assert_int_equal(event_kind_find(event_kind_name(kind)), kind);
        assert_true(strlen(event_kind_meaning(kind)) > 0);
        assert_non_null(event_fields(kind)[0].name);
        for (const struct event_field *field = event_fields(kind); field->name; field++) {
            static const char *const header[] = {"seq", "t", "kind", "question", "lane", "attempt", "cause"};
            assert_ptr_equal(event_field_find(kind, field->name), field); /* no name twice */
            assert_true(strlen(field->meaning) > 0);
            for (size_t i = 0; i < sizeof(header) / sizeof(header[0]); i++) {
                assert_string_not_equal(field->name, header[i]);
            }
        }
    }
    assert_int_equal(event_kind_find("sausage"), -1);
    assert_null(event_field_find(EVENT_NOTE, "sausage"));
}

static void a_line_begins_with_the_header_and_leaves_zeros_out(void **state)
{
    (void)state;
    struct event *event = event_new(EVENT_EXIT);
    event->seq = 7;
    event->t = 1500;
    event->question = 3;
    event->attempt = 2;
    event_set_text(event, "status", "ok");
    event_set_int(event, "code", 0);
    char *line = line_of(event);
    assert_string_equal(
        line, "{\"seq\":7,\"t\":1500,\"kind\":\"exit\",\"question\":3,\"attempt\":2,\"status\":\"ok\",\"code\":0}");
    free(line);
    event_free(event);
}

static void setters_replace_and_getters_fall_back(void **state)
{
    (void)state;
    struct event *event = event_new(EVENT_RESPONSE);
    event_set_text(event, "finish", "failed");
    event_set_text(event, "finish", "complete");
    event_set_text(event, "finish", NULL);
    event_set_real(event, "cost", 0.25);
    event_set_real(event, "cost", NAN); /* JSON has none */
    event_set_int(event, "tokens_in", INT64_MAX);
    assert_string_equal(event_text(event, "finish", "?"), "complete");
    assert_string_equal(event_text(event, "finish_raw", "?"), "?");
    assert_true(event_real(event, "cost", 0) == 0.25);
    assert_int_equal(event_int(event, "tokens_in", 0), (int64_t)1 << 53);
    assert_int_equal(event_int(event, "finish", 5), 5);
    assert_true(event_bool(event, "finish", true));
    assert_null(event_json(event, "retries"));
    assert_false(event->failed);
    event_free(event);
    event_set_text(NULL, "finish", "x");
    event_set_json(NULL, "finish", cJSON_CreateArray());
}

static void bytes_come_back_as_they_were(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t len;
        const char *written;
    } cases[] = {
        {"", 0, "\"bytes\":\"\""},
        {"plain\n", 6, "\"bytes\":\"plain\\n\""},
        {"\x1b[2J\x7f", 5, "\"bytes\":\"\\u001b[2J\x7f\""},
        {"{\"a\":1}\\", 8, "\"bytes\":\"{\\\"a\\\":1}\\\\\""},
        {"a,\"b\"\r\n", 7, "\"bytes\":\"a,\\\"b\\\"\\r\\n\""},
        {"\xc3\xa9", 2, "\"bytes\":\"\xc3\xa9\""},
        {"a\0b", 3, "{\"base64\":\"YQBi\"}"},
        {"\xff", 1, "{\"base64\":\"/w==\"}"},
        {"\xff\xfe", 2, "{\"base64\":\"//4=\"}"},
        {"\xc0\xaf", 2, "{\"base64\":\"wK8=\"}"},             /* overlong */
        {"\xed\xa0\x80", 3, "{\"base64\":\"7aCA\"}"},         /* a surrogate */
        {"\xe2\x82", 2, "{\"base64\":\"4oI=\"}"},             /* cut */
        {"\xf4\x90\x80\x80", 4, "{\"base64\":\"9JCAgA==\"}"}, /* above U+10FFFF */
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct event *event = output_of(cases[i].bytes, cases[i].len);
        char *line = line_of(event);
        struct event *again = parse(line);
        struct buf bytes;
        buf_init(&bytes, 100);
        assert_non_null(strstr(line, cases[i].written));
        assert_int_equal(event_bytes(again, "bytes", &bytes), 0);
        assert_int_equal(bytes.len, cases[i].len);
        assert_true(bytes.len == 0 || memcmp(bytes.data, cases[i].bytes, bytes.len) == 0);
        buf_done(&bytes);
        free(line);
        event_free(again);
        event_free(event);
    }
}

static void bad_base64_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"A", "AA", "AAA", "A===", "====", "AA=A", "A?==", "AAAA=", "=AAA", "AAAA AAA"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        char line[256];
        struct buf bytes;
        buf_init(&bytes, 100);
        snprintf(line, sizeof(line),
                 "{\"seq\":1,\"t\":0,\"kind\":\"output\",\"stream\":1,\"bytes\":{\"base64\":\"%s\"}}", bad[i]);
        struct event *event = parse(line);
        assert_int_equal(event_bytes(event, "bytes", &bytes), -EINVAL);
        event_free(event);
        buf_done(&bytes);
    }
}

static void texts_that_are_not_utf8_become_so_wherever_they_are(void **state)
{
    (void)state;
    struct event *event = event_new(EVENT_ACCESS);
    event_set_text(event, "given", "a\xff/\xc3\xa9\xc3");
    assert_string_equal(event_text(event, "given", ""), "a\\xff/\xc3\xa9\\xc3");
    event_free(event);
    event = event_new(EVENT_SESSION);
    cJSON *object = cJSON_CreateObject(), *list = cJSON_AddArrayToObject(object, "k\xfe");
    cJSON_AddItemToArray(list, cJSON_CreateString("v\xfd"));
    event_set_json(event, "parameters", object);
    char *line = line_of(event);
    assert_non_null(strstr(line, "{\"k\\\\xfe\":[\"v\\\\xfd\"]}"));
    free(line);
    event_free(event);
}

static void unknown_fields_are_kept(void **state)
{
    (void)state;
    static const char line[] = NOTE_HEAD ",\"cause\":1,\"text\":\"a\",\"from_the_future\":{\"x\":[1,null]}}";
    struct event *event = parse(line);
    char *again = line_of(event);
    assert_int_equal(event->cause, 1);
    assert_string_equal(again, line);
    free(again);
    event_free(event);
}

static void a_newline_and_blanks_around_the_object_are_allowed(void **state)
{
    (void)state;
    event_free(parse(" " NOTE_HEAD ",\"text\":\"a\"} \r\n"));
}

static void lines_that_are_no_event_are_refused_with_the_reason(void **state)
{
    (void)state;
    static const struct {
        const char *line, *says;
    } cases[] = {
        {"", "not one JSON object"},
        {"null", "not one JSON object"},
        {"[]", "not one JSON object"},
        {"{", "not one JSON object"},
        {NOTE_HEAD ",\"text\":\"a\"} x", "not one JSON object"},
        {NOTE_HEAD ",\"text\":\"a\"}" NOTE_HEAD ",\"text\":\"a\"}", "not one JSON object"},
        {NOTE_HEAD ",\"text\":\"\\ud800\"}", "not one JSON object"},
        {NOTE_HEAD ",\"text\":\"\xff\"}", "not UTF-8"},
        {NOTE_HEAD ",\"text\":\"a\\u0000b\"}", "character NUL"},
        {"{}", "seq is missing"},
        {"{\"seq\":0,\"t\":0,\"kind\":\"note\",\"text\":\"\"}", "seq is 0"},
        {"{\"seq\":-1,\"t\":0,\"kind\":\"note\",\"text\":\"\"}", "seq is no whole number"},
        {"{\"seq\":1.5,\"t\":0,\"kind\":\"note\",\"text\":\"\"}", "seq is no whole number"},
        {"{\"seq\":1e99,\"t\":0,\"kind\":\"note\",\"text\":\"\"}", "seq is no whole number"},
        {"{\"seq\":\"1\",\"t\":0,\"kind\":\"note\",\"text\":\"\"}", "seq is no whole number"},
        {"{\"seq\":1,\"seq\":2,\"t\":0,\"kind\":\"note\",\"text\":\"\"}", "seq is given twice"},
        {"{\"seq\":1,\"kind\":\"note\",\"text\":\"\"}", "t is missing"},
        {"{\"seq\":1,\"t\":0,\"text\":\"\"}", "kind is missing"},
        {"{\"seq\":1,\"t\":0,\"kind\":\"note\",\"kind\":\"end\",\"text\":\"\"}", "kind is given twice"},
        {"{\"seq\":1,\"t\":0,\"kind\":\"\\u001b[2J\"}", "there is no kind \"\\x1b[2J\""},
        {NOTE_HEAD "}", "text of note is missing"},
        {NOTE_HEAD ",\"text\":1}", "text of note must be: text"},
        {NOTE_HEAD ",\"text\":\"\",\"attempt\":[]}", "attempt is no whole number"},
        {"{\"seq\":1,\"t\":0,\"kind\":\"output\",\"stream\":1,\"bytes\":{}}", "bytes of output must be: bytes"},
        {"{\"seq\":1,\"t\":0,\"kind\":\"output\",\"stream\":0.5,\"bytes\":\"\"}", "stream of output must be: integer"},
        {"{\"seq\":1,\"t\":0,\"kind\":\"ceiling\",\"id\":\"\",\"source\":\"\",\"items\":{}}",
         "items of ceiling must be: list"},
        {"{\"seq\":1,\"t\":0,\"kind\":\"run\",\"executor\":\"\",\"warm\":1}", "warm of run must be: true or false"},
        {"{\"seq\":1,\"t\":0,\"kind\":\"run\",\"executor\":\"\",\"limits\":[]}", "limits of run must be: object"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct event *event = NULL;
        struct err err = {0};
        assert_int_equal(event_parse(cases[i].line, strlen(cases[i].line), &event, &err), -EINVAL);
        if (!strstr(err.text, cases[i].says)) {
            fail_msg("%s: %s", cases[i].line, err.text);
        }
        assert_null(event);
    }
}

static void a_nul_byte_and_deep_nesting_are_refused(void **state)
{
    (void)state;
    static char deep[20000];
    struct event *event = NULL;
    struct err err = {0};
    assert_int_equal(event_parse(NOTE_HEAD "\0}", sizeof(NOTE_HEAD "\0}") - 1, &event, &err), -EINVAL);
    memset(deep, '[', sizeof(deep) - 1);
    assert_int_equal(event_parse(deep, strlen(deep), &event, &err), -EINVAL);
}

static void a_line_that_does_not_fit_says_so(void **state)
{
    (void)state;
    struct event *event = output_of("abc", 3);
    struct buf line;
    buf_init(&line, 10);
    assert_int_equal(event_format(event, &line), -EFBIG);
    buf_done(&line);
    event_free(event);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_has_a_name_a_meaning_and_described_fields),
        cmocka_unit_test(a_line_begins_with_the_header_and_leaves_zeros_out),
        cmocka_unit_test(setters_replace_and_getters_fall_back),
        cmocka_unit_test(bytes_come_back_as_they_were),
        cmocka_unit_test(bad_base64_is_refused),
        cmocka_unit_test(texts_that_are_not_utf8_become_so_wherever_they_are),
        cmocka_unit_test(unknown_fields_are_kept),
        cmocka_unit_test(a_newline_and_blanks_around_the_object_are_allowed),
        cmocka_unit_test(lines_that_are_no_event_are_refused_with_the_reason),
        cmocka_unit_test(a_nul_byte_and_deep_nesting_are_refused),
        cmocka_unit_test(a_line_that_does_not_fit_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
