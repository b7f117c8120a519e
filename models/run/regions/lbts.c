/*
 * lbts.c - lower bounds on time stamps, and waiting for other regions
 *
 * A region's clock is a lower bound on the time of its future events:
 * everything before it has happened.  A region publishes its clock before it
 * waits at an instant.  So among regions that wait for each other, the one with
 * the smallest clock can continue, and there is no deadlock.
 *
 * If no event is near anywhere, clocks would creep up by the look-ahead.  So a
 * region that has waited for a while declares itself idle.  When all regions
 * are idle and no message is in a queue, all clocks jump to the next event.
 */
#include "models/run/regions/regions_impl.h"

#include "models/run/regions/region_locks.h"

/* ---- waiting ------------------------------------------------------------ */

/* Most waits end within a tenth of a millisecond, about the time that a sleeper
 * needs to wake up.  So the condition is polled for a while before the thread
 * sleeps.  Now and then the processor is yielded, since the thread waited for
 * may need it. `make race` defines LOOKS_MOST so that threads sleep at once. */
#ifndef LOOKS_MOST
#define LOOKS_MOST 16384 /* assumed: takes half a millisecond */
#endif
#define LOOKS_BUSY 64 /* assumed: 2 us */

static inline void pause_processor_briefly(void)
{
#if defined __x86_64__
    __builtin_ia32_pause();
#endif
    atomic_signal_fence(memory_order_seq_cst);
}

static gboolean run_has_ended(const Regions *regions)
{
    return atomic_load(&regions->is_over);
}

static void update_earliest_wanted_clock(Regions *regions)
{
    SimTime least_ps = SIM_TIME_MAX;

    for (const GSList *s = regions->sleepers; s; s = s->next)
        least_ps = MIN(least_ps, *(const SimTime *)s->data);
    atomic_store(&regions->wanted_ps, least_ps);
}

/* The sleeper sets .wanted_ps before it reads the condition, and another thread
 * changes the condition before it reads .wanted_ps.  So either the sleeper sees
 * the change, or it is woken.  The thread that decides for all regions may wait
 * on behalf of a region whose own thread sleeps, so a region may have two
 * sleepers. */
static void sleep_until_condition(Regions *regions, Region *region,
                                  LbtsFn is_so, SimTime ps, SimTime wanted_ps)
{
    pthread_mutex_lock(&regions->sleep_lock);
    regions->sleepers = g_slist_prepend(regions->sleepers, &wanted_ps);
    update_earliest_wanted_clock(regions);
    while (!is_so(regions, region, ps) && !run_has_ended(regions))
        pthread_cond_wait(&regions->changed, &regions->sleep_lock);
    regions->sleepers = g_slist_remove(regions->sleepers, &wanted_ps);
    update_earliest_wanted_clock(regions);
    pthread_mutex_unlock(&regions->sleep_lock);
}

void lbts_wait_until(Regions *regions, Region *region, LbtsFn is_so, SimTime ps,
                     SimTime wanted_ps)
{
    for (guint n = 1; n <= LOOKS_MOST; n++) {
        if (is_so(regions, region, ps) || run_has_ended(regions))
            return;
        if (n % LOOKS_BUSY == 0)
            g_thread_yield();
        else
            pause_processor_briefly();
    }
    sleep_until_condition(regions, region, is_so, ps, wanted_ps);
}

static void wake_all_sleepers(Regions *regions)
{
    pthread_mutex_lock(&regions->sleep_lock);
    pthread_cond_broadcast(&regions->changed);
    pthread_mutex_unlock(&regions->sleep_lock);
}

void lbts_notify(Regions *regions)
{
    if (atomic_load(&regions->wanted_ps) != SIM_TIME_MAX)
        wake_all_sleepers(regions);
}

void lbts_end_run(Regions *regions)
{
    atomic_store(&regions->is_over, TRUE);
    lbts_notify(regions);
}

void regions_give_up(Regions *regions)
{
    atomic_store(&regions->gives_up, TRUE);
    lbts_end_run(regions);
}

/* ---- clocks ------------------------------------------------------------- */

static SimTime clock_of_region_ps(const Region *region)
{
    return atomic_load(&region->clock_ps);
}

void lbts_publish(Region *region, SimTime ps)
{
    Regions *regions = region->system->regions;

    if (ps <= atomic_load_explicit(&region->clock_ps, memory_order_relaxed))
        return;
    region_queue_send_all(region);
    atomic_store(&region->clock_ps, ps);
    if (atomic_load(&regions->wanted_ps) <= ps)
        wake_all_sleepers(regions);
}

/* Returns the smallest clock of all other regions. */
static SimTime min_clock_of_others_ps(const Regions *regions,
                                      const Region *region)
{
    SimTime least_ps = SIM_ENGINE_MAX_PS;

    for (uint32_t i = 0; i < regions->n; i++) {
        SimTime clock_ps =
            clock_of_region_ps(&regions->regions[i]); /* MIN() would load it
                                                       * twice */

        if (&regions->regions[i] != region)
            least_ps = MIN(least_ps, clock_ps);
    }
    return least_ps;
}

SimTime lbts_safe_time_ps(const Regions *regions, const Region *region)
{
    SimTime reach_ps =
        min_clock_of_others_ps(regions, region) + regions->lookahead_ps;

    return MIN(reach_ps, SIM_ENGINE_MAX_PS);
}

