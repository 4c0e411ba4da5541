/* The reducer: what each event changes, what makes no sense, and that memory may run out anywhere. */
#include "../../core/state.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../core/session.h"

#define SAMPLE "tests/data/sample-session.jsonl"
#define QUESTION "\"kind\":\"question\",\"text\":\"how many?\",\"executor\":\"python@sandbox\""
#define IN_ATTEMPT "\"question\":1,\"attempt\":1,"

/* Applies events, given as their members without seq and t: seq counts from 1, t is 10 times that. */
static struct state *apply_all(const char *const *members)
{
    struct state *state = state_new();
    for (size_t i = 0; members[i]; i++) {
        char line[2048];
        struct event *event = NULL;
        struct err err = {0};
        int len = snprintf(line, sizeof(line), "{\"seq\":%zu,\"t\":%zu,%s}", i + 1, 10 * (i + 1), members[i]);
        if (event_parse(line, (size_t)len, &event, &err) < 0) {
            fail_msg("%s: %s", line, err.text);
        }
        assert_int_equal(state_apply(state, event), 0);
        event_free(event);
    }
    return state;
}
#define APPLY(...) apply_all((const char *const[]){__VA_ARGS__, NULL})

static const struct state_attempt *only_attempt(const struct state *state)
{
    assert_int_equal(state->question_count, 1);
    assert_int_equal(state->questions[0]->attempt_count, 1);
    return state->questions[0]->attempts[0];
}

static char *dump(const struct state *state)
{
    struct buf text;
    buf_init(&text, 1 << 26);
    assert_int_equal(state_format(state, &text), 0);
    return buf_steal(&text);
}

static void an_attempt_begins_with_the_first_event_that_names_it(void **unused)
{
    (void)unused;
    struct state *state =
        APPLY(QUESTION, "\"question\":1,\"kind\":\"prompt\",\"body\":[]", IN_ATTEMPT "\"kind\":\"usage\"",
              "\"question\":1,\"lane\":2,\"attempt\":1,\"kind\":\"usage\"");
    const struct state_question *question = state->questions[0];
    assert_int_equal(question->attempt_count, 2);
    assert_int_equal(state_attempt(question, 0, 1)->seq, 3);
    assert_int_equal(state_attempt(question, 2, 1)->seq, 4);
    assert_null(state_attempt(question, 2, 2));
    assert_ptr_equal(state_last_attempt(question), question->attempts[1]);
    assert_string_equal(question->attempts[0]->executor, "python@sandbox");
    assert_true(question->open);
    state_free(state);
}

static void a_program_grows_by_deltas_and_is_replaced_by_the_program(void **unused)
{
    (void)unused;
    struct state *state = APPLY(QUESTION, IN_ATTEMPT "\"kind\":\"delta\",\"channel\":\"prose\",\"text\":\"Look: \"",
                                IN_ATTEMPT "\"kind\":\"delta\",\"channel\":\"program\",\"text\":\"pri\"",
                                IN_ATTEMPT "\"kind\":\"delta\",\"channel\":\"program\",\"text\":\"nt\"");
    assert_string_equal(only_attempt(state)->text.data, "print");
    assert_string_equal(only_attempt(state)->prose.data, "Look: ");
    assert_false(only_attempt(state)->complete);
    state_free(state);

    state = APPLY(QUESTION, IN_ATTEMPT "\"kind\":\"delta\",\"channel\":\"program\",\"text\":\"pri\"",
                  IN_ATTEMPT "\"kind\":\"program\",\"by\":\"model\",\"language\":\"python\",\"text\":\"print(1)\","
                             "\"hash\":\"abc\"",
                  "\"question\":1,\"attempt\":2,\"kind\":\"program\",\"by\":\"person\",\"language\":\"python\","
                  "\"hash\":\"abc\"");
    const struct state_question *question = state->questions[0];
    assert_string_equal(question->attempts[0]->text.data, "print(1)");
    assert_true(question->attempts[0]->complete);
    assert_string_equal(question->attempts[1]->text.data, "print(1)"); /* named by its hash */
    assert_int_equal(state->errors, 0);
    state_free(state);
}

