/*
 * hierarchical.c - one dimension of the platform after the other
 *
 * No algorithm itself: it says that each dimension has one of its own, and
 * levels.h makes phases of that.
 *
 * Cost     those of its levels, each on what the ones within have left
 */
#include "models/collectives/algorithm.h"

static gboolean supports_nothing(const CollGroup *group)
{
    (void)group;
    return FALSE;
}

const CollAlgorithm coll_hierarchical = {
    .name = "hierarchical",
    .summary = "reduce-scatter by dimension, inmost first, all-reduce in the "
               "last on what is left, and back; see `levels`",
    .symmetry = COLL_BY_ROTATION,
    .supports = supports_nothing,
};
