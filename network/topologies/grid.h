/*
 * grid.h - NPUs in rows: a ring, a line, a switch or all links in each
 * dimension; for the kinds that are grids
 *
 * NPU id = x0 + size0 * (x1 + size1 * (x2 + ...)), and each NPU is a unit.  All
 * NPUs that differ in dimension d only are a row of it, joined by
 *
 *     ring    links + and -, or + only where it is driven one way; the shorter
 *             way round is taken, and where both are equally long the sender's
 *             choice of way decides
 *     line    links + and -, but for + of the last and - of the first
 *     switch  links up and down; the switch of a row is a node of its own
 *     full    to each other NPU of the row: to+1 to the next one, and so on
 *
 * Routing is dimension by dimension, lowest first.  Rows are moved along all
 * dimensions but lines.
 *
 * Assumes  wrap-around links are as long as the others (folded torus)
 */
#ifndef NETWORK_TOPOLOGIES_GRID_H
#define NETWORK_TOPOLOGIES_GRID_H

#include "network/topology_impl.h"

/* What a switch adds, as users write it. */
typedef struct {
    gboolean reduces;
    uint64_t bytes_per_s, latency_ps;
} GridAdder;

typedef struct {
    TopologyShape shape;
    uint64_t size;
    gboolean one_way;  /* a ring */
    TopologyLink link; /* of a ring driven both ways, or a line: of both */
    GridAdder adder;   /* of a switch */
} GridDim;

/* Sets all of @topology.  @names is put before a port's name with a
 * dimension's number ("dim"), or NULL, where there is one dimension.  @where
 * is the list of dimensions, to complain about. */
gboolean grid_init(Topology *topology, const GridDim *dims, uint32_t n_dims,
                   const char *names, const ConfigNode *where, GError **error);

/* ---- kinds whose dimensions are a list --------------------------------- */

/* n - 1 ports an NPU where all are joined: more is no machine but a matrix. */
#define GRID_MAX_FULL 4096

typedef enum {
    GRID_BOTH_WAYS,
    GRID_ONE_WAY,
} GridDirection;

/* Rows of a field table; @Struct.adder is a GridAdder. */
#define GRID_ADDER_FIELDS(Struct, Of)                                          \
    { .key = "reduces",                                                        \
      .help = Of "it adds what all NPUs send, and multicasts",                 \
      .type = CONFIG_BOOL,                                                     \
      .offset = offsetof(Struct, adder.reduces),                               \
      .fallback = "false",                                                     \
      .source = "no more than a crossbar" },                                   \
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
        .max = UINT64_C(1000000000000), .fallback = "0 ns",                    \
        .source = "assumed: within the latency of the links"                   \
    }

/* A dimension as users write it; what a kind has no field for stays 0. */
typedef struct {
    int shape; /* TopologyShape, where each has its own */
    uint64_t size;
    int direction; /* GridDirection */
    TopologyLink link;
    GridAdder adder;
} GridDimParams;

typedef struct {
    ConfigList dims; /* of GridDimParams */
} GridParams;

extern const char *const grid_direction_names[];

/* The rows of a kind's table of one dimension. */
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

/* The one row of the kind itself, and its item: @Fields of one dimension. */
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

/* grid_init() of the GridParams in @config, all dimensions of @shape;
 * TOPOLOGY_OTHER: each of its own. */
gboolean grid_init_list(Topology *topology, const ConfigVariant *config,
                        TopologyShape shape, GError **error);

/* Of the ops of a kind that is a grid. */
void grid_free(Topology *topology);
uint32_t grid_next(const Topology *topology, uint32_t at, uint32_t dst,
                   uint32_t way);
gboolean grid_joins(const Topology *topology, uint32_t unit, uint32_t port,
                    uint32_t *ret_from, uint32_t *ret_to);
gboolean grid_is_dateline(const Topology *topology, uint32_t unit,
                          uint32_t port);
gboolean grid_adds_at(const Topology *topology, uint32_t at, uint32_t dim);

#define GRID_OPS                                                               \
    .free = grid_free, .next = grid_next, .joins = grid_joins,                 \
    .adds_at = grid_adds_at, .is_dateline = grid_is_dateline,                  \
    .packets_are_proved = TRUE

#endif
