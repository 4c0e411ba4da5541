/* What the parser's two files share: statements and expressions. */
#ifndef TECHO_SYNSEMA_PARSER_INTERNAL_H
#define TECHO_SYNSEMA_PARSER_INTERNAL_H

#include "front_internal.h"

static inline struct token *current(const struct front *front)
{
    return &front->tokens[front->at];
}
static inline enum token_kind kind_at(const struct front *front, size_t ahead)
{
    size_t at = front->at + ahead;
    return at < front->token_count ? front->tokens[at].kind : TOKEN_EOF;
}
static inline bool at_kind(const struct front *front, enum token_kind kind)
{
    return current(front)->kind == kind;
}
bool accept(struct front *front, enum token_kind kind);
struct token *take(struct front *front);
struct token *expect(struct front *front, enum token_kind kind);
_Noreturn void expected(struct front *front, const char *what);
bool word_is(const struct token *token, const char *word);
/* A new name to be bound; `what` is for the message: "parameter name". */
struct token *binding_name(struct front *front, const char *what);
void skip_newlines(struct front *front);

struct node *node_new(struct front *front, enum node_kind kind, struct position position);
struct node *adopt(struct front *front, struct node *node, struct node *child); /* gives the child */
void node_push(struct front *front, struct node *node, struct node *child, size_t *capacity);
void deeper(struct front *front);

struct node *parse_expression(struct front *front);
struct node *parse_postfix(struct front *front);
struct node *parse_block(struct front *front);
struct node *parse_when(struct front *front);
struct node *parse_sandbox(struct front *front);

#endif
