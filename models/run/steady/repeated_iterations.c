/* repeated_iterations.c - skips iterations that repeat the one before */
#include "models/run/steady/repeated_iterations.h"

#include <string.h>

#include "models/run/steady/kernel_loop.h"
#include "models/run/training_impl.h"
#include "network/transport/network_steady_state.h"

/* Within so many instances, the numbers that order collectives do not wrap
 * (admit/collective_precedence.c). */
#define MOST_INSTANCES (1 << 16)

static gboolean system_has_kernels_in_role(const System *system)
{
    return system_has_kernels(system, OP_STREAM_MAIN) ||
           system_has_kernels(system, OP_STREAM_SIDE);
}

/* Returns whether NPU 0 may be held before an iteration.  With several NPUs
 * another one could run first, and listeners would see other events.  An
 * endpoint that releases resources between collectives would release them and
 * claim them again in the same instant; without the hold it keeps them. */
static gboolean npu_may_be_held(const System *system)
{
    EndpointClaim claim =
        endpoint_claim_resources(&system->plan.config->endpoint);

    return system->plan.n_sim == 1 && !system_has_kernels_in_role(system) &&
           !system->state.watch.listeners && !claim.only_while_communicating &&
           !claim.sms_only_while_reducing;
}

void repeated_iterations_init(RepeatedIterations *iterations,
                              StateWalker *walker)
{
    *iterations = (RepeatedIterations){ .walker = walker };
    if (walker->system->plan.config->training.n_iterations > 1)
        walker->log.long_changes =
            g_array_new(FALSE, FALSE, sizeof(SteadyChange));
    iterations->may_hold =
        walker->log.long_changes && npu_may_be_held(walker->system);
    ring_mirror_init(&iterations->mirror, walker->system);
    last_iteration_init(&iterations->last, walker->system);
}

void repeated_iterations_clear(RepeatedIterations *iterations)
{
    snapshot_free(iterations->at_mark);
    ring_mirror_clear(&iterations->mirror);
    last_iteration_clear(&iterations->last);
    g_clear_pointer(&iterations->predicted, g_array_unref);
    g_clear_pointer(&iterations->walker->log.long_changes, g_array_unref);
}

/* ---- where an iteration begins ------------------------------------------ */

static gboolean event_ends_kernel(const System *system, const SimEvent *event)
{
    for (uint32_t i = 0; i < system->plan.n_sim; i++)
        if (event->self == system->state.npus[i].streams[OP_STREAM_MAIN])
            return TRUE;
    return FALSE;
}

/* Returns whether nothing but kernels is in flight. */
static gboolean only_kernels_are_in_flight(const System *system)
{
    return system->state.n_chunks_live == 0 &&
           system->state.n_instances_live == 0 && !system->plan.may_run_ahead &&
           network_is_idle(system->state.network);
}

gboolean
repeated_iterations_should_hold_npu(const RepeatedIterations *iterations)
{
    const System *system = iterations->walker->system;
    const Training *training = system->state.npus[0].training;

    return iterations->may_hold && only_kernels_are_in_flight(system) &&
           kernel_loop_is_done_before_mark(
               training->npu, training_n_iterations_done(training), 0) &&
           (!training_is_done(training) || iterations->predicted);
}

/* Returns whether nothing is in flight but the kernel at the mark, which just
 * began on every NPU.  Each NPU has the event of that kernel's end.  There may
 * be stale events as well, which were set before the kernel's share changed. */
static gboolean all_npus_are_at_mark(const RepeatedIterations *iterations,
                                     uint64_t iteration)
{
    const StateWalker *walker = iterations->walker;
    const System *system = walker->system;
    SimTime now_ps = sim_engine_now_ps(system->state.engine);

    if (!only_kernels_are_in_flight(system))
        return FALSE;
    if (!system_has_kernels_in_role(system))
        return walker->all_events->len == 0;
    if (walker->all_events->len % system->plan.n_sim != 0)
        return FALSE;
    for (guint i = 0; i < walker->all_events->len; i++)
        if (!event_ends_kernel(system,
                               &g_array_index(walker->all_events, SimEvent, i)))
            return FALSE;
    for (uint32_t i = 0; i < system->plan.n_sim; i++)
        if (!kernel_loop_is_at_mark(&system->state.npus[i], iteration,
                                    iterations->last.mark, now_ps))
            return FALSE;
    return TRUE;
}

