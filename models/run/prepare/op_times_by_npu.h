/*
 * op_times_by_npu.h - times of operations that differ from NPU to NPU
 *
 * An operation may have one time or gap per NPU of its role (Op.times_ps,
 * Op.gaps_ps).  The NPUs of a role take them in the order of their ids.
 *
 * Units    ps
 */
#ifndef MODELS_RUN_PREPARE_OP_TIMES_BY_NPU_H
#define MODELS_RUN_PREPARE_OP_TIMES_BY_NPU_H

#include "models/run/run_state_impl.h"

/* Returns for each NPU its index within its role, or NULL if no operation has
 * several times.  The caller owns the array. */
uint32_t *op_times_npu_indices(const CollPlacement *placement);
/* Returns a colour for each NPU such that NPUs of one colour take the same time
 * for every operation, by @ranks and by @rules, either of which may be NULL.
 * Returns NULL if all NPUs have the same colour.  The caller owns the array. */
uint32_t *op_times_npu_classes(const CollPlacement *placement,
                               const uint32_t *ranks, const OpRules *rules);

/* Returns the scale of kernel @op on the @rank-th NPU of its role, without
 * `perturb`. */
ComputeScale op_times_scale(const System *system, uint32_t rank, uint32_t op);
/* Returns the factor by which `perturb.ops` multiplies the time of @op on
 * @npu. */
uint64_t op_times_factor_ppm(const System *system, uint32_t npu, uint32_t op);

#endif
