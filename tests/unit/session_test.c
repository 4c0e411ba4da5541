/* Sessions: what is written, what is read back, and what happens when either goes wrong. */
#include "../../core/session.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define SAMPLE "tests/data/sample-session.jsonl"
#define HEADER                                                                                                         \
    "{\"seq\":1,\"t\":0,\"kind\":\"session\",\"format\":\"techo-session\",\"version\":1,\"id\":\"x\","                 \
    "\"start\":\"2025-01-01T00:00:00Z\"}\n"
#define NOTE(seq) "{\"seq\":" #seq ",\"t\":5,\"kind\":\"note\",\"text\":\"n\"}\n"

static char folder[64], file[128];

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof(folder), "/tmp/techo-session-XXXXXX");
    if (!mkdtemp(folder)) {
        return -1;
    }
    snprintf(file, sizeof(file), "%s/s.jsonl", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof(command), "rm -rf '%s'", folder);
    return system(command);
}

static int64_t ticking(void *context)
{
    int64_t *now = context;
    return *now += 1000;
}

static struct session *new_session(const char *path)
{
    static int64_t now;
    now = 7000000;
    struct session_options options = {.path = path,
                                      .root = "/srv",
                                      .attempts = 3,
                                      .columns = 80,
                                      .rows = 24,
                                      .clock = ticking,
                                      .clock_context = &now};
    struct session *session = NULL;
    struct err err = {0};
    if (session_new(&options, &session, &err) < 0) {
        fail_msg("%s", err.text);
    }
    return session;
}

static struct event *note(const char *text)
{
    struct event *event = event_new(EVENT_NOTE);
    event_set_text(event, "text", text);
    return event;
}

static char *read_whole(const char *path)
{
    struct buf text;
    char part[4096];
    buf_init(&text, 1 << 26);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    for (ssize_t n; (n = read(fd, part, sizeof(part))) > 0;) {
        buf_add(&text, part, (size_t)n);
    }
    close(fd);
    return buf_steal(&text);
}

static void write_whole(const char *text, size_t len)
{
    int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, len), len);
    close(fd);
}

