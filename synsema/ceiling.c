/* Ceilings as text (§11): "none", or names with scopes, separated by commas. */
#include "capability_internal.h"

static int unknown(struct vm *vm, const char *name, size_t length)
{
    struct buffer known;
    buffer_init(&known, vm);
    for (enum capability c = CAPABILITY_NET; c < _CAPABILITY_MAX; c++) {
        buffer_printf(&known, "%s%s", c == CAPABILITY_NET ? "" : ", ", capability_wire(c));
    }
    buffer_char(&known, '\0');
    if (!known.failed) {
        vm_fail(vm, "Unknown capability type: '%.*s'. Known: [%s]", (int)(length > 200 ? 200 : length), name,
                known.data);
    }
    buffer_done(&known);
    return -1;
}

static int add_item(struct vm *vm, struct grants *grants, const char *item, size_t length)
{
    const char *equals = memchr(item, '=', length);
    size_t name = equals ? (size_t)(equals - item) : length;
    while (name > 0 && (item[name - 1] == ' ' || item[name - 1] == '\t')) {
        name--;
    }
    enum capability capability;
    if (!capability_known(item, name, &capability)) {
        return unknown(vm, item, name);
    }
    if (!equals) {
        return grants_add(vm, grants, capability, NULL);
    }
    const char *from = equals + 1;
    size_t n = length - (size_t)(from - item);
    while (n > 0 && (*from == ' ' || *from == '\t')) {
        from++;
        n--;
    }
    char *scope = memory_strdup(vm, from, n);
    if (!scope) {
        return -1;
    }
    int r = grants_add(vm, grants, capability, scope);
    memory_free(vm, scope, n + 1);
    return r;
}

int ceiling_parse(struct vm *vm, const char *text, struct grants *ret, bool *ret_none)
{
    *ret = (struct grants){0};
    *ret_none = strcmp(text, "none") == 0;
    if (*ret_none) {
        return 0;
    }
    while (*text) {
        size_t n = strcspn(text, ",");
        const char *item = text;
        size_t length = n;
        while (length > 0 && strchr(" \t\r\n", *item)) {
            item++;
            length--;
        }
        while (length > 0 && strchr(" \t\r\n", item[length - 1])) {
            length--;
        }
        if (length > 0 && add_item(vm, ret, item, length)) {
            return -1;
        }
        text += n;
        text += *text == ',';
    }
    return 0;
}
