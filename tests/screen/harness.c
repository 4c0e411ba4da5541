/* The terminal for tests: pseudo terminal, job-control parent, libvterm. */
#include "harness.h"

#include "leader.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATIENCE_MS = 20000 };

struct screen {
    VTerm *vterm;
    VTermScreen *cells;
    int master, slave, control; /* control: a socket to the job-control parent */
    pid_t leader, child;
    struct termios before;
    struct ack ack;
    unsigned long long sent;
    int rows, columns;
    bool alternate, cursor, dead;
    int surprises, exit_status, marks, marks_taken;
    bool stopped, ended, collecting;
    char collected[64]; /* what the terminal would send, while that is only looked at */
    size_t collected_len;
    char pending[256]; /* the begin of what may be an acknowledgement */
    size_t pending_len;
    screen_frame each;
    void *each_context;
};

/* ---- libvterm's callbacks ---------------------------------------------------------------------------------------- */

static void on_output(const char *bytes, size_t len, void *user)
{
    struct screen *screen = user;
    if (screen->collecting) {
        size_t room = sizeof screen->collected - screen->collected_len;
        memcpy(screen->collected + screen->collected_len, bytes, len < room ? len : room);
        screen->collected_len += len < room ? len : room;
        return;
    }
    screen->sent += len;
    while (len > 0 && !screen->dead) {
        ssize_t written = write(screen->master, bytes, len);
        if (written <= 0) {
            break;
        }
        bytes += written;
        len -= (size_t)written;
    }
}

static int on_property(VTermProp property, VTermValue *value, void *user)
{
    struct screen *screen = user;
    if (property == VTERM_PROP_ALTSCREEN) {
        screen->alternate = value->boolean;
    } else if (property == VTERM_PROP_CURSORVISIBLE) {
        screen->cursor = value->boolean;
    } else if (property == VTERM_PROP_TITLE || property == VTERM_PROP_ICONNAME || property == VTERM_PROP_MOUSE) {
        screen->surprises++;
    }
    return 1;
}

static int on_bell(void *user)
{
    ((struct screen *)user)->surprises++;
    return 1;
}

static void take_ack(struct screen *screen, const char *text)
{
    struct ack ack;
    if (*text == '\0') {
        screen->marks++;
        return;
    }
    if (sscanf(text, "%llu;%d;%llu;%llu;%lld;%d;%d;%d", &ack.consumed, &ack.jobs, &ack.frame, &ack.seq, &ack.now,
               &ack.covered, &ack.rows, &ack.columns) != 8) {
        screen->surprises++;
        return;
    }
    screen->ack = ack;
    if (screen->each && ack.rows == screen->rows && ack.columns == screen->columns) {
        screen->each(screen->each_context, screen);
    }
}

/* Strings that libvterm does not know. Debian 12 has 0.1.4; 0.2 gives them in fragments. */
#if VTERM_VERSION_MAJOR == 0 && VTERM_VERSION_MINOR < 2
typedef VTermParserCallbacks unknown_string_callbacks;
static int on_osc(const char *text, size_t len, void *user)
{
    (void)text, (void)len;
    ((struct screen *)user)->surprises++;
    return 1;
}
#define on_dcs on_osc
#else
typedef VTermStateFallbacks unknown_string_callbacks;
static int on_osc(int command, VTermStringFragment fragment, void *user)
{
    (void)command, (void)fragment;
    ((struct screen *)user)->surprises++;
    return 1;
}

static int on_dcs(const char *command, size_t len, VTermStringFragment fragment, void *user)
{
    (void)command, (void)len, (void)fragment;
    ((struct screen *)user)->surprises++;
    return 1;
}
#endif

static const VTermScreenCallbacks screen_callbacks = {.settermprop = on_property, .bell = on_bell};
static const unknown_string_callbacks unknown_callbacks = {.osc = on_osc, .dcs = on_dcs};

/* ---- starting ---------------------------------------------------------------------------------------------------- */

static void start_vterm(struct screen *screen)
{
    screen->vterm = vterm_new(screen->rows, screen->columns);
    vterm_set_utf8(screen->vterm, 1);
    vterm_output_set_callback(screen->vterm, on_output, screen);
    screen->cells = vterm_obtain_screen(screen->vterm);
    vterm_screen_set_callbacks(screen->cells, &screen_callbacks, screen);
    vterm_screen_set_unrecognised_fallbacks(screen->cells, &unknown_callbacks, screen);
    vterm_screen_enable_altscreen(screen->cells, 1);
    vterm_screen_reset(screen->cells, 1);
    screen->surprises = 0;
}

