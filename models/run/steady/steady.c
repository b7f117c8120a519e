/*
 * steady.c - skips periods of a run that repeat exactly
 *
 * A collective of many chunks soon reaches a steady state.  Once NPU 0 seems to
 * end chunks periodically (guess.h), snapshots of the whole state (look.h) are
 * taken at the end of an instant, a period apart.  If two snapshots are equal,
 * the same period follows again.  Then n periods are skipped in one step, and
 * every figure is bit for bit that of the full run:
 *
 *   counts          grow by n times their growth in the period
 *   times           of communication move n periods ahead
 *   the collective  is shortened in its middle by the chunks of n periods, so
 *                   records, indices, orders and slots stay unchanged
 *   kernels         run on meanwhile (beside.h)
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
 * Iterations that repeat the one before are skipped, too: laps.h.
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
 */
#include "models/run/steady/steady.h"

#include "models/run/steady/budget.h"
#include "models/run/steady/guess.h"
#include "models/run/steady/laps.h"
#include "models/run/steady/reach.h"
#include "models/run/training_impl.h"
#include "network/transport/steady.h"

#define LEAST_REST 8 /* chunks */

/* The prediction that SKIP_CHECK compares. */
typedef struct {
    SimTime at_ps; /* 0: there is none */
    const Period *period;
    Look *from;         /* owned */
    CollInstance *coll; /* borrowed */
    uint64_t n;
} Foretold;

struct Steady {
    System *system; /* borrowed */
    SkipMode mode;
    Guess guess;
    Looker looker;
    Beside *beside;     /* owned */
    CollInstance *coll; /* borrowed: the collective whose chunk ended in this
                         * instant */
    uint64_t seq;       /* its number, since another one may reuse the
                         * address */
    gboolean looks;     /* a snapshot is due at the end of this instant */
    uint64_t next_look; /* value of .guess.n from which on a snapshot is
                         * taken */
    Budget budget;
    Periods periods;
    Laps laps;
    Foretold foretold;
};

static gboolean can_be_steady(const System *system)
{
    return system->skip != SKIP_OFF && watch_can_be_steady(&system->watch) &&
           !system->turns && !system->communicators && !system->lanes &&
           !system->stages && perturb_is_none(&system->config->perturb) &&
           network_can_be_steady(system->network) &&
           endpoint_ops(&system->config->endpoint)->steady;
}

/* ---- skipping ------------------------------------------------------------ */

static void foretell(Steady *steady, const Period *period, CollInstance *coll,
                     Look *from, uint64_t n)
{
    steady->foretold = (Foretold){
        .at_ps = sim_engine_now(steady->system->engine) + n * period->ps,
        .period = period,
        .from = from,
        .coll = coll,
        .n = n,
    };
}

static void skip(Steady *steady, const Period *period, CollInstance *coll,
                 uint64_t n)
{
    System *system = steady->system;
    uint64_t n_chunks = n * period->n_chunks;
    SimTime shift_ps = n * period->ps;
    g_autoptr(GArray) grows = g_array_copy(period->grows);

    for (guint i = 0; i < grows->len; i++)
        g_array_index(grows, SimWide, i) *= n;
    laps_skip(&steady->laps, period, coll, reach_taken(system, coll), n);
    look_move(&steady->looker,
              &(SteadyWalk){ .shift_ps = shift_ps,
                             .n = n,
                             .grows = (gconstpointer)grows->data,
                             .period_ps = period->ps,
                             .changes = period->changes });
    sim_engine_set_now(system->engine,
                       sim_engine_now(system->engine) + shift_ps);
    periods_tell(period, n, coll->op);
    coll->n_chunks -= (uint32_t)n_chunks;
    coll->payload_bytes -= n_chunks * coll->cut->chunk_bytes;
    steady->guess.last_ps += shift_ps;
}

/* Skips as many times @period as possible, from @look on.  Returns whether any
 * was skipped or, with SKIP_CHECK, predicted; a prediction takes @look. */
