/*
 * steady.c - skips periods of a run that repeat exactly
 *
 * A collective of many chunks soon reaches a steady state.  Once NPU 0 seems to
 * end chunks periodically (period_guess.h), snapshots of the whole state
 * (state_snapshot.h) are taken at the end of an instant, a period apart.  If
 * two snapshots are equal, the same period follows again.  Then n periods are
 * skipped in one step, and every figure is bit for bit that of the full run:
 *
 *   counts          grow by n times their growth in the period
 *   times           of communication move n periods ahead
 *   the collective  is shortened in its middle by the chunks of n periods, so
 *                   records, indices, orders and slots stay unchanged
 *   kernels         run on meanwhile (kernels_during_skips.h)
 *
 * At least two chunks are left to admit, because the last may be smaller and
 * NPUs examine the size of the next one.  The skip ends before any scheduled
 * event that communication could notice: a launch, or the end of a kernel that
 * lets a collective begin.  If an independent event would have the same time
 * and phase as one of communication, their order would depend on when each was
 * scheduled; then n is one less.  Nothing else can interfere.  It could only
 * follow from such an event, or from the end of a collective, and all chunks in
 * flight are of this one.
 *
 * A known period also applies to another collective that reaches the same
 * state, so known periods are tried first.
 *
 * Iterations that repeat the one before are skipped, too:
 * repeated_iterations.h.
 *
 * If there are listeners, only iterations are skipped, and none if some
 * listener needs every event (no TraceOps.steady).  Periods are skipped as well
 * if the listener can tell what a period would have told it (TraceOps.repeats).
 *
 * Nothing is skipped if a system is perturbed, or has state that snapshots do
 * not cover: several programs, lanes, stages, jobs, packets, limits, switches
 * that add, or endpoints without EndpointOps.steady.
 *
 * SKIP_CHECK skips nothing.  It takes a snapshot at the end of the stretch that
 * would have been skipped, and asserts that state and counts are as predicted.
 * Periods within an iteration that would be skipped as a whole are compared as
 * well, but counted once.
 */
#include "models/run/steady/steady.h"

#include "models/run/steady/period_guess.h"
#include "models/run/steady/repeated_iterations.h"
#include "models/run/steady/skip_count.h"
#include "models/run/steady/snapshot_budget.h"
#include "models/run/training_impl.h"
#include "network/transport/network_steady_state.h"

#define LEAST_REST 8 /* chunks */

/* The prediction that SKIP_CHECK compares. */
typedef struct {
    SimTime at_ps; /* 0: there is none */
    const Period *period;
    Snapshot *from;     /* owned */
    CollInstance *coll; /* borrowed */
    uint64_t n;
} Prediction;

struct Steady {
    System *system; /* borrowed */
    SkipMode mode;
    PeriodGuess guess;
    StateWalker walker;
    KernelsDuringSkips *independent; /* owned */
    CollInstance *coll; /* borrowed: the collective whose chunk ended in this
                         * instant */
    uint64_t seq;       /* its number, since another one may reuse the
                         * address */
    gboolean snapshot_is_due; /* a snapshot is due at the end of this instant */
    uint64_t next_snapshot;   /* value of .guess.n from which on a snapshot is
                               * taken */
    Budget budget;
    Periods periods;
    RepeatedIterations iterations;
    Prediction predicted;
};

/* Returns whether snapshots cover all state of @system. */
static gboolean snapshots_cover_all_state(const System *system)
{
    return system->plan.skip != SKIP_OFF &&
           trace_watch_allows_skipping(&system->state.watch) &&
           !system->state.multi_program && !system->state.communicators &&
           !system->state.lanes && !system->state.stages &&
           perturb_is_none(&system->plan.config->perturb) &&
           network_supports_steady_state(system->state.network) &&
           op_endpoints_have_steady_state(&system->plan.endpoints);
}

/* ---- skipping ----------------------------------------------------------- */

