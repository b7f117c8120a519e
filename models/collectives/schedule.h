/*
 * schedule.h - an algorithm that comes as data: steps of every rank in a table
 *
 * Spanning trees that were packed, schedules that were read from a file: what a
 * rank does in which step is looked up, not worked out.  The rules are those of
 * algorithm.h for one that is .partial, so it is carried out, watched and
 * proved as any other.
 *
 * Units    blocks, of which the payload has .n_blocks
 * Owner    whoever made it; it must outlive the plans that use it
 */
#ifndef MODELS_COLLECTIVES_SCHEDULE_H
#define MODELS_COLLECTIVES_SCHEDULE_H

#include "models/collectives/algorithm.h"

struct CollSchedule {
    CollKind kind;
    uint32_t n_ranks, n_steps, n_blocks;
    CollStep *steps; /* owned: of rank r from r * n_steps */
};

/* What CollGroup.schedule says.  It has no name in a file. */
extern const CollAlgorithm coll_scheduled;

/* All steps do nothing yet. */
CollSchedule *coll_schedule_new(CollKind kind, uint32_t n_ranks,
                                uint32_t n_steps, uint32_t n_blocks);
void coll_schedule_free(CollSchedule *schedule);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CollSchedule, coll_schedule_free)

static inline CollStep *coll_schedule_at(const CollSchedule *schedule,
                                         uint32_t rank, uint32_t step)
{
    return &schedule->steps[rank * schedule->n_steps + step];
}

/* One block, along a tree: @parents[r] is the parent of rank r, of the root
 * itself.  A reduce goes up, a broadcast down, an all-reduce up and down. */
CollSchedule *coll_schedule_of_tree(CollKind kind, const uint32_t *parents,
                                    uint32_t n_ranks);

#endif