struct screen *screen_start(const struct screen_options *options, int (*run)(void *context), void *context)
{
    struct screen *screen = calloc(1, sizeof *screen);
    assert_non_null(screen);
    screen->rows = options->rows ? options->rows : 24;
    screen->columns = options->columns ? options->columns : 80;
    struct winsize size = {.ws_row = (unsigned short)screen->rows, .ws_col = (unsigned short)screen->columns};
    int pair[2];
    assert_int_equal(openpty(&screen->master, &screen->slave, NULL, NULL, &size), 0);
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
    tcgetattr(screen->slave, &screen->before);
    fflush(NULL);
    screen->leader = fork();
    assert_true(screen->leader >= 0);
    if (screen->leader == 0) {
        close(screen->master);
        close(pair[0]);
        leader_run(screen->slave, pair[1], options, run, context);
    }
    close(pair[1]);
    screen->control = pair[0];
    fcntl(screen->master, F_SETFL, O_NONBLOCK);
    start_vterm(screen);
    return screen;
}

/* ---- waiting ----------------------------------------------------------------------------------------------------- */

static void take_message(struct screen *screen)
{
    struct message message;
    if (read(screen->control, &message, sizeof message) != sizeof message) {
        screen->ended = true;
        return;
    }
    if (message.kind == 'P') {
        screen->child = message.value;
    } else if (message.kind == 'S') {
        screen->stopped = true;
    } else {
        screen->ended = true;
        screen->exit_status = message.value;
    }
}

/* Acknowledgements are taken out before libvterm sees them: 0.1.4 loses the begin of a string that comes in two reads.
 */
static void take_bytes(struct screen *screen, const char *bytes, size_t len)
{
    static const char mark[] = "\033]7777;";
    for (size_t i = 0; i < len; i++) {
        screen->pending[screen->pending_len++] = bytes[i];
        bool begins = strncmp(screen->pending, mark,
                              screen->pending_len < sizeof mark - 1 ? screen->pending_len : sizeof mark - 1) == 0;
        if (begins && bytes[i] == '\a') {
            screen->pending[screen->pending_len - 1] = '\0';
            screen->pending_len = 0;
            take_ack(screen, screen->pending + sizeof mark - 1);
        } else if (!begins || screen->pending_len == sizeof screen->pending) {
            size_t again = bytes[i] == '\033' && screen->pending_len > 1; /* it may begin here */
            vterm_input_write(screen->vterm, screen->pending, screen->pending_len - again);
            screen->pending[0] = '\033';
            screen->pending_len = again;
        }
    }
}

static void take_output(struct screen *screen)
{
    char bytes[65536];
    ssize_t got;
    while (!screen->dead && (got = read(screen->master, bytes, sizeof bytes)) > 0) {
        take_bytes(screen, bytes, (size_t)got);
    }
}

static void fail_with_screen(const struct screen *screen, const char *what)
{
    char *text = screen_text(screen);
    fprintf(
        stderr,
        "%s\nframe %llu, event %llu, %llu of %llu bytes taken, jobs %d, surprises %d, size said %dx%d, is %dx%d\n%s",
        what, screen->ack.frame, screen->ack.seq, screen->ack.consumed, screen->sent, screen->ack.jobs,
        screen->surprises, screen->ack.columns, screen->ack.rows, screen->columns, screen->rows, text);
    free(text);
    fail_msg("%s", what);
}

/* Lets the application go on for one step; fails the test when nothing comes for a long time. */
static void pump(struct screen *screen)
{
    struct pollfd fds[2] = {{.fd = screen->dead ? -1 : screen->master, .events = POLLIN},
                            {.fd = screen->control, .events = POLLIN}};
    int ready = poll(fds, 2, PATIENCE_MS);
    if (ready == 0) {
        fail_with_screen(screen, "the application says nothing");
    }
    take_output(screen);
    if (fds[1].revents) {
        take_message(screen);
    }
}

static bool taken(const struct screen *screen)
{
    return screen->ack.frame > 0 && screen->ack.consumed >= screen->sent && screen->ack.rows == screen->rows &&
           screen->ack.columns == screen->columns;
}

void screen_wait_keys(struct screen *screen)
{
    while (!taken(screen)) {
        if (screen->ended) {
            fail_with_screen(screen, "the application has ended");
        }
        pump(screen);
    }
}

void screen_wait(struct screen *screen)
{
    while (!taken(screen) || screen->ack.jobs) {
        if (screen->ended) {
            fail_with_screen(screen, "the application has ended");
        }
        pump(screen);
    }
}

void screen_wait_text(struct screen *screen, const char *text)
{
    while (!screen_has(screen, text)) {
        if (screen->ended) {
            fail_with_screen(screen, text);
        }
        pump(screen);
    }
}

void screen_on_frame(struct screen *screen, screen_frame each, void *context)
{
    screen->each = each;
    screen->each_context = context;
}

/* ---- input ------------------------------------------------------------------------------------------------------- */