/* ---- snapshots ---------------------------------------------------------- */

/* Visits the counts of kernels first, since last_iteration_subtract() relies on
 * it.  Omits beside_ps of a stream and the times at which what is in flight
 * began: they are not needed once a run has ended. */
static void visit_state_at_rest(StateWalker *walker, SteadyWalk *walk)
{
    System *system = walker->system;

    walker->coll = NULL;
    for (uint32_t i = 0; i < system->plan.n_sim; i++)
        kernel_loop_visit_kernels(&system->state.npus[i], walk);
    for (uint32_t i = 0; i < system->plan.n_sim; i++)
        kernel_loop_visit_collectives(&system->state.npus[i], walk);
    steady_visit_counter(walk, &system->counters.communicated_ps);
    trace_watch_visit_state(&system->state.watch, walk);
    /* The counts of links come last: see ring_mirror_count_repeats(). */
    state_walker_visit_npus(walker, walk);
}

/* Returns a bound on the bytes of any message or chunk, including what a
 * protocol adds. ring_mirror_add_chunk() asserts it. */
static uint64_t max_message_or_chunk_bytes(const System *system)
{
    uint64_t most = 0;

    for (guint i = 0; i < system->plan.graph->ops->len; i++)
        if (system->plan.collective_classes.class_of_op[i])
            most = MAX(most, system->plan.cuts[i].chunk_bytes);
    return 8 * most + (1 << 20);
}

/* Returns the time until the next event, or 0 if there is none. */
static SimTime time_to_next_event_ps(const StateWalker *walker)
{
    const GArray *events = walker->all_events;

    if (events->len == 0)
        return 0;
    return sim_engine_event_time_ps(&g_array_index(events, SimEvent, 0)) -
           sim_engine_now_ps(walker->system->state.engine);
}

/* Returns a snapshot while nothing but kernels is in flight, or NULL if the
 * state cannot be described.  Events must be out of the engine. */
static Snapshot *snapshot_at_rest(StateWalker *walker, uint64_t n_ends)
{
    System *system = walker->system;
    Snapshot *snapshot = g_new(Snapshot, 1);
    SimTime now_ps = sim_engine_now_ps(system->state.engine);
    SteadyWalk walk = { .now_ps = now_ps,
                        .is_at_rest = TRUE,
                        .rests_ps = time_to_next_event_ps(walker),
                        .most_bytes = max_message_or_chunk_bytes(system) };

    *snapshot =
        (Snapshot){ .at_ps = now_ps,
                    .n_ends = n_ends,
                    .next = system->state.n_instances_made,
                    .counts = g_array_new(FALSE, FALSE, sizeof(SimWide)) };
    walk.state = &snapshot->state;
    walk.counts = snapshot->counts;
    visit_state_at_rest(walker, &walk);
    for (guint i = 0; i < walker->all_events->len; i++) {
        SimEvent event = g_array_index(walker->all_events, SimEvent, i);

        steady_visit_constant(&walk, sim_engine_event_key(&event, -now_ps));
        if (!system->plan.is_alike)
            steady_visit_constant(&walk, (uintptr_t)event.self);
    }
    if (!walk.is_lost)
        return snapshot;
    snapshot_free(snapshot);
    return NULL;
}

/* ---- skipping ----------------------------------------------------------- */

/* Returns what each count grew from one snapshot to the other; owner: the
 * caller. */
static GArray *counter_growth_between(const Snapshot *from, const Snapshot *to)
{
    GArray *grows = g_array_new(FALSE, FALSE, sizeof(SimWide));

    for (guint i = 0; i < to->counts->len; i++) {
        SimWide more = g_array_index(to->counts, SimWide, i) -
                       g_array_index(from->counts, SimWide, i);

        g_array_append_val(grows, more);
    }
    return grows;
}

