/*
 * way.h - ways from end to end: how far they lead, and whether there are any
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

#endif
