/* region_division.c - divides a system into regions, if that is possible */
#include "models/run/on_demand/first_link_of_steps.h"
#include "models/run/regions/regions_impl.h"
#include "models/run/wait_causes_impl.h"

/* ---- conditions --------------------------------------------------------- */

static gboolean some_op_is_recorded(const OpGraph *graph)
{
    for (guint i = 0; i < graph->ops->len; i++)
        if (op_graph_op(graph, i)->is_recorded)
            return TRUE;
    return FALSE;
}

static gboolean some_switch_reduces(const System *system)
{
    for (uint32_t d = 0; d < topology_n_dims(system->plan.topology); d++)
        if (topology_in_switch_adder(system->plan.topology, d))
            return TRUE;
    return FALSE;
}

static gboolean system_can_be_divided(const System *system)
{
    return symmetry_fold_simulates_all_ends(system->plan.fold) &&
           !system->state.multi_program && !system->state.communicators &&
           !system->state.lanes && !system->state.stages &&
           !system->plan.job_of_role && !system->plan.may_run_ahead &&
           !graph_has_wait_causes(system->plan.graph) &&
           system->plan.config->collectives.fidelity == FIDELITY_MESSAGE &&
           topology_n_limits(system->plan.topology) == 0 &&
           !some_switch_reduces(system) &&
           !some_op_is_recorded(system->plan.graph);
}

/* ---- look-ahead --------------------------------------------------------- */

/* Returns whether the node at the end of @link is in another region.  A
 * forwarder belongs to none, so a link to it counts as leading away. */
static gboolean link_leads_to_other_region(const System *system, uint32_t link)
{
    const Regions *regions = system->regions;
    uint32_t to = topology_link_target(system->plan.topology, link);

    if (to == TOPOLOGY_NONE)
        return FALSE;
    return to >= topology_n_npus(system->plan.topology) ||
           region_number_of_unit(regions, to / regions->unit_ends) !=
               region_number_of_unit(regions, link / regions->n_ports);
}

/* Returns the look-ahead: the smallest latency of a link between regions. */
static SimTime min_latency_between_regions_ps(const System *system)
{
    SimTime least_ps = SIM_ENGINE_MAX_PS;

    for (uint32_t lane = 0; lane < topology_n_links(system->plan.topology);
         lane++)
        if (link_leads_to_other_region(system, lane))
            least_ps =
                MIN(least_ps, topology_get_port(system->plan.topology,
                                                lane % system->regions->n_ports)
                                  ->latency_ps);
    return least_ps;
}

/* ---- construction ------------------------------------------------------- */

/* Returns the System of region @i, which shares with @whole all that a run does
 * not change. */
static System *make_system_of_region(System *whole, uint32_t i,
                                     void (*make_network)(System *part))
{
    System *part = whole;

    if (i > 0) {
        part = g_memdup2(whole, sizeof *whole);
        part->region = i;
        part->state.engine = sim_engine_new();
        part->state.watch.engine = part->state.engine;
        part->state.consensus =
            (AdmissionConsensus){ .engine = part->state.engine };
        part->state.arrived = g_new(Npu *, whole->plan.n_sim);
        part->state.demands = kernel_demands_new(
            &whole->plan.config->platform.npu, whole->plan.graph->works->len);
        make_network(part);
    }
    part->counters.communicated = g_array_new(FALSE, FALSE, sizeof(SystemSpan));
    part->state.consensus.others = &regions_admission_ops;
    part->state.consensus.self = part;
    network_set_early_delivery_callback(part->state.network,
                                        region_queue_deliver_early);
    network_set_leave_region_callback(part->state.network,
                                      region_queue_move_if_link_is_elsewhere);
    return part;
}

/* Returns the first unit of region @i, or n_units for @i = n. */
static uint32_t first_unit_of_region(const Regions *regions, uint32_t i)
{
    return (uint32_t)(((uint64_t)i * regions->n_units + regions->n - 1) /
                      regions->n);
}

static void init_region(Region *region, Regions *regions, System *part)
{
    uint32_t first = first_unit_of_region(regions, part->region);
    uint32_t n = first_unit_of_region(regions, part->region + 1) - first;

    g_assert(n > 0 && region_number_of_unit(regions, first) == part->region &&
             region_number_of_unit(regions, first + n - 1) == part->region);
    region->system = part;
    region->first_npu = first * regions->unit_ends;
    region->n_npus = n * regions->unit_ends;
    region->first_link = first * regions->n_ports;
    region->n_links = n * regions->n_ports;
    atomic_init(&region->clock_ps, 0);
    atomic_init(&region->barrier_ps, SIM_TIME_MAX);
    atomic_init(&region->n_queued, 0);
    pthread_mutex_init(&region->lock, NULL);
    region->queued = g_array_new(FALSE, FALSE, sizeof(RegionMessage));
    region->delivering = g_array_new(FALSE, FALSE, sizeof(RegionMessage));
    region->sent = g_new(GArray *, regions->n);
    for (uint32_t i = 0; i < regions->n; i++)
        region->sent[i] = g_array_new(FALSE, FALSE, sizeof(RegionMessage));
}

