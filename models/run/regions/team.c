/* team.c - a thread a region, from the first event to the last */
#include "models/run/regions/regions_impl.h"
#include "models/run/training_impl.h"
#include "sim/host/thread_stack.h"

/* Events after which others are told how far it is.  Each time they miss what
 * they look at; with more they wait longer.  128 took 7 % less than 32
 * (MobileNet on 8x8x8, two threads, median of nine). */
#define EVENTS_A_TIME 128

/* What is in reach, or some of it; FALSE: there is nothing. */
static gboolean go_on(Regions *regions, Region *region)
{
    SimEngine *engine = region->system->engine;
    SimTime reach_ps = clocks_reach(regions, region);
    gboolean is_all;

    mail_take(region); /* after that: what is yet to come comes later */
    if (reach_ps <= atomic_load(&region->clock_ps))
        return FALSE;
    region->n_events +=
        sim_engine_run_before(engine, reach_ps, EVENTS_A_TIME, &is_all);
    clocks_tell(region, is_all ? reach_ps : sim_engine_now(engine));
    return TRUE;
}

static gpointer run_other(gpointer data)
{
    Region *region = data;
    Regions *regions = region->system->regions;
    g_autofree guint8 *stack = g_malloc(THREAD_STACK_BYTES);

    thread_stack_begin(stack);
    while (!atomic_load(&regions->ends))
        if (!go_on(regions, region))
            clocks_wait_for_more(regions, region);
    thread_stack_end();
    return NULL;
}

/* Who tells others how far all are, does it for the region that he runs. */
typedef struct {
    System *whole;
    uint64_t n_max, n_told;
    RegionsTellFn tell;
    gpointer self;
} Telling;

static gboolean tell_of(Telling *t, GError **error)
{
    const Regions *regions = t->whole->regions;
    uint64_t n = regions->of[0].n_events;

    if (!t->tell || (n - t->n_told) * regions->n < t->n_max)
        return TRUE;
    t->n_told = n;
    return t->tell(t->self, t->whole, n * regions->n, error);
}

static gboolean run_first(Telling *t, GError **error)
{
    Regions *regions = t->whole->regions;
    Region *region = &regions->of[0];

    while (!atomic_load(&regions->ends)) {
        if (!go_on(regions, region))
            clocks_wait_for_more(regions, region);
        if (!tell_of(t, error)) {
            clocks_end(regions);
            return FALSE;
        }
    }
    return TRUE;
}

/* Without threads it is given up. */
static guint start_others(Regions *regions, GThread **threads)
{
    guint n = 0;

    for (uint32_t i = 1; i < regions->n && n + 1 == i; i++) {
        threads[n] =
            g_thread_try_new("region", run_other, &regions->of[i], NULL);
        n += threads[n] != NULL;
    }
    if (n + 1 < regions->n)
        regions_give_up(regions);
    return n;
}

static int by_begin(gconstpointer a, gconstpointer b)
{
    const SystemSpan *x = a, *y = b;

    return x->from_ps < y->from_ps ? -1 : x->from_ps > y->from_ps;
}

/* The time in which any region had an NPU at a collective. */
static SimTime communicated_ps(const Regions *regions)
{
    g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(SystemSpan));
    SimTime sum_ps = 0, until_ps = 0;

    for (uint32_t i = 0; i < regions->n; i++) {
        const GArray *of = regions->of[i].system->communicated;

        g_array_append_vals(all, of->data, of->len);
    }
    g_array_sort(all, by_begin);
    for (guint i = 0; i < all->len; i++) {
        SystemSpan span = g_array_index(all, SystemSpan, i);
        SimTime from_ps = MAX(span.from_ps, until_ps);

        if (span.to_ps <= from_ps)
            continue;
        sum_ps += span.to_ps - from_ps;
        until_ps = span.to_ps;
    }
    return sum_ps;
}

static void add_up(System *whole)
{
    Regions *regions = whole->regions;

    for (uint32_t i = 0; i < regions->n; i++) {
        const System *part = regions->of[i].system;

        whole->n_events += regions->of[i].n_events;
        whole->most_in_flight =
            MAX(whole->most_in_flight, part->most_in_flight);
        g_assert(network_is_empty(part->network));
        if (i > 0)
            network_add_stats(whole->network, part->network);
    }
    whole->communicated_ps = communicated_ps(regions);
}

/* Else one thread has to say why not. */
static gboolean is_done(const System *whole)
{
    const Regions *regions = whole->regions;

    if (atomic_load(&regions->gives_up))
        return FALSE;
    for (uint32_t i = 0; i < regions->n; i++)
        if (sim_engine_is_past_range(regions->of[i].system->engine))
            return FALSE;
    for (uint32_t i = 0; i < whole->n_sim; i++)
        if (!training_is_done(whole->npus[i].training))
            return FALSE;
    return TRUE;
}

gboolean regions_run(System *whole, uint64_t n_max, RegionsTellFn tell,
                     gpointer self, GError **error)
{
    Regions *regions = whole->regions;
    GThread *threads[SYSTEM_MOST_THREADS];
    Telling telling = { whole, n_max, 0, tell, self };
    guint n = start_others(regions, threads);
    gboolean ok = run_first(&telling, error);

    for (guint i = 0; i < n; i++)
        (void)g_thread_join(threads[i]);
    if (ok && !is_done(whole)) {
        regions_give_up(regions);
        g_set_error(error, SYSTEM_ERROR, SYSTEM_ERROR_STALLED,
                    "the run has to be made by one thread");
        ok = FALSE;
    }
    if (ok)
        add_up(whole);
    return ok;
}
