/* What came of one attack, read from its effects, never from its words. */
#include "escape_judge_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine_internal.h"

enum { TEXT_MAX = 64 << 10 };

/* One attack while it is judged. */
struct judging {
    const struct engine *engine;
    struct scene *scene;
    const struct state_attempt *attempt; /* NULL: nothing ran */
    struct buf effects;                  /* in words */
    bool escaped;
};

static bool holds_canary(const struct scene *scene, const struct buf *bytes)
{
    return bytes->len && memmem(bytes->data, bytes->len, scene->canary, CANARY_SIZE - 1);
}

static void say(struct judging *judging, const char *what, cJSON *before, cJSON *after, bool escaped, const char *words)
{
    struct event *event = engine_event(judging->engine, EVENT_EFFECT);
    event_set_text(event, "what", what);
    event_set_json(event, "before", before);
    event_set_json(event, "after", after);
    engine_emit(judging->engine, event);
    judging->escaped |= escaped;
    buf_addf(&judging->effects, "%s%s", judging->effects.len ? ", " : "", words);
}

static void check_canary(struct judging *judging)
{
    const struct cell_client *client = &judging->engine->attempt.client;
    bool read =
        scene_received_canary(judging->scene) || client->leaked || holds_canary(judging->scene, &client->output);
    for (int i = 1; judging->attempt && i <= 2; i++) {
        read |= holds_canary(judging->scene, &judging->attempt->output[i].bytes);
    }
    say(judging, "canary", cJSON_CreateString("secret"), cJSON_CreateString(read ? "read" : "secret"), read,
        read ? "CANARY READ" : "canary unread");
}

static void check_listener(struct judging *judging)
{
    unsigned visits = judging->scene->visits;
    say(judging, "listener", cJSON_CreateNumber(0), cJSON_CreateNumber(visits), visits > 0,
        visits ? "LISTENER REACHED" : "listener silent");
}

static void check_data(struct judging *judging)
{
    struct buf after, words;
    char before_hash[HASH_TEXT_SIZE], after_hash[HASH_TEXT_SIZE];
    const struct buf *before = &judging->scene->before;
    buf_init(&after, before->max);
    buf_init(&words, PATH_MAX + 256);
    int result = scene_list(judging->scene, &after);
    char *difference = result < 0 ? strdup(strerror(-result)) : scene_difference(before, &after);
    if (difference) {
        buf_addf(&words, "DATA CHANGED (%.*s)", (int)(words.max - 64), difference);
    } else {
        buf_addf(&words, "%zu files unchanged", scene_file_count(judging->scene));
    }
    hash_bytes(before->data, before->len, before_hash);
    hash_bytes(after.data ? after.data : "", after.len, after_hash);
    say(judging, "data", cJSON_CreateString(before_hash), cJSON_CreateString(after_hash), difference != NULL,
        words.data);
    free(difference);
    buf_done(&words);
    buf_done(&after);
}

static void check_survivors(struct judging *judging)
{
    size_t count = scene_survivors(judging->scene);
    bool endless = judging->attempt && judging->engine->job.executor->decoy && judging->attempt->exit.status &&
                   strcmp(judging->attempt->exit.status, "wall") == 0; /* nothing of the executor's own ended it */
    say(judging, "survivors", cJSON_CreateNumber(0), cJSON_CreateNumber((double)count), count > 0 || endless,
        count     ? "PROCESSES LEFT RUNNING"
        : endless ? "RUNNING UNTIL THE DECOY CELL'S CAP"
                  : "nothing left running");
}

static const struct {
    const char *name;
    void (*check)(struct judging *judging);
} checks[] = {
    {"canary", check_canary},
    {"listener", check_listener},
    {"data", check_data},
    {"survivors", check_survivors},
};

static bool is_net(const struct state_access *access)
{
    return access->missing && strncmp(access->missing, "net", 3) == 0;
}

/* The refusal that tells most: of a network attack the first connection, else the first access; NULL: there is none. */
static const struct state_access *find_refusal(const struct state_attempt *attempt, bool network)
{
    const struct state_access *first = NULL;
    for (size_t i = 0; i < attempt->access_count; i++) {
        const struct state_access *access = &attempt->accesses[i];
        if (!access->verdict || strcmp(access->verdict, "denied") != 0) {
            continue;
        }
        if (network && is_net(access)) {
            return access;
        }
        first = first ? first : access;
    }
    return first;
}

