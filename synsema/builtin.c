/* The table of all builtins, chapter by chapter, found by name through a hash that is made once. */
#include "machine_internal.h"

static const struct builtin *const chapters[] = {
    builtins_core,
    builtins_math,
    builtins_program,
};

#define CHAPTERS (sizeof(chapters) / sizeof(chapters[0]))
#define PLACES 2048u

static const struct builtin *all[PLACES / 2];
static uint16_t places[PLACES]; /* number + 1; 0: empty */
static uint32_t count;

static uint32_t hash(const char *name, size_t length)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < length; i++) {
        h = (h ^ (unsigned char)name[i]) * 16777619u;
    }
    return h;
}

static uint32_t place(const char *name, size_t length)
{
    uint32_t at = hash(name, length) % PLACES;
    while (places[at]) {
        const char *other = all[places[at] - 1]->name;
        if (strncmp(other, name, length) == 0 && other[length] == '\0') {
            break;
        }
        at = (at + 1) % PLACES;
    }
    return at;
}

static void make(void)
{
    for (size_t chapter = 0; chapter < CHAPTERS; chapter++) {
        for (const struct builtin *builtin = chapters[chapter]; builtin->name && count < PLACES / 2; builtin++) {
            uint32_t at = place(builtin->name, strlen(builtin->name));
            if (!places[at]) {
                all[count++] = builtin;
                places[at] = (uint16_t)count;
            }
        }
    }
}

const struct builtin *builtin_find(const char *name, size_t length)
{
    if (count == 0) {
        make();
    }
    uint32_t at = place(name, length);
    return places[at] ? all[places[at] - 1] : NULL;
}

uint32_t builtin_index(const struct builtin *builtin)
{
    return places[place(builtin->name, strlen(builtin->name))] - 1u;
}

const struct builtin *builtin_at(uint32_t index)
{
    return all[index];
}

bool constant_named(const char *name, double *ret)
{
    static const struct {
        const char *name;
        double value;
    } constants[] = {{"pi", 3.141592653589793},
                     {"tau", 6.283185307179586},
                     {"e", 2.718281828459045},
                     {"inf", __builtin_inf()},
                     {"nan", __builtin_nan("")}};
    for (size_t i = 0; i < sizeof(constants) / sizeof(constants[0]); i++) {
        if (strcmp(constants[i].name, name) == 0) {
            *ret = constants[i].value;
            return true;
        }
    }
    return false;
}
