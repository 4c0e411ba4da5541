/* SHA-256 by libmd. */
#include "hash_internal.h"

#include <errno.h>
#include <sha2.h>
#include <unistd.h>

static void finish(SHA2_CTX *context, char ret_text[HASH_TEXT_SIZE])
{
    static const char digits[] = "0123456789abcdef";
    uint8_t digest[SHA256_DIGEST_LENGTH];
    SHA256Final(digest, context);
    for (size_t i = 0; i < sizeof digest; i++) {
        ret_text[2 * i] = digits[digest[i] >> 4];
        ret_text[2 * i + 1] = digits[digest[i] & 15];
    }
    ret_text[HASH_TEXT_SIZE - 1] = '\0';
}

void hash_bytes(const void *bytes, size_t len, char ret_text[HASH_TEXT_SIZE])
{
    SHA2_CTX context;
    SHA256Init(&context);
    SHA256Update(&context, bytes, len);
    finish(&context, ret_text);
}

int hash_file(int fd, uint64_t max, char ret_text[HASH_TEXT_SIZE])
{
    SHA2_CTX context;
    uint8_t bytes[65536];
    uint64_t total = 0;
    ssize_t got;
    SHA256Init(&context);
    while ((got = pread(fd, bytes, sizeof bytes, (off_t)total)) > 0) {
        total += (uint64_t)got;
        if (total > max) {
            return -EFBIG;
        }
        SHA256Update(&context, bytes, (size_t)got);
    }
    if (got < 0) {
        return -errno;
    }
    finish(&context, ret_text);
    return 0;
}
