/* collectives_text.h - one collective on a platform, by size, for people */
#ifndef SIM_VIEW_TEXT_COLLECTIVES_TEXT_H
#define SIM_VIEW_TEXT_COLLECTIVES_TEXT_H

#include "sim/study/collectives/collectives.h"

/* A table as nccl-tests prints it, and below it why sizes are missing.  Owner:
 * the caller. */
GString *collectives_text(const Collectives *collectives);

#endif
