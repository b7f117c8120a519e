/* laps.c - skips iterations that repeat the one before */
#include "models/run/steady/laps.h"

#include <string.h>

#include "models/run/steady/loop.h"
#include "models/run/training_impl.h"
#include "network/transport/steady.h"

/* Within so many instances, the numbers that order collectives do not wrap
 * (admit/order.c). */
#define MOST_INSTANCES (1 << 16)

static gboolean has_kernels(const System *system)
{
    return system_has_kernels(system, OP_STREAM_MAIN) ||
           system_has_kernels(system, OP_STREAM_SIDE);
}

/* Returns whether NPU 0 may be held before an iteration.  With several NPUs
 * another one could run first, and listeners would see other events.  An
 * endpoint that releases resources between collectives would release them and
 * claim them again in the same instant; without the hold it keeps them. */
static gboolean may_be_held(const System *system)
{
    EndpointClaim claim = endpoint_claim(&system->config->endpoint);

    return system->n_sim == 1 && !has_kernels(system) &&
           !system->watch.listeners && !claim.only_while_communicating &&
           !claim.sms_only_while_reducing;
}

void laps_init(Laps *laps, Looker *looker)
{
    *laps = (Laps){ .looker = looker };
    if (looker->system->config->training.n_iterations > 1)
        looker->log.lap = g_array_new(FALSE, FALSE, sizeof(SteadyChange));
    laps->is_alone = looker->log.lap && may_be_held(looker->system);
    rings_init(&laps->rings, looker->system);
    tail_init(&laps->tail, looker->system);
}

void laps_clear(Laps *laps)
{
    look_free(laps->begun);
    rings_clear(&laps->rings);
    tail_clear(&laps->tail);
    g_clear_pointer(&laps->foretold, g_array_unref);
    g_clear_pointer(&laps->looker->log.lap, g_array_unref);
}

/* ---- where an iteration begins ----------------------------------------- */

static gboolean is_end_of_kernel(const System *system, const SimEvent *event)
{
    for (uint32_t i = 0; i < system->n_sim; i++)
        if (event->self == system->npus[i].streams[OP_STREAM_MAIN])
            return TRUE;
    return FALSE;
}

/* Returns whether nothing but kernels is in flight. */
static gboolean is_at_rest(const System *system)
{
    return system->n_chunks_live == 0 && system->n_instances_live == 0 &&
           !system->may_run_ahead && network_is_at_rest(system->network);
}

gboolean laps_are_alone(const Laps *laps)
{
    const System *system = laps->looker->system;
    const Training *t = system->npus[0].training;

    return laps->is_alone && is_at_rest(system) &&
           loop_is_done_before(t->npu, training_n_done(t), 0) &&
           (!training_is_done(t) || laps->foretold);
}

/* Returns whether nothing is in flight but the kernel at the mark, which just
 * began on every NPU.  Each NPU has the event of that kernel's end.  There may
 * be stale events as well, which were set before the kernel's share changed. */
static gboolean all_begin(const Laps *laps, uint64_t iteration)
{
    const Looker *looker = laps->looker;
    const System *system = looker->system;
    SimTime now_ps = sim_engine_now(system->engine);

    if (!is_at_rest(system))
        return FALSE;
    if (!has_kernels(system))
        return looker->all->len == 0;
    if (looker->all->len % system->n_sim != 0)
        return FALSE;
    for (guint i = 0; i < looker->all->len; i++)
        if (!is_end_of_kernel(system, &g_array_index(looker->all, SimEvent, i)))
            return FALSE;
    for (uint32_t i = 0; i < system->n_sim; i++)
        if (!loop_begins(&system->npus[i], iteration, laps->tail.mark, now_ps))
            return FALSE;
    return TRUE;
}

/* ---- snapshots ---------------------------------------------------------- */

/* Visits the counts of kernels first, since tail_cut() relies on it.  Omits
 * beside_ps of a stream and the times at which what is in flight began: they
 * are not needed once a run has ended. */
static void visit(Looker *looker, SteadyWalk *walk)
{
    System *system = looker->system;

    looker->coll = NULL;
    for (uint32_t i = 0; i < system->n_sim; i++)
        loop_visit_kernels(&system->npus[i], walk);
    for (uint32_t i = 0; i < system->n_sim; i++)
        loop_visit_collectives(&system->npus[i], walk);
    steady_count(walk, &system->communicated_ps);
    watch_steady(&system->watch, walk);
    look_visit_npus(looker, walk); /* the network's counts are the last */
}