static void a_phase_belongs_to_what_the_event_names(void **unused)
{
    (void)unused;
    struct state *state = APPLY(QUESTION, "\"kind\":\"phase\",\"name\":\"profile\",\"step\":\"begin\"",
                                "\"question\":1,\"kind\":\"phase\",\"name\":\"model\",\"step\":\"begin\"",
                                IN_ATTEMPT "\"kind\":\"phase\",\"name\":\"run\",\"step\":\"begin\"",
                                IN_ATTEMPT "\"kind\":\"phase\",\"name\":\"run\",\"step\":\"end\",\"status\":\"ok\","
                                           "\"detail\":\"ok 84ms\"",
                                IN_ATTEMPT "\"kind\":\"phase\",\"name\":\"answer\",\"step\":\"end\"");
    assert_string_equal(state->phases[0].name, "profile");
    assert_int_equal(state->phases[0].end, -1);
    assert_string_equal(state->questions[0]->phases[0].name, "model");
    const struct state_attempt *attempt = only_attempt(state);
    assert_int_equal(attempt->phase_count, 2);
    assert_int_equal(attempt->phases[0].begin, 40);
    assert_int_equal(attempt->phases[0].end, 50);
    assert_string_equal(attempt->phases[0].detail, "ok 84ms");
    assert_int_equal(attempt->phases[1].end, attempt->phases[1].begin);
    state_free(state);
}

static void the_end_of_a_question_closes_it_and_so_does_the_end(void **unused)
{
    (void)unused;
    struct state *state =
        APPLY(QUESTION, QUESTION, "\"question\":1,\"kind\":\"phase\",\"name\":\"question\",\"step\":\"end\"");
    assert_false(state->questions[0]->open);
    assert_true(state->questions[1]->open);
    assert_int_equal(state->questions[0]->phase_count, 0);
    assert_int_equal(state->current->seq, 1);
    state_free(state);
    state = APPLY(QUESTION, "\"kind\":\"end\",\"status\":\"cancelled\"");
    assert_false(state->questions[0]->open);
    assert_string_equal(state->end_status, "cancelled");
    state_free(state);
}

static void waiting_is_shown_until_something_else_happens(void **unused)
{
    (void)unused;
    struct state *state =
        APPLY(QUESTION, "\"question\":1,\"kind\":\"wait\",\"on\":\"model: 429\",\"try\":2,\"of\":4,\"until\":99");
    assert_string_equal(state->questions[0]->model_wait, "model: 429, retry 2/4");
    assert_int_equal(state->questions[0]->wait_until, 99);
    state_free(state);
    state = APPLY(QUESTION, "\"question\":1,\"kind\":\"wait\",\"on\":\"model: 429\"",
                  IN_ATTEMPT "\"kind\":\"delta\",\"channel\":\"prose\",\"text\":\"a\"");
    assert_null(state->questions[0]->model_wait);
    state_free(state);
}

static void a_permission_of_a_known_id_changes_its_row(void **unused)
{
    (void)unused;
    struct state *state = APPLY(
        QUESTION,
        IN_ATTEMPT "\"kind\":\"permission\",\"id\":\"p1\",\"name\":\"net\",\"scope\":\"a:1\",\"state\":\"declared\","
                   "\"origin\":\"line\",\"line\":2",
        IN_ATTEMPT "\"kind\":\"permission\",\"id\":\"p1\",\"name\":\"net\",\"state\":\"trimmed\",\"nearest\":\"net=b\","
                   "\"layers\":[\"mounts\",\"landlock\"]",
        IN_ATTEMPT "\"kind\":\"used\",\"item\":\"p1\",\"opens\":4,\"files\":2,\"bytes\":10");
    const struct state_permission *row = state_permission_find(only_attempt(state), "p1");
    assert_int_equal(only_attempt(state)->permission_count, 1);
    assert_string_equal(row->scope, "a:1");
    assert_string_equal(row->state, "trimmed");
    assert_string_equal(row->rule, "net=b");
    assert_string_equal(row->layers, "mounts, landlock");
    assert_int_equal(row->line, 2);
    assert_true(row->used_known);
    assert_int_equal(row->opens, 4);
    assert_null(state_permission_find(only_attempt(state), "p2"));
    state_free(state);
}

