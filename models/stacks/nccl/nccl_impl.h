/*
 * nccl_impl.h - what the parts of the stack `nccl` share
 *
 *   nccl.c    chooses among the algorithms, and remembers
 *   group.c   looks at the GPUs of a communicator: its machines, its rates
 *   times.c   what ways take, and pieces
 *   inside.c  orders in which channels go through a machine
 *   version.c which release, and what it had
 *   loads.c   routes, and what links carry
 *   ring.c, tree.c, switch.c, collnet.c, pat.c, p2p.c
 *             algorithms: what a payload takes, and the channels for it
 *
 * NCCL reckons the time of each algorithm with each protocol as a latency and
 * a bandwidth and takes the least.  So it is here, on the rates that links of
 * the topology have,
 *
 *     time = launch + hops x step + latency of links + fill + payload / rate
 *
 * where fill is what goes by until the first piece is through all hops.  Of
 * trees NCCL has measured instead what share of their rate they reach, by
 * payload.
 *
 * Units    bytes, bytes per second, ps
 * Sources  [NCCLTUNING]
 */
#ifndef MODELS_STACKS_NCCL_IMPL_H
#define MODELS_STACKS_NCCL_IMPL_H

#include "models/stacks/nccl/inside.h"
#include "models/stacks/nccl/loads.h"
#include "models/stacks/nccl/params.h"
#include "models/stacks/nccl/version.h"
#include "models/stacks/stack.h"

/* A communicator: group 0 of a family, which stands for the others. */
typedef struct {
    const NcclParams *params;   /* borrowed, */
    const Topology *topology;   /* as this is, */
    const CollMembers *members; /* and this */
    uint32_t version;           /* see version.h */
    uint32_t n;                 /* ranks */
    uint32_t *npus;             /* owned: of each rank */
    uint32_t *nodes;            /* owned: of each rank: its machine */
    uint32_t dims_mask; /* whole dimensions that these are; 0: they are not */
    uint32_t n_nodes;
    uint32_t per_node;      /* ranks of each node if all have as many; else 0 */
    uint32_t most_per_node; /* ranks of the node that has the most */
    uint32_t *by_node;      /* owned: all ranks, those of node 0 first */
    uint32_t *starts; /* owned: where each node's begin there, and the end */
    /* Channels inside nodes.  One entry describes all nodes if .n_insides is
     * 1; otherwise each node has its own. */
    uint32_t n_insides;
    NcclInside *rings, *chains; /* owned */
    NcclRoute near;             /* between two of a node, */
    NcclRoute network; /* and of two nodes; zeroes where there are none */
    uint64_t nic_bytes_per_s;  /* of a node, all its NICs that are in use */
    uint64_t near_bytes_per_s; /* of a GPU's links to others of its node */
    uint32_t n_channels, n_switch_channels;
    /* What the steps of each take here: the links' own latency is left out
     * where the constants include it. */
    CollProtocol protocols[NCCL_N_PROTOCOLS];
    CollProtocol in_switch;
    CollProtocol switch_tree; /* through several machines */
    CollProtocol collnet, collnet_ll, pat;
    /* Of trees: GPUs of a machine that pass on what they get. */
    CollProtocol trees[NCCL_N_PROTOCOLS];
    uint64_t tree_ppm; /* of the rate of links, that these reach */
    /* The payload rate that the search's channels allow a tree through several
     * machines, by NCCL's own reckoning; UINT64_MAX: no limit is known. */
    uint64_t tree_bytes_per_s;
} NcclGroup;

/* What one algorithm makes of a collective on a group. */
typedef struct {
    uint32_t n_hops[TOPOLOGY_N_REACHES]; /* one after the other */
    SimTime latency_ps;                  /* of their links */
    uint32_t n_fills;     /* hops until the first piece is through */
    uint64_t bytes_per_s; /* of payload, with no flags */
} NcclWay;