static gboolean others_have_reached(Regions *regions, Region *region,
                                    SimTime ps)
{
    return min_clock_of_others_ps(regions, region) >= ps;
}

void lbts_wait_for_clocks_of_others(Regions *regions, Region *region,
                                    SimTime ps)
{
    lbts_publish(region, ps);
    lbts_wait_until(regions, region, others_have_reached, ps, ps);
}

/* Returns whether @region is past @ps, or waits for the decision at its end. */
static gboolean region_has_passed(const Region *region, SimTime ps)
{
    return atomic_load(&region->barrier_ps) == ps ||
           clock_of_region_ps(region) > ps;
}

gboolean lbts_others_have_passed(const Regions *regions, const Region *region,
                                 SimTime ps)
{
    for (uint32_t i = 0; i < regions->n; i++)
        if (&regions->regions[i] != region &&
            !region_has_passed(&regions->regions[i], ps))
            return FALSE;
    return TRUE;
}

/* Returns whether all regions with smaller numbers have passed @ps. */
static gboolean earlier_regions_have_passed(Regions *regions, Region *region,
                                            SimTime ps)
{
    for (const Region *r = regions->regions; r < region; r++)
        if (!region_has_passed(r, ps))
            return FALSE;
    return TRUE;
}

void regions_wait_until_earlier_have_passed(const System *system)
{
    Regions *regions = system->regions;
    Region *region = region_of_system(system);
    SimTime now_ps = sim_engine_now_ps(system->state.engine);

    lbts_wait_for_clocks_of_others(regions, region, now_ps);
    lbts_wait_until(regions, region, earlier_regions_have_passed, now_ps,
                    now_ps + 1);
}

/* ---- idle regions ------------------------------------------------------- */

#define ENOUGH 4 /* assumed: runs are at least look-ahead / ENOUGH long */

/* Returns the clock that all others must reach before a waiting @region
 * continues.  It can then run at least a part of the look-ahead, and need not
 * wake up for each small step of the others. */
static SimTime clock_to_resume_at_ps(const Regions *regions,
                                     const Region *region)
{
    SimTime reach_ps =
        clock_of_region_ps(region) + regions->lookahead_ps / ENOUGH;

    reach_ps = MIN(reach_ps, SIM_ENGINE_MAX_PS);
    return reach_ps > regions->lookahead_ps ? reach_ps - regions->lookahead_ps
                                            : 0;
}

/* Returns whether @region can continue.  At the end of the range of time, only
 * messages in its queue can be left. */
static gboolean region_can_continue(Regions *regions, Region *region,
                                    SimTime ps)
{
    SimTime reach_ps = lbts_safe_time_ps(regions, region);

    (void)ps;
    if (reach_ps == SIM_ENGINE_MAX_PS && atomic_load(&region->n_queued) > 0)
        return TRUE;
    return reach_ps > clock_of_region_ps(region) &&
           min_clock_of_others_ps(regions, region) >=
               clock_to_resume_at_ps(regions, region);
}

/* Returns the time of the next event of all regions, or 0 if some region is not
 * idle or has messages in its queue. */
static SimTime next_event_of_all_regions_ps(const Regions *regions)
{
    SimTime next_ps = SIM_TIME_MAX;

    for (uint32_t i = 0; i < regions->n; i++) {
        const Region *region = &regions->regions[i];

        if (!region->is_idle || atomic_load(&region->n_queued) > 0)
            return 0;
        next_ps = MIN(next_ps, region->next_ps);
    }
    return next_ps;
}

/* Sets all clocks to @next_ps; ends the run if no event is left. */
static void advance_all_clocks_to(Regions *regions, SimTime next_ps)
{
    if (next_ps == SIM_TIME_MAX)
        lbts_end_run(regions); /* no event is left */
    for (uint32_t i = 0; i < regions->n && next_ps != SIM_TIME_MAX; i++)
        lbts_publish(&regions->regions[i], next_ps);
}

static void set_region_idle(Regions *regions, Region *region, gboolean is_idle)
{
    pthread_mutex_lock(&regions->lock);
    region->is_idle = is_idle;
    region->next_ps = sim_engine_next_event_ps(region->system->state.engine);
    if (is_idle)
        advance_all_clocks_to(regions, next_event_of_all_regions_ps(regions));
    pthread_mutex_unlock(&regions->lock);
}

#define LOOKS_UNTIL_IDLE 64

void lbts_wait_until_region_can_continue(Regions *regions, Region *region)
{
    for (guint n = 0; n < LOOKS_UNTIL_IDLE; n++) {
        if (region_can_continue(regions, region, 0) || run_has_ended(regions))
            return;
        pause_processor_briefly();
    }
    set_region_idle(regions, region, TRUE);
    lbts_wait_until(regions, region, region_can_continue, 0,
                    clock_to_resume_at_ps(regions, region));
    set_region_idle(regions, region, FALSE);
}

/* ---- state shared by all regions ---------------------------------------- */

void regions_lock_all(const Regions *regions)
{
    pthread_mutex_lock((pthread_mutex_t *)&regions->lock);
}

void regions_unlock_all(const Regions *regions)
{
    pthread_mutex_unlock((pthread_mutex_t *)&regions->lock);
}
