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

/* Sixty-four steps of a rank. */
typedef struct {
    uint64_t bits;  /* in which it has anything to do */
    uint32_t first; /* of them, in .busy_steps */
} CollBusy;

struct CollSchedule {
    CollKind kind;
    uint32_t n_ranks, n_steps, n_blocks;
    CollStep *steps; /* owned: of rank r from r * n_steps */
    /* NULL until it is finished; then what is carried out: of each rank the
     * steps in which it sends or receives, side by side, since thousands of
     * ranks have a few such steps of dozens. */
    CollStep *busy_steps; /* owned */
    CollBusy *busy;       /* owned: n_words of each rank */
    uint32_t n_words;
};

/* What CollGroup.schedule says.  It has no name in a file. */
extern const CollAlgorithm coll_scheduled;

/* All steps do nothing yet. */
CollSchedule *coll_schedule_new(CollKind kind, uint32_t n_ranks,
                                uint32_t n_steps, uint32_t n_blocks);
/* Lists the steps in which ranks have anything to do: none changes any more.
 * What is not finished is carried out likewise, but all steps are looked at. */
void coll_schedule_finish(CollSchedule *schedule);
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
