/* The listener: sees each watched call, gives it a verdict, and answers or lets it go on. */
#ifndef TECHO_SANDBOX_WATCH_INTERNAL_H
#define TECHO_SANDBOX_WATCH_INTERNAL_H

#include "access_internal.h"
#include "ask_internal.h"
#include "net_internal.h"
#include "relay_internal.h"
#include "verdict_internal.h"

struct watch {
    struct view view;
    enum sandbox_notify mode;
    struct net net;
    struct relay relay;
    struct accesses accesses;
    struct asks asks;
    int64_t started_us; /* when the program started */
    unsigned line;      /* the program's own line, as it said last */
    bool running;       /* the program's first execve was seen */
    report_fn report;
    void *context;
};

int watch_init(struct watch *watch, const struct view *view, enum sandbox_notify mode, report_fn report, void *context);
void watch_done(struct watch *watch);
/* Before poll: makes the program run on this processor as soon as it is answered (Linux 6.6). */
void watch_prepare(int listener);
/* Handles one notification. `drain` is called before it is judged, to learn of the program's line. */
void watch_serve(struct watch *watch, void (*drain)(void *context));

/* A touch of what is not granted: may a person be asked? `call` is copied (watch_ask.c). */
enum ask_result watch_hold(struct watch *watch, const char *path, const struct ask_waiter *call);
/* The same of a connection to what is not granted. */
enum ask_result watch_hold_host(struct watch *watch, const char *text, const struct net_target *target,
                                const struct ask_waiter *call);
/* The answer to an ask: the file is shown, the host relayed, or not, and the held calls go on. */
void watch_decide(struct watch *watch, uint64_t number, bool allow);
/* Those that nobody has answered in time are denied. */
void watch_decide_late(struct watch *watch, int64_t now_us);

#endif
