/*
 * channel_search.h - finds channels inside one machine, as NCCL's search does
 *
 * The search takes a target speed and asks whether channels of that speed can
 * be placed so that no link carries more than its rate.  The first target is
 * the rate of one link, or of a NIC if that is faster.  Slower targets follow
 * until channels are found.  NCCL may then use each channel twice at half the
 * speed.  A channel is an order of all GPUs of the machine.  A ring follows the
 * order and closes; a tree follows it as a chain.  With NICs, a channel enters
 * at its first GPU, and leaves at its last GPU (ring) or at its first or second
 * GPU (tree).
 *
 * Rings over direct links are found exactly (models/packing/disjoint_rings.h).
 * Channels that use the host or NICs are found by a depth-first search with the
 * nearest GPU first and a limit on the number of steps. The channels found
 * always fit, but more may exist.
 *
 * Units    bytes per second, of payload
 * Owner    the caller owns the NcclChannels
 * Sources  NCCL 2.5: its search on graphs, development version
 */
#ifndef MODELS_STACKS_NCCL_CHANNEL_SEARCH_H
#define MODELS_STACKS_NCCL_CHANNEL_SEARCH_H

#include "models/stacks/nccl/channel_search_task.h"

typedef struct {
    uint32_t n_ranks, n_channels;
    uint64_t bytes_per_s; /* speed of one channel */
    NcclPattern pattern;
    /* links that paths inside the machine may use, see path_id.h */
    uint32_t plane;
    uint32_t *orders; /* owned: the order of channel c begins at c * n_ranks */
    /* Owned: the parents of the ranks in the chain of each channel; channel c
     * begins at c * n_ranks, and the root is its own parent. */
    uint32_t *parents;
    /* Owned: the NICs where channel c enters the machine, at 2 c, and leaves
     * it, at 2 c + 1; TOPOLOGY_NONE if there are no NICs. */
    uint32_t *nics;
} NcclChannels;

/* Returns the channels.  If no target speed fits, returns one channel in the
 * order of @task. */
NcclChannels *nccl_search_channels(const Topology *topology,
                                   const NcclSearchTask *task);
void nccl_channels_free(NcclChannels *channels);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NcclChannels, nccl_channels_free)

#endif