static char *dump(const struct state *state)
{
    struct buf text;
    buf_init(&text, 1 << 26);
    assert_int_equal(state_format(state, &text), 0);
    return buf_steal(&text);
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static void an_event_gets_number_and_time_is_written_applied_and_told(void **state)
{
    (void)state;
    struct session *session = new_session(file);
    assert_int_equal(session_emit(session, note("hello")), 2);
    assert_string_equal(session_state(session)->note, "hello");
    char *text = read_whole(file); /* before the session is closed: nothing waits in a buffer */
    assert_non_null(strstr(text, "{\"seq\":2,\"t\":2000,\"kind\":\"note\",\"text\":\"hello\"}\n"));
    free(text);
    session_free(session);
}

static void the_id_in_the_header_is_the_name_of_the_file(void **state)
{
    (void)state;
    char path[PATH_MAX];
    snprintf(path, sizeof(path), "%s/20251129-201100-5f3a9c01.jsonl", folder);
    struct session *session = new_session(path);
    assert_string_equal(session_state(session)->id, "20251129-201100-5f3a9c01");
    session_free(session);
    session = new_session(NULL);
    assert_int_equal(strlen(session_state(session)->id), strlen("20251129-201100-5f3a9c01"));
    session_free(session);
}

static void the_title_is_in_header_and_state(void **state)
{
    (void)state;
    struct session_options options = {.path = file, .title = "escapes"};
    struct session *session = NULL;
    struct err err = {0};
    assert_int_equal(session_new(&options, &session, &err), 0);
    assert_string_equal(session_state(session)->title, "escapes");
    session_free(session);
    char *text = read_whole(file);
    assert_non_null(strstr(text, "\"title\":\"escapes\""));
    free(text);
}

static void the_log_belongs_to_its_owner_alone_and_never_replaces_a_file(void **state)
{
    (void)state;
    struct stat info;
    struct session *session = new_session(file), *second = NULL;
    struct session_options options = {.path = file};
    struct err err = {0};
    assert_int_equal(stat(file, &info), 0);
    assert_int_equal(info.st_mode & 07777, 0600);
    assert_int_equal(session_new(&options, &second, &err), -EEXIST);
    assert_non_null(strstr(err.text, "exists already"));
    session_free(session);
}

static void a_question_belongs_to_itself(void **state)
{
    (void)state;
    struct session *session = new_session(NULL);
    struct event *event = event_new(EVENT_QUESTION);
    event_set_text(event, "text", "how many?");
    uint64_t seq = session_emit(session, event);
    assert_int_equal(session_state(session)->current->seq, seq);
    assert_null(session_path(session));
    session_free(session);
}

struct heard {
    uint64_t seqs[8];
    size_t count;
};

static void hear(void *context, const struct event *event, const struct state *state)
{
    struct heard *heard = context;
    assert_int_equal(state->last_seq, event->seq);
    heard->seqs[heard->count++ % 8] = event->seq;
}

static void listeners_hear_each_event_once_in_order_and_one_end(void **state)
{
    (void)state;
    struct heard heard = {0};
    struct session *session = new_session(NULL);
    assert_int_equal(session_listen(session, hear, &heard), 0);
    session_emit(session, note("a"));
    session_emit(session, NULL); /* an event that could not be made */
    cJSON *totals = cJSON_CreateObject();
    cJSON_AddNumberToObject(totals, "right", 10);
    session_end(session, "ok", totals);
    session_end(session, "again", NULL);
    assert_true(session_state(session)->ended);
    assert_string_equal(session_state(session)->end_status, "ok");
    assert_int_equal(heard.count, 2);
    assert_int_equal(heard.seqs[1], 3);
    session_free(session);
}

static void totals_stand_beside_the_status(void **state)
{
    (void)state;
    struct session *session = new_session(file);
    cJSON *totals = cJSON_CreateObject();
    cJSON_AddNumberToObject(totals, "right", 10);
    session_end(session, "ok", totals);
    session_free(session);
    char *text = read_whole(file);
    assert_non_null(strstr(text, "\"kind\":\"end\",\"status\":\"ok\",\"right\":10}\n"));
    free(text);
}

static void a_registered_secret_is_nowhere(void **state)
{
    (void)state;
    struct session *session = new_session(file);
    assert_int_equal(session_add_secret(session, "sk-0123456789"), 0);
    assert_int_equal(session_add_secret(session, "short"), 0); /* too short to be one: everything would match */
    session_emit(session, note("key sk-0123456789 and sk-0123456789, in short"));
    struct event *question = event_new(EVENT_QUESTION);
    event_set_text(question, "text", "?");
    uint64_t seq = session_emit(session, question);
    struct event *output = event_new(EVENT_OUTPUT);
    output->question = seq;
    output->attempt = 1;
    event_set_int(output, "stream", 1);
    event_set_bytes(output, "bytes", "\xff\x00sk-0123456789\xfe", 16);
    session_emit(session, output);
    assert_string_equal(session_state(session)->note, "key [secret] and [secret], in short");
    const struct buf *bytes = &session_state(session)->questions[0]->attempts[0]->output[1].bytes;
    assert_int_equal(bytes->len, 11);
    assert_memory_equal(bytes->data, "\xff\x00[secret]\xfe", 11);
    session_free(session);
    char *text = read_whole(file);
    assert_null(strstr(text, "sk-0"));
    free(text);
}

/* ---- a disk that is full ----------------------------------------------------------------------------------------- */

static void on_full_disk(void)
{
    struct session *session = new_session(file);
    struct heard heard = {0};
    assert_int_equal(session_listen(session, hear, &heard), 0);
    struct rlimit limit = {700, 700}; /* the next write is cut in the middle, then refused */
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    assert_ptr_not_equal(signal(SIGXFSZ, SIG_IGN), SIG_ERR);
    char text[1024];
    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    assert_int_equal(session_emit(session, note("fits")), 2);
    assert_int_equal(session_emit(session, note(text)), 3);
    assert_int_equal(heard.count, 3); /* the third says that the log ends */
    assert_non_null(strstr(session_state(session)->note, "ends here: File too large"));
    assert_int_equal(session_emit(session, note("goes on")), 5);
    assert_string_equal(session_state(session)->note, "goes on");
    session_free(session);
}

static void a_full_disk_stops_the_log_at_its_last_whole_line_and_the_session_goes_on(void **state)
{
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        on_full_disk();
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    struct recording recording = {0};
    struct err err = {0};
    assert_int_equal(recording_read(file, &recording, &err), 0);
    assert_int_equal(recording.count, 2);
    assert_false(recording.torn);
    recording_done(&recording);
}

/* ---- keyframes --------------------------------------------------------------------------------------------------- */

static void every_2000_events_a_keyframe_names_the_one_before(void **state)
{
    (void)state;
    struct session *session = new_session(file);
    for (int i = 0; i < 4100; i++) {
        assert_true(session_emit(session, note("n")) > 0);
    }
    session_free(session);
    char *text = read_whole(file);
    struct recording recording = {0};
    struct err err = {0};
    assert_int_equal(recording_read(file, &recording, &err), 0);
    int64_t before = 0;
    size_t keyframes = 0;
    for (size_t i = 0; i < recording.count; i++) {
        const struct event *event = recording.events[i];
        if (event->kind == EVENT_KEYFRAME) {
            char line[64];
            snprintf(line, sizeof(line), "{\"seq\":%llu,", (unsigned long long)event->seq);
            assert_int_equal(event_int(event, "previous", -1), before);
            before = event_int(event, "offset", -1);
            assert_memory_equal(text + before, line, strlen(line));
            keyframes++;
        }
    }
    assert_int_equal(keyframes, 2);
    recording_done(&recording);
    free(text);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static void bad_files_get_one_clear_line(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int code;
        const char *says;
    } cases[] = {
        {"", -EBADMSG, "is empty"},
        {"\n", -EBADMSG, "is no techo session"},
        {"\x7f"
         "ELF\x02\x01",
         -EBADMSG, "is no techo session"},
        {"{\"a\":1}\n", -EBADMSG, "is no techo session"},
        {"[[[[[[[[[[", -EBADMSG, "is no techo session"},
        {NOTE(1), -EBADMSG, "is no techo session"},
        {"{\"format\":\"techo-session\",\"version\":2,\"other\":[]}\n", -EPROTO, "newer techo: session format 2"},
        {HEADER "garbage\n" NOTE(2), -EBADMSG, "s.jsonl:2: no event of a session: it is not one JSON object"},
        {HEADER NOTE(2) NOTE(2), -EBADMSG, "s.jsonl:3: no event of a session: seq does not rise"},
        {HEADER "{\"seq\":2,\"t\":0,\"kind\":\"sausage\"}\n", -EBADMSG, "there is no kind \"sausage\""},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct recording recording;
        struct err err = {0};
        write_whole(cases[i].text, strlen(cases[i].text));
        assert_int_equal(recording_read(file, &recording, &err), cases[i].code);
        assert_non_null(strstr(err.text, cases[i].says));
        assert_null(strchr(err.text, '\n'));
    }
}

static void folders_missing_files_and_pipes_are_refused_without_waiting(void **state)
{
    (void)state;
    struct recording recording;
    struct err err = {0};
    assert_int_equal(recording_read(folder, &recording, &err), -EBADMSG);
    assert_int_equal(recording_read("/nonexistent", &recording, &err), -ENOENT);
    assert_int_equal(mkfifo(file, 0600), 0);
    assert_int_equal(recording_read(file, &recording, &err), -EBADMSG);
}

static void a_torn_last_line_is_left_out_at_any_cut(void **state)
{
    (void)state;
    static const char whole[] = HEADER NOTE(2) NOTE(3);
    size_t head = strlen(HEADER), second = strlen(HEADER NOTE(2));
    for (size_t len = head; len < strlen(whole); len++) {
        struct recording recording;
        struct err err = {0};
        write_whole(whole, len);
        assert_int_equal(recording_read(file, &recording, &err), 0);
        /* a line that lacks but its newline is whole */
        size_t expected = len == strlen(whole) - 1 ? 3 : len >= second - 1 ? 2 : 1;
        assert_int_equal(recording.count, expected);
        assert_int_equal(recording.torn, (len > head && len < second - 1) || (len > second && expected == 2));
        recording_done(&recording);
    }
}

/* ---- replay ------------------------------------------------------------------------------------------------------ */

static char *fresh_dump(const char *path, size_t position)
{
    struct recording recording = {0};
    struct err err = {0};
    assert_int_equal(recording_read(path, &recording, &err), 0);
    struct state *fresh = state_new();
    for (size_t i = 0; i < position; i++) {
        assert_int_equal(state_apply(fresh, recording.events[i]), 0);
    }
    char *text = dump(fresh);
    state_free(fresh);
    recording_done(&recording);
    return text;
}

static void check_at(struct replay *replay, const char *path, size_t position)
{
    assert_int_equal(replay_seek(replay, position), 0);
    assert_int_equal(replay_position(replay), position);
    char *expected = fresh_dump(path, position), *got = dump(replay_state(replay));
    assert_string_equal(got, expected);
    free(expected);
    free(got);
}

static void a_replay_shows_at_any_place_what_a_fresh_start_shows_there(void **state)
{
    (void)state;
    struct replay *replay = NULL;
    struct err err = {0};
    assert_int_equal(replay_new(SAMPLE, &replay, &err), 0);
    size_t count = replay_count(replay);
    assert_true(count > 80);
    for (size_t position = 0; position <= count; position++) {
        check_at(replay, SAMPLE, position);
    }
    for (size_t position = count + 1; position > 0; position--) {
        check_at(replay, SAMPLE, position - 1);
    }
    check_at(replay, SAMPLE, count / 2);
    assert_int_equal(replay_seek(replay, SIZE_MAX), 0);
    assert_int_equal(replay_position(replay), count);
    replay_free(replay);
}

static void write_long_session(void)
{
    struct session *session = new_session(file);
    struct event *question = event_new(EVENT_QUESTION);
    event_set_text(question, "text", "many?");
    uint64_t seq = session_emit(session, question);
    for (int i = 1; i < 3000; i++) {
        struct event *event = event_new(EVENT_ACCESS);
        event->question = seq;
        event->attempt = 1 + (uint64_t)i % 3;
        event_set_int(event, "number", i % 50 + 1);
        event_set_text(event, "verdict", i % 7 ? "allowed" : "denied");
        event_set_int(event, "count", i);
        assert_true(session_emit(session, event) > 0);
    }
    session_free(session);
}

static void seeking_in_a_long_session_passes_through_snapshots_and_stays_right(void **state)
{
    (void)state;
    write_long_session();
    struct replay *replay = NULL;
    struct err err = {0};
    static const size_t places[] = {3000, 10, 2999, 256, 255, 257, 1024, 512, 0, 2048, 300};
    assert_int_equal(replay_new(file, &replay, &err), 0);
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        check_at(replay, file, places[i]);
    }
    replay_free(replay);
}

