/* topology_impl.h - the representation of a Topology, for topology.c and
 * topologies/ */
#ifndef NETWORK_TOPOLOGY_IMPL_H
#define NETWORK_TOPOLOGY_IMPL_H

#include "network/topology.h"

struct Topology {
    const struct TopologyOps *ops; /* static */
    uint32_t n_npus, n_nodes, n_units, n_dims, n_ports, n_limits;
    uint32_t n_nics; /* nodes n_npus .. n_npus + n_nics - 1, valid as targets */
    uint32_t planes; /* bit mask of the reaches of all links */
    /* Number of ends that the enclosing topology sets for a kind whose size is
     * not configured; 0: the size must be configured. */
    uint32_t n_ends;
    TopologyDim dims[TOPOLOGY_MAX_DIMS];
    TopologyPort *ports;   /* owned: the n_ports ports of a unit */
    TopologyLimit *limits; /* owned: the n_limits limits of a symmetric unit */
    Symmetry symmetry;
    gboolean is_torus, is_pairwise;
    uint32_t adds; /* bit d: the switches of dimension d reduce */
    TopologySwitchAdder
        adders[TOPOLOGY_MAX_DIMS]; /* valid where .adds is set */
    gpointer kind; /* owned: private data of the kind, freed by its free() */
};

/* The functions of a kind.  init() sets all fields of the Topology.
 * get_link_nodes() gets a link as its unit and port. */
typedef struct TopologyOps {
    ConfigKind base;
    gboolean (*init)(Topology *topology, const ConfigVariant *config,
                     GError **error);
    void (*free)(Topology *topology); /* NULL if there is nothing to free */
    uint32_t (*next)(const Topology *topology, uint32_t at, uint32_t dst,
                     uint32_t path_id);
    gboolean (*get_link_nodes)(const Topology *topology, uint32_t unit,
                               uint32_t port, uint32_t *ret_from,
                               uint32_t *ret_to);
    /* next() is slow, so networks cache its results. */
    gboolean next_is_slow;
    /* Returns whether node @at reduces messages of dimension @dim.  NULL if no
     * node does. */
    gboolean (*node_reduces)(const Topology *topology, uint32_t at,
                             uint32_t dim);
    /* Returns whether the link is the dateline of its ring.  NULL if no link
     * is. */
    gboolean (*is_dateline)(const Topology *topology, uint32_t unit,
                            uint32_t port);
    /* The routing of the kind is proved to be free of deadlock.  If FALSE,
     * topology_check_no_packet_deadlock() examines all paths. */
    gboolean packets_are_proved;
} TopologyOps;

/* The properties of a link as the configuration gives them. */
typedef struct {
    uint64_t n_links;
    uint64_t bandwidth_bytes_per_s;
    uint64_t latency_ps;
    uint64_t efficiency_ppm;
    int reach; /* index into topology_reach_choices */
} TopologyLink;

/* "auto", followed by one name for each TopologyReach. */
extern const char *const topology_reach_choices[];

/* Rates and latencies of one link that networks usually have, from Ethernet of
 * 100 Mb/s to links on a wafer, and 200 km of fibre (assumed).  Others are
 * probably slips of the unit. */
#define TOPOLOGY_USUAL_MIN_BYTES_PER_S UINT64_C(10000000)
#define TOPOLOGY_USUAL_MAX_BYTES_PER_S UINT64_C(20000000000000)
#define TOPOLOGY_USUAL_MAX_LATENCY_PS  UINT64_C(1000000000)

/* The rows of a field table for a link.  @Struct.link is a TopologyLink. */
#define TOPOLOGY_LINK_FIELDS(Struct, links_help)                               \
    { .key = "links",                                                          \
      .help = links_help,                                                      \
      .type = CONFIG_COUNT,                                                    \
      .offset = offsetof(Struct, link.n_links),                                \
      .min = 1,                                                                \
      .max = 64,                                                               \
      .fallback = "1" },                                                       \
        { .key = "bandwidth",                                                  \
          .help = "of one link, one direction",                                \
          .type = CONFIG_BANDWIDTH,                                            \
          .offset = offsetof(Struct, link.bandwidth_bytes_per_s),              \
          .usual_min = TOPOLOGY_USUAL_MIN_BYTES_PER_S,                         \
          .usual_max = TOPOLOGY_USUAL_MAX_BYTES_PER_S,                         \
          .min = UINT64_C(1000),                                               \
          .max = UINT64_C(1000000000000000) },                                 \
        { .key = "latency",                                                    \
          .help = "propagation over one link",                                 \
          .type = CONFIG_TIME,                                                 \
          .offset = offsetof(Struct, link.latency_ps),                         \
          .usual_max = TOPOLOGY_USUAL_MAX_LATENCY_PS,                          \
          .max = UINT64_C(1000000000000) },                                    \
        { .key = "efficiency",                                                 \
          .help = "payload bytes over bytes on the wire",                      \
          .type = CONFIG_FRACTION,                                             \
          .offset = offsetof(Struct, link.efficiency_ppm),                     \
          .min = 10000,                                                        \
          .max = 1000000,                                                      \
          .fallback = "100 %",                                                 \
          .source = "no header" },                                             \
    {                                                                          \
        .key = "reach",                                                        \
        .help = "from NPU to NPU or their switch, through the host, or out "   \
                "of the machine; auto: near, in a graph by the ends, in the "  \
                "outer topology of nested network",                            \
        .type = CONFIG_ENUM, .offset = offsetof(Struct, link.reach),           \
        .names = topology_reach_choices, .fallback = "auto",                   \
        .source = "by what it joins"                                           \
    }

/* Same as topology_new(), for a topology that connects @n_ends ends, such as
 * the outer topology of `nested`. */
G_GNUC_WARN_UNUSED_RESULT
Topology *topology_new_with_n_ends(const ConfigVariant *config, uint32_t n_ends,
                                   GError **error);

/* Sets *@ret to the number of NPUs: @n_given, or the number of ends of
 * @topology if @n_given is CONFIG_AUTO.  Returns FALSE and sets @error if
 * neither is known. */
G_GNUC_WARN_UNUSED_RESULT
gboolean topology_resolve_n_npus(const Topology *topology, uint64_t n_given,
                                 const ConfigNode *where, uint32_t *ret,
                                 GError **error);

/* Sets *@port and copies @name.  @n_links may be smaller than link->n_links: it
 * is the number of links in one direction.  The reach "auto" becomes
 * TOPOLOGY_NEAR. */
void topology_set_port(TopologyPort *port, const char *name, uint32_t dim,
                       uint32_t n_links, const TopologyLink *link);

#endif