static gboolean try_to_skip(Steady *steady, const Period *period,
                            CollInstance *coll, Look **look)
{
    uint64_t n =
        periods_most(period, reach_by_chunks(&steady->looker, period, coll));

    if (n > 0)
        n = reach_beside(&steady->looker, steady->beside, period, n,
                         steady->mode == SKIP_CHECK);
    if (n == 0)
        return FALSE;
    steady->system->n_skipped += n * period->n_chunks;
    if (steady->mode == SKIP_CHECK) {
        foretell(steady, period, coll, g_steal_pointer(look), n);
    } else {
        skip(steady, period, coll, n);
    }
    return TRUE;
}

static void look_later(Steady *steady)
{
    periods_forget_looks(&steady->periods);
    guess_rest(&steady->guess, LEAST_REST);
}

static void try_again(Steady *steady)
{
    budget_try_is_over(&steady->budget);
    look_later(steady);
}

static void look_and_skip(Steady *steady, CollInstance *coll)
{
    Look *look = look_at(&steady->looker, coll, steady->guess.n);
    const Period *period;

    if (!look) {
        look_later(steady);
        return;
    }
    budget_look(&steady->budget, look->state.n);
    period = periods_find(&steady->periods, look);
    if (!period) {
        if (periods_keep(&steady->periods, look) ==
            budget_n_looks(&steady->budget))
            try_again(steady);
        return;
    }
    if (try_to_skip(steady, period, coll, &look))
        budget_found(&steady->budget);
    else
        budget_try_is_over(&steady->budget);
    look_later(steady);
    look_free(look);
}

/* ---- SKIP_CHECK ---------------------------------------------------------- */

static void check_foretold(Steady *steady)
{
    Foretold *f = &steady->foretold;
    Look *look = look_at(&steady->looker, f->coll, steady->guess.n);

    g_assert(look && look_equals(f->from, look));
    for (guint i = 0; i < look->counts->len; i++) {
        SimWide was = g_array_index(f->from->counts, SimWide, i);
        SimWide grows = g_array_index(f->period->grows, SimWide, i);

        g_assert(g_array_index(look->counts, SimWide, i) == was + grows * f->n);
    }
    look_free(look);
    g_clear_pointer(&f->from, look_free);
    f->at_ps = 0;
}

/* ---- when to look -------------------------------------------------------- */

/* Returns whether the collective has chunks to admit, and so still exists. */
static gboolean is_under_way(const Steady *steady)
{
    return g_ptr_array_find(steady->system->npus[0].pending, steady->coll,
                            NULL);
}

/* Returns whether NPUs have chunks of @coll only. look_at() cannot describe any
 * other state. */
static gboolean is_alone(const System *system, const CollInstance *coll)
{
    for (uint32_t i = 0; i < system->n_sim; i++)
        if (system->npus[i].n_in_flight !=
            coll->parts[i].next_chunk - coll->parts[i].n_chunks_done)
            return FALSE;
    return TRUE;
}

/* Returns whether a snapshot may find something.  The test is worth it because
 * taking all events out of the engine costs more than most snapshots that
 * fail. */
static gboolean may_look(Steady *steady)
{
    if (steady->foretold.at_ps > 0 || !is_under_way(steady))
        return FALSE;
    if (is_alone(steady->system, steady->coll))
        return TRUE;
    look_later(steady);
    return FALSE;
}

static void on_look(gpointer self, uint32_t arg, uint64_t now_ps)
{
    Steady *steady = self;
    Looker *looker = &steady->looker;
    SimEngine *engine = steady->system->engine;
    gboolean is_foretold =
        steady->foretold.at_ps > 0 && steady->foretold.at_ps == now_ps;
    SimTime shift_ps;

    (void)arg;
    steady->looks = FALSE;
    if (!is_foretold && !may_look(steady))
        return;
    looker_take_events(looker);
    if (is_foretold)
        check_foretold(steady);
    else
        look_and_skip(steady, steady->coll);
    shift_ps = sim_engine_now(engine) - now_ps;
    sim_engine_set_now(engine, now_ps + shift_ps);
    if (shift_ps == 0)
        looker_put_events(looker);
    else
        looker_put_moved(looker, shift_ps);
    if (steady->foretold.at_ps > now_ps)
        sim_engine_at(engine, steady->foretold.at_ps, SIM_PHASE_SAMPLE, on_look,
                      steady, 0);
}

