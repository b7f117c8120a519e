/*
 * regions_impl.h - what the parts of a run by several threads share
 *
 *   divide.c  makes regions, or says that there are none
 *   team.c    runs them, and adds up
 *   settle.c  decides for all
 *   mail.c    hands over what leaves a region
 *   clocks.c  waits for others
 *
 * Each calls what stands below it in this list.  Locks are those of pthreads,
 * which ThreadSanitizer knows; GMutex it takes for a race.
 */
#ifndef MODELS_RUN_REGIONS_REGIONS_IMPL_H
#define MODELS_RUN_REGIONS_REGIONS_IMPL_H

#include <pthread.h>
#include <stdatomic.h>

#include "models/run/regions/regions.h"
#include "network/transport/part.h"
#include "sim/core/lines.h"

/* A message on its way from one region to another. */
typedef struct {
    NetMessage message;
    SimTime at_ps;
    gboolean is_there; /* at its end, or else at a node between */
} Letter;

/* Others look at the first line all the time. */
typedef struct {
    LINE_ALIGNED _Atomic SimTime clock_ps; /* what is before has happened */
    /* It is at the end of that instant, and waits for others who are, or have
     * passed it; SIM_TIME_MAX: it is not. */
    _Atomic SimTime settles_ps;
    atomic_uint n_letters;       /* .letters->len */
    LINE_ALIGNED System *system; /* owned, but of the first */
    uint32_t first_npu, n_npus, first_link, n_links; /* that are in it */
    pthread_mutex_t lock;                            /* on these: */
    GArray *letters; /* owned: of Letter, yet to be taken in */
    /* of its own thread */
    GArray *taken; /* owned: likewise, being taken in */
    GArray **sent; /* owned: one for each region, yet to be handed over */
    uint64_t n_events;
    /* under the lock of all */
    gboolean is_idle; /* nothing happens before what others might send, */
    SimTime next_ps;  /* and then this */
} LINE_ALIGNED Region;

struct Regions {
    /* All look at this all the time, and nobody changes it. */
    SimTime ahead_ps; /* look-ahead: the least latency of any link between */
    NetworkForeseeFn foresee; /* of each; may be NULL */
    guint n_chunks;           /* that there is room for */
    uint32_t n, n_units, n_ports, unit_ends;
    atomic_bool gives_up; /* it will not do, */
    atomic_bool ends;     /* or is over, or somebody has had enough */
    Region *of;           /* owned */
    guint8 apart[LINE_BYTES];
    pthread_mutex_t lock;
    pthread_mutex_t sleep_lock;
    pthread_cond_t changed; /* what a sleeper may wait for */
    GSList *sleepers; /* under .sleep_lock: of SimTime, what they wait for: see
                       * clocks_wait_until() */
    _Atomic SimTime wanted_ps; /* the least of these, or SIM_TIME_MAX */
};

static inline Region *region_of(const System *system)
{
    return &system->regions->of[system->region];
}

/* Of unit number @unit of those simulated, which are all. */
static inline uint32_t regions_of_unit(const Regions *regions, uint32_t unit)
{
    return (uint32_t)((uint64_t)unit * regions->n / regions->n_units);
}

/* ---- clocks.c ---------------------------------------------------------- */

/* All that @region does before @ps is done, and has left. */
void clocks_tell(Region *region, SimTime ps);
/* What happens before may happen now: nothing can come before. */
SimTime clocks_reach(const Regions *regions, const Region *region);
/* Returns when others have come to @ps, or the run ends. */
void clocks_wait(Regions *regions, Region *region, SimTime ps);
/* All others have passed @ps, or are at its end. */
gboolean clocks_have_passed(const Regions *regions, const Region *region,
                            SimTime ps);
/* All of @region that can happen has: returns when more can. */
void clocks_wait_for_more(Regions *regions, Region *region);

/* Returns when @is_so, or the run ends.  It changes only before
 * clocks_changed(), or as the clock of another comes to @wanted_ps. */
typedef gboolean (*ClocksFn)(Regions *regions, Region *region, SimTime ps);
void clocks_wait_until(Regions *regions, Region *region, ClocksFn is_so,
                       SimTime ps, SimTime wanted_ps);
void clocks_changed(Regions *regions);
void clocks_end(Regions *regions);
void regions_give_up(Regions *regions);

/* ---- mail.c ------------------------------------------------------------ */

/* See network.h; @self is the System of a region. */
gboolean mail_foresee(gpointer self, uint32_t npu, uint32_t message,
                      SimTime at_ps);
gboolean mail_leave(gpointer self, uint32_t message, SimTime at_ps);
/* Hands over what was sent. */
void mail_send(Region *region);
void mail_take(Region *region);

/* ---- settle.c ---------------------------------------------------------- */

extern const AccordOthers regions_accord; /* of the System of a region */

#endif
