/*
 * nccl_search.h - the channels that NCCL's search finds inside one machine
 *
 * NCCL looks at what joins the GPUs of a job and at their NICs, and takes a
 * target speed: can channels of that speed be laid so that no link carries
 * more than it can?  It begins with that of one link and goes down a ladder of
 * speeds until it has found some; then it may lay them twice at half the
 * speed.  A channel is an order of all GPUs: a ring goes round in it, a tree
 * leads down it as a chain, and with NICs a channel comes in at its first GPU
 * and goes out at its last (ring) or its first or second (tree).
 *
 * Links that lead directly are searched exactly (models/packing/rings.h); where
 * no ring goes over them, all go through the host.
 *
 * Units    bytes per second, of payload
 * Owner    the caller owns the NcclChannels
 * Sources  NCCL 2.5: its search on graphs, development version
 */
#ifndef MODELS_STACKS_NCCL_SEARCH_H
#define MODELS_STACKS_NCCL_SEARCH_H

#include "models/packing/graph.h"
#include "network/topology.h"

/* How the trees of several machines enter and leave one. */
typedef enum {
    NCCL_SPLIT_TREE_LOOP, /* in at the first GPU, out at the second, and the
                           * chain closes to a ring */
    NCCL_SPLIT_TREE,      /* it does not close */
    NCCL_TREE,            /* in and out at the first */
    NCCL_RING,
} NcclPattern;

typedef struct {
    uint32_t n_npus;
    const uint32_t *npus; /* borrowed: of one machine; rank i is npus[i] */
    gboolean is_tree;
    gboolean has_network; /* channels lead out through NICs */
    uint32_t most_channels;
    /* Of one link, by reach, as the search assumes it; 0: as it is. */
    uint64_t planned_bytes_per_s[TOPOLOGY_N_REACHES];
} NcclTask;

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

/* The near links among @npus: direct ones of both NPUs, or, where all hang on
 * switches of their own, ports.  FALSE: there are none, or links differ in
 * rate, so that no count says what they carry. */
gboolean nccl_near_graph(const Topology *topology, const uint32_t *npus,
                         uint32_t n, PackGraph *ret, uint64_t *ret_link_bytes);

#endif
