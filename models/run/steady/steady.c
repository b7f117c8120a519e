/*
 * steady.c - periods of a run that are not simulated
 *
 * A collective of many chunks soon does the same again and again.  Once NPU 0
 * seems to be done with chunks in a period (guess.h), the whole state is looked
 * at (look.h) at the end of an instant, a period apart.  If two looks are
 * equal, what follows is the same period again: then n of them are skipped at
 * once, and every figure is bit for bit that of the full run.
 *
 *   what counts     grows by n times what it grew in the period
 *   moments         of communication are n periods later
 *   the collective  is made shorter in its midst, by the chunks of n periods:
 *                   so records, indices, orders and slots stay what they are
 *   kernels         run on meanwhile (beside.h)
 *
 * n is at most what leaves two more chunks to take in: the last may be smaller,
 * and NPUs look at the size of the next.  It ends before what is set
 * for a certain time and could be seen: a kernel that lets a collective begin,
 * a launch.  Where something beside falls on the same instant and phase as
 * something of communication, which goes first would hang on when each was
 * scheduled: n is one less then.  Nothing has to be known of what could happen
 * else, since it could happen only at such an event, or at the end of a
 * collective, of which all chunks in flight are.
 *
 * A period that was found holds for other collectives, too, that come to be in
 * that state: known periods are tried first.
 *
 * A system has none of this where somebody listens, where it is perturbed, or
 * where something has state that is not looked at: several programs, lanes,
 * stages, jobs, packets, limits, switches that add, and endpoints without
 * EndpointOps.steady.
 *
 * SKIP_CHECK skips nothing: it looks at the end of what would have been skipped
 * and asserts that state and counts are what they would have been.
 */
#include "models/run/steady/steady.h"

#include "models/run/steady/beside.h"
#include "models/run/steady/guess.h"
#include "models/run/steady/look.h"
#include "network/transport/steady.h"

#define MOST_LOOKS   8
#define MOST_PERIODS 8
#define LEAST_REST   8 /* chunks, and twice as many each time */
#define MOST_REST    1024
#define MOST_TRIES   4 /* for an end at which nothing falls together */

typedef struct {
    Look *look; /* owned: at its begin */
    SimTime ps;
    uint32_t n_chunks;
    GArray *grows; /* owned: of SimWide */
} Period;

/* What SKIP_CHECK has foretold. */
typedef struct {
    SimTime at_ps; /* 0: nothing */
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
    CollInstance *coll; /* borrowed: whose chunk ended, until it is looked at */
    gboolean looks;     /* at the end of this instant */
    uint64_t next_look; /* of .guess.n */
    uint64_t rest;
    GPtrArray *looks_made; /* owned: of Look */
    GPtrArray *periods;    /* owned: of Period */
    Foretold foretold;
};

static void period_free(gpointer data)
{
    Period *period = data;

    look_free(period->look);
    g_array_unref(period->grows);
    g_free(period);
}

static gboolean can_be_steady(const System *system)
{
    return system->skip != SKIP_OFF && !system->watch.listeners &&
           !system->turns && !system->lanes && !system->stages &&
           perturb_is_none(&system->config->perturb) &&
           network_can_be_steady(system->network) &&
           endpoint_ops(&system->config->endpoint)->steady;
}

Steady *steady_new(System *system)
{
    Steady *steady;

    if (!can_be_steady(system))
        return NULL;
    steady = g_new0(Steady, 1);
    steady->system = system;
    steady->mode = system->skip;
    looker_init(&steady->looker, system);
    steady->beside = beside_new(system);
    steady->rest = LEAST_REST;
    steady->looks_made =
        g_ptr_array_new_with_free_func((GDestroyNotify)look_free);
    steady->periods = g_ptr_array_new_with_free_func(period_free);
    return steady;
}

void steady_free(Steady *steady)
{
    if (!steady)
        return;
    looker_clear(&steady->looker);
    beside_free(steady->beside);
    g_ptr_array_unref(steady->looks_made);
    g_ptr_array_unref(steady->periods);
    look_free(steady->foretold.from);
    g_free(steady);
}

/* ---- how far ------------------------------------------------------------- */

