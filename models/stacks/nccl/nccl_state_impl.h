/*
 * nccl_state_impl.h - definitions that the files of the stack `nccl` share
 *
 *   nccl.c: chooses an algorithm and a protocol, and caches the recipes
 *   communicator_group.c: properties of a communicator: machines, rates,
 *     protocols
 *   cost_model.c: terms of the cost model, and the sizes of pieces
 *   node_orders.c: orders in which channels visit the GPUs of a machine
 *   release_version.c: release numbers and what each release added
 *   link_load.c: routes, and the load of links
 *   nccl_ring.c, nccl_tree.c, nvls.c, collnet.c, pat_trees.c, p2p.c:
 *     algorithms, with their cost and the channels that they use
 *
 * NCCL estimates the time of each algorithm with each protocol from a latency
 * and a bandwidth, and takes the smallest.  This stack does the same with the
 * rates of the simulated topology:
 *
 *     time = launch + hops x step + latency of links + fill + payload / rate
 *
 * fill is the time until the first piece has passed all hops.  For trees, NCCL
 * instead multiplies the rate by a measured fraction that depends on the
 * payload.
 *
 * Units    bytes, bytes per second, ps
 * Sources  [NCCLTUNING]
 */
#ifndef MODELS_STACKS_NCCL_NCCL_STATE_IMPL_H
#define MODELS_STACKS_NCCL_NCCL_STATE_IMPL_H

#include "models/stacks/nccl/link_load.h"
#include "models/stacks/nccl/nccl_params.h"
#include "models/stacks/nccl/node_orders.h"
#include "models/stacks/nccl/release_version.h"
#include "models/stacks/stack.h"

/* A communicator. If a collective runs in several equal groups, group 0
 * represents all. */
typedef struct {
    const NcclParams *params;   /* borrowed */
    const Topology *topology;   /* borrowed */
    const CollMembers *members; /* borrowed */
    uint32_t version;           /* NCCL release, see release_version.h */
    uint32_t n;                 /* number of ranks */
    uint32_t *npus;             /* owned: NPU id of each rank */
    uint32_t *nodes;            /* owned: machine of each rank, from 0 */
    uint32_t dims_mask;         /* dimensions that the ranks fill; 0: none */
    uint32_t n_nodes;
    uint32_t per_node;      /* ranks of each node; 0 if nodes differ in size */
    uint32_t most_per_node; /* ranks of the largest node */
    uint32_t *by_node;      /* owned: all ranks, sorted by node */
    /* Owned: the index in .by_node of the first rank of each node, then .n. */
    uint32_t *starts;
    /* Orders of channels inside nodes.  One entry describes all nodes if
     * .n_node_orders is 1; otherwise each node has its own entry. */
    uint32_t n_node_orders;
    NcclNodeOrders *rings, *chains; /* owned: orders of rings and of trees */
    NcclRoute node_route; /* route between two GPUs of a node; zero: none */
    NcclRoute
        network_route; /* route between two nodes; zero: there is one node */
    uint64_t nic_bytes_per_s; /* rate of all NICs of a node that are in use */
    /* The rate of all links of a GPU to other GPUs of its node. */
    uint64_t near_bytes_per_s;
    uint32_t n_channels, n_switch_channels;
    /* Step times of each protocol on this topology.  The latency of links is
     * subtracted if NCCL's constants include it. */
    CollProtocol protocols[NCCL_N_PROTOCOLS];
    CollProtocol in_switch;
    CollProtocol switch_tree; /* step times of NVLSTree */
    CollProtocol collnet, collnet_ll, pat;
    /* Protocols of trees, whose GPUs forward the data that they receive. */
    CollProtocol trees[NCCL_N_PROTOCOLS];
    uint64_t tree_ppm; /* fraction of the rate of links that trees reach */
    /* Highest payload rate of a tree through several machines, as NCCL
     * estimates it from the number of channels that its search found.
     * UINT64_MAX if there is no limit. */
    uint64_t tree_bytes_per_s;
} NcclGroup;

/* Terms of the cost model for one algorithm, collective and group. */
typedef struct {
    uint32_t n_hops[TOPOLOGY_N_REACHES]; /* sequential hops by distance */
    SimTime latency_ps;   /* latency, summed over the links of all hops */
    uint32_t n_fills;     /* number of hops until the first piece arrives */
    uint64_t bytes_per_s; /* rate of payload, without flags */
} NcclCostTerms;