static void predict_state_after_periods(Steady *steady, const Period *period,
                                        CollInstance *coll, Snapshot *from,
                                        uint64_t n)
{
    steady->predicted = (Prediction){
        .at_ps =
            sim_engine_now_ps(steady->system->state.engine) + n * period->ps,
        .period = period,
        .from = from,
        .coll = coll,
        .n = n,
    };
}

/* Moves the state @n periods ahead and shortens @coll by their chunks. */
static void skip_periods(Steady *steady, const Period *period,
                         CollInstance *coll, uint64_t n)
{
    System *system = steady->system;
    uint64_t n_chunks = n * period->n_chunks;
    SimTime shift_ps = n * period->ps;
    g_autoptr(GArray) grows = g_array_copy(period->growth);

    for (guint i = 0; i < grows->len; i++)
        g_array_index(grows, SimWide, i) *= n;
    repeated_iterations_record_skip(&steady->iterations, period, coll,
                                    skip_count_admitted(system, coll), n);
    state_walker_advance(&steady->walker,
                         &(SteadyWalk){ .shift_ps = shift_ps,
                                        .n = n,
                                        .growth = (gconstpointer)grows->data,
                                        .period_ps = period->ps,
                                        .changes = period->changes });
    sim_engine_set_now_ps(system->state.engine,
                          sim_engine_now_ps(system->state.engine) + shift_ps);
    periods_notify_listeners(period, n, coll->op);
    coll->n_chunks -= (uint32_t)n_chunks;
    coll->payload_bytes -= n_chunks * coll->cut->chunk_bytes;
    steady->guess.last_ps += shift_ps;
}

/* Skips as many times @period as possible, from @snapshot on.  Returns whether
 * any was skipped or, with SKIP_CHECK, predicted; a prediction takes ownership
 * of @snapshot. */
static gboolean skip_as_many_periods_as_possible(Steady *steady,
                                                 const Period *period,
                                                 CollInstance *coll,
                                                 Snapshot **snapshot)
{
    uint64_t n = periods_max_to_skip(
        period, skip_count_by_chunks(&steady->walker, period, coll));

    if (n > 0)
        n = skip_count_by_kernels(&steady->walker, steady->independent, period,
                                  n, steady->mode == SKIP_CHECK);
    if (n == 0)
        return FALSE;
    if (steady->mode == SKIP_CHECK) {
        if (!steady->iterations.predicted)
            steady->system->counters.n_skip_checked += n * period->n_chunks;
        predict_state_after_periods(steady, period, coll,
                                    g_steal_pointer(snapshot), n);
    } else {
        steady->system->counters.n_skipped += n * period->n_chunks;
        skip_periods(steady, period, coll, n);
    }
    return TRUE;
}

/* Ends a try: drops all snapshots, and takes none for some chunks. */
static void pause_snapshots(Steady *steady)
{
    periods_drop_snapshots(&steady->periods);
    period_guess_pause(&steady->guess, LEAST_REST);
}

static void end_unsuccessful_try(Steady *steady)
{
    snapshot_budget_end_try(&steady->budget);
    pause_snapshots(steady);
}

static void find_period_and_skip(Steady *steady, CollInstance *coll)
{
    Snapshot *snapshot = snapshot_take(&steady->walker, coll, steady->guess.n);
    const Period *period;

    if (!snapshot) {
        pause_snapshots(steady);
        return;
    }
    snapshot_budget_add_cost(&steady->budget, snapshot->state.n);
    period = periods_find_or_add_period(&steady->periods, snapshot);
    if (!period) {
        if (periods_keep_snapshot(&steady->periods, snapshot) ==
            snapshot_budget_of_try(&steady->budget))
            end_unsuccessful_try(steady);
        return;
    }
    if (skip_as_many_periods_as_possible(steady, period, coll, &snapshot))
        snapshot_budget_record_success(&steady->budget);
    else
        snapshot_budget_end_try(&steady->budget);
    pause_snapshots(steady);
    snapshot_free(snapshot);
}

/* ---- SKIP_CHECK --------------------------------------------------------- */

