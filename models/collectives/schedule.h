/*
 * schedule.h - an algorithm given as data: a table of the steps of every rank
 *
 * Packed spanning trees, and schedules read from a file, list what each rank
 * does in each step.  The rules are those of algorithm.h for a .partial
 * algorithm, so a schedule is carried out, reported and proved like any other
 * algorithm.
 *
 * Units    blocks, of which the payload has .n_blocks
 * Owner    its maker; it must outlive the plans that use it
 */
#ifndef MODELS_COLLECTIVES_SCHEDULE_H
#define MODELS_COLLECTIVES_SCHEDULE_H

#include "models/collectives/algorithm.h"

/* Lists the active steps among 64 steps of a rank. */
typedef struct {
    uint64_t bits; /* bit i: the rank is active in step i of these 64 */
    /* Index in .busy_steps of the first of these active steps. */
    uint32_t first;
} CollBusy;

struct CollSchedule {
    CollKind kind;
    uint32_t n_ranks, n_steps, n_blocks;
    CollStep *steps; /* owned: the steps of rank r begin at r * n_steps */
    /* NULL until the schedule is finished.  Then the active steps of all ranks
     * are stored compactly, because thousands of ranks are each active in a few
     * of dozens of steps. */
    CollStep *busy_steps;
    CollBusy *busy; /* owned: .n_words entries per rank */
    uint32_t n_words;
};

/* Carries out CollGroup.schedule.  It cannot be named in YAML. */
extern const CollAlgorithm coll_scheduled;

/* Returns a schedule in which all steps are idle. */
CollSchedule *coll_schedule_new(CollKind kind, uint32_t n_ranks,
                                uint32_t n_steps, uint32_t n_blocks);
/* Builds the list of active steps; no step may be changed afterwards.  An
 * unfinished schedule works too, but next() then searches all steps. */
void coll_schedule_finish(CollSchedule *schedule);
void coll_schedule_free(CollSchedule *schedule);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CollSchedule, coll_schedule_free)

static inline CollStep *coll_schedule_step_at(const CollSchedule *schedule,
                                              uint32_t rank, uint32_t step)
{
    return &schedule->steps[rank * schedule->n_steps + step];
}

/* Returns a schedule of one block along a tree.  @parents[r] is the parent of
 * rank r; the root is its own parent. A reduce goes up, a broadcast down, an
 * all-reduce up and then down. */
CollSchedule *coll_schedule_of_tree(CollKind kind, const uint32_t *parents,
                                    uint32_t n_ranks);

#endif
