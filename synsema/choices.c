/* Where the reference says [unsure]: one function per choice. docs/synsema.md lists them. */
#include "capability_internal.h"

/* §10.2: `require` of an unknown name is ignored; what it would have given is refused when it is used. */
int choice_unknown_require(struct vm *vm, const char *name)
{
    (void)vm;
    (void)name;
    return 0;
}