/* Asserts that state and counts are as SKIP_CHECK predicted. */
static void check_prediction(Steady *steady)
{
    Prediction *prediction = &steady->predicted;
    Snapshot *snapshot =
        snapshot_take(&steady->walker, prediction->coll, steady->guess.n);

    g_assert(snapshot && snapshot_equals(prediction->from, snapshot));
    for (guint i = 0; i < snapshot->counts->len; i++) {
        SimWide was = g_array_index(prediction->from->counts, SimWide, i);
        SimWide grows = g_array_index(prediction->period->growth, SimWide, i);

        g_assert(g_array_index(snapshot->counts, SimWide, i) ==
                 was + grows * prediction->n);
    }
    snapshot_free(snapshot);
    g_clear_pointer(&prediction->from, snapshot_free);
    prediction->at_ps = 0;
}

/* ---- when to look ------------------------------------------------------- */

/* Returns whether the collective has chunks to admit, and so still exists. */
static gboolean collective_has_chunks_to_admit(const Steady *steady)
{
    return g_ptr_array_find(steady->system->state.npus[0].pending, steady->coll,
                            NULL);
}

/* Returns whether NPUs have chunks of @coll only. snapshot_take() cannot
 * describe any other state. */
static gboolean npus_have_only_chunks_of(const System *system,
                                         const CollInstance *coll)
{
    for (uint32_t i = 0; i < system->plan.n_sim; i++)
        if (system->state.npus[i].n_in_flight !=
            coll->parts[i].next_chunk - coll->parts[i].n_chunks_done)
            return FALSE;
    return TRUE;
}

/* Returns whether a snapshot may find something.  The test is worth it because
 * taking all events out of the engine costs more than most snapshots that
 * fail. */
static gboolean snapshot_may_find_period(Steady *steady)
{
    if (steady->predicted.at_ps > 0 || !collective_has_chunks_to_admit(steady))
        return FALSE;
    if (npus_have_only_chunks_of(steady->system, steady->coll))
        return TRUE;
    pause_snapshots(steady);
    return FALSE;
}

static void on_snapshot_due(gpointer self, uint32_t arg, uint64_t now_ps)
{
    Steady *steady = self;
    StateWalker *walker = &steady->walker;
    SimEngine *engine = steady->system->state.engine;
    gboolean is_predicted =
        steady->predicted.at_ps > 0 && steady->predicted.at_ps == now_ps;
    SimTime shift_ps;

    (void)arg;
    steady->snapshot_is_due = FALSE;
    if (!is_predicted && !snapshot_may_find_period(steady))
        return;
    state_walker_take_events(walker);
    if (is_predicted)
        check_prediction(steady);
    else
        find_period_and_skip(steady, steady->coll);
    shift_ps = sim_engine_now_ps(engine) - now_ps;
    sim_engine_set_now_ps(engine, now_ps + shift_ps);
    if (shift_ps == 0)
        state_walker_put_events(walker);
    else
        state_walker_put_moved(walker, shift_ps);
    if (steady->predicted.at_ps > now_ps)
        sim_engine_schedule(engine, steady->predicted.at_ps, SIM_PHASE_SAMPLE,
                            on_snapshot_due, steady, 0);
}

static void on_chunk_ends(Steady *steady, gpointer self)
{
    CollInstance *coll = self;
    SimEngine *engine = steady->system->state.engine;
    SimTime now_ps = sim_engine_now_ps(engine);
    uint32_t period = period_guess_add_chunk_end(&steady->guess, now_ps);

    if (steady->system->state.watch.listeners &&
        (steady->mode == SKIP_CHECK ||
         !trace_watch_period_listener(&steady->system->state.watch)))
        return;
    if (steady->coll != coll || steady->seq != coll->seq)
        periods_drop_snapshots(&steady->periods);
    steady->coll = coll;
    steady->seq = coll->seq;
    if (steady->snapshot_is_due || period == 0 || steady->predicted.at_ps > 0 ||
        steady->guess.n < steady->next_snapshot)
        return;
    if (steady->periods.snapshots->len == 0 &&
        !snapshot_budget_allows_try(&steady->budget, steady->system,
                                    steady->guess.n)) {
        period_guess_pause(&steady->guess, PERIOD_GUESS_MOST);
        return;
    }
    steady->snapshot_is_due = TRUE;
    /* An even number of chunks lies between two snapshots, because the first
     * direction round a ring depends on whether a chunk's index is odd. */
    steady->next_snapshot = steady->guess.n + period * (1 + period % 2);
    sim_engine_schedule(engine, now_ps, SIM_PHASE_SAMPLE, on_snapshot_due,
                        steady, 0);
}