static Regions *regions_new(const System *system, uint32_t n)
{
    Regions *regions = g_new0(Regions, 1);

    pthread_mutex_init(&regions->lock, NULL);
    pthread_mutex_init(&regions->sleep_lock, NULL);
    pthread_cond_init(&regions->changed, NULL);
    atomic_init(&regions->wanted_ps, SIM_TIME_MAX);
    regions->unit_ends =
        topology_get_symmetry(system->plan.topology)->unit_ends;
    regions->n_units = system->plan.n_sim / regions->unit_ends;
    regions->n_ports = topology_n_ports(system->plan.topology);
    regions->n = MIN(MIN(n, RUN_MOST_THREADS), regions->n_units);
    return regions;
}

/* Reserves slots for all chunks that can be in flight.  Usually each chunk is
 * in flight on some NPU; chunks of unrelated groups may need more, hence twice
 * as many. */
static void reserve_chunk_slots(System *system)
{
    Regions *regions = system->regions;
    uint64_t n = MIN(system->plan.n_sim * system->plan.window, G_MAXUINT / 4);

    regions->n_chunks = (guint)n;
    g_ptr_array_unref(system->state.chunks);
    system->state.chunks = g_ptr_array_sized_new(2 * regions->n_chunks);
}

/*
 * Two threads are used automatically only if the run is long, cannot be skipped
 * in parts, and gives each thread enough work between two waits.  That work
 * grows with the number of NPUs and with the look-ahead.  Time relative to one
 * thread, measured with one slow NPU or jitter: 6 at 12 NPUs x 10 ns, 0.9 at 64
 * x 300 ns (on a busy machine), 0.75 at 64 x 400 ns (busy as well), 0.55 at 512
 * x 400 ns.
 */
#define LEAST_AHEAD_PS   5000 /* assumed: with less, threads only wait */
#define AUTO_THREADS     2
#define AUTO_LEAST_HOPS  1000000
#define AUTO_LEAST_AHEAD (64 * UINT64_C(100000)) /* number of NPUs x ps */

static gboolean threads_are_worth_their_cost(const System *system)
{
    const Regions *regions = system->regions;

    return g_get_num_processors() >= AUTO_THREADS &&
           !perturb_is_none(&system->plan.config->perturb) &&
           system_estimate_size(system).n_hops >= AUTO_LEAST_HOPS &&
           regions->lookahead_ps >= AUTO_LEAST_AHEAD / system->plan.n_sim;
}

void regions_divide(System *system, uint32_t n_threads,
                    void (*make_network)(System *part),
                    NetworkEarlyDeliveryFn foresee)
{
    gboolean is_auto = n_threads == RUN_THREADS_AUTO;
    Regions *regions;

    if (n_threads == 1 || !system_can_be_divided(system))
        return;
    regions = regions_new(system, is_auto ? AUTO_THREADS : n_threads);
    system->regions = regions;
    regions->lookahead_ps = min_latency_between_regions_ps(system);
    if (regions->n < 2 || regions->lookahead_ps < LEAST_AHEAD_PS ||
        (is_auto && !threads_are_worth_their_cost(system))) {
        g_clear_pointer(&system->regions, regions_free);
        return;
    }
    regions->foresee = foresee;
    reserve_chunk_slots(system);
    regions->regions =
        cache_lines_alloc_zeroed(regions->n * sizeof *regions->regions);
    for (uint32_t i = 0; i < regions->n; i++)
        init_region(&regions->regions[i], regions,
                    make_system_of_region(system, i, make_network));
}

static void clear_region(Region *region, const Regions *regions)
{
    System *part = region->system;

    pthread_mutex_destroy(&region->lock);
    g_array_unref(region->queued);
    g_array_unref(region->delivering);
    for (uint32_t i = 0; i < regions->n; i++)
        g_array_unref(region->sent[i]);
    g_free(region->sent);
    if (part->region == 0)
        return;
    network_free(part->state.network);
    kernel_demands_free(part->state.demands);
    step_links_table_free(part->state.step_links);
    sim_engine_free(part->state.engine);
    g_free(part->state.arrived);
    g_array_unref(part->counters.communicated);
    g_free(part);
}

void regions_free(Regions *regions)
{
    if (!regions)
        return;
    for (uint32_t i = 0; regions->regions && i < regions->n; i++)
        clear_region(&regions->regions[i], regions);
    cache_lines_free(regions->regions);
    pthread_cond_destroy(&regions->changed);
    pthread_mutex_destroy(&regions->sleep_lock);
    pthread_mutex_destroy(&regions->lock);
    g_free(regions);
}

System *region_system_of_npu(const System *system, uint32_t index)
{
    const Regions *regions = system->regions;

    return regions
        ->regions[region_number_of_unit(regions, index / regions->unit_ends)]
        .system;
}

uint32_t system_n_threads(const System *system)
{
    return system->regions ? system->regions->n : 1;
}

gboolean system_needs_one_thread(const System *system)
{
    return system->regions && atomic_load(&system->regions->gives_up);
}