static void on_chunk_ends(Steady *steady, gpointer self)
{
    CollInstance *coll = self;
    SimEngine *engine = steady->system->engine;
    SimTime now_ps = sim_engine_now(engine);
    uint32_t period = guess_add(&steady->guess, now_ps);

    if (steady->system->watch.listeners &&
        (steady->mode == SKIP_CHECK || !watch_repeats(&steady->system->watch)))
        return;
    if (steady->coll != coll || steady->seq != coll->seq)
        periods_forget_looks(&steady->periods);
    steady->coll = coll;
    steady->seq = coll->seq;
    if (steady->looks || period == 0 || steady->foretold.at_ps > 0 ||
        steady->guess.n < steady->next_look)
        return;
    if (steady->periods.looks->len == 0 &&
        !budget_allows(&steady->budget, steady->system, steady->guess.n)) {
        guess_rest(&steady->guess, GUESS_MOST);
        return;
    }
    steady->looks = TRUE;
    /* The period must be even, because the first direction round a ring depends
     * on whether an index is odd. */
    steady->next_look = steady->guess.n + period * (1 + period % 2);
    sim_engine_at(engine, now_ps, SIM_PHASE_SAMPLE, on_look, steady, 0);
}

/* Returns TRUE if the run has ended. */
static gboolean lap(Steady *steady, SimTime now_ps)
{
    SimEngine *engine = steady->system->engine;
    gboolean is_over;

    looker_take_events(&steady->looker);
    is_over =
        laps_begin(&steady->laps, steady->guess.n + steady->system->n_skipped,
                   steady->mode == SKIP_CHECK);
    if (is_over)
        return TRUE;
    steady->guess.last_ps += sim_engine_now(engine) - now_ps;
    sim_engine_set_now(engine, sim_engine_now(engine));
    looker_put_events(&steady->looker);
    return FALSE;
}

static void on_lap(gpointer self, uint32_t arg, uint64_t now_ps)
{
    (void)arg;
    lap(self, now_ps);
}

static void on_held(gpointer self, uint32_t arg, uint64_t now_ps)
{
    Steady *steady = self;

    if (!lap(steady, now_ps))
        training_go_on(steady->system->npus[0].training, arg);
}

static gboolean hold(Steady *steady, uint32_t arg)
{
    SimEngine *engine = steady->system->engine;

    if (!laps_are_alone(&steady->laps))
        return FALSE;
    sim_engine_at(engine, sim_engine_now(engine), SIM_PHASE_SAMPLE, on_held,
                  steady, arg);
    return TRUE;
}

static void on_kernel_begins(Steady *steady, guint position)
{
    SimEngine *engine = steady->system->engine;

    if (steady->looker.log.lap && position == laps_mark(&steady->laps))
        sim_engine_at(engine, sim_engine_now(engine), SIM_PHASE_SAMPLE, on_lap,
                      steady, 0);
}

static void on_computed(Steady *steady, gpointer npu)
{
    laps_computed(&steady->laps, npu);
}

/* ---- construction -------------------------------------------------------- */

static void on_chunk_made(Steady *steady, gconstpointer chunk)
{
    rings_made(&steady->laps.rings, chunk);
}

static const SteadyTold told = {
    .chunk_made = on_chunk_made,
    .chunk_ends = on_chunk_ends,
    .kernel_begins = on_kernel_begins,
    .computed = on_computed,
    .holds = hold,
};

Steady *steady_new(System *system)
{
    Steady *steady;

    if (!can_be_steady(system))
        return NULL;
    steady = g_new0(Steady, 1);
    system->told = &told;
    steady->system = system;
    steady->mode = system->skip;
    looker_init(&steady->looker, system);
    steady->beside = beside_new(system);
    periods_init(&steady->periods, &steady->looker);
    laps_init(&steady->laps, &steady->looker);
    return steady;
}

void steady_free(Steady *steady)
{
    if (!steady)
        return;
    laps_clear(&steady->laps);
    looker_clear(&steady->looker);
    beside_free(steady->beside);
    periods_clear(&steady->periods);
    look_free(steady->foretold.from);
    g_free(steady);
}
