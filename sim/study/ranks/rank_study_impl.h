/* rank_study_impl.h - the parts of a rank study; private to its sources */
#ifndef SIM_STUDY_RANKS_RANK_STUDY_IMPL_H
#define SIM_STUDY_RANKS_RANK_STUDY_IMPL_H

#include "sim/study/ranks/rank_study.h"

/* ---- functions of stragglers.c ------------------------------------------- */

/* Sets .n_collectives of @study, and in each of .npus the fields from
 * .n_begun_last on.  All other fields must be set. */
void stragglers_find(RankStudy *study);

#endif
