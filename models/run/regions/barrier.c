/*
 * barrier.c - decides admissions at the end of an instant, for all regions
 *
 * The first of the regions that are at the end of the instant decides, once all
 * other regions have passed it.  The decision also covers the other regions
 * that are there, which wait meanwhile.
 */
#include "models/run/regions/region_locks.h"
#include "models/run/regions/regions_impl.h"

/* Returns whether @region waits at the end of @ps. */
static gboolean is_there(const Region *region, SimTime ps)
{
    return atomic_load(&region->barrier_ps) == ps;
}

static gboolean is_first(const Regions *regions, const Region *region,
                         SimTime ps)
{
    for (const Region *r = regions->of; r < region; r++)
        if (is_there(r, ps))
            return FALSE;
    return TRUE;
}

/* Decides for all regions that wait at the end of @ps, and lets them go on. */
static void decide(Regions *regions, SimTime ps)
{
    AdmissionConsensus *consensuses[RUN_MOST_THREADS];
    guint n = 0;

    for (uint32_t i = 0; i < regions->n; i++)
        if (is_there(&regions->of[i], ps))
            consensuses[n++] = &regions->of[i].system->state.consensus;
    admission_decide_all_requests(consensuses, n);
    for (uint32_t i = 0; i < regions->n; i++)
        if (is_there(&regions->of[i], ps))
            atomic_store(&regions->of[i].barrier_ps, SIM_TIME_MAX);
    lbts_notify(regions);
}

/* Returns whether the decision has been made, or @region has to make it. */
static gboolean is_its_turn(Regions *regions, Region *region, SimTime ps)
{
    return !is_there(region, ps) || (lbts_have_passed(regions, region, ps) &&
                                     is_first(regions, region, ps));
}

/* Decides the admissions of this instant.  If no NPU that asked here has free
 * capacity, the region need not wait for the decisions of others. */
static void settle(gpointer self)
{
    System *system = self;
    Regions *regions = system->regions;
    Region *region = region_of(system);
    SimTime now_ps = sim_engine_now_ps(system->state.engine);
    AdmissionConsensus *consensus = &system->state.consensus;

    if (!admission_has_request_with_room(consensus)) {
        admission_decide_all_requests(&consensus, 1);
        return;
    }
    lbts_publish(region, now_ps);
    atomic_store(&region->barrier_ps, now_ps);
    lbts_notify(regions);
    lbts_wait_until(regions, region, is_its_turn, now_ps, now_ps + 1);
    if (is_there(region, now_ps) && !atomic_load(&regions->ends))
        decide(regions, now_ps);
}

static void catch_up(gpointer self)
{
    const System *system = self;

    lbts_wait(system->regions, region_of(system),
              sim_engine_now_ps(system->state.engine));
}

static void cannot(gpointer self)
{
    const System *system = self;

    regions_give_up(system->regions);
}

const AdmissionRegionsOps regions_admission_ops = { catch_up, settle, cannot };

void regions_check_room_for(const System *system)
{
    if (system->state.chunks->len >= system->regions->n_chunks)
        regions_give_up(system->regions);
}
