/* What a run wrote: its streams and the files that it left in ./out. */
#include "cell_report_internal.h"

#include <string.h>
#include <sys/mman.h>

#include "../hash_internal.h"
#include "../sanitize.h"
#include "../text_internal.h"

enum { ARTIFACT_INLINE_MAX = 1 << 20 };

/* How many bytes at the end begin a character whose rest is not there. */
static size_t cut_length(const char *bytes, size_t len)
{
    for (size_t back = 1; back <= 3 && back <= len; back++) {
        unsigned char byte = (unsigned char)bytes[len - back];
        size_t whole = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC2 ? 2 : 1;
        if (byte < 0x80 || byte >= 0xC0) {
            return whole > back ? back : 0;
        }
    }
    return 0;
}

static size_t count_neutralised(const char *bytes, size_t len)
{
    struct buf text;
    buf_init(&text, SIZE_MAX / 2);
    size_t count = sanitize_text(untrusted_bytes(bytes, len), SANITIZE_LINES, &text);
    buf_done(&text);
    return count;
}

static void emit_output(struct cell_client *client, int stream, const char *bytes, size_t len, uint64_t dropped)
{
    struct event *event = place_event(&client->place, EVENT_OUTPUT);
    size_t neutralised = count_neutralised(bytes, len);
    event_set_int(event, "stream", stream);
    event_set_bytes(event, "bytes", bytes, len);
    if (dropped) {
        event_set_int(event, "dropped", (int64_t)dropped);
    }
    if (neutralised) {
        event_set_int(event, "neutralised", (int64_t)neutralised);
    }
    place_emit(&client->place, event);
}

/* What was kept of the stream's beginning ends here. */
static void begin_tail(struct cell_client *client, const struct report_output *output)
{
    int stream = output->stream == 2 ? 2 : 1;
    struct client_cut *cut = &client->cut[stream];
    if (cut->len) {
        emit_output(client, stream, cut->bytes, cut->len, 0);
        cut->len = 0;
    }
    if (output->len) {
        text_add_gap(stream == 1 ? &client->output : &client->errors, output->dropped);
    }
    client->dropped[stream] = output->dropped;
}

static void keep(struct cell_client *client, const struct report_output *output)
{
    if (output->stream == 1) {
        buf_add(&client->output, output->bytes, output->len);
        return;
    }
    size_t len = output->len < CLIENT_ERRORS_MAX ? output->len : CLIENT_ERRORS_MAX;
    buf_add(&client->errors, output->bytes + output->len - len, len);
    if (client->errors.len > CLIENT_ERRORS_MAX) {
        buf_drop_front(&client->errors, client->errors.len - CLIENT_ERRORS_MAX);
    }
}

/* Pipes cut anywhere: a character that is not whole waits for its rest, so that text stays text in the log. */
void cell_output_report(struct cell_client *client, const struct report_output *output)
{
    struct buf whole;
    int stream = output->stream == 2 ? 2 : 1;
    struct client_cut *cut = &client->cut[stream];
    uint64_t dropped = output->dropped != client->dropped[stream] ? output->dropped : 0;
    if (dropped) {
        begin_tail(client, output);
    }
    keep(client, output);
    buf_init(&whole, output->len + sizeof cut->bytes);
    buf_add(&whole, cut->bytes, cut->len);
    buf_add(&whole, output->bytes, output->len);
    if (whole.failed) {
        buf_done(&whole);
        return;
    }
    cut->len = cut_length(whole.data, whole.len);
    memcpy(cut->bytes, whole.data + whole.len - cut->len, cut->len);
    if (whole.len > cut->len || dropped) {
        emit_output(client, output->stream, whole.data, whole.len - cut->len, dropped);
    }
    buf_done(&whole);
}

void cell_output_flush(struct cell_client *client)
{
    for (int stream = 1; stream <= 2; stream++) {
        if (client->cut[stream].len) {
            emit_output(client, stream, client->cut[stream].bytes, client->cut[stream].len, 0);
            client->cut[stream].len = 0;
        }
    }
}

static void take_content(struct cell_client *client, const struct report_artifact *artifact, struct event *event)
{
    void *bytes = mmap(NULL, artifact->size, PROT_READ, MAP_PRIVATE, artifact->fd, 0);
    if (bytes == MAP_FAILED) {
        return;
    }
    if (artifact->size <= ARTIFACT_INLINE_MAX) {
        event_set_bytes(event, "bytes", bytes, artifact->size);
    }
    if (client->needle && memmem(bytes, artifact->size, client->needle, strlen(client->needle))) {
        client->leaked = true;
    }
    munmap(bytes, artifact->size);
}

void cell_artifact_report(struct cell_client *client, const struct report_artifact *artifact)
{
    char hash[HASH_TEXT_SIZE];
    struct event *event = place_event(&client->place, EVENT_ARTIFACT);
    event_set_text(event, "name", artifact->name);
    event_set_int(event, "size", (int64_t)artifact->size);
    event_set_text(event, "problem", artifact->problem);
    if (artifact->fd >= 0 && hash_file(artifact->fd, artifact->size, hash) == 0) {
        event_set_text(event, "hash", hash);
    }
    if (artifact->fd >= 0 && artifact->size) {
        take_content(client, artifact, event);
    }
    place_emit(&client->place, event);
}

void cell_effect_report(struct cell_client *client, const struct report_effect *effect)
{
    struct event *event = place_event(&client->place, EVENT_EFFECT);
    struct buf path;
    buf_init(&path, 64 << 10);
    scope_display(effect->path, client->root, client->home, &path);
    event_set_text(event, "what", effect_kind_name(effect->kind));
    event_set_text(event, "path", path.data);
    if (effect->kind == EFFECT_CREATED || effect->kind == EFFECT_CHANGED) {
        event_set_int(event, "size", (int64_t)effect->size);
    }
    event_set_text(event, "problem", effect->problem);
    place_emit(&client->place, event);
    buf_done(&path);
}