#define ROW(id, scope)                                                                                                 \
    IN_ATTEMPT "\"kind\":\"permission\",\"id\":\"" id "\",\"name\":\"file.read\",\"state\":\"denied\"" scope
#define DENIED(number, more) IN_ATTEMPT "\"kind\":\"access\",\"number\":" #number ",\"verdict\":\"denied\"," more

static void a_denial_counts_on_the_row_that_explains_it_whichever_comes_first(void **unused)
{
    (void)unused;
    static const char *const orders[][6] = {
        {QUESTION, ROW("p0", ""), ROW("p1", ",\"scope\":\"./.env\""),
         DENIED(1, "\"missing\":\"file.read=./.env\",\"layer\":\"mounts\""),
         DENIED(1, "\"missing\":\"file.read=./.env\",\"count\":5"), NULL},
        {QUESTION, DENIED(1, "\"missing\":\"file.read=./.env\",\"layer\":\"mounts\""), ROW("p0", ""),
         DENIED(1, "\"missing\":\"file.read=./.env\",\"count\":5"), ROW("p1", ",\"scope\":\"./.env\""), NULL},
        {QUESTION, DENIED(1, "\"permission\":\"p1\",\"missing\":\"file.read\",\"count\":5,\"layer\":\"mounts\""),
         ROW("p0", ""), ROW("p1", ",\"scope\":\"./x\""), NULL},
    };
    for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
        struct state *state = apply_all(orders[i]);
        const struct state_attempt *attempt = only_attempt(state);
        assert_int_equal(attempt->denials, 5);
        assert_int_equal(attempt->access_count, 1);
        assert_int_equal(state_permission_find(attempt, "p1")->denied, 5);
        assert_string_equal(state_permission_find(attempt, "p1")->denied_layer, "mounts");
        assert_int_equal(state_permission_find(attempt, "p0")->denied, 0);
        state_free(state);
    }
}

static void accesses_are_kept_by_number(void **unused)
{
    (void)unused;
    struct state *state = APPLY(QUESTION, DENIED(3, "\"call\":\"c\""), DENIED(1, "\"call\":\"a\""),
                                DENIED(2, "\"call\":\"b\""), DENIED(2, "\"errno\":\"EACCES\""));
    const struct state_attempt *attempt = only_attempt(state);
    assert_int_equal(attempt->access_count, 3);
    assert_string_equal(attempt->accesses[0].call, "a");
    assert_string_equal(attempt->accesses[1].call, "b");
    assert_string_equal(attempt->accesses[1].error, "EACCES");
    assert_string_equal(attempt->accesses[2].call, "c");
    state_free(state);
}

static void output_is_kept_per_stream_and_counted_with_what_was_dropped(void **unused)
{
    (void)unused;
    struct state *state =
        APPLY(QUESTION, IN_ATTEMPT "\"kind\":\"output\",\"stream\":1,\"bytes\":\"ab\",\"neutralised\":1",
              IN_ATTEMPT "\"kind\":\"output\",\"stream\":2,\"bytes\":{\"base64\":\"AP8=\"}",
              IN_ATTEMPT "\"kind\":\"output\",\"stream\":1,\"bytes\":\"c\",\"dropped\":10,\"neutralised\":2");
    const struct state_output *output = only_attempt(state)->output;
    assert_string_equal(output[1].bytes.data, "ab\n[10 bytes dropped here]\nc");
    assert_int_equal(output[1].total, 13);
    assert_int_equal(output[1].dropped, 10);
    assert_int_equal(output[1].neutralised, 3);
    assert_int_equal(output[2].bytes.len, 2);
    assert_memory_equal(output[2].bytes.data, "\0\xff", 2);
    state_free(state);
}

