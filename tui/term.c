/*
 * The terminal, taken over and given back. Ordinary exits go through
 * term_close(); signals that ask to leave only write to a pipe, so that the
 * loop leaves in order; a crash writes a sequence that was prepared before,
 * puts the line settings back, and goes on dying.
 */
#include "term.h"

#include "../core/sanitize.h"
#include "curses_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>

enum { STDERR_KEPT = 64 * 1024, RESTORE_MAX = 256, CRASH_STACK = 64 * 1024 };

/* Whatever would end the program: those that ask for it, and those that mean nothing here. */
static const int leaving[] = {SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGIO,
                              SIGPWR, SIGXCPU, SIGSTKFLT};
static const int crashing[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL};
static const int noticed[] = {SIGWINCH, SIGTSTP, SIGCONT};
enum {
    LEAVING = sizeof leaving / sizeof *leaving,
    CRASHING = sizeof crashing / sizeof *crashing,
    NOTICED = sizeof noticed / sizeof *noticed,
    HANDLED = LEAVING + CRASHING + NOTICED,
};

struct terminal {
    int fd;
    FILE *out, *in; /* owned; curses' */
    SCREEN *screen; /* owned */
    int pipe[2];
    int stderr_copy, stderr_memory; /* -1: not redirected */
    struct sigaction before[HANDLED];
    void *crash_stack; /* owned */
};

/* What handlers need: set before they are installed, and plain memory. */
static struct {
    int fd, pipe;
    struct termios settings;
    char restore[RESTORE_MAX];
    size_t restore_len;
} saved;

static void on_signal(int number)
{
    int before = errno;
    unsigned char byte = (unsigned char)number;
    (void)!write(saved.pipe, &byte, 1);
    errno = before;
}

static void on_crash(int number)
{
    (void)!write(saved.fd, saved.restore, saved.restore_len);
    (void)tcsetattr(saved.fd, TCSANOW, &saved.settings);
    /* SA_RESETHAND has put the default action back. */
    (void)raise(number);
}

/* A terminfo string without its padding ($<5>), which nobody needs today. */
static void restore_add(const char *capability)
{
    if (!capability || capability == (const char *)-1) {
        return;
    }
    for (const char *c = capability; *c; c++) {
        if (c[0] == '$' && c[1] == '<') {
            const char *end = strchr(c, '>');
            if (end) {
                c = end;
                continue;
            }
        }
        if (saved.restore_len < sizeof saved.restore) {
            saved.restore[saved.restore_len++] = *c;
        }
    }
}

static void prepare_restore(void)
{
    static const char *const capabilities[] = {"sgr0", "rmkx", "cnorm", "rmcup"};
    saved.restore_len = 0;
    restore_add("\033[?2004l");
    for (size_t i = 0; i < sizeof capabilities / sizeof *capabilities; i++) {
        restore_add(tigetstr(capabilities[i]));
    }
}

static int signal_at(size_t index)
{
    if (index < LEAVING) {
        return leaving[index];
    }
    index -= LEAVING;
    return index < CRASHING ? crashing[index] : noticed[index - CRASHING];
}

static void signals_take(struct terminal *term)
{
    for (size_t i = 0; i < HANDLED; i++) {
        bool crash = i >= LEAVING && i < LEAVING + CRASHING;
        struct sigaction action = {.sa_handler = crash ? on_crash : on_signal};
        action.sa_flags = crash ? (int)(SA_RESETHAND | SA_NODEFER | SA_ONSTACK) : SA_RESTART;
        sigemptyset(&action.sa_mask);
        sigaction(signal_at(i), &action, &term->before[i]);
    }
}

static void signals_give_back(const struct terminal *term)
{
    for (size_t i = 0; i < HANDLED; i++) {
        sigaction(signal_at(i), &term->before[i], NULL);
    }
}

/* Libraries that write on standard error must not write over the picture. */
static void stderr_take(struct terminal *term)
{
    term->stderr_memory = memfd_create("stderr", MFD_CLOEXEC);
    if (term->stderr_memory < 0) {
        return;
    }
    fflush(stderr);
    term->stderr_copy = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    if (dup2(term->stderr_memory, STDERR_FILENO) < 0) {
        close_descriptor(&term->stderr_copy);
    }
}

static void stderr_give_back(struct terminal *term)
{
    if (term->stderr_memory < 0) {
        return;
    }
    fflush(stderr);
    if (term->stderr_copy >= 0) {
        (void)dup2(term->stderr_copy, STDERR_FILENO);
    } else {
        (void)close(STDERR_FILENO);
    }
    char *bytes = malloc(STDERR_KEPT);
    ssize_t got = bytes ? pread(term->stderr_memory, bytes, STDERR_KEPT, 0) : 0;
    if (got > 0) {
        struct buf plain;
        buf_init(&plain, 4 * STDERR_KEPT);
        sanitize_text(untrusted_bytes(bytes, (size_t)got), SANITIZE_LINES, &plain);
        (void)!write(STDERR_FILENO, plain.data, plain.len);
        buf_done(&plain);
    }
    free(bytes);
    close_descriptor(&term->stderr_copy);
    close_descriptor(&term->stderr_memory);
}

static void modes_set(struct terminal *term)
{
    raw();
    nonl();
    noecho();
    keypad(stdscr, TRUE);
    curs_set(0);
    term_write(term, "\033[?2004h", 8);
}

static void modes_clear(struct terminal *term)
{
    term_write(term, "\033[?2004l", 8);
    curs_set(1);
    endwin();
}

