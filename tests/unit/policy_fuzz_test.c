/* The fuzz target of the policy language over its seeds, cut at every byte and with every byte changed. */
#include "../fuzz/policy_fuzz.c"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

enum { SEED_MAX = 4096 };
static const char folder[] = "tests/fuzz/seeds/policy";

static void vary(uint8_t *seed, size_t len)
{
    static const uint8_t bytes[] = {0, '"', '\\', ',', '=', '?', '*', '/', '.', '~', ' ', '\n', '9', 0x1b, 0xff};
    for (size_t at = 0; at < len; at++) {
        uint8_t old = seed[at];
        LLVMFuzzerTestOneInput(seed, at);
        for (size_t i = 0; i < sizeof bytes; i++) {
            seed[at] = bytes[i];
            LLVMFuzzerTestOneInput(seed, len);
        }
        seed[at] = old;
    }
}

static void no_variation_of_a_seed_breaks_it(void **state)
{
    (void)state;
    DIR *seeds = opendir(folder);
    assert_non_null(seeds);
    size_t count = 0;
    for (struct dirent *entry; (entry = readdir(seeds));) {
        char path[SEED_MAX];
        uint8_t seed[SEED_MAX];
        if (entry->d_name[0] == '.') {
            continue;
        }
        assert_true(snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) < (int)sizeof path);
        FILE *file = fopen(path, "rb");
        assert_non_null(file);
        size_t len = fread(seed, 1, sizeof seed, file);
        fclose(file);
        vary(seed, len);
        count++;
    }
    closedir(seeds);
    assert_true(count > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_variation_of_a_seed_breaks_it)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
