/* rank_study_impl.h - the parts of a rank study */
#ifndef SIM_STUDY_RANKS_RANK_STUDY_IMPL_H
#define SIM_STUDY_RANKS_RANK_STUDY_IMPL_H

#include "sim/study/ranks/rank_study.h"

/* ---- stragglers.c ------------------------------------------------------ */

/* Fills in what .npus of @study say of it, and .n_collectives; the rest of it
 * is there. */
void stragglers_find(RankStudy *study);

#endif
