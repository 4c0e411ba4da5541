/* Standard input by a pipe. It reads only when all that it read before is written: a program that never reads costs one piece. */
#include "feed_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

void feed_init(struct feed *feed)
{
    feed->from = feed->to = -1;
    feed->at = feed->len = 0;
}

int feed_open(struct feed *feed, int from, int *ret_read)
{
    struct stat info;
    int ends[2];

    if (fstat(from, &info) < 0 || pipe2(ends, O_CLOEXEC) < 0) {
        return -errno;
    }
    fcntl(ends[1], F_SETFL, O_NONBLOCK); /* of our end alone */
    feed->from = from;
    feed->to = ends[1];
    feed->waits_to_read = !S_ISREG(info.st_mode);
    *ret_read = ends[0];
    return 0;
}

void feed_done(struct feed *feed)
{
    close_descriptor(&feed->to);
}

int feed_waits(const struct feed *feed, short *ret_events)
{
    bool writes = feed->at < feed->len;

    *ret_events = writes ? POLLOUT : POLLIN;
    return feed->to < 0 ? -1 : writes ? feed->to : feed->from;
}

/* Another process may have taken what poll() saw, so that plain reading would wait; not every file can be asked not to. */
static ssize_t read_some(struct feed *feed)
{
    struct iovec piece = {feed->bytes, sizeof feed->bytes};
    ssize_t got = -1;

    errno = EOPNOTSUPP;
    if (feed->waits_to_read) {
        got = preadv2(feed->from, &piece, 1, -1, RWF_NOWAIT);
    }
    return got < 0 && errno == EOPNOTSUPP ? read(feed->from, feed->bytes, sizeof feed->bytes) : got;
}

void feed_move(struct feed *feed)
{
    ssize_t moved;

    if (feed->to < 0) {
        return;
    }
    if (feed->at == feed->len) {
        moved = read_some(feed);
        if (moved <= 0) {
            if (moved == 0 || (errno != EAGAIN && errno != EINTR)) {
                feed_done(feed); /* the program sees the end of its input */
            }
            return;
        }
        feed->at = 0;
        feed->len = (size_t)moved;
    }
    moved = write(feed->to, feed->bytes + feed->at, feed->len - feed->at);
    if (moved > 0) {
        feed->at += (size_t)moved;
    } else if (moved < 0 && errno != EAGAIN && errno != EINTR) {
        feed_done(feed); /* it reads no more */
    }
}
