/*
 * nested.h - a topology of nodes, each with a topology inside
 *
 * Each of `count` nodes holds the same inner topology and some NICs.  The NICs
 * are the ends of the outer topology.  With rails, there is one outer topology
 * per NIC of a node, which connects the NICs with that number in all nodes:
 *
 *     NPU id = NPU in its node + NPUs of a node * node
 *     outer end = NIC in its node + NICs of a node * node; with rails: node
 *
 * If the inner topology is a graph with nodes of kind nic, these are the NICs.
 * Otherwise NICs are added; each NPU has a link to one of them, and
 * neighbouring NPUs share a NIC.
 *
 * Between nodes, a message leaves by a NIC of its sender and arrives by the NIC
 * of its receiver.  With rails, and if the graph has the NICs, it leaves by the
 * NIC with the number of the receiver's NIC.  With rails, it first goes inside
 * the sender's node to an NPU that has this NIC.  So the path after the outer
 * topology is one link, or a path of the inner graph, and no path passes
 * through the inside of a third node.
 *
 * Numbers  Nodes of the Topology: the NPUs; then the NICs and inner forwarders
 *          of each node; then the forwarders of each outer topology.  Links of
 *          a node: the inner links; those to and from NICs.
 * Units    A unit has the nodes whose NICs form whole units of the outer
 *          topology: one node on a switch or a torus, and the nodes below a
 *          leaf of a fat tree of two levels.  If there are none, all nodes are
 *          one unit.  Its links are those of its nodes, and then those of the
 *          outer units that its NICs form: rail after rail, or one after the
 *          other.
 */
#ifndef NETWORK_TOPOLOGIES_NESTED_H
#define NETWORK_TOPOLOGIES_NESTED_H

#include "network/topology_impl.h"

typedef struct {
    Topology *inner;       /* owned: the topology inside each node */
    Topology *outer;       /* owned: the topology that connects the nodes */
    uint32_t count;        /* number of nodes */
    uint32_t n_nics;       /* number of NICs of a node */
    uint32_t n_inner;      /* number of NPUs of a node */
    uint32_t n_forwarders; /* number of forwarders of a node, including NICs */
    uint32_t n_outers;     /* number of outer topologies: one per rail, or 1 */
    /* Number of links of a node, without links of outer topologies. */
    uint32_t node_ports;
    uint32_t unit_nodes; /* number of nodes of a unit */
    /* Number of units of outer topologies in a unit, and of links of each.  If
     * all nodes are one unit, outer topologies count as one unit each. */
    uint32_t n_outer_units, outer_ports;
    uint32_t first_outer; /* node id of the first outer forwarder */
    gboolean rails, has_own_nics;
    /* TRUE: a unit is the nodes below whole units of the outer topology.
     * FALSE: all nodes are one unit. */
    gboolean has_several_units;
    uint32_t *nic_of; /* owned: the NIC of each NPU of a node */
} Nested;

/* ---- nested_fields.c -------------------------------------------------- */

typedef struct {
    TopologyLink link; /* if its bandwidth is 0, it is not configured */
} NicParams;

typedef struct {
    uint64_t count, n_nics;
    ConfigVariant inner, outer;
    NicParams nic;
    gboolean rails;
} NestedParams;

extern const ConfigField nested_fields[];

/* ---- nested_paths.c --------------------------------------------------- */

void nested_topology_free(Topology *topology);
uint32_t nested_next_link(const Topology *topology, uint32_t node, uint32_t dst,
                          uint32_t path_id);
gboolean nested_get_link_nodes(const Topology *topology, uint32_t unit,
                               uint32_t port, uint32_t *ret_from,
                               uint32_t *ret_to);
/* Sets which dimensions reduce, after all dimensions are set.  An inner
 * dimension reduces within a node.  An outer dimension reduces among the NPUs
 * with the same number in their nodes, over their NICs. */
void nested_set_dims_with_switch_reduction(Topology *topology);
gboolean nested_node_can_reduce(const Topology *topology, uint32_t node,
                                uint32_t dim);
gboolean nested_link_is_dateline(const Topology *topology, uint32_t unit,
                                 uint32_t port);

#endif
