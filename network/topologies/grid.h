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

typedef struct {
    TopologyShape shape;
    uint64_t size;
    gboolean one_way;  /* a ring */
    TopologyLink link; /* of a ring driven both ways, or a line: of both */
} GridDim;

/* Sets all of @topology.  @names is put before a port's name with a
 * dimension's number ("dim"), or NULL, where there is one dimension.  @where
 * is the list of dimensions, to complain about. */
gboolean grid_init(Topology *topology, const GridDim *dims, uint32_t n_dims,
                   const char *names, const ConfigNode *where, GError **error);

/* Of the ops of a kind that is a grid. */
void grid_free(Topology *topology);
uint32_t grid_next(const Topology *topology, uint32_t at, uint32_t dst,
                   uint32_t way);
gboolean grid_joins(const Topology *topology, uint32_t unit, uint32_t port,
                    uint32_t *ret_from, uint32_t *ret_to);
gboolean grid_is_dateline(const Topology *topology, uint32_t unit,
                          uint32_t port);

#define GRID_OPS                                                               \
    .free = grid_free, .next = grid_next, .joins = grid_joins,                 \
    .is_dateline = grid_is_dateline, .packets_are_proved = TRUE

#endif
