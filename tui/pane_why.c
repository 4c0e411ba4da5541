/* The why card: the reasons for one permission, all of them computed by the engine. */
#include "pane.h"

#include <string.h>

enum { LABEL_WIDTH = 16 };

struct card {
    struct region region;
    int row;
};

static void add_words(struct card *card, enum role role, const char *text)
{
    int used = draw_wrapped(card->region, card->row, 0, role, untrusted_text(text));
    card->row += used;
}

static void add_fact(struct card *card, const char *label, enum role role, const char *text)
{
    if (!text || !*text) {
        return;
    }
    struct line line = line_at(card->region, card->row);
    line_text(&line, ROLE_LABEL, label);
    line_to(&line, ROLE_TEXT, LABEL_WIDTH);
    struct region rest = card->region;
    rest.x += line.at;
    rest.w -= line.at;
    int used = draw_wrapped(rest, card->row, 0, role, untrusted_text(text));
    card->row += used ? used : 1;
}

static void add_layers(struct card *card, const struct state_attempt *attempt)
{
    struct buf in_force;
    buf_init(&in_force, 4096);
    for (size_t i = 0; i < attempt->layer_count; i++) {
        buf_addf(&in_force, "%s%s", i ? ", " : "", attempt->layers[i]);
    }
    add_fact(card, "level", ROLE_TEXT, attempt->level);
    add_fact(card, "in force", ROLE_TEXT, in_force.data);
    for (size_t i = 0; i < attempt->off_count; i++) {
        add_fact(card, i ? "" : "not in force", ROLE_WARNING, attempt->off[i]);
    }
    buf_done(&in_force);
}

/* The last refused access that this row explains. */
static const struct state_access *access_of(const struct state_attempt *attempt, const struct state_permission *row)
{
    for (size_t i = attempt->access_count; row->denied && i-- > 0;) {
        const struct state_access *access = &attempt->accesses[i];
        bool denied = access->verdict && strcmp(access->verdict, "denied") == 0;
        if (denied && (!row->line || access->line == row->line)) {
            return access;
        }
    }
    return NULL;
}

static void add_permission(struct card *card, const struct state_attempt *attempt, const struct state_permission *row)
{
    struct line line = line_at(card->region, card->row++);
    bool refused = row->denied || row->fix;
    line_fit(&line, ROLE_STRONG, untrusted_text(row->name), 24);
    line_text(&line, ROLE_STRONG, " ");
    line_fit(&line, ROLE_STRONG, untrusted_text(row->scope), line_left(&line) - 14);
    line_text(&line, refused ? ROLE_DENIED : ROLE_GRANTED, refused ? "  not granted" : "  granted");
    if (row->why) {
        add_words(card, ROLE_TEXT, row->why);
    }
    add_fact(card, refused ? "nearest item" : "granted by", ROLE_TEXT, row->rule);
    add_fact(card, "would allow it", ROLE_KEY, row->fix);
    add_fact(card, "stopped by", ROLE_TEXT, row->denied_layer);
    add_fact(card, "enforced by", ROLE_TEXT, row->layers);
    add_fact(card, "not enforced", ROLE_DENIED, row->unenforceable);
    const struct state_access *access = access_of(attempt, row);
    if (access) {
        add_fact(card, "the call", ROLE_TEXT, access->call);
        add_fact(card, "it got", ROLE_TEXT, access->error);
        const char *source = access->source;
        add_fact(card, "program line", ROLE_TEXT, source ? source + strspn(source, " \t") : NULL);
    }
}

void pane_why_draw(const struct picture *picture, struct region region)
{
    struct card card = {region, 0};
    int selected = picture_selected(picture);
    card.region.x++;
    card.region.w -= 2;
    if (!picture->attempt) {
        add_words(&card, ROLE_DIM, "the reasons for a permission, once something ran");
        return;
    }
    if (selected >= 0) {
        add_permission(&card, picture->attempt, &picture->attempt->permissions[selected]);
    } else {
        add_words(&card, ROLE_DIM, "nothing was refused. Up and Down in Permissions choose a row.");
    }
    if (card.row > 0 && card.row < card.region.h) {
        card.row++;
    }
    add_layers(&card, picture->attempt);
}
