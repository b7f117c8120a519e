/*
 * dimension_phases.h - plans by dimension: levels of a machine, or rings of a
 * torus
 *
 * Each phase is one algorithm along one dimension.  By level, from the
 * innermost dimension outwards, an all-reduce consists of
 *
 *     a reduce-scatter over dimension 0, then over dimension 1 on the remaining
 *     part, ..., an all-reduce over the last one, and all-gathers back to
 *     dimension 0
 *
 * Each level has its own algorithm: a given one, or else the one that
 * coll_auto_algorithm_of_dimension_part() chooses for the shape of the
 * dimension.
 *
 * If all dimensions are rings, an all-reduce consists of [ISCA21]
 *
 *     a reduce-scatter over the first, an all-reduce over each further
 *     dimension on the remaining part, and an all-gather over the first
 *
 * The order of the dimensions is then free: dimension_orders.h chooses it.
 *
 * In both cases a reduce-scatter is one over each dimension after the other,
 * and an all-gather is the reverse.  Dimensions of size 1 have no phase.
 */
#ifndef MODELS_COLLECTIVES_PLANNING_DIMENSION_PHASES_H
#define MODELS_COLLECTIVES_PLANNING_DIMENSION_PHASES_H

#include "models/collectives/collective_plan.h"

/* Writes the dimensions of @mask that have more than one NPU to @ret_dims,
 * which must have room for COLL_MAX_DIMS.  Returns their number. */
uint32_t coll_plan_dims_in_mask(const Topology *topology, uint32_t mask,
                                uint32_t *ret_dims);

/* Makes a plan over rings, with dimension @order[0] first (last in an
 * all-gather).  @order holds the @n_dims > 0 dimensions that
 * coll_plan_dims_in_mask() returned for a mask. */
void coll_plan_init_rings(CollPlan *plan, CollKind kind,
                          const Topology *topology, const uint32_t *order,
                          uint32_t n_dims);

/* Makes a plan by level over the @n_parts parts of a group, by ascending
 * dimension.  @levels[d], of COLL_MAX_DIMS, is the algorithm along dimension d;
 * NULL: as `auto` chooses.  On FALSE, *@ret_wrong is the index of the first
 * part whose algorithm does not fit, or TOPOLOGY_MAX_DIMS if the collective has
 * no levels. */
G_GNUC_WARN_UNUSED_RESULT
gboolean coll_plan_init_by_dim(CollPlan *plan, CollKind kind,
                               const Topology *topology,
                               const CollDimPart *parts, uint32_t n_parts,
                               const CollAlgorithm *const *levels,
                               uint32_t *ret_wrong);

#endif
