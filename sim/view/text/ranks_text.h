/* ranks_text.h - the critical path through all NPUs, for people */
#ifndef SIM_VIEW_TEXT_RANKS_TEXT_H
#define SIM_VIEW_TEXT_RANKS_TEXT_H

#include "sim/study/ranks/rank_whatif.h"

/* Where the time of an iteration went, on which NPUs, who was late, and what
 * would come of it if @what_ifs (of WhatIf; may be NULL) were so.  Owner:
 * the caller. */
char *ranks_text(const RankStudy *study, const GArray *what_ifs);

#endif
