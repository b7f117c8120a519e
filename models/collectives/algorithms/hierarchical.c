/*
 * hierarchical.c - one dimension of the platform after the other
 *
 * This is not an algorithm: it stands for one algorithm per dimension, and
 * dimension_phases.h makes phases of these.
 *
 * Cost     those of its levels, each on what the inner levels leave
 */
#include "models/collectives/algorithm.h"

static gboolean hierarchical_supports(const CollGroup *group)
{
    (void)group;
    return FALSE;
}

const CollAlgorithm coll_hierarchical = {
    .name = "hierarchical",
    .summary = "reduce-scatter by dimension from the innermost out, "
               "all-reduce in the last on the remainder, all-gathers back; "
               "see `levels`",
    .symmetry = COLL_BY_ROTATION,
    .supports = hierarchical_supports,
};
