/*
 * clocks.c - how far each region has come, and who waits for whom
 *
 * A clock tells what is done: all that happens in the region before then.  Who
 * is at an instant has told it, so of those that wait for each other the one
 * that is least can go on, and nobody waits for ever.
 *
 * Where nothing is about to happen anywhere clocks would go up by the
 * look-ahead in turns.  So who has waited for a while says that he is idle;
 * when all are, and no letter is under way, all go to what happens next.
 */
#include "models/run/regions/regions_impl.h"

#include "models/run/regions/together.h"

/* ---- waiting -------------------------------------------------------------
 */

/* Most waits end within a tenth of a millisecond, as soon as who sleeps would
 * be awake.  So it is looked again and again for a while.  Now and then whoever
 * wants the processor has it in between: it may be the thread waited for.  With
 * `make race` nobody looks before he sleeps. */
#ifndef LOOKS_MOST
#define LOOKS_MOST 16384 /* assumed: half a millisecond where nobody does */
#endif
#define LOOKS_BUSY 64 /* assumed: 2 us */

static inline void relax(void)
{
#if defined __x86_64__
    __builtin_ia32_pause();
#endif
    atomic_signal_fence(memory_order_seq_cst);
}

static gboolean ends(const Regions *regions)
{
    return atomic_load(&regions->ends);
}

static void set_wanted(Regions *regions)
{
    SimTime least_ps = SIM_TIME_MAX;

    for (const GSList *s = regions->sleepers; s; s = s->next)
        least_ps = MIN(least_ps, *(const SimTime *)s->data);
    atomic_store(&regions->wanted_ps, least_ps);
}

/* Who changes something sees a sleeper, or that one sees the change.  The
 * thread that decides may sleep in the place of a region whose own is asleep.
 */
static void sleep_until(Regions *regions, Region *region, ClocksFn is_so,
                        SimTime ps, SimTime wanted_ps)
{
    pthread_mutex_lock(&regions->sleep_lock);
    regions->sleepers = g_slist_prepend(regions->sleepers, &wanted_ps);
    set_wanted(regions);
    while (!is_so(regions, region, ps) && !ends(regions))
        pthread_cond_wait(&regions->changed, &regions->sleep_lock);
    regions->sleepers = g_slist_remove(regions->sleepers, &wanted_ps);
    set_wanted(regions);
    pthread_mutex_unlock(&regions->sleep_lock);
}

void clocks_wait_until(Regions *regions, Region *region, ClocksFn is_so,
                       SimTime ps, SimTime wanted_ps)
{
    for (guint n = 1; n <= LOOKS_MOST; n++) {
        if (is_so(regions, region, ps) || ends(regions))
            return;
        if (n % LOOKS_BUSY == 0)
            g_thread_yield();
        else
            relax();
    }
    sleep_until(regions, region, is_so, ps, wanted_ps);
}

static void wake_all(Regions *regions)
{
    pthread_mutex_lock(&regions->sleep_lock);
    pthread_cond_broadcast(&regions->changed);
    pthread_mutex_unlock(&regions->sleep_lock);
}

void clocks_changed(Regions *regions)
{
    if (atomic_load(&regions->wanted_ps) != SIM_TIME_MAX)
        wake_all(regions);
}

void clocks_end(Regions *regions)
{
    atomic_store(&regions->ends, TRUE);
    clocks_changed(regions);
}

void regions_give_up(Regions *regions)
{
    atomic_store(&regions->gives_up, TRUE);
    clocks_end(regions);
}

/* ---- clocks -------------------------------------------------------------- */

static SimTime clock_of(const Region *region)
{
    return atomic_load(&region->clock_ps);
}

void clocks_tell(Region *region, SimTime ps)
{
    Regions *regions = region->system->regions;

    if (ps <= atomic_load_explicit(&region->clock_ps, memory_order_relaxed))
        return;
    mail_send(region);
    atomic_store(&region->clock_ps, ps);
    if (atomic_load(&regions->wanted_ps) <= ps)
        wake_all(regions);
}

static SimTime others_ps(const Regions *regions, const Region *region)
{
    SimTime least_ps = SIM_ENGINE_MAX_PS;

    for (uint32_t i = 0; i < regions->n; i++) {
        SimTime clock_ps = clock_of(&regions->of[i]); /* MIN() looks twice */

        if (&regions->of[i] != region)
            least_ps = MIN(least_ps, clock_ps);
    }
    return least_ps;
}

