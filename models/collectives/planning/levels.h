/*
 * levels.h - plans by dimension: levels of a machine, or rings of a torus
 *
 * Of whole dimensions, each phase is one algorithm along one of them.  By
 * level, from the inmost dimension out, an all-reduce is
 *
 *   reduce-scatter over dimension 0, over dimension 1 on what is left, ...,
 *   all-reduce over the last, all-gathers back to dimension 0
 *
 * and each level has an algorithm of its own, which fits how its dimension is
 * joined: what is given, else coll_auto_level().
 *
 * Where all dimensions are rings, an all-reduce is [ISCA21]
 *
 *   reduce-scatter over the first, all-reduce over each further dimension on
 *   what is left, all-gather over the first
 *
 * and the dimensions can be taken in any order: orders.h chooses.
 *
 * Either way a reduce-scatter is one over each dimension in turn, an all-gather
 * the same backwards.  Dimensions of size 1 have no phase.
 */
#ifndef MODELS_COLLECTIVES_PLANNING_LEVELS_H
#define MODELS_COLLECTIVES_PLANNING_LEVELS_H

#include "models/collectives/plan.h"

/* Of the dimensions of @mask those that have phases, those of size 1 left out;
 * as many as are returned.  @ret_dims has room for COLL_MAX_DIMS. */
uint32_t coll_plan_dims(const Topology *topology, uint32_t mask,
                        uint32_t *ret_dims);

/* On rings: dimension by dimension, @order[0] first (of an all-gather last).
 * @order is of all @n_dims > 0 that coll_plan_dims() gives for a mask. */
void coll_plan_init_in_order(CollPlan *plan, CollKind kind,
                             const Topology *topology, const uint32_t *order,
                             uint32_t n_dims);

/* By level, over the dimensions of @mask: along dimension d by @levels[d], of
 * COLL_MAX_DIMS, or where that is NULL as `auto` has it.  FALSE: *@ret_wrong is
 * the first whose algorithm does not fit, TOPOLOGY_MAX_DIMS if the collective
 * has no levels. */
G_GNUC_WARN_UNUSED_RESULT
gboolean coll_plan_init_by_level(CollPlan *plan, CollKind kind,
                                 const Topology *topology, uint32_t mask,
                                 const CollAlgorithm *const *levels,
                                 uint32_t *ret_wrong);

#endif