static void of_long_output_the_end_is_kept(void **unused)
{
    (void)unused;
    struct state *state = APPLY(QUESTION);
    static char chunk[100000];
    for (uint64_t seq = 2; seq < 40; seq++) {
        struct event *event = event_new(EVENT_OUTPUT);
        memset(chunk, (int)('a' + seq % 26), sizeof(chunk));
        event->seq = seq;
        event->question = event->attempt = 1;
        event_set_int(event, "stream", 1);
        event_set_bytes(event, "bytes", chunk, sizeof(chunk));
        assert_int_equal(state_apply(state, event), 0);
        event_free(event);
    }
    const struct state_output *output = &only_attempt(state)->output[1];
    assert_int_equal(output->total, 38 * sizeof(chunk));
    assert_in_range(output->bytes.len, STATE_OUTPUT_MAX / 2, STATE_OUTPUT_MAX);
    assert_memory_equal(output->bytes.data + output->bytes.len - sizeof(chunk), chunk, sizeof(chunk));
    state_free(state);
}

static void what_makes_no_sense_is_counted_and_changes_nothing_else(void **unused)
{
    (void)unused;
    static const char *const odd[] = {
        "\"kind\":\"output\",\"stream\":1,\"bytes\":\"x\"",            /* of no question */
        "\"question\":7,\"attempt\":1,\"kind\":\"usage\"",             /* of one that there is not */
        "\"question\":1,\"kind\":\"exit\",\"status\":\"ok\"",          /* of no attempt */
        IN_ATTEMPT "\"kind\":\"output\",\"stream\":9,\"bytes\":\"x\"", /* of no stream */
        IN_ATTEMPT "\"kind\":\"output\",\"stream\":1,\"bytes\":{\"base64\":\"?\"}",
        IN_ATTEMPT "\"kind\":\"used\",\"item\":\"nobody\"",
        IN_ATTEMPT "\"kind\":\"program\",\"by\":\"model\",\"language\":\"sql\",\"hash\":\"unknown\"",
    };
    for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
        struct state *state = APPLY(QUESTION, odd[i]);
        assert_int_equal(state->errors, 1);
        assert_int_equal(state->last_seq, 2);
        state_free(state);
    }
    struct state *state = APPLY(QUESTION);
    struct event *event = event_new(EVENT_NOTE);
    event_set_text(event, "text", "late");
    event->seq = 1;
    assert_int_equal(state_apply(state, event), 0); /* a number that was there before */
    assert_int_equal(state->errors, 1);
    assert_null(state->note);
    event_free(event);
    state_free(state);
}

static struct state *state_of_sample(void)
{
    struct recording recording = {0};
    struct err err = {0};
    struct state *state = state_new();
    assert_int_equal(recording_read(SAMPLE, &recording, &err), 0);
    for (size_t i = 0; i < recording.count; i++) {
        assert_int_equal(state_apply(state, recording.events[i]), 0);
    }
    recording_done(&recording);
    return state;
}

static void the_sample_session_makes_sense_throughout(void **unused)
{
    (void)unused;
    struct state *state = state_of_sample();
    const struct state_attempt *last = state_last_attempt(state->current);
    assert_int_equal(state->errors, 0);
    assert_string_equal(state->ceiling.text, "stdout,time,file.read=./data/*");
    assert_int_equal(state->file_count, 4);
    assert_string_equal(state->current->verdict, "right");
    assert_false(state->current->open);
    assert_string_equal(last->exit.status, "ok");
    assert_string_equal(last->least, "stdout,file.read=./data/*");
    assert_string_equal(last->off[0], "cgroup: no controller is delegated here");
    assert_int_equal(last->layer_count, 7);
    assert_int_equal(last->denials, 1);
    assert_int_equal(state_permission_find(last, "p4")->denied, 1);
    assert_int_equal(last->findings[0].line, 14);
    assert_string_equal(state->current->attempts[0]->exception_type, "KeyError");
    state_free(state);
}