/* Returns a bound on the bytes of any message or chunk, including what a
 * protocol adds. rings_made() asserts it. */
static uint64_t most_bytes(const System *system)
{
    uint64_t most = 0;

    for (guint i = 0; i < system->graph->ops->len; i++)
        if (system->schemes.of[i])
            most = MAX(most, system->cuts[i].chunk_bytes);
    return 8 * most + (1 << 20);
}

static SimTime rests_ps(const Looker *looker)
{
    const GArray *events = looker->all;

    if (events->len == 0)
        return 0;
    return sim_engine_event_ps(&g_array_index(events, SimEvent, 0)) -
           sim_engine_now(looker->system->engine);
}

static Look *look_at_rest(Looker *looker, uint64_t n_ends)
{
    System *system = looker->system;
    Look *look = g_new(Look, 1);
    SimTime now_ps = sim_engine_now(system->engine);
    SteadyWalk walk = { .now_ps = now_ps,
                        .is_at_rest = TRUE,
                        .rests_ps = rests_ps(looker),
                        .most_bytes = most_bytes(system) };

    *look = (Look){ .at_ps = now_ps,
                    .n_ends = n_ends,
                    .next = system->n_instances_made,
                    .counts = g_array_new(FALSE, FALSE, sizeof(SimWide)) };
    walk.state = &look->state;
    walk.counts = look->counts;
    visit(looker, &walk);
    for (guint i = 0; i < looker->all->len; i++) {
        SimEvent event = g_array_index(looker->all, SimEvent, i);

        steady_same(&walk, sim_engine_key(&event, -now_ps));
        if (!system->is_alike)
            steady_same(&walk, (uintptr_t)event.self);
    }
    if (!walk.is_lost)
        return look;
    look_free(look);
    return NULL;
}

/* ---- skipping ----------------------------------------------------------- */

static GArray *grown(const Look *from, const Look *to)
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
static void skip(Laps *laps, const Look *look, uint64_t n, const GArray *grows)
{
    Looker *looker = laps->looker;
    System *system = looker->system;
    SimTime period_ps = look->at_ps - laps->begun->at_ps;
    SteadyWalk walk = { .now_ps = look->at_ps,
                        .moves = TRUE,
                        .shift_ps = n * period_ps,
                        .n = n,
                        .grows = (gconstpointer)grows->data,
                        .period_ps = period_ps,
                        .changes = looker->log.lap };

    for (guint i = 0; i < looker->log.lap->len; i++)
        g_array_index(looker->log.lap, SteadyChange, i).at_ps -=
            laps->begun->at_ps;
    visit(looker, &walk);
    g_assert(!walk.is_lost && walk.at == grows->len);
    sim_engine_set_now(system->engine, look->at_ps + n * period_ps);
    system->n_skipped += n * (look->n_ends - laps->begun->n_ends);
}

/* Skips the last @n iterations, and so ends the run. */
static void end(Laps *laps, const Look *look, uint64_t n, GArray *grows)
{
    System *system = laps->looker->system;
    uint64_t n_iterations = system->config->training.n_iterations;
    SimTime waited_ps =
        laps->tail.mark > 0
            ? 0
            : look->at_ps - system->npus[0].training->compute_end_ps;

    tail_cut(&laps->tail, look->counts, grows);
    skip(laps, look, n, grows);
    for (uint32_t i = 0; i < system->n_sim; i++) {
        loop_end(&system->npus[i], n_iterations, waited_ps);
        tail_end(&laps->tail, &system->npus[i],
                 sim_engine_now(system->engine) - look->at_ps);
    }
}

/* Skips the next @n iterations; the one after them differs.  Returns the
 * snapshot at its mark, or NULL if the state cannot be described. */
