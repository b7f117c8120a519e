/*
 * channel_layout.h - places channels of one speed until the links are full
 *
 * Each channel uses its speed on every link of its path.  A depth-first search
 * tries the order of GPUs with the nearest GPU first; each channel first tries
 * the order of the channel before it.  The largest number of channels that fit
 * at any time is kept.  The search ends when that number reaches an upper
 * bound: some GPU or the NICs have no free link for one more channel.
 *
 * A GPU's host link carries one channel in each direction, whatever its speed.
 * This matches what NCCL finds if all paths use PCIe.  In a plain tree, data
 * from the NIC and data to the NIC alternate.
 *
 * Units    bytes per second
 * Owner    the caller owns the NcclLayout
 */
#ifndef MODELS_STACKS_NCCL_CHANNEL_LAYOUT_H
#define MODELS_STACKS_NCCL_CHANNEL_LAYOUT_H

#include "models/stacks/nccl/machine_graph.h"

/* The request: up to .most_channels channels of .bytes_per_s and a pattern. */
typedef struct {
    const NcclSystem *system;
    NcclPattern pattern;
    uint64_t bytes_per_s;
    uint32_t most_channels;
    gboolean has_network;
    gboolean near_only;   /* paths between GPUs use near links only */
    gboolean closest_nic; /* enter and leave at the GPUs nearest to the NIC */
} NcclLayoutRequest;

typedef struct {
    uint32_t n_channels;
    uint32_t *orders; /* owned: n_gpus indices of GPUs for each channel */
    uint32_t *nics;   /* owned: NICs of channel c: in at 2 c, out at 2 c + 1 */
} NcclLayout;

/* Returns the channels that fit, possibly none. */
NcclLayout *nccl_layout_new(const NcclLayoutRequest *request);
void nccl_layout_free(NcclLayout *layout);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NcclLayout, nccl_layout_free)

#endif