typedef struct {
    const char *name;     /* name in tables */
    gboolean simple_only; /* the algorithm has no LL and no LL128 */
    /* The algorithm carries out reduce-scatters and all-gathers, but only if
     * the endpoint of the collective demands it: NCCL needs
     * registered buffers. */
    gboolean halves_on_demand;
    uint32_t ll_before; /* LL exists before this version; 0: never */
    gboolean ignores_pinned_choice; /* configured pins do not apply */
    uint32_t first_version; /* first version with this algorithm; 0: all */
    /* Returns the reason why @group cannot carry out @kind, as a clause for
     * messages, or NULL if it can. */
    const char *(*reason_not_usable)(const NcclGroup *group, CollKind kind);
    /* Computes the terms of the cost model. */
    void (*compute_cost_terms)(const NcclGroup *group, CollKind kind,
                               NcclCostTerms *ret);
    /* Returns the time in ps that NCCL's cost model estimates. */
    SimTime (*time_ps)(const NcclGroup *group, const NcclCostTerms *terms,
                       int protocol, uint64_t payload_bytes);
    /* Sets the channels of @ret and the sizes of its pieces.  Schedules that
     * are created are added to @schedules, which owns them. */
    void (*set_channels)(const NcclGroup *group, CollKind kind, int protocol,
                         uint64_t payload_bytes, GPtrArray *schedules,
                         CollRecipe *ret);
} NcclAlgorithm;

extern const NcclAlgorithm nccl_ring, nccl_tree, nccl_nvls, nccl_nvls_tree;
extern const NcclAlgorithm nccl_collnet, nccl_pat, nccl_p2p;

/* Examines the platform around @members and returns the group. */
NcclGroup *nccl_group_new(const NcclParams *params, const Topology *topology,
                          const CollMembers *members);
void nccl_group_free(NcclGroup *group);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NcclGroup, nccl_group_free)

/* Returns the number of ranks of @group on node @node. */
static inline uint32_t nccl_n_ranks_of_node(const NcclGroup *group,
                                            uint32_t node)
{
    return group->starts[node + 1] - group->starts[node];
}

/* Returns rank number @index of node @node, where @index wraps around. */
static inline uint32_t nccl_rank_on_node(const NcclGroup *group, uint32_t node,
                                         uint32_t index)
{
    return group->by_node[group->starts[node] +
                          index % nccl_n_ranks_of_node(group, node)];
}

/* Returns the number of different orders in which channels visit the GPUs of a
 * node, where @node_orders is group->rings or group->chains.  If nodes differ,
 * this is the smallest number of channels of any node with at least
 * two GPUs. */
uint32_t nccl_n_channel_orders(const NcclGroup *group,
                               const NcclNodeOrders *node_orders);
/* Returns the share of the payload that is carried by the channels which visit
 * the GPUs of a node in order @order. */
uint32_t nccl_share_of_channel_order(const NcclGroup *group,
                                     const NcclNodeOrders *node_orders,
                                     uint32_t order);
/* Returns the rank that order @order visits as number @place in node @node. */
uint32_t nccl_rank_in_channel_order(const NcclGroup *group,
                                    const NcclNodeOrders *node_orders,
                                    uint32_t order, uint32_t node,
                                    uint32_t place);
/* Returns whether each GPU enters and leaves its node by a private NIC.  One
 * order then serves all channels, rotated by one GPU from channel
 * to channel. */
gboolean nccl_channels_rotate_by_gpu(const NcclGroup *group,
                                     const NcclNodeOrders *node_orders);

/* Returns the plane (set of link distances) that channels may use.  A group
 * inside one machine uses the links on which the search found its channels. */
static inline uint32_t nccl_plane_of_channels(const NcclGroup *group)
{
    return group->n_nodes == 1 ? group->rings[0].plane : 0;
}

/* Returns the launch time plus the latency and step times of all hops of
 * @terms. */
SimTime nccl_latency_ps(const NcclGroup *group, const NcclCostTerms *terms,
                        int protocol);
/* Returns the time in ps that @bytes of payload take at @bytes_per_s on the
 * wire. */
SimTime nccl_transfer_time_ps(const NcclGroup *group, int protocol,
                              uint64_t bytes, uint64_t bytes_per_s);
/* Returns the bytes that all channels together forward as one piece: one slice
 * for each channel, but at most @payload_bytes. */
uint64_t nccl_piece_bytes(const NcclGroup *group, int protocol,
                          uint64_t payload_bytes);

/* Returns the piece size of NVLS.  It is halved up to three times for small
 * payloads. */
uint64_t nccl_nvls_piece_bytes(const NcclGroup *group, uint64_t payload_bytes);
/* Returns the launch time of NVLS that NCCL's cost model assumes. */
SimTime nccl_nvls_model_launch_ps(const NcclGroup *group);
/* Sets @ret's time to post a message of @slice_bytes of payload to a NIC.  Does
 * nothing if the group is in one machine. */
void nccl_set_message_post_time(const NcclGroup *group, int protocol,
                                uint64_t slice_bytes, CollRecipe *ret);
/* Sets the step times of CollNet in @ret, which is a copy of protocol
 * @protocol. */
void nccl_collnet_protocol(const NcclGroup *group, int protocol,
                           CollProtocol *ret);

/* Cuts @payload_bytes into pieces of at most @piece_bytes, and each piece into
 * one chunk for each channel of @ret.  The window is NCCL's number of buffer
 * steps. */
void nccl_set_chunks(uint64_t payload_bytes, uint64_t piece_bytes,
                     CollRecipe *ret);

#endif
