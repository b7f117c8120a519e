/*
 * slack.h - for which other parameters an endpoint would have done the same
 *
 * A kind that has a table here notes during a run what its decisions hung on,
 * and says afterwards whether other parameters would have led to each of them.
 * It vouches for all that it does: of its NPU it reads no more than the clock,
 * the policy of the HBM, what hbm_rate() says and what it tells here.  What is
 * not forgotten by forget() is judged by nobody and has to be equal.
 *
 * Order    notes and what is kept of them are plain memory: the one zeroed
 *          before a run and shared by all its NPUs, the other without pointers
 * Owner    the caller, of all memory
 */
#ifndef MODELS_ENDPOINTS_SLACK_SLACK_H
#define MODELS_ENDPOINTS_SLACK_SLACK_H

#include "models/endpoints/site.h"

typedef struct {
    size_t notes_size, kept_size; /* 0: nothing */
    /* It reads what SMs draw of the memory, too, and what the HBM has; and
     * refuses more SMs than there are. */
    gboolean reads_memory;
    gboolean reads_bus; /* by itself, or to cut collectives */
    /* Key of a bandwidth that is read nowhere but to claim a share of the HBM
     * for reads, and by pace().  NULL: there is none. */
    const char *share;
    /* Sets in @params what covers() judges to 0.  NULL, as all below: no
     * parameter is judged. */
    void (*forget)(gpointer params);
    /* What forget() forgets is equal in both. */
    gboolean (*is_same)(gconstpointer params, gconstpointer others);
    /* Fills @ret with what covers() has to know of NPUs at @site, with
     * @params, after a run. */
    void (*keep)(gconstpointer notes, gconstpointer params,
                 const EndpointSite *site, gpointer ret);
    /* The run would have been the same with @params, which differ from those
     * that it had in what forget() forgets. */
    gboolean (*covers)(gconstpointer kept, gconstpointer params);
    /* The run would have taken as long, event for event, with another bus;
     * NULL: not that it knew. */
    gboolean (*covers_bus)(gconstpointer kept, gconstpointer params,
                           uint64_t bytes_per_s, uint64_t other_bytes_per_s);
    /* How much there is of each of EndpointOps.resources. */
    void (*capacities)(gconstpointer params, uint64_t *ret);
} EndpointSlack;

#endif
