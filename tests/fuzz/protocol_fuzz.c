/*
 * Any bytes as what the processes of techo tell each other: a request, a report, a doctor's line. What is read can be
 * written, and reads back the same.
 */
#include "../../sandbox/wire_internal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_report(const char *bytes, size_t len)
{
    struct report report = {0}, again = {0};
    struct buf first, second;

    buf_init(&first, WIRE_REPORT_MAX * 2);
    buf_init(&second, WIRE_REPORT_MAX * 2);
    if (report_read(bytes, len, &report) == 0) {
        int r = report_write(&report, &first);
        assert(r == 0);
        r = report_read(first.data, first.len, &again);
        assert(r == 0);
        r = report_write(&again, &second);
        assert(r == 0 && first.len == second.len && memcmp(first.data, second.data, first.len) == 0);
        report_done(&report);
        report_done(&again);
    }
    buf_done(&first);
    buf_done(&second);
}

static void check_request(const char *bytes, size_t len)
{
    struct request_copy copy, again;
    struct buf first, second;
    struct err err;

    buf_init(&first, 1 << 24);
    buf_init(&second, 1 << 24);
    if (request_read(bytes, len, &copy, &err) == 0) {
        assert(copy.request.root && copy.request.argv && copy.request.env);
        int r = request_write(&copy.request, &first, &err);
        assert(r == 0);
        r = request_read(first.data, first.len, &again, &err);
        assert(r == 0);
        r = request_write(&again.request, &second, &err);
        assert(r == 0 && first.len == second.len && memcmp(first.data, second.data, first.len) == 0);
        request_copy_done(&again);
        request_copy_done(&copy);
    }
    buf_done(&first);
    buf_done(&second);
}

static void check_probe(const char *bytes, size_t len)
{
    struct sandbox_probe *probe = calloc(1, sizeof *probe);

    if (probe && probe_read(bytes, len, probe) == 0) {
        sandbox_probes_free(probe, 1);
    } else {
        free(probe);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *exact = size > 1 ? malloc(size - 1) : NULL; /* the first byte says which; the rest ends where it ends */

    if (exact) {
        memcpy(exact, data + 1, size - 1);
        switch (data[0] % 3) {
        case 0:
            check_report(exact, size - 1);
            break;
        case 1:
            check_request(exact, size - 1);
            break;
        default:
            check_probe(exact, size - 1);
        }
    }
    free(exact);
    return 0;
}
