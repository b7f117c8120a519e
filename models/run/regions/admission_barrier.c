/*
 * admission_barrier.c - decides admissions at the end of an instant, for all
 * regions
 *
 * The first of the regions that are at the end of the instant decides, once all
 * other regions have passed it.  The decision also covers the other regions
 * that are there, which wait meanwhile.
 */
#include "models/run/regions/region_locks.h"
#include "models/run/regions/regions_impl.h"

/* Returns whether @region waits at the end of @ps. */
static gboolean region_waits_at_end_of_instant(const Region *region, SimTime ps)
{
    return atomic_load(&region->barrier_ps) == ps;
}

static gboolean region_is_first_at_barrier(const Regions *regions,
                                           const Region *region, SimTime ps)
{
    for (const Region *r = regions->regions; r < region; r++)
        if (region_waits_at_end_of_instant(r, ps))
            return FALSE;
    return TRUE;
}

/* Decides for all regions that wait at the end of @ps, and releases them. */
static void decide_admissions_of_waiting_regions(Regions *regions, SimTime ps)
{
    AdmissionConsensus *consensuses[RUN_MOST_THREADS];
    guint n = 0;

    for (uint32_t i = 0; i < regions->n; i++)
        if (region_waits_at_end_of_instant(&regions->regions[i], ps))
            consensuses[n++] = &regions->regions[i].system->state.consensus;
    admission_decide_all_requests(consensuses, n);
    for (uint32_t i = 0; i < regions->n; i++)
        if (region_waits_at_end_of_instant(&regions->regions[i], ps))
            atomic_store(&regions->regions[i].barrier_ps, SIM_TIME_MAX);
    lbts_notify(regions);
}

/* Returns whether the decision has been made, or @region has to make it. */
static gboolean region_has_decision_or_makes_it(Regions *regions,
                                                Region *region, SimTime ps)
{
    return !region_waits_at_end_of_instant(region, ps) ||
           (lbts_others_have_passed(regions, region, ps) &&
            region_is_first_at_barrier(regions, region, ps));
}

/* Decides the admissions of this instant.  If no NPU that asked here has free
 * capacity, the region need not wait for the decisions of others. */
static void decide_admissions_of_instant(gpointer self)
{
    System *system = self;
    Regions *regions = system->regions;
    Region *region = region_of_system(system);
    SimTime now_ps = sim_engine_now_ps(system->state.engine);
    AdmissionConsensus *consensus = &system->state.consensus;

    if (!admission_has_request_with_room(consensus)) {
        admission_decide_all_requests(&consensus, 1);
        return;
    }
    lbts_publish(region, now_ps);
    atomic_store(&region->barrier_ps, now_ps);
    lbts_notify(regions);
    lbts_wait_until(regions, region, region_has_decision_or_makes_it, now_ps,
                    now_ps + 1);
    if (region_waits_at_end_of_instant(region, now_ps) &&
        !atomic_load(&regions->is_over))
        decide_admissions_of_waiting_regions(regions, now_ps);
}

static void wait_for_clocks_of_others(gpointer self)
{
    const System *system = self;

    lbts_wait_for_clocks_of_others(system->regions, region_of_system(system),
                                   sim_engine_now_ps(system->state.engine));
}

static void give_up_run(gpointer self)
{
    const System *system = self;

    regions_give_up(system->regions);
}

const AdmissionRegionsOps regions_admission_ops = {
    wait_for_clocks_of_others, decide_admissions_of_instant, give_up_run
};

void regions_stop_run_if_chunk_slots_are_full(const System *system)
{
    if (system->state.chunks->len >= system->regions->n_chunks)
        regions_give_up(system->regions);
}
