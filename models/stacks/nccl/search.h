/*
 * search.h - the channels that NCCL's search finds inside one machine
 *
 * NCCL looks at what joins the GPUs of a job and at their NICs, and takes a
 * target speed: can channels of that speed be laid so that no link carries
 * more than it can?  It begins with that of one link, or of a NIC if that is
 * faster, and goes down a ladder of speeds until it has found some; then it may
 * lay them twice at half the speed.  A channel is an order of all GPUs: a ring
 * goes round in it, a tree leads down it as a chain, and with NICs a channel
 * comes in at its first GPU and goes out at its last (ring) or its first or
 * second (tree).
 *
 * Rings over links that lead directly are searched exactly
 * (models/packing/rings.h).  What goes through the host or out of it is tried
 * step by step, nearest first, and given up after so many steps: what is found
 * fits, but more may.
 *
 * Units    bytes per second, of payload
 * Owner    the caller owns the NcclChannels
 * Sources  NCCL 2.5: its search on graphs, development version
 */
#ifndef MODELS_STACKS_NCCL_SEARCH_H
#define MODELS_STACKS_NCCL_SEARCH_H

#include "models/stacks/nccl/task.h"

typedef struct {
    uint32_t n_ranks, n_channels;
    uint64_t bytes_per_s; /* of one channel */
    NcclPattern pattern;
    uint32_t plane;    /* of reach.h: what its ways inside may take */
    uint32_t *orders;  /* owned: of channel c from c * n_ranks */
    uint32_t *parents; /* owned, of the same shape: the chain as a tree, whose
                        * root is its own parent */
    uint32_t *nics;    /* owned: the nodes by which channel c comes in, 2 c, and
                        * goes out, 2 c + 1; TOPOLOGY_NONE without */
} NcclChannels;

/* Always some: where all else fails one channel in the order of @task. */
NcclChannels *nccl_search(const Topology *topology, const NcclTask *task);
void nccl_channels_free(NcclChannels *channels);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NcclChannels, nccl_channels_free)

#endif
