/* region_threads.c - runs one thread per region */
#include "models/run/regions/regions_impl.h"
#include "models/run/training_impl.h"
#include "sim/host/signal_stack.h"

/* Number of events after which a region publishes its clock.  Each publication
 * costs the other threads a cache miss; with more events they wait longer. 128
 * took 7 % less time than 32 (MobileNet on 8x8x8, two threads, median of
 * nine). */
#define EVENTS_A_TIME 128

/* Runs up to EVENTS_A_TIME events before the safe time of @region.
 * Returns FALSE if none is before it. */
static gboolean run_events_within_safe_time(Regions *regions, Region *region)
{
    SimEngine *engine = region->system->state.engine;
    SimTime safe_ps = lbts_safe_time_ps(regions, region);
    gboolean is_all;

    /* The safe time was computed first: a message that arrives after this call
     * is due after it. */
    region_queue_receive_all(region);
    if (safe_ps <= atomic_load(&region->clock_ps))
        return FALSE;
    region->n_events +=
        sim_engine_run_before(engine, safe_ps, EVENTS_A_TIME, &is_all);
    lbts_publish(region, is_all ? safe_ps : sim_engine_now_ps(engine));
    return TRUE;
}

static gpointer run_thread_of_region(gpointer data)
{
    Region *region = data;
    Regions *regions = region->system->regions;
    g_autofree guint8 *stack = g_malloc(SIGNAL_STACK_BYTES);

    signal_stack_begin(stack);
    while (!atomic_load(&regions->is_over))
        if (!run_events_within_safe_time(regions, region))
            lbts_wait_until_region_can_continue(regions, region);
    signal_stack_end();
    return NULL;
}

/* State of the progress report.  The caller's thread, which runs region 0,
 * makes it for all regions. */
typedef struct {
    System *whole;
    uint64_t n_max, n_reported;
    RegionsTellFn report_progress;
    gpointer self;
} ProgressReport;

static gboolean report_progress(ProgressReport *report, GError **error)
{
    const Regions *regions = report->whole->regions;
    uint64_t n = regions->regions[0].n_events;

    if (!report->report_progress ||
        (n - report->n_reported) * regions->n < report->n_max)
        return TRUE;
    report->n_reported = n;
    return report->report_progress(report->self, report->whole, n * regions->n,
                                   error);
}

static gboolean run_first_region(ProgressReport *report, GError **error)
{
    Regions *regions = report->whole->regions;
    Region *region = &regions->regions[0];

    while (!atomic_load(&regions->is_over)) {
        if (!run_events_within_safe_time(regions, region))
            lbts_wait_until_region_can_continue(regions, region);
        if (!report_progress(report, error)) {
            lbts_end_run(regions);
            return FALSE;
        }
    }
    return TRUE;
}

/* Starts a thread for each region but the first, and returns their number.
 * Gives the run up if a thread cannot be started. */
static guint start_threads_of_other_regions(Regions *regions, GThread **threads)
{
    guint n = 0;

    for (uint32_t i = 1; i < regions->n && n + 1 == i; i++) {
        threads[n] = g_thread_try_new("region", run_thread_of_region,
                                      &regions->regions[i], NULL);
        n += threads[n] != NULL;
    }
    if (n + 1 < regions->n)
        regions_give_up(regions);
    return n;
}

static int compare_spans_by_begin(gconstpointer a, gconstpointer b)
{
    const SystemSpan *span = a, *y = b;

    return span->from_ps < y->from_ps ? -1 : span->from_ps > y->from_ps;
}

/* Returns the time during which any region had an NPU at a collective: the
 * length of the union of all spans. */
static SimTime time_with_any_collective_ps(const Regions *regions)
{
    g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(SystemSpan));
    SimTime sum_ps = 0, until_ps = 0;

    for (uint32_t i = 0; i < regions->n; i++) {
        const GArray *of = regions->regions[i].system->counters.communicated;

        g_array_append_vals(all, of->data, of->len);
    }
    g_array_sort(all, compare_spans_by_begin);
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

static void sum_counters_of_regions(System *whole)
{
    Regions *regions = whole->regions;

    for (uint32_t i = 0; i < regions->n; i++) {
        const System *part = regions->regions[i].system;

        whole->counters.n_events += regions->regions[i].n_events;
        whole->counters.most_in_flight =
            MAX(whole->counters.most_in_flight, part->counters.most_in_flight);
        g_assert(network_is_empty(part->state.network));
        if (i > 0)
            network_add_stats(whole->state.network, part->state.network);
    }
    whole->counters.communicated_ps = time_with_any_collective_ps(regions);
}

/* Returns whether the run came to its end.  Otherwise one thread has to say why
 * not. */
static gboolean all_regions_ended_normally(const System *whole)
{
    const Regions *regions = whole->regions;

    if (atomic_load(&regions->gives_up))
        return FALSE;
    for (uint32_t i = 0; i < regions->n; i++)
        if (sim_engine_exceeded_time_range(
                regions->regions[i].system->state.engine))
            return FALSE;
    for (uint32_t i = 0; i < whole->plan.n_sim; i++)
        if (!training_is_done(whole->state.npus[i].training))
            return FALSE;
    return TRUE;
}

gboolean regions_run_threads(System *whole, uint64_t n_max, RegionsTellFn tell,
                             gpointer self, GError **error)
{
    Regions *regions = whole->regions;
    GThread *threads[RUN_MOST_THREADS];
    ProgressReport progress = { whole, n_max, 0, tell, self };
    guint n = start_threads_of_other_regions(regions, threads);
    gboolean ok = run_first_region(&progress, error);

    for (guint i = 0; i < n; i++)
        (void)g_thread_join(threads[i]);
    if (ok && !all_regions_ended_normally(whole)) {
        regions_give_up(regions);
        g_set_error(error, SYSTEM_ERROR, SYSTEM_ERROR_STALLED,
                    "the run has to be made by one thread");
        ok = FALSE;
    }
    if (ok)
        sum_counters_of_regions(whole);
    return ok;
}
