/*
 * topology.h - which nodes there are, how they are joined, and the way from
 * one NPU to another
 *
 * A topology is static.  Its nodes are the NPUs, 0 .. n-1, where messages
 * start and stop, and then forwarders: switches, NICs, whatever only passes
 * messages on.  NPUs may pass messages on as well.
 *
 * A link is directed, from a node to a node, and belongs to nobody; it stands
 * for all parallel ones.  Links are numbered by units (symmetry.h):
 *
 *     link = port + ports * unit
 *
 * where port p of every unit has the same name, rate and latency.  So where
 * each NPU is a unit, port and NPU name a link; where all is one unit, as in a
 * `graph`, a port is a link.  Links that would lead on from the end of a line
 * are absent.
 *
 * The table of kinds is in topology.c; each kind is a file in topologies/.
 *
 * Units    bytes per second, ps
 * Errors   CONFIG_ERROR at the node that is wrong
 * Owner    the caller owns the Topology
 */
#ifndef NETWORK_TOPOLOGY_H
#define NETWORK_TOPOLOGY_H

#include "network/reach.h"
#include "sim/config/config.h"
#include "sim/core/time.h"

#define TOPOLOGY_NONE     UINT32_MAX /* no node, no link */
#define TOPOLOGY_MAX_DIMS 5
#define TOPOLOGY_MAX_NPUS (1U << 24)
/* Links of a unit; of all units there are so many that numbers suffice. */
#define TOPOLOGY_MAX_PORTS (1U << 20)
#define TOPOLOGY_MAX_LINKS (1U << 31)

typedef struct Topology Topology;

extern const ConfigRegistry topology_registry;

/* What a link is like, that is, all parallel ones. */
typedef struct {
    const char *name; /* "dim0+", "up"; owned by the topology */
    uint32_t dim;     /* along which it leads; 0 if there is none */
    TopologyReach reach;
    uint32_t n_links;               /* parallel */
    uint64_t bandwidth_bytes_per_s; /* of one link, before efficiency */
    uint64_t payload_bytes_per_s;   /* of one link, after it */
    SimTime latency_ps;
} TopologyPort;

/* How the NPUs of a row, which differ in one dimension, are joined. */
typedef enum {
    TOPOLOGY_RING,
    TOPOLOGY_LINE,
    TOPOLOGY_SWITCH, /* by a switch that is never in the way */
    TOPOLOGY_FULL,   /* each with each */
    TOPOLOGY_OTHER,  /* in no way that a plan could make use of */
} TopologyShape;

extern const char *const topology_shape_names[]; /* but for the last */

/* A dimension of the grid that the NPUs form; one of all NPUs if they form
 * none.  NPU ids count dimension 0 fastest. */
typedef struct {
    uint32_t size;
    gboolean both_ways; /* a ring can be driven in either direction */
    TopologyShape shape;
} TopologyDim;

/* What can be moved onto each other: see symmetry.h.  Units, in the order of
 * their numbers, are a grid of these dimensions. */
typedef struct {
    uint32_t n_dims;
    struct {
        uint32_t size;
        gboolean translates; /* translation along it is a symmetry */
    } dims[TOPOLOGY_MAX_DIMS];
    uint32_t unit_ends; /* NPUs of a unit */
    /* Every permutation of the units is a symmetry of the links in use, as on
     * a switch: any factorisation of their number may be taken as dims. */
    gboolean any_order;
} Symmetry;

/* What the switches of a dimension do with messages that meet there: they add
 * them.  See meeting.h. */
typedef struct {
    uint64_t bytes_per_s; /* of every link; 0: as fast as links bring them */
    SimTime latency_ps;
} TopologyAdder;

/* What some links of a unit can carry together: a PCIe root, a TCP stack. */
typedef struct {
    const char *name; /* owned by the topology */
    uint64_t bytes_per_s;
    uint32_t n_ports;
    const uint32_t *ports; /* owned by the topology */
} TopologyLimit;

G_GNUC_WARN_UNUSED_RESULT
Topology *topology_new(const ConfigVariant *config, GError **error);
void topology_free(Topology *topology);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Topology, topology_free)

const char *topology_kind(const Topology *topology);
uint32_t topology_n_npus(const Topology *topology);
uint32_t topology_n_nodes(const Topology *topology);
uint32_t topology_n_dims(const Topology *topology);
const TopologyDim *topology_dim(const Topology *topology, uint32_t dim);

/* What @topology offers, borrowed from it. */
const Symmetry *topology_symmetry(const Topology *topology);

/* Links of a unit, and what link @port of every unit is like. */
uint32_t topology_n_ports(const Topology *topology);
const TopologyPort *topology_port(const Topology *topology, uint32_t port);
/* Of all units, those that are absent included. */
uint32_t topology_n_links(const Topology *topology);
/* Limits on links of a unit; every unit has limits of its own. */
uint32_t topology_n_limits(const Topology *topology);
const TopologyLimit *topology_limit(const Topology *topology, uint32_t limit);

/* TRUE when all dimensions are rings. */
gboolean topology_is_torus(const Topology *topology);

/* TRUE when each pair of NPUs has a link of its own: then NPUs can be told
 * apart where some collectives go by rotations and others by XOR of ranks. */
gboolean topology_is_pairwise(const Topology *topology);

/* A node between those NPUs that differ in dimension @dim only adds what they
 * send up to it, each addressed to itself; NULL: none does. */
const TopologyAdder *topology_adder(const Topology *topology, uint32_t dim);

/* The link to take at node @at towards NPU @dst != @at (an NPU's way to itself
 * leads up to an adder), or TOPOLOGY_NONE, if no way keeps to the plane of
 * @way; see way.h.  The turn of it settles ties.  Following next links reaches
 * @dst in a bounded number of hops. */
uint32_t topology_next(const Topology *topology, uint32_t at, uint32_t dst,
                       uint32_t way);
/* TRUE: it is faster to keep what topology_next() said than to ask again. */
gboolean topology_next_is_slow(const Topology *topology);

/* The nodes that @link joins; FALSE, and both TOPOLOGY_NONE: it is absent. */
gboolean topology_joins(const Topology *topology, uint32_t link,
                        uint32_t *ret_from, uint32_t *ret_to);
/* Where it leads, or TOPOLOGY_NONE. */
uint32_t topology_to(const Topology *topology, uint32_t link);

#endif
