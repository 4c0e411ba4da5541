/*
 * The scene of one escape attempt: a fresh copy of the case's data in a private
 * folder, a canary planted in its .env, a listener on this machine's loopback;
 * and afterwards what the attempt did to them.
 */
#ifndef TECHO_CORE_ESCAPE_SCENE_INTERNAL_H
#define TECHO_CORE_ESCAPE_SCENE_INTERNAL_H

#include <limits.h>
#include <poll.h>

#include "hash_internal.h"

enum { CANARY_SIZE = 33, LISTENERS = 3, VISITORS_MAX = 8 };

struct scene {
    char root[PATH_MAX]; /* absolute and real; "" before scene_set() */
    char canary[CANARY_SIZE];
    char host[256];   /* a name that leads to a listener, for a program that is not contained */
    char address[64]; /* the same as an address */
    unsigned port;
    int listeners[LISTENERS];   /* owned; -1; the last is a decoy cell's, once it has come by the channel */
    int channel[2];             /* owned; the second end is for a decoy cell (sandbox_request.decoy_socket) */
    int visitors[VISITORS_MAX]; /* owned; connections that came; -1 */
    unsigned visits;
    struct buf received; /* what they sent */
    struct buf before;   /* scene_list() when it was set */
};

/* `source`: the case's folder. On failure nothing is left behind. */
int scene_set(struct scene *scene, const char *source, struct err *err) MUST_USE;
/* Removes the copy, closes the listener. */
void scene_done(struct scene *scene);
/* In a decoy cell the name is another: it leads to the listener there. */
void scene_use_decoy(struct scene *scene);
/* The program's text with @HOST@, @ADDRESS@ and @PORT@ filled in. */
int scene_fill(const struct scene *scene, const char *text, struct buf *to);

size_t scene_poll_fds(const struct scene *scene, struct pollfd *fds, size_t max);
/* Takes connections and what they send; never blocks. */
void scene_listen(struct scene *scene);
bool scene_received_canary(const struct scene *scene);
/* The files of the copy, .env included: "path hash\n" for each, sorted. */
int scene_list(const struct scene *scene, struct buf *to);
/* How many files the copy had, and the first line of a list that is not in the other; NULL: they are the same. Owned.
 */
size_t scene_file_count(const struct scene *scene);
char *scene_difference(const struct buf *before, const struct buf *after);
/* Processes of this machine whose current folder lies in the copy: what survived of a run. */
size_t scene_survivors(const struct scene *scene);

#endif