/* Returns TRUE if the run has ended. */
static gboolean handle_mark_reached(Steady *steady, SimTime now_ps)
{
    SimEngine *engine = steady->system->state.engine;
    gboolean is_over;

    state_walker_take_events(&steady->walker);
    is_over = repeated_iterations_handle_mark(
        &steady->iterations,
        steady->guess.n + steady->system->counters.n_skipped,
        steady->mode == SKIP_CHECK);
    if (is_over)
        return TRUE;
    steady->guess.last_ps += sim_engine_now_ps(engine) - now_ps;
    sim_engine_set_now_ps(engine, sim_engine_now_ps(engine));
    state_walker_put_events(&steady->walker);
    return FALSE;
}

static void on_mark_reached(gpointer self, uint32_t arg, uint64_t now_ps)
{
    (void)arg;
    handle_mark_reached(self, now_ps);
}

static void on_npu_held(gpointer self, uint32_t arg, uint64_t now_ps)
{
    Steady *steady = self;

    if (!handle_mark_reached(steady, now_ps))
        training_continue(steady->system->state.npus[0].training, arg);
}

/* Holds NPU 0 before an iteration until the end of this instant, if it may be
 * held.  Returns whether it is held. */
static gboolean hold_first_npu(Steady *steady, uint32_t arg)
{
    SimEngine *engine = steady->system->state.engine;

    if (!repeated_iterations_should_hold_npu(&steady->iterations))
        return FALSE;
    sim_engine_schedule(engine, sim_engine_now_ps(engine), SIM_PHASE_SAMPLE,
                        on_npu_held, steady, arg);
    return TRUE;
}

static void on_kernel_begins(Steady *steady, guint position)
{
    SimEngine *engine = steady->system->state.engine;

    if (steady->walker.log.long_changes &&
        position == repeated_iterations_find_mark(&steady->iterations))
        sim_engine_schedule(engine, sim_engine_now_ps(engine), SIM_PHASE_SAMPLE,
                            on_mark_reached, steady, 0);
}

static void on_computation_ended(Steady *steady, gpointer npu)
{
    repeated_iterations_record_computation_end(&steady->iterations, npu);
}

/* ---- construction ------------------------------------------------------- */

static void on_chunk_created(Steady *steady, gconstpointer chunk)
{
    ring_mirror_add_chunk(&steady->iterations.mirror, chunk);
}

static const PeriodListener callbacks = {
    .chunk_made = on_chunk_created,
    .chunk_ends = on_chunk_ends,
    .kernel_begins = on_kernel_begins,
    .computed = on_computation_ended,
    .holds = hold_first_npu,
};

Steady *steady_new(System *system)
{
    Steady *steady;

    if (!snapshots_cover_all_state(system))
        return NULL;
    steady = g_new0(Steady, 1);
    system->state.period_listener = &callbacks;
    steady->system = system;
    steady->mode = system->plan.skip;
    state_walker_init(&steady->walker, system);
    steady->independent = kernels_during_skips_new(system);
    periods_init(&steady->periods, &steady->walker);
    repeated_iterations_init(&steady->iterations, &steady->walker);
    return steady;
}

void steady_free(Steady *steady)
{
    if (!steady)
        return;
    repeated_iterations_clear(&steady->iterations);
    state_walker_clear(&steady->walker);
    kernels_during_skips_free(steady->independent);
    periods_clear(&steady->periods);
    snapshot_free(steady->predicted.from);
    g_free(steady);
}
