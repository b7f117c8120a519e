/* stragglers.h - who let others wait at collectives, and why: for rank_study.c
 */
#ifndef SIM_STUDY_RANKS_STRAGGLERS_H
#define SIM_STUDY_RANKS_STRAGGLERS_H

#include "sim/study/ranks/rank_study.h"

/* Fills in what .npus of @study say of it, and .n_collectives; the rest of it
 * is there. */
void stragglers_find(RankStudy *study);

#endif