/* Moves the state @n iterations ahead. */
static void skip_whole_iterations(RepeatedIterations *iterations,
                                  const Snapshot *snapshot, uint64_t n,
                                  const GArray *grows)
{
    StateWalker *walker = iterations->walker;
    System *system = walker->system;
    SimTime period_ps = snapshot->at_ps - iterations->at_mark->at_ps;
    SteadyWalk walk = { .now_ps = snapshot->at_ps,
                        .moves = TRUE,
                        .shift_ps = n * period_ps,
                        .n = n,
                        .growth = (gconstpointer)grows->data,
                        .period_ps = period_ps,
                        .changes = walker->log.long_changes };

    for (guint i = 0; i < walker->log.long_changes->len; i++)
        g_array_index(walker->log.long_changes, SteadyChange, i).at_ps -=
            iterations->at_mark->at_ps;
    visit_state_at_rest(walker, &walk);
    g_assert(!walk.is_lost && walk.n_visited == grows->len);
    sim_engine_set_now_ps(system->state.engine,
                          snapshot->at_ps + n * period_ps);
    system->counters.n_skipped +=
        n * (snapshot->n_ends - iterations->at_mark->n_ends);
}

/* Skips the last @n iterations, and so ends the run. */
static void skip_last_iterations(RepeatedIterations *iterations,
                                 const Snapshot *snapshot, uint64_t n,
                                 GArray *grows)
{
    System *system = iterations->walker->system;
    uint64_t n_iterations = system->plan.config->training.n_iterations;
    SimTime waited_ps =
        iterations->last.mark > 0
            ? 0
            : snapshot->at_ps - system->state.npus[0].training->compute_end_ps;

    last_iteration_subtract(&iterations->last, snapshot->counts, grows);
    skip_whole_iterations(iterations, snapshot, n, grows);
    for (uint32_t i = 0; i < system->plan.n_sim; i++) {
        kernel_loop_skip_to_end(&system->state.npus[i], n_iterations,
                                waited_ps);
        last_iteration_finish(&iterations->last, &system->state.npus[i],
                              sim_engine_now_ps(system->state.engine) -
                                  snapshot->at_ps);
    }
}

/* Skips the next @n iterations; the one after them differs.  Returns the
 * snapshot at its mark, or NULL if the state cannot be described. */
static Snapshot *skip_iterations_before_other(RepeatedIterations *iterations,
                                              Snapshot *snapshot, uint64_t n,
                                              const GArray *grows)
{
    StateWalker *walker = iterations->walker;
    const System *system = walker->system;
    SimTime shift_ps = n * (snapshot->at_ps - iterations->at_mark->at_ps);
    uint64_t n_ends =
        snapshot->n_ends + n * (snapshot->n_ends - iterations->at_mark->n_ends);

    skip_whole_iterations(iterations, snapshot, n, grows);
    snapshot_free(snapshot);
    ring_mirror_advance(&iterations->mirror);
    for (uint32_t i = 0; i < system->plan.n_sim; i++)
        kernel_loop_skip_iterations(&system->state.npus[i], n);
    state_walker_shift_events(walker, shift_ps);
    return snapshot_at_rest(walker, n_ends);
}

/* Returns whether the state at this mark equals that at the last one, and @n
 * more iterations would not exceed any range. */
static gboolean iteration_may_repeat(const RepeatedIterations *iterations,
                                     const Snapshot *snapshot, uint64_t n)
{
    const System *system = iterations->walker->system;
    SimTime period_ps = snapshot->at_ps - iterations->at_mark->at_ps;
    uint64_t n_made = snapshot->next - iterations->at_mark->next;

    return n > 0 && period_ps > 0 &&
           snapshot_equals(iterations->at_mark, snapshot) &&
           iterations->walker->log.long_changes->len < STEADY_MAX_CHANGES &&
           n <= MOST_INSTANCES &&
           snapshot->next + n * n_made < MOST_INSTANCES &&
           n <= (SIM_ENGINE_MAX_PS - snapshot->at_ps) / period_ps &&
           sim_engine_now_ps(system->state.engine) == snapshot->at_ps;
}

/* ---- SKIP_CHECK --------------------------------------------------------- */

