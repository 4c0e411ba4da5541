/*
 * The engine's own state, shared by its files:
 *   engine_setup.c    options and ceiling
 *   engine.c          polling, the calls of engine.h, events
 *   engine_attempt.c  question and attempts: the model, what is fed back, the end
 *   engine_inspect.c  inspection
 *   engine_run.c      grant and run
 *   engine_decide.c   what waits for a person's word
 *   engine_answer.c   the answer and its verdict
 */
#ifndef TECHO_CORE_ENGINE_INTERNAL_H
#define TECHO_CORE_ENGINE_INTERNAL_H

#include "data_files_internal.h"
#include "engine.h"
#include "extract_internal.h"
#include "model/model_internal.h"
#include "prompt_internal.h"
#include "rows_internal.h"
#include "runner/cell_client_internal.h"
#include "runner/runner.h"

enum { PROGRAM_MAX = 1 << 20 };

enum engine_step {
    STEP_IDLE,
    STEP_MODEL,   /* pieces of an answer are due */
    STEP_INSPECT, /* the inspection tool runs */
    STEP_RUN,     /* the program, or a command, runs */
};

enum engine_task {
    TASK_ASK,   /* a model writes programs until one does */
    TASK_RUN,   /* one program */
    TASK_CHECK, /* inspection only */
    TASK_EXEC,  /* a command */
};

/* What is being worked on, from its `question` event to the end of that question. */
struct engine_job {
    enum engine_task task;
    uint64_t seq;                      /* of the question event */
    char *id, *text;                   /* owned; id may be NULL */
    const struct executor *executor;   /* NULL for a command */
    const struct case_question *known; /* borrowed from the case; NULL: nothing to judge against */
    bool escape, force;
    struct prompt_turn *turns; /* owned */
    size_t turn_count;
};

/* A require of the program or its preamble, parsed again so that it stays. */
struct require {
    struct policy policy;
    bool limits; /* it gives limits alone */
    bool broken; /* it did not parse; it declares nothing, but it is a declaration */
    enum grant_origin origin;
    unsigned line;
};

/* An access that waits for a decision; its row is held. */
struct engine_held {
    char row[ROW_ID_SIZE];
    enum permission permission;
    uint64_t number;    /* for sandbox_answer() */
    char *scope, *real; /* owned; as people write it; where it really lies */
    unsigned line;
    int64_t since_us;
};
enum { ENGINE_HELD_MAX = 8 };

/* What was decided for the whole session. */
struct engine_remembered {
    char *real; /* owned */
    enum engine_choice choice;
};

/* One program and its run. */
struct engine_attempt {
    unsigned number;
    char *by;      /* owned */
    char *program; /* owned; NULL: none yet */
    size_t program_len;
    struct extract extract; /* of the model's answer */
    bool extracting;
    struct require *requires; /* owned */
    size_t require_count;
    struct grant grant;
    struct rows rows;
    bool granted; /* grant and rows are there */
    char *throwaway; /* owned; the copy that a decoy executor's run works on; NULL: none */
    struct runner_cell cell;
    struct cell_client client;
    bool client_ready;
    int fd;                  /* owned; the run or the inspection; -1 */
    struct buf tool_output;  /* what the inspection tool printed */
    struct engine_held held[ENGINE_HELD_MAX];
    size_t held_count;
    const char *phase;       /* the phase that is open, or NULL */
    int64_t cancel_deadline; /* when a cancelled run is given up; 0 */
};

/* The job's last program, to be run again: its attempt may have been followed by one that came to no program. */
struct engine_last {
    char *program, *by; /* owned; program NULL: none */
    size_t len;
    uint64_t seq; /* of its `program` event */
};

struct engine {
    struct session *session;      /* borrowed */
    const struct case_info *kase; /* borrowed; NULL */
    char *root, *home, *preamble; /* owned; preamble NULL: none; home NULL: unknown */
    char *ceiling_text;           /* owned */
    struct policy ceiling;
    unsigned ceiling_number;
    struct data_files files;
    struct model *model;
    int spawner_fd;
    enum sandbox_notify notify;
    bool direct;
    char *decoy;      /* owned; NULL: none */
    uint32_t without; /* layers that are off */
    enum engine_choice answer;
    struct engine_remembered *remembered; /* owned */
    size_t remembered_count;
    char *state_folder;  /* owned; techo's own, which no run writes; NULL: unknown */
    const char *own[2];  /* the list of those, for requests */
    enum inspect_mode inspect;
    bool own_stdin;
    unsigned attempts;
    uint16_t decoy_port; /* what listens in a decoy cell, and whom it is told; see sandbox_request */
    int decoy_socket;
    const char *needle; /* borrowed; a canary to look for in what a run leaves behind; NULL */
    enum engine_step step;
    bool cancelled;
    struct engine_job job;
    struct engine_attempt attempt;
    struct engine_last last;
};

/* ---- engine_attempt.c ---- */
void engine_job_done(struct engine_job *job);
void engine_attempt_init(struct engine_attempt *attempt);
void engine_attempt_done(struct engine_attempt *attempt);
void engine_last_done(struct engine_last *last);
/* Ends the attempt that was, and begins the next one. */
void engine_next_attempt(struct engine *engine, const char *by);
/* Asks the model for this attempt's program. */
void engine_ask_model(struct engine *engine);
void engine_model_pieces(struct engine *engine);
/* Takes a program that is checked (engine_check_program) and goes on: inspection, grant, run. */
void engine_take_program(struct engine *engine, const char *text, size_t len, uint64_t parent);
/* -EINVAL with one line: empty, above 1 MiB, a NUL, not UTF-8. */
int engine_check_program(const char *text, size_t len, struct err *err);
/* The attempt did not do: tells the model and tries again, or ends the question. */
void engine_attempt_failed(struct engine *engine, const char *told);
/* Ends the question. */
void engine_finish(struct engine *engine, const char *status);

/* ---- engine_inspect.c ---- */
void engine_inspect(struct engine *engine); /* goes on to engine_run_program() when it does not block */
void engine_inspect_report(struct engine *engine, const struct report *report);
void engine_inspect_lost(struct engine *engine, const char *why);

/* ---- engine_run.c ---- */
/* Reads the requires of preamble and program into the attempt. */
int engine_read_requires(struct engine *engine, struct err *err);
/* The same as requests, borrowed from them; the caller frees the array. */
struct grant_request *engine_requests(const struct engine *engine);
void engine_run_program(struct engine *engine);
/* The run does not take place: says so as its exit, and ends the question. */
void engine_give_up(struct engine *engine, enum sandbox_status status, const char *why);
void engine_run_command(struct engine *engine, const char *const *argv);
void engine_run_report(struct engine *engine, const struct report *report);
/* The supervisor is gone without a last word. */
void engine_run_lost(struct engine *engine, const char *why);

/* ---- engine_decide.c ---- */
void engine_hold(struct engine *engine, const struct report_held *report);
/* The run is over: nothing waits any more. */
void engine_drop_held(struct engine *engine);
void engine_forget(struct engine *engine);

/* ---- engine_answer.c ---- */
void engine_answer(struct engine *engine);

/* ---- engine.c ---- */
struct place engine_place(const struct engine *engine);
struct event *engine_event(const struct engine *engine, enum event_kind kind);
uint64_t engine_emit(const struct engine *engine, struct event *event);
void engine_phase(struct engine *engine, const char *name);
void engine_phase_end(struct engine *engine, const char *status, const char *detail);
void engine_note(const struct engine *engine, const char *text);

#endif
