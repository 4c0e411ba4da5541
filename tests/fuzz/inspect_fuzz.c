/* Any bytes as what the inspector printed: judged, or refused with one line. */
#include "../../core/inspect/inspect.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct policy ceiling;
    struct inspection inspection;
    struct err err;
    if (policy_parse("stdout,file.read=./data/*,exec=ls", &ceiling, NULL) < 0) {
        return 0;
    }
    struct grant_request declared = {.item = &ceiling.items[1]};
    struct inspect_input input = {.output = (const char *)data,
                                  .len = size,
                                  .root = "/r",
                                  .home = "/h",
                                  .ceiling = &ceiling,
                                  .declared = &declared,
                                  .declared_count = 1};
    int r = inspect_judge(&input, &inspection, &err);
    if (r < 0) {
        assert(r == -EBADMSG && err.text[0] && !strchr(err.text, '\n'));
    } else {
        for (size_t i = 0; i < inspection.count; i++) {
            const struct inspect_finding *finding = &inspection.findings[i];
            assert(finding->rule && finding->severity && finding->text);
            assert(finding->line >= 1 && finding->column >= 1);
            struct policy item;
            if (finding->permission && policy_parse(finding->permission, &item, NULL) == 0) {
                assert(item.count == 1);
                policy_done(&item);
            }
        }
        inspection_done(&inspection);
    }
    policy_done(&ceiling);
    return 0;
}
