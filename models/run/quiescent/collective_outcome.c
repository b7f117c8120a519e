/* collective_outcome.c - the effect of an undisturbed collective on its NPUs
 * and links; see collective_outcome.h */
#include "models/run/quiescent/collective_outcome.h"

#include <string.h>

#include "sim/core/state_walk.h"

CollOutcome *coll_outcome_new(void)
{
    CollOutcome *outcome = g_new0(CollOutcome, 1);

    outcome->ends = g_array_new(FALSE, FALSE, sizeof(ChunkEnd));
    outcome->links = g_array_new(FALSE, FALSE, sizeof(LinkGrowth));
    outcome->growth = g_array_new(FALSE, FALSE, sizeof(SimWide));
    return outcome;
}

void coll_outcome_free(gpointer data)
{
    CollOutcome *outcome = data;

    state_words_clear(&outcome->key);
    state_words_clear(&outcome->state);
    g_array_unref(outcome->ends);
    g_array_unref(outcome->links);
    g_array_unref(outcome->growth);
    g_free(outcome);
}

guint coll_outcome_hash(gconstpointer data)
{
    const StateWords *key = &((const CollOutcome *)data)->key;
    uint64_t hash = 0;

    for (gsize i = 0; i < key->n; i++)
        hash = (hash ^ key->words[i]) * UINT64_C(0x9e3779b97f4a7c15);
    return (guint)(hash ^ hash >> 32);
}

gboolean coll_outcome_keys_are_equal(gconstpointer a, gconstpointer b)
{
    return state_words_are_same(&((const CollOutcome *)a)->key,
                                &((const CollOutcome *)b)->key);
}

static gboolean counter_arrays_are_equal(const GArray *a, const GArray *b)
{
    return a->len == b->len &&
           memcmp(a->data, b->data,
                  a->len * g_array_get_element_size((GArray *)a)) == 0;
}

gboolean coll_outcomes_are_same(const CollOutcome *a, const CollOutcome *b)
{
    return a->is_usable == b->is_usable && a->takes_ps == b->takes_ps &&
           a->ends->len == b->ends->len && a->links->len == b->links->len &&
           counter_arrays_are_equal(a->growth, b->growth) &&
           state_words_are_same(&a->state, &b->state);
}

/* ---- the state of an NPU ------------------------------------------------- */

/* Records that something is in flight, so that the NPU is not at rest. */
static void find_something_in_flight(gpointer self, SteadyWalk *walk,
                                     uint64_t order, uint32_t arg)
{
    (void)self;
    (void)order;
    (void)arg;
    walk->is_lost = TRUE;
}

/* Visits no events: an endpoint at rest has none that matter. */
static void ignore_events(SteadyWalk *walk, gconstpointer address,
                          SteadyArgFn arg, gpointer self)
{
    (void)walk;
    (void)address;
    (void)arg;
    (void)self;
}

static const SteadyWalk walk_at_rest = { .about = find_something_in_flight,
                                         .own = ignore_events };

/* Visits the state of an NPU at rest that a collective depends on or changes,
 * except the state of admission. */
static void visit_npu_at_rest(Npu *npu, SteadyWalk *walk)
{
    steady_visit_deadline(walk, &npu->posted_ps);
    steady_visit_counter(walk, &npu->sent_bytes);
    steady_visit_counter(walk, &npu->received_bytes);
    steady_visit_counter(walk, &npu->window_full_ps);
    npu->endpoint->ops->steady(npu->endpoint, walk);
}

/* Blocks are padded to equal size, by less than a byte for each rank; assumed:
 * there are at most this many ranks. */
#define MOST_PADDING_BYTES (1 << 16)

/* Returns a bound of the bytes of a message of @coll, as they are on the
 * wire. */
static uint64_t max_message_bytes_of_collective(const CollInstance *coll)
{
    return coll_wire_bytes(coll->plan->recipe,
                           MIN(coll->cut->chunk_bytes, coll->payload_bytes) +
                               MOST_PADDING_BYTES);
}

gboolean coll_outcome_write_key(const CollInstance *coll, uint32_t set,
                                StateWords *key)
{
    const System *system = coll->system;
    const CollOrders *orders = &coll->coll_class->planned->orders;
    SteadyWalk walk = walk_at_rest;

    key->n = 0;
    walk.now_ps = sim_engine_now_ps(system->state.engine);
    walk.state = key;
    walk.most_bytes = max_message_bytes_of_collective(coll);
    state_words_add(key, (uintptr_t)coll->coll_class);
    state_words_add(key, set);
    state_words_add(key, system->plan.communicator_of[coll->op]);
    state_words_add(key, coll->payload_bytes);
    state_words_add(key, coll->cut->chunk_bytes);
    state_words_add(key, coll->cut->message_bytes);
    for (uint32_t c = 0; c < coll->n_chunks; c++)
        state_words_add(
            key, (uintptr_t)coll_orders_plan_of_chunk(
                     orders, system->plan.n_chunks_before[coll->op] + c));
    for (uint32_t i = 0; i < coll->coll_class->set_sizes[set]; i++) {
        Npu *npu = coll_set_member(coll, set, i);

        visit_npu_at_rest(npu, &walk);
        hbm_visit_state(npu->hbm, &walk);
    }
    return !walk.is_lost;
}

gboolean coll_outcome_record_npu(Npu *npu, SimTime from_ps, StateWords *state,
                                 GArray *counts)
{
    SteadyWalk walk = walk_at_rest;

    walk.now_ps = from_ps;
    walk.state = state;
    walk.counts = counts;
    walk.is_exact = TRUE;
    visit_npu_at_rest(npu, &walk);
    return !walk.is_lost;
}

void coll_outcome_apply(const CollOutcome *outcome, const CollInstance *coll,
                        uint32_t set, SimTime from_ps)
{
    SteadyWalk walk = walk_at_rest;

    walk.now_ps = from_ps;
    walk.moves = TRUE;
    walk.n = 1;
    walk.restores = outcome->state.words;
    walk.growth = (gconstpointer)outcome->growth->data;
    for (uint32_t i = 0; i < coll->coll_class->set_sizes[set]; i++)
        visit_npu_at_rest(coll_set_member(coll, set, i), &walk);
    g_assert(!walk.is_lost && walk.n_restored == outcome->state.n &&
             walk.n_visited == outcome->growth->len);
    for (guint i = 0; i < outcome->links->len; i++) {
        const LinkGrowth *growth =
            &g_array_index(outcome->links, LinkGrowth, i);

        network_add_link_stats(coll->system->state.network, growth->link,
                               &growth->increase);
    }
}
