/* ranks_text.h - the critical path through all NPUs, as text */
#ifndef SIM_VIEW_TEXT_RANKS_TEXT_H
#define SIM_VIEW_TEXT_RANKS_TEXT_H

#include "sim/study/ranks/rank_what_ifs.h"

/* Returns the parts of the time of an iteration, the NPUs on the path, the
 * straggler, and the predicted and simulated effect of @what_ifs (of WhatIf;
 * may be NULL). The caller owns the text. */
char *ranks_text(const RankStudy *study, const GArray *what_ifs);

#endif