SimTime clocks_reach(const Regions *regions, const Region *region)
{
    SimTime reach_ps = others_ps(regions, region) + regions->ahead_ps;

    return MIN(reach_ps, SIM_ENGINE_MAX_PS);
}

static gboolean are_there(Regions *regions, Region *region, SimTime ps)
{
    return others_ps(regions, region) >= ps;
}

void clocks_wait(Regions *regions, Region *region, SimTime ps)
{
    clocks_tell(region, ps);
    clocks_wait_until(regions, region, are_there, ps, ps);
}

static gboolean has_passed(const Region *region, SimTime ps)
{
    return atomic_load(&region->settles_ps) == ps || clock_of(region) > ps;
}

gboolean clocks_have_passed(const Regions *regions, const Region *region,
                            SimTime ps)
{
    for (uint32_t i = 0; i < regions->n; i++)
        if (&regions->of[i] != region && !has_passed(&regions->of[i], ps))
            return FALSE;
    return TRUE;
}

static gboolean have_those_before(Regions *regions, Region *region, SimTime ps)
{
    for (const Region *r = regions->of; r < region; r++)
        if (!has_passed(r, ps))
            return FALSE;
    return TRUE;
}

void regions_wait_to_be_first(const System *system)
{
    Regions *regions = system->regions;
    Region *region = region_of(system);
    SimTime now_ps = sim_engine_now(system->engine);

    clocks_wait(regions, region, now_ps);
    clocks_wait_until(regions, region, have_those_before, now_ps, now_ps + 1);
}

/* ---- where nothing happens ----------------------------------------------- */

#define ENOUGH 4 /* assumed: a part of the look-ahead */

/* Who is as far ahead as he may be lets others come to this, so that he need
 * not wait for each of their steps. */
static SimTime enough_ps(const Regions *regions, const Region *region)
{
    SimTime reach_ps = clock_of(region) + regions->ahead_ps / ENOUGH;

    reach_ps = MIN(reach_ps, SIM_ENGINE_MAX_PS);
    return reach_ps > regions->ahead_ps ? reach_ps - regions->ahead_ps : 0;
}

/* At the end of the range letters are all that there may be. */
static gboolean has_more(Regions *regions, Region *region, SimTime ps)
{
    SimTime reach_ps = clocks_reach(regions, region);

    (void)ps;
    if (reach_ps == SIM_ENGINE_MAX_PS && atomic_load(&region->n_letters) > 0)
        return TRUE;
    return reach_ps > clock_of(region) &&
           others_ps(regions, region) >= enough_ps(regions, region);
}

/* What happens next anywhere; 0: somebody is not idle, or is about to be sent
 * something. */
static SimTime next_of_all(const Regions *regions)
{
    SimTime next_ps = SIM_TIME_MAX;

    for (uint32_t i = 0; i < regions->n; i++) {
        const Region *region = &regions->of[i];

        if (!region->is_idle || atomic_load(&region->n_letters) > 0)
            return 0;
        next_ps = MIN(next_ps, region->next_ps);
    }
    return next_ps;
}

static void go_to(Regions *regions, SimTime next_ps)
{
    if (next_ps == SIM_TIME_MAX)
        clocks_end(regions); /* nothing is left to happen */
    for (uint32_t i = 0; i < regions->n && next_ps != SIM_TIME_MAX; i++)
        clocks_tell(&regions->of[i], next_ps);
}

static void say_idle(Regions *regions, Region *region, gboolean is_idle)
{
    pthread_mutex_lock(&regions->lock);
    region->is_idle = is_idle;
    region->next_ps = sim_engine_next_ps(region->system->engine);
    if (is_idle)
        go_to(regions, next_of_all(regions));
    pthread_mutex_unlock(&regions->lock);
}

#define LOOKS_UNTIL_IDLE 64

void clocks_wait_for_more(Regions *regions, Region *region)
{
    for (guint n = 0; n < LOOKS_UNTIL_IDLE; n++) {
        if (has_more(regions, region, 0) || ends(regions))
            return;
        relax();
    }
    say_idle(regions, region, TRUE);
    clocks_wait_until(regions, region, has_more, 0, enough_ps(regions, region));
    say_idle(regions, region, FALSE);
}

/* ---- what is of all ------------------------------------------------------ */

void regions_lock_all(const Regions *regions)
{
    pthread_mutex_lock((pthread_mutex_t *)&regions->lock);
}

void regions_unlock_all(const Regions *regions)
{
    pthread_mutex_unlock((pthread_mutex_t *)&regions->lock);
}