static uint32_t most_taken(const System *system, const CollInstance *coll)
{
    uint32_t most = 0;

    for (uint32_t i = 0; i < system->n_sim; i++)
        most = MAX(most, coll->parts[i].next_chunk);
    return most;
}

static const CollPlan *plan_of(const CollInstance *coll, uint64_t i)
{
    return coll_orders_plan(&coll->scheme->planned->orders, i);
}

/* What is to come takes plans as it would @period->n_chunks later, and the
 * first ones as in the period. */
static gboolean plans_repeat(const Steady *steady, const Period *period,
                             const CollInstance *coll)
{
    uint64_t first = steady->system->n_chunks_before[coll->op];
    uint64_t next = first + coll->parts[0].next_chunk;
    uint64_t end = first + coll->n_chunks;
    uint64_t last = MIN(end, next + COLL_ORDER_TRIALS + period->n_chunks);

    if (coll->scheme->planned->orders.n == 1)
        return TRUE;
    for (uint64_t i = 0; i < period->n_chunks; i++)
        if (plan_of(coll, next + i) != plan_of(coll, period->look->next + i))
            return FALSE;
    for (uint64_t i = next; i + period->n_chunks < last; i++)
        if (plan_of(coll, i) != plan_of(coll, i + period->n_chunks))
            return FALSE;
    return TRUE;
}

static uint64_t n_by_chunks(const Steady *steady, const Period *period,
                            const CollInstance *coll)
{
    uint64_t taken = most_taken(steady->system, coll) + UINT64_C(2);
    SimTime now_ps = sim_engine_now(steady->system->engine);
    uint64_t n;

    if (taken >= coll->n_chunks || !plans_repeat(steady, period, coll))
        return 0;
    n = (coll->n_chunks - taken) / period->n_chunks;
    return MIN(n, (SIM_ENGINE_MAX_PS - now_ps) / period->ps);
}

/* Something of communication and something beside fall together at the end of
 * @n periods. */
static gboolean fall_together(const Looker *looker, const GArray *others,
                              SimTime shift_ps)
{
    for (guint i = 0; i < others->len; i++) {
        uint64_t key = g_array_index(others, SimEvent, i).key;

        for (guint k = 0; k < looker->events->len; k++) {
            SimEvent event = g_array_index(looker->events, SimEvent, k);

            if (sim_engine_key(&event, shift_ps) == key)
                return TRUE;
        }
    }
    return FALSE;
}

/* Lets what is beside run on until the end of as many periods as can be
 * skipped, @n at most.  Events are out. */
static uint64_t run_beside(Steady *steady, const Period *period, uint64_t n)
{
    Looker *looker = &steady->looker;
    SimTime now_ps = sim_engine_now(steady->system->engine);
    g_autoptr(GArray) others = g_array_copy(looker->others);

    beside_note(steady->beside);
    for (guint tries = 0; n > 0 && tries < MOST_TRIES; tries++) {
        SimTime seen_ps =
            beside_run(steady->beside, looker->others, now_ps + n * period->ps);
        gboolean fits = seen_ps == SIM_TIME_MAX &&
                        !fall_together(looker, looker->others, n * period->ps);

        sim_engine_set_now(steady->system->engine, now_ps);
        if (fits && steady->mode != SKIP_CHECK)
            return n;
        beside_go_back(steady->beside);
        g_array_set_size(looker->others, 0);
        g_array_append_vals(looker->others, others->data, others->len);
        if (fits)
            return n;
        n = seen_ps == SIM_TIME_MAX ? n - 1
                                    : (seen_ps - 1 - now_ps) / period->ps;
    }
    return 0;
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

    look_move(&steady->looker, shift_ps, n, period->grows);
    sim_engine_set_now(system->engine,
                       sim_engine_now(system->engine) + shift_ps);
    coll->n_chunks -= (uint32_t)n_chunks;
    coll->payload_bytes -= n_chunks * coll->cut->chunk_bytes;
    steady->guess.last_ps += shift_ps;
}

