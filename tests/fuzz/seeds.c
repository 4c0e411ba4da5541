/*
 * Runs one fuzz target over its seeds, each cut at every byte and with every byte changed: what make check does of
 * fuzzing. This program is NAME_seeds_test, and its seeds lie in tests/fuzz/seeds/NAME.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SEED_MAX = 4096 };

static void vary(uint8_t *seed, size_t len)
{
    static const uint8_t bytes[] = {0, 1, '"', '\\', ',', '=', '*', '/', '.', '~', '\n', 0x1b, 0x3f, 0x80, 0xff};

    for (size_t at = 0; at <= len; at++) {
        LLVMFuzzerTestOneInput(seed, at);
    }
    for (size_t at = 0; at < len; at++) {
        uint8_t old = seed[at];
        for (size_t i = 0; i < sizeof bytes; i++) {
            seed[at] = bytes[i];
            LLVMFuzzerTestOneInput(seed, len);
        }
        seed[at] = old;
    }
}

int main(int argc, char **argv)
{
    const char *name = strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0];
    char path[SEED_MAX];
    size_t count = 0;

    (void)argc;
    snprintf(path, sizeof path, "tests/fuzz/seeds/%.*s", (int)strcspn(name, "_"), name);
    DIR *seeds = opendir(path);
    size_t folder = strlen(path);
    for (struct dirent *entry; seeds && (entry = readdir(seeds));) {
        uint8_t seed[SEED_MAX];
        if (entry->d_name[0] == '.') {
            continue;
        }
        snprintf(path + folder, sizeof path - folder, "/%s", entry->d_name);
        FILE *file = fopen(path, "rb");
        if (!file) {
            perror(path);
            return 1;
        }
        vary(seed, fread(seed, 1, sizeof seed, file));
        fclose(file);
        count++;
    }
    if (seeds) {
        closedir(seeds);
    }
    path[folder] = '\0';
    printf("%zu seeds of %s, varied: nothing breaks\n", count, path);
    return count ? 0 : 1;
}
