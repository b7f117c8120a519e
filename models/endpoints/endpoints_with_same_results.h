/*
 * endpoints_with_same_results.h - whether other endpoint parameters would have
 * changed a run
 *
 * A kind with such a table notes during a run on which values its decisions
 * depended.  Afterwards it says whether other parameters would have led to the
 * same decisions.  The kind guarantees that it reads no more of its NPU than
 * the clock, the HBM policy, the result of hbm_rate_of_stream(), and what the
 * table declares. Parameters that forget() does not clear are not tested, and
 * must be equal.
 *
 * Notes    recorded during a run; zeroed before, shared by all NPUs
 * Kept     what keep() extracts from the notes after the run
 * Order    both are plain memory, and kept data has no pointers
 * Owner    the caller, of all memory
 */
#ifndef MODELS_ENDPOINTS_ENDPOINTS_WITH_SAME_RESULTS_H
#define MODELS_ENDPOINTS_ENDPOINTS_WITH_SAME_RESULTS_H

#include "models/endpoints/endpoint_npu_and_collectives.h"

typedef struct {
    size_t notes_size, kept_size; /* sizes in bytes; 0: there are none */
    /* The kind also reads the HBM rate of SMs and the bandwidth of the HBM, and
     * refuses more SMs than the NPU has. */
    gboolean reads_memory;
    gboolean reads_bus; /* the endpoint or its cut depends on the bus */
    /* The key of a bandwidth that is used only to claim a share of the HBM for
     * reads, and by pace().  NULL: there is none. */
    const char *share;
    /* Sets to 0 the parameters in @params that covers() tests.  This and all
     * callbacks below are NULL if no parameter is tested. */
    void (*forget)(gpointer params);
    /* Returns whether all parameters that forget() clears are equal. */
    gboolean (*is_same)(gconstpointer params, gconstpointer others);
    /* Fills @ret with the data that covers() needs of NPUs at @site with
     * @params, after a run. */
    void (*keep)(gconstpointer notes, gconstpointer params,
                 const EndpointSite *site, gpointer ret);
    /* Returns whether the run would have been the same with @params, which may
     * differ only in what forget() clears. */
    gboolean (*covers)(gconstpointer kept, gconstpointer params);
    /* Returns whether the run would have been the same, event for event, with
     * another bus.  NULL: unknown. */
    gboolean (*covers_bus)(gconstpointer kept, gconstpointer params,
                           uint64_t bytes_per_s, uint64_t other_bytes_per_s);
    /* Writes the capacity of each of EndpointOps.resources to @ret. */
    void (*capacities)(gconstpointer params, uint64_t *ret);
} EndpointInvariance;

#endif