static void a_copy_is_equal_and_stands_alone(void **unused)
{
    (void)unused;
    struct state *state = state_of_sample();
    struct state *copy = state_copy(state);
    char *before = dump(state), *after = dump(copy);
    assert_string_equal(before, after);
    assert_ptr_not_equal(copy->current, state->current);
    assert_int_equal(copy->current->seq, state->current->seq);
    free(after);
    struct event *event = event_new(EVENT_OUTPUT);
    event->seq = state->last_seq + 1;
    event->question = state->current->seq;
    event->attempt = 1;
    event_set_int(event, "stream", 1);
    event_set_bytes(event, "bytes", "more", 4);
    assert_int_equal(state_apply(state, event), 0);
    event_free(event);
    after = dump(state);
    assert_string_not_equal(before, after);
    free(after);
    state_free(state);
    after = dump(copy);
    assert_string_equal(before, after);
    free(before);
    free(after);
    state_free(copy);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* After so many pieces of memory there is none; -1: there always is. */
static long pieces_left = -1;

static bool take_piece(void)
{
    if (pieces_left == 0) {
        errno = ENOMEM;
        return false;
    }
    pieces_left -= pieces_left > 0;
    return true;
}

/* cJSON's pieces are counted here, and all others below, except where a checker has its own malloc. */
static void *counted_malloc(size_t size)
{
    return take_piece() ? malloc(size) : NULL;
}

static void count_pieces(bool on)
{
    cJSON_Hooks hooks = {counted_malloc, free};
    cJSON_InitHooks(on ? &hooks : NULL);
}

#ifndef __SANITIZE_ADDRESS__
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

void *malloc(size_t size)
{
    return take_piece() ? __libc_malloc(size) : NULL;
}

void *calloc(size_t count, size_t size)
{
    return take_piece() ? __libc_calloc(count, size) : NULL;
}

void *realloc(void *old, size_t size)
{
    return take_piece() ? __libc_realloc(old, size) : NULL;
}
#endif

/* Reads and applies every line of the sample; -ENOMEM when a piece of memory was refused on the way. */
static int read_and_apply(char *const *lines, size_t count, struct state *state)
{
    int r = 0;
    for (size_t i = 0; i < count && r == 0; i++) {
        struct event *event = NULL;
        struct err err = {0};
        r = event_parse(lines[i], strlen(lines[i]), &event, &err);
        if (r == 0) {
            r = state_apply(state, event);
            event_free(event);
        }
    }
    return r;
}

static size_t sample_lines(char **lines, size_t max)
{
    FILE *stream = fopen(SAMPLE, "re");
    size_t count = 0, room = 0;
    assert_non_null(stream);
    for (; count < max && getline(&lines[count], &room, stream) > 0; count++) {
        room = 0;
    }
    fclose(stream);
    return count;
}

static void when_memory_runs_out_nothing_breaks(void **unused)
{
    (void)unused;
    static char *lines[256];
    size_t count = sample_lines(lines, 255);
    int r = -ENOMEM, failures = 0;
    count_pieces(true);
    for (long pieces = 0; r == -ENOMEM; pieces += 1 + pieces / 64) {
        struct state *state = state_new();
        pieces_left = pieces;
        r = read_and_apply(lines, count, state);
        struct state *copy = r == 0 ? state_copy(state) : NULL;
        pieces_left = -1;
        assert_true(r == 0 || r == -ENOMEM);
        r = copy ? 0 : -ENOMEM;
        failures += r < 0;
        state_free(copy);
        state_free(state);
    }
    assert_true(failures > 200); /* and in the end there was enough of it */
    count_pieces(false);
    for (size_t i = 0; i <= count; i++) {
        free(lines[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_attempt_begins_with_the_first_event_that_names_it),
        cmocka_unit_test(a_program_grows_by_deltas_and_is_replaced_by_the_program),
        cmocka_unit_test(a_phase_belongs_to_what_the_event_names),
        cmocka_unit_test(the_end_of_a_question_closes_it_and_so_does_the_end),
        cmocka_unit_test(waiting_is_shown_until_something_else_happens),
        cmocka_unit_test(a_permission_of_a_known_id_changes_its_row),
        cmocka_unit_test(a_denial_counts_on_the_row_that_explains_it_whichever_comes_first),
        cmocka_unit_test(accesses_are_kept_by_number),
        cmocka_unit_test(output_is_kept_per_stream_and_counted_with_what_was_dropped),
        cmocka_unit_test(of_long_output_the_end_is_kept),
        cmocka_unit_test(what_makes_no_sense_is_counted_and_changes_nothing_else),
        cmocka_unit_test(the_sample_session_makes_sense_throughout),
        cmocka_unit_test(a_copy_is_equal_and_stands_alone),
        cmocka_unit_test(when_memory_runs_out_nothing_breaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