static Look *go_on(Laps *laps, Look *look, uint64_t n, const GArray *grows)
{
    Looker *looker = laps->looker;
    const System *system = looker->system;
    SimTime shift_ps = n * (look->at_ps - laps->begun->at_ps);
    uint64_t n_ends = look->n_ends + n * (look->n_ends - laps->begun->n_ends);

    skip(laps, look, n, grows);
    look_free(look);
    rings_go_on(&laps->rings);
    for (uint32_t i = 0; i < system->n_sim; i++)
        loop_go_on(&system->npus[i], n);
    looker_shift_events(looker, shift_ps);
    return look_at_rest(looker, n_ends);
}

static gboolean may_end(const Laps *laps, const Look *look, uint64_t n)
{
    const System *system = laps->looker->system;
    SimTime period_ps = look->at_ps - laps->begun->at_ps;
    uint64_t n_made = look->next - laps->begun->next;

    return n > 0 && period_ps > 0 && look_equals(laps->begun, look) &&
           laps->looker->log.lap->len < STEADY_MOST_CHANGES &&
           n <= MOST_INSTANCES && look->next + n * n_made < MOST_INSTANCES &&
           n <= (SIM_ENGINE_MAX_PS - look->at_ps) / period_ps &&
           sim_engine_now(system->engine) == look->at_ps;
}

/* ---- SKIP_CHECK --------------------------------------------------------- */

static void check(const Laps *laps, const Look *look)
{
    g_autoptr(GArray) grew = NULL;

    g_assert(look && look_equals(laps->begun, look));
    grew = grown(laps->begun, look);
    g_assert(rings_are_as_foretold(&laps->rings));
    g_assert(memcmp(grew->data, laps->foretold->data,
                    grew->len * sizeof(SimWide)) == 0);
}

/* ---- when to look ------------------------------------------------------- */

static void begin(Laps *laps, Look *look, uint64_t iteration)
{
    look_free(laps->begun);
    laps->begun = look;
    laps->iteration = iteration;
    g_array_set_size(laps->looker->log.lap, 0);
    if (look)
        rings_begin(&laps->rings, most_bytes(laps->looker->system));
    else
        rings_stop(&laps->rings);
}

guint laps_mark(const Laps *laps)
{
    return laps->tail.mark;
}

void laps_computed(Laps *laps, Npu *npu)
{
    if (laps->looker->log.lap)
        tail_note(&laps->tail, npu);
}

gboolean laps_begin(Laps *laps, uint64_t n_ends, gboolean checks)
{
    Looker *looker = laps->looker;
    const System *system = looker->system;
    uint64_t iteration = training_n_done(system->npus[0].training);
    uint64_t n = system->config->training.n_iterations - iteration;
    Look *look =
        all_begin(laps, iteration) ? look_at_rest(looker, n_ends) : NULL;
    gboolean may = look && laps->begun && iteration == laps->iteration + 1 &&
                   may_end(laps, look, n);
    g_autoptr(GArray) grows = NULL;
    uint64_t n_alike = 0;
    gboolean is_over;

    if (laps->foretold)
        check(laps, look);
    g_clear_pointer(&laps->foretold, g_array_unref);
    if (may) {
        grows = grown(laps->begun, look);
        n_alike = rings_repeat(&laps->rings, checks ? 1 : n, grows);
    }
    is_over = !checks && may && n_alike == n;
    if (is_over) {
        end(laps, look, n, grows);
    } else if (!checks && n_alike > 0 && !system->watch.listeners) {
        look = go_on(laps, look, n_alike, grows);
        iteration += n_alike;
    }
    begin(laps, look, iteration);
    checks &= n_alike > 0;
    tail_foretell(&laps->tail, checks ? grows : NULL);
    if (checks)
        laps->foretold = g_steal_pointer(&grows);
    return is_over;
}

void laps_skip(Laps *laps, const Period *period, const CollInstance *coll,
               uint32_t first, uint64_t n)
{
    const SteadyLog *log = &laps->looker->log;
    SimTime now_ps = sim_engine_now(laps->looker->system->engine);

    rings_skip(&laps->rings, coll, first, n * period->n_chunks);
    for (uint64_t i = 0; log->lap && i < n; i++)
        for (guint c = 0; c < period->changes->len; c++) {
            SteadyChange change =
                g_array_index(period->changes, SteadyChange, c);

            change.at_ps += now_ps + i * period->ps;
            if (log->lap->len < STEADY_MOST_CHANGES)
                g_array_append_val(log->lap, change);
        }
}