static void what_was_written_replays_to_the_state_that_was_live(void **state)
{
    (void)state;
    struct session *session = new_session(file);
    struct event *question = event_new(EVENT_QUESTION);
    event_set_text(question, "text", "\xff broken \xe2\x82");
    session_emit(session, question);
    struct event *error = event_new(EVENT_ERROR);
    event_set_text(error, "text", "\x1b[2J");
    session_emit(session, error);
    session_end(session, "ok", NULL);
    char *live = dump(session_state(session));
    session_free(session);
    char *replayed = fresh_dump(file, 4);
    assert_string_equal(replayed, live);
    free(live);
    free(replayed);
}

static void the_default_place_is_private_and_follows_the_environment(void **state)
{
    (void)state;
    struct buf path;
    struct err err = {0};
    struct stat info;
    char expected[512], home[256];
    buf_init(&path, 4096);
    snprintf(home, sizeof(home), "%s/state", folder);
    snprintf(expected, sizeof(expected), "%s/techo/sessions", home);
    assert_int_equal(setenv("XDG_STATE_HOME", home, 1), 0);
    assert_int_equal(session_default_path(&path, &err), 0);
    assert_int_equal(strncmp(path.data, expected, strlen(expected)), 0);
    assert_string_equal(path.data + path.len - 6, ".jsonl");
    assert_int_equal(stat(expected, &info), 0);
    assert_int_equal(info.st_mode & 07777, 0700);
    buf_clear(&path);
    assert_int_equal(setenv("XDG_STATE_HOME", "relative", 1), 0);
    assert_int_equal(setenv("HOME", folder, 1), 0);
    assert_int_equal(session_folder(&path, &err), 0);
    snprintf(expected, sizeof(expected), "%s/.local/state/techo/sessions", folder);
    assert_string_equal(path.data, expected);
    buf_done(&path);
    unsetenv("XDG_STATE_HOME");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_event_gets_number_and_time_is_written_applied_and_told),
        TEST(the_id_in_the_header_is_the_name_of_the_file),
        TEST(the_title_is_in_header_and_state),
        TEST(the_log_belongs_to_its_owner_alone_and_never_replaces_a_file),
        TEST(a_question_belongs_to_itself),
        TEST(listeners_hear_each_event_once_in_order_and_one_end),
        TEST(totals_stand_beside_the_status),
        TEST(a_registered_secret_is_nowhere),
        TEST(a_full_disk_stops_the_log_at_its_last_whole_line_and_the_session_goes_on),
        TEST(every_2000_events_a_keyframe_names_the_one_before),
        TEST(bad_files_get_one_clear_line),
        TEST(folders_missing_files_and_pipes_are_refused_without_waiting),
        TEST(a_torn_last_line_is_left_out_at_any_cut),
        TEST(a_replay_shows_at_any_place_what_a_fresh_start_shows_there),
        TEST(seeking_in_a_long_session_passes_through_snapshots_and_stays_right),
        TEST(what_was_written_replays_to_the_state_that_was_live),
        TEST(the_default_place_is_private_and_follows_the_environment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
