/* A queue of datagrams. One that is too long for the socket travels in a memfd, beside a single byte. */
#include "outbox_internal.h"

#include "wire_internal.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void outbox_init(struct outbox *outbox, int socket)
{
    *outbox = (struct outbox){.socket = socket};
}

static void free_packet(struct outbox_packet *packet)
{
    close_descriptor(&packet->fd);
    free(packet);
}

void outbox_done(struct outbox *outbox)
{
    while (outbox->first) {
        struct outbox_packet *next = outbox->first->next;
        free_packet(outbox->first);
        outbox->first = next;
    }
}

static struct outbox_packet *make_packet(const char *bytes, size_t len, int fd)
{
    struct outbox_packet *packet;
    char alone = 0;

    if (len > WIRE_INLINE_MAX) {
        fd = wire_seal("techo-report", bytes, len); /* an artifact is never this long */
        if (fd < 0) {
            return NULL;
        }
        bytes = &alone;
        len = 1;
    }
    packet = malloc(sizeof *packet + len);
    if (packet) {
        packet->next = NULL;
        packet->fd = fd;
        packet->len = len;
        memcpy(packet->bytes, bytes, len);
    }
    return packet;
}

void outbox_add(struct outbox *outbox, struct report *report)
{
    struct outbox_packet *packet = NULL;
    struct buf bytes;
    int fd = -1;

    if (report->kind == REPORT_ARTIFACT) {
        fd = report->artifact.fd;
        report->artifact.fd = -1;
    }
    buf_init(&bytes, WIRE_REPORT_MAX);
    if (!outbox->gone && report_write(report, &bytes) == 0) {
        packet = make_packet(bytes.data, bytes.len, fd);
    }
    buf_done(&bytes);
    if (!packet) {
        close_descriptor(&fd);
        outbox->gone = true; /* a stream with a hole would be a lie */
        return;
    }
    if (outbox->last) {
        outbox->last->next = packet;
    } else {
        outbox->first = packet;
    }
    outbox->last = packet;
    outbox->bytes += packet->len;
    outbox_flush(outbox);
}

void outbox_flush(struct outbox *outbox)
{
    while (outbox->first && !outbox->gone) {
        struct outbox_packet *packet = outbox->first;
        int result = wire_send(outbox->socket, packet->bytes, packet->len, &packet->fd, packet->fd >= 0, false);
        if (result == -EAGAIN || result == -ENOBUFS || result == -ETOOMANYREFS) {
            return;
        }
        outbox->gone = result < 0;
        outbox->first = packet->next;
        if (!outbox->first) {
            outbox->last = NULL;
        }
        outbox->bytes -= packet->len;
        free_packet(packet);
    }
}

void outbox_drain(struct outbox *outbox)
{
    while (outbox->first && !outbox->gone) {
        struct pollfd poller = {outbox->socket, POLLOUT, 0};
        (void)poll(&poller, 1, 100); /* a time, since descriptors in flight can be too many without the socket's say */
        if (poller.revents & (POLLERR | POLLHUP)) {
            outbox->gone = true;
        }
        outbox_flush(outbox);
    }
}
