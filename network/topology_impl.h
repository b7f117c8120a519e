/* topology_impl.h - for topology.c and topologies/ only */
#ifndef NETWORK_TOPOLOGY_IMPL_H
#define NETWORK_TOPOLOGY_IMPL_H

#include "network/topology.h"

struct Topology {
    const struct TopologyOps *ops; /* static */
    uint32_t n_npus, n_nodes, n_units, n_dims, n_ports, n_limits;
    uint32_t n_nics; /* nodes behind the NPUs that ways may be asked to */
    uint32_t planes; /* of what links there are: a plane for each reach */
    uint32_t n_ends; /* that it is to join, where it does not say; 0: it must */
    TopologyDim dims[TOPOLOGY_MAX_DIMS];
    TopologyPort *ports;   /* owned, n_ports of them */
    TopologyLimit *limits; /* owned, n_limits of them */
    Symmetry symmetry;
    gboolean is_torus, is_pairwise;
    uint32_t adds; /* bit d: the switches of dimension d add, */
    TopologyAdder adders[TOPOLOGY_MAX_DIMS]; /* so */
    gpointer kind; /* what the kind keeps; freed by its free() */
};

/* What a kind does.  `init` sets all of the Topology; of `joins` the link is
 * taken apart. */
typedef struct TopologyOps {
    ConfigKind base;
    gboolean (*init)(Topology *topology, const ConfigVariant *config,
                     GError **error);
    void (*free)(Topology *topology); /* NULL: nothing to free */
    uint32_t (*next)(const Topology *topology, uint32_t at, uint32_t dst,
                     uint32_t way);
    gboolean (*joins)(const Topology *topology, uint32_t unit, uint32_t port,
                      uint32_t *ret_from, uint32_t *ret_to);
    /* next() takes so long that networks keep what it said. */
    gboolean next_is_slow;
    /* Whether node @at adds along @dim; NULL where nothing adds. */
    gboolean (*adds_at)(const Topology *topology, uint32_t at, uint32_t dim);
    /* NULL: none is. */
    gboolean (*is_dateline)(const Topology *topology, uint32_t unit,
                            uint32_t port);
    /* It is proved that packets do not wait for each other for ever; else
     * topology_check_packets() looks at all ways. */
    gboolean packets_are_proved;
} TopologyOps;

/* A link class as users write it. */
typedef struct {
    uint64_t n_links;
    uint64_t bandwidth_bytes_per_s;
    uint64_t latency_ps;
    uint64_t efficiency_ppm;
    int reach; /* in topology_reach_choices */
} TopologyLink;

/* "auto", and behind it a name for each TopologyReach. */
extern const char *const topology_reach_choices[];

/* Its rows in a field table; @Struct.link is a TopologyLink. */
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
          .min = UINT64_C(1000),                                               \
          .max = UINT64_C(1000000000000000) },                                 \
        { .key = "latency",                                                    \
          .help = "propagation over one link",                                 \
          .type = CONFIG_TIME,                                                 \
          .offset = offsetof(Struct, link.latency_ps),                         \
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

/* A topology that is to join @n_ends, as the outer one of `nested` is. */
G_GNUC_WARN_UNUSED_RESULT
Topology *topology_new_for(const ConfigVariant *config, uint32_t n_ends,
                           GError **error);

/* How many NPUs there are, of which users gave @n_given; CONFIG_AUTO: as many
 * as are to be joined.  FALSE: nobody says. */
G_GNUC_WARN_UNUSED_RESULT
gboolean topology_n_joined(const Topology *topology, uint64_t n_given,
                           const ConfigNode *where, uint32_t *ret,
                           GError **error);

/* Fills *@port; @name is copied.  @n_links may be fewer than link->n_links
 * (one direction's part of them).  Where the reach is to be found out it is
 * TOPOLOGY_NEAR. */
void topology_set_port(TopologyPort *port, const char *name, uint32_t dim,
                       uint32_t n_links, const TopologyLink *link);

#endif
