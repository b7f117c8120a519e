/*
 * topology.h - nodes, links, and the path from one NPU to another
 *
 * A topology is static.  Its nodes are the NPUs, 0 .. n-1, where messages start
 * and stop, followed by the forwarders, such as switches and NICs, which only
 * pass messages on.  NPUs may pass messages on as well.
 *
 * A link is directed.  One link represents all parallel links from a node to
 * another.  Links are numbered by units (symmetry_classes.h):
 *
 *     link = port + ports * unit
 *
 * Port p has the same name, rate and latency in every unit.  If each NPU is a
 * unit, an NPU and a port name a link.  If the whole topology is one unit, as
 * in a `graph`, a port is a link.  The links that would lead beyond the end of
 * a line are absent.
 *
 * The table of kinds is in topology.c; each kind is a file in topologies/.
 *
 * Units    bytes per second, ps
 * Errors   CONFIG_ERROR at the invalid part of the configuration
 * Owner    the caller owns the Topology
 */
#ifndef NETWORK_TOPOLOGY_H
#define NETWORK_TOPOLOGY_H

#include "network/path_id.h"
#include "sim/config/config.h"
#include "sim/core/time.h"

#define TOPOLOGY_NONE     UINT32_MAX /* stands for no node or no link */
#define TOPOLOGY_MAX_DIMS 5
/* The maximum number of dimensions of a Symmetry: those within a node, the
 * nodes of a unit, and those of the units. */
#define SYMMETRY_MAX_DIMS (2 * TOPOLOGY_MAX_DIMS + 1)
#define TOPOLOGY_MAX_NPUS (1U << 24)
/* The maximum number of links of a unit, and of all links.  Link numbers are of
 * 32 bits. */
#define TOPOLOGY_MAX_PORTS (1U << 20)
#define TOPOLOGY_MAX_LINKS (1U << 31)

typedef struct Topology Topology;

extern const ConfigRegistry topology_registry;

/* The properties of a link.  Parallel links have the same. */
typedef struct {
    const char *name; /* "dim0+", "up"; owned by the topology */
    uint32_t dim;     /* its dimension; 0 if the topology has none */
    TopologyReach reach;
    uint32_t n_links;               /* number of parallel links */
    uint64_t bandwidth_bytes_per_s; /* raw rate of one link */
    uint64_t payload_bytes_per_s;   /* rate times efficiency of one link */
    SimTime latency_ps;
    /* The symmetric part of the unit to which the link belongs, and the
     * difference of the numbers of this port and the same port of the next
     * part; both are 0 if a unit is one part. */
    uint32_t part, part_stride;
} TopologyPort;

/* How the NPUs of a row are connected.  A row is a set of NPUs that differ only
 * in one dimension. */
typedef enum {
    TOPOLOGY_RING,
    TOPOLOGY_LINE,
    TOPOLOGY_SWITCH, /* the NPUs share a non-blocking switch */
    TOPOLOGY_FULL,   /* one link connects each pair of NPUs */
    TOPOLOGY_OTHER,  /* the connections have no regular shape */
} TopologyShape;

/* The names of all shapes but TOPOLOGY_OTHER, then NULL. */
extern const char *const topology_shape_names[];

/* A dimension of the grid of NPUs.  NPUs that form no grid have one dimension.
 * Dimension 0 varies fastest in NPU ids. */
typedef struct {
    uint32_t size;
    gboolean both_ways; /* the links of a ring lead in both directions */
    TopologyShape shape;
} TopologyDim;

/* The symmetries that a topology offers; see symmetry_classes.h.  Its parts, in
 * the order of their NPUs, form a grid of these dimensions.  A part is a whole
 * unit, or one NPU of a unit with the links that belong to it.  In the latter
 * case the first dimensions are those within a unit, and a translation along
 * them moves the parts of all units at once. */
