/*
 * blink_impl.h - definitions that the files of the stack `blink` share
 *
 * A draft holds the channels of one collective and their rates while they are
 * computed.  The chunk size and the share of the host are derived from the
 * rates.
 *
 * Units    bytes, ps; rates in bytes of payload per second
 * Owner    the creator of a draft frees its arrays or moves them to a recipe
 */
#ifndef MODELS_STACKS_BLINK_IMPL_H
#define MODELS_STACKS_BLINK_IMPL_H

#include "models/packing/spanning_trees.h"
#include "models/stacks/rank_locality.h"
#include "models/stacks/stack.h"
#include "models/stacks/stack_params.h"

enum {
    BLINK_PACKED,
    BLINK_CHAIN,
};

/* Largest group without a switch.  For more ranks, the integer program that
 * packs trees takes minutes. */
#define BLINK_MOST_MESHED 32

typedef struct {
    StackCommon common;
    int trees; /* BLINK_PACKED or BLINK_CHAIN */
    gboolean hybrid;
    uint64_t launch_ps;
    uint64_t near_step_ps, host_step_ps, network_step_ps;
    uint64_t peer_access_ps;
    /* The fractions of a link's rate that chains, broadcasts and all-reduces
     * reach. */
    uint64_t direct_ppm, broadcast_ppm, all_reduce_ppm;
    uint64_t chunk_bytes; /* CONFIG_AUTO: computed from the next two fields */
    uint64_t chunk_cost_ps, max_chunk_bytes;
} BlinkParams;

typedef struct {
    /* The fields from here to .packings are inputs. */
    const Topology *topology;
    const BlinkParams *params;
    CollKind kind;
    uint32_t n, root; /* number of ranks, and rank of the root */
    uint64_t payload_bytes;
    const uint32_t *npus; /* borrowed: NPU id of each rank */
    GPtrArray *packings;  /* borrowed: cache of blink_pack_trees_cached() */
    /* The fields from here on are results. */
    GArray *channels; /* elements are CollChannel */
    /* Owned: the schedules that the channels borrow (owned CollSchedule). */
    GPtrArray *schedules;
    uint64_t bytes_per_s;      /* rate of all near channels together */
    uint64_t link_bytes_per_s; /* rate at which a chunk is sent */
    uint64_t n_chunks, chunk_bytes;
    uint32_t n_steps; /* number of steps of the longest channel */
    /* The mean over all hops of the narrowing that blink_record_channel_hop()
     * records. */
    double mean_narrowing;
    uint32_t n_hops;       /* number of hops that .mean_narrowing includes */
    uint32_t ppm;          /* fraction of a near link's rate that is reached */
    SimTime host_delay_ps; /* additional time of each step of a host channel */
} BlinkDraft;

/* Returns an empty cache of tree packings.  Trees are packed once for each
 * graph and use (broadcast, reduce or all-reduce). */
GPtrArray *blink_tree_cache_new(void);
/* Returns the trees on @graph, borrowed from the draft's cache. */
const PackTrees *blink_pack_trees_cached(const BlinkDraft *draft,
                                         const PackGraph *graph, PackUse use,
                                         uint32_t root);

/* Returns the additional time of a step over near links due to narrow channels.
 * Call after blink_set_chunk_size(). */
SimTime blink_narrow_channel_delay_ps(const BlinkDraft *draft);

/* Adds @schedule as a channel on @plane and takes ownership of it. */
void blink_add_channel(BlinkDraft *draft, CollSchedule *schedule,
                       uint32_t plane, uint32_t share);

/* Adds the channels of a group in one server: trees over near links, or a chain
 * over the host if near links do not connect all ranks.  Returns FALSE if there
 * is no path or links have different rates. */
gboolean blink_add_single_server_channels(BlinkDraft *draft);

/* Returns the rate of a chain over the host through all ranks, or 0 if there is
 * no path. */
uint64_t blink_host_chain_rate(const BlinkDraft *draft);
/* Returns the schedule of a chain over the host through all ranks.  The caller
 * owns it. */
CollSchedule *blink_host_chain_schedule(const BlinkDraft *draft);

/* Adds the channels of a group in several servers: up a tree in each server,
 * across between servers, and down the tree again.  @server[r] < @n_servers is
 * the server of rank r.  Returns FALSE if the links of some server cannot be
 * packed. */
gboolean blink_add_multi_server_channels(BlinkDraft *draft,
                                         const uint32_t *server,
                                         uint32_t n_servers);

/* Chooses the size and number of chunks of a draft such that each channel
 * carries its share of the payload. */
void blink_set_chunk_size(BlinkDraft *draft);

/* Adds a channel over the host in parallel with near channels.  Call after
 * blink_set_chunk_size(). */
void blink_add_host_channel(BlinkDraft *draft);

#endif