typedef struct {
    const char *name; /* as tables have it */
    gboolean simple_only;
    uint32_t ll_before; /* the version from which on it is Simple only */
    gboolean is_free;   /* no pin is for it */
    uint32_t since;     /* the version that brought it; 0: the first */
    /* Why not, without its end; NULL: it does @kind there. */
    const char *(*refuses)(const NcclGroup *group, CollKind kind);
    void (*measure)(const NcclGroup *group, CollKind kind, NcclWay *ret);
    SimTime (*time_ps)(const NcclGroup *group, const NcclWay *way, int protocol,
                       uint64_t payload_bytes);
    /* Channels, and how they are cut; of @schedules, which owns them, those
     * that are made. */
    void (*lay)(const NcclGroup *group, CollKind kind, int protocol,
                uint64_t payload_bytes, GPtrArray *schedules, CollRecipe *ret);
} NcclAlgorithm;

extern const NcclAlgorithm nccl_ring, nccl_tree, nccl_nvls, nccl_nvls_tree;
extern const NcclAlgorithm nccl_collnet, nccl_pat, nccl_p2p;

NcclGroup *nccl_group_new(const NcclParams *params, const Topology *topology,
                          const CollMembers *members);
void nccl_group_free(NcclGroup *group);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NcclGroup, nccl_group_free)

/* Returns how many ranks of the group are on node number @node. */
static inline uint32_t nccl_node_size(const NcclGroup *group, uint32_t node)
{
    return group->starts[node + 1] - group->starts[node];
}

/* Returns the rank that is number @index of node number @node; after the last
 * comes the first again. */
static inline uint32_t nccl_rank(const NcclGroup *group, uint32_t node,
                                 uint32_t index)
{
    return group
        ->by_node[group->starts[node] + index % nccl_node_size(group, node)];
}

/* Returns how many channels of @insides (the group's .rings or .chains) have an
 * order of their own: a node with the fewest decides where nodes differ, and a
 * node of one GPU takes any number. */
uint32_t nccl_n_orders(const NcclGroup *group, const NcclInside *insides);
/* Returns the share of the payload that order number @order carries. */
uint32_t nccl_order_share(const NcclGroup *group, const NcclInside *insides,
                          uint32_t order);
/* Returns the rank at @place of node number @node in order number @order. */
uint32_t nccl_order_rank(const NcclGroup *group, const NcclInside *insides,
                         uint32_t order, uint32_t node, uint32_t place);
/* Returns whether each GPU of a node enters and leaves it by a NIC of its own:
 * one order serves all, rotated by one GPU from channel to channel. */
gboolean nccl_rotates(const NcclGroup *group, const NcclInside *insides);

/* Links that channels may take: inside a machine those that the search found
 * them on. */
static inline uint32_t nccl_plane(const NcclGroup *group)
{
    return group->n_nodes == 1 ? group->rings[0].plane : 0;
}

/* The hops of @way at @protocol's steps, and the launch. */
SimTime nccl_latency_ps(const NcclGroup *group, const NcclWay *way,
                        int protocol);
/* @bytes of payload at @bytes_per_s of the wire. */
SimTime nccl_bytes_ps(const NcclGroup *group, int protocol, uint64_t bytes,
                      uint64_t bytes_per_s);
/* What channels pass on at a time, all together, no more than the payload. */
uint64_t nccl_piece_bytes(const NcclGroup *group, int protocol,
                          uint64_t payload_bytes);

/* Likewise where a switch adds: less of a payload that would not fill so many
 * pieces. */
uint64_t nccl_switch_piece_bytes(const NcclGroup *group,
                                 uint64_t payload_bytes);
/* Sets what it takes to post a message of @slice_bytes of payload, if @ret's
 * leave a machine. */
void nccl_set_posts(const NcclGroup *group, int protocol, uint64_t slice_bytes,
                    CollRecipe *ret);
/* What steps take, of a protocol that is @protocol so far. */
void nccl_collnet_protocol(const NcclGroup *group, int protocol,
                           CollProtocol *ret);

/* Cuts @payload_bytes in loops of at most @piece_bytes, each of a chunk on each
 * channel of @ret, of which as many are under way as buffers have steps. */
void nccl_cut(uint64_t payload_bytes, uint64_t piece_bytes, CollRecipe *ret);

#endif