void screen_send(struct screen *screen, const char *bytes)
{
    size_t len = strlen(bytes);
    screen->sent += len;
    while (len > 0) {
        ssize_t written = write(screen->master, bytes, len);
        if (written > 0) {
            bytes += written;
            len -= (size_t)written;
        } else if (errno == EAGAIN) {
            /* The application reads, and may have to get rid of frames meanwhile. */
            struct pollfd fd = {.fd = screen->master, .events = POLLIN | POLLOUT};
            poll(&fd, 1, PATIENCE_MS);
            take_output(screen);
        } else {
            fail_with_screen(screen, "the terminal takes no input");
        }
    }
}

void screen_type(struct screen *screen, const char *bytes)
{
    screen_send(screen, bytes);
    screen_wait(screen);
}

void screen_key(struct screen *screen, VTermKey key)
{
    vterm_keyboard_key(screen->vterm, key, VTERM_MOD_NONE);
    screen_wait(screen);
}

void screen_paste(struct screen *screen, const char *bytes)
{
    vterm_keyboard_start_paste(screen->vterm);
    screen_send(screen, bytes);
    vterm_keyboard_end_paste(screen->vterm);
    screen_wait(screen);
}

void screen_resize(struct screen *screen, int rows, int columns)
{
    struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns};
    screen->rows = rows;
    screen->columns = columns;
    vterm_set_size(screen->vterm, rows, columns);
    ioctl(screen->master, TIOCSWINSZ, &size);
}

void screen_signal(struct screen *screen, int number)
{
    kill(screen->child, number);
}

/* ---- the picture ------------------------------------------------------------------------------------------------- */

struct ack screen_ack(const struct screen *screen)
{
    return screen->ack;
}

VTerm *screen_vterm(const struct screen *screen)
{
    return screen->vterm;
}

VTermScreenCell screen_cell(const struct screen *screen, int y, int x)
{
    VTermScreenCell cell;
    vterm_screen_get_cell(screen->cells, (VTermPos){y, x}, &cell);
    return cell;
}

bool screen_cursor_visible(const struct screen *screen)
{
    return screen->cursor;
}

int screen_cursor_column(const struct screen *screen)
{
    VTermPos position;
    vterm_state_get_cursorpos(vterm_obtain_state(screen->vterm), &position);
    return position.col;
}

int screen_surprises(const struct screen *screen)
{
    return screen->surprises;
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

/* All that the child had written by then is on the screen. */
static void take_the_rest(struct screen *screen)
{
    screen->marks_taken++;
    while (screen->marks < screen->marks_taken && !screen->dead) {
        struct pollfd fd = {.fd = screen->master, .events = POLLIN};
        if (poll(&fd, 1, PATIENCE_MS) == 0) {
            fail_with_screen(screen, "the mark does not come");
        }
        take_output(screen);
    }
}

int screen_finish(struct screen *screen)
{
    while (!screen->ended) {
        pump(screen);
    }
    take_the_rest(screen);
    return screen->exit_status;
}

void screen_close_terminal(struct screen *screen)
{
    close(screen->master);
    close(screen->slave);
    screen->dead = true;
    screen->master = screen->slave = -1;
}

bool screen_wait_stopped(struct screen *screen)
{
    while (!screen->stopped && !screen->ended) {
        pump(screen);
    }
    take_the_rest(screen);
    return screen->stopped;
}

void screen_continue(struct screen *screen)
{
    struct message message = {'C', 0};
    unsigned long long frame = screen->ack.frame;
    screen->stopped = false;
    (void)!write(screen->control, &message, sizeof message);
    while (screen->ack.frame == frame && !screen->ended) {
        pump(screen);
    }
}

void screen_settings(const struct screen *screen, struct termios *ret_before, struct termios *ret_now)
{
    *ret_before = screen->before;
    tcgetattr(screen->slave, ret_now);
}

void screen_set_settings(struct screen *screen, const struct termios *settings)
{
    tcsetattr(screen->slave, TCSANOW, settings);
}

bool screen_alternate(const struct screen *screen)
{
    return screen->alternate;
}

bool screen_pastes_bracketed(const struct screen *screen)
{
    struct screen *mutable = (struct screen *)(uintptr_t)screen;
    mutable->collecting = true;
    mutable->collected_len = 0;
    vterm_keyboard_start_paste(screen->vterm);
    mutable->collecting = false;
    return screen->collected_len > 0;
}

void screen_free(struct screen *screen)
{
    if (!screen->ended && screen->child > 0) {
        kill(screen->child, SIGKILL);
    }
    if (!screen->dead) {
        close(screen->master);
        close(screen->slave);
    }
    close(screen->control);
    waitpid(screen->leader, NULL, 0);
    vterm_free(screen->vterm);
    free(screen);
}
