/* The kinds of object outside the core, and how they behave. */
#include "builtin_internal.h"

const struct kind *const kinds[_OBJECT_MAX] = {0};
