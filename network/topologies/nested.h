/*
 * nested.h - machines in a machine: what nested*.c share
 *
 * Each of `count` nodes holds the same inner topology and some NICs, and the
 * NICs are the ends of the outer one, or with rails those with one number in
 * their nodes are the ends of an outer one each:
 *
 *     NPU id = NPU in its node + NPUs of a node * node
 *     end of the outer one = NIC in its node + NICs of a node * node, or node
 *
 * Where the inner one is a graph that has nodes of kind nic these are the NICs;
 * else NICs are added, and each NPU has a link to one of them, neighbours to
 * the same.
 *
 * From node to node a message goes over its sender's NIC and the receiver's.
 * On rails, and where the graph has the NICs, it leaves by the NIC that has
 * the number of the receiver's: on rails it goes inside its own node first, to
 * an NPU that has it.  So the way behind the outer one is a link, or the
 * graph's, and no way goes inside a node that it does not begin or end in.
 *
 * Numbers  nodes of the Topology: NPUs; of each node its NICs and the inner
 *          forwarders; of each outer one its forwarders.  Links of a node: the
 *          inner ones, those to and from NICs; behind them in the same unit
 *          those that the outer one gives to the NICs of the node.  Where the
 *          outer one has its links all in one unit, so has this.
 */
#ifndef NETWORK_TOPOLOGIES_NESTED_H
#define NETWORK_TOPOLOGIES_NESTED_H

#include "network/topology_impl.h"

typedef struct {
    Topology *inner, *outer; /* owned */
    uint32_t count, n_nics;  /* of a node */
    uint32_t n_inner;        /* NPUs of a node */
    uint32_t n_forwarders;   /* of a node, NICs included */
    uint32_t n_outers;       /* as many as rails, or 1 */
    uint32_t node_ports;     /* links of a node, without the outer ones */
    uint32_t outer_ports;    /* of a NIC, or of each outer one */
    uint32_t first_outer;    /* node: the first of the outer forwarders */
    gboolean rails, has_own_nics;
    gboolean is_spread; /* links of the outer one belong to its ends */
    uint32_t *nic_of;   /* owned: of each NPU of a node */
} Nested;

/* ---- nested_fields.c -------------------------------------------------- */

typedef struct {
    TopologyLink link; /* no bandwidth: not given */
} NicParams;

typedef struct {
    uint64_t count, n_nics;
    ConfigVariant inner, outer;
    NicParams nic;
    gboolean rails;
} NestedParams;

extern const ConfigField nested_fields[];

/* ---- nested_ways.c ---------------------------------------------------- */

/* Of an inner node: its number among the nodes of a node. */
uint32_t nested_local(const Nested *nested, uint32_t inner);

void nested_free(Topology *topology);
uint32_t nested_next(const Topology *topology, uint32_t at, uint32_t dst,
                     uint32_t way);
gboolean nested_joins(const Topology *topology, uint32_t unit, uint32_t port,
                      uint32_t *ret_from, uint32_t *ret_to);
/* Once the dimensions are set: those of the inner one add within a node, those
 * of the outer one among NPUs of a number in their nodes, over their NICs. */
void nested_set_adders(Topology *topology);
gboolean nested_adds_at(const Topology *topology, uint32_t at, uint32_t dim);
gboolean nested_is_dateline(const Topology *topology, uint32_t unit,
                            uint32_t port);

#endif
