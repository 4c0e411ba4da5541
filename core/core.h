/* Everything of core/ that cli/ and tui/ may use. */
#ifndef TECHO_CORE_H
#define TECHO_CORE_H

#include "artifact.h"
#include "bench.h"
#include "case.h"
#include "ceiling.h"
#include "engine.h"
#include "escape.h"
#include "event.h"
#include "sanitize.h"
#include "session.h"
#include "state.h"
#include "throwaway.h"

#endif
