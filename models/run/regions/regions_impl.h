/*
 * regions_impl.h - types shared by the parts of a run by several threads
 *
 *   region_division.c  makes regions
 *   region_threads.c    runs them, and adds up their results
 *   admission_barrier.c  decides admissions for all regions
 *   region_queue.c    passes messages from one region to another
 *   lbts.c  waits for other regions
 *
 * Each file calls only those below it in this list.  Locks are those of
 * pthreads, since ThreadSanitizer reports GMutex as a race.
 */
#ifndef MODELS_RUN_REGIONS_REGIONS_IMPL_H
#define MODELS_RUN_REGIONS_REGIONS_IMPL_H

#include <pthread.h>
#include <stdatomic.h>

#include "models/run/regions/regions.h"
#include "network/transport/partial_network.h"
#include "sim/core/cache_lines.h"

/* A message on its way from one region to another. */
typedef struct {
    NetMessage message;
    SimTime at_ps;
    gboolean is_there; /* at its destination, or else at a node on its path */
} RegionMessage;

/* Each group of fields that threads share has separate cache lines. */
typedef struct {
    CACHE_LINE_ALIGNED _Atomic SimTime clock_ps; /* everything before it has
                                                  * happened */
    /* The instant at whose end the region waits for a decision; SIM_TIME_MAX if
     * it does not wait. */
    _Atomic SimTime barrier_ps;
    atomic_uint n_queued;              /* .queued->len, to be read without the
                                        * lock */
    CACHE_LINE_ALIGNED System *system; /* owned, except that of region 0 */
    uint32_t first_npu, n_npus, first_link, n_links; /* NPUs and links of the
                                                      * region */
    pthread_mutex_t lock;                            /* protects .queued */
    GArray *queued; /* owned: of RegionMessage, sent by other regions */
    /* used by the region's thread only: */
    GArray *delivering; /* owned: of RegionMessage, being delivered */
    GArray **sent; /* owned: of RegionMessage, one array for each region, not
                    * yet passed on */
    uint64_t n_events;
    /* under Regions.lock: */
    gboolean is_idle; /* no event has been in reach for a while */
    SimTime next_ps;  /* time of its next event */
} CACHE_LINE_ALIGNED Region;

struct Regions {
    /* The first fields are read by all threads, and do not change during a
     * run. */
    SimTime lookahead_ps; /* look-ahead: the smallest latency of a link between
                           * regions */
    NetworkEarlyDeliveryFn foresee; /* of each region; may be NULL */
    guint n_chunks;                 /* slots for chunks */
    uint32_t n, n_units, n_ports, unit_ends;
    atomic_bool gives_up; /* one thread must repeat the run */
    atomic_bool is_over;  /* the run is over, was given up, or was stopped */
    Region *regions;      /* owned */
    guint8 padding[CACHE_LINE_BYTES];
    pthread_mutex_t lock;
    pthread_mutex_t sleep_lock;
    pthread_cond_t changed; /* signalled when a condition of a sleeper may have
                             * changed */
    GSList *sleepers; /* under .sleep_lock: of SimTime, the clock that each
                       * sleeper waits for: see lbts_wait_until() */
    _Atomic SimTime wanted_ps; /* the smallest of these, or SIM_TIME_MAX */
};

static inline Region *region_of_system(const System *system)
{
    return &system->regions->regions[system->region];
}

/* Returns the region of unit @unit; all units are simulated. */
static inline uint32_t region_number_of_unit(const Regions *regions,
                                             uint32_t unit)
{
    return (uint32_t)((uint64_t)unit * regions->n / regions->n_units);
}

/* ---- lbts.c ---------------------------------------------------------- */

/* Publishes that @region has done everything before @ps, after passing on its
 * messages. */
void lbts_publish(Region *region, SimTime ps);
/* Returns the time before which @region can run: no message can arrive
 * earlier. */
SimTime lbts_safe_time_ps(const Regions *regions, const Region *region);
/* Returns when all other regions have come to @ps, or the run ends. */
void lbts_wait_for_clocks_of_others(Regions *regions, Region *region,
                                    SimTime ps);
/* Returns whether all other regions have passed @ps, or wait at its end. */
gboolean lbts_others_have_passed(const Regions *regions, const Region *region,
                                 SimTime ps);
/* Waits until @region, which has no event left within reach, can continue or
 * the run ends. */
void lbts_wait_until_region_can_continue(Regions *regions, Region *region);

/* Returns when @is_so returns TRUE, or the run ends.  The result of @is_so may
 * change only before a call of lbts_notify(), or when another region's clock
 * comes to @wanted_ps. */
typedef gboolean (*LbtsFn)(Regions *regions, Region *region, SimTime ps);
void lbts_wait_until(Regions *regions, Region *region, LbtsFn is_so, SimTime ps,
                     SimTime wanted_ps);
/* Wakes sleepers, whose conditions may have changed. */
void lbts_notify(Regions *regions);
/* Ends the run in all regions. */
void lbts_end_run(Regions *regions);
/* Ends the run in all regions; one thread must repeat it. */
void regions_give_up(Regions *regions);

/* ---- region_queue.c ------------------------------------------------------ */

/* Callbacks of network.h; @self is the System of a region. */
gboolean region_queue_deliver_early(gpointer self, uint32_t npu,
                                    uint32_t message, SimTime at_ps);
gboolean region_queue_move_if_link_is_elsewhere(gpointer self, uint32_t message,
                                                SimTime at_ps);
/* Passes all sent messages on to their regions. */
void region_queue_send_all(Region *region);
/* Moves all messages from the queue of @region into its network. */
void region_queue_receive_all(Region *region);

/* ---- admission_barrier.c
 * ---------------------------------------------------------- */

extern const AdmissionRegionsOps regions_admission_ops; /* callbacks for the
                                                         * System of a region */

#endif
