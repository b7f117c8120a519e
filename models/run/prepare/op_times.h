/*
 * op_times.h - how long operations take of which each NPU has its own time
 *
 * Of operations of a role (Op.times_ps, Op.gaps_ps) the NPUs that have it take
 * their times in the order of their ids.
 *
 * Units    ps
 * Owner    the caller owns what it gets
 */
#ifndef MODELS_RUN_PREPARE_OP_TIMES_H
#define MODELS_RUN_PREPARE_OP_TIMES_H

#include "models/run/state_impl.h"

/* Which of those of its role each NPU is, by id; NULL: nobody asks, as no
 * operation takes one longer than another. */
uint32_t *op_times_ranks(const CollCast *cast);
/* One for each NPU: those that nothing takes longer than the other, by @ranks
 * and @rules, either of which may be NULL, have the same; NULL: all are alike.
 */
uint32_t *op_times_colours(const CollCast *cast, const uint32_t *ranks,
                           const OpRules *rules);

/* Of kernel @op on the @rank-th NPU of its role, before `perturb`. */
ComputeScale op_times_scale(const System *system, uint32_t rank, uint32_t op);
/* Of anything on @npu, what `perturb.ops` multiplies its time by. */
uint64_t op_times_ppm(const System *system, uint32_t npu, uint32_t op);

#endif
