/*
 * clocks.c - how far each region has come, and who waits for whom
 *
 * A clock tells what is done: all that happens in the region before then.  Who
 * is at an instant has told it, so of those that wait for each other the one
 * that is least can go on, and nobody waits for ever.
 *
 * Where nothing is about to happen anywhere clocks would go up by the
 * look-ahead in turns.  Who has waited for a while says that he is idle; when
 * all are, and no letter is under way, all go to what happens next at once.
 */
#include "models/run/regions/regions_impl.h"

#include "models/run/regions/together.h"

/* Who waits looks again and again for some 100 us; after that the other has
 * lost his processor, and so he sleeps in between.  (He does not offer his own:
 * it is taken for milliseconds then.) */
#define LOOKS_AT_ONCE 4000 /* assumed */
#define SLEEP_US      20   /* assumed */
#define LOOKS_AN_IDLE 64

void clocks_relax(guint n)
{
    if (n < LOOKS_AT_ONCE)
#if defined __x86_64__
        __builtin_ia32_pause();
#else
        atomic_signal_fence(memory_order_seq_cst);
#endif
    else
        g_usleep(SLEEP_US);
}

static SimTime clock_of(const Region *region)
{
    return atomic_load_explicit(&region->clock_ps, memory_order_acquire);
}

void clocks_tell(Region *region, SimTime ps)
{
    if (ps <= atomic_load_explicit(&region->clock_ps, memory_order_relaxed))
        return;
    mail_send(region);
    atomic_store_explicit(&region->clock_ps, ps, memory_order_release);
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

gboolean clocks_wait(Regions *regions, Region *region, SimTime ps)
{
    clocks_tell(region, ps);
    for (guint n = 0; others_ps(regions, region) < ps; n++) {
        if (atomic_load(&regions->ends))
            return FALSE;
        clocks_relax(n);
    }
    return TRUE;
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

void regions_wait_to_be_first(const System *system)
{
    Regions *regions = system->regions;
    Region *region = region_of(system);
    SimTime now_ps = sim_engine_now(system->engine);

    if (!clocks_wait(regions, region, now_ps))
        return;
    for (uint32_t i = 0; i < system->region; i++)
        for (guint n = 0; !has_passed(&regions->of[i], now_ps) &&
                          !atomic_load(&regions->ends);
             n++)
            clocks_relax(n);
}

/* ---- where nothing happens ----------------------------------------------- */

static gboolean has_more(const Regions *regions, const Region *region)
{
    return atomic_load(&region->n_letters) > 0 ||
           clocks_reach(regions, region) > clock_of(region);
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
    if (next_ps == SIM_TIME_MAX) {
        atomic_store(&regions->is_over, TRUE);
        atomic_store(&regions->ends, TRUE);
        return;
    }
    for (uint32_t i = 0; i < regions->n; i++)
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

void clocks_wait_for_more(Regions *regions, Region *region)
{
    gboolean is_idle = FALSE;

    for (guint n = 0;
         !has_more(regions, region) && !atomic_load(&regions->ends); n++) {
        if (n % LOOKS_AN_IDLE == LOOKS_AN_IDLE - 1) {
            is_idle = TRUE;
            say_idle(regions, region, TRUE);
        }
        clocks_relax(n);
    }
    if (is_idle)
        say_idle(regions, region, FALSE);
}

/* ---- the end --------------------------------------------------------------
 */

void regions_give_up(Regions *regions)
{
    atomic_store(&regions->gives_up, TRUE);
    atomic_store(&regions->ends, TRUE);
}

void regions_lock_all(const Regions *regions)
{
    pthread_mutex_lock((pthread_mutex_t *)&regions->lock);
}

void regions_unlock_all(const Regions *regions)
{
    pthread_mutex_unlock((pthread_mutex_t *)&regions->lock);
}
