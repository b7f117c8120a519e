/* snapshot_budget.c - limits what snapshots cost while no period is found */
#include "models/run/steady/snapshot_budget.h"

/*
 * A snapshot takes some 25 instructions a word, a hop 727 at least (make
 * instructions).  So one word for two hops costs at most 2 % of the run.  1,024
 * chunks with ACE, which are never in the same state twice, cost 1 %.  With a
 * limit of eight words for a hop they cost 7 %.
 *
 * The first snapshot is assumed to have ten words a message.  With more than
 * MOST_LIVE messages in flight the heaps would be deep to walk.
 */
#define HOPS_A_WORD       2
#define FIRST_WORDS_A_HOP 8
#define WORDS_A_MESSAGE   10
#define MOST_LIVE         (1 << 14)

#define FIRST_TRIES 2
#define FIRST_SNAPSHOTS                                                        \
    4 /* snapshots of the first try: the state may still change */
#define LATER_SNAPSHOTS 2 /* two snapshots are the fewest that can be equal */

/* Returns whether the number of chunks in flight still grows.  Assumed: a
 * number that has not grown for an eighth of the chunks has stopped growing. */
static gboolean chunks_in_flight_still_grow(Budget *budget,
                                            uint32_t most_in_flight,
                                            uint64_t n_ends)
{
    if (most_in_flight > budget->most_in_flight)
        budget->grew_at = n_ends;
    budget->most_in_flight = most_in_flight;
    return n_ends - budget->grew_at < n_ends / 8;
}

gboolean snapshot_budget_allows_try(Budget *budget, const System *system,
                                    uint64_t n_ends)
{
    uint64_t n_live = network_n_allocated_messages(system->state.network);
    uint64_t n_hops = network_n_hops(system->state.network);
    uint64_t words = MAX(budget->last, WORDS_A_MESSAGE * n_live);
    gboolean may_repeat = !chunks_in_flight_still_grow(
        budget, system->counters.most_in_flight, n_ends);

    if (n_live > MOST_LIVE)
        return FALSE;
    if (budget->n_tries < FIRST_TRIES)
        return budget->n_words + words <= FIRST_WORDS_A_HOP * n_hops;
    return may_repeat &&
           HOPS_A_WORD * (budget->n_words + LATER_SNAPSHOTS * words) <= n_hops;
}

uint32_t snapshot_budget_of_try(const Budget *budget)
{
    return budget->n_tries == 0 ? FIRST_SNAPSHOTS : LATER_SNAPSHOTS;
}

void snapshot_budget_add_cost(Budget *budget, uint64_t n_words)
{
    budget->n_words += n_words;
    budget->last = n_words;
}

void snapshot_budget_end_try(Budget *budget)
{
    budget->n_tries++;
}

void snapshot_budget_record_success(Budget *budget)
{
    budget->n_words = 0;
    budget->n_tries = 0;
}