static int screen_start(struct terminal *term, const char **ret_notice, struct err *err)
{
    const char *name = getenv("TERM");
    *ret_notice = NULL;
    if (name && strcmp(name, "dumb") == 0) {
        return err_set(err, -EINVAL, "TERM=dumb cannot place text: try `techo ask`, `techo bench` or `techo help`");
    }
    if (name && *name) {
        term->screen = newterm(name, term->out, term->in);
    }
    if (!term->screen) {
        term->screen = newterm("xterm-256color", term->out, term->in);
        *ret_notice = "TERM is not known here: drawing as xterm-256color";
    }
    if (!term->screen) {
        return err_set(err, -EINVAL,
                       "TERM=%s is not a terminal that curses knows: try TERM=xterm, or a command such as "
                       "`techo bench`",
                       name ? name : "");
    }
    set_term(term->screen);
    return 0;
}

static void term_free(struct terminal *term)
{
    if (term->screen) {
        delscreen(term->screen);
    }
    if (term->out) {
        fclose(term->out);
    }
    if (term->in) {
        fclose(term->in);
    }
    close_descriptor(&term->pipe[0]);
    close_descriptor(&term->pipe[1]);
    close_descriptor(&term->fd);
    free(term->crash_stack);
    free(term);
}

static int files_open(struct terminal *term, struct err *err)
{
    term->fd = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
    if (term->fd < 0 || tcgetattr(term->fd, &saved.settings) < 0) {
        return err_set(err, -ENOTTY,
                       "there is no terminal here: try `techo bench`, `techo ask` or `techo replay FILE --plain`");
    }
    int out = fcntl(term->fd, F_DUPFD_CLOEXEC, 3), in = fcntl(term->fd, F_DUPFD_CLOEXEC, 3);
    term->out = out < 0 ? NULL : fdopen(out, "w");
    term->in = in < 0 ? NULL : fdopen(in, "r");
    if (!term->out || !term->in || pipe2(term->pipe, O_CLOEXEC | O_NONBLOCK) < 0) {
        return err_errno(err, -errno, "cannot use the terminal");
    }
    return 0;
}

int term_open(struct terminal **ret_term, const char **ret_notice, struct err *err)
{
    struct terminal *term = calloc(1, sizeof *term);
    if (!term) {
        return err_set(err, -ENOMEM, "no memory");
    }
    term->fd = term->pipe[0] = term->pipe[1] = term->stderr_copy = term->stderr_memory = -1;
    setlocale(LC_ALL, "");
    set_escdelay(25);
    use_env(TRUE);
    use_tioctl(TRUE);
    int status = files_open(term, err);
    if (!status) {
        status = screen_start(term, ret_notice, err);
    }
    if (status) {
        term_free(term);
        return status;
    }
    saved.fd = term->fd;
    saved.pipe = term->pipe[1];
    prepare_restore();
    term->crash_stack = malloc(CRASH_STACK);
    if (term->crash_stack) {
        sigaltstack(&(stack_t){.ss_sp = term->crash_stack, .ss_size = CRASH_STACK}, NULL);
    }
    signals_take(term);
    stderr_take(term);
    modes_set(term);
    *ret_term = term;
    return 0;
}

void term_close(struct terminal *term)
{
    if (!term) {
        return;
    }
    modes_clear(term);
    (void)tcsetattr(term->fd, TCSADRAIN, &saved.settings);
    signals_give_back(term);
    sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL);
    stderr_give_back(term);
    term_free(term);
}

int term_fd(const struct terminal *term)
{
    return term->fd;
}

int term_signal_fd(const struct terminal *term)
{
    return term->pipe[0];
}

bool term_ascii(const struct terminal *term)
{
    (void)term;
    return strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
}

bool term_colour(const struct terminal *term)
{
    (void)term;
    const char *no = getenv("NO_COLOR");
    return has_colors() && !(no && *no);
}

unsigned term_signals(struct terminal *term, int *ret_signal)
{
    unsigned came = 0;
    unsigned char bytes[64];
    ssize_t got;
    while ((got = read(term->pipe[0], bytes, sizeof bytes)) > 0) {
        for (ssize_t i = 0; i < got; i++) {
            if (bytes[i] == SIGWINCH) {
                came |= TERM_RESIZED;
            } else if (bytes[i] == SIGCONT) {
                came |= TERM_CONTINUED;
            } else if (bytes[i] == SIGTSTP) {
                came |= TERM_SUSPEND;
            } else {
                *ret_signal = bytes[i];
            }
        }
    }
    return came;
}

void term_resize(struct terminal *term)
{
    struct winsize size;
    if (ioctl(term->fd, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0) {
        resizeterm(size.ws_row, size.ws_col);
    }
    clearok(curscr, TRUE);
}

void term_resume(struct terminal *term)
{
    reset_prog_mode();
    modes_set(term);
    term_resize(term);
}

void term_suspend(struct terminal *term)
{
    modes_clear(term);
    (void)tcsetattr(term->fd, TCSADRAIN, &saved.settings);
    struct sigaction on_stop, on_continue, plain = {.sa_handler = SIG_DFL};
    sigaction(SIGTSTP, &plain, &on_stop);
    sigaction(SIGCONT, &plain, &on_continue); /* what it would ask for is done below */
    (void)raise(SIGTSTP);
    sigaction(SIGTSTP, &on_stop, NULL);
    sigaction(SIGCONT, &on_continue, NULL);
    doupdate(); /* the alternate screen first: some terminals keep with it whether the cursor was visible */
    term_resume(term);
}

void term_write(struct terminal *term, const void *bytes, size_t len)
{
    fflush(term->out);
    const char *at = bytes;
    while (len > 0) {
        ssize_t written = write(term->fd, at, len);
        if (written < 0 && errno != EINTR && errno != EAGAIN) {
            return; /* the terminal is gone: reading will say so */
        }
        at += written > 0 ? written : 0;
        len -= written > 0 ? (size_t)written : 0;
    }
}
