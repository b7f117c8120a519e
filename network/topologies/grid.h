/*
 * grid.h - NPUs in rows, connected by a ring, a line, a switch or all links in
 * each dimension
 *
 * NPU id = x0 + size0 * (x1 + size1 * (x2 + ...)), and each NPU is a unit.  The
 * NPUs that differ only in dimension d form a row of dimension d, which is
 * connected by
 *
 *     ring    links "+" and "-", or only "+" in a one-way ring.  The shorter
 *             way round is taken; if both are equally long, the turn decides.
 *     line    links "+" and "-", without "+" of the last and "-" of the first
 *             NPU
 *     switch  links up and down; the switch of a row is a separate node
 *     full    links to each other NPU of the row: "to+1" to the next one, ...
 *
 * Routing is dimension by dimension, lowest first.  Translations are symmetries
 * along all dimensions except lines.
 *
 * Assumes  wrap-around links are as long as the others (folded torus)
 */
#ifndef NETWORK_TOPOLOGIES_GRID_H
#define NETWORK_TOPOLOGIES_GRID_H

#include "network/topology_impl.h"

/* In-switch reduction as the configuration gives it. */
typedef struct {
    gboolean reduces;
    uint64_t bytes_per_s, latency_ps;
} GridReductionParams;

typedef struct {
    TopologyShape shape;
    uint64_t size;
    gboolean one_way; /* the dimension is a ring with links in one direction */
    /* The links of this dimension.  Both directions of a line or a two-way ring
     * share them. */
    TopologyLink link;
    GridReductionParams
        adder; /* in-switch reduction, if the dimension has switches */
} GridDim;

/* Sets all fields of @topology.  @names is the prefix of port names, followed
 * by the number of the dimension; it may be NULL if there is one dimension.
 * @where is the list of dimensions, for errors. */
gboolean grid_topology_init(Topology *topology, const GridDim *dims,
                            uint32_t n_dims, const char *names,
                            const ConfigNode *where, GError **error);

/* ---- kinds that list their dimensions -------------------------------- */

/* The maximum size of a fully connected row.  An NPU has n - 1 ports, so a
 * larger row is not a realistic machine. */
#define GRID_MAX_FULL 4096

typedef enum {
    GRID_BOTH_WAYS,
    GRID_ONE_WAY,
} GridDirection;

/* The rows of a field table that configure in-switch reduction.  @Struct.adder
 * is a TopologySwitchAdder. */
#define GRID_ADDER_FIELDS(Struct, Of)                                          \
    { .key = "reduces",                                                        \
      .help = Of "it adds what all NPUs send, and multicasts",                 \
      .type = CONFIG_BOOL,                                                     \
      .offset = offsetof(Struct, adder.reduces),                               \
      .fallback = "false",                                                     \
      .source = "not more than a crossbar" },                                  \
        { .key = "reduce_rate",                                                \
          .help = "bytes of every port that it adds a second; 0: as fast as "  \
                  "the links bring them",                                      \
          .type = CONFIG_BANDWIDTH,                                            \
          .offset = offsetof(Struct, adder.bytes_per_s),                       \
          .max = UINT64_C(1000000000000000),                                   \
          .fallback = "0 GB/s",                                                \
          .source = "assumed: NVLS keeps up with its links" },                 \
    {                                                                          \
        .key = "reduce_latency",                                               \
        .help = "between the last message's head and the sum's",               \
        .type = CONFIG_TIME, .offset = offsetof(Struct, adder.latency_ps),     \
        .usual_max = TOPOLOGY_USUAL_MAX_LATENCY_PS,                            \
        .max = UINT64_C(1000000000000), .fallback = "0 ns",                    \
        .source = "assumed: within the latency of the links"                   \
    }

/* A dimension as the configuration gives it.  A field is 0 if the kind of
 * topology has no such key. */
typedef struct {
    int shape; /* TopologyShape, for kinds with a shape per dimension */
    uint64_t size;
    int direction; /* GridDirection */
    TopologyLink link;
    GridReductionParams adder;
} GridDimParams;

typedef struct {
    ConfigList dims; /* elements are GridDimParams */
} GridParams;

extern const char *const grid_direction_names[];

/* The rows of the field table of one dimension. */
#define GRID_SIZE_FIELD                                                        \
    {                                                                          \
        .key = "size", .help = "NPUs in this dimension", .type = CONFIG_COUNT, \
        .offset = offsetof(GridDimParams, size), .min = 1,                     \
        .max = TOPOLOGY_MAX_NPUS                                               \
    }
#define GRID_DIRECTION_FIELD(Of)                                               \
    {                                                                          \
        .key = "direction",                                                    \
        .help = Of "whether the links are shared between + and - or all go +", \
        .type = CONFIG_ENUM, .offset = offsetof(GridDimParams, direction),     \
        .names = grid_direction_names, .fallback = "both",                     \
        .source = "assumed: rings of full-duplex cables"                       \
    }

/* The field of a grid that lists its dimensions.  @Fields is the field table of
 * one dimension. */
#define GRID_DIM_ITEM(Fields)                                                  \
    {                                                                          \
        .key = "dim", .help = "one dimension", .type = CONFIG_SECTION,         \
        .fields = (Fields)                                                     \
    }
#define GRID_DIMS_FIELD(Item)                                                  \
    {                                                                          \
        .key = "dims", .help = "dimensions, the fastest (innermost) first",    \
        .type = CONFIG_LIST, .offset = offsetof(GridParams, dims), .min = 1,   \
        .max = TOPOLOGY_MAX_DIMS, .item = &(Item),                             \
        .item_size = sizeof(GridDimParams)                                     \
    }

/* Calls grid_topology_init() with the GridParams in @config.  All dimensions
 * get @shape; TOPOLOGY_OTHER means that each dimension has a
 * configured shape. */
gboolean grid_topology_init_from_list(Topology *topology,
                                      const ConfigVariant *config,
                                      TopologyShape shape, GError **error);

/* The functions that fill the TopologyOps of every kind that is a grid. */
void grid_topology_free(Topology *topology);
uint32_t grid_next_link(const Topology *topology, uint32_t node, uint32_t dst,
                        uint32_t path_id);
gboolean grid_get_link_nodes(const Topology *topology, uint32_t unit,
                             uint32_t port, uint32_t *ret_from,
                             uint32_t *ret_to);
gboolean grid_link_is_dateline(const Topology *topology, uint32_t unit,
                               uint32_t port);
gboolean grid_node_can_reduce(const Topology *topology, uint32_t node,
                              uint32_t dim);

#define GRID_OPS                                                               \
    .free = grid_topology_free, .next = grid_next_link,                        \
    .get_link_nodes = grid_get_link_nodes,                                     \
    .node_reduces = grid_node_can_reduce,                                      \
    .is_dateline = grid_link_is_dateline, .packets_are_proved = TRUE

#endif
