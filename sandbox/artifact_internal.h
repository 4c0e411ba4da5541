/* What a program left in ./out, handed over as sealed memfds. */
#ifndef TECHO_SANDBOX_ARTIFACT_INTERNAL_H
#define TECHO_SANDBOX_ARTIFACT_INTERNAL_H

#include "access_internal.h"

enum { ARTIFACTS_MAX = 1000, ARTIFACT_DEPTH = 16, ARTIFACT_SIZE_MAX = 16 << 20 };

/*
 * Reports each entry below `out_dir`, folders aside. Called when nothing of
 * the program runs any more; what it left is still hostile: links, FIFOs and
 * devices are named and not opened.
 */
void artifacts_report(int out_dir, report_fn report, void *context);

#endif
