/* collectives_text.h - one collective on a platform, by size, as text */
#ifndef SIM_VIEW_TEXT_COLLECTIVES_TEXT_H
#define SIM_VIEW_TEXT_COLLECTIVES_TEXT_H

#include "sim/study/collectives/collectives.h"

/* Returns a table in the form of nccl-tests, followed by the reasons for
 * missing sizes.  The caller owns the text. */
GString *collectives_text(const Collectives *collectives);

#endif
