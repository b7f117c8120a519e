/* skip_count.c - how many periods can be skipped */
#include "models/run/steady/skip_count.h"

#define MOST_TRIES 4 /* to find an end at which no two events coincide */

uint32_t skip_count_admitted(const System *system, const CollInstance *coll)
{
    uint32_t most = 0;

    for (uint32_t i = 0; i < system->plan.n_sim; i++)
        most = MAX(most, coll->parts[i].next_chunk);
    return most;
}

static const CollPlan *plan_of_next_chunk(const CollInstance *coll, uint64_t i)
{
    return coll_orders_plan_of_chunk(&coll->coll_class->planned->orders, i);
}

/* Returns whether each chunk to come takes the same plan as the one
 * @period->n_chunks later, and the first ones the same as in the period. */
static gboolean plans_repeat(const StateWalker *walker, const Period *period,
                             const CollInstance *coll)
{
    uint64_t first = walker->system->plan.n_chunks_before[coll->op];
    uint64_t next = first + coll->parts[0].next_chunk;
    uint64_t end = first + coll->n_chunks;
    uint64_t last = MIN(end, next + COLL_ORDER_SEQUENCE + period->n_chunks);

    if (coll->coll_class->planned->orders.n == 1)
        return TRUE;
    for (uint64_t i = 0; i < period->n_chunks; i++)
        if (plan_of_next_chunk(coll, next + i) !=
            plan_of_next_chunk(coll, period->snapshot->next + i))
            return FALSE;
    for (uint64_t i = next; i + period->n_chunks < last; i++)
        if (plan_of_next_chunk(coll, i) !=
            plan_of_next_chunk(coll, i + period->n_chunks))
            return FALSE;
    return TRUE;
}

uint64_t skip_count_by_chunks(const StateWalker *walker, const Period *period,
                              const CollInstance *coll)
{
    uint64_t taken = skip_count_admitted(walker->system, coll) + UINT64_C(2);
    SimTime now_ps = sim_engine_now_ps(walker->system->state.engine);
    uint64_t n;

    if (taken >= coll->n_chunks || !plans_repeat(walker, period, coll))
        return 0;
    n = (coll->n_chunks - taken) / period->n_chunks;
    return MIN(n, (SIM_ENGINE_MAX_PS - now_ps) / period->ps);
}

/* Returns whether an event of communication, @shift_ps later, has the same time
 * and phase as one of @others. */
static gboolean events_coincide(const StateWalker *walker, const GArray *others,
                                SimTime shift_ps)
{
    for (guint i = 0; i < others->len; i++) {
        uint64_t key = g_array_index(others, SimEvent, i).key;

        for (guint k = 0; k < walker->comm_events->len; k++) {
            SimEvent event = g_array_index(walker->comm_events, SimEvent, k);

            if (sim_engine_event_key(&event, shift_ps) == key)
                return TRUE;
        }
    }
    return FALSE;
}

/* Runs the independent kernels again, this time with listeners called. */
static void rerun_kernels_for_listeners(StateWalker *walker,
                                        KernelsDuringSkips *independent,
                                        SimTime now_ps, SimTime shift_ps)
{
    SimTime noticed_ps = kernels_during_skips_run(
        independent, walker->other_events, now_ps + shift_ps, TRUE);

    g_assert(noticed_ps == SIM_TIME_MAX);
    sim_engine_set_now_ps(walker->system->state.engine, now_ps);
}

uint64_t skip_count_by_kernels(StateWalker *walker,
                               KernelsDuringSkips *independent,
                               const Period *period, uint64_t n,
                               gboolean dry_run)
{
    SimEngine *engine = walker->system->state.engine;
    SimTime now_ps = sim_engine_now_ps(engine);
    gboolean has_listeners = walker->system->state.watch.listeners != NULL;
    g_autoptr(GArray) others = g_array_copy(walker->other_events);

    if (others->len == 0)
        return n;
    kernels_during_skips_save(independent);
    for (guint tries = 0; n > 0 && tries < MOST_TRIES; tries++) {
        SimTime shift_ps = n * period->ps;
        SimTime noticed_ps = kernels_during_skips_run(
            independent, walker->other_events, now_ps + shift_ps, FALSE);
        gboolean fits =
            noticed_ps == SIM_TIME_MAX &&
            !events_coincide(walker, walker->other_events, shift_ps);

        sim_engine_set_now_ps(engine, now_ps);
        if (fits && !dry_run && !has_listeners)
            return n;
        kernels_during_skips_restore(independent);
        g_array_set_size(walker->other_events, 0);
        g_array_append_vals(walker->other_events, others->data, others->len);
        if (noticed_ps == now_ps)
            return 0;
        if (fits && !dry_run)
            rerun_kernels_for_listeners(walker, independent, now_ps, shift_ps);
        if (fits)
            return n;
        n = noticed_ps == SIM_TIME_MAX ? n - 1
                                       : (noticed_ps - 1 - now_ps) / period->ps;
    }
    return 0;
}