/* As many of @period as can be, from @look on; TRUE: some were. */
static gboolean try_to_skip(Steady *steady, const Period *period,
                            CollInstance *coll, Look **look)
{
    uint64_t n = n_by_chunks(steady, period, coll);

    if (n > 0)
        n = run_beside(steady, period, n);
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

/* Of two looks that are equal. */
static Period *period_new(const Look *from, const Look *to, uint32_t n_chunks)
{
    Period *period = g_new0(Period, 1);

    period->ps = to->at_ps - from->at_ps;
    period->n_chunks = n_chunks;
    period->grows = g_array_new(FALSE, FALSE, sizeof(SimWide));
    for (guint i = 0; i < to->counts->len; i++) {
        SimWide grows = g_array_index(to->counts, SimWide, i) -
                        g_array_index(from->counts, SimWide, i);

        g_array_append_val(period->grows, grows);
    }
    return period;
}

/* A look at the same collective that was equal, and nothing from outside has
 * come since; NULL: there is none. */
static Look *find_equal(const Steady *steady, const Look *look)
{
    for (guint i = steady->looks_made->len; i > 0; i--) {
        Look *before = g_ptr_array_index(steady->looks_made, i - 1);

        if (look_equals(before, look) && look_lasts(before, look) &&
            before->at_ps < look->at_ps)
            return before;
    }
    return NULL;
}

static const Period *known_period(const Steady *steady, const Look *look)
{
    for (guint i = 0; i < steady->periods->len; i++) {
        const Period *period = g_ptr_array_index(steady->periods, i);

        if (look_equals(period->look, look))
            return period;
    }
    return NULL;
}

/* Looks are of use as long as they are of one collective. */
static const Period *find_period(Steady *steady, const Look *look)
{
    const Period *known = known_period(steady, look);
    Look *before;
    Period *period;

    if (known)
        return known;
    before = find_equal(steady, look);
    if (!before)
        return NULL;
    if (steady->periods->len == MOST_PERIODS)
        g_ptr_array_remove_index(steady->periods, 0);
    period = period_new(before, look, (uint32_t)(look->next - before->next));
    period->look = look_copy(before);
    g_ptr_array_add(steady->periods, period);
    return period;
}

static void rest(Steady *steady)
{
    g_ptr_array_set_size(steady->looks_made, 0);
    guess_rest(&steady->guess, steady->rest);
    steady->rest = MIN(2 * steady->rest, MOST_REST);
}

static void keep(Steady *steady, Look *look)
{
    g_ptr_array_add(steady->looks_made, look);
    if (steady->looks_made->len == MOST_LOOKS)
        rest(steady);
}

static void look_and_skip(Steady *steady, CollInstance *coll)
{
    Look *look = look_at(&steady->looker, coll, steady->guess.n);
    const Period *period;

    if (!look) {
        g_ptr_array_set_size(steady->looks_made, 0);
        guess_rest(&steady->guess, LEAST_REST);
        return;
    }
    period = find_period(steady, look);
    if (!period) {
        keep(steady, look);
        return;
    }
    if (try_to_skip(steady, period, coll, &look))
        steady->rest = LEAST_REST;
    rest(steady);
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

/* ---- when ---------------------------------------------------------------- */

/* The collective has more to take in, and so is there. */
static gboolean is_under_way(const Steady *steady)
{
    return g_ptr_array_find(steady->system->npus[0].pending, steady->coll,
                            NULL);
}

static void on_look(gpointer self, uint32_t arg, uint64_t now_ps)
{
    Steady *steady = self;
    Looker *looker = &steady->looker;
    SimEngine *engine = steady->system->engine;
    SimTime shift_ps;

    (void)arg;
    steady->looks = FALSE;
    looker_take_events(looker);
    if (steady->foretold.at_ps == now_ps)
        check_foretold(steady);
    else if (steady->foretold.at_ps == 0 && is_under_way(steady))
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

void steady_chunk_ends(Steady *steady, CollInstance *coll)
{
    SimEngine *engine = steady->system->engine;
    SimTime now_ps = sim_engine_now(engine);
    uint32_t period = guess_add(&steady->guess, now_ps);

    if (steady->coll != coll)
        g_ptr_array_set_size(steady->looks_made, 0);
    steady->coll = coll;
    if (steady->looks || period == 0 || steady->foretold.at_ps > 0 ||
        steady->guess.n < steady->next_look)
        return;
    steady->looks = TRUE;
    steady->next_look = steady->guess.n + period;
    sim_engine_at(engine, now_ps, SIM_PHASE_SAMPLE, on_look, steady, 0);
}