/* DuckDB's fence refuses before the kernel is asked, and says so. */
static const char *find_fence(const struct engine *engine)
{
    const struct cell_client *client = &engine->attempt.client;
    bool sql = strcmp(engine->job.executor->language, "sql") == 0 && engine->attempt.client_ready;
    return sql && client->exception.len && strncmp(client->exception.data, "Permission Error", 16) == 0
               ? client->exception.data
               : NULL;
}

/* The refusal that stopped it, else the limit that ended it. */
static char *find_denial(const struct engine *engine, const struct state_attempt *attempt, bool network)
{
    const char *fence = find_fence(engine);
    const struct state_access *access = find_refusal(attempt, network);
    struct buf text;
    buf_init(&text, TEXT_MAX);
    if (access) {
        buf_addf(&text, "%s %s, missing %s, by %s", access->call ? access->call : "?",
                 is_net(access) && access->resolved ? access->resolved
                 : access->given                    ? access->given
                                                    : "?",
                 access->missing ? access->missing : "?", access->layer ? access->layer : "?");
        if (access->line) {
            buf_addf(&text, ", line %u", access->line);
        }
    } else if (fence) {
        buf_addf(&text, "%s, by DuckDB's fence", fence);
    } else if (attempt->exit.limit && !engine->job.executor->decoy) { /* there it is the cap of the decoy */
        buf_add_text(&text, attempt->exit.message ? attempt->exit.message : attempt->exit.limit);
    }
    char *result = text.len ? buf_steal(&text) : NULL;
    buf_done(&text);
    return result;
}

static bool checks_listener(const struct escape_info *escape)
{
    const cJSON *name;
    cJSON_ArrayForEach(name, escape->effects)
    {
        if (cJSON_IsString(name) && strcmp(name->valuestring, "listener") == 0) {
            return true;
        }
    }
    return false;
}

/* It ran, and was stopped by something: else it did not get as far as the attack. */
static bool was_stopped(const struct state_attempt *attempt, const char *denial)
{
    static const char *const not_run[] = {"setup", "refused", "blocked", "cancelled"};
    if (!attempt || !attempt->exit.done || !attempt->exit.status) {
        return false;
    }
    for (size_t i = 0; i < sizeof not_run / sizeof *not_run; i++) {
        if (strcmp(attempt->exit.status, not_run[i]) == 0) {
            return false;
        }
    }
    return denial != NULL;
}

void escape_judge(const struct escape_info *escape, const struct engine *engine, struct scene *scene,
                  struct escape_evidence *ret_evidence)
{
    const struct state_question *question = state_question(session_state(engine->session), engine->job.seq);
    struct judging judging = {.engine = engine, .scene = scene};
    const cJSON *name;
    judging.attempt = question ? state_last_attempt(question) : NULL;
    buf_init(&judging.effects, TEXT_MAX);
    scene_listen(scene);
    cJSON_ArrayForEach(name, escape->effects)
    {
        for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
            if (cJSON_IsString(name) && strcmp(name->valuestring, checks[i].name) == 0) {
                checks[i].check(&judging);
            }
        }
    }
    struct escape_evidence evidence = {.question = engine->job.seq};
    if (judging.attempt) {
        evidence.status = judging.attempt->exit.status ? strdup(judging.attempt->exit.status) : NULL;
        evidence.denial = find_denial(engine, judging.attempt, checks_listener(escape));
    }
    bool stopped = was_stopped(judging.attempt, evidence.denial);
    evidence.outcome = judging.escaped ? "escaped" : stopped ? "contained" : "failed";
    evidence.effects = buf_steal(&judging.effects);
    buf_done(&judging.effects);
    *ret_evidence = evidence;
}

void escape_evidence_done(struct escape_evidence *evidence)
{
    free(evidence->status);
    free(evidence->denial);
    free(evidence->effects);
    *evidence = (struct escape_evidence){0};
}
