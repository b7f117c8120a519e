/*
 * topology.h - who is connected to whom, and the way from one NPU to another
 *
 * A topology is static.  Its nodes are the NPUs, 0 .. n-1, and TOPOLOGY_CORE,
 * one place that stands for the inside of a switch.  Every link belongs to an
 * NPU and goes out of one of its ports; all links of a port are parallel, and
 * port p is alike at every NPU.  Which NPUs cannot be told apart is told by
 * symmetry.h.
 *
 * The table of kinds is in topology.c; each kind is a file in topologies/.
 *
 * Units    bytes per second, ps
 * Errors   CONFIG_ERROR at the node that is wrong
 * Owner    the caller owns the Topology
 */
#ifndef NETWORK_TOPOLOGY_H
#define NETWORK_TOPOLOGY_H

#include "sim/config/config.h"
#include "sim/core/time.h"

#define TOPOLOGY_CORE     UINT32_MAX
#define TOPOLOGY_MAX_DIMS 5
#define TOPOLOGY_MAX_NPUS (1U << 24)

typedef struct Topology Topology;

extern const ConfigRegistry topology_registry;

/* What all links of one port have in common. */
typedef struct {
    const char *name;               /* "dim0+", "up"; owned by the topology */
    uint32_t dim;                   /* of the torus; 0 elsewhere */
    uint32_t n_links;               /* parallel */
    uint64_t bandwidth_bytes_per_s; /* of one link, before efficiency */
    uint64_t payload_bytes_per_s;   /* of one link, after it */
    SimTime latency_ps;
} TopologyPort;

/* A dimension of the grid that the NPUs form; one of all NPUs if they form
 * none.  NPU ids count dimension 0 fastest. */
typedef struct {
    uint32_t size;
    gboolean both_ways; /* a ring can be driven in either direction */
} TopologyDim;

/* What a switch adds with: see meeting.h. */
typedef struct {
    uint64_t bytes_per_s; /* of every port; 0: as fast as links bring them */
    SimTime latency_ps;
} TopologyAdder;

G_GNUC_WARN_UNUSED_RESULT
Topology *topology_new(const ConfigVariant *config, GError **error);
void topology_free(Topology *topology);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Topology, topology_free)

const char *topology_kind(const Topology *topology);
uint32_t topology_n_npus(const Topology *topology);
uint32_t topology_n_dims(const Topology *topology);
const TopologyDim *topology_dim(const Topology *topology, uint32_t dim);
uint32_t topology_n_ports(const Topology *topology);
const TopologyPort *topology_port(const Topology *topology, uint32_t port);

/* TRUE when ring neighbours along a dimension are joined by a link of it, so
 * that a collective can be cut into phases by dimension. */
gboolean topology_is_torus(const Topology *topology);

/* TRUE when each pair of NPUs has a link of its own: then rotations and XOR
 * of ranks load different links, and NPUs that mix them can be told apart. */
gboolean topology_is_pairwise(const Topology *topology);

/* TOPOLOGY_CORE adds what all NPUs send up to it, each addressed to itself,
 * with this; NULL: it does not. */
const TopologyAdder *topology_adder(const Topology *topology);

/* The link to take at @at towards @dst != @at (where there is an adder an NPU's
 * way to itself leads over it): port *@ret_port of the NPU
 * that is returned.  @way (0 or 1) settles ties between the two directions
 * of a ring.  Following next links reaches @dst in a bounded number of hops. */
uint32_t topology_next(const Topology *topology, uint32_t at, uint32_t dst,
                       uint32_t way, uint32_t *ret_port);

/* The far end of @port of @owner. */
uint32_t topology_end(const Topology *topology, uint32_t owner, uint32_t port);

#endif
