/* ranks_text.h - the critical path through all NPUs, for people */
#ifndef SIM_VIEW_TEXT_RANKS_TEXT_H
#define SIM_VIEW_TEXT_RANKS_TEXT_H

#include "sim/study/ranks/rank_study.h"

/* Where the time of an iteration went, on which NPUs, and who held the others
 * up.  Owner: the caller. */
char *ranks_text(const RankStudy *study);

#endif
