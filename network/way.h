/*
 * way.h - ways from end to end: how far they lead, whether there are any, and
 * what there is of links
 *
 * A way keeps to its plane (reach.h) where the kind of topology offers another
 * for it: a `graph` does, and what is `nested` of one; elsewhere there is one
 * way, which keeps to the plane or does not.
 *
 * Errors   CONFIG_ERROR
 * Cost     one look at a topology whose links are all of one reach; else the
 *          hops of the way, up to the first link of the furthest reach
 */
#ifndef NETWORK_WAY_H
#define NETWORK_WAY_H

#include "network/topology.h"

/* At node @at, the way on of who has come by @way: where it leads up and this
 * is the node that adds, down. */
uint32_t topology_way_on(const Topology *topology, uint32_t at, uint32_t way);

/* The furthest that a link leads of the way from NPU @src to NPU @dst that
 * @way asks for; TOPOLOGY_N_REACHES: none keeps to its plane. */
TopologyReach topology_reach(const Topology *topology, uint32_t src,
                             uint32_t dst, uint32_t way);

/* FALSE, with the names of both at @where: no way from NPU @src to NPU @dst
 * keeps to @plane. */
G_GNUC_WARN_UNUSED_RESULT
gboolean topology_check_way(const Topology *topology, uint32_t src,
                            uint32_t dst, uint32_t plane,
                            const ConfigNode *where, GError **error);

/* ---- what there is of links -------------------------------------------- */

/* What leaves an NPU over links of @reach, in bytes a second before
 * efficiency, the mean of all; of TOPOLOGY_NETWORK what leaves its share of the
 * NICs, too. */
uint64_t topology_rate(const Topology *topology, TopologyReach reach);

/* Nodes of kind nic, or those between the host and the network. */
uint32_t topology_n_nics(const Topology *topology);

#endif
