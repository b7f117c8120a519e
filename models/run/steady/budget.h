/*
 * budget.h - what looking may cost, as long as it finds nothing
 *
 * A try is a few looks, a period apart.  The first two are cheap beside what
 * they may save.  From then on there is none as long as ever more chunks are in
 * flight, since no state comes back then, and looks in vain are held to a share
 * of the run.
 */
#ifndef MODELS_RUN_STEADY_BUDGET_H
#define MODELS_RUN_STEADY_BUDGET_H

#include "models/run/state_impl.h"

typedef struct {
    uint64_t n_words;        /* of looks in vain, so far */
    uint64_t last;           /* words of the last look */
    uint32_t n_tries;        /* in vain */
    uint32_t most_in_flight; /* chunks, when a try was thought of last; */
    uint64_t grew_at;        /* and by when as many had ended as it grew */
} Budget;

/* One more try is worth what it costs, as @n_ends chunks have ended. */
gboolean budget_allows(Budget *budget, const System *system, uint64_t n_ends);
/* So many looks are one try. */
uint32_t budget_n_looks(const Budget *budget);

void budget_look(Budget *budget, uint64_t n_words);
void budget_try_is_over(Budget *budget);
/* Something was found: nothing was in vain. */
void budget_found(Budget *budget);

#endif
