/*
 * paths.h - paths between NPUs: how far they lead, and whether they exist
 *
 * A path keeps to its plane (path_id.h) if the kind of topology can choose
 * among links of different reaches.  A `graph` can, and so can a `nested`
 * topology of one. Other kinds have one path, which is valid only if it happens
 * to keep to the plane.
 *
 * Errors   CONFIG_ERROR
 * Cost     O(1) if all links have one reach; otherwise the hops of the path, up
 *          to the first link of the furthest reach
 */
#ifndef NETWORK_PATHS_H
#define NETWORK_PATHS_H

#include "network/topology.h"

/* Returns the path id with which a message continues at node @node.  If
 * @path_id leads up and @node is the switch that reduces, that is the path
 * down; otherwise it is @path_id. */
uint32_t topology_path_id_after_switch(const Topology *topology, uint32_t node,
                                       uint32_t path_id);

/* Returns the furthest reach of the links on path @path_id from NPU @src to NPU
 * @dst, or TOPOLOGY_N_REACHES if no path keeps to the plane. */
TopologyReach topology_path_reach(const Topology *topology, uint32_t src,
                                  uint32_t dst, uint32_t path_id);

/* Returns FALSE and sets @error at @where if no path from NPU @src to NPU @dst
 * keeps to @plane. */
G_GNUC_WARN_UNUSED_RESULT
gboolean topology_check_path(const Topology *topology, uint32_t src,
                             uint32_t dst, uint32_t plane,
                             const ConfigNode *where, GError **error);

/* ---- bandwidth and NICs ------------------------------------------------ */

/* Returns the bandwidth, in bytes per second before efficiency, of the links of
 * @reach that leave an NPU: the mean over all NPUs.  For TOPOLOGY_NETWORK the
 * links that leave NICs count as well. */
uint64_t topology_mean_npu_bandwidth(const Topology *topology,
                                     TopologyReach reach);

/* Returns the number of NICs: the nodes of kind nic, or the nodes that have
 * links both to the host and to the network. */
uint32_t topology_n_nics(const Topology *topology);

#endif