/* Asserts that the iteration which just ended was as predicted. */
static void check_iteration_as_predicted(const RepeatedIterations *iterations,
                                         const Snapshot *snapshot)
{
    g_autoptr(GArray) growth = NULL;

    g_assert(snapshot && snapshot_equals(iterations->at_mark, snapshot));
    growth = counter_growth_between(iterations->at_mark, snapshot);
    g_assert(ring_mirror_is_as_predicted(&iterations->mirror));
    g_assert(memcmp(growth->data, iterations->predicted->data,
                    growth->len * sizeof(SimWide)) == 0);
}

/* ---- when to look ------------------------------------------------------- */

/* Begins to record an iteration, if @snapshot is not NULL. */
static void begin_recording_iteration(RepeatedIterations *iterations,
                                      Snapshot *snapshot, uint64_t iteration)
{
    snapshot_free(iterations->at_mark);
    iterations->at_mark = snapshot;
    iterations->iteration = iteration;
    g_array_set_size(iterations->walker->log.long_changes, 0);
    if (snapshot)
        ring_mirror_begin(&iterations->mirror, max_message_or_chunk_bytes(
                                                   iterations->walker->system));
    else
        ring_mirror_stop(&iterations->mirror);
}

guint repeated_iterations_find_mark(const RepeatedIterations *iterations)
{
    return iterations->last.mark;
}

void repeated_iterations_record_computation_end(RepeatedIterations *iterations,
                                                Npu *npu)
{
    if (iterations->walker->log.long_changes)
        last_iteration_record(&iterations->last, npu);
}

gboolean repeated_iterations_handle_mark(RepeatedIterations *iterations,
                                         uint64_t n_ends, gboolean checks)
{
    StateWalker *walker = iterations->walker;
    System *system = walker->system;
    uint64_t iteration =
        training_n_iterations_done(system->state.npus[0].training);
    uint64_t n = system->plan.config->training.n_iterations - iteration;
    Snapshot *snapshot = all_npus_are_at_mark(iterations, iteration)
                             ? snapshot_at_rest(walker, n_ends)
                             : NULL;
    gboolean repeats = snapshot && iterations->at_mark &&
                       iteration == iterations->iteration + 1 &&
                       iteration_may_repeat(iterations, snapshot, n);
    g_autoptr(GArray) grows = NULL;
    uint64_t n_repeats = 0;
    gboolean is_over;

    if (iterations->predicted)
        check_iteration_as_predicted(iterations, snapshot);
    g_clear_pointer(&iterations->predicted, g_array_unref);
    if (repeats) {
        grows = counter_growth_between(iterations->at_mark, snapshot);
        n_repeats = ring_mirror_count_repeats(&iterations->mirror,
                                              checks ? 1 : n, grows);
    }
    if (checks && n_repeats > 0)
        system->counters.n_skip_checked += n_ends - iterations->at_mark->n_ends;
    is_over = !checks && repeats && n_repeats == n;
    if (is_over) {
        skip_last_iterations(iterations, snapshot, n, grows);
    } else if (!checks && n_repeats > 0 && !system->state.watch.listeners) {
        snapshot = skip_iterations_before_other(iterations, snapshot, n_repeats,
                                                grows);
        iteration += n_repeats;
    }
    begin_recording_iteration(iterations, snapshot, iteration);
    checks &= n_repeats > 0;
    last_iteration_predict(&iterations->last, checks ? grows : NULL);
    if (checks)
        iterations->predicted = g_steal_pointer(&grows);
    return is_over;
}

void repeated_iterations_record_skip(RepeatedIterations *iterations,
                                     const Period *period,
                                     const CollInstance *coll, uint32_t first,
                                     uint64_t n)
{
    const SteadyLog *log = &iterations->walker->log;
    SimTime now_ps =
        sim_engine_now_ps(iterations->walker->system->state.engine);

    ring_mirror_add_skipped(&iterations->mirror, coll, first,
                            n * period->n_chunks);
    for (uint64_t i = 0; log->long_changes && i < n; i++)
        for (guint c = 0; c < period->changes->len; c++) {
            SteadyChange change =
                g_array_index(period->changes, SteadyChange, c);

            change.at_ps += now_ps + i * period->ps;
            if (log->long_changes->len < STEADY_MAX_CHANGES)
                g_array_append_val(log->long_changes, change);
        }
}
