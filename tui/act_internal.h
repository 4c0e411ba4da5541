/* Actions that have a file of their own; the table in action.c names them. */
#ifndef TECHO_TUI_ACT_INTERNAL_H
#define TECHO_TUI_ACT_INTERNAL_H

struct app;

/* scroll.c */
void act_scroll(struct app *app, const char *key);
void act_move(struct app *app, const char *key);
void act_attempt(struct app *app, const char *key);

/* ask.c: those that open the prompt */
void act_ask(struct app *app, const char *key);
void act_ceiling(struct app *app, const char *key);
void act_search(struct app *app, const char *key);
void act_palette(struct app *app, const char *key);

/* dialog.c */
void act_choice(struct app *app, const char *key);
void act_decide(struct app *app, const char *key);
void act_deny(struct app *app, const char *key);

#endif
