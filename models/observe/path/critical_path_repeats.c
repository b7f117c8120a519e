/*
 * critical_path_repeats.c - continues the critical path over skipped periods
 *
 * The state of a message or a chunk is its chain.  While the followed NPU
 * computes, only the end of a chain is kept.  While the NPU waits or may be at
 * the end of its run, chains are kept, and are continued as
 * cause_chain_repeats.h describes.
 */
#include "models/observe/critical_path_impl.h"
#include "models/run/stack_costs.h"

/* Returns whether chains are kept back to a time that does not change. */
static gboolean path_keeps_cause_chains(const CriticalPath *path)
{
    return !path->runs || path->tail.is_kept;
}

/* Returns whether @chain, of collective @op, may have waited in a queue behind
 * another collective.  In a skipped period no chain waits behind another
 * collective. */
static gboolean chain_may_be_behind_others(CriticalPath *path, uint32_t op,
                                           const CauseChain *chain)
{
    if (path->others_op != op)
        path->others_ps =
            server_history_last_work_for_others_ps(path->server_history, op);
    path->others_op = op;
    return chain->to_ps < path->others_ps;
}

static void visit_cause_chain(CriticalPath *path, SteadyWalk *walk,
                              CauseChain *chain, uint32_t op,
                              PathSnapshotEntry seen)
{
    seen.has_chain = TRUE;
    seen.chain = chain_snapshot_n_chains(path->last_chains);
    chain_snapshot_add(path->last_chains, chain);
    steady_visit_constant(walk, chain->to_ps - walk->now_ps);
    steady_visit_constant(walk, chain->last != NULL);
    walk->is_lost |=
        path_keeps_cause_chains(path) &&
        (!chain->last || chain_may_be_behind_others(path, op, chain));
    g_array_append_val(path->last_entries, seen);
}

/* Begins a snapshot of the critical path.  All effects of the latest end of an
 * event have already been reported, so the next event begins with another
 * end. */
static void begin_path_snapshot(gpointer self, SteadyWalk *walk)
{
    CriticalPath *path = self;

    walk->is_lost |= system_n_simulated_npus(path->system) > 1;
    chain_snapshot_unref(path->last_chains);
    path->last_chains = chain_snapshot_new(&path->pool, walk->now_ps);
    g_array_set_size(path->last_entries, 0);
    steady_visit_constant(walk, path->runs != FALSE);
    steady_visit_constant(walk, path->tail.is_kept != FALSE);
    steady_visit_constant(walk, path->rooms[0]);
    path->others_op = CHAIN_NO_OP;
}

static void visit_chunk_state_of_path(gpointer self, SteadyWalk *walk,
                                      uint32_t slot, uint32_t op)
{
    CriticalPath *path = self;
    PathSnapshotEntry seen = { .index = slot };
    PathChunk *place;

    g_assert(slot < path->chunks->len); /* valid for one simulated NPU */
    place = &g_array_index(path->chunks, PathChunk, slot);
    steady_visit_constant(walk, place->is_waiting != FALSE);
    steady_visit_constant(walk, place->has_phases != FALSE);
    if (place->is_waiting) {
        steady_visit_constant(walk, place->awaited_row);
        steady_visit_constant(walk, place->is_issue
                                        ? SIM_TIME_MAX
                                        : walk->now_ps - place->since_ps);
    }
    /* The chain has an end only while a DMA engine has the chunk. */
    steady_visit_constant(walk, place->chain.to_ps > 0);
    if (place->chain.to_ps > 0)
        visit_cause_chain(path, walk, &place->chain, op, seen);
    else
        g_array_append_val(path->last_entries, seen);
}

static void visit_message_state_of_path(gpointer self, SteadyWalk *walk,
                                        uint32_t message)
{
    CriticalPath *path = self;
    const PathSnapshotEntry seen = { .is_message = TRUE, .index = message };

    g_assert(message < path->messages->len);
    visit_cause_chain(path, walk,
                      &g_array_index(path->messages, CauseChain, message),
                      path_collective_of_message(path, message), seen);
}

static gpointer reference_path_snapshot(gpointer self)
{
    const CriticalPath *path = self;

    return chain_snapshot_ref(path->last_chains);
}

static gpointer make_path_period(gpointer self, gpointer from, gpointer to)
{
    return chain_period_new(from, to, path_keeps_cause_chains(self));
}

static void unref_path_snapshot(gpointer kept)
{
    chain_snapshot_unref(kept);
}

static void unref_path_period(gpointer period)
{
    chain_period_unref(period);
}

/* Returns how many of @n periods can be skipped.  The maximum number of links
 * that they would have created must fit in the pool. */
static uint64_t max_periods_to_skip(gpointer self, gpointer period, uint64_t n)
{
    CriticalPath *path = self;
    uint64_t n_each = MAX(1, chain_period_n_links_created(period));
    uint64_t n_links;

    if (!path_keeps_cause_chains(path))
        return n;
    if (path->wait_ps != path->since_ps)
        path->n_skipped_links = 0;
    path->wait_ps = path->since_ps;
    n_links = path->pool.n_links + path->n_skipped_links;
    return n_links >= path->pool.max_links
               ? 0
               : MIN(n, (path->pool.max_links - n_links) / n_each);
}

static void continue_chain_over_period(CriticalPath *path, CauseChain *chain,
                                       ChainRepeats *repeats, guint number,
                                       SimTime shift_ps)
{
    SimTime to_ps = chain_repeats_end_ps(repeats, number) + shift_ps;

    if (chain->last)
        cause_chain_set_repeats(&path->pool, chain, chain_repeats_ref(repeats),
                                number, to_ps);
    else
        cause_chain_start(&path->pool, chain, to_ps);
}

static void continue_path_over_periods(gpointer self, gpointer period,
                                       uint64_t n, SimTime shift_ps,
                                       uint32_t op)
{
    CriticalPath *path = self;
    ChainRepeats *repeats = chain_repeats_new(period, path->last_chains, n, op,
                                              path->issued_ps[op]);

    server_history_extend_by_skipped_time(path->server_history, op, shift_ps);
    path->n_skipped_links += n * chain_period_n_links_created(period);
    for (guint i = 0; i < path->last_entries->len; i++) {
        const PathSnapshotEntry *seen =
            &g_array_index(path->last_entries, PathSnapshotEntry, i);
        PathChunk *place =
            seen->is_message
                ? NULL
                : &g_array_index(path->chunks, PathChunk, seen->index);
        CauseChain *chain =
            place ? &place->chain
                  : &g_array_index(path->messages, CauseChain, seen->index);

        if (place && place->is_waiting && !place->is_issue)
            place->since_ps += shift_ps;
        if (seen->has_chain)
            continue_chain_over_period(path, chain, repeats, seen->chain,
                                       shift_ps);
    }
    chain_repeats_unref(repeats);
}

const TracePeriodOps path_repeats = { begin_path_snapshot,
                                      visit_chunk_state_of_path,
                                      visit_message_state_of_path,
                                      reference_path_snapshot,
                                      make_path_period,
                                      unref_path_snapshot,
                                      unref_path_period,
                                      max_periods_to_skip,
                                      continue_path_over_periods };
