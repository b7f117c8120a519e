/*
 * snapshot_budget.h - limits what snapshots cost while no period is found
 *
 * A try is a few snapshots, a period apart.  The first two tries are cheap
 * compared with the time that they may save.  Later tries are refused while the
 * number of chunks in flight grows, since no state can repeat then.  The cost
 * of tries without success is limited to a share of the cost of the run.
 */
#ifndef MODELS_RUN_STEADY_SNAPSHOT_BUDGET_H
#define MODELS_RUN_STEADY_SNAPSHOT_BUDGET_H

#include "models/run/run_state_impl.h"

typedef struct {
    uint64_t n_words;        /* in snapshots that found nothing, so far */
    uint64_t last;           /* words in the last snapshot */
    uint32_t n_tries;        /* that found nothing */
    uint32_t most_in_flight; /* chunks in flight, at the last
                                snapshot_budget_allows_try() */
    uint64_t grew_at;        /* chunks that had ended when .most_in_flight last
                              * grew */
} Budget;

/* Returns whether one more try is worth its cost after @n_ends chunks. */
gboolean snapshot_budget_allows_try(Budget *budget, const System *system,
                                    uint64_t n_ends);
/* Returns the number of snapshots in one try. */
uint32_t snapshot_budget_of_try(const Budget *budget);

void snapshot_budget_add_cost(Budget *budget, uint64_t n_words);
void snapshot_budget_end_try(Budget *budget);
/* A period was found: the counts of tries without success start again. */
void snapshot_budget_record_success(Budget *budget);

#endif