typedef struct {
    uint32_t n_dims;
    struct {
        uint32_t size;
        gboolean translates; /* translation along it is a symmetry */
    } dims[SYMMETRY_MAX_DIMS];
    uint32_t unit_ends; /* number of NPUs of a unit */
    uint32_t part_ends; /* number of NPUs of a part: .unit_ends or 1 */
    /* Number of NPUs of a node of `nested`, else .unit_ends.  A unit has whole
     * nodes. */
    uint32_t node_ends;
    /* Every permutation of the units is a symmetry of the links in use, as on a
     * switch.  Any factorisation of the number of units may serve as dims. */
    gboolean any_order;
    /* Every permutation of the parts of a node, made in all nodes, is
     * one, too. */
    gboolean any_part_order;
} Symmetry;

/* In-switch reduction: the switches of a dimension add the messages that meet
 * there.  See in_switch_reduction.h. */
typedef struct {
    uint64_t bytes_per_s; /* rate per link; 0: as fast as the link */
    SimTime latency_ps;
} TopologySwitchAdder;

/* The joint capacity of several links of a unit, such as those of a PCIe root
 * or a TCP stack. */
typedef struct {
    const char *name; /* owned by the topology */
    uint64_t bytes_per_s;
    uint32_t n_ports;
    const uint32_t *ports; /* owned by the topology */
} TopologyLimit;

/* Creates the topology that @config describes.  Returns NULL and sets @error if
 * @config is invalid. */
G_GNUC_WARN_UNUSED_RESULT
Topology *topology_new(const ConfigVariant *config, GError **error);
void topology_free(Topology *topology);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Topology, topology_free)

const char *topology_kind(const Topology *topology);
uint32_t topology_n_npus(const Topology *topology);
uint32_t topology_n_nodes(const Topology *topology);
uint32_t topology_n_dims(const Topology *topology);
const TopologyDim *topology_dimension(const Topology *topology, uint32_t dim);

/* Returns the symmetries that @topology offers, borrowed from it. */
const Symmetry *topology_get_symmetry(const Topology *topology);

/* topology_n_ports() returns the number of links of a unit. topology_get_port()
 * returns the properties of link @port of every unit. */
uint32_t topology_n_ports(const Topology *topology);
const TopologyPort *topology_get_port(const Topology *topology, uint32_t port);
/* Returns the number of links of all symmetric units, including absent ones. */
uint32_t topology_n_links(const Topology *topology);
/* topology_n_limits() returns the number of limits of one unit, and
 * topology_get_limit() one of them.  Every unit has its own instance of each
 * limit. */
uint32_t topology_n_limits(const Topology *topology);
const TopologyLimit *topology_get_limit(const Topology *topology,
                                        uint32_t limit);

/* Returns whether all dimensions are rings. */
gboolean topology_is_torus(const Topology *topology);

/* Returns whether each pair of NPUs has a private link.  If collectives
 * with rotation symmetry and with XOR symmetry both run on such links, no two
 * NPUs are equivalent. */
gboolean topology_has_link_per_npu_pair(const Topology *topology);

/* Returns how the switches of dimension @dim reduce messages, or NULL if they
 * do not.  The messages are addressed to their own sender. */
const TopologySwitchAdder *topology_in_switch_adder(const Topology *topology,
                                                    uint32_t dim);

/* Returns the link that a message takes at node @node towards NPU @dst.
 * @path_id is a path id (path_id.h).  @dst may be @node only if the path leads
 * up to a switch that reduces.  Returns TOPOLOGY_NONE if no path keeps to the
 * plane.  A message that takes the next link at each node reaches @dst. */
uint32_t topology_next_link(const Topology *topology, uint32_t node,
                            uint32_t dst, uint32_t path_id);
/* Returns whether it is faster to look up the results of topology_next_link()
 * in a cache than to compute them again. */
gboolean topology_should_cache_next_links(const Topology *topology);

/* Sets the nodes that @link connects.  Returns FALSE and sets both to
 * TOPOLOGY_NONE if @link is absent. */
gboolean topology_get_link_nodes(const Topology *topology, uint32_t link,
                                 uint32_t *ret_from, uint32_t *ret_to);
/* Returns the node that @link leads to, or TOPOLOGY_NONE if it is absent. */
uint32_t topology_link_target(const Topology *topology, uint32_t link);

#endif
